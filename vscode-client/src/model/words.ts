// The words and icons for states, capabilities and approvals: one table each, used by every view.

import type { Capability, ServerStatus, State, Tool } from "../protocol";
import { counted, oneLine } from "../text";

interface Look {
  icon: string;
  color?: string;
  word: string;
}

export const STATES: Record<State, Look> = {
  ready: { icon: "pass", color: "testing.iconPassed", word: "ready" },
  starting: { icon: "loading~spin", word: "starting" },
  failed: { icon: "error", color: "list.errorForeground", word: "failed" },
  needsAuth: { icon: "key", color: "list.warningForeground", word: "needs sign-in" },
  untrusted: { icon: "shield", color: "list.warningForeground", word: "needs approval" },
  stopped: { icon: "debug-stop", color: "disabledForeground", word: "stopped" },
  disabled: { icon: "circle-slash", color: "disabledForeground", word: "disabled" },
};

export const CAPABILITIES: Record<Capability, Look> = {
  read: { icon: "eye", word: "only reads" },
  network: { icon: "globe", word: "reads from the network" },
  write: { icon: "edit", word: "writes" },
  destructive: { icon: "flame", color: "list.errorForeground", word: "may destroy data" },
  unknown: { icon: "question", word: "unknown effect" },
};

export const APPROVALS: Record<Tool["approval"], string> = {
  auto: "runs without a question",
  ask: "asks before it runs",
  granted: "runs by your approval",
  denied: "is refused",
};

/** What is behind the name of a server in one short line: counts where it is ready, else why it is not. */
export function serverDetail(status: ServerStatus): string {
  if (status.state === "ready") {
    const off = status.disabledTools > 0 ? ` (${status.disabledTools} off)` : "";
    const parts = [counted(status.tools, "tool") + off];
    if (status.resources + status.resourceTemplates > 0) {
      parts.push(counted(status.resources + status.resourceTemplates, "resource"));
    }
    if (status.prompts > 0) {
      parts.push(counted(status.prompts, "prompt"));
    }
    return parts.join(" · ");
  }
  const why = status.error?.message ?? status.detail;
  const word = STATES[status.state].word;
  return why === undefined ? word : `${word} — ${oneLine(withoutServer(why, status.server), 120)}`;
}

/** A message without the server's id in front, where the id stands beside it anyway. */
export function withoutServer(message: string, server: string): string {
  return message.startsWith(`${server}: `) ? message.slice(server.length + 2) : message;
}

/** Why a program did not start, in words: the language client's own are the operating system's. */
export function whyNotStarted(message: string, command: string): string {
  const why = /\bspawn\b.*\b(ENOENT|EACCES)\b/.exec(message)?.[1];
  const what = { ENOENT: "is not there", EACCES: "is not a program that may be run" }[why ?? ""];
  return what === undefined
    ? message
    : `the language server does not start: ${command} ${what}. See the setting codeagent.server.command.`;
}

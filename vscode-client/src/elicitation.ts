// What MCP servers ask of the user: a form, or a visit to a page whose whole address is shown first.

import * as vscode from "vscode";

import type { Asker } from "./ask";
import type { Client } from "./client";
import { FormPanel } from "./form";
import { openable, urlQuestion } from "./model/questions";
import { asksForSecret, forForm } from "./model/schema";
import type { ElicitAnswer, ElicitParams } from "./protocol";
import { forNotification, oneLine, visible } from "./text";

const NO: ElicitAnswer = { action: "cancel" };

/** Takes on `elicit`. */
export function answerElicitations(client: Client, asker: Asker, extension: vscode.Uri): void {
  client.onQuestion("codeagent/elicit", (params, token) =>
    params.mode === "url"
      ? visit(params, asker, token)
      : asker.inTurn<ElicitAnswer>(NO, token, () => fillIn(params, extension, token)),
  );
}

async function visit(params: ElicitParams, asker: Asker, token: vscode.CancellationToken): Promise<ElicitAnswer> {
  const target = openable(params.url ?? "");
  if (target === undefined) {
    warn(`${params.server} asked to open an address that is not opened: ${oneLine(params.url ?? "", 300)}`);
    return { action: "decline" };
  }
  const choices = [
    { title: "Do Not Open", value: "no" as const },
    { title: "Open in Browser", value: "open" as const },
    { title: "Copy Address", value: "copy" as const },
  ];
  const picked = await asker.ask<"no" | "open" | "copy">(urlQuestion(params, target), "no", choices, token);
  if (picked === "no") {
    return { action: "decline" };
  }
  if (picked === "copy") {
    await vscode.env.clipboard.writeText(target.href);
    return { action: "accept" };
  }
  return { action: (await vscode.env.openExternal(vscode.Uri.parse(target.href, true))) ? "accept" : "cancel" };
}

function fillIn(params: ElicitParams, extension: vscode.Uri, token: vscode.CancellationToken): Promise<ElicitAnswer> {
  if (asksForSecret(params.schema)) {
    warn(`${params.server} asked for a password or another secret in a form, and was refused.`);
    return Promise.resolve({ action: "decline" });
  }
  const server = oneLine(params.server, 60);
  const panel = new FormPanel(extension, `${server} asks`);
  return new Promise((resolve) => {
    const finish = (answer: ElicitAnswer): void => {
      resolve(answer);
      cancelled.dispose();
      panel.dispose();
    };
    const cancelled = token.onCancellationRequested(() => finish(NO));
    panel.onDidDispose(() => resolve(NO));
    panel.onMessage((message) => {
      if (message.type === "ready") {
        panel.post({
          type: "show",
          mode: "elicit",
          title: `The MCP server “${server}” asks you`,
          subtitle: "What you enter is sent to this server. Never enter a password or another secret.",
          said: visible(params.message, { limit: 4000 }),
          ...forForm(params.schema),
          arguments: {},
          history: [],
        });
      } else if (message.type === "answer") {
        const content = message.arguments;
        finish({ action: message.action, ...(message.action === "accept" ? { content: content ?? {} } : {}) });
      }
    });
  });
}

function warn(text: string): void {
  void vscode.window.showWarningMessage(`CodeAgent MCP: ${forNotification(text)}`);
}

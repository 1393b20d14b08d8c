// The palette's commands about servers: start, stop, approve, sign in, and the list of all of them.

import * as vscode from "vscode";

import type { Parts, Run } from "./parts";
import { serverActions, type ServerAction } from "./model/actions";
import { isNode } from "./model/tree";
import { pickFrom, pickServer, plain, serverItem } from "./pick";
import type { ServerStatus } from "./protocol";

export function serverCommands(parts: Parts): Record<string, Run> {
  const { client, catalogue, configuration, logs } = parts;
  const about =
    (action: ServerAction, title: string, run: (status: ServerStatus) => Promise<unknown>): Run =>
    async (subject) => {
      const chosen = serverOf(parts, subject);
      const fits = (status: ServerStatus): boolean => serverActions(status).includes(action);
      const status = chosen ?? (await pickServer(catalogue, `CodeAgent MCP: ${title}`, fits));
      return status && run(status);
    };
  const send = (command: "codeagent.start" | "codeagent.stop" | "codeagent.restart" | "codeagent.signOut") => {
    return ({ server }: ServerStatus) => client.request(command, { server });
  };
  const enable = (enabled: boolean) => {
    return ({ server }: ServerStatus) => client.request("codeagent.setEnabled", { server, enabled });
  };
  return {
    startServer: about("start", "Start Server", send("codeagent.start")),
    stopServer: about("stop", "Stop Server", send("codeagent.stop")),
    restartServer: about("restart", "Restart Server", send("codeagent.restart")),
    approveServer: about("approve", "Approve Server", (status) => approve(parts, status)),
    signIn: about("signIn", "Sign In", (status) => signIn(parts, status)),
    signOut: about("signOut", "Sign Out", send("codeagent.signOut")),
    enableServer: about("enable", "Enable Server", enable(true)),
    disableServer: about("disable", "Disable Server", enable(false)),
    showLog: about("showLog", "Show Log", ({ server }) => logs.show(server)),
    showConfiguration: about("showConfiguration", "Show Configuration", (status) => configuration.showEntry(status)),
    showEffectiveConfiguration: about("showConfiguration", "Show Effective Configuration", async ({ server }) => {
      const effective = await client.request("codeagent.effectiveConfig", { server });
      const uri = parts.documents.keepText(`${server}.json`, `${JSON.stringify(effective, null, 2)}\n`);
      await vscode.window.showTextDocument(uri);
    }),
    listServers: () => listServers(parts),
  };
}

/** Approving asks the question again, with everything it says; a folder that is not trusted comes first. */
async function approve({ client }: Parts, { server, scope }: ServerStatus): Promise<void> {
  if (scope === "project" && !vscode.workspace.isTrusted) {
    await vscode.commands.executeCommand("workbench.trust.manage");
    return;
  }
  const { servers } = await client.request("codeagent.status", {}); // a "no" may be newer than what the tree shows
  const now = servers.find((status) => status.server === server);
  if (now?.trust === "denied" && now.fingerprint !== undefined) {
    await client.request("codeagent.setTrust", { server, fingerprint: now.fingerprint, decision: "reset" });
  }
  await client.request("codeagent.start", { server });
}

async function signIn(parts: Parts, { server }: ServerStatus): Promise<void> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: `Signing in to ${plain(server)}`,
    cancellable: true,
  };
  await vscode.window.withProgress(options, (progress, token) =>
    parts.client.request(
      "codeagent.signIn",
      { server },
      {
        token,
        onProgress: ({ message }) => progress.report({ message: plain(message ?? "") }),
      },
    ),
  );
}

/** The servers, then what can be done with the one that was chosen. */
async function listServers(parts: Parts): Promise<void> {
  if (parts.client.state === "failed") {
    const retry = { label: "$(refresh) Start the language server again", value: "restartLanguageServer" };
    const show = { label: "$(output) Show output", value: "showOutput" };
    const chosen = await pickFrom("CodeAgent MCP: the language server is not running", [retry, show], "");
    await (chosen && vscode.commands.executeCommand(`codeagentMcp.${chosen}`));
    return;
  }
  const general = [
    { label: "$(play) Run Tool…", value: "runTool" },
    { label: "$(file) Browse Resources…", value: "readResource" },
    { label: "$(add) Add Server…", value: "addServer" },
    { label: "$(refresh) Reload Configuration", value: "reload" },
  ];
  const separator = { label: "", kind: vscode.QuickPickItemKind.Separator, value: "" };
  const servers = [...parts.catalogue.servers.values()].map(serverItem);
  const chosen = await pickFrom<ServerStatus | string>(
    "CodeAgent MCP: List Servers",
    [...servers, separator, ...general],
    "",
  );
  if (typeof chosen === "string" || chosen === undefined) {
    await (chosen && vscode.commands.executeCommand(`codeagentMcp.${chosen}`));
    return;
  }
  const items = serverActions(chosen).map((action) => ({
    label: ACTIONS[action].title,
    value: ACTIONS[action].command,
  }));
  const command = await pickFrom(`CodeAgent MCP: ${plain(chosen.server)}`, items, "");
  await (command && vscode.commands.executeCommand(`codeagentMcp.${command}`, chosen));
}

const ACTIONS: Record<ServerAction, { title: string; command: string }> = {
  start: { title: "$(play) Start Server", command: "startServer" },
  stop: { title: "$(debug-stop) Stop Server", command: "stopServer" },
  restart: { title: "$(debug-restart) Restart Server", command: "restartServer" },
  approve: { title: "$(shield) Approve Server…", command: "approveServer" },
  signIn: { title: "$(sign-in) Sign In", command: "signIn" },
  signOut: { title: "$(sign-out) Sign Out", command: "signOut" },
  enable: { title: "$(circle-large-outline) Enable Server", command: "enableServer" },
  disable: { title: "$(circle-slash) Disable Server", command: "disableServer" },
  showLog: { title: "$(output) Show Log", command: "showLog" },
  showConfiguration: { title: "$(gear) Show Configuration", command: "showConfiguration" },
};

function serverOf(parts: Parts, subject: unknown): ServerStatus | undefined {
  if (isNode(subject)) {
    return subject.kind === "server" ? subject.status : parts.catalogue.servers.get(subject.server);
  }
  const named = typeof subject === "string" ? subject : (subject as { server?: unknown } | undefined)?.server;
  return typeof named === "string" ? parts.catalogue.servers.get(named) : undefined;
}

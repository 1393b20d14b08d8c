// The palette's commands, as a table: an id, and what it does with the thing it was called on or lets the user pick.

import * as vscode from "vscode";

import { HostError, type Client } from "./client";
import { isNode } from "./model/tree";
import type { Parts, Run } from "./parts";
import { pickFrom, pickPrompt, pickResource, pickTool, plain, type Readable } from "./pick";
import type { Approval, JsonObject, Tool } from "./protocol";
import { serverCommands } from "./serverCommands";
import type { ServersView } from "./serversView";
import { forNotification } from "./text";

/** Registers every command of ours; an error of any of them is told in plain words. */
export function registerCommands(parts: Parts): vscode.Disposable[] {
  const all = { ...serverCommands(parts), ...offerCommands(parts), ...fileCommands(parts), ...hostCommands(parts) };
  return Object.entries(all).map(([name, run]) =>
    vscode.commands.registerCommand(`codeagentMcp.${name}`, (subject: unknown) => guarded(parts, () => run(subject))),
  );
}

async function guarded(parts: Parts, run: () => Promise<unknown>): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof vscode.CancellationError) {
      return undefined;
    }
    const message = error instanceof Error ? error.message : String(error);
    const hint =
      error instanceof HostError && error.hint !== undefined && !message.includes(error.hint) ? ` ${error.hint}` : "";
    parts.output.error(message);
    const show = "Show Output";
    void vscode.window.showErrorMessage(`CodeAgent MCP: ${forNotification(message + hint)}`, show).then((pressed) => {
      if (pressed === show) {
        parts.output.show();
      }
    });
    return undefined;
  }
}

function offerCommands(parts: Parts): Record<string, Run> {
  const { client, catalogue, forms, resources } = parts;
  const enable = (enabled: boolean, title: string): Run => {
    return async (subject) => {
      const fits = (tool: Tool): boolean => tool.enabled !== enabled;
      const tool = toolOf(subject) ?? (await pickTool(catalogue, `CodeAgent MCP: ${title}`, fits));
      return tool && client.request("codeagent.setEnabled", { server: tool.server, tool: tool.tool, enabled });
    };
  };
  const readable = async (subject: unknown): Promise<Readable | undefined> =>
    readableOf(subject) ?? (await pickResource(catalogue, "CodeAgent MCP: Browse Resources"));
  return {
    runTool: async (subject) => {
      const tool = toolOf(subject) ?? (await pickTool(catalogue, "CodeAgent MCP: Run Tool", (one) => one.enabled));
      if (tool !== undefined) {
        forms.show(tool, argumentsOf(subject));
      }
    },
    enableTool: enable(true, "Enable Tool"),
    disableTool: enable(false, "Disable Tool"),
    copyToolName: async (subject) => {
      const tool = toolOf(subject) ?? (await pickTool(catalogue, "CodeAgent MCP: Copy Tool Name", () => true));
      await (tool && vscode.env.clipboard.writeText(tool.name));
    },
    readResource: async (subject) => {
      const chosen = await readable(subject);
      await (chosen && resources.read(chosen));
    },
    copyMention: async (subject) => {
      const chosen = await readable(subject);
      await (chosen && resources.copyMention(chosen));
    },
    insertMention: async (subject) => {
      const chosen = await readable(subject);
      await (chosen && resources.insertMention(chosen));
    },
    usePrompt: async (subject) => {
      const prompt = isNode(subject) && subject.kind === "prompt" ? subject.prompt : undefined;
      const chosen = prompt ?? (await pickPrompt(catalogue, "CodeAgent MCP: Use Prompt"));
      await (chosen && resources.usePrompt(chosen));
    },
  };
}

function fileCommands(parts: Parts): Record<string, Run> {
  const { configuration } = parts;
  return {
    openWorkspaceConfiguration: () => configuration.openProject(),
    openUserConfiguration: () => configuration.openUser(),
    addServer: () => configuration.addServer(),
    importServers: () => configuration.importServers(),
  };
}

function hostCommands(parts: Parts): Record<string, Run> {
  const { client, catalogue, servers, approvals } = parts;
  return {
    reload: async () => {
      await client.request("codeagent.reload", {});
      await catalogue.reload();
    },
    filter: () => filter(servers),
    clearFilter: () => Promise.resolve(servers.setFilter("")),
    revokeApproval: async (subject) => {
      const approval = (subject as Approval | undefined) ?? (await pickApproval(client));
      if (approval !== undefined) {
        await client.request("codeagent.revokeApproval", { id: approval.id });
        approvals.refresh();
      }
    },
    resetTrust: async () => {
      const { approvals: all } = await client.request("codeagent.listApprovals", {});
      const text = `Take back all ${all.length} approvals? Servers of workspaces stop, and every tool asks again.`;
      if ((await vscode.window.showWarningMessage(text, { modal: true }, "Take All Back")) === undefined) {
        return;
      }
      await Promise.all(all.map(({ id }) => client.request("codeagent.revokeApproval", { id })));
      approvals.refresh();
    },
    restartLanguageServer: () => parts.restartHost(false),
    reinstallLanguageServer: () => parts.restartHost(true),
    showOutput: () => Promise.resolve(parts.output.show()),
    openWalkthrough: () =>
      Promise.resolve(
        vscode.commands.executeCommand("workbench.action.openWalkthrough", "codeagent.codeagent-mcp#start", false),
      ),
  };
}

async function pickApproval(client: Client): Promise<Approval | undefined> {
  const { approvals } = await client.request("codeagent.listApprovals", {});
  const items = approvals.map((approval) => ({
    label: plain(approval.tool === undefined ? approval.server : `${approval.server}: ${approval.tool}`),
    description: plain(approval.scope),
    value: approval,
  }));
  return pickFrom("CodeAgent MCP: Revoke Approval", items, "nothing has been approved.");
}

/** A box whose words the tree follows while they are typed; Escape brings the words from before back. */
function filter(servers: ServersView): Promise<void> {
  const before = servers.filter;
  const box = vscode.window.createInputBox();
  box.title = "CodeAgent MCP: Filter Servers, Tools, Resources and Prompts";
  box.placeholder = "Words that must be in the name or description";
  box.value = before;
  let accepted = false;
  box.onDidChangeValue((words) => servers.setFilter(words));
  box.onDidAccept(() => {
    accepted = true;
    box.hide();
  });
  return new Promise((resolve) => {
    box.onDidHide(() => {
      if (!accepted) {
        servers.setFilter(before);
      }
      box.dispose();
      resolve();
    });
    box.show();
  });
}

function toolOf(subject: unknown): Tool | undefined {
  if (isNode(subject)) {
    return subject.kind === "tool" ? subject.tool : undefined;
  }
  return (subject as { tool?: Tool } | undefined)?.tool;
}

function argumentsOf(subject: unknown): JsonObject {
  return (subject as { arguments?: JsonObject } | undefined)?.arguments ?? {};
}

function readableOf(subject: unknown): Readable | undefined {
  if (!isNode(subject)) {
    return undefined;
  }
  return subject.kind === "resource" || subject.kind === "template" ? subject : undefined;
}

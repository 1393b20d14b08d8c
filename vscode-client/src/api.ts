// What other extensions get from `activate()`: the servers' tools, resources and prompts, under the user's policy.

import * as vscode from "vscode";

import type { Catalogue } from "./catalogue";
import type { Client, Progress } from "./client";
import type {
  CallResult,
  FilledPrompt,
  JsonObject,
  Prompt,
  ReadResource,
  Resource,
  ResourceTemplate,
  ServerStatus,
  Tool,
} from "./protocol";

/**
 * The API of this extension, version 1.
 *
 * ```ts
 * const api = await vscode.extensions.getExtension<CodeAgentMcp>("codeagent.codeagent-mcp")?.activate();
 * const result = await api?.callTool("mcp__demo__list_notes", {});
 * ```
 *
 * Every call passes the user's policy: one that needs approval asks the user, and fails when the answer is no. A request
 * that fails raises an error with the server's words in `message` and the kind of failure in `kind`.
 */
export interface CodeAgentMcp {
  readonly version: 1;
  /** Resolves when the language server runs; rejects with the reason when it cannot be started. */
  whenReady(): Promise<void>;
  listServers(): ServerStatus[];
  /** The enabled tools of one server, or of all; waits up to 8 s for servers that are still starting. */
  listTools(server?: string): Promise<Tool[]>;
  /** Calls a tool by its full name, e.g. `mcp__demo__list_notes`. A tool's own error is a result with `isError`. */
  callTool(
    name: string,
    arguments_: JsonObject,
    options?: { token?: vscode.CancellationToken; timeoutMs?: number; onProgress?: (progress: Progress) => void },
  ): Promise<CallResult>;
  listResources(server?: string): Promise<{ resources: Resource[]; templates: ResourceTemplate[] }>;
  readResource(server: string, uri: string, token?: vscode.CancellationToken): Promise<ReadResource>;
  listPrompts(server?: string): Promise<Prompt[]>;
  getPrompt(server: string, name: string, arguments_?: JsonObject): Promise<FilledPrompt>;
  /** The tool catalogue and the servers' instructions, as a block for a system prompt. */
  promptSection(): Promise<string>;
  readonly onDidChangeServers: vscode.Event<void>;
  /** Fires with the server whose tools have changed. */
  readonly onDidChangeTools: vscode.Event<{ server: string }>;
}

export function makeApi(client: Client, catalogue: Catalogue, whenReady: () => Promise<void>): CodeAgentMcp {
  const servers = new vscode.EventEmitter<void>();
  const tools = new vscode.EventEmitter<{ server: string }>();
  catalogue.onDidChange(({ top, servers: changed, lists }) => {
    if (top || changed.length > 0) {
      servers.fire();
    }
    for (const { server, group } of lists) {
      if (group === "tools") {
        tools.fire({ server });
      }
    }
  });
  const of = (server: string | undefined): { server?: string } => (server === undefined ? {} : { server });
  return {
    version: 1,
    whenReady,
    listServers: () => [...catalogue.servers.values()],
    listTools: async (server) => (await client.request("codeagent.listTools", of(server))).tools,
    callTool: (name, arguments_, options = {}) => {
      const { timeoutMs, ...rest } = options;
      const bound = timeoutMs === undefined ? {} : { timeoutMs };
      return client.request("codeagent.callTool", { name, arguments: arguments_, ...bound }, rest);
    },
    listResources: (server) => client.request("codeagent.listResources", of(server)),
    readResource: (server, uri, token) =>
      client.request("codeagent.readResource", { server, uri }, token ? { token } : {}),
    listPrompts: async (server) => (await client.request("codeagent.listPrompts", of(server))).prompts,
    getPrompt: (server, name, arguments_ = {}) =>
      client.request("codeagent.getPrompt", { server, name, arguments: arguments_ }),
    promptSection: async () => (await client.request("codeagent.promptSection", {})).text,
    onDidChangeServers: servers.event,
    onDidChangeTools: tools.event,
  };
}

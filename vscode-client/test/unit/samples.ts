// Things as they travel, for the tests.

import type { ApproveCallParams, ApproveServerParams, CallResult, ServerStatus, Tool } from "../../src/protocol";

export function status(change: Partial<ServerStatus> = {}): ServerStatus {
  return {
    server: "demo",
    name: "demo",
    scope: "project",
    configUri: "file:///w/.codeagent/mcp.json",
    transport: "stdio",
    state: "ready",
    capabilities: ["tools"],
    tools: 2,
    disabledTools: 0,
    resources: 1,
    resourceTemplates: 1,
    prompts: 1,
    restarts: 0,
    ...change,
  };
}

export function tool(change: Partial<Tool> = {}): Tool {
  return {
    name: "mcp__demo__get_note",
    server: "demo",
    tool: "get_note",
    kind: "tool",
    title: "Read a note",
    description: "Read one note.",
    inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    capability: "read",
    approval: "ask",
    enabled: true,
    ...change,
  };
}

export function result(change: Partial<CallResult> = {}): CallResult {
  return {
    server: "demo",
    tool: "get_note",
    isError: false,
    text: "hello",
    content: [{ type: "text", text: "hello" }],
    durationMs: 12,
    ...change,
  };
}

export function launch(change: Partial<ApproveServerParams> = {}): ApproveServerParams {
  return {
    server: "demo",
    name: "demo",
    configUri: "file:///w/.codeagent/mcp.json",
    fingerprint: "f",
    transport: "stdio",
    warnings: [],
    argv: ["python3", "-m", "demo"],
    resolvedCommand: "/usr/bin/python3",
    cwd: "/w",
    ...change,
  };
}

export function call(change: Partial<ApproveCallParams> = {}): ApproveCallParams {
  return {
    server: "demo",
    tool: "add_note",
    description: "Write a note.",
    arguments: { name: "x" },
    capability: "write",
    warnings: [],
    scopes: ["once", "session"],
    ...change,
  };
}

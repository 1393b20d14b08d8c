// What a user can do with a thing in its present state: tree menus and quick picks both read it from here.

import type { ServerStatus, Tool } from "../protocol";

export type ServerAction =
  | "start"
  | "stop"
  | "restart"
  | "approve"
  | "signIn"
  | "signOut"
  | "enable"
  | "disable"
  | "showLog"
  | "showConfiguration";

/** The actions that make sense for a server now, most likely first. */
export function serverActions(status: ServerStatus): ServerAction[] {
  const actions: ServerAction[] = [];
  switch (status.state) {
    case "ready":
      actions.push("restart", "stop");
      break;
    case "starting":
      actions.push("stop");
      break;
    case "failed":
      actions.push("restart", "stop");
      break;
    case "stopped":
      actions.push("start");
      break;
    case "needsAuth":
      actions.push("signIn", "restart");
      break;
    case "untrusted":
      actions.push("approve");
      break;
    case "disabled":
      actions.push("enable");
      break;
  }
  if (status.state === "ready" && status.transport !== "stdio") {
    actions.push("signOut");
  }
  actions.push("showLog", "showConfiguration");
  if (status.state !== "disabled") {
    actions.push("disable");
  }
  return actions;
}

/** The `viewItem` of a node: its kind and its actions, each between semicolons, for `when` clauses. */
export function contextValue(kind: string, actions: readonly string[]): string {
  return `;${[kind, ...actions].join(";")};`;
}

/** The actions of a tool. */
export function toolActions(tool: Tool): string[] {
  return tool.enabled ? ["run", "disableTool"] : ["enableTool"];
}

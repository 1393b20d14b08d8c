// The sidebar as plain data: which nodes there are, how each looks, and what a filter leaves of them.

import type { Prompt, Resource, ResourceTemplate, ServerStatus, Tool } from "../protocol";
import { bytes, counted, oneLine, visible } from "../text";
import { contextValue, serverActions, toolActions } from "./actions";
import { APPROVALS, CAPABILITIES, STATES, serverDetail } from "./words";

export type Group = "tools" | "resources" | "prompts";

export type Node =
  | { kind: "server"; id: string; status: ServerStatus }
  | { kind: "group"; id: string; server: string; group: Group; count: number; problem?: string | undefined }
  | { kind: "tool"; id: string; server: string; tool: Tool }
  | { kind: "resource"; id: string; server: string; resource: Resource }
  | { kind: "template"; id: string; server: string; template: ResourceTemplate }
  | { kind: "prompt"; id: string; server: string; prompt: Prompt }
  | { kind: "note"; id: string; server: string; text: string; severity: "error" | "info" };

/** How a node is drawn. Every text is plain. */
export interface Look {
  label: string;
  description?: string;
  tooltip: string;
  icon: string;
  color?: string | undefined;
  contextValue: string;
  /** `leaf`, `closed`, or `open` at first sight. */
  children: "leaf" | "closed" | "open";
}

/** Everything that one server offers; a list is missing until it has been read. */
export interface Offer {
  tools?: readonly Tool[];
  resources?: readonly Resource[];
  templates?: readonly ResourceTemplate[];
  prompts?: readonly Prompt[];
}

export function serverNode(status: ServerStatus): Node {
  return { kind: "server", id: `server:${status.server}`, status };
}

/** Below a server: why it does not work, or its groups. */
export function serverChildren(status: ServerStatus): Node[] {
  const server = status.server;
  const id = (name: string): string => `${name}:${server}`;
  if (status.state !== "ready") {
    const said = [status.error?.message ?? status.detail, status.error?.hint, ...(status.error?.stderrTail ?? [])];
    return said
      .filter((line): line is string => line !== undefined && line.trim() !== "")
      .map((text, index) => ({
        kind: "note",
        id: id(`note${index}`),
        server,
        text,
        severity: status.error !== undefined && index === 0 ? "error" : "info",
      }));
  }
  const groups: [Group, number][] = [
    ["tools", status.tools],
    ["resources", status.resources + status.resourceTemplates],
    ["prompts", status.prompts],
  ];
  return groups
    .filter(([group, count]) => count > 0 || status.listErrors?.[group] !== undefined)
    .map(([group, count]) => ({
      kind: "group",
      id: id(group),
      server,
      group,
      count,
      problem: status.listErrors?.[group],
    }));
}

/** Below a group: what the server listed; a list that failed is one note. */
export function groupChildren(server: string, group: Group, offer: Offer, problem?: string): Node[] {
  const nodes: Node[] = [];
  if (problem !== undefined) {
    nodes.push({ kind: "note", id: `problem:${group}:${server}`, server, text: problem, severity: "error" });
  }
  if (group === "tools") {
    nodes.push(...(offer.tools ?? []).map((tool): Node => ({ kind: "tool", id: `tool:${tool.name}`, server, tool })));
  } else if (group === "resources") {
    nodes.push(
      ...(offer.resources ?? []).map((resource): Node => ({
        kind: "resource",
        id: `resource:${server}:${resource.uri}`,
        server,
        resource,
      })),
      ...(offer.templates ?? []).map((template): Node => ({
        kind: "template",
        id: `template:${server}:${template.uriTemplate}`,
        server,
        template,
      })),
    );
  } else {
    nodes.push(
      ...(offer.prompts ?? []).map((prompt): Node => ({
        kind: "prompt",
        id: `prompt:${server}:${prompt.name}`,
        server,
        prompt,
      })),
    );
  }
  return distinct(nodes);
}

/** A server may list one thing twice; a tree may not have one id twice. */
function distinct(nodes: Node[]): Node[] {
  const seen = new Map<string, number>();
  return nodes.map((node) => {
    const times = (seen.get(node.id) ?? 0) + 1;
    seen.set(node.id, times);
    return times === 1 ? node : { ...node, id: `${node.id}#${times}` };
  });
}

/** Whether a node has the words of a filter, in any order and case. An empty filter matches all. */
export function matches(node: Node, filter: string): boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const text = searchText(node).toLowerCase();
  return words.every((word) => text.includes(word));
}

function searchText(node: Node): string {
  switch (node.kind) {
    case "server":
      return `${node.status.server} ${STATES[node.status.state].word}`;
    case "tool":
      return `${node.tool.tool} ${node.tool.title ?? ""} ${node.tool.description} ${node.tool.capability}`;
    case "resource":
      return `${node.resource.uri} ${node.resource.name} ${node.resource.title ?? ""}`;
    case "template":
      return `${node.template.uriTemplate} ${node.template.name} ${node.template.title ?? ""}`;
    case "prompt":
      return `${node.prompt.name} ${node.prompt.title ?? ""} ${node.prompt.description ?? ""}`;
    case "group":
    case "note":
      return "";
  }
}

export function look(node: Node, filtered = false): Look {
  switch (node.kind) {
    case "server":
      return serverLook(node.status, filtered);
    case "group":
      return {
        label: { tools: "Tools", resources: "Resources", prompts: "Prompts" }[node.group],
        description: node.problem === undefined ? node.count.toLocaleString("en-US") : "could not be listed",
        tooltip: node.problem === undefined ? "" : visible(node.problem),
        icon: { tools: "tools", resources: "file-submodule", prompts: "comment-discussion" }[node.group],
        contextValue: contextValue("group", []),
        children: filtered || node.group === "tools" ? "open" : "closed",
      };
    case "tool":
      return toolLook(node.tool);
    case "resource":
      return resourceLook(node.resource);
    case "template":
      return {
        label: oneLine(node.template.title ?? node.template.name),
        description: oneLine(node.template.uriTemplate),
        tooltip: lines(node.template.uriTemplate, node.template.description, node.template.mimeType),
        icon: "symbol-parameter",
        contextValue: contextValue("template", ["read"]),
        children: "leaf",
      };
    case "prompt":
      return {
        label: oneLine(node.prompt.title ?? node.prompt.name),
        description: node.prompt.arguments.map((argument) => oneLine(argument.name, 40)).join(", "),
        tooltip: lines(node.prompt.name, node.prompt.description),
        icon: "comment",
        contextValue: contextValue("prompt", ["use"]),
        children: "leaf",
      };
    case "note":
      return {
        label: oneLine(node.text),
        tooltip: visible(node.text),
        icon: node.severity === "error" ? "warning" : "info",
        contextValue: contextValue("note", []),
        children: "leaf",
      };
  }
}

function serverLook(status: ServerStatus, filtered: boolean): Look {
  const state = STATES[status.state];
  const tooltip = [
    `${status.server} — ${state.word}`,
    status.error?.message ?? status.detail,
    status.error?.hint,
    ...(status.error?.stderrTail ?? []),
    status.state === "ready" ? serverDetail(status) : undefined,
    `${status.scope === "user" ? "Your own server" : "Declared by this workspace"}, ${status.transport}`,
    status.pid === undefined ? undefined : `Process ${status.pid}`,
    status.restarts > 0 ? `Restarted ${counted(status.restarts, "time")}` : undefined,
  ];
  return {
    label: oneLine(status.server),
    description: serverDetail(status),
    tooltip: lines(...tooltip),
    icon: state.icon,
    color: state.color,
    contextValue: contextValue("server", serverActions(status)),
    children: serverChildren(status).length === 0 ? "leaf" : filtered ? "open" : "closed",
  };
}

function toolLook(tool: Tool): Look {
  const capability = CAPABILITIES[tool.capability];
  return {
    label: oneLine(tool.title ?? tool.tool),
    description: tool.enabled ? oneLine(tool.description, 120) : "disabled",
    tooltip: lines(
      tool.name,
      `This tool ${capability.word === "unknown effect" ? "has an unknown effect" : capability.word} and ${
        tool.enabled ? APPROVALS[tool.approval] : "is disabled"
      }.`,
      "",
      visible(tool.description, { limit: 2000 }),
    ),
    icon: tool.enabled ? capability.icon : "circle-slash",
    color: tool.enabled ? capability.color : "disabledForeground",
    contextValue: contextValue("tool", toolActions(tool)),
    children: "leaf",
  };
}

function resourceLook(resource: Resource): Look {
  return {
    label: oneLine(resource.title ?? resource.name),
    description: oneLine(resource.uri),
    tooltip: lines(
      resource.mention,
      resource.description,
      [resource.mimeType, resource.size === undefined ? undefined : bytes(resource.size)].filter(Boolean).join(", "),
    ),
    icon: "file",
    contextValue: contextValue("resource", ["read"]),
    children: "leaf",
  };
}

function lines(...parts: (string | undefined)[]): string {
  return parts
    .filter((part) => part !== undefined)
    .map((part) => visible(part))
    .join("\n")
    .trim();
}

/** Whether something that a command was given is a node of the tree. */
export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "kind" in value && "id" in value;
}

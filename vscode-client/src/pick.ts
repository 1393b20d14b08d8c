// Choices from what the servers offer, for commands that were not given one by the sidebar.

import * as vscode from "vscode";

import type { Catalogue } from "./catalogue";
import { serverDetail, STATES } from "./model/words";
import type { Prompt, Resource, ResourceTemplate, ServerStatus, Tool } from "./protocol";
import { oneLine, withoutIcons } from "./text";

interface Item<T> extends vscode.QuickPickItem {
  value: T;
}

/** A text of others, as a label or description of a quick pick. */
export function plain(text: string): string {
  return withoutIcons(oneLine(text));
}

export async function pickFrom<T>(title: string, items: Item<T>[], nothing: string): Promise<T | undefined> {
  if (items.length === 0) {
    void vscode.window.showInformationMessage(`CodeAgent MCP: ${nothing}`);
    return undefined;
  }
  const options = { title, matchOnDescription: true, matchOnDetail: true };
  return (await vscode.window.showQuickPick(items, options))?.value;
}

export function serverItem(status: ServerStatus): Item<ServerStatus> {
  const { icon } = STATES[status.state];
  return { label: `$(${icon}) ${plain(status.server)}`, description: plain(serverDetail(status)), value: status };
}

/** A server; the only one at once. */
export async function pickServer(
  catalogue: Catalogue,
  title: string,
  fits: (status: ServerStatus) => boolean,
): Promise<ServerStatus | undefined> {
  const servers = [...catalogue.servers.values()].filter(fits);
  return servers.length === 1
    ? servers[0]
    : pickFrom(title, servers.map(serverItem), "no server is in a state for this.");
}

export async function pickTool(
  catalogue: Catalogue,
  title: string,
  fits: (tool: Tool) => boolean,
): Promise<Tool | undefined> {
  const tools = (await catalogue.allTools()).filter(fits);
  const items = tools.map((tool) => ({
    label: plain(tool.title ?? tool.tool),
    description: plain(tool.server),
    detail: plain(tool.description),
    value: tool,
  }));
  return pickFrom(title, items, "no server that is ready has a tool for this.");
}

export type Readable = { server: string; resource: Resource } | { server: string; template: ResourceTemplate };

export async function pickResource(catalogue: Catalogue, title: string): Promise<Readable | undefined> {
  const ready = [...catalogue.servers.values()].filter(({ state }) => state === "ready");
  const offers = await Promise.all(ready.map(({ server }) => catalogue.list(server, "resources").catch(() => ({}))));
  const items = ready.flatMap(({ server }, index): Item<Readable>[] => {
    const offer: Awaited<ReturnType<Catalogue["list"]>> = offers[index] ?? {};
    const resources = (offer.resources ?? []).map((resource) => ({
      label: `$(file) ${plain(resource.title ?? resource.name)}`,
      description: plain(`${server}: ${resource.uri}`),
      value: { server, resource },
    }));
    const templates = (offer.templates ?? []).map((template) => ({
      label: `$(symbol-parameter) ${plain(template.title ?? template.name)}`,
      description: plain(`${server}: ${template.uriTemplate}`),
      value: { server, template },
    }));
    return [...resources, ...templates];
  });
  return pickFrom(title, items, "no server that is ready has resources.");
}

export async function pickPrompt(catalogue: Catalogue, title: string): Promise<Prompt | undefined> {
  const ready = [...catalogue.servers.values()].filter(({ state, prompts }) => state === "ready" && prompts > 0);
  const lists = await Promise.all(ready.map(({ server }) => catalogue.prompts(server).catch(() => [])));
  const items = lists.flat().map((prompt) => ({
    label: plain(prompt.title ?? prompt.name),
    description: plain(prompt.server),
    detail: plain(prompt.description ?? ""),
    value: prompt,
  }));
  return pickFrom(title, items, "no server that is ready has prompts.");
}

/** A value for an argument, with the server's own completions below while typing. `undefined` is a cancel. */
export function askArgument(
  title: string,
  prompt: string,
  required: boolean,
  complete: ((value: string) => Promise<string[]>) | undefined,
): Promise<string | undefined> {
  const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { text: string }>();
  pick.title = title;
  pick.placeholder = `${prompt}${required ? "" : " (may be left empty)"}`;
  pick.ignoreFocusOut = true;
  let asked = 0;
  const show = (value: string, values: string[]): void => {
    const own =
      value === "" && required
        ? []
        : [{ label: value === "" ? "(leave empty)" : plain(value), text: value, alwaysShow: true }];
    const others = values.filter((other) => other !== value).map((other) => ({ label: plain(other), text: other }));
    pick.items = [...own, ...others];
  };
  const refresh = (value: string): void => {
    show(value, []);
    if (complete !== undefined) {
      asked += 1;
      const mine = asked;
      complete(value).then(
        (values) => mine === asked && show(value, values),
        () => undefined,
      );
    }
  };
  return new Promise((resolve) => {
    pick.onDidChangeValue(refresh);
    pick.onDidAccept(() => {
      const [chosen] = pick.selectedItems;
      if (chosen !== undefined) {
        resolve(chosen.text);
        pick.hide();
      }
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    refresh("");
    pick.show();
  });
}

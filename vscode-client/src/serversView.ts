// The sidebar's tree of servers: draws the plain nodes of model/tree, and redraws no more than what has changed.

import * as vscode from "vscode";

import type { Catalogue, Change } from "./catalogue";
import type { HostState } from "./client";
import { groupChildren, look, matches, serverChildren, serverNode, type Group, type Node } from "./model/tree";
import { oneLine } from "./text";

export class ServersView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly change = new vscode.EventEmitter<Node | undefined>();
  private readonly nodes = new Map<string, Node>();
  private readonly view: vscode.TreeView<Node>;
  private readonly subscriptions: vscode.Disposable[];
  private readonly drawn = new Set<string>(); // groups that are or were open
  private stale = { top: false, ids: new Set<string>() };
  private timer: ReturnType<typeof setTimeout> | undefined;
  private words = "";

  readonly onDidChangeTreeData = this.change.event;

  constructor(private readonly catalogue: Catalogue) {
    this.view = vscode.window.createTreeView("codeagentMcp.servers", { treeDataProvider: this, showCollapseAll: true });
    this.subscriptions = [this.view, this.change, catalogue.onDidChange((change) => this.refresh(change))];
  }

  get filter(): string {
    return this.words;
  }

  /** Shows only what has these words; all again for an empty filter. */
  setFilter(words: string): void {
    this.words = words.trim();
    this.view.description = this.words === "" ? "" : `filter: ${oneLine(this.words, 40)}`;
    void vscode.commands.executeCommand("setContext", "codeagentMcp.filtered", this.words !== "");
    this.nodes.clear();
    this.change.fire(undefined);
  }

  /** What the welcome view says depends on it. */
  showState(state: HostState): void {
    void vscode.commands.executeCommand("setContext", "codeagentMcp.state", state);
  }

  /** Makes a server visible in the sidebar. */
  async reveal(server: string): Promise<void> {
    const node = this.nodes.get(`server:${server}`);
    if (node !== undefined) {
      await this.view.reveal(node, { select: true, focus: true, expand: true });
    }
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const drawn = look(node, this.words !== "");
    const item = new vscode.TreeItem(drawn.label, COLLAPSE[drawn.children]);
    // A filtered tree is another tree, so that the expansion of the whole one is not lost.
    item.id = this.words === "" ? node.id : `filtered:${node.id}`;
    item.description = drawn.description ?? "";
    item.tooltip = drawn.tooltip;
    item.contextValue = drawn.contextValue;
    item.iconPath = new vscode.ThemeIcon(
      drawn.icon,
      drawn.color === undefined ? undefined : new vscode.ThemeColor(drawn.color),
    );
    const command = ON_CLICK[node.kind];
    if (command !== undefined) {
      item.command = { command: `codeagentMcp.${command}`, title: "Open", arguments: [node] };
    }
    item.accessibilityInformation = { label: [drawn.label, drawn.description].filter(Boolean).join(", ") };
    return item;
  }

  getParent(node: Node): Node | undefined {
    if (node.kind === "server") {
      return undefined;
    }
    const server = this.nodes.get(`server:${node.server}`);
    switch (node.kind) {
      case "tool":
        return this.nodes.get(`tools:${node.server}`) ?? server;
      case "resource":
      case "template":
        return this.nodes.get(`resources:${node.server}`) ?? server;
      case "prompt":
        return this.nodes.get(`prompts:${node.server}`) ?? server;
      case "group":
      case "note":
        return server;
    }
  }

  async getChildren(parent?: Node): Promise<Node[]> {
    const children = await this.childrenOf(parent);
    return children.map((node) => this.kept(node));
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.forEach((subscription) => subscription.dispose());
  }

  private async childrenOf(parent: Node | undefined): Promise<Node[]> {
    if (parent === undefined) {
      const all = [...this.catalogue.servers.values()].map(serverNode);
      if (this.words === "") {
        return all;
      }
      const keeps = await Promise.all(all.map((node) => this.serverMatches(node)));
      return all.filter((_, index) => keeps[index]);
    }
    if (parent.kind === "server") {
      const groups = serverChildren(parent.status);
      if (this.words === "" || matches(parent, this.words)) {
        return groups;
      }
      const contents = await Promise.all(groups.map((group) => this.contents(group)));
      return groups.filter((_, index) => (contents[index]?.length ?? 0) > 0);
    }
    this.drawn.add(parent.id);
    return parent.kind === "group" ? this.contents(parent) : [];
  }

  private async serverMatches(node: Node): Promise<boolean> {
    if (node.kind !== "server" || matches(node, this.words)) {
      return node.kind === "server";
    }
    const contents = await Promise.all(serverChildren(node.status).map((group) => this.contents(group)));
    return contents.some((list) => list.length > 0);
  }

  /** What is in a group, less what the filter takes away. */
  private async contents(group: Node): Promise<Node[]> {
    if (group.kind !== "group") {
      return [];
    }
    let nodes: Node[];
    try {
      const offer = await this.catalogue.settled(group.server, group.group);
      nodes = groupChildren(group.server, group.group, offer, group.problem);
    } catch (error) {
      nodes = groupChildren(group.server, group.group, {}, error instanceof Error ? error.message : String(error));
    }
    const status = this.catalogue.servers.get(group.server);
    const whole = this.words === "" || (status !== undefined && matches(serverNode(status), this.words));
    return whole ? nodes : nodes.filter((node) => matches(node, this.words));
  }

  /** The node that VS Code already has for this id, with its new content: so that it can be named in a refresh. */
  private kept(node: Node): Node {
    const before = this.nodes.get(node.id);
    if (before === undefined) {
      this.nodes.set(node.id, node);
      return node;
    }
    return Object.assign(before, node);
  }

  /** Redraws what has changed, in one go for what comes together. */
  private refresh({ top, servers, lists }: Change): void {
    this.stale.top ||= top || this.words !== "";
    servers.forEach((server) => this.stale.ids.add(`server:${server}`));
    lists.forEach(({ server, group }) => this.stale.ids.add(`${group}:${server}`));
    this.timer ??= setTimeout(() => void this.redraw(), TOGETHER);
  }

  private async redraw(): Promise<void> {
    this.timer = undefined;
    const { top, ids } = this.stale;
    this.stale = { top: false, ids: new Set() };
    if (top) {
      this.change.fire(undefined);
      return;
    }
    const stale = [...ids].flatMap((id) => this.nodes.get(id) ?? []);
    const servers = new Set(stale.flatMap((node) => (node.kind === "server" ? node.status.server : [])));
    await Promise.all([...servers].map((server) => this.foresee(server)));
    for (const node of stale) {
      if (node.kind === "server") {
        node.status = this.catalogue.servers.get(node.status.server) ?? node.status;
        this.change.fire(node);
      } else if (!servers.has(node.server)) {
        this.change.fire(node);
      }
    }
  }

  /** Reads the lists that VS Code is going to ask for, so that the tree is not without its nodes while they come. */
  private async foresee(server: string): Promise<void> {
    const status = this.catalogue.servers.get(server);
    const shown = GROUPS.filter((group) => this.drawn.has(`${group}:${server}`));
    if (status?.state === "ready") {
      await Promise.allSettled(shown.map((group) => this.catalogue.settled(server, group)));
    }
  }
}

/** Milliseconds in which changes are drawn together: a tool that is switched off changes a list and a count. */
const TOGETHER = 30;
const GROUPS: readonly Group[] = ["tools", "resources", "prompts"];

const COLLAPSE = {
  leaf: vscode.TreeItemCollapsibleState.None,
  closed: vscode.TreeItemCollapsibleState.Collapsed,
  open: vscode.TreeItemCollapsibleState.Expanded,
};

const ON_CLICK: Partial<Record<Node["kind"], string>> = {
  tool: "runTool",
  resource: "readResource",
  template: "readResource",
  prompt: "usePrompt",
};

// What the servers offer, as last heard: statuses by event, lists read once and dropped when they change.

import * as vscode from "vscode";

import type { Client } from "./client";
import { difference } from "./model/change";
import type { Group, Offer } from "./model/tree";
import type { ConfigFile, Prompt, ServerStatus, Tool } from "./protocol";

export interface Change {
  /** The set of servers is another one. */
  top: boolean;
  /** Servers whose status has changed. */
  servers: readonly string[];
  /** Lists that are others now. */
  lists: readonly { server: string; group: Group }[];
}

export class Catalogue implements vscode.Disposable {
  private readonly change = new vscode.EventEmitter<Change>();
  private known = new Map<string, ServerStatus>();
  private lists = new Map<string, Promise<Offer>>();
  private generation = 0;
  private redraw = false;

  readonly onDidChange = this.change.event;
  files: readonly ConfigFile[] = [];

  constructor(private readonly client: Client) {
    client.onNotification("codeagent/statusChanged", ({ servers }) => void this.heard(servers));
    client.onNotification("codeagent/toolsChanged", ({ server, added, changed }) => {
      this.drop(server, "tools");
      if (added.length + changed.length === 0) {
        void this.recheck(); // the server itself may have gone
      }
    });
    client.onNotification("codeagent/resourcesChanged", ({ server }) => this.drop(server, "resources"));
    client.onNotification("codeagent/promptsChanged", ({ server }) => this.drop(server, "prompts"));
  }

  get servers(): ReadonlyMap<string, ServerStatus> {
    return this.known;
  }

  /** Reads everything anew; forgets all when the server is not running. */
  async reload(): Promise<void> {
    this.lists.clear();
    await this.read(true);
  }

  tools(server: string): Promise<readonly Tool[]> {
    return this.list(server, "tools").then((offer) => offer.tools ?? []);
  }

  prompts(server: string): Promise<readonly Prompt[]> {
    return this.list(server, "prompts").then((offer) => offer.prompts ?? []);
  }

  /** One list of one server; read at most once until it changes. */
  list(server: string, group: Group): Promise<Offer> {
    const key = `${group}:${server}`;
    let list = this.lists.get(key);
    if (list === undefined) {
      list = this.listing(server, group);
      this.lists.set(key, list);
      list.catch(() => this.lists.get(key) === list && this.lists.delete(key));
    }
    return list;
  }

  /** One list as it is once nothing newer is on its way: so that an old answer never overtakes a new one. */
  async settled(server: string, group: Group): Promise<Offer> {
    for (;;) {
      const list = this.list(server, group);
      // oxlint-disable-next-line no-await-in-loop
      const offer = await list;
      if (this.list(server, group) === list) {
        return offer;
      }
    }
  }

  /** Every tool of every server that is ready. */
  async allTools(): Promise<Tool[]> {
    const ready = [...this.known.values()].filter((status) => status.state === "ready" && status.tools > 0);
    const lists = await Promise.all(ready.map((status) => this.tools(status.server).catch(() => [])));
    return lists.flat();
  }

  dispose(): void {
    this.change.dispose();
  }

  private async listing(server: string, group: Group): Promise<Offer> {
    if (group === "tools") {
      const { tools } = await this.client.request("codeagent.listTools", { server, includeDisabled: true });
      return { tools: tools.filter((tool) => tool.kind === "tool") };
    }
    if (group === "resources") {
      return this.client.request("codeagent.listResources", { server });
    }
    return this.client.request("codeagent.listPrompts", { server });
  }

  private async heard(changed: readonly ServerStatus[]): Promise<void> {
    if (changed.length === 0 || changed.some((status) => !this.known.has(status.server))) {
      await this.recheck(); // servers came or went, and so may have files
      return;
    }
    this.replace(new Map([...this.known, ...changed.map((status) => [status.server, status] as const)]), false);
  }

  /** Reads which servers there are; lists that are known stay, and so does the tree where nothing is new. */
  private recheck(): Promise<void> {
    return this.read(false).catch(() => undefined);
  }

  private async read(all: boolean): Promise<void> {
    this.redraw ||= all;
    this.generation += 1;
    const generation = this.generation;
    let servers: ServerStatus[] = [];
    if (this.client.state === "running") {
      const status = await this.client.request("codeagent.status", {});
      if (generation !== this.generation) {
        return; // a later reading is on its way
      }
      servers = status.servers;
      this.files = status.files;
    }
    const whole = this.redraw;
    this.redraw = false;
    this.replace(new Map(servers.map((status) => [status.server, status])), whole);
  }

  private replace(next: Map<string, ServerStatus>, all: boolean): void {
    const found = difference(this.known, next);
    for (const [server, status] of next) {
      const before = this.known.get(server);
      if (before?.state !== status.state || before.startedAt !== status.startedAt) {
        this.forget(server);
      }
    }
    this.known = next;
    if (all || found.top || found.servers.length > 0) {
      this.change.fire({ top: all || found.top, servers: found.servers, lists: [] });
    }
  }

  private drop(server: string, group: Group): void {
    this.lists.delete(`${group}:${server}`);
    this.change.fire({ top: false, servers: [], lists: [{ server, group }] });
  }

  private forget(server: string): void {
    for (const group of ["tools", "resources", "prompts"]) {
      this.lists.delete(`${group}:${server}`);
    }
  }
}

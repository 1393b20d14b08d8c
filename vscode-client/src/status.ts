// The status bar item: how many servers are ready, wait or failed; a click lists them.

import * as vscode from "vscode";

import type { Catalogue } from "./catalogue";
import type { Client } from "./client";
import { tally } from "./model/change";
import { serverDetail } from "./model/words";
import { counted, oneLine } from "./text";

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("codeagentMcp.status", vscode.StatusBarAlignment.Left, -10);
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly client: Client,
    private readonly catalogue: Catalogue,
  ) {
    this.item.name = "CodeAgent MCP";
    this.item.command = "codeagentMcp.listServers";
    this.subscriptions = [
      this.item,
      client.onDidChangeState(() => this.draw()),
      catalogue.onDidChange(() => this.draw()),
    ];
    this.draw();
    this.item.show();
  }

  get text(): string {
    return this.item.text;
  }

  dispose(): void {
    this.subscriptions.forEach((subscription) => subscription.dispose());
  }

  private draw(): void {
    const { text, tooltip, background } = statusText(this.client.state, this.client.problem, this.catalogue);
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.backgroundColor = background === undefined ? undefined : new vscode.ThemeColor(background);
    this.item.accessibilityInformation = { label: `CodeAgent MCP: ${tooltip.split("\n", 1)[0] ?? ""}` };
  }
}

function statusText(
  state: Client["state"],
  problem: string | undefined,
  catalogue: Catalogue,
): { text: string; tooltip: string; background?: string } {
  switch (state) {
    case "installing":
      return { text: "$(loading~spin) MCP", tooltip: "Installing the language server" };
    case "off":
    case "starting":
      return { text: "$(loading~spin) MCP", tooltip: "The language server is starting" };
    case "failed":
      return {
        text: "$(error) MCP",
        tooltip: `The language server is not running: ${oneLine(problem ?? "")}`,
        background: "statusBarItem.errorBackground",
      };
    case "running": {
      const servers = [...catalogue.servers.values()];
      const counts = tally(servers);
      const parts = [`$(plug) ${counts.ready}`];
      if (counts.starting > 0) {
        parts.push(`$(loading~spin) ${counts.starting}`);
      }
      if (counts.waiting > 0) {
        parts.push(`$(shield) ${counts.waiting}`);
      }
      if (counts.failed > 0) {
        parts.push(`$(error) ${counts.failed}`);
      }
      const summary = `${counted(counts.ready, "MCP server")} ready, ${counts.starting} starting, ${counts.waiting} waiting for you, ${counts.failed} failed`;
      const each = servers.map(
        (status) =>
          `${oneLine(status.server, 40)}: ${status.state === "ready" ? "ready, " : ""}${serverDetail(status)}`,
      );
      return { text: parts.join(" "), tooltip: [summary, ...each.slice(0, 20)].join("\n") };
    }
  }
}

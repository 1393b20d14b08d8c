// The sidebar's list of standing approvals, each of which can be taken back.

import * as vscode from "vscode";

import type { Client } from "./client";
import type { Approval } from "./protocol";
import { oneLine, visible } from "./text";

const SCOPES: Record<string, string> = {
  session: "in this session",
  workspace: "in this workspace",
  always: "always",
  deny: "never",
  denied: "never",
};

export class ApprovalsView implements vscode.TreeDataProvider<Approval>, vscode.Disposable {
  private readonly change = new vscode.EventEmitter<undefined>();
  private readonly view: vscode.TreeView<Approval>;

  readonly onDidChangeTreeData = this.change.event;

  constructor(private readonly client: Client) {
    this.view = vscode.window.createTreeView("codeagentMcp.approvals", { treeDataProvider: this });
    this.view.onDidChangeVisibility(({ visible: shown }) => shown && this.refresh());
  }

  refresh(): void {
    this.change.fire(undefined);
  }

  async getChildren(parent?: Approval): Promise<Approval[]> {
    if (parent !== undefined || this.client.state !== "running") {
      return [];
    }
    const { approvals } = await this.client.request("codeagent.listApprovals", {});
    return approvals;
  }

  getTreeItem(approval: Approval): vscode.TreeItem {
    const denied = approval.scope.startsWith("den");
    const what = approval.kind === "server" ? "may start" : "may run";
    const label =
      approval.tool === undefined ? oneLine(approval.server) : oneLine(`${approval.server}: ${approval.tool}`);
    const item = new vscode.TreeItem(label);
    item.id = approval.id;
    item.description = denied ? "refused" : `${what} ${SCOPES[approval.scope] ?? oneLine(approval.scope)}`;
    item.tooltip = visible(`${label}\n${item.description}\nsince ${approval.since}`);
    item.contextValue = ";approval;";
    item.iconPath = new vscode.ThemeIcon(
      denied ? "circle-slash" : approval.kind === "server" ? "server-process" : "tools",
    );
    return item;
  }

  dispose(): void {
    this.view.dispose();
    this.change.dispose();
  }
}

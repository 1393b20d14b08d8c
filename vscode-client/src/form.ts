// A panel with a form in it: a webview that may run its own script and nothing else, and sends typed messages.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

import type { FromForm, ToForm } from "./webview/messages";

export class FormPanel implements vscode.Disposable {
  private readonly panel: vscode.WebviewPanel;
  private readonly end = new vscode.EventEmitter<void>();
  private readonly received = new vscode.EventEmitter<FromForm>();

  readonly onDidDispose = this.end.event;
  readonly onMessage = this.received.event;

  constructor(extension: vscode.Uri, title: string, column: vscode.ViewColumn = vscode.ViewColumn.Active) {
    const root = vscode.Uri.joinPath(extension, "dist");
    this.panel = vscode.window.createWebviewPanel("codeagentMcp.form", title, column, {
      enableScripts: true,
      enableForms: true,
      enableCommandUris: false,
      retainContextWhenHidden: true,
      localResourceRoots: [root],
    });
    this.panel.iconPath = vscode.Uri.joinPath(extension, "media", "form.svg");
    this.panel.webview.html = page(this.panel.webview, root);
    this.panel.webview.onDidReceiveMessage((message: FromForm) => this.received.fire(message));
    this.panel.onDidDispose(() => {
      this.end.fire();
      this.end.dispose();
      this.received.dispose();
    });
  }

  post(message: ToForm): void {
    void this.panel.webview.postMessage(message);
  }

  reveal(): void {
    this.panel.reveal();
  }

  dispose(): void {
    this.panel.dispose();
  }
}

function page(webview: vscode.Webview, root: vscode.Uri): string {
  const nonce = randomBytes(16).toString("base64");
  const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(root, name)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    "img-src data:",
    "media-src data:",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-src 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>CodeAgent MCP</title>
    <link rel="stylesheet" href="${file("webview.css")}">
  </head>
  <body>
    <main id="root"></main>
    <script nonce="${nonce}" src="${file("webview.js")}"></script>
  </body>
</html>`;
}

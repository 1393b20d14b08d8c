// Where VS Code comes in: makes the extension, and hands out its API.

import type * as vscode from "vscode";

import type { CodeAgentMcp } from "./api";
import { Extension } from "./extension";

let extension: Extension | undefined;

export function activate(context: vscode.ExtensionContext): CodeAgentMcp {
  performance.mark("codeagent.activate");
  extension = new Extension(context);
  extension.start();
  return extension.api;
}

export async function deactivate(): Promise<void> {
  await extension?.stop();
}

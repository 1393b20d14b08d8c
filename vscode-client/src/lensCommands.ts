// The commands behind lenses and actions of the language server that only an editor can carry out.

import * as vscode from "vscode";
import type { Range } from "vscode-languageclient";

import { expanded } from "./model/expand";
import type { Parts } from "./parts";

/** What the server is told that this client can do, besides answering questions: these commands, and icons in lenses. */
export const LENS_FEATURES = ["icons", "codeagent.showLog", "codeagent.copyExpanded", "codeagent.compareResults"];

type Lens = (argument: never) => Promise<unknown>;

export function registerLensCommands({ client, logs }: Parts): vscode.Disposable[] {
  const commands: Record<string, Lens> = {
    "codeagent.showLog": ({ server }: { server: string }) => logs.show(server),
    "codeagent.compareResults": ({ left, right }: { left: string; right: string }) =>
      Promise.resolve(vscode.commands.executeCommand("vscode.diff", vscode.Uri.parse(left), vscode.Uri.parse(right))),
    "codeagent.copyExpanded": async ({ textDocument, range }: { textDocument: { uri: string }; range: Range }) => {
      const { start, end } = range;
      const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(textDocument.uri));
      const text = document.getText(new vscode.Range(start.line, start.character, end.line, end.character));
      const { mentions } = await client.request("codeagent.resolveMentions", { textDocument, range });
      await vscode.env.clipboard.writeText(expanded(text, mentions));
      vscode.window.setStatusBarMessage("CodeAgent MCP: copied with what is mentioned", 3000);
    },
  };
  return Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run));
}

// The config files: opening them at an entry, making a first one, adding to one, importing from other tools.

import * as vscode from "vscode";
import type { WorkspaceEdit } from "vscode-languageclient";

import type { Client } from "./client";
import { IMPORTABLE, NEW_CONFIGURATION, NEW_ENTRIES } from "./model/scaffold";
import { pickFrom } from "./pick";
import type { ConfigFile, ServerStatus } from "./protocol";
import { forNotification } from "./text";

const PROJECT_FILE = ".codeagent/mcp.json";
const MAPS = ["mcpServers", "servers", "mcp_servers"];

export class Configuration {
  constructor(
    private readonly client: Client,
    private readonly files: () => readonly ConfigFile[],
  ) {}

  /** The entry of a server, in the file that declares it. */
  async showEntry(status: ServerStatus): Promise<void> {
    const editor = await vscode.window.showTextDocument(vscode.Uri.parse(status.configUri));
    const symbols = await symbolsOf(editor.document);
    const entries = symbols.filter(({ name }) => MAPS.includes(name)).flatMap(({ children }) => children);
    const entry = entries.find(({ name }) => name === status.name);
    if (entry !== undefined) {
      editor.selection = new vscode.Selection(entry.selectionRange.start, entry.selectionRange.start);
      editor.revealRange(entry.range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  /** The workspace's own file; a new one is explained and has a server that works. */
  async openProject(): Promise<vscode.TextEditor | undefined> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const [first] = folders;
    if (first === undefined) {
      void vscode.window.showInformationMessage("CodeAgent MCP: open a folder first, or use your own configuration.");
      return undefined;
    }
    const folder = folders.length === 1 ? first : await vscode.window.showWorkspaceFolderPick();
    return folder === undefined ? undefined : openOrCreate(vscode.Uri.joinPath(folder.uri, PROJECT_FILE));
  }

  /** The user's own file, which applies to every workspace. */
  async openUser(): Promise<vscode.TextEditor | undefined> {
    const mine = this.files().filter(({ scope }) => scope === "user");
    const file = mine.find((one) => one.exists && one.uri.endsWith("/mcp.json")) ?? mine.find((one) => one.exists);
    const target = file ?? mine.find(({ uri }) => uri.endsWith("/mcp.json"));
    if (target === undefined) {
      void vscode.window.showInformationMessage("CodeAgent MCP: the language server is not running yet.");
      return undefined;
    }
    return openOrCreate(vscode.Uri.parse(target.uri));
  }

  /** Adds an entry, as a snippet to be filled in. */
  async addServer(): Promise<void> {
    const kind = await pickFrom(
      "CodeAgent MCP: Add Server",
      [
        {
          label: "$(terminal) A program",
          description: "started by a command, spoken to over stdio",
          value: "command" as const,
        },
        { label: "$(globe) An address", description: "reached over HTTP", value: "url" as const },
      ],
      "",
    );
    const place = kind && (await this.pickPlace());
    const editor = place && (await (place === "project" ? this.openProject() : this.openUser()));
    if (kind === undefined || editor === undefined) {
      return;
    }
    const symbols = await symbolsOf(editor.document);
    const map = symbols.find(({ name }) => MAPS.includes(name));
    const brace =
      map === undefined ? -1 : editor.document.getText().indexOf("{", editor.document.offsetAt(map.range.start));
    if (brace < 0) {
      void vscode.window.showWarningMessage("CodeAgent MCP: this file has no “mcpServers” to add to.");
      return;
    }
    await editor.insertSnippet(new vscode.SnippetString(NEW_ENTRIES[kind]), editor.document.positionAt(brace + 1));
  }

  /** Servers of another tool's file, as an edit that is shown and not saved. */
  async importServers(): Promise<void> {
    const found = await importable();
    const items = found.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), value: uri }));
    const nothing = `there is none of ${IMPORTABLE.join(", ")} in this workspace.`;
    const file = items.length === 1 ? found[0] : await pickFrom("CodeAgent MCP: Import Servers from", items, nothing);
    if (file === undefined) {
      return;
    }
    const { edit, notes } = await this.client.request("codeagent.importConfig", { uri: file.toString() });
    const converted = await this.client.converter?.asWorkspaceEdit(edit as WorkspaceEdit);
    if (converted === undefined || !(await vscode.workspace.applyEdit(converted))) {
      void vscode.window.showErrorMessage("CodeAgent MCP: the servers could not be written into the configuration.");
      return;
    }
    const [target] = converted.entries().map(([uri]) => uri);
    if (target !== undefined) {
      await vscode.window.showTextDocument(target);
    }
    const said = ["Imported. Read it, then save: nothing starts before you approve it.", ...notes];
    void vscode.window.showInformationMessage(`CodeAgent MCP: ${forNotification(said.join("\n"), 1500)}`);
  }

  private async pickPlace(): Promise<"project" | "user" | undefined> {
    if ((vscode.workspace.workspaceFolders ?? []).length === 0) {
      return "user";
    }
    return pickFrom(
      "CodeAgent MCP: Add Server to",
      [
        { label: "$(folder) This workspace", description: "for everybody who opens it", value: "project" as const },
        {
          label: "$(account) Your own configuration",
          description: "for you, in every workspace",
          value: "user" as const,
        },
      ],
      "",
    );
  }
}

/** The files of other tools that are there. */
export async function importable(): Promise<vscode.Uri[]> {
  const candidates = (vscode.workspace.workspaceFolders ?? []).flatMap((folder) =>
    IMPORTABLE.map((name) => vscode.Uri.joinPath(folder.uri, name)),
  );
  const there = await Promise.all(candidates.map(exists));
  return candidates.filter((_, index) => there[index]);
}

async function openOrCreate(uri: vscode.Uri): Promise<vscode.TextEditor> {
  if (!(await exists(uri))) {
    await vscode.workspace.fs.writeFile(uri, Buffer.from(NEW_CONFIGURATION, "utf8"));
  }
  return vscode.window.showTextDocument(uri);
}

function exists(uri: vscode.Uri): Promise<boolean> {
  return Promise.resolve(vscode.workspace.fs.stat(uri)).then(
    () => true,
    () => false,
  );
}

async function symbolsOf(document: vscode.TextDocument): Promise<vscode.DocumentSymbol[]> {
  const found = await vscode.commands.executeCommand<vscode.DocumentSymbol[] | undefined>(
    "vscode.executeDocumentSymbolProvider",
    document.uri,
  );
  return (found ?? []).filter((symbol) => "children" in symbol);
}

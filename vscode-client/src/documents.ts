// Read-only documents: resources (`codeagent://`, served by the language server), and kept results of tools.

import * as vscode from "vscode";

import type { ReadResource } from "./protocol";

const RESULTS = "codeagent-result";
const KEPT = 40;

export class Documents implements vscode.Disposable {
  private readonly files = new Map<string, { bytes: Uint8Array; at: number }>();
  private readonly fileChange = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  private readonly subscriptions: vscode.Disposable[];
  private count = 0;

  constructor() {
    const options = { isReadonly: true, isCaseSensitive: true };
    this.subscriptions = [
      this.fileChange,
      vscode.workspace.registerFileSystemProvider(RESULTS, this.fileSystem(), options),
    ];
  }

  /** Opens a resource: text as the server's own document, anything else with the editor that fits its name. */
  async open(read: ReadResource): Promise<void> {
    const [first] = read.contents;
    if (read.contents.length === 1 && first?.blob !== undefined && first.text === undefined) {
      const name = decodeURIComponent(read.documentUri.split("/").at(-1) ?? "") || "resource";
      await vscode.commands.executeCommand("vscode.open", this.keep(name, Buffer.from(first.blob, "base64")));
      return;
    }
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(read.documentUri));
    await vscode.window.showTextDocument(document, { preview: true });
  }

  /** Keeps some bytes as a read-only file of this name, for this session. */
  keep(name: string, bytes: Uint8Array): vscode.Uri {
    const safe = name
      .replaceAll(/[^\p{L}\p{N}._ -]/gu, "_")
      .replace(/^\.+/, "_")
      .slice(-100);
    const uri = vscode.Uri.from({ scheme: RESULTS, path: `/${(this.count += 1)}/${safe}` });
    this.files.set(uri.path, { bytes, at: Date.now() });
    for (const path of [...this.files.keys()].slice(0, -KEPT)) {
      this.files.delete(path);
    }
    return uri;
  }

  keepText(name: string, text: string): vscode.Uri {
    return this.keep(name, Buffer.from(text, "utf8"));
  }

  dispose(): void {
    this.subscriptions.forEach((subscription) => subscription.dispose());
  }

  private fileSystem(): vscode.FileSystemProvider {
    const refuse = (): never => {
      throw vscode.FileSystemError.NoPermissions("Results of tools cannot be changed.");
    };
    const file = (uri: vscode.Uri): { bytes: Uint8Array; at: number } => {
      const found = this.files.get(uri.path);
      if (found === undefined) {
        throw vscode.FileSystemError.FileNotFound(uri);
      }
      return found;
    };
    return {
      onDidChangeFile: this.fileChange.event,
      watch: () => new vscode.Disposable(() => undefined),
      stat: (uri) => {
        const { bytes, at } = file(uri);
        return { type: vscode.FileType.File, ctime: at, mtime: at, size: bytes.byteLength };
      },
      readFile: (uri) => file(uri).bytes,
      readDirectory: () => [],
      createDirectory: refuse,
      writeFile: refuse,
      delete: refuse,
      rename: refuse,
    };
  }
}

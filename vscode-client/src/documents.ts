// Read-only documents: the resources of servers (`codeagent://`), and results of tools that are opened or compared.

import * as vscode from "vscode";

import type { Client } from "./client";
import type { ReadResource } from "./protocol";

const RESULTS = "codeagent-result";
const KEPT = 40;

export class Documents implements vscode.Disposable {
  private readonly files = new Map<string, { bytes: Uint8Array; at: number }>();
  private readonly fileChange = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  private readonly resourceChange = new vscode.EventEmitter<vscode.Uri>();
  private readonly resources = new Map<string, { server: string; uri: string }>();
  private readonly subscriptions: vscode.Disposable[];
  private provider: vscode.Disposable | undefined;
  private count = 0;

  constructor(private readonly client: Client) {
    client.onNotification("codeagent/resourceUpdated", ({ documentUri }) =>
      this.resourceChange.fire(vscode.Uri.parse(documentUri)),
    );
    this.subscriptions = [
      this.fileChange,
      this.resourceChange,
      vscode.workspace.registerFileSystemProvider(RESULTS, this.fileSystem(), {
        isReadonly: true,
        isCaseSensitive: true,
      }),
      client.onDidChangeState((state) => state === "running" && this.provide()),
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
    const uri = vscode.Uri.parse(read.documentUri);
    this.resources.set(uri.toString(), { server: read.server, uri: read.uri });
    const document = await vscode.workspace.openTextDocument(uri);
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
    this.provider?.dispose();
    this.subscriptions.forEach((subscription) => subscription.dispose());
  }

  /** Our own provider of `codeagent://`, for a server that has none. */
  private provide(): void {
    this.provider?.dispose();
    this.provider = undefined;
    if (this.client.servesDocuments) {
      return;
    }
    this.provider = vscode.workspace.registerTextDocumentContentProvider("codeagent", {
      onDidChange: this.resourceChange.event,
      provideTextDocumentContent: async (uri) => {
        const resource = this.resources.get(uri.toString()) ?? (await this.find(uri));
        if (resource === undefined) {
          throw new Error("No server that is ready lists this resource.");
        }
        const { contents } = await this.client.request("codeagent.readResource", resource);
        return contents.map((part) => part.text ?? `[${part.mimeType}, ${part.size} bytes]`).join("\n\n");
      },
    });
  }

  private async find(uri: vscode.Uri): Promise<{ server: string; uri: string } | undefined> {
    const { resources } = await this.client.request("codeagent.listResources", {});
    return resources.find((resource) => vscode.Uri.parse(resource.documentUri).toString() === uri.toString());
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

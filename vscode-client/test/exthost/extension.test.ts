// The extension in the real extension host, against the real language server and a real MCP server.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";

import * as vscode from "vscode";

import type { CodeAgentMcp } from "../../src/api";

const folder = (): vscode.Uri => vscode.workspace.workspaceFolders?.[0]?.uri ?? assert.fail("there is a folder");
const file = (name: string): vscode.Uri => vscode.Uri.joinPath(folder(), name);

async function until<T>(what: string, probe: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  for (const end = Date.now() + 15_000; ;) {
    // Polling is what this is for.
    // oxlint-disable-next-line no-await-in-loop
    const value = await probe();
    if (value !== undefined && value !== false) {
      return value;
    }
    assert.ok(Date.now() < end, `waited for ${what}`);
    // oxlint-disable-next-line no-await-in-loop
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

describe("the extension", () => {
  let api: CodeAgentMcp;

  before(async () => {
    const extension = vscode.extensions.getExtension<CodeAgentMcp>("codeagent.codeagent-mcp");
    assert.ok(extension);
    api = await extension.activate();
    await api.whenReady();
    await until("the demo server", () =>
      api.listServers().some((server) => server.server === "demo" && server.state === "ready"),
    );
  });

  describe("for other extensions", () => {
    it("lists servers and tools", async () => {
      const tools = await api.listTools("demo");
      assert.ok(tools.some((tool) => tool.name === "mcp__demo__list_notes" && tool.capability === "read"));
    });
    it("calls a tool, with progress", async () => {
      const heard: (string | undefined)[] = [];
      const onProgress = ({ message }: { message?: string }): number => heard.push(message);
      const result = await api.callTool("mcp__demo__count", { steps: 3, seconds: 0.1 }, { onProgress });
      assert.match(result.text, /Counted to 3/);
      assert.ok(heard.length > 0);
    });
    it("cancels a call", async () => {
      const source = new vscode.CancellationTokenSource();
      const call = api.callTool("mcp__demo__count", { steps: 100, seconds: 1 }, { token: source.token });
      setTimeout(() => source.cancel(), 200);
      await assert.rejects(call, vscode.CancellationError);
    });
    it("says in plain words what is wrong, with the kind of failure", async () => {
      await assert.rejects(api.callTool("mcp__demo__lst_notes", {}), (error: Error & { kind?: string }) => {
        assert.equal(error.kind, "unknownTool");
        assert.match(error.message, /list_notes/);
        return true;
      });
    });
    it("reads resources and fills in prompts", async () => {
      const { resources } = await api.listResources("demo");
      const [first] = resources;
      assert.ok(first);
      const { contents } = await api.readResource("demo", first.uri);
      assert.ok((contents[0]?.text ?? "").length > 0);
      const [prompt] = await api.listPrompts("demo");
      assert.ok(prompt);
      assert.match((await api.getPrompt("demo", prompt.name, { name: "readme" })).text, /Review the note/);
    });
    it("tells when tools change", async () => {
      const told = new Promise<string>((resolve) => api.onDidChangeTools(({ server }) => resolve(server)));
      await api.callTool("mcp__demo__add_tool", {});
      assert.equal(await told, "demo");
      assert.ok((await api.listTools("demo")).some((tool) => tool.tool === "extra_1"));
    });
    it("has the language server's own commands too", async () => {
      const status = await vscode.commands.executeCommand<{ servers: unknown[] }>("codeagent.status", {});
      assert.ok(status.servers.length > 0);
    });
  });

  describe("in the editor", () => {
    it("registers every command of the manifest", async () => {
      const known = new Set(await vscode.commands.getCommands(true));
      const manifest = vscode.extensions.getExtension("codeagent.codeagent-mcp")?.packageJSON as {
        contributes: { commands: { command: string }[] };
      };
      assert.deepEqual(
        manifest.contributes.commands.filter(({ command }) => !known.has(command)),
        [],
      );
    });
    it("completes mentions in any text", async () => {
      const document = await vscode.workspace.openTextDocument({ language: "markdown", content: "see @demo:" });
      const list = await vscode.commands.executeCommand<vscode.CompletionList>(
        "vscode.executeCompletionItemProvider",
        document.uri,
        new vscode.Position(0, 10),
        ":",
      );
      const labels = list.items.map(({ label }) => (typeof label === "string" ? label : label.label));
      assert.ok(
        labels.some((label) => label.includes("note://")),
        labels.join(),
      );
    });
    it("links mentions to documents of ours, and opens them", async () => {
      const document = await vscode.workspace.openTextDocument({
        language: "markdown",
        content: "@demo:note://readme",
      });
      const links = await until("the link", async () => {
        const found = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
          "vscode.executeLinkProvider",
          document.uri,
          9,
        );
        return found.length > 0 && found;
      });
      const target = links[0]?.target;
      assert.equal(target?.scheme, "codeagent");
      const opened = await vscode.workspace.openTextDocument(target);
      assert.ok(opened.getText().length > 0);
    });
    it("explains a mention as data: no trusted Markdown, no HTML", async () => {
      const document = await vscode.workspace.openTextDocument({
        language: "markdown",
        content: "@demo:note://readme",
      });
      const hovers = await until("the hover", async () => {
        const found = await vscode.commands.executeCommand<vscode.Hover[]>(
          "vscode.executeHoverProvider",
          document.uri,
          new vscode.Position(0, 3),
        );
        return found.length > 0 && found;
      });
      for (const part of hovers.flatMap((hover) => hover.contents)) {
        assert.ok(!(part instanceof vscode.MarkdownString) || (part.isTrusted !== true && part.supportHtml !== true));
      }
    });
    it("checks config files, and knows them as JSON with comments", async () => {
      const uri = file(".codeagent/mcp.json");
      await vscode.workspace.fs.writeFile(uri, Buffer.from('// ours\n{ "mcpServers": { "x": { "comand": "y" } } }\n'));
      const document = await vscode.workspace.openTextDocument(uri);
      assert.equal(document.languageId, "jsonc");
      await until("the diagnostic", () =>
        vscode.languages.getDiagnostics(uri).some(({ message }) => message.includes("command")),
      );
      await vscode.workspace.fs.delete(uri);
    });
  });

  it("costs little before the language client starts", () => {
    const [activation] = performance.getEntriesByName("codeagent.activation");
    assert.ok(activation !== undefined);
    const figures = process.env["CODEAGENT_FIGURES"];
    if (figures !== undefined) {
      writeFileSync(figures, JSON.stringify({ activation: activation.duration }));
    }
    assert.ok(activation.duration < 500, `${activation.duration} ms`); // 50 ms on a quiet machine: see the benchmark
  });

  it("starts the language server anew", async () => {
    await vscode.commands.executeCommand("codeagentMcp.restartLanguageServer");
    await api.whenReady();
    await until("the demo server", () =>
      api.listServers().some(({ server, state }) => server === "demo" && state === "ready"),
    );
    assert.ok((await api.listTools("demo")).length > 0);
  });
});

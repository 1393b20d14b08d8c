// Runs tools by hand: one panel per tool, with its past arguments, the call's progress, and its result.

import * as vscode from "vscode";

import { HostError, type Client } from "./client";
import type { Documents } from "./documents";
import { FormPanel } from "./form";
import { label, remember, type PastRun } from "./model/history";
import { asDocument, parts, table } from "./model/result";
import { forForm, parseArguments } from "./model/schema";
import { APPROVALS, CAPABILITIES } from "./model/words";
import type { CallResult, JsonObject, Tool } from "./protocol";
import { forNotification, oneLine, visible } from "./text";
import type { FromForm, ResultShown, Shown } from "./webview/messages";

const BIGGEST_TREE = 1_000_000;

export class ToolForms implements vscode.Disposable {
  private readonly open = new Map<string, ToolForm>();

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly client: Client,
    private readonly documents: Documents,
  ) {}

  /** Shows a tool's form; one that is open already is only brought to the front. */
  show(tool: Tool, filled: JsonObject = {}): void {
    const already = this.open.get(tool.name);
    if (already !== undefined) {
      already.update(tool);
      already.reveal();
      return;
    }
    const form = new ToolForm(this.context, this.client, this.documents, tool, filled);
    this.open.set(tool.name, form);
    form.onDidDispose(() => this.open.delete(tool.name));
  }

  /** Tools of a server have changed: forms that are open show the new definition. */
  refresh(tools: readonly Tool[]): void {
    tools.forEach((tool) => this.open.get(tool.name)?.update(tool));
  }

  dispose(): void {
    this.open.forEach((form) => form.dispose());
  }
}

class ToolForm implements vscode.Disposable {
  private readonly panel: FormPanel;
  private running: vscode.CancellationTokenSource | undefined;
  private readonly results: CallResult[] = [];

  readonly onDidDispose: vscode.Event<void>;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly client: Client,
    private readonly documents: Documents,
    private tool: Tool,
    private readonly filled: JsonObject,
  ) {
    this.panel = new FormPanel(context.extensionUri, oneLine(`${tool.server}: ${tool.title ?? tool.tool}`, 60));
    this.onDidDispose = this.panel.onDidDispose;
    this.panel.onMessage((message) => void this.handle(message));
    this.onDidDispose(() => this.running?.cancel());
  }

  update(tool: Tool): void {
    if (JSON.stringify(tool) !== JSON.stringify(this.tool)) {
      this.tool = tool;
      this.show();
    }
  }

  reveal(): void {
    this.panel.reveal();
  }

  dispose(): void {
    this.panel.dispose();
  }

  private async handle(message: FromForm): Promise<void> {
    switch (message.type) {
      case "ready":
        this.show();
        break;
      case "run":
        await this.run(message.text, message.arguments);
        break;
      case "cancel":
        this.running?.cancel();
        break;
      case "copy":
        await this.copy();
        break;
      case "open":
        await this.openResult();
        break;
      case "compare":
        await this.compare();
        break;
      case "clearHistory":
        await this.context.workspaceState.update(this.historyKey, undefined);
        this.panel.post({ type: "history", history: [] });
        break;
      case "readLink":
        await this.readLink(message.uri);
        break;
      case "answer":
        break; // only asked of a form that is an answer
    }
  }

  private show(): void {
    const { tool } = this;
    const { schema, ui } = forForm(tool.inputSchema);
    const shown: Shown = {
      mode: "tool",
      title: oneLine(tool.title ?? tool.tool),
      subtitle: `${oneLine(tool.tool)} of ${oneLine(tool.server)} — ${CAPABILITIES[tool.capability].word}, ${APPROVALS[tool.approval]}`,
      said: visible(tool.description, { limit: 4000 }),
      schema,
      ui,
      arguments: this.filled,
      history: this.historyShown(),
    };
    this.panel.post({ type: "show", ...shown });
  }

  private async run(text: string | undefined, given: JsonObject): Promise<void> {
    if (this.running !== undefined) {
      return;
    }
    let arguments_: JsonObject;
    try {
      arguments_ = text === undefined ? given : parseArguments(text);
    } catch (error) {
      this.panel.post({ type: "failed", message: `The arguments are not right: ${(error as Error).message}.` });
      return;
    }
    const source = new vscode.CancellationTokenSource();
    this.running = source;
    this.panel.post({ type: "running" });
    await this.keepInHistory(arguments_);
    try {
      const call = { server: this.tool.server, tool: this.tool.tool, arguments: arguments_ };
      const result = await this.client.request("codeagent.callTool", call, {
        token: source.token,
        onProgress: ({ message, percentage }) =>
          this.panel.post({
            type: "progress",
            message: message === undefined ? "" : oneLine(message),
            ...(percentage === undefined ? {} : { percentage }),
          }),
      });
      this.results.push(result);
      this.results.splice(0, this.results.length - 2);
      this.panel.post({ type: "result", result: resultShown(result, this.results.length > 1) });
    } catch (error) {
      this.failed(error);
    } finally {
      this.running = undefined;
      source.dispose();
    }
  }

  private failed(error: unknown): void {
    if (error instanceof vscode.CancellationError) {
      this.panel.post({ type: "cancelled" });
      return;
    }
    const message = error instanceof Error ? visible(error.message, { limit: 4000 }) : String(error);
    const hints = error instanceof HostError ? [error.hint, error.mayHaveTakenEffect ? MAYBE : undefined] : [];
    const hint = hints.filter((part) => part !== undefined && !message.includes(part)).join(" ");
    this.panel.post({ type: "failed", message, ...(hint === "" ? {} : { hint: visible(hint) }) });
  }

  private async copy(): Promise<void> {
    const result = this.results.at(-1);
    if (result !== undefined) {
      await vscode.env.clipboard.writeText(asDocument(result).text);
      vscode.window.setStatusBarMessage("CodeAgent MCP: copied the result", 3000);
    }
  }

  private async openResult(): Promise<void> {
    const result = this.results.at(-1);
    if (result !== undefined) {
      const { name, text } = asDocument(result);
      const document = await vscode.workspace.openTextDocument(this.documents.keepText(name, text));
      await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: false });
    }
  }

  private async compare(): Promise<void> {
    const [before, now] = this.results.map((result) => asDocument(result));
    if (before !== undefined && now !== undefined) {
      const [left, right] = [before, now].map(({ name, text }) => this.documents.keepText(name, text));
      await vscode.commands.executeCommand(
        "vscode.diff",
        left,
        right,
        `${oneLine(this.tool.tool)}: run before ↔ this run`,
      );
    }
  }

  private async readLink(uri: string): Promise<void> {
    try {
      await this.documents.open(await this.client.request("codeagent.readResource", { server: this.tool.server, uri }));
    } catch (error) {
      void vscode.window.showErrorMessage(forNotification(error instanceof Error ? error.message : String(error)));
    }
  }

  private get historyKey(): string {
    return `history:${this.tool.name}`;
  }

  private history(): PastRun[] {
    return this.context.workspaceState.get<PastRun[]>(this.historyKey, []);
  }

  private historyShown(): Shown["history"] {
    return this.history().map((run) => ({
      label: visible(label(run), { newlines: false }),
      when: new Date(run.at).toLocaleString(),
      arguments: run.arguments,
    }));
  }

  private async keepInHistory(arguments_: JsonObject): Promise<void> {
    const size = vscode.workspace.getConfiguration("codeagent").get("toolHistory.size", 20);
    const run = { arguments: arguments_, at: Date.now() };
    await this.context.workspaceState.update(
      this.historyKey,
      remember(this.history(), run, this.tool.inputSchema, size),
    );
    this.panel.post({ type: "history", history: this.historyShown() });
  }
}

const MAYBE = "The call had been sent, so it may have taken effect.";

function resultShown(result: CallResult, canCompare: boolean): ResultShown {
  const structured = result.structuredContent ?? undefined;
  const small = structured === undefined || JSON.stringify(structured).length <= BIGGEST_TREE;
  const asTable = table(structured);
  return {
    isError: result.isError,
    duration: result.durationMs < 1000 ? `${result.durationMs} ms` : `${(result.durationMs / 1000).toFixed(1)} s`,
    warnings: (result.warnings ?? []).map((warning) => visible(warning, { limit: 1000 })),
    parts: parts(result),
    canCompare,
    ...(asTable === undefined ? {} : { table: asTable }),
    ...(structured !== undefined && small ? { structured } : {}),
    ...(small ? {} : { note: "The structured result is too large to be shown here: open it as a document." }),
  };
}

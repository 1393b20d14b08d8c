// One question at a time, in plain text, with "no" as the default: a dialog, or a document and a list where it is long.

import * as vscode from "vscode";

import type { Question } from "./model/questions";

/** What a dialog can show without scrolling on a small screen. */
const DIALOG_LINES = 22;
const DIALOG_WIDTH = 60;
const SCHEME = "codeagent-question";

export interface Choice<T> {
  title: string;
  value: T;
}

export class Asker implements vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly provider: vscode.Disposable;
  private last: Promise<unknown> = Promise.resolve();
  private count = 0;

  constructor() {
    this.provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      provideTextDocumentContent: (uri) => this.texts.get(uri.query) ?? "This question was answered.",
    });
  }

  /**
   * Asks, and gives the value of the choice; `closed` where there was none, as after Escape. The first choice is the one
   * that Enter takes, so it has to be the harmless one. Questions wait for each other; one whose `token` is cancelled
   * before its turn is not shown any more.
   */
  ask<T>(question: Question, closed: T, choices: readonly Choice<T>[], token: vscode.CancellationToken): Promise<T> {
    return this.inTurn(closed, token, async () => {
      const picked = fits(question.text)
        ? await dialog(question, choices)
        : await this.document(question, choices, token);
      if (picked !== undefined && token.isCancellationRequested) {
        void vscode.window.showWarningMessage(
          "CodeAgent MCP: that question had waited too long, and was taken as a no.",
        );
      }
      return picked === undefined || token.isCancellationRequested ? closed : picked.value;
    });
  }

  /** Runs something that asks the user, when no other question is open. */
  inTurn<T>(closed: T, token: vscode.CancellationToken, work: () => Promise<T>): Promise<T> {
    const mine = this.last.then(() => (token.isCancellationRequested ? closed : work()));
    this.last = mine.catch(() => undefined);
    return mine;
  }

  dispose(): void {
    this.provider.dispose();
  }

  private async document<T>(
    question: Question,
    choices: readonly Choice<T>[],
    token: vscode.CancellationToken,
  ): Promise<Choice<T> | undefined> {
    const id = String((this.count += 1));
    this.texts.set(id, `${question.headline}\n\n${question.text}\n`);
    const uri = vscode.Uri.from({ scheme: SCHEME, path: "/CodeAgent MCP asks", query: id });
    const opened = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(opened, "plaintext");
    await vscode.window.showTextDocument(opened, { preview: false, preserveFocus: true });
    try {
      const items = choices.map((choice, index) => ({
        label: `${index === 0 ? "$(close)" : "$(check)"} ${choice.title}`,
        choice,
      }));
      const options = {
        title: question.headline,
        placeHolder: "Read the whole question in the editor, then choose. Escape is a no.",
        ignoreFocusOut: true,
      };
      return (await vscode.window.showQuickPick(items, options, token))?.choice;
    } finally {
      this.texts.delete(id);
      const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
      await vscode.window.tabGroups.close(
        tabs.filter((tab) => tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === uri.toString()),
      );
    }
  }
}

/** Whether a text can be read whole in a dialog. */
export function fits(text: string): boolean {
  const rows = text.split("\n").map((line) => Math.max(1, Math.ceil(line.length / DIALOG_WIDTH)));
  return rows.reduce((sum, count) => sum + count, 0) <= DIALOG_LINES;
}

async function dialog<T>(question: Question, choices: readonly Choice<T>[]): Promise<Choice<T> | undefined> {
  const titles = choices.map((choice) => choice.title);
  const options = { modal: true, detail: question.text };
  const pressed = await vscode.window.showWarningMessage(question.headline, options, ...titles);
  return choices.find((choice) => choice.title === pressed);
}

// Reading, mentioning and following resources, and filling in prompts.

import * as vscode from "vscode";

import type { Catalogue } from "./catalogue";
import type { Client } from "./client";
import type { Documents } from "./documents";
import { fill, variables } from "./model/template";
import { mention } from "./model/result";
import { askArgument, plain, type Readable } from "./pick";
import type { CompletionRef, Prompt } from "./protocol";

export class Resources {
  constructor(
    private readonly client: Client,
    private readonly catalogue: Catalogue,
    private readonly documents: Documents,
  ) {}

  /** Opens a resource; the variables of a template are asked for first. */
  async read(readable: Readable): Promise<void> {
    const uri = await this.uri(readable);
    if (uri === undefined) {
      return;
    }
    const { server } = readable;
    const read = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: `Reading ${plain(uri)}` },
      () => this.client.request("codeagent.readResource", { server, uri }),
    );
    await this.documents.open(read);
  }

  /** The mention of a resource, as the server spells it. */
  async mention(readable: Readable): Promise<string | undefined> {
    if ("resource" in readable) {
      return readable.resource.mention;
    }
    const uri = await this.uri(readable);
    return uri === undefined ? undefined : mention(readable.server, uri);
  }

  async copyMention(readable: Readable): Promise<void> {
    const text = await this.mention(readable);
    if (text !== undefined) {
      await vscode.env.clipboard.writeText(text);
      vscode.window.setStatusBarMessage(`CodeAgent MCP: copied ${plain(text)}`, 3000);
    }
  }

  async insertMention(readable: Readable): Promise<void> {
    const text = await this.mention(readable);
    if (text !== undefined) {
      await insert(text);
    }
  }

  /** Asks for a prompt's arguments, and opens the filled prompt as a new document. */
  async usePrompt(prompt: Prompt): Promise<void> {
    const given: Record<string, string> = {};
    for (const argument of prompt.arguments) {
      const title = `${plain(prompt.title ?? prompt.name)}: ${plain(argument.name)}`;
      const about = plain(argument.description ?? argument.name);
      const complete = this.completer(prompt.server, { prompt: prompt.name }, argument.name, given);
      // One after the other: a value may depend on those before it.
      // oxlint-disable-next-line no-await-in-loop
      const value = await askArgument(title, about, argument.required, complete);
      if (value === undefined) {
        return;
      }
      if (value !== "") {
        given[argument.name] = value;
      }
    }
    const params = { server: prompt.server, name: prompt.name, arguments: given };
    const filled = await this.client.request("codeagent.getPrompt", params);
    const document = await vscode.workspace.openTextDocument({ language: "markdown", content: filled.text });
    await vscode.window.showTextDocument(document);
  }

  private async uri(readable: Readable): Promise<string | undefined> {
    if ("resource" in readable) {
      return readable.resource.uri;
    }
    const { server, template } = readable;
    const values = new Map<string, string>();
    for (const name of variables(template.uriTemplate)) {
      const ref = { template: template.uriTemplate };
      const complete = this.completer(server, ref, name, Object.fromEntries(values));
      const title = `${plain(template.title ?? template.name)}: ${plain(name)}`;
      // oxlint-disable-next-line no-await-in-loop
      const value = await askArgument(title, plain(template.uriTemplate), true, complete);
      if (value === undefined) {
        return undefined;
      }
      values.set(name, value);
    }
    return fill(template.uriTemplate, values);
  }

  /** The server's completions of an argument, where it has any. */
  private completer(
    server: string,
    ref: CompletionRef,
    name: string,
    others: Record<string, string>,
  ): ((value: string) => Promise<string[]>) | undefined {
    if (this.catalogue.servers.get(server)?.capabilities.includes("completions") === false) {
      return undefined;
    }
    return async (value) => {
      const params = { server, ref, argument: { name, value }, context: { arguments: others } };
      return (await this.client.request("codeagent.completeArgument", params)).values;
    };
  }
}

/** Text at the cursors of the editor that was last in use. */
async function insert(text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
  if (editor === undefined) {
    void vscode.window.showInformationMessage("CodeAgent MCP: open a document to insert a mention into.");
    return;
  }
  await editor.edit((edit) => editor.selections.forEach((selection) => edit.replace(selection, text)));
  await vscode.window.showTextDocument(editor.document, editor.viewColumn);
}

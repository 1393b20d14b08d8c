// Lets a server ask a language model of the editor, after the user has read the request and said yes, each time.

import * as vscode from "vscode";

import type { Asker } from "./ask";
import type { Client } from "./client";
import { samplingQuestion } from "./model/questions";
import { fromModel, readSampling } from "./model/sampling";
import type { JsonObject } from "./protocol";

/** Takes on `sample`; `null` where there is no model, or the user says no. */
export function answerSampling(client: Client, asker: Asker): void {
  client.onQuestion("codeagent/sample", async (request, token) => {
    if (!vscode.workspace.getConfiguration("codeagent").get("sampling.enabled", true)) {
      return null;
    }
    const [model] = await vscode.lm.selectChatModels();
    const asked = readSampling(request);
    if (model === undefined || asked === undefined) {
      return null;
    }
    const question = samplingQuestion(asked.server, model.name, asked.preview);
    const choices = [
      { title: "Deny", value: false },
      { title: "Ask the Model Once", value: true },
    ];
    const allowed = await asker.ask(question, false, choices, token);
    return allowed ? answer(model, asked, token) : null;
  });
}

async function answer(
  model: vscode.LanguageModelChat,
  asked: NonNullable<ReturnType<typeof readSampling>>,
  token: vscode.CancellationToken,
): Promise<JsonObject> {
  const messages = asked.messages.map(({ role, text }) =>
    role === "user" ? vscode.LanguageModelChatMessage.User(text) : vscode.LanguageModelChatMessage.Assistant(text),
  );
  const justification = `The MCP server “${asked.server}” asks.`;
  const response = await model.sendRequest(messages, { justification }, token);
  let text = "";
  for await (const piece of response.text) {
    text += piece;
    if (asked.maxCharacters !== undefined && text.length >= asked.maxCharacters) {
      return fromModel(model.id, text.slice(0, asked.maxCharacters), "maxTokens");
    }
  }
  return fromModel(model.id, text, "endTurn");
}

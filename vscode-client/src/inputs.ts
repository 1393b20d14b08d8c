// Asks for values of `${input:…}` in config files; secret ones are masked.

import * as vscode from "vscode";

import type { Asker } from "./ask";
import type { Client } from "./client";
import type { InputAnswer, InputParams } from "./protocol";
import { oneLine, withoutIcons } from "./text";

/** Takes on `input`. */
export function answerInputs(client: Client, asker: Asker): void {
  client.onQuestion("codeagent/input", (params, token) =>
    asker.inTurn<InputAnswer | null>(null, token, () => ask(params, token)),
  );
}

async function ask(params: InputParams, token: vscode.CancellationToken): Promise<InputAnswer | null> {
  const title = `CodeAgent MCP: ${oneLine(params.id, 60)}`;
  if (params.options !== undefined && params.options.length > 0) {
    const items = params.options.map((option) => ({ label: withoutIcons(oneLine(option)), option }));
    const options = { title, placeHolder: oneLine(params.description), ignoreFocusOut: true };
    const picked = await vscode.window.showQuickPick(items, options, token);
    return picked === undefined ? null : { value: picked.option };
  }
  const value = await vscode.window.showInputBox(
    {
      title,
      prompt: oneLine(params.description, 300),
      password: params.password,
      ignoreFocusOut: true,
      ...(params.default === undefined ? {} : { value: params.default }),
    },
    token,
  );
  return value === undefined ? null : { value };
}

// Answers the server's questions about launches and calls: everything in plain text, and deny as the default.

import type { Asker, Choice } from "./ask";
import type { Client } from "./client";
import { callQuestion, scopeTitle, serverQuestion } from "./model/questions";
import type { CallDecision, ServerDecision } from "./protocol";

const SERVER_CHOICES: Choice<ServerDecision["decision"]>[] = [
  { title: "Allow in This Session", value: "session" },
  { title: "Always Allow This Launch", value: "always" },
];

/** Takes on `approveServer` and `approveCall`. */
export function answerApprovals(client: Client, asker: Asker, answered: () => void): void {
  client.onQuestion("codeagent/approveServer", async (params, token) => {
    const decision = await asker.ask(serverQuestion(params), "Deny", "deny" as const, SERVER_CHOICES, token);
    setTimeout(answered, 200); // once the server has taken the answer in
    return { decision };
  });
  client.onQuestion("codeagent/approveCall", async (params, token) => {
    const choices = params.scopes.flatMap((scope): Choice<CallDecision["decision"]>[] => {
      const title = scopeTitle(scope);
      return title === undefined ? [] : [{ title, value: scope as CallDecision["decision"] }];
    });
    const decision = await asker.ask(callQuestion(params), "Deny", "deny" as const, choices, token);
    setTimeout(answered, 200);
    return { decision };
  });
}

// Answers the server's questions about launches and calls: everything in plain text, and deny as the default.

import type { Asker, Choice } from "./ask";
import type { Client } from "./client";
import { callQuestion, scopeTitle, serverQuestion } from "./model/questions";
import type { CallDecision, ServerDecision } from "./protocol";

/** How long the server needs at most to take an answer in, before the list of approvals is read again. */
const TAKEN_IN = 300;

const SERVER_CHOICES: readonly Choice<ServerDecision>[] = [
  { title: "Deny", value: { decision: "deny" } },
  { title: "Allow in This Session", value: { decision: "session" } },
  { title: "Always Allow This Launch", value: { decision: "always" } },
];

/** Takes on `approveServer` and `approveCall`. A question that is only closed is a no for now, and is not remembered. */
export function answerApprovals(client: Client, asker: Asker, answered: () => void): void {
  client.onQuestion("codeagent/approveServer", async (params, token) => {
    const decision = await asker.ask<ServerDecision | null>(serverQuestion(params), null, SERVER_CHOICES, token);
    setTimeout(answered, TAKEN_IN);
    return decision;
  });
  client.onQuestion("codeagent/approveCall", async (params, token) => {
    const scopes = params.scopes.flatMap((scope): Choice<CallDecision>[] => {
      const title = scopeTitle(scope);
      return title === undefined ? [] : [{ title, value: { decision: scope as CallDecision["decision"] } }];
    });
    const no: CallDecision = { decision: "deny" };
    const decision = await asker.ask(callQuestion(params), no, [{ title: "Deny", value: no }, ...scopes], token);
    setTimeout(answered, TAKEN_IN);
    return decision;
  });
}

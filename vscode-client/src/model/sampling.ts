// A server's sampling request as messages for a chat model, and the model's answer as MCP has it.

import type { JsonObject } from "../protocol";

export interface Sampling {
  server: string;
  messages: { role: "user" | "assistant"; text: string }[];
  /** Everything that is sent, for the user to read. */
  preview: string;
  /** A bound on the answer, about four characters a token. */
  maxCharacters?: number;
}

/** The request, or `undefined` where it has something that a chat model of the editor cannot take (images, audio). */
export function readSampling(request: JsonObject): Sampling | undefined {
  const server = typeof request["server"] === "string" ? request["server"] : "?";
  const given = Array.isArray(request["messages"]) ? (request["messages"] as unknown[]) : [];
  const messages: Sampling["messages"] = [];
  const system = request["systemPrompt"];
  if (typeof system === "string" && system !== "") {
    messages.push({ role: "user", text: system }); // the editor's models take no system messages
  }
  for (const message of given) {
    const { role, content } = (message ?? {}) as { role?: unknown; content?: unknown };
    const blocks = (Array.isArray(content) ? content : [content]) as { type?: unknown; text?: unknown }[];
    for (const block of blocks) {
      if (block?.type !== "text" || typeof block.text !== "string") {
        return undefined;
      }
      messages.push({ role: role === "assistant" ? "assistant" : "user", text: block.text });
    }
  }
  if (messages.length === 0) {
    return undefined;
  }
  const preview = messages.map(({ role, text }) => `${role}:\n${text}`).join("\n\n");
  const tokens = request["maxTokens"];
  return {
    server,
    messages,
    preview,
    ...(typeof tokens === "number" && tokens > 0 ? { maxCharacters: Math.ceil(tokens * 4) } : {}),
  };
}

export function fromModel(model: string, text: string, stopReason: "endTurn" | "maxTokens"): JsonObject {
  return { role: "assistant", content: { type: "text", text }, model, stopReason };
}

// A text with what its mentions stand for: the text as it is, then each resource once, fenced.

import type { Mention } from "../protocol";
import { mention as spelled } from "./result";

/** The text, followed by the contents of its mentions; one that could not be read is named with the reason. */
export function expanded(text: string, mentions: readonly Mention[]): string {
  const parts = new Map<string, string>();
  for (const mention of mentions) {
    const name = spelled(mention.server, mention.uri);
    const contents = (mention.contents ?? []).map((part) => part.text ?? `[${part.mimeType}, ${part.size} bytes]`);
    const body = mention.error === undefined ? fenced(contents.join("\n\n")) : `(${mention.error})`;
    parts.set(name, `${name}\n\n${body}`);
  }
  return [text.trimEnd(), ...parts.values()].join("\n\n");
}

function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}

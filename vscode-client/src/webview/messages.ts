// What the form and the extension say to each other.

import type { Part, Table } from "../model/result";
import type { JsonObject } from "../protocol";

export interface Shown {
  /** `tool` runs and shows results; `elicit` is one answer to a server's question. */
  mode: "tool" | "elicit";
  /** Two lines above the form, ours. */
  title: string;
  subtitle: string;
  /** What the server says about the tool, or asks: shown as plain text in a frame of its own. */
  said: string;
  schema: JsonObject;
  ui: JsonObject;
  arguments: JsonObject;
  history: { label: string; when: string; arguments: JsonObject }[];
}

export interface ResultShown {
  isError: boolean;
  duration: string;
  warnings: string[];
  parts: Part[];
  table?: Table;
  /** Structured content; missing where there is none or it is too large to show. */
  structured?: unknown;
  note?: string;
  canCompare: boolean;
}

export type ToForm =
  | ({ type: "show" } & Shown)
  | { type: "running" }
  | { type: "progress"; message: string; percentage?: number }
  | { type: "result"; result: ResultShown }
  | { type: "failed"; message: string; hint?: string }
  | { type: "cancelled" }
  | { type: "history"; history: Shown["history"] };

export type FromForm =
  | { type: "ready" }
  /** `text` where the arguments were written as JSON: it is parsed by the extension, so that big integers survive. */
  | { type: "run"; arguments: JsonObject; text?: string }
  | { type: "cancel" }
  | { type: "answer"; action: "accept" | "decline" | "cancel"; arguments?: JsonObject }
  | { type: "copy" }
  | { type: "open" }
  | { type: "compare" }
  | { type: "clearHistory" }
  | { type: "readLink"; uri: string };

// A tool's result as parts to show: text, image, audio, resource, link, or what cannot be shown. Nothing is fetched.

import type { CallResult, JsonObject } from "../protocol";
import { bytes, visible } from "../text";

export type Part =
  | { kind: "text"; text: string; cut: number; language: "plaintext" | "markdown" | "json" }
  | { kind: "image" | "audio"; mimeType: string; data: string; size: string }
  | { kind: "link"; uri: string; name: string; description?: string; mention: string }
  | { kind: "resource"; uri: string; mimeType: string; text: string; cut: number }
  | { kind: "note"; text: string };

/** A table: structured content that is a list of flat objects. */
export interface Table {
  columns: string[];
  rows: string[][];
  cut: number;
}

const SHOWN_CHARACTERS = 200_000;
const SHOWN_ROWS = 500;
const BIGGEST_MEDIA = 20_000_000;
const IMAGES = /^image\/(png|jpe?g|gif|webp|bmp|avif|svg\+xml)$/;
const AUDIO = /^audio\/(wav|x-wav|wave|mpeg|mp3|ogg|webm|aac|mp4|flac)$/;

export function parts(result: CallResult): Part[] {
  return result.content.map((block) => part(block, result.server));
}

function part(block: JsonObject, server: string): Part {
  switch (block["type"]) {
    case "text":
      return textPart(string(block["text"]), mime(block));
    case "image":
    case "audio":
      return media(block["type"], string(block["data"]), string(block["mimeType"]));
    case "resource_link": {
      const uri = string(block["uri"]);
      const description = string(block["description"]);
      return {
        kind: "link",
        uri,
        name: visible(string(block["title"]) || string(block["name"]) || uri),
        mention: mention(server, uri),
        ...(description === "" ? {} : { description: visible(description, { limit: 500 }) }),
      };
    }
    case "resource":
      return resource(block["resource"]);
    default:
      return {
        kind: "note",
        text: `[unsupported content: ${visible(string(block["type"]) || "nothing", { limit: 60 })}]`,
      };
  }
}

function resource(value: unknown): Part {
  const inner = (typeof value === "object" && value !== null ? value : {}) as JsonObject;
  const uri = visible(string(inner["uri"]));
  const mimeType = string(inner["mimeType"]) || "application/octet-stream";
  if (typeof inner["text"] === "string") {
    const { text, cut } = shorten(inner["text"]);
    return { kind: "resource", uri, mimeType: visible(mimeType), text, cut };
  }
  const blob = string(inner["blob"]);
  if (IMAGES.test(mimeType)) {
    return media("image", blob, mimeType);
  }
  if (AUDIO.test(mimeType)) {
    return media("audio", blob, mimeType);
  }
  return { kind: "note", text: `[${visible(mimeType)}, ${bytes(decodedSize(blob))}] ${uri}` };
}

function textPart(raw: string, mimeType: string): Part {
  const { text, cut } = shorten(raw);
  const looksLikeJson = /^\s*[[{]/.test(raw) && isJson(raw);
  const language = looksLikeJson ? "json" : mimeType === "text/markdown" ? "markdown" : "plaintext";
  return { kind: "text", text, cut, language };
}

function media(kind: "image" | "audio", data: string, mimeType: string): Part {
  const known = kind === "image" ? IMAGES : AUDIO;
  const plain = data.replace(/^data:[^,]*,/, "").replaceAll(/\s/g, "");
  const size = bytes(decodedSize(plain));
  if (plain === "" || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(plain)) {
    return { kind: "note", text: `[${kind} that cannot be decoded]` };
  }
  if (!known.test(mimeType) || plain.length > BIGGEST_MEDIA) {
    return { kind: "note", text: `[${visible(mimeType || kind)}, ${size}]` };
  }
  return { kind, mimeType, data: plain.replaceAll("-", "+").replaceAll("_", "/"), size };
}

function shorten(raw: string): { text: string; cut: number } {
  const cut = Math.max(0, raw.length - SHOWN_CHARACTERS);
  return { text: visible(cut > 0 ? raw.slice(0, SHOWN_CHARACTERS).toWellFormed() : raw), cut };
}

function decodedSize(base64: string): number {
  return Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function mime(block: JsonObject): string {
  const meta = block["_meta"];
  return typeof meta === "object" && meta !== null ? string((meta as JsonObject)["mimeType"]) : "";
}

function string(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** `@server:uri`, with the server in quotes where its name has white space or a colon. */
export function mention(server: string, uri: string): string {
  return /[\s:"]/.test(server) ? `@${JSON.stringify(server)}:${uri}` : `@${server}:${uri}`;
}

/**
 * The structured content as a table, if it is one: a list of objects with plain values, directly or as the only list
 * in an object (as SDKs wrap it: `{"result": [...]}`).
 */
export function table(structured: unknown): Table | undefined {
  const list = rowsOf(structured);
  if (list === undefined || list.length === 0 || !list.every(isFlat)) {
    return undefined;
  }
  const columns = [...new Set(list.flatMap((row) => Object.keys(row)))];
  if (columns.length === 0 || columns.length > 40) {
    return undefined;
  }
  const rows = list.slice(0, SHOWN_ROWS).map((row) => columns.map((column) => cell(row[column])));
  return { columns: columns.map((name) => visible(name)), rows, cut: Math.max(0, list.length - SHOWN_ROWS) };
}

function rowsOf(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) {
    return value as unknown[];
  }
  if (typeof value === "object" && value !== null) {
    const [only, ...more] = Object.values(value).filter((item) => Array.isArray(item)) as unknown[][];
    return more.length === 0 ? only : undefined;
  }
  return undefined;
}

function isFlat(row: unknown): row is Record<string, unknown> {
  return (
    typeof row === "object" &&
    row !== null &&
    !Array.isArray(row) &&
    Object.values(row).every((value) => typeof value !== "object" || value === null)
  );
}

function cell(value: unknown): string {
  if (value === undefined || value === null) {
    return "";
  }
  return visible(typeof value === "string" ? value : JSON.stringify(value), { limit: 500 });
}

/** The whole result as one document: its text, or its structured content as JSON. */
export function asDocument(result: CallResult): { name: string; text: string } {
  const stem = result.tool.replaceAll(/[^\w-]+/g, "_") || "result";
  if (result.structuredContent !== undefined && result.structuredContent !== null) {
    return { name: `${stem}.json`, text: `${JSON.stringify(result.structuredContent, null, 2)}\n` };
  }
  const onlyText = result.content.every((block) => block["type"] === "text");
  const text = onlyText
    ? result.content.map((block) => string(block["text"])).join("\n\n")
    : JSON.stringify(result.content, null, 2);
  const json = !onlyText || isJson(text) ? ".json" : ".txt";
  return { name: stem + json, text };
}

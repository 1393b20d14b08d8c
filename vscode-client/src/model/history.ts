// The arguments a tool was run with: the newest first, each once, without what is secret.

import type { JsonObject } from "../protocol";

export interface PastRun {
  arguments: JsonObject;
  /** Milliseconds since 1970. */
  at: number;
}

const BIGGEST = 20_000;

/**
 * The history with one more run in front, at most `size` long. Runs with equal arguments are one. Fields whose schema
 * says `format: password` or `writeOnly` are left out; arguments of more than 20,000 characters are not kept.
 */
export function remember(history: readonly PastRun[], run: PastRun, schema: unknown, size: number): PastRun[] {
  const kept: PastRun = { ...run, arguments: withoutSecrets(run.arguments, schema) as JsonObject };
  const key = JSON.stringify(kept.arguments);
  if (key.length > BIGGEST) {
    return [...history];
  }
  return [kept, ...history.filter((past) => JSON.stringify(past.arguments) !== key)].slice(0, size);
}

/** A value without the fields that its schema calls secret. */
export function withoutSecrets(value: unknown, schema: unknown): unknown {
  if (!isObject(schema)) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => withoutSecrets(item, schema["items"]));
  }
  if (!isObject(value) || isRawNumber(value)) {
    return value;
  }
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const kept: [string, unknown][] = [];
  for (const [name, item] of Object.entries(value)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!isSecret(property)) {
      kept.push([name, withoutSecrets(item, property)]);
    }
  }
  return Object.fromEntries(kept);
}

function isSecret(schema: unknown): boolean {
  return isObject(schema) && (schema["format"] === "password" || schema["writeOnly"] === true);
}

/** An integer that was too large for JavaScript and is kept as it was written. */
function isRawNumber(value: unknown): boolean {
  return (JSON as { isRawJSON?: (value: unknown) => boolean }).isRawJSON?.(value) === true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Arguments on one line, as a label in a list. */
export function label(run: PastRun, limit = 80): string {
  const text = Object.entries(run.arguments)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
  return text === "" ? "no arguments" : text.length > limit ? `${text.slice(0, limit)}…` : text;
}

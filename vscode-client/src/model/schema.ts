// A tool's JSON Schema made ready for the form: texts cleaned, free values as JSON, long texts in several lines.

import type { JsonObject } from "../protocol";
import { visible } from "../text";

const LONG_TEXT = /^(text|content|contents|body|message|code|query|sql|markdown|prompt|html|xml|script|diff|patch)$/i;
const SCHEMAS_BY_NAME = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const SCHEMA_LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const SCHEMAS = ["items", "additionalProperties", "if", "then", "else", "not", "contains", "propertyNames"];
const DEEPEST = 40;
const LONGEST = 1000;

export interface FormSchema {
  schema: JsonObject;
  /** rjsf's `uiSchema`: which widget or field shows what. */
  ui: JsonObject;
}

/** Takes any schema, also a broken one: the form shows what it can, and the rest as JSON. */
export function forForm(schema: unknown): FormSchema {
  const root = isObject(schema) ? clean(schema, 0) : {};
  root["type"] = "object";
  root["properties"] ??= {};
  delete root["title"];
  delete root["description"];
  return { schema: root, ui: uiFor(root, "", 0) };
}

/** The schema with visible titles and descriptions; anything where a schema is expected that is none is dropped. */
function clean(schema: JsonObject, depth: number): JsonObject {
  if (depth > DEEPEST) {
    return {};
  }
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "title" || key === "description") {
      if (typeof value === "string") {
        out[key] = visible(value, { limit: LONGEST, newlines: key === "description" });
      }
    } else if (SCHEMAS_BY_NAME.includes(key)) {
      if (isObject(value)) {
        out[key] = Object.fromEntries(
          Object.entries(value).map(([name, inner]) => [name, asSchema(inner, depth)] as const),
        );
      }
    } else if (SCHEMA_LISTS.includes(key)) {
      if (Array.isArray(value) && value.length > 0) {
        out[key] = value.map((inner: unknown) => asSchema(inner, depth));
      }
    } else if (SCHEMAS.includes(key)) {
      if (isObject(value) || typeof value === "boolean") {
        out[key] = typeof value === "boolean" ? value : clean(value, depth + 1);
      }
    } else if (key === "required") {
      if (Array.isArray(value)) {
        out[key] = value.filter((name) => typeof name === "string");
      }
    } else if (key !== "$schema" && key !== "$id") {
      out[key] = value;
    }
  }
  return out;
}

function asSchema(value: unknown, depth: number): JsonObject {
  return isObject(value) ? clean(value, depth + 1) : {};
}

function uiFor(schema: JsonObject, name: string, depth: number): JsonObject {
  if (depth > DEEPEST) {
    return {};
  }
  if (isFree(schema)) {
    return { "ui:field": "json" };
  }
  const ui: JsonObject = {};
  if (hasType(schema, "string") && schema["enum"] === undefined && schema["format"] === undefined) {
    if (LONG_TEXT.test(name) || (typeof schema["maxLength"] === "number" && schema["maxLength"] > 200)) {
      ui["ui:widget"] = "textarea";
    }
  }
  if (schema["format"] === "password" || schema["writeOnly"] === true) {
    ui["ui:widget"] = "password";
  }
  if (isObject(schema["properties"])) {
    for (const [property, inner] of Object.entries(schema["properties"])) {
      if (isObject(inner)) {
        const below = uiFor(inner, property, depth + 1);
        if (Object.keys(below).length > 0) {
          ui[property] = below;
        }
      }
    }
  }
  if (isObject(schema["items"])) {
    ui["items"] = uiFor(schema["items"], name, depth + 1);
  }
  for (const list of ["anyOf", "oneOf"]) {
    const options = schema[list];
    if (Array.isArray(options)) {
      ui[list] = options.map((option) => (isObject(option) ? uiFor(option, name, depth + 1) : {}));
    }
  }
  return ui;
}

/** A value about which the schema says nothing that a form could show. */
function isFree(schema: JsonObject): boolean {
  const says = ["type", "enum", "const", "anyOf", "oneOf", "allOf", "properties", "$ref"];
  if (!says.some((key) => schema[key] !== undefined)) {
    return true;
  }
  const type = schema["type"];
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== "null");
  if (types.length > 1 && schema["enum"] === undefined) {
    return true; // `["string", "number"]`: as JSON, so that 1 and "1" stay two things
  }
  if (types[0] === "array") {
    return !isObject(schema["items"]) || Array.isArray(schema["items"]);
  }
  const bare = !isObject(schema["properties"]) && schema["anyOf"] === undefined && schema["oneOf"] === undefined;
  return types[0] === "object" && bare && schema["allOf"] === undefined && !isObject(schema["additionalProperties"]);
}

function hasType(schema: JsonObject, type: string): boolean {
  const own = schema["type"];
  return own === type || (Array.isArray(own) && own.includes(type));
}

/** Whether a form asks for something that nobody should type into a server's form (MCP forbids it as well). */
export function asksForSecret(schema: unknown): boolean {
  const properties = isObject(schema) && isObject(schema["properties"]) ? schema["properties"] : {};
  return Object.entries(properties).some(([name, property]) => {
    const texts = [name, ...(isObject(property) ? [property["title"], property["format"]] : [])];
    return texts.some(
      (text) => typeof text === "string" && SECRET.test(text.replaceAll(/(?<=[a-z])(?=[A-Z])|[_-]/g, " ")),
    );
  });
}

const SECRET =
  /\b(pass ?(word|phrase|code)|passwd|pwd|secret|(api|access|private|secret) ?key|(access|auth|bearer|refresh|api) ?token|token|credentials?|cvv|cvc|pin)\b/i;

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Arguments written as JSON. Integers that JavaScript cannot hold are kept as they are written, where that is possible. */
export function parseArguments(text: string): JsonObject {
  const raw = (JSON as unknown as { rawJSON?: (text: string) => unknown }).rawJSON;
  const revive = (_key: string, value: unknown, context?: { source?: string }): unknown => {
    const source = context?.source;
    if (typeof value !== "number" || !Number.isInteger(value) || Number.isSafeInteger(value)) {
      return value;
    }
    if (raw === undefined || source === undefined) {
      throw new SyntaxError(`the number ${value} is too large for this version of VS Code`);
    }
    return raw(source);
  };
  const value = JSON.parse(text === "" ? "{}" : text, revive) as unknown;
  if (!isObject(value)) {
    throw new SyntaxError("arguments must be a JSON object");
  }
  return value;
}

// The form's validator: @cfworker/json-schema, which needs no code generation and so lives with a strict CSP.

import { Validator, type OutputUnit, type Schema } from "@cfworker/json-schema";
import { toErrorSchema, type RJSFSchema, type RJSFValidationError, type ValidatorType } from "@rjsf/utils";

/** Keywords that only say that something below them is wrong. */
const CONTAINERS = new Set(["properties", "items", "prefixItems", "allOf", "additionalProperties", "$ref", "if"]);

function check(schema: RJSFSchema, value: unknown): OutputUnit[] {
  try {
    return new Validator(schema as Schema, "2020-12", false).validate(value ?? null).errors;
  } catch {
    return []; // a schema that cannot be used hinders nobody: the server judges
  }
}

function asError(unit: OutputUnit): RJSFValidationError {
  const path = unit.instanceLocation
    .replace(/^#\/?/, "")
    .split("/")
    .filter((part) => part !== "")
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"));
  const missing = unit.keyword === "required" ? /property "(.*)"\.$/s.exec(unit.error)?.[1] : undefined;
  if (missing !== undefined) {
    path.push(missing);
  }
  const message = missing === undefined ? unit.error.replace(/^Instance /, "The value ") : "Needed.";
  return {
    name: unit.keyword,
    message,
    stack: message,
    property: path.map((part) => `.${part}`).join(""),
    schemaPath: unit.keywordLocation,
  };
}

export const validator: ValidatorType = {
  validateFormData(value, schema) {
    const errors = check(schema, value)
      .filter((unit) => !CONTAINERS.has(unit.keyword))
      .map(asError);
    return { errors, errorSchema: toErrorSchema(errors) };
  },
  isValid(schema, value, root) {
    const definitions = { $defs: root["$defs"], definitions: root["definitions"] };
    const known = Object.fromEntries(Object.entries(definitions).filter(([, inner]) => inner !== undefined));
    try {
      return new Validator({ ...known, ...schema } as Schema, "2020-12", true).validate(value).valid;
    } catch {
      return false;
    }
  },
  rawValidation(schema, value) {
    return { errors: check(schema, value) as never[] };
  },
};

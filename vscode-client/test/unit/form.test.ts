// The form's schema, the arguments it sends, and the runs it remembers.

import assert from "node:assert/strict";

import { label, remember, type PastRun } from "../../src/model/history";
import { asksForSecret, forForm, parseArguments } from "../../src/model/schema";
import { fill, variables } from "../../src/model/template";

describe("a schema for the form", () => {
  const broken: unknown[] = [
    undefined,
    null,
    7,
    "x",
    [],
    {},
    { type: "array" },
    { properties: [] },
    { properties: { a: 7, b: true, c: null } },
    { properties: { a: { properties: "x", required: "y", items: [1], anyOf: [] } } },
    { title: 7, description: {} },
  ];
  for (const schema of broken) {
    it(`is an object schema whatever comes: ${JSON.stringify(schema)}`, () => {
      const made = forForm(schema).schema;
      assert.equal(made["type"], "object");
      assert.equal(typeof made["properties"], "object");
    });
  }
  it("has visible titles and descriptions at every depth, and leaves data alone", () => {
    const { schema } = forForm({
      properties: {
        title: { type: "string", description: "a\u200Bb", default: "d\u200B", enum: ["d\u200B"] },
        list: { type: "array", items: { type: "string", title: "t\u202E" } },
        either: { anyOf: [{ type: "string", title: "u\u2066" }] },
      },
    });
    const text = JSON.stringify(schema);
    assert.ok(text.includes("a\\\\u{200B}b") && text.includes("t\\\\u{202E}") && text.includes("u\\\\u{2066}"));
    assert.ok(text.includes('"default":"d\u200B"') && text.includes('["d\u200B"]'));
  });
  it("keeps properties that are named like keywords", () => {
    const properties = {
      type: { type: "string" },
      items: { type: "string" },
      anyOf: { type: "string" },
      title: { type: "string" },
    };
    assert.deepEqual(Object.keys(forForm({ properties }).schema["properties"] as object), [
      "type",
      "items",
      "anyOf",
      "title",
    ]);
  });
  it("stops at some depth", () => {
    let schema: Record<string, unknown> = { type: "string" };
    for (let depth = 0; depth < 5000; depth += 1) {
      schema = { type: "object", properties: { a: schema } };
    }
    assert.ok(JSON.stringify(forForm(schema).schema).length < 5000);
  });
  const free: [string, unknown, boolean][] = [
    ["a value without a type", {}, true],
    ["a described value", { description: "x" }, true],
    ["several types", { type: ["string", "integer"] }, true],
    ["an object without properties", { type: "object" }, true],
    ["a list of anything", { type: "array" }, true],
    ["a string", { type: "string" }, false],
    ["a string or null", { type: ["string", "null"] }, false],
    ["an enum", { enum: [1, "a"] }, false],
    ["a choice", { anyOf: [{ type: "string" }, { type: "number" }] }, false],
    ["a map of strings", { type: "object", additionalProperties: { type: "string" } }, false],
  ];
  for (const [name, property, isJson] of free) {
    it(`${isJson ? "asks for JSON for" : "has a field for"} ${name}`, () => {
      const ui = forForm({ properties: { x: property } }).ui["x"] as Record<string, unknown> | undefined;
      assert.equal(ui?.["ui:field"] === "json", isJson);
    });
  }
  it("masks passwords and gives long texts more room", () => {
    const { ui } = forForm({
      properties: { key: { type: "string", format: "password" }, text: { type: "string" }, name: { type: "string" } },
    });
    assert.deepEqual(ui, { key: { "ui:widget": "password" }, text: { "ui:widget": "textarea" } });
  });
});

describe("a server's form", () => {
  for (const name of ["password", "apiKey", "api_key", "accessToken", "secret", "PIN", "user_password", "passphrase"]) {
    it(`is refused when it asks for ${name}`, () =>
      assert.ok(asksForSecret({ properties: { [name]: { type: "string" } } })));
  }
  for (const name of ["name", "email", "pinned", "tokenize", "keyboard", "pageCount"]) {
    it(`may ask for ${name}`, () => assert.ok(!asksForSecret({ properties: { [name]: { type: "string" } } })));
  }
  it("is refused by its titles and formats too", () => {
    assert.ok(asksForSecret({ properties: { x: { title: "Your password" }, y: { format: "password" } } }));
  });
});

describe("arguments as JSON", () => {
  it("are an object, or said not to be", () => {
    assert.deepEqual(parseArguments('{"a": null}'), { a: null });
    assert.deepEqual(parseArguments(""), {});
    for (const text of ["[]", "7", "null", '"x"', "{", "{a:1}"]) {
      assert.throws(() => parseArguments(text), SyntaxError);
    }
  });
  it("keep integers that JavaScript cannot hold, or say so", () => {
    const text = '{"n":9007199254740993,"s":"9007199254740993"}';
    if ("rawJSON" in JSON) {
      assert.equal(JSON.stringify(parseArguments(text)), text);
    } else {
      assert.throws(() => parseArguments(text), /too large/);
    }
  });
});

describe("past runs", () => {
  const run = (arguments_: Record<string, unknown>): PastRun => ({ arguments: arguments_, at: 1 });
  it("are kept newest first, each once, and not more than asked for", () => {
    let history: PastRun[] = [];
    for (const n of [1, 2, 1, 3]) {
      history = remember(history, run({ n }), {}, 2);
    }
    assert.deepEqual(
      history.map((past) => past.arguments),
      [{ n: 3 }, { n: 1 }],
    );
  });
  it("have no secret fields, at any depth", () => {
    const schema = {
      properties: {
        key: { format: "password" },
        deep: { properties: { pin: { writeOnly: true } } },
        list: { items: { properties: { key: { format: "password" } } } },
      },
    };
    const given = { key: "s", deep: { pin: "1", a: 1 }, list: [{ key: "s", b: 2 }], constructor: "x" };
    assert.deepEqual(remember([], run(given), schema, 5)[0]?.arguments, {
      deep: { a: 1 },
      list: [{ b: 2 }],
      constructor: "x",
    });
  });
  it("that are huge are not kept", () => assert.deepEqual(remember([], run({ a: "x".repeat(30_000) }), {}, 5), []));
  it("have a label", () => {
    assert.equal(label(run({ a: "b", n: [1] })), "a: b, n: [1]");
    assert.equal(label(run({})), "no arguments");
  });
});

describe("URI templates", () => {
  const values = new Map([
    ["name", "a b/c"],
    ["id", "7"],
    ["q", "é"],
    ["empty", ""],
  ]);
  const cases: [string, string[], string][] = [
    ["note://{name}", ["name"], "note://a%20b%2Fc"],
    ["file:///{+name}", ["name"], "file:///a%20b/c"],
    ["x://{id,name}", ["id", "name"], "x://7,a%20b%2Fc"],
    ["x://a{?q,id,empty,none}", ["q", "id", "empty", "none"], "x://a?q=%C3%A9&id=7"],
    ["x://a{/id}{#q}", ["id", "q"], "x://a/7#%C3%A9"],
    ["x://{name:1}", ["name"], "x://a"],
    ["x://plain", [], "x://plain"],
    ["x://{id*}{;id}", ["id"], "x://7;id=7"],
  ];
  for (const [template, names, uri] of cases) {
    it(`${template} is filled in`, () => {
      assert.deepEqual(variables(template), names);
      assert.equal(fill(template, values), uri);
    });
  }
});

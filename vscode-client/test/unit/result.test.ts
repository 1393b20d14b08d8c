// A tool's result as parts to show.

import assert from "node:assert/strict";

import { asDocument, mention, parts, table } from "../../src/model/result";
import { fromModel, readSampling } from "../../src/model/sampling";
import { result } from "./samples";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
const shown = (...content: Record<string, unknown>[]) => parts(result({ content }));

describe("the parts of a result", () => {
  it("show text, and JSON as JSON", () => {
    const kinds = shown(
      { type: "text", text: "hi" },
      { type: "text", text: '{"a":1}' },
      { type: "text", text: "[not json" },
    );
    assert.deepEqual(
      kinds.map((part) => part.kind === "text" && part.language),
      ["plaintext", "json", "plaintext"],
    );
  });
  it("show hidden characters in text", () => {
    const [part] = shown({ type: "text", text: "a\u001B[31mb" });
    assert.ok(part?.kind === "text" && part.text === "a\\u{1B}[31mb");
  });
  it("show images and audio that the editor can decode", () => {
    const [image, audio] = shown(
      { type: "image", data: PNG, mimeType: "image/png" },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
    );
    assert.deepEqual([image?.kind, audio?.kind], ["image", "audio"]);
  });
  const notes: [string, Record<string, unknown>][] = [
    ["an unknown kind", { type: "video", data: "AA" }],
    ["no kind at all", {}],
    ["bad base64", { type: "image", data: "!!!", mimeType: "image/png" }],
    ["an image of an unknown type", { type: "image", data: PNG, mimeType: "text/html" }],
    ["an image without a type", { type: "image", data: PNG }],
    ["a type that breaks out", { type: "image", data: PNG, mimeType: 'image/png"><script>' }],
    ["a null text", { type: "resource", resource: null }],
  ];
  for (const [name, block] of notes) {
    it(`show ${name} as a note`, () => assert.equal(shown(block)[0]?.kind, "note"));
  }
  it("take a data: URL for base64", () =>
    assert.equal(
      shown({ type: "image", data: `data:image/png;base64,${PNG}`, mimeType: "image/png" })[0]?.kind,
      "image",
    ));
  it("show links as text with a mention, and never fetch them", () => {
    const [part] = shown({ type: "resource_link", uri: "http://169.254.169.254/", name: "n\u200B" });
    assert.deepEqual(part, {
      kind: "link",
      uri: "http://169.254.169.254/",
      name: "n\\u{200B}",
      mention: "@demo:http://169.254.169.254/",
    });
  });
  it("show embedded resources by their type", () => {
    const [text, image, other] = shown(
      { type: "resource", resource: { uri: "x://a", text: "T" } },
      { type: "resource", resource: { uri: "x://a", blob: PNG, mimeType: "image/png" } },
      { type: "resource", resource: { uri: "x://a", blob: "AAAA", mimeType: "application/zip" } },
    );
    assert.deepEqual([text?.kind, image?.kind, other?.kind], ["resource", "image", "note"]);
  });
  it("cut a huge text, and say by how much", () => {
    const [part] = shown({ type: "text", text: "x".repeat(5_000_000) });
    assert.ok(part?.kind === "text" && part.text.length === 200_000 && part.cut === 4_800_000);
  });
});

describe("structured content", () => {
  const rows = [
    { a: 1, b: "x" },
    { a: null, c: true },
  ];
  it("is a table where it is a list of flat objects", () => {
    const expected = {
      columns: ["a", "b", "c"],
      rows: [
        ["1", "x", ""],
        ["", "", "true"],
      ],
      cut: 0,
    };
    assert.deepEqual(table(rows), expected);
    assert.deepEqual(table({ result: rows }), expected);
  });
  for (const other of [[], [1, 2], [{ a: {} }], { a: 1 }, { a: rows, b: rows }, null, undefined, "x", [{}]]) {
    it(`is no table: ${JSON.stringify(other)}`, () => assert.equal(table(other), undefined));
  }
  it("is cut after 500 rows", () => assert.equal(table(Array.from({ length: 700 }, (_, n) => ({ n })))?.cut, 200));
});

describe("a result as a document", () => {
  it("is its structured content, else its text", () => {
    assert.deepEqual(asDocument(result({ structuredContent: { a: 1 } })), {
      name: "get_note.json",
      text: '{\n  "a": 1\n}\n',
    });
    assert.deepEqual(asDocument(result()), { name: "get_note.txt", text: "hello" });
  });
  it("has a name that is a file name", () => assert.equal(asDocument(result({ tool: "../../x y" })).name, "_x_y.txt"));
});

describe("mentions", () => {
  it("quote a name that needs it", () =>
    assert.deepEqual([mention("a", "x://1"), mention("my server", "x")], ["@a:x://1", '@"my server":x']));
});

describe("sampling", () => {
  const message = (text: string, role = "user") => ({ role, content: { type: "text", text } });
  it("shows everything that would be sent", () => {
    const asked = readSampling({
      server: "demo",
      systemPrompt: "S",
      messages: [message("A"), message("B", "assistant")],
      maxTokens: 10,
    });
    assert.equal(asked?.preview, "user:\nS\n\nuser:\nA\n\nassistant:\nB");
    assert.equal(asked?.maxCharacters, 40);
  });
  it("does not send images or nothing at all", () => {
    assert.equal(readSampling({ messages: [{ role: "user", content: { type: "image", data: "" } }] }), undefined);
    assert.equal(readSampling({ messages: [] }), undefined);
  });
  it("answers as MCP has it", () => {
    assert.deepEqual(fromModel("m", "t", "endTurn"), {
      role: "assistant",
      content: { type: "text", text: "t" },
      model: "m",
      stopReason: "endTurn",
    });
  });
});

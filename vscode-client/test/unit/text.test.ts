// What others wrote is shown so that nothing in it hides, moves or acts.

import assert from "node:assert/strict";

import { bytes, forNotification, oneLine, visible, withoutIcons } from "../../src/text";

const hostile: Record<string, [string, string]> = {
  "a right-to-left override": ["a\u202Eb", "a\\u{202E}b"],
  "an isolate": ["\u2066x\u2069", "\\u{2066}x\\u{2069}"],
  "a zero-width space": ["a\u200Bb", "a\\u{200B}b"],
  "a byte-order mark": ["\uFEFFa", "\\u{FEFF}a"],
  "a soft hyphen": ["a\u00ADb", "a\\u{AD}b"],
  "tag characters": ["x\u{E0049}\u{E0067}", "x\\u{E0049}\\u{E0067}"],
  "a black flag with tags": [
    "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "🏴\\u{E0067}\\u{E0062}\\u{E0065}\\u{E006E}\\u{E0067}\\u{E007F}",
  ],
  "a terminal sequence": ["\u001B[8mhidden", "\\u{1B}[8mhidden"],
  "an 8-bit control": ["\u009B2J", "\\u{9B}2J"],
  "a bell and a NUL": ["\u0007\u0000", "\\u{7}\\u{0}"],
  "a carriage return alone": ["safe\rrm", "safe\\u{D}rm"],
  "a line separator": ["a\u2028b", "a\\u{2028}b"],
  "a Hangul filler": ["a\u3164b", "a\\u{3164}b"],
  "a variation selector alone": ["a\uFE0Fb", "a\\u{FE0F}b"],
  "a private-use character": ["\uE000", "\\u{E000}"],
  "a lone surrogate": ["a\uD800b", "a\\u{D800}b"],
  "a braille blank": ["a\u2800b", "a\\u{2800}b"],
};

const ordinary = [
  "plain",
  "naïve café",
  "日本語 हिन्दी עברית عربى",
  "👍🏽 👨‍👩‍👧‍👦 🇫🇷 ❤️ 1️⃣",
  "tab\tand\nline",
  "x = 1 < 2 && `a`",
];

describe("visible", () => {
  for (const [name, [text, shown]] of Object.entries(hostile)) {
    it(`writes out ${name}`, () => assert.equal(visible(text), shown));
  }
  for (const text of ordinary) {
    it(`leaves ${JSON.stringify(text)} alone`, () => assert.equal(visible(text), text));
  }
  it("lets no hidden character through, from any corner of Unicode where there are some", () => {
    const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u;
    const planes = [
      0, 0x1000, 0x2000, 0x3000, 0xa000, 0xd000, 0xe000, 0xf000, 0x10000, 0x11000, 0x1d000, 0x1f000, 0x2f000,
    ];
    for (const start of [...planes, 0x31000, 0xe0000, 0xe1000, 0xf0000, 0x10f000]) {
      const text = Array.from({ length: 0x1000 }, (_, offset) => `${String.fromCodePoint(start + offset)}a`).join("");
      const found = hidden.exec(visible(text).replaceAll(/[\n\t]/g, ""))?.[0];
      assert.equal(found, undefined, `U+${found?.codePointAt(0)?.toString(16)} is let through`);
    }
  }).timeout(10_000);
  it("says how much it has cut", () =>
    assert.equal(visible("x".repeat(1500), { limit: 10 }), `${"x".repeat(10)}… [1,490 more characters]`));
  it("does not cut an emoji in half", () => assert.ok(visible("👍👍", { limit: 1 }).startsWith("\uFFFD…")));
  it("shortens a pile of combining marks", () => assert.ok(visible(`a${"\u0301".repeat(60)}`).length < 10));
});

describe("labels", () => {
  it("are one line", () => assert.equal(oneLine("  a\n\n\tb\r\nc "), "a b c"));
  it("have no icons of others", () =>
    assert.equal(withoutIcons("$(sync~spin) $(x) $ (y) $()"), "\\$(sync~spin) \\$(x) $ (y) $()"));
});

describe("notifications", () => {
  const links = [
    "[click](command:workbench.action.quit)",
    "see [a](https://example.com/x) b",
    "[a](file:///etc/passwd)",
    "[[a]](command:x)",
  ];
  for (const text of links) {
    it(`make no link of ${text}`, () => assert.ok(!/\]\(/.test(forNotification(text))));
  }
});

describe("bytes", () => {
  it("are read by people", () =>
    assert.deepEqual([0, 1023, 1024, 1_258_291, 5e9].map(bytes), ["0 B", "1023 B", "1.0 KB", "1.2 MB", "4.7 GB"]));
});

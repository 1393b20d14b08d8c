// A text with what its mentions stand for.

import assert from "node:assert/strict";

import { expanded } from "../../src/model/expand";

const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
const contents = (text: string) => [{ uri: "n://a", mimeType: "text/plain", size: 1, text }];

describe("a text with its mentions expanded", () => {
  it("has each resource once, in a fence that its content cannot leave", () => {
    const mention = { range, server: "d", uri: "n://a", contents: contents("x\n```\ny") };
    assert.equal(expanded("see @d:n://a\n", [mention, mention]), "see @d:n://a\n\n@d:n://a\n\n````\nx\n```\ny\n````");
  });
  it("says why one could not be read", () => {
    assert.match(
      expanded("t", [{ range, server: "d", uri: "n://a", error: "d: it is off." }]),
      /@d:n:\/\/a\n\n\(d: it is off\.\)$/,
    );
  });
});

// The sidebar as plain data.

import assert from "node:assert/strict";

import { contextValue, serverActions } from "../../src/model/actions";
import { difference, tally } from "../../src/model/change";
import { groupChildren, look, matches, serverChildren, serverNode } from "../../src/model/tree";
import { whyNotStarted } from "../../src/model/words";
import type { State } from "../../src/protocol";
import { status, tool } from "./samples";

const map = (...all: ReturnType<typeof status>[]) => new Map(all.map((one) => [one.server, one]));

describe("a server in the tree", () => {
  it("shows its counts when it is ready", () => {
    assert.equal(
      look(serverNode(status({ disabledTools: 1 }))).description,
      "2 tools (1 off) · 2 resources · 1 prompt",
    );
  });
  it("shows why it failed, without repeating its name", () => {
    const failed = status({
      state: "failed",
      error: { kind: "exited", message: "demo: the process ended with exit code 1." },
    });
    assert.equal(look(serverNode(failed)).description, "failed — the process ended with exit code 1.");
  });
  it("has the last lines of its error output below it", () => {
    const error = { kind: "exited", message: "ended", hint: "Look at it.", stderrTail: ["Traceback", "boom\u202E"] };
    const notes = serverChildren(status({ state: "failed", error })).map((node) => look(node).label);
    assert.deepEqual(notes, ["ended", "Look at it.", "Traceback", "boom\\u{202E}"]);
  });
  it("has a group for a list that could not be read", () => {
    const [group] = serverChildren(
      status({ tools: 0, resources: 0, resourceTemplates: 0, prompts: 0, listErrors: { tools: "timeout" } }),
    );
    assert.equal(group && look(group).description, "could not be listed");
  });
  it("has no groups that are empty", () => {
    const groups = serverChildren(status({ resources: 0, resourceTemplates: 0, prompts: 0 }));
    assert.deepEqual(
      groups.map((node) => node.id),
      ["tools:demo"],
    );
  });
  const states: [State, string][] = [
    ["ready", "stop"],
    ["starting", "stop"],
    ["failed", "restart"],
    ["stopped", "start"],
    ["needsAuth", "signIn"],
    ["untrusted", "approve"],
    ["disabled", "enable"],
  ];
  for (const [state, action] of states) {
    it(`offers ${action} when it is ${state}`, () => {
      const actions = serverActions(status({ state }));
      assert.ok(actions.includes(action as never));
      assert.ok(actions.includes("showLog") && actions.includes("showConfiguration"));
      assert.match(contextValue("server", actions), new RegExp(`;${action};`));
    });
  }
  it("can be signed out of only where it is remote", () => {
    assert.ok(!serverActions(status()).includes("signOut"));
    assert.ok(serverActions(status({ transport: "http" })).includes("signOut"));
  });
});

describe("a tool in the tree", () => {
  it("shows what it can do by its icon, and that it is off", () => {
    const [on, off] = groupChildren("demo", "tools", {
      tools: [tool({ capability: "destructive" }), tool({ name: "b", enabled: false })],
    }).map((node) => look(node));
    assert.equal(on?.icon, "flame");
    assert.deepEqual([off?.icon, off?.description], ["circle-slash", "disabled"]);
  });
  it("has no text of the server that acts or hides", () => {
    const hostile = tool({ title: "a\nb\u001B[2J$(sync)", description: "[x](command:y)\u200B" });
    const [node] = groupChildren("demo", "tools", { tools: [hostile] });
    const drawn = node && look(node);
    assert.equal(drawn?.label, "a b\\u{1B}[2J$(sync)");
    assert.ok(!/\p{Cc}|\p{Cf}/u.test(JSON.stringify(drawn)));
  });
  it("may be listed twice without one id twice", () => {
    const ids = groupChildren("demo", "tools", { tools: [tool(), tool()] }).map((node) => node.id);
    assert.equal(new Set(ids).size, 2);
  });
});

describe("the filter", () => {
  const [node] = groupChildren("demo", "tools", { tools: [tool()] });
  it("finds words in any order, in name, title and description", () => {
    assert.ok(node);
    assert.ok(
      matches(node, "NOTE read") && matches(node, "get_no") && matches(node, "") && !matches(node, "note delete"),
    );
  });
  it("finds servers by their state", () => {
    assert.ok(matches(serverNode(status({ state: "failed" })), "failed"));
  });
});

describe("a change", () => {
  it("touches only the servers that differ", () => {
    const found = difference(map(status(), status({ server: "b" })), map(status(), status({ server: "b", tools: 9 })));
    assert.deepEqual(found, { top: false, servers: ["b"] });
  });
  it("touches the top when servers come or go", () => {
    assert.equal(difference(map(status()), map(status(), status({ server: "b" }))).top, true);
    assert.equal(difference(map(status()), map()).top, true);
  });
  it("is nothing when nothing has changed", () => {
    assert.deepEqual(difference(map(status()), map(status())), { top: false, servers: [] });
  });
});

describe("the tally", () => {
  it("counts each state once", () => {
    const states: State[] = ["ready", "ready", "starting", "untrusted", "needsAuth", "failed", "stopped", "disabled"];
    const counts = tally(states.map((state) => status({ state })));
    assert.deepEqual(counts, { ready: 2, starting: 1, waiting: 2, failed: 1, off: 2 });
  });
});

describe("a language server that does not start", () => {
  it("is explained where the program is not there", () => {
    const said = whyNotStarted("Launching server using command /a/b failed. Error: spawn /a/b ENOENT", "/a/b");
    assert.equal(
      said,
      "the language server does not start: /a/b is not there. See the setting codeagent.server.command.",
    );
  });
  it("keeps its own words where they are its own", () =>
    assert.equal(whyNotStarted("it speaks another protocol", "/a/b"), "it speaks another protocol"));
});

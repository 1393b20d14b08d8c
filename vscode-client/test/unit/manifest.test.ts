// The manifest: what it promises about trust, and that it and the code name the same things.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";

import { Command } from "../../src/protocol";

interface Manifest {
  capabilities: { untrustedWorkspaces: { supported: string; restrictedConfigurations: string[] } };
  contributes: {
    commands: { command: string; title: string; category: string }[];
    menus: Record<string, { command: string; when?: string }[]>;
    configuration: { properties: Record<string, { scope?: string; markdownDescription?: string }> };
    viewsWelcome: { contents: string }[];
    walkthroughs: { steps: { description: string; completionEvents: string[] }[] }[];
  };
  dependencies?: Record<string, string>;
}

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const source = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => readFileSync(`src/${name}`, "utf8"));
const commands = manifest.contributes.commands.map(({ command }) => command);

describe("the manifest", () => {
  it("runs in a limited way in workspaces that are not trusted", () => {
    assert.equal(manifest.capabilities.untrustedWorkspaces.supported, "limited");
  });
  for (const name of [
    "codeagent.server.command",
    "codeagent.server.pythonPath",
    "codeagent.alsoRead",
    "codeagent.completeArguments",
    "codeagent.sampling.enabled",
  ]) {
    it(`lets no workspace set ${name}`, () => {
      assert.equal(manifest.contributes.configuration.properties[name]?.scope, "machine");
      assert.ok(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes(name));
    });
  }
  it("documents every setting, and the code reads each", () => {
    for (const [name, setting] of Object.entries(manifest.contributes.configuration.properties)) {
      assert.ok((setting.markdownDescription ?? "").length > 40, name);
      const last = name.replace(/^codeagent\.(server\.)?/, "");
      assert.ok(
        name === "codeagent.trace.server" || source.some((text) => text.includes(`"${last}"`)),
        `${name} is not read`,
      );
    }
  });
  it("has every command under one name, and none that the language client registers", () => {
    const taken = new Set<string>(Object.values(Command));
    for (const { command, title, category } of manifest.contributes.commands) {
      assert.equal(category, "CodeAgent MCP");
      assert.ok(!taken.has(command), command);
      assert.ok(!title.startsWith("CodeAgent"), title);
    }
    assert.equal(new Set(commands).size, commands.length);
  });
  it("and the code have the same commands", () => {
    const registered = ["src/commands.ts", "src/serverCommands.ts"]
      .map((name) => readFileSync(name, "utf8"))
      .flatMap((text) =>
        [...text.matchAll(/^ {4}(\w+): (?:about\(|enable\(|async |\(\) =>)/gm)].map(
          ([, name]) => `codeagentMcp.${name}`,
        ),
      );
    assert.deepEqual([...new Set(registered)].toSorted(), commands.toSorted());
  });
  it("names only commands that exist, in menus, welcome texts and walkthroughs", () => {
    const menus = Object.values(manifest.contributes.menus)
      .flat()
      .map(({ command }) => command);
    const texts = [
      ...manifest.contributes.viewsWelcome.map(({ contents }) => contents),
      ...manifest.contributes.walkthroughs.flatMap(({ steps }) =>
        steps.flatMap((step) => [step.description, ...step.completionEvents]),
      ),
    ].join("\n");
    const linked = [...texts.matchAll(/(?:command:|onCommand:)(codeagentMcp\.\w+)/g)].map(([, name]) => name);
    for (const name of [...menus, ...linked]) {
      assert.ok(name !== undefined && commands.includes(name), name);
    }
  });
  it("brings no package along at run time: everything is bundled", () =>
    assert.equal(manifest.dependencies, undefined));
});

describe("the webview", () => {
  it("never makes HTML of text", () => {
    for (const text of source) {
      assert.ok(!/dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write/.test(text));
    }
  });
  it("may load nothing from elsewhere", () => {
    const form = readFileSync("src/form.ts", "utf8");
    assert.match(form, /default-src 'none'/);
    assert.ok(!/unsafe-inline|unsafe-eval|https:/.test(form));
  });
});

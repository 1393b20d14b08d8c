// Figures of the extension: activation, size of the package, large trees against small ones, typing with and without it.
// `bench.mjs` prints one JSON object; milliseconds, medians of several tries on this machine.
import { execFileSync } from "node:child_process";
import { readFile, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { EXTENSION, PYTHON, ROOT, openFile } from "./harness.mjs";
import { DEMO, leave, open } from "./stage.mjs";

const TRIES = 7;
const server = { command: PYTHON, args: [path.join(ROOT, "tests/servers/scripted.py"), "tools=50"] };

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const round = (value) => Math.round(value * 10) / 10;

async function timed(body) {
  const began = performance.now();
  await body();
  return performance.now() - began;
}

/** Milliseconds from activation to the start of the language client, measured in the extension host. */
async function activation() {
  const file = path.join(os.tmpdir(), `codeagent-figures-${process.pid}.json`);
  const env = { ...process.env, CODEAGENT_FIGURES: file };
  execFileSync(process.execPath, [path.join(import.meta.dirname, "journeys.mjs"), "exthost"], { env, stdio: "ignore" });
  const { activation: milliseconds } = JSON.parse(await readFile(file, "utf8"));
  await rm(file);
  return round(milliseconds);
}

/** Expanding a server's tools, and reading all again, with some number of servers. */
async function tree(count) {
  const names = Array.from({ length: count }, (_, index) => `s${String(index).padStart(3, "0")}`);
  const user = Object.fromEntries(names.map((name) => [name, server]));
  const stage = await open({ user, size: { width: 1280, height: 2600 } });
  try {
    await stage.sidebar();
    await stage.status.filter({ hasText: String(count) }).waitFor({ timeout: 240_000 });
    const first = stage.item(/^s000/);
    await first.filter({ hasText: "50 tools" }).waitFor({ timeout: 60_000 });
    const expand = [];
    const refresh = [];
    for (let index = 0; index < TRIES; index += 1) {
      expand.push(
        await timed(async () => {
          await first.click();
          await stage.item(/^Tools/).waitFor();
        }),
      );
      await first.click();
      await stage.item(/^Tools/).waitFor({ state: "detached" });
      refresh.push(
        await timed(async () => {
          await stage.run("Reload Configuration");
          await first.waitFor();
        }),
      );
    }
    return { expand: round(median(expand)), refresh: round(median(refresh)) };
  } finally {
    await stage.close();
  }
}

/** From a key to the list of completions. */
async function typing(user) {
  const stage = await open({ user, files: { "notes.md": "demo demolition democracy\n\n" }, linked: user !== undefined });
  try {
    if (user !== undefined) {
      await stage.sidebar();
      await stage.item(/^demo.*tools/).waitFor({ timeout: 60_000 });
    }
    const { page } = stage;
    await openFile(page, "notes.md");
    await page.locator(".editor-instance .view-lines").first().click();
    const times = [];
    for (let index = 0; index < TRIES; index += 1) {
      await page.keyboard.press("Control+End");
      await page.keyboard.type(user === undefined ? "" : "@");
      times.push(
        await timed(async () => {
          await page.keyboard.type("d");
          await page.keyboard.press("Control+Space");
          await page.locator(".suggest-widget.visible .monaco-list-row").first().waitFor();
        }),
      );
      await page.keyboard.press("Escape");
      await page.keyboard.press("Enter");
    }
    return round(median(times));
  } finally {
    await stage.close();
  }
}

const figures = {
  activation: await activation(),
  vsix: (await stat(path.join(EXTENSION, "dist/codeagent-mcp.vsix"))).size,
  tree: { "1 server, 50 tools": await tree(1), "100 servers, 5000 tools": await tree(100) },
  completion: { with: await typing({ demo: DEMO }), without: await typing(undefined) },
};
await leave();
console.log(JSON.stringify(figures, null, 2));

// One journey's stage: a profile with its servers, a workbench, and short names for what tests do in it.
import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { EXTENSION, PYTHON, furnish, installVsix, makeProfile, openBrowser, openPage, runCommand, startCode, until, waitForWorkbench, webview, withTestDriver, workbenchUrl } from "./harness.mjs";

export const DEMO = { command: PYTHON, args: ["-m", "codeagent_lsp.demo"] };
export const GALLERY = { command: PYTHON, args: [path.join(import.meta.dirname, "gallery.py")] };
export const HOSTILE = { command: PYTHON, args: [...GALLERY.args, "hostile"] };

let results = [];

/** Runs one test; a failure keeps a picture, and ends the journey unless KEEP_GOING is set. */
export async function test(stage, name, body) {
  const began = performance.now();
  try {
    await body();
    report(name, undefined, began);
  } catch (error) {
    const picture = path.join(EXTENSION, "dist", `failure-${name.replaceAll(/\W+/g, "-")}.png`);
    await stage?.page?.screenshot({ path: picture }).catch(() => undefined);
    report(name, `${error.stack}\n  picture: ${picture}`, began);
    if (process.env.KEEP_GOING === undefined) throw new Failed(name, { cause: error });
  }
}

/** Says how a test went: `failure` is what went wrong. */
export function report(name, failure, began) {
  results.push(failure === undefined);
  const took = began === undefined ? "" : ` (${((performance.now() - began) / 1000).toFixed(1)} s)`;
  console.log(failure === undefined ? `  passed  ${name}${took}` : `  failed  ${name}${took}\n${failure}`);
}

class Failed extends Error {}

/** Runs journeys one after the other, and says how they went. With RETRIES=n a failed one has n more tries, each told of. */
export async function run(journeys) {
  let passed = 0;
  let failed = 0;
  for (const [name, journey] of Object.entries(journeys)) {
    for (let tries = Number(process.env.RETRIES ?? 0); ; tries -= 1) {
      const began = performance.now();
      results = [];
      await journey().catch((error) => {
        if (!(error instanceof Failed)) report(name, error.stack);
      });
      console.log(`${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
      if (results.every(Boolean) || tries <= 0) break;
      console.log(`${name}: once more`);
      await leave();
    }
    passed += results.filter(Boolean).length;
    failed += results.filter((result) => !result).length;
  }
  await leave();
  console.log(`VS Code: ${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

/** A VS Code and a browser. */
async function build({ vsix = false, linked = true } = {}) {
  const profile = await makeProfile();
  await furnish(profile, { bundled: vsix });
  const house = { profile };
  house.close = async () => {
    await house.ui?.browser.close();
    await house.code?.stop();
    await profile.remove();
  };
  try {
    if (vsix) await installVsix(profile);
    else if (linked) await symlink(EXTENSION, path.join(profile.extensions, "codeagent.codeagent-mcp-0.1.0"));
    await symlink(path.join(import.meta.dirname, "model"), path.join(profile.extensions, "codeagent-tests.parrot-1.0.0"));
    house.ui = await openBrowser();
    return house;
  } catch (error) {
    await house.close();
    throw error;
  }
}

let shared; // one VS Code and one browser serve all journeys of this process: their start is what costs most

/** Closes what the journeys shared. */
export async function leave() {
  await shared?.close();
  shared = undefined;
}

/**
 * Opens a workbench. `project` and `user` are servers by name, `files` texts by path in the workspace; `vsix` installs
 * the package instead of linking the sources' build; `start` is what is opened in the workspace, if not itself;
 * `tests` is a module whose `run` the extension host calls, and `stage.done` its end. Journeys share a VS Code, unless
 * they need one of their own: each has a new workspace, home, settings and memory.
 */
export async function open({ project, user, files = {}, trust = true, settings, machine, theme, size, vsix = false, linked = true, env, start = "", tests, place } = {}) {
  const isOwn = vsix || !linked || env !== undefined;
  const house = isOwn ? await build({ vsix, linked }) : (shared ??= await build());
  const { profile, ui } = house;
  const stage = { profile, outside: new Set() };
  stage.close = async () => {
    if (isOwn) return house.close();
    for (const page of ui.context.pages()) {
      await page.goto("about:blank"); // so that the workbench takes leave, and its extension host ends
      await page.close();
    }
    await house.code.empty();
  };
  try {
    await furnish(profile, { settings, machine, bundled: vsix, trust, place });
    const write = async (file, text) => {
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    };
    const servers = (mcpServers) => `${JSON.stringify({ mcpServers }, null, 2)}\n`;
    if (project !== undefined) await write(path.join(profile.workspace, ".codeagent/mcp.json"), servers(project));
    if (user !== undefined) await write(path.join(profile.home, ".codeagent/mcp.json"), servers(user));
    for (const [name, text] of Object.entries(files)) await write(path.join(profile.workspace, name), text);
    house.code ??= await startCode(profile, { env: env?.(profile) });
    stage.code = house.code;
    const page = await openPage(ui.context, stage.code.url, size);
    stage.page = page;
    page.on("request", (request) => {
      const { hostname, protocol } = new URL(request.url());
      // A webview's own files have an address of this form, which VS Code answers itself.
      const own = hostname === "127.0.0.1" || hostname.endsWith(".vscode-resource.vscode-cdn.net");
      if (protocol.startsWith("http") && !own) stage.outside.add(hostname);
    });
    if (tests !== undefined) {
      stage.done = new Promise((resolve) => void page.exposeFunction("codeAutomationExit", resolve));
      await withTestDriver(page);
    }
    await page.goto(workbenchUrl(stage.code, path.join(profile.workspace, start), tests));
    await waitForWorkbench(page, theme);
    return Object.assign(stage, shorthand(page));
  } catch (error) {
    await (isOwn ? house.close() : leave());
    throw error;
  }
}

function shorthand(page) {
  const item = (text) => page.getByRole("treeitem").filter({ hasText: text }).first();
  const dialog = page.locator(".monaco-dialog-box");
  return {
    item,
    dialog,
    status: page.locator(".statusbar-item[id*='codeagentMcp']"),
    /** Opens our view. */
    sidebar: () => page.getByRole("tab", { name: "CodeAgent MCP" }).click(),
    /** Opens a closed node of the tree. */
    async expand(text) {
      const node = item(text);
      await node.waitFor();
      if ((await node.getAttribute("aria-expanded")) === "false") await node.click();
    },
    /** Presses a button of the dialog that is open or comes. */
    async answer(button) {
      await dialog.waitFor({ timeout: 30_000 });
      const thisOne = await dialog.elementHandle(); // the next may come as this one goes
      await dialog.getByRole("button", { name: button, exact: true }).click();
      await thisOne.waitForElementState("hidden");
    },
    /** A tool's form, opened from the tree. */
    async form(tool) {
      await item(tool).click();
      const frame = webview(page);
      await frame.locator("h1", { hasText: tool }).waitFor();
      return frame;
    },
    toast: (text) => page.locator(".notification-toast", { hasText: text }),
    run: (title) => runCommand(page, `CodeAgent MCP: ${title}`),
    until,
  };
}

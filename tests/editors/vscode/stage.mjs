// One journey's stage: a profile with its servers, a workbench, and short names for what tests do in it.
import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { EXTENSION, PYTHON, installVsix, makeProfile, openBrowser, runCommand, startCode, until, waitForWorkbench, webview, workbenchUrl } from "./harness.mjs";

export const DEMO = { command: PYTHON, args: ["-m", "codeagent_lsp.demo"] };
export const GALLERY = { command: PYTHON, args: [path.join(import.meta.dirname, "gallery.py")] };
export const HOSTILE = { command: PYTHON, args: [...GALLERY.args, "hostile"] };

let passed = 0;
let failed = 0;

/** Runs one test; a failure keeps a picture, and ends the journey unless KEEP_GOING is set. */
export async function test(stage, name, body) {
  const began = performance.now();
  try {
    await body();
    passed += 1;
    console.log(`  passed  ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    const picture = path.join(EXTENSION, "dist", `failure-${name.replaceAll(/\W+/g, "-")}.png`);
    await stage?.page?.screenshot({ path: picture }).catch(() => undefined);
    console.log(`  failed  ${name}\n${error.stack}\n  picture: ${picture}`);
    if (process.env.KEEP_GOING === undefined) throw new Failed(name, { cause: error });
  }
}

class Failed extends Error {}

/** Runs journeys one after the other, and says how they went. */
export async function run(journeys) {
  for (const [name, journey] of Object.entries(journeys)) {
    console.log(name);
    await journey().catch((error) => {
      if (!(error instanceof Failed)) {
        failed += 1;
        console.log(`  failed  ${name}: ${error.stack}`);
      }
    });
  }
  console.log(`VS Code: ${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

/**
 * Opens a workbench. `project` and `user` are servers by name, `files` texts by path in the workspace; `vsix` installs
 * the package instead of linking the sources' build; `start` is what is opened in the workspace, if not itself.
 */
export async function open({ project, user, files = {}, trust = true, settings, machine, theme, size, vsix = false, linked = true, env, start = "" } = {}) {
  const profile = await makeProfile({ settings, machine, bundled: vsix });
  const write = async (file, text) => {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  const servers = (mcpServers) => `${JSON.stringify({ mcpServers }, null, 2)}\n`;
  if (project !== undefined) await write(path.join(profile.workspace, ".codeagent/mcp.json"), servers(project));
  if (user !== undefined) await write(path.join(profile.home, ".codeagent/mcp.json"), servers(user));
  for (const [name, text] of Object.entries(files)) await write(path.join(profile.workspace, name), text);
  if (vsix) await installVsix(profile);
  else if (linked) await symlink(EXTENSION, path.join(profile.extensions, "codeagent.codeagent-mcp-0.1.0"));
  let code, ui;
  const stage = { profile, outside: new Set() };
  stage.close = async () => {
    await ui?.browser.close();
    await code?.stop();
    await profile.remove();
  };
  try {
    code = await startCode(profile, { trust, env: env?.(profile) });
    stage.code = code;
    ui = await openBrowser(size);
    stage.page = ui.page;
    ui.page.on("request", (request) => {
      const { hostname, protocol } = new URL(request.url());
      // A webview's own files have an address of this form, which VS Code answers itself.
      const own = hostname === "127.0.0.1" || hostname.endsWith(".vscode-resource.vscode-cdn.net");
      if (protocol.startsWith("http") && !own) stage.outside.add(hostname);
    });
    await ui.page.goto(workbenchUrl(code, path.join(profile.workspace, start)));
    await waitForWorkbench(ui.page, theme);
  } catch (error) {
    await stage.close();
    throw error;
  }
  return Object.assign(stage, shorthand(ui.page));
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
      await dialog.getByRole("button", { name: button, exact: true }).click();
      await dialog.waitFor({ state: "detached" });
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

// A real VS Code (code-server) on loopback with our extension in it, opened in headless Chromium.
import { execFile, spawn } from "node:child_process";
import { createWriteStream, existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

export const ROOT = path.resolve(import.meta.dirname, "../../..");
export const EXTENSION = path.join(ROOT, "vscode-client");
export const PYTHON = path.join(ROOT, ".venv/bin/python");
const TOOLS = path.join(ROOT, ".tools/vscode");
const NODE = path.join(TOOLS, "bin/node");
const CODE_SERVER = path.join(TOOLS, "code-server/node_modules/code-server/out/node/entry.js");
/** Whether this VS Code can write output channels (see install.sh). */
export const HAS_LOGS = existsSync(path.join(TOOLS, "logs.stamp"));
const { chromium } = createRequire(path.join(EXTENSION, "package.json"))("playwright-core");

/** What keeps the workbench quiet, offline and the same on every run. */
const QUIET = {
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "workbench.enableExperiments": false,
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.colorTheme": "Default Dark Modern",
  "chat.disableAIFeatures": true,
  "git.enabled": false,
  "npm.fetchOnlinePackageInfo": false,
  "typescript.disableAutomaticTypeAcquisition": true,
  "window.restoreWindows": "none",
  "workbench.reduceMotion": "on", // else toasts are half drawn in pictures
  "files.autoSave": "off",
  "json.schemaDownload.enable": false,
};

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--autoplay-policy=user-gesture-required",
];

/** Waits for something to become true; says what it waited for when it does not. */
export async function until(what, probe, milliseconds = 15_000) {
  for (const end = Date.now() + milliseconds; ; ) {
    const value = await probe();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited ${milliseconds} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Folders for one VS Code: its data, its extensions, and a user's home; `furnish` fills them for one journey. */
export async function makeProfile() {
  const root = await mkdtemp(path.join(os.tmpdir(), "codeagent-vscode-"));
  const profile = {
    root,
    data: path.join(root, "data"),
    extensions: path.join(root, "extensions"),
    home: path.join(root, "home"),
    workspace: "",
    results: path.join(root, "results.json"),
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  };
  for (const folder of [profile.extensions, profile.home]) await mkdir(folder, { recursive: true });
  return profile;
}

let furnished = 0;

/**
 * A user with nothing but our settings, in a new workspace: `settings` for User, `machine` for machine-scoped ones.
 * `place` is the folder that the workspace is made in, and that is emptied first. Unless it is told otherwise the language
 * server is the one of this checkout, and not what the package would install.
 */
export async function furnish(profile, { settings = {}, machine = {}, bundled = false, trust = true, place } = {}) {
  const forgotten = [profile.home, path.join(profile.data, "User"), ...(place === undefined ? [] : [place])];
  for (const folder of forgotten) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  const ours = bundled ? {} : { "codeagent.server.command": [PYTHON, "-m", "codeagent_lsp"] };
  for (const [scope, values] of [
    ["User", { ...QUIET, "security.workspace.trust.enabled": !trust, ...settings }],
    ["Machine", { ...ours, ...machine }],
  ]) {
    await mkdir(path.join(profile.data, scope), { recursive: true });
    await writeFile(path.join(profile.data, scope, "settings.json"), JSON.stringify(values, null, 2));
  }
  furnished += 1;
  profile.workspace = path.join(place ?? path.join(profile.root, String(furnished)), "workspace");
  for (const folder of [profile.home, profile.workspace]) await mkdir(folder, { recursive: true });
}

function places(profile) {
  return [
    ...["--config", path.join(profile.root, "code-server.yaml")], // else it writes into the real home
    ...["--user-data-dir", profile.data],
    ...["--extensions-dir", profile.extensions],
  ];
}

/** Nothing is asked of the outside (the gallery is a closed port), and nothing of the real home is touched. */
function environment(profile, extra = {}) {
  const gallery = { serviceUrl: "http://127.0.0.1:9/gallery", itemUrl: "", resourceUrlTemplate: "" };
  const given = {
    ...process.env,
    EXTENSIONS_GALLERY: JSON.stringify(gallery),
    XDG_RUNTIME_DIR: profile.root,
    XDG_STATE_HOME: path.join(profile.home, "state"),
    XDG_DATA_HOME: path.join(profile.home, "data"),
    XDG_CONFIG_HOME: path.join(profile.home, "config"),
    CODEAGENT_HOME: path.join(profile.home, ".codeagent"),
    PYTHON_KEYRING_BACKEND: "keyring.backends.null.Keyring",
    ...extra,
  };
  return Object.fromEntries(
    Object.entries(given).filter(([name]) => !name.startsWith("VSCODE_") && name !== "NODE_OPTIONS"),
  );
}

/** Installs the package the way a user would. */
export async function installVsix(profile) {
  const vsix = path.join(EXTENSION, "dist/codeagent-mcp.vsix");
  const command = [CODE_SERVER, ...places(profile), "--install-extension", vsix, "--force"];
  await promisify(execFile)(NODE, command, { env: environment(profile) });
}

/** A VS Code for one or for several windows; each of them has an extension host of its own. */
export async function startCode(profile, { env = {} } = {}) {
  const port = await freePort();
  const command = [
    CODE_SERVER,
    ...places(profile),
    ...["--bind-addr", `127.0.0.1:${port}`, "--auth", "none", "--disable-telemetry", "--disable-update-check"],
    ...["--disable-getting-started-override", "--disable-proxy"],
  ];
  const log = createWriteStream(path.join(profile.root, "code-server.log"));
  const child = spawn(NODE, command, {
    env: environment(profile, { CODEAGENT_TEST_RESULTS: profile.results, ...env }),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  const url = `http://127.0.0.1:${port}`;
  await until("code-server", () => {
    if (child.exitCode !== null) throw new Error(`code-server ended: see ${log.path}`);
    return fetch(`${url}/healthz`).then(
      (response) => response.ok,
      () => false,
    );
  });
  return {
    url,
    port,
    /** Waits until the extension hosts of closed windows are gone, and so their language servers; ends what stays. */
    async empty() {
      const hosts = async () => {
        const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,pgid=,args="]);
        const ours = new RegExp(`^\\s*(\\d+)\\s+${child.pid} .*(?:type=extensionHost|codeagent_lsp)`, "gm");
        return [...stdout.matchAll(ours)].map(([, pid]) => Number(pid));
      };
      const gone = async () => (await hosts()).length === 0;
      await until("the extension hosts to end", gone, 5000).catch(async () => {
        for (const pid of await hosts()) process.kill(pid, "SIGKILL");
        await until("the extension hosts to be ended", gone, 5000);
      });
    },
    async stop() {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      process.kill(-child.pid, "SIGTERM"); // its process group: extension hosts and language servers too
      await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 5000).unref())]);
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // all gone
      }
    },
  };
}

/** Chromium: the system's, or the one that was unpacked into .tools with the libraries it needs. */
async function browserFiles() {
  const system = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((file) => existsSync(file));
  if (system !== undefined) return { executablePath: system };
  const home = path.join(TOOLS, "chromium/usr/lib");
  const libraries = new Set();
  for (const entry of await readdir(home, { recursive: true, withFileTypes: true })) {
    if (/\.so(\.|$)/.test(entry.name)) libraries.add(entry.parentPath);
  }
  const env = { ...process.env, LD_LIBRARY_PATH: [...libraries].join(":") };
  return { executablePath: path.join(home, "chromium/chromium"), env };
}

export async function openBrowser() {
  const browser = await chromium.launch({ ...(await browserFiles()), headless: true, args: FLAGS });
  const context = await browser.newContext({ reducedMotion: "reduce" });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  return { browser, context };
}

/** A window in a browser that remembers nothing of the windows before but what it has compiled. */
export async function openPage(context, url, { width = 1280, height = 800 } = {}) {
  const page = await context.newPage();
  await page.setViewportSize({ width, height });
  page.on("dialog", (dialog) => void dialog.accept().catch(() => undefined)); // of a window that closes with unsaved texts
  const session = await context.newCDPSession(page);
  await session.send("Storage.clearDataForOrigin", { origin: url, storageTypes: "cookies,indexeddb,local_storage" });
  await session.detach();
  return page;
}

/** Makes a page's workbench take tests from its address, which a built one does with its test driver only (and then it shows no toasts). */
export function withTestDriver(page) {
  return page.addInitScript(() => {
    const { getAttribute } = Element.prototype;
    Element.prototype.getAttribute = function (name) {
      const value = getAttribute.call(this, name);
      if (this.id !== "vscode-workbench-web-configuration" || name !== "data-settings") return value;
      const options = JSON.parse(value);
      return JSON.stringify({ ...options, developmentOptions: { ...options.developmentOptions, enableSmokeTestDriver: true } });
    };
  });
}

/** The address of a workbench with a folder or a workspace file open; `tests`: a module for the extension host to run. */
export function workbenchUrl(code, folder, tests) {
  const url = new URL(code.url);
  url.searchParams.set(folder.endsWith(".code-workspace") ? "workspace" : "folder", folder);
  if (tests !== undefined) {
    const remote = (file) => `vscode-remote://127.0.0.1:${code.port}${file}`;
    const payload = [
      ["extensionDevelopmentPath", remote(EXTENSION)],
      ["extensionTestsPath", remote(tests)],
    ];
    url.searchParams.set("payload", JSON.stringify(payload));
  }
  return url.href;
}

/** Waits until the workbench is drawn, in a theme of the settings (`vs-dark`, `vs`, `hc-black`, `hc-light`). */
export async function waitForWorkbench(page, theme = "vs-dark") {
  await page.waitForSelector(`.monaco-workbench.${theme} .part.statusbar`, { timeout: 60_000 });
  await page.waitForSelector(`.monaco-workbench.${theme} .part.editor`, { timeout: 60_000 });
}

/** Opens the quick input with a key and types into it; again where the workbench was too busy, or took it away. */
async function quickInput(page, key, text, row) {
  const input = page.locator(".quick-input-widget input.input");
  const found = page.locator(".quick-input-widget .monaco-list-row", { hasText: row }).first();
  await until(`${row} in the quick input`, async () => {
    try {
      if (!(await input.isVisible())) await page.keyboard.press(key);
      await input.fill(text, { timeout: 2000 });
      await found.waitFor({ timeout: 2000 });
      return true;
    } catch {
      return false;
    }
  });
  await page.keyboard.press("Enter");
}

/** Runs a command by its title in the palette. */
export function runCommand(page, title) {
  return quickInput(page, "F1", `>${title}`, title);
}

/** Picks the row of a quick pick that has this text. */
export async function pick(page, text) {
  const row = page.locator(".quick-input-widget .monaco-list-row", { hasText: text }).first();
  await row.waitFor();
  await row.click();
}

export async function openFile(page, name) {
  await quickInput(page, "Control+P", name, name);
  await page.locator(".tabs-container .tab", { hasText: name }).waitFor();
}

/** The document inside of the webview that is in front. */
export function webview(page) {
  return page.locator("iframe.webview.ready").last().contentFrame().locator("#active-frame").contentFrame();
}

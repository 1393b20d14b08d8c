// Takes the pictures in docs/images: every view of the extension, in light, dark and high contrast.
import { mkdir, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { ROOT, openFile, pick, runCommand, webview } from "./harness.mjs";
import { GALLERY, leave, open } from "./stage.mjs";

const IMAGES = path.join(ROOT, "docs/images");
const THEMES = {
  light: { name: "Default Light Modern", type: "vs" },
  dark: { name: "Default Dark Modern", type: "vs-dark" },
  contrast: { name: "Default High Contrast", type: "hc-black" },
};
// Nothing in a picture tells of the machine that it was taken on, or of the day.
const PLACE = path.join(os.tmpdir(), "codeagent-pictures");
const NOTEBOOK = { command: "${CODEAGENT_PYTHON}", args: ["-I", "-m", "codeagent_lsp.demo"] };
const BROKEN = { command: "sh", args: ["-c", "echo 'cannot open notes.db: no such file' >&2; exit 1"] };
const LARGEST = 150_000;

function camera(stage, theme) {
  return async (view) => {
    await stage.page.mouse.move(1099, 2); // so that nothing is hovered
    await stage.page.waitForTimeout(400);
    const file = path.join(IMAGES, `vscode-${view}-${theme}.png`);
    await stage.page.screenshot({ path: file });
    const { size } = await stat(file);
    console.log(`${path.relative(ROOT, file)} ${Math.ceil(size / 1024)} KB`);
    if (size > LARGEST) throw new Error(`${file} is larger than ${LARGEST} bytes`);
  };
}

function look(theme) {
  const { name, type } = THEMES[theme];
  const settings = {
    "workbench.colorTheme": name,
    "window.autoDetectColorScheme": false,
    "editor.minimap.enabled": false,
    "editor.wordWrap": "on",
  };
  return { settings, theme: type, size: { width: 1100, height: 700 }, place: PLACE };
}

/** What one sees before there is anything. */
async function beginning(theme) {
  const stage = await open({ ...look(theme), files: { ".vscode/mcp.json": '{ "servers": {} }' } });
  const take = camera(stage, theme);
  try {
    await stage.sidebar();
    await stage.page.getByRole("button", { name: "Create a Configuration" }).waitFor({ timeout: 60_000 });
    await take("welcome");
    await stage.run("Get Started");
    await stage.page.getByText("Declare a server").first().waitFor();
    await take("walkthrough");
  } finally {
    await stage.close();
  }
}

/** A language server that does not start, and a workspace that nobody has trusted yet. */
async function trouble(theme) {
  const lost = await open({ ...look(theme), machine: { "codeagent.server.command": ["/opt/codeagent/bin/codeagent-lsp"] } });
  try {
    await lost.sidebar();
    await lost.toast("CodeAgent MCP").getByRole("button", { name: "Try Again" }).waitFor({ timeout: 60_000 });
    await camera(lost, theme)("failed-host");
  } finally {
    await lost.close();
  }
  const doubted = await open({ ...look(theme), project: { demo: NOTEBOOK }, user: { gallery: GALLERY }, trust: false });
  try {
    await doubted.sidebar();
    await doubted.item(/^gallery.*tools/).waitFor({ timeout: 60_000 });
    await doubted.item(/^demo.*needs\sapproval/).waitFor();
    await camera(doubted, theme)("untrusted");
  } finally {
    await doubted.close();
  }
}

/** From the question whether a server may start to results. */
async function work(theme) {
  const stage = await open({
    ...look(theme),
    project: { demo: NOTEBOOK, broken: BROKEN },
    user: { gallery: GALLERY },
    files: { "notes.md": "# Plan\n\nStart with @demo:note://readme and then see " },
  });
  const { page } = stage;
  const take = camera(stage, theme);
  try {
    await stage.sidebar();
    await stage.dialog.waitFor({ timeout: 60_000 });
    await take("approve-server");
    await stage.answer("Allow in This Session");
    await stage.answer("Allow in This Session");
    await stage.item(/^demo.*9\stools/).waitFor({ timeout: 30_000 });
    await stage.expand(/^broken.*failed/);
    await stage.expand(/^demo/);
    await stage.expand(/^Resources/);
    await take("servers");
    const note = await stage.form("Write a note");
    await note.getByLabel("Name").fill("shopping");
    await note.getByLabel("Text").fill("milk\nbread");
    await note.getByRole("button", { name: "Run", exact: true }).click();
    await stage.dialog.waitFor();
    await take("approve-call");
    await stage.answer("Allow in This Session");
    await note.locator(".result").waitFor();
    await take("result");
    await stage.form("Ask");
    await webview(page).getByRole("button", { name: "Run", exact: true }).click();
    await stage.answer("Run Once");
    await page.locator(".tab", { hasText: "demo asks" }).waitFor();
    await webview(page).getByLabel("Your name").fill("Ada");
    await take("elicitation");
    await webview(page).getByRole("button", { name: "Decline" }).click();
    await page.locator(".tab", { hasText: "demo asks" }).waitFor({ state: "detached" });
    await stage.item(/^demo/).click();
    await stage.item(/^broken/).click();
    await stage.expand(/^gallery/);
    await stage.form("echo");
    await take("form");
    const echo = webview(page);
    for (const title of ["First", "Second"]) {
      await echo.getByLabel("title").fill(title);
      await echo.getByRole("button", { name: "Run", exact: true }).click();
      await echo.locator(".result").filter({ hasText: title }).waitFor();
    }
    await echo.getByRole("button", { name: "Compare with the Run Before" }).click();
    await page.locator(".monaco-diff-editor .modified .view-line", { hasText: /"Second"/ }).waitFor();
    await take("compare");
    await runCommand(page, "View: Close All Editors");
    const everything = await stage.form("everything");
    await everything.getByRole("button", { name: "Run", exact: true }).click();
    await everything.getByRole("img").waitFor();
    await everything.locator(".said").evaluate((frame) => frame.scrollIntoView());
    await take("everything");
    const rows = await stage.form("rows");
    await rows.getByRole("button", { name: "Run", exact: true }).click();
    await rows.getByRole("table").waitFor();
    await take("table");
    await page.getByRole("button", { name: "Approvals Section" }).click();
    await stage.item(/demo.*may\sstart/).waitFor();
    await runCommand(page, "View: Close All Editors");
    await openFile(page, "notes.md");
    await page.locator(".editor-instance .view-lines").first().click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("@demo:");
    await page.locator(".suggest-widget.visible .monaco-list-row").first().waitFor();
    await take("mention");
    await page.keyboard.press("Escape");
    await openFile(page, "mcp.json");
    await page.locator(".codelens-decoration").first().waitFor({ timeout: 5000 }).catch(() => undefined);
    await take("configuration");
    await stage.run("Show Log");
    await pick(page, "broken");
    await page.locator(".part.panel .view-line", { hasText: "cannot open notes.db" }).first().waitFor();
    await take("log");
    await runCommand(page, "View: Hide Panel");
    await stage.status.click();
    await page.locator(".quick-input-widget .monaco-list-row").first().waitFor();
    await take("list-servers");
  } finally {
    await stage.close();
  }
}

await mkdir(IMAGES, { recursive: true });
const wanted = process.argv.slice(2);
for (const theme of Object.keys(THEMES).filter((name) => wanted.length === 0 || wanted.includes(name))) {
  await beginning(theme);
  await trouble(theme);
  await work(theme);
}
await leave();

// What people do with the extension, end to end in the real workbench; `journeys.mjs NAME...` runs only some.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, readFile } from "node:fs/promises";
import path from "node:path";
import { bad } from "./bad.mjs";
import { exthost } from "./exthost.mjs";
import { more } from "./more.mjs";
import { HAS_LOGS, openFile, pick, until, webview } from "./harness.mjs";
import { accessible } from "./accessible.mjs";
import { DEMO, GALLERY, open, run, test } from "./stage.mjs";

/** From a folder nobody has trusted yet to a tool's result. */
async function firstSteps() {
  const stage = await open({ project: { demo: DEMO }, user: { mine: GALLERY }, trust: false });
  const { page, item, dialog } = stage;
  try {
    await test(stage, "an untrusted workspace starts the user's own servers only", async () => {
      await stage.sidebar();
      await item(/^mine.*tools/).waitFor({ timeout: 60_000 });
      await item(/^demo.*needs\sapproval/).waitFor();
      assert.equal(await dialog.count(), 0);
    });
    await test(stage, "trust that is granted later is sent on, and the question comes with deny as its default", async () => {
      await page.locator(".part.banner").getByText("Manage").click();
      await page.locator(".workspace-trust-editor").getByRole("button", { name: "Trust", exact: true }).click();
      await dialog.waitFor({ timeout: 30_000 });
      await dialog.getByText("codeagent_lsp.demo").waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Deny");
      await dialog.getByRole("button", { name: "Deny", exact: true }).click();
      await dialog.waitFor({ state: "detached" });
      const modal = page.locator(".monaco-modal-editor-block");
      if ((await modal.count()) > 0) await modal.getByRole("button", { name: /^Close/ }).click();
      await item(/^demo.*needs\sapproval/).waitFor();
    });
    await test(stage, "a server that was denied can be approved from the tree", async () => {
      await item(/^demo/).hover();
      await item(/^demo/).getByRole("button", { name: "Approve Server…" }).click();
      await stage.answer("Allow in This Session");
      await item(/^demo.*9\stools/).waitFor({ timeout: 30_000 });
      await stage.status.filter({ hasText: "2" }).waitFor();
    });
    await test(stage, "the list of approvals has it, and can take it back", async () => {
      await page.getByRole("button", { name: "Approvals Section" }).click();
      const approval = item(/demo.*may\sstart\sin\sthis\ssession/);
      await approval.waitFor();
      await approval.hover();
      await approval.getByRole("button", { name: "Revoke Approval" }).click();
      await item(/^demo.*needs\sapproval/).waitFor();
    });
    await test(stage, "nothing outside of this machine was asked for", () => assert.deepEqual([...stage.outside], []));
  } finally {
    await stage.close();
  }
}

/** The form and the result view. */
async function tools() {
  const stage = await open({ user: { demo: DEMO, gallery: GALLERY } });
  const { page } = stage;
  try {
    await test(stage, "a call that writes asks, and a denied one is told in plain words", async () => {
      await stage.sidebar();
      await stage.expand(/^demo.*tools/);
      const form = await stage.form("Write a note");
      await form.getByRole("button", { name: "Run", exact: true }).click();
      await form.getByText("Needed.").first().waitFor();
      await form.getByLabel("Name").fill("shopping");
      await form.getByLabel("Text").fill("milk\nbread");
      await page.keyboard.press("Control+Enter");
      await stage.answer("Deny");
      await form.getByRole("alert").filter({ hasText: "did not allow" }).waitFor();
      await form.getByRole("button", { name: "Run", exact: true }).click();
      await stage.answer("Run Once");
      await form.getByText("Wrote shopping (10 characters).").first().waitFor();
    });
    await test(stage, "past arguments come back, as form and as JSON", async () => {
      const form = webview(page);
      await form.getByLabel("Name").fill("other");
      await form.getByLabel("Past arguments").selectOption({ index: 1 });
      assert.equal(await form.getByLabel("Name").inputValue(), "shopping");
      await form.getByRole("button", { name: "Edit as JSON" }).click();
      const json = form.getByLabel("Arguments as JSON");
      assert.deepEqual(JSON.parse(await json.inputValue()), { name: "shopping", text: "milk\nbread" });
    });
    await test(stage, "a question that is long is a document to read, and Escape is a no", async () => {
      const form = webview(page);
      await form.getByRole("button", { name: "Edit as Form" }).click();
      await form.getByRole("textbox", { name: "Text" }).fill("a line that goes on and on\n".repeat(80));
      await form.getByRole("button", { name: "Run", exact: true }).click();
      const title = page.locator(".quick-input-title", { hasText: "May the tool “add_note”" });
      await title.waitFor();
      await page.locator(".editor-instance .view-line", { hasText: "With the arguments" }).waitFor();
      await page.keyboard.press("Escape");
      await page.locator(".tab", { hasText: "CodeAgent MCP asks" }).waitFor({ state: "detached" });
      await webview(page).getByRole("alert").filter({ hasText: "did not allow" }).waitFor();
    });
    await test(stage, "a tool can be switched off and on", async () => {
      await stage.run("Disable Tool");
      await page.locator(".quick-input-widget input.input").fill("roll");
      await pick(page, "roll_dice");
      await stage.item(/roll_dice.*disabled/).hover();
      await stage.item(/roll_dice.*disabled/).getByRole("button", { name: "Enable Tool" }).click();
      await stage.item(/roll_dice.*Roll\ssix/).waitFor();
    });
    await test(stage, "a template and a prompt are filled in, with the server's completions", async () => {
      await stage.expand(/^Resources/);
      await stage.item("A note by name").click();
      await pick(page, "groceries");
      await page.locator(".tab", { hasText: "groceries" }).waitFor();
      await stage.expand(/^Prompts/);
      await stage.item("Review a note").click();
      await pick(page, "readme");
      await page.locator(".quick-input-widget input.input").fill("Ger");
      await pick(page, "German");
      await page.locator(".view-line", { hasText: "answer in German" }).waitFor();
    });
    await test(stage, "a call shows its progress and can be cancelled", async () => {
      const form = await stage.form("Count");
      await form.getByLabel("Steps").fill("60");
      await form.getByLabel("Seconds").fill("0.3");
      await form.getByRole("button", { name: "Run", exact: true }).click();
      await form.getByText(/step \d+ of 60/).waitFor();
      await form.getByRole("button", { name: "Cancel" }).click();
      await form.getByText("The call was cancelled.").waitFor();
    });
    await test(stage, "a server's question is a form, and its answer reaches the server", async () => {
      await stage.form("Ask");
      await webview(page).getByRole("button", { name: "Run", exact: true }).click();
      await page.locator(".tab", { hasText: "demo asks" }).waitFor();
      const question = webview(page);
      await question.getByText("Whom shall I greet?").waitFor();
      await question.getByLabel("Your name").fill("Ada");
      await question.getByRole("button", { name: "Send" }).click();
      await webview(page).getByText("Hello, Ada.").first().waitFor();
    });
    await test(stage, "every kind of schema has a field, and untouched ones are not sent", async () => {
      await stage.expand(/^gallery.*tools/);
      const form = await stage.form("echo");
      await form.getByLabel("title").fill("Test");
      await form.getByRole("button", { name: "Add" }).first().click();
      await form.locator("#argument_labels_0").fill("a");
      await form.getByLabel("extra").fill("[1, null]");
      await accessible(form);
      await form.getByRole("button", { name: "Run", exact: true }).click();
      await form.getByRole("heading", { name: "Result" }).waitFor();
      await form.getByRole("button", { name: "Copy" }).click();
      const copied = await until("the copy", () => page.evaluate(() => navigator.clipboard.readText()));
      assert.deepEqual(JSON.parse(copied), { title: "Test", priority: "normal", count: 3, labels: ["a"], extra: [1, null] });
    });
    await test(stage, "a result is compared with the one before", async () => {
      const form = webview(page);
      await form.getByLabel("title").fill("Other");
      await form.getByRole("button", { name: "Run", exact: true }).click();
      await form.getByRole("button", { name: "Compare with the Run Before" }).click();
      const sides = page.locator(".monaco-diff-editor");
      await sides.locator(".original .view-line", { hasText: /"Test"/ }).waitFor();
      await sides.locator(".modified .view-line", { hasText: /"Other"/ }).waitFor();
    });
    await test(stage, "images, sound, links and resources are shown, and pass the accessibility check", async () => {
      const form = await stage.form("everything");
      await form.getByRole("button", { name: "Run", exact: true }).click();
      await form.getByRole("img").waitFor();
      assert.equal(await form.getByRole("img").evaluate((image) => image.naturalWidth), 96);
      await form.getByText("# A heading").waitFor();
      await form.getByText("[unsupported content: video]").waitFor();
      await accessible(form);
      await form.getByRole("button", { name: "Read" }).click();
      await page.locator(".tab", { hasText: "one.md" }).waitFor();
    });
    await test(stage, "a list of objects is a table", async () => {
      const form = await stage.form("rows");
      await form.getByRole("button", { name: "Run", exact: true }).click();
      await form.getByRole("columnheader", { name: "people" }).waitFor();
      await form.getByRole("cell", { name: "Zürich" }).waitFor();
      await accessible(form);
    });
    await test(stage, "the filter leaves what has its words, and Escape brings all back", async () => {
      await stage.run("Filter");
      const box = page.locator(".quick-input-widget input.input");
      await box.fill("delete note");
      await stage.item("Delete a note").waitFor();
      await stage.item("gallery").waitFor({ state: "detached" });
      await page.keyboard.press("Escape");
      await stage.item("gallery").waitFor();
    });
    await test(stage, "the status bar leads to a server's log", async () => {
      await stage.status.click();
      await pick(page, "gallery");
      await pick(page, "Show Log");
      const chosen = page.locator(".part.panel select").first();
      await until("the channel", async () => /gallery/.test(await chosen.evaluate((box) => box.selectedOptions[0].text)));
      if (HAS_LOGS) await page.locator(".part.panel .view-line", { hasText: /\S/ }).first().waitFor();
    });
  } finally {
    await stage.close();
  }
}

/** From nothing to a first server, and mentions in a text. */
async function firstConfiguration() {
  const stage = await open({ files: { "notes.md": "# Notes\n\nsee " } });
  const { page } = stage;
  try {
    await test(stage, "without a config there is a button that makes one, with a server that works", async () => {
      await stage.sidebar();
      await page.getByRole("button", { name: "Create a Configuration" }).click({ timeout: 60_000 });
      await page.locator(".view-line", { hasText: "A notebook to try things with" }).waitFor();
      await stage.answer("Always Allow This Launch");
      await stage.item(/^demo.*9\stools/).waitFor({ timeout: 30_000 });
      const text = await readFile(path.join(stage.profile.workspace, ".codeagent/mcp.json"), "utf8");
      assert.match(text, /Nothing in here starts before you approve it/);
    });
    await test(stage, "a resource is read into a document of its own", async () => {
      await stage.expand(/^demo/);
      await stage.expand(/^Resources/);
      await stage.item("note://readme").click();
      await page.locator(".tab", { hasText: "readme" }).waitFor();
      await page.locator(".editor-instance .view-line").first().waitFor();
    });
    await test(stage, "typing @ completes a mention", async () => {
      await openFile(page, "notes.md");
      await page.locator(".editor-instance .view-lines").first().click();
      await page.keyboard.press("Control+End");
      await page.keyboard.type("@demo:");
      const row = page.locator(".suggest-widget.visible .monaco-list-row", { hasText: "readme" });
      await row.first().waitFor();
      await row.first().click();
      await page.locator(".view-line", { hasText: "@demo:note://readme" }).waitFor();
    });
    await test(stage, "a mention is inserted from the tree", async () => {
      await stage.item("note://ideas").hover();
      await stage.item("note://ideas").getByRole("button", { name: "Insert Mention" }).click();
      await page.locator(".view-line", { hasText: "@demo:note://ideas" }).waitFor();
    });
    await test(stage, "the entry of a server is found in its file", async () => {
      await stage.run("Show Configuration");
      await page.locator(".tab.active", { hasText: "mcp.json" }).waitFor();
      const lens = page.locator(".codelens-decoration");
      await lens.getByText(/ready · 9 tools/).waitFor();
      await until("the log", async () => {
        await lens.getByText("Show log").click(); // a click is lost where a lens is drawn anew under it
        return page.locator(".part.panel select").first().waitFor({ timeout: 3000 }).then(() => true, () => false);
      });
    });
  } finally {
    await stage.close();
  }
}

/** The package as people install it: it makes its own Python environment, and nothing of the workspace is used for it. */
async function packaged() {
  const trap = "#!/bin/sh\ntouch ran-code-of-the-workspace\n";
  const stage = await open({
    vsix: true,
    files: { "bin/python3": trap, "codeagent_lsp/__init__.py": "raise SystemExit('code of the workspace')\n" },
    env: ({ workspace }) => ({ PATH: `${path.join(workspace, "bin")}:${process.env.PATH}`, PYTHONPATH: workspace }),
  });
  try {
    await test(stage, "the first start makes an environment, visibly, and the language server runs in it", async () => {
      await chmod(path.join(stage.profile.workspace, "bin/python3"), 0o755);
      await stage.sidebar();
      await stage.toast("setting up the language server").waitFor({ timeout: 60_000 });
      await stage.page.getByRole("button", { name: "Create a Configuration" }).waitFor({ timeout: 240_000 });
      assert.ok(!existsSync(path.join(stage.profile.workspace, "ran-code-of-the-workspace")));
    });
    await test(stage, "the example of a new configuration works in it", async () => {
      await stage.page.getByRole("button", { name: "Create a Configuration" }).click();
      await stage.answer("Allow in This Session");
      await stage.item(/^demo.*9\stools/).waitFor({ timeout: 60_000 });
    });
  } finally {
    await stage.close();
  }
}

const journeys = { exthost, firstSteps, tools, firstConfiguration, ...more, ...bad, packaged };
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in journeys));
if (unknown.length > 0) throw new Error(`there is no journey ${unknown.join(", ")}: ${Object.keys(journeys).join(", ")}`);
const chosen = (name) => (wanted.length === 0 ? name !== "packaged" : wanted.includes(name));
await run(Object.fromEntries(Object.entries(journeys).filter(([name]) => chosen(name))));

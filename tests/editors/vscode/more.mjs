// Journeys through the rarer questions, through imports, and through two windows at once.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { runCommand, until, waitForWorkbench, workbenchUrl } from "./harness.mjs";
import { DEMO, GALLERY, open, test } from "./stage.mjs";

/** A secret of the configuration, a page to open, and servers of another tool. */
async function questions() {
  const stage = await open({
    project: { gallery: { ...GALLERY, env: { TOKEN: "${input:token}" } } },
    files: { ".vscode/mcp.json": JSON.stringify({ servers: { imported: DEMO } }), "model.txt": "" },
    settings: { "chat.disableAIFeatures": false },
  });
  const { page, dialog } = stage;
  try {
    await test(stage, "a secret of the configuration is asked for, masked, and reaches the server", async () => {
      await stage.sidebar();
      await stage.answer("Allow in This Session");
      const box = page.locator(".quick-input-widget input.input");
      if (!(await box.waitFor({ timeout: 2000 }).then(() => true, () => false))) {
        await stage.item(/^gallery/).hover();
        await stage.item(/^gallery/).getByRole("button", { name: /(Re)?[Ss]tart Server/ }).click();
        await box.waitFor();
      }
      assert.equal(await box.getAttribute("type"), "password");
      await box.fill("s3cret-value");
      await page.keyboard.press("Enter");
      await stage.item(/^gallery.*tools/).waitFor({ timeout: 30_000 });
      await stage.expand(/^gallery/);
      const form = await stage.form("env");
      await form.getByRole("button", { name: "Run", exact: true }).click();
      await stage.answer("Run Once");
      await form.getByText(/TOKEN is/).waitFor();
    });
    await test(stage, "a page that a server wants opened is shown whole, and is not opened by itself", async () => {
      const form = await stage.form("visit");
      await form.getByRole("button", { name: "Run", exact: true }).click();
      await stage.answer("Run Once");
      await dialog.getByText("https://example.com/sign-in?to=gallery").waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Do Not Open");
      await stage.answer("Do Not Open");
      await form.locator(".json-string", { hasText: "decline" }).waitFor();
      assert.deepEqual([...stage.outside], []);
    });
    await test(stage, "a request for a language model is shown whole, and goes to the model after a yes", async () => {
      const form = await stage.form("think");
      await form.getByRole("button", { name: "Run", exact: true }).click();
      await stage.answer("Run Once");
      await dialog.getByText("What is a gallery?").waitFor();
      assert.match(await dialog.innerText(), /Parrot/);
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Deny");
      await stage.answer("Ask the Model Once");
      await form.getByText("You said: What is a gallery?").waitFor();
      await form.getByRole("button", { name: "Run", exact: true }).click();
      await stage.answer("Run Once");
      await dialog.getByText("What is a gallery?").waitFor(); // a yes is for once
      await stage.answer("Deny");
      await form.getByText("refused").waitFor();
    });
    await test(stage, "servers of another tool are imported as an edit that is not saved", async () => {
      await stage.run("Import Servers");
      await page.locator(".tab.dirty", { hasText: "mcp.json" }).waitFor();
      await page.locator(".view-line", { hasText: '"imported"' }).waitFor();
      const saved = await readFile(path.join(stage.profile.workspace, ".codeagent/mcp.json"), "utf8");
      assert.ok(!saved.includes("imported"));
    });
  } finally {
    await stage.close();
  }
}

/** The same folder in two windows. */
async function windows() {
  const stage = await open({ user: { demo: DEMO } });
  try {
    await test(stage, "two windows have their own servers, and do not disturb each other", async () => {
      await stage.sidebar();
      await stage.item(/^demo.*tools/).waitFor({ timeout: 60_000 });
      const second = await stage.page.context().newPage();
      await second.goto(workbenchUrl(stage.code, stage.profile.workspace));
      await waitForWorkbench(second);
      await second.getByRole("tab", { name: "CodeAgent MCP" }).click();
      const item = second.getByRole("treeitem").filter({ hasText: /^demo/ }).first();
      await item.filter({ hasText: /9\stools/ }).waitFor({ timeout: 60_000 });
      await runCommand(second, "CodeAgent MCP: Stop Server");
      await item.filter({ hasText: "stopped" }).waitFor();
      await until("the first window as it was", async () => /tools/.test(await stage.item(/^demo/).innerText()));
      await second.close();
    });
  } finally {
    await stage.close();
  }
}

/** Two folders in one window, each with a server of the same name. */
async function folders() {
  const servers = JSON.stringify({ mcpServers: { gallery: GALLERY } });
  const stage = await open({
    start: "both.code-workspace",
    files: {
      "both.code-workspace": JSON.stringify({ folders: [{ path: "one" }, { path: "two" }] }),
      "one/.codeagent/mcp.json": servers,
      "two/.codeagent/mcp.json": servers,
    },
  });
  try {
    await test(stage, "one language client serves all folders of a window", async () => {
      await stage.sidebar();
      await stage.answer("Allow in This Session");
      await stage.answer("Allow in This Session");
      await stage.item(/^gallery\d/).waitFor({ timeout: 60_000 });
      await stage.item(/^gallery@two.*tools/).waitFor({ timeout: 30_000 });
      await stage.status.filter({ hasText: "2" }).waitFor();
    });
  } finally {
    await stage.close();
  }
}

export const more = { questions, windows, folders };

// Journeys in which servers, workspaces or programs misbehave.
import assert from "node:assert/strict";
import { HAS_LOGS, webview } from "./harness.mjs";
import { accessible } from "./accessible.mjs";
import { GALLERY, HOSTILE, open, test } from "./stage.mjs";

/** A server with hostile texts, huge results, and a process that dies. */
async function badServers() {
  const stage = await open({ user: { bad: HOSTILE } });
  const { page } = stage;
  try {
    await test(stage, "hostile texts are shown, and nothing in them acts", async () => {
      await stage.sidebar();
      await stage.expand(/^bad.*tools/);
      const form = await stage.form("harm");
      await form.getByText("\\u{1B}[31mred").first().waitFor();
      const text = await form.locator("main").innerText();
      assert.ok(text.includes("\\u{202E}gnp.exe\\u{200B}") && text.includes("<script>") && text.includes("[click me](command:"));
      assert.equal(await form.locator("main").locator("a, img, iframe, script").count(), 0);
      await accessible(form);
    });
    await test(stage, "its question keeps the server's words apart from ours", async () => {
      await webview(page).getByRole("button", { name: "Run", exact: true }).click();
      await page.locator(".tab", { hasText: "CodeAgent MCP asks" }).or(stage.dialog).first().waitFor();
      if ((await stage.dialog.count()) > 0) {
        const lines = (await stage.dialog.innerText()).split("\n");
        assert.equal(lines.filter((line) => line.startsWith("Approved by")).length, 0);
        assert.equal(await stage.dialog.locator(".dialog-message-container a").count(), 0);
        await stage.answer("Run Once");
      } else {
        await page.locator(".quick-input-widget .monaco-list-row", { hasText: "Run Once" }).click();
      }
      const form = webview(page);
      await form.locator(".result").waitFor();
      assert.equal(await form.locator(".result a, .result img, .result script").count(), 0);
    });
    await test(stage, "a result of 5 MB is cut where one can see it, and opens whole", async () => {
      const form = await stage.form("huge");
      await form.getByRole("button", { name: "Run", exact: true }).click();
      await form.getByText("more characters: open the result as a document").waitFor({ timeout: 30_000 });
      await form.getByRole("button", { name: "Open as Document" }).click();
      await page.locator(".tab", { hasText: "huge.txt" }).waitFor();
    });
    await test(stage, "a tool's own error is a result", async () => {
      const form = await stage.form("fail");
      await form.getByRole("button", { name: "Run", exact: true }).click();
      await form.getByRole("heading", { name: "The tool reports an error" }).waitFor();
      await form.getByText("the disk is full").waitFor();
    });
    await test(stage, "a server that dies during a call ends the call, and comes back", async () => {
      const form = await stage.form("die");
      await form.getByRole("button", { name: "Run", exact: true }).click();
      await form.getByRole("alert").filter({ hasText: /exit/ }).waitFor({ timeout: 30_000 });
      await stage.item(/^bad.*tools/).waitFor({ timeout: 30_000 });
      await stage.item("Give a table.").waitFor(); // the tree is as open as it was
    });
    await test(stage, "a form that asks for a password is refused, and a model that is not there is a no", async () => {
      const form = await stage.form("secret");
      await form.getByRole("button", { name: "Run", exact: true }).click();
      await form.locator(".json-string", { hasText: "decline" }).waitFor();
      await stage.toast("asked for a password").waitFor();
      const other = await stage.form("think");
      await other.getByRole("button", { name: "Run", exact: true }).click();
      await other.getByText("refused").waitFor();
    });
    await test(stage, "nothing outside of this machine was asked for", () => assert.deepEqual([...stage.outside], []));
  } finally {
    await stage.close();
  }
}

/** A language server that cannot be started. */
async function badHost() {
  const stage = await open({
    user: { gallery: GALLERY },
    machine: { "codeagent.server.command": ["/nowhere/codeagent-lsp"] },
  });
  try {
    await test(stage, "a server that cannot start says so, and offers to try again and the log", async () => {
      await stage.sidebar();
      await stage.toast("CodeAgent MCP").getByRole("button", { name: "Try Again" }).waitFor({ timeout: 60_000 });
      await stage.page.getByText("The language server could not be started.").waitFor();
      await stage.page.locator(".pane-body").getByRole("button", { name: "Show Output" }).click();
      await stage.page.locator(".part.panel .tab, .part.panel .action-item.checked", { hasText: "Output" }).waitFor();
      if (HAS_LOGS) await stage.page.locator(".part.panel .view-line", { hasText: /nowhere.*is\snot\sthere/ }).first().waitFor();
    });
  } finally {
    await stage.close();
  }
}

export const bad = { badServers, badHost };

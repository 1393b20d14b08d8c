// Runs the mocha tests of vscode-client/test/exthost inside VS Code's real extension host.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { EXTENSION, PYTHON, makeProfile, openBrowser, startCode, workbenchUrl } from "./harness.mjs";

const profile = await makeProfile();
const results = path.join(profile.root, "results.json");
const demo = { command: PYTHON, args: ["-m", "codeagent_lsp.demo"], autoApprove: ["*"] };
await mkdir(path.join(profile.home, ".codeagent"), { recursive: true });
await writeFile(path.join(profile.home, ".codeagent/mcp.json"), JSON.stringify({ mcpServers: { demo } }));
await mkdir(path.join(profile.workspace, ".codeagent"));

const lines = [];
let code, ui;
try {
  code = await startCode(profile, {
    // A built workbench takes the tests from its address only with this driver on.
    more: ["--vscode-option", "enable-smoke-test-driver"],
    env: { CODEAGENT_TEST_RESULTS: results } // CODEAGENT_FIGURES is handed on from our own environment,
  });
  ui = await openBrowser();
  ui.page.on("console", (message) => lines.push(message.text()));
  const done = new Promise((resolve) => void ui.page.exposeFunction("codeAutomationExit", resolve));
  const remote = (file) => `vscode-remote://127.0.0.1:${code.port}${file}`;
  await ui.page.goto(
    workbenchUrl(code, profile.workspace, [
      ["extensionDevelopmentPath", remote(EXTENSION)],
      ["extensionTestsPath", remote(path.join(EXTENSION, "dist/test/exthost/index.js"))],
    ]),
  );
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error("no result in 120 s")), 120_000).unref());
  await Promise.race([done, late]);
  const tests = JSON.parse(await readFile(results, "utf8"));
  for (const { title, state, error } of tests) console.log(`  ${state}  ${title}${error ? `\n${error}` : ""}`);
  const failed = tests.filter(({ state }) => state === "failed").length;
  console.log(`extension host: ${tests.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && tests.length > 0 ? 0 : 1;
} catch (error) {
  console.error(error, lines.slice(-30).join("\n"));
  await ui?.page.screenshot({ path: path.join(EXTENSION, "dist/failure-exthost.png") }).catch(() => undefined);
  process.exitCode = 1;
} finally {
  await ui?.browser.close();
  await code?.stop();
  await profile.remove();
}

// The mocha tests of vscode-client/test/exthost, inside VS Code's real extension host.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { EXTENSION } from "./harness.mjs";
import { DEMO, open, report } from "./stage.mjs";

export async function exthost() {
  const stage = await open({
    user: { demo: { ...DEMO, autoApprove: ["*"] } },
    files: { ".codeagent/notes.txt": "" },
    tests: path.join(EXTENSION, "dist/test/exthost/index.js"),
  });
  const lines = [];
  stage.page.on("console", (message) => lines.push(message.text()));
  try {
    const late = new Promise((resolve) => setTimeout(resolve, 120_000, "late").unref());
    if ((await Promise.race([stage.done, late])) === "late") throw new Error(`no result in 120 s\n${lines.slice(-30).join("\n")}`);
    for (const { title, state, error } of JSON.parse(await readFile(stage.profile.results, "utf8"))) {
      report(title, state === "failed" ? error : undefined);
    }
  } finally {
    await stage.close();
  }
}

// What VS Code's extension host calls when it is given these tests; the outcome goes to a file, since its console is noisy.

import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";

import Mocha from "mocha";

export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: "bdd", color: false, timeout: 30_000 });
  for (const name of readdirSync(__dirname).filter((file) => file.endsWith(".test.js"))) {
    mocha.addFile(path.join(__dirname, name));
  }
  const results: { title: string; state: string; error?: string }[] = [];
  const failures = await new Promise<number>((resolve) => {
    mocha
      .run(resolve)
      .on("pass", (test) => results.push({ title: test.fullTitle(), state: "passed" }))
      .on("fail", (test, error: Error) =>
        results.push({ title: test.fullTitle(), state: "failed", error: String(error.stack ?? error) }),
      );
  });
  const file = process.env["CODEAGENT_TEST_RESULTS"];
  if (file !== undefined) {
    writeFileSync(file, JSON.stringify(results, null, 2));
  }
  if (failures > 0) {
    throw new Error(`${failures} tests failed`);
  }
}

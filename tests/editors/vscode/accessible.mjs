// The automated accessibility check of a webview: axe, with the rules of WCAG 2.1 A and AA.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { EXTENSION } from "./harness.mjs";

const axe = createRequire(path.join(EXTENSION, "package.json")).resolve("axe-core/axe.min.js");

/** Raises an error that lists what axe has found in the document of a frame. */
export async function accessible(frame) {
  const source = await readFile(axe, "utf8");
  const root = frame.locator("html");
  await root.evaluate((_, code) => void globalThis.eval(code), source).catch(async () => {
    // The webview's policy forbids eval, as it should: the debugger's own evaluation is not bound by it.
    await root.evaluate(new Function("element", source));
  });
  const found = await root.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] });
    return violations.map(({ id, help, nodes }) => `${id}: ${help}\n    ${nodes.map(({ html }) => html).join("\n    ")}`);
  });
  if (found.length > 0) throw new Error(`axe found:\n${found.join("\n")}`);
}

// Bundles the extension, its form, and with --tests their tests; --minify for the package.
import { copyFile, mkdir, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { build } from "esbuild";

const minify = process.argv.includes("--minify");
const common = {
  bundle: true,
  sourcemap: minify ? false : "linked",
  minify,
  logLevel: "warning",
  legalComments: "none",
};
const node = { ...common, platform: "node", format: "cjs", target: "node20", external: ["vscode", "mocha"] };

await mkdir("dist", { recursive: true });
const schema = "../server/codeagent_lsp/config/schema.json";
if (existsSync(schema)) {
  await copyFile(schema, "dist/schema.json");
}
if (minify) {
  await Promise.all(
    ["main.js.map", "webview.js.map", "webview.css.map"].map((name) => rm(`dist/${name}`, { force: true })),
  );
}
await Promise.all([
  build({ ...node, entryPoints: ["src/main.ts"], outdir: "dist" }),
  build({
    ...common,
    platform: "browser",
    format: "iife",
    target: "chrome120",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": minify ? '"production"' : '"development"' },
    entryPoints: { webview: "src/webview/index.tsx" },
    outdir: "dist",
  }),
  ...(process.argv.includes("--tests")
    ? [
        build({ ...node, sourcemap: "inline", entryPoints: ["test/unit/*.test.ts"], outdir: "dist/test/unit" }),
        build({ ...node, sourcemap: "inline", entryPoints: ["test/exthost/*.ts"], outdir: "dist/test/exthost" }),
      ]
    : []),
]);

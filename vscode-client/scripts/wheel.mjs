// Builds the server's wheel into dist/server, from where the VSIX takes it.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");
const target = path.join(root, "vscode-client/dist/server");
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const python = process.platform === "win32" ? ".venv/Scripts/python.exe" : ".venv/bin/python";
const pip = ["-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation"];
execFileSync(path.join(root, python), [...pip, "--wheel-dir", target, root], { stdio: "inherit" });

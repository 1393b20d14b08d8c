// The server's own Python environment in the extension's storage: made from the wheel on first use, then kept.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { cleanEnvironment, type Python } from "./python";

const STAMP = "installed.json";
const PATIENCE = 10 * 60_000;

export interface Report {
  /** A line for the log. */
  log(line: string): void;
  /** What is being done now, for the progress. */
  step(text: string): void;
}

/** The environment cannot be made; the message says what the user can do. */
export class InstallError extends Error {}

/** The path of the interpreter in an environment. */
export function interpreter(folder: string, platform: NodeJS.Platform = process.platform): string {
  return platform === "win32" ? path.join(folder, "Scripts", "python.exe") : path.join(folder, "bin", "python");
}

/** The folder for one wheel: another wheel, another folder, so that two versions never share files. */
export async function environmentFolder(storage: string, wheel: string): Promise<string> {
  const hash = createHash("sha256")
    .update(await readFile(wheel))
    .digest("hex");
  return path.join(storage, `server-${hash.slice(0, 12)}`);
}

/** Whether the environment is whole: its stamp is written last, and its interpreter is still there. */
export async function isInstalled(folder: string): Promise<boolean> {
  const stamped = await stat(path.join(folder, STAMP)).catch(() => undefined);
  const python = await stat(interpreter(folder)).catch(() => undefined);
  return stamped !== undefined && python !== undefined;
}

/**
 * Makes the environment and installs the wheel into it; removes those of other wheels afterwards. Two windows that come
 * at once make it once: the second waits. Raises `InstallError`.
 */
export async function install(
  folder: string,
  wheel: string,
  python: Python,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(path.dirname(folder), { recursive: true });
  const release = await lock(`${folder}.lock`, signal);
  try {
    if (await isInstalled(folder)) {
      return;
    }
    await rm(folder, { recursive: true, force: true });
    report.step(`Making an environment with Python ${python.version}`);
    await run(python.path, ["-I", "-m", "venv", folder], report, signal, {
      "No module named venv": "Install the venv module, e.g. with “apt install python3-venv”.",
      ensurepip: "Install the venv module, e.g. with “apt install python3-venv”.",
    });
    report.step("Installing the language server");
    const pip = [
      "-I",
      "-m",
      "pip",
      "install",
      "--disable-pip-version-check",
      "--no-input",
      "--progress-bar=off",
      wheel,
    ];
    await run(interpreter(folder), pip, report, signal, {
      "No matching distribution": "The package index that pip is set up for does not have what is needed.",
      Connection: "Check the network, or set up a proxy for pip.",
    });
    await writeFile(path.join(folder, STAMP), JSON.stringify({ python: python.version, wheel: path.basename(wheel) }));
    await removeOthers(folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  } finally {
    await release();
  }
}

async function removeOthers(folder: string): Promise<void> {
  const names = await readdir(path.dirname(folder)).catch(() => []);
  const others = names.filter((name) => /^server-[0-9a-f]{12}$/.test(name) && name !== path.basename(folder));
  const remove = (name: string): Promise<void> =>
    rm(path.join(path.dirname(folder), name), { recursive: true, force: true }).catch(() => undefined);
  await Promise.all(others.map(remove)); // one in use by an older window may stay until next time
}

/** A folder as a lock between windows; one that is older than any installation takes is taken over. */
async function lock(folder: string, signal: AbortSignal): Promise<() => Promise<void>> {
  for (;;) {
    try {
      // oxlint-disable-next-line no-await-in-loop
      await mkdir(folder);
      return () => rm(folder, { recursive: true, force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
        throw new InstallError(`The folder ${path.dirname(folder)} cannot be written to.`, { cause: error });
      }
    }
    // oxlint-disable-next-line no-await-in-loop
    const held = await stat(folder).catch(() => undefined);
    if (held !== undefined && Date.now() - held.mtimeMs > PATIENCE) {
      // oxlint-disable-next-line no-await-in-loop
      await rm(folder, { recursive: true, force: true });
    }
    // oxlint-disable-next-line no-await-in-loop
    await sleep(500, undefined, { signal });
  }
}

/** Runs a program with its output in the log. Raises `InstallError` with a hint for what is known to go wrong. */
function run(
  command: string,
  arguments_: string[],
  report: Report,
  signal: AbortSignal,
  hints: Record<string, string>,
): Promise<void> {
  report.log(`$ ${[command, ...arguments_].join(" ")}`);
  return new Promise((resolve, reject) => {
    const child = spawn(command, arguments_, {
      cwd: path.dirname(command),
      env: cleanEnvironment(process.env),
      signal,
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    let output = "";
    const take = (chunk: Buffer): void => {
      const text = chunk.toString();
      output = (output + text).slice(-20_000);
      for (const line of text.split(/\r?\n/).filter(Boolean)) {
        report.log(line);
      }
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("error", (error) => reject(signal.aborted ? error : new InstallError(`${command} does not start.`)));
    child.on("close", (code) => {
      if (code === 0) {
        resolve();
        return;
      }
      const known = Object.entries(hints).find(([sign]) => output.includes(sign));
      const what = arguments_.includes("pip")
        ? "The language server could not be installed"
        : "The environment could not be made";
      reject(new InstallError(`${what} (exit code ${code}).${known === undefined ? "" : ` ${known[1]}`}`));
    });
  });
}

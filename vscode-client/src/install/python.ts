// Finds a Python that may run the language server: 3.11 or newer, and never one that lies in the workspace.

import { execFile } from "node:child_process";
import { realpath } from "node:fs/promises";
import * as path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export const OLDEST = [3, 11] as const;
const PROBE = "import sys; print(sys.version_info[0], sys.version_info[1], sys.executable, sep='\\n')";
const NAMES = ["python3", "python3.14", "python3.13", "python3.12", "python3.11", "python"];

export interface Python {
  /** Absolute path of the interpreter. */
  path: string;
  /** As in `3.12`. */
  version: string;
}

/** Where an interpreter was looked for, and what was wrong with what was there. */
export interface Tried {
  path: string;
  problem: string;
}

export interface Search {
  /** Paths to try before PATH, each with the name of where it comes from. */
  preferred: readonly string[];
  /** Folders of the workspace: nothing below them is ever run. */
  workspace: readonly string[];
  environment: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
}

/** The first interpreter that will do, or everything that was tried. */
export async function findPython(search: Search): Promise<Python | Tried[]> {
  const tried: Tried[] = [];
  for (const candidate of [...search.preferred, ...onPath(search)]) {
    // One after the other, since the first that will do is taken.
    // oxlint-disable-next-line no-await-in-loop
    const found = await examine(candidate, search.workspace);
    if ("version" in found) {
      return found;
    }
    if (found.problem !== "") {
      tried.push(found);
    }
  }
  return tried;
}

/** The interpreters' places on PATH: absolute folders outside of the workspace only. */
export function onPath(search: Pick<Search, "workspace" | "environment" | "platform">): string[] {
  const windows = search.platform === "win32";
  const value = search.environment["PATH"] ?? search.environment["Path"] ?? "";
  const folders = value.split(windows ? ";" : ":").filter((folder) => path.isAbsolute(folder));
  const names = windows ? ["python.exe", "python3.exe"] : NAMES;
  const outside = folders.filter((folder) => !search.workspace.some((root) => isInside(folder, root)));
  return names.flatMap((name) => outside.map((folder) => path.join(folder, name)));
}

/** Whether a path is a folder or lies below it. */
export function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative === "" || (!relative.startsWith("..") && !path.isAbsolute(relative));
}

async function examine(candidate: string, workspace: readonly string[]): Promise<Python | Tried> {
  const said = (problem: string): Tried => ({ path: candidate, problem });
  if (!path.isAbsolute(candidate)) {
    return said("is not an absolute path");
  }
  const real = await realpath(candidate).catch(() => undefined);
  if (real === undefined) {
    return said("");
  }
  if (workspace.some((root) => isInside(candidate, root) || isInside(real, root))) {
    return said("lies in the workspace, and nothing from there is run");
  }
  try {
    const { stdout } = await run(candidate, ["-I", "-c", PROBE], { timeout: 10_000, windowsHide: true });
    const [major, minor] = stdout.split(/\r?\n/).map(Number);
    if (major === undefined || minor === undefined || Number.isNaN(minor)) {
      return said("is not a Python");
    }
    const version = `${major}.${minor}`;
    return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
      ? { path: candidate, version }
      : said(`is Python ${version}, and ${OLDEST.join(".")} or newer is needed`);
  } catch {
    return said("does not run");
  }
}

/** The environment for our own Python: without what would make it load other code. */
export function cleanEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const kept = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(PYTHON|VIRTUAL_ENV|CONDA_PREFIX|__PYVENV|ELECTRON_RUN_AS_NODE)/i.test(entry[0]),
  );
  return Object.fromEntries(kept);
}

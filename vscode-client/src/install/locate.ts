// Decides how the language server is started: by the user's own command, or in the environment that we make for it.

import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";

import { PYTHON_VARIABLE } from "../model/scaffold";
import { InstallError, environmentFolder, install, interpreter, isInstalled, type Report } from "./environment";
import { OLDEST, cleanEnvironment, findPython, isInside } from "./python";

export interface ServerCommand {
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** Variables that config files may use, e.g. the server's own Python. */
  variables: Record<string, string>;
}

/** What is needed of the editor to find the server, so that the rest stays free of settings and windows. */
export interface Surroundings {
  /** The folder with the wheel. */
  bundled: string;
  /** The extension's storage. */
  storage: string;
  /** Runs a long step with visible progress that the user can cancel. */
  withProgress<T>(work: (report: Report, signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** The command that starts the language server; makes its environment if there is none. Raises `InstallError`. */
export async function locateServer(surroundings: Surroundings): Promise<ServerCommand> {
  const settings = vscode.workspace.getConfiguration("codeagent.server");
  const own = settings.get<string[]>("command", []);
  const [command, ...args] = own;
  if (command !== undefined && command !== "") {
    if (path.isAbsolute(command) && workspaceFolders().some((folder) => isInside(command, folder))) {
      throw new InstallError(
        "The setting codeagent.server.command names a program of the workspace, which is never run.",
      );
    }
    return described(command, args, surroundings, pythonBeside(command));
  }
  const wheel = await bundledWheel(surroundings.bundled);
  const folder = await environmentFolder(surroundings.storage, wheel);
  if (!(await isInstalled(folder))) {
    await surroundings.withProgress(async (report, signal) => {
      report.step("Looking for Python");
      const found = await findPython({
        preferred: await preferredPythons(settings.get<string>("pythonPath", "")),
        workspace: workspaceFolders(),
        environment: process.env,
        platform: process.platform,
      });
      if (Array.isArray(found)) {
        found.forEach(({ path: tried, problem }) => report.log(`${tried} ${problem}`));
        throw new InstallError(
          `No Python ${OLDEST.join(".")} or newer was found. Install one, or name one in the setting codeagent.server.pythonPath.`,
        );
      }
      report.log(`Using ${found.path} (Python ${found.version})`);
      await install(folder, wheel, found, report, signal);
    });
  }
  const python = interpreter(folder);
  return described(python, ["-I", "-m", "codeagent_lsp"], surroundings, python);
}

function described(
  command: string,
  args: string[],
  surroundings: Surroundings,
  python: string | undefined,
): ServerCommand {
  return {
    command,
    args,
    cwd: surroundings.storage,
    env: cleanEnvironment(process.env),
    variables: python === undefined ? {} : { [PYTHON_VARIABLE]: python },
  };
}

/** The Python that a command of the user's own runs with, where that can be told. */
function pythonBeside(command: string): string | undefined {
  const candidates = [
    command,
    path.join(path.dirname(command), process.platform === "win32" ? "python.exe" : "python"),
  ];
  return candidates.find(
    (file) => path.isAbsolute(file) && /^python[\d.]*(\.exe)?$/.test(path.basename(file)) && existsSync(file),
  );
}

async function bundledWheel(folder: string): Promise<string> {
  const names = await readdir(folder).catch(() => []);
  const wheel = names.find((name) => name.endsWith(".whl"));
  if (wheel === undefined) {
    throw new InstallError("This build of the extension carries no server: set codeagent.server.command.");
  }
  return path.join(folder, wheel);
}

/** The interpreters to try first: the setting, then what the Python extension has chosen. */
async function preferredPythons(setting: string): Promise<string[]> {
  const chosen: string[] = setting === "" ? [] : [setting];
  const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  try {
    const environments = (extension?.isActive === true ? extension.exports : await extension?.activate())?.environments;
    const active = environments?.getActiveEnvironmentPath();
    const resolved = active === undefined ? undefined : await environments?.resolveEnvironment(active);
    const file = resolved?.executable.uri?.fsPath;
    if (file !== undefined) {
      chosen.push(file);
    }
  } catch {
    // without its word we look on PATH
  }
  return chosen;
}

function workspaceFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
}

/** The part of the Python extension's API that we use. */
interface PythonExtension {
  environments: {
    getActiveEnvironmentPath(): unknown;
    resolveEnvironment(path: unknown): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
  };
}

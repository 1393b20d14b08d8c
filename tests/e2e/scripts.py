"""Entries of `mcpServers` for the scripted server, and what tests ask of processes."""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

SCRIPTED = Path(__file__).resolve().parent.parent / "servers" / "scripted.py"
MARK = "CODEAGENT_TEST_ID"


def scripted(*words: str, **more: Any) -> dict[str, Any]:
    """An entry that starts the scripted server with these behaviours; `more` are further keys of the entry."""
    return {"command": sys.executable, "args": [str(SCRIPTED), *words], **more}


def servers(**entries: Any) -> dict[str, Any]:
    """A config file that declares these servers."""
    return {"mcpServers": entries}


def requests(log: Path) -> list[dict[str, Any]]:
    """What a scripted server with `log=FILE` was sent."""
    if not log.exists():
        return []
    return [json.loads(line) for line in log.read_text("utf-8").splitlines()]


def calls(log: Path) -> list[dict[str, Any]]:
    """The tool calls that a scripted server with `log=FILE` was sent: name and arguments."""
    return [message["params"] for message in requests(log) if message.get("method") == "tools/call"]


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state not in ("Z", "X")


def marked(mark: str) -> list[int]:
    """The processes whose environment carries our mark, our own aside."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                environment = (entry / "environ").read_bytes()
            except OSError:
                continue
            if f"{MARK}={mark}".encode() in environment and alive(int(entry.name)):
                found.append(int(entry.name))
    return found


def wait_gone(mark: str, within: float) -> list[int]:
    """Wait until no process carries the mark; returns those that still do after `within` seconds."""
    end = time.monotonic() + within
    while (left := marked(mark)) and time.monotonic() < end:
        time.sleep(0.02)
    return left

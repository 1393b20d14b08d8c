"""The real MCP servers of the suite start, and answer the first requests over plain JSON: without our own code."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import real_servers

FIRST_TOOL = {
    "everything": "echo",
    "filesystem": "read_text_file",
    "memory": "create_entities",
    "time": "get_current_time",
    "git": "git_status",
    "demo": "get_note",
}
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "0"},
}


def converse(argv: list[str], *messages: dict[str, Any]) -> dict[int, Any]:
    """Send messages to a server, one after the other's answer, and return the results by id."""
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdin and process.stdout
    results: dict[int, Any] = {}
    try:
        for message in messages:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            process.stdin.flush()
            while "id" in message and message["id"] not in results:
                answer = json.loads(process.stdout.readline())
                if "id" in answer and "method" not in answer:
                    results[answer["id"]] = answer["result"]
    finally:
        process.kill()
        process.wait(10)
        process.stdin.close()
        process.stdout.close()
    return results


@pytest.mark.parametrize("name", FIRST_TOOL)
def test_a_real_server_starts_and_lists_its_tools(name: str, tmp_path: Path) -> None:
    arguments = [str(tmp_path)] if name == "filesystem" else []
    results = converse(
        real_servers.command(name, *arguments),
        {"id": 1, "method": "initialize", "params": INITIALIZE},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list", "params": {}},
    )
    assert results[1]["protocolVersion"] == "2025-06-18"
    assert FIRST_TOOL[name] in [tool["name"] for tool in results[2]["tools"]]


def test_every_server_of_the_kit_is_tried_here() -> None:
    assert set(FIRST_TOOL) == set(real_servers.COMMANDS)

"""Servers carried to another tool's file and back, through the wire: edits that an editor applies, and what they leave out."""

import json
from pathlib import Path
from typing import Any

import pytest

from e2e.scripts import servers
from editor_client import EditorClient, usual_capabilities, write_json

pytestmark = pytest.mark.anyio

TARGETS = ["VS Code", "Claude Code", "Cursor", "Gemini CLI", "opencode", "Zed", "mcphub"]
PROGRAM = {"command": "uvx", "args": ["mcp-server-time", "--zone", "UTC 😀"], "env": {"LEVEL": "debug"}}
REMOTE = {"url": "https://tickets.example.com/mcp", "headers": {"X-Team": "tools"}}


def applied(changes: dict[str, list[dict[str, Any]]]) -> list[Path]:
    """Make the edits, each of a file that is not there yet or whose whole text they replace; the files."""
    made: list[Path] = []
    for uri, edits in changes.items():
        path = Path(uri.removeprefix("file://"))
        text = path.read_text("utf-8") if path.exists() else ""
        lines = text.split("\n")
        for edit in sorted(edits, key=lambda item: json.dumps(item["range"]["start"]), reverse=True):
            start, end = edit["range"]["start"], edit["range"]["end"]
            before = "\n".join([*lines[: start["line"]], lines[start["line"]][: start["character"]]])
            after = "\n".join([lines[end["line"]][end["character"] :], *lines[end["line"] + 1 :]])
            lines = (before + edit["newText"] + after).split("\n")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines), "utf-8")
        made.append(path)
    return made


def changes_of(edit: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    return edit.get("changes") or {
        item["textDocument"]["uri"]: item["edits"] for item in edit["documentChanges"] if "edits" in item
    }


async def actions(editor: EditorClient, uri: str, line: int, character: int) -> dict[str, dict[str, Any]]:
    here = {"line": line, "character": character}
    params = {"textDocument": {"uri": uri}, "range": {"start": here, "end": here}, "context": {"diagnostics": []}}
    return {item["title"]: item for item in await editor.request("textDocument/codeAction", params)}


@pytest.mark.parametrize("target", TARGETS)
async def test_servers_go_to_another_tools_file_and_come_back(
    editor: EditorClient, workspace: Path, target: str
) -> None:
    capabilities = usual_capabilities()
    capabilities["textDocument"] = {"codeAction": {"resolveSupport": {"properties": ["edit"]}, "dataSupport": True}}
    config = workspace / ".codeagent" / "mcp.json"
    ours = servers(clock=PROGRAM, tickets=REMOTE)
    write_json(config, ours)
    await editor.start(workspace, capabilities=capabilities)
    await editor.command("codeagent.status")
    text = config.read_text("utf-8")
    item = {"uri": config.as_uri(), "languageId": "jsonc", "version": 1, "text": text}
    await editor.notify("textDocument/didOpen", {"textDocument": item})
    offered = await actions(editor, config.as_uri(), 1, 5)
    title = next(name for name in offered if name.startswith(f"Write all servers for {target}"))
    done = await editor.request("codeAction/resolve", offered[title])
    (other,) = applied(changes_of(done["edit"]))
    assert config.read_text("utf-8") == text
    config.unlink()
    await editor.notify("textDocument/didClose", {"textDocument": {"uri": config.as_uri()}})
    preview = await editor.command("codeagent.importConfig", uri=other.as_uri())
    (back,) = applied(changes_of(preview["edit"]))
    assert back == config
    found = json.loads(config.read_text("utf-8"))["mcpServers"]
    assert set(found) == {"clock", "tickets"}
    assert {key: found["clock"][key] for key in PROGRAM} == PROGRAM
    assert {key: found["tickets"][key] for key in REMOTE} == REMOTE


async def test_tokens_of_another_tool_are_never_carried(editor: EditorClient, workspace: Path) -> None:
    await editor.start(workspace)
    other = workspace / ".cursor" / "mcp.json"
    entry = {
        **REMOTE,
        "auth": {"accessToken": "s3cret-token"},
        "oauth": {"clientId": "c", "refreshToken": "s3cret-too"},
    }
    write_json(other, {"mcpServers": {"tickets": entry}})
    preview = await editor.command("codeagent.importConfig", uri=other.as_uri())
    assert "s3cret" not in json.dumps(preview)
    assert "tickets.example.com" in json.dumps(preview["edit"]) and preview["notes"]

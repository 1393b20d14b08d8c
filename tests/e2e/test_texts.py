"""The config file and calls as text, through the wire."""

import json
from pathlib import Path
from typing import Any

import pytest

from e2e.scripts import calls, scripted, servers
from editor_client import EditorClient

pytestmark = pytest.mark.anyio


async def open_text(editor: EditorClient, uri: str, text: str, language: str) -> None:
    item = {"uri": uri, "languageId": language, "version": 1, "text": text}
    await editor.notify("textDocument/didOpen", {"textDocument": item})


def at(uri: str, line: int, character: int) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


async def test_the_config_file_is_helped_with_while_it_is_broken(editor: EditorClient, workspace: Path) -> None:
    await editor.start(workspace, user_config=servers(s=scripted()))
    await editor.command("codeagent.listTools")
    uri = (editor.home / ".codeagent" / "mcp.json").as_uri()
    text = '{\n  "mcpServers": {\n    "s": {\n      "comand": "x",\n      "\n'
    await open_text(editor, uri, text, "jsonc")
    await editor.wait_for(
        "textDocument/publishDiagnostics",
        lambda params: params["uri"] == uri and any("not closed" in item["message"] for item in params["diagnostics"]),
    )
    found = await editor.request("textDocument/completion", at(uri, 4, 7))
    assert {"args", "env", "cwd"} <= {item["label"] for item in found["items"]}
    hover = await editor.request("textDocument/hover", at(uri, 2, 6))
    assert "s" in json.dumps(hover["contents"])
    symbols = await editor.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert symbols[0]["name"] == "s"
    lenses = await editor.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert any("ready" in lens["command"]["title"] for lens in lenses)


async def test_a_call_that_stands_in_a_document_is_completed_and_run(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    await editor.start(workspace, user_config=servers(s=scripted(f"log={log}", autoApprove=["*"])))
    await editor.command("codeagent.listTools")
    uri = (workspace / "try.mcp-call.json").as_uri()
    await open_text(editor, uri, '{"tool": "mcp__s__echo", "arguments": {"text": "hi"}}', "json")
    names = await editor.request("textDocument/completion", at(uri, 0, 12))
    assert "mcp__s__echo" in [item["label"] for item in names["items"]]
    lenses = await editor.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    run = next(lens["command"] for lens in lenses if lens["command"]["command"] == "codeagent.runCall")
    params = {"command": run["command"], "arguments": run["arguments"]}
    result = await editor.request("workspace/executeCommand", params)
    assert result["text"].strip() == "hi"
    assert [call["arguments"] for call in calls(log)] == [{"text": "hi"}]
    shown = await editor.request("workspace/textDocumentContent", {"uri": result["documentUri"]})
    assert shown["text"] == result["text"]


async def test_an_import_is_a_preview_and_writes_nothing(editor: EditorClient, workspace: Path) -> None:
    await editor.start(workspace, user_config=servers(s=scripted()))
    other = workspace / ".vscode" / "mcp.json"
    other.parent.mkdir()
    other.write_text('{"servers": {"x": {"type": "stdio", "command": "uvx", "args": ["mcp-server-time"]}}}')
    preview = await editor.command("codeagent.importConfig", uri=other.as_uri())
    assert "mcp-server-time" in json.dumps(preview["edit"])
    assert not (workspace / ".codeagent" / "mcp.json").exists()

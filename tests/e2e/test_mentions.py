"""`@server:uri` in open documents, through the wire."""

import json
from pathlib import Path
from typing import Any

import pytest

from e2e.scripts import scripted, servers
from editor_client import EditorClient, usual_capabilities

pytestmark = pytest.mark.anyio

DOCUMENT = "file:///notes.md"


async def open_text(editor: EditorClient, text: str, language: str = "markdown", uri: str = DOCUMENT) -> None:
    item = {"uri": uri, "languageId": language, "version": 1, "text": text}
    await editor.notify("textDocument/didOpen", {"textDocument": item})


def at(line: int, character: int, uri: str = DOCUMENT) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


async def start(editor: EditorClient, workspace: Path, **more: Any) -> str:
    """A server `docs` that is up; returns the URI of its first resource."""
    await editor.start(workspace, user_config=servers(docs=scripted()), **more)
    await editor.command("codeagent.listTools")
    await editor.wait_for("codeagent/resourcesChanged", lambda params: params["server"] == "docs")
    return (await editor.command("codeagent.listResources"))["resources"][0]["uri"]


async def test_a_mention_is_completed_hovered_linked_and_checked(editor: EditorClient, workspace: Path) -> None:
    uri = await start(editor, workspace, options={"clientFeatures": ["documents"]})
    await open_text(editor, f"see @docs:{uri}\nand @do\nbad @docs:nope://x\n")
    await editor.wait_for(
        "codeagent/statusChanged", lambda params: any(item["resources"] for item in params["servers"])
    )
    servers_found = await editor.request("textDocument/completion", at(1, 7))
    assert servers_found["items"][0]["textEdit"]["newText"].startswith("@docs:")
    hover = await editor.request("textDocument/hover", at(0, 12))
    assert hover["range"]["start"]["character"] == 4
    links = await editor.request("textDocument/documentLink", {"textDocument": {"uri": DOCUMENT}})
    assert links[0]["target"].startswith("codeagent://resource/")
    definition = await editor.request("textDocument/definition", at(0, 12))
    assert json.dumps(links[0]["target"]) in json.dumps(definition)
    problems = await editor.wait_for(
        "textDocument/publishDiagnostics", lambda params: params["uri"] == DOCUMENT and params["diagnostics"]
    )
    assert "nope://x" in problems["diagnostics"][0]["message"]


async def test_the_text_of_a_resource_is_a_document(editor: EditorClient, workspace: Path) -> None:
    capabilities = usual_capabilities()
    capabilities["workspace"]["textDocumentContent"] = {}
    uri = await start(editor, workspace, capabilities=capabilities)
    assert editor.initialize_result["capabilities"]["workspace"]["textDocumentContent"]["schemes"] == ["codeagent"]
    address = (await editor.command("codeagent.listResources"))["resources"][0]["documentUri"]
    shown = await editor.request("workspace/textDocumentContent", {"uri": address})
    assert shown["text"] == f"contents of {uri}"


async def test_a_client_without_documents_gets_a_file(editor: EditorClient, workspace: Path) -> None:
    uri = await start(editor, workspace)
    await open_text(editor, f"@docs:{uri}\n")
    definition = await editor.request("textDocument/definition", at(0, 8))
    path = Path(definition["uri"].removeprefix("file://"))
    assert path.read_text() == f"contents of {uri}"
    assert path.stat().st_mode & 0o777 == 0o400
    assert path.parent.parent.stat().st_mode & 0o777 == 0o700
    await editor.stop()
    assert not path.exists()


async def test_mentions_in_a_text_are_resolved(editor: EditorClient, workspace: Path) -> None:
    uri = await start(editor, workspace)
    found = await editor.command("codeagent.resolveMentions", text=f"read @docs:{uri}, please")
    (mention,) = found["mentions"]
    assert mention["uri"] == uri
    assert mention["contents"][0]["text"] == f"contents of {uri}"
    assert mention["range"]["start"] == {"line": 0, "character": 5}


async def test_servers_that_are_not_up_can_be_mentioned_already(editor: EditorClient, workspace: Path) -> None:
    """LSP-14."""
    await editor.start(workspace, user_config=servers(slow=scripted("silent")))
    await editor.command("codeagent.status")
    await open_text(editor, "@")
    found = await editor.request("textDocument/completion", at(0, 1))
    assert [item["label"] for item in found["items"]] == ["slow"]

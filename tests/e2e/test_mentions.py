"""`@server:uri` in open documents, through the wire."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from e2e.kit import Listed, until
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


PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(32))).decode()
PARTS = [
    {"uri": "a://1#one", "mimeType": "text/markdown", "text": "# One\r\n\x1b[31mred"},
    {"uri": "a://1#two", "mimeType": "application/octet-stream", "blob": base64.b64encode(bytes(2000)).decode()},
    {"uri": "a://1#three", "mimeType": "image/png", "blob": PNG},
    {"uri": "a://1#four", "mimeType": "application/json", "blob": base64.b64encode(b'{"a": 1}').decode()},
    {"uri": "a://1#five", "mimeType": "image/png", "blob": base64.b64encode(b"<script>").decode()},
]


async def begin(
    editor: EditorClient, workspace: Path, tmp_path: Path, parts: list[dict[str, Any]], **more: Any
) -> None:
    """A server whose resource `a://1` has these parts."""
    listed = Listed(tmp_path / "lists")
    listed.put("resources/list", {"resources": [{"uri": "a://1", "name": "mixed.md"}]})
    listed.put("resources/read", {"contents": parts})
    await editor.start(workspace, user_config=servers(docs=scripted(listed.word)), **more)
    await until(editor, "docs", lambda found: found["resources"] == 1)
    await open_text(editor, "@docs:a://1\n")


async def test_a_resource_of_several_parts_is_one_text_with_each_part_labelled(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    capabilities = usual_capabilities()
    capabilities["workspace"]["textDocumentContent"] = {}
    await begin(editor, workspace, tmp_path, PARTS, capabilities=capabilities)
    address = (await editor.command("codeagent.listResources"))["resources"][0]["documentUri"]
    text = (await editor.request("workspace/textDocumentContent", {"uri": address}))["text"]
    labels = [line for line in text.splitlines() if line.startswith("────")]
    assert [f"{number} of 5" in label for number, label in enumerate(labels, 1)] == [True] * 5
    assert all(part["uri"] in label for part, label in zip(PARTS, labels, strict=True))
    assert "# One\n" in text and "\x1b" not in text and '{"a": 1}' in text
    assert text.count("binary, not shown as text") == 3
    found = (await editor.command("codeagent.resolveMentions", text="@docs:a://1"))["mentions"]
    blobs = [part.get("blob") for part in found[0]["contents"]]
    assert blobs == [None, PARTS[1]["blob"], PNG, None, PARTS[4]["blob"]], "text in a blob is text"


async def test_the_pictures_of_a_resource_are_files_beside_its_text(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    await begin(editor, workspace, tmp_path, PARTS)
    definition = await editor.request("textDocument/definition", at(0, 8))
    path = Path(definition["uri"].removeprefix("file://"))
    (picture,) = [other for other in path.parent.iterdir() if other != path]
    assert picture.suffix == ".png" and picture.read_bytes() == base64.b64decode(PNG)
    assert picture.stat().st_mode & 0o777 == 0o400
    assert str(picture) in path.read_text("utf-8")


@pytest.mark.parametrize("shows", [True, False])
async def test_a_resource_that_is_a_picture_is_opened_as_one(
    editor: EditorClient, workspace: Path, tmp_path: Path, shows: bool
) -> None:
    capabilities = usual_capabilities()
    capabilities["window"]["showDocument"] = {"support": True}
    answers = {"window/showDocument": lambda params: {"success": shows or not params.get("external")}}
    await begin(editor, workspace, tmp_path, PARTS[2:3], capabilities=capabilities, answers=answers)
    assert await editor.command("codeagent.openResource", server="docs", uri="a://1") == {"shown": True}
    shown = [params for method, params in editor.questions if method == "window/showDocument"]
    assert shown[0]["external"] is True and shown[0]["uri"].endswith(".png")
    assert len(shown) == (1 if shows else 2)
    assert shown[-1]["uri"].endswith(".png" if shows else ".txt")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_the_arguments_of_a_template_are_completed_by_its_server(
    editor: EditorClient, workspace: Path, encoding: str
) -> None:
    capabilities = usual_capabilities()
    capabilities["general"]["positionEncodings"] = [encoding]
    await start(editor, workspace, capabilities=capabilities)
    before = {"utf-8": 5, "utf-16": 3, "utf-32": 2}[encoding]
    await open_text(editor, "😀 @docs:a://x and")
    found = await editor.request("textDocument/completion", at(0, before + 11))
    edits = {item["label"]: item["textEdit"] for item in found["items"]}
    assert {"x1", "x2"} <= set(edits) and found["isIncomplete"]
    assert edits["x1"]["newText"] == "@docs:a://x1"
    assert edits["x1"]["range"]["start"] == {"line": 0, "character": before}
    assert edits["x1"]["range"]["end"] == {"line": 0, "character": before + 11}


async def test_the_content_of_a_resource_is_inserted_below_its_mention(editor: EditorClient, workspace: Path) -> None:
    capabilities = usual_capabilities()
    capabilities["textDocument"] = {"codeAction": {"resolveSupport": {"properties": ["edit"]}, "dataSupport": True}}
    uri = await start(editor, workspace, capabilities=capabilities)
    await open_text(editor, f"see @docs:{uri} now\r\nend")
    place = at(0, 12)
    params = {"textDocument": place["textDocument"], "range": {"start": place["position"], "end": place["position"]}}
    found = await editor.request("textDocument/codeAction", {**params, "context": {"diagnostics": []}})
    insert = next(item for item in found if item["title"].startswith("Insert the content"))
    done = await editor.request("codeAction/resolve", insert)
    ((address, (edit,)),) = done["edit"]["changes"].items()
    assert address == DOCUMENT and edit["range"]["start"] == edit["range"]["end"] == {"line": 0, "character": 19}
    assert f"contents of {uri}" in edit["newText"] and "\n" not in edit["newText"].replace("\r\n", "")

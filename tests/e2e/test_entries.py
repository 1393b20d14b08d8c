"""A server's name in its config file and in mentions: renamed together, and led to, through the wire."""

import json
from pathlib import Path
from typing import Any

import pytest

from e2e.kit import refusal, until
from e2e.scripts import scripted, servers
from editor_client import EditorClient, usual_capabilities, write_json

pytestmark = pytest.mark.anyio

ENCODINGS = ("utf-8", "utf-16", "utf-32")


async def open_text(editor: EditorClient, uri: str, text: str, language: str = "markdown") -> None:
    item = {"uri": uri, "languageId": language, "version": 1, "text": text}
    await editor.notify("textDocument/didOpen", {"textDocument": item})


def at(uri: str, line: int, character: int, **more: Any) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}, **more}


def units(text: str, encoding: str) -> int:
    return {"utf-8": len(text.encode()), "utf-16": len(text.encode("utf-16-le")) // 2, "utf-32": len(text)}[encoding]


def column(line: str, units_in: int, encoding: str) -> int:
    """The place in a line that a column of the wire means."""
    return next(place for place in range(len(line) + 1) if units(line[:place], encoding) == units_in)


def applied(text: str, edits: list[dict[str, Any]], encoding: str) -> str:
    """A text with the edits made, as an editor makes them."""
    lines = text.split("\n")
    for edit in sorted(edits, key=lambda item: json.dumps(item["range"]["start"]), reverse=True):
        start, end = edit["range"]["start"], edit["range"]["end"]
        assert start["line"] == end["line"]
        line = lines[start["line"]]
        first, last = (column(line, point["character"], encoding) for point in (start, end))
        lines[start["line"]] = line[:first] + edit["newText"] + line[last:]
    return "\n".join(lines)


async def start(editor: EditorClient, workspace: Path, encoding: str = "utf-16", **more: Any) -> tuple[Path, str]:
    """A server `döcs😀` of the user that is up; its config file, and the text in it."""
    capabilities = usual_capabilities()
    capabilities["general"]["positionEncodings"] = [encoding]
    text = json.dumps({"/* 😀 */": 1, **servers(**{"döcs😀": scripted(), "other": scripted()})}, ensure_ascii=False)
    await editor.start(workspace, user_config=text, capabilities=capabilities, **more)
    assert editor.initialize_result["capabilities"]["positionEncoding"] == encoding
    await until(editor, "döcs😀", lambda found: found["state"] == "ready" and found["resources"] > 0)
    return editor.home / ".codeagent" / "mcp.json", text


NOTE = "😀 see @döcs😀:a://1 and\n(@döcs😀:b://nope) me@döcs😀:x @other:a://1\n"


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(("where", "opened"), [("mention", True), ("mention", False), ("key", True)])
async def test_renaming_a_server_renames_its_key_and_every_mention(
    editor: EditorClient, workspace: Path, encoding: str, opened: bool, where: str
) -> None:
    path, text = await start(editor, workspace, encoding)
    note, more, config = "file:///w/note.md", "file:///w/more.md", path.as_uri()
    await open_text(editor, note, NOTE)
    await open_text(editor, more, "@döcs😀:a://1")
    await open_text(editor, "file:///w/none.md", "nothing")
    if opened:
        await open_text(editor, config, text, "jsonc")
    place = at(note, 0, units("😀 see @dö", encoding))
    if where == "key":
        place = at(config, 0, units(text[: text.index("cs😀")], encoding))
    prepared = await editor.request("textDocument/prepareRename", place)
    assert prepared["placeholder"] == "döcs😀"
    edit = await editor.request("textDocument/rename", {**place, "newName": 'nötes "x'})
    assert set(edit["changes"]) == {note, more, config}
    changed = json.loads(applied(text, edit["changes"][config], encoding))
    assert list(changed["mcpServers"]) == ['nötes "x', "other"]
    quoted = '@"nötes \\"x":'
    assert applied(NOTE, edit["changes"][note], encoding) == NOTE.replace(" @döcs😀:", f" {quoted}").replace(
        "(@döcs😀:", f"({quoted}"
    )
    assert applied("@döcs😀:a://1", edit["changes"][more], encoding) == f"{quoted}a://1"


async def test_a_rename_that_cannot_be_is_refused_whole(editor: EditorClient, workspace: Path) -> None:
    path, text = await start(editor, workspace)
    note = "file:///w/note.md"
    await open_text(editor, note, NOTE)
    for name in ("other", "", " ", "a\nb", "a\u202eb"):
        failed = await refusal(editor.request("textDocument/rename", at(note, 0, 9, newName=name)))
        assert failed.code == -32602, name
    assert await editor.request("textDocument/prepareRename", at(note, 0, 18)) is None
    assert await editor.request("textDocument/rename", at(note, 0, 18, newName="x")) is None
    await open_text(editor, path.as_uri(), text.replace("döcs😀", "gone"), "jsonc")
    failed = await refusal(editor.request("textDocument/rename", at(note, 0, 9, newName="x")))
    assert "mcp.json" in failed.message


async def test_the_key_of_an_entry_that_is_not_in_force_is_renamed_alone(editor: EditorClient, workspace: Path) -> None:
    write_json(workspace / ".codeagent" / "mcp.json", servers(docs=scripted()))
    await editor.start(workspace, user_config=servers(docs=scripted(), more=scripted()), workspace_trust=True,
                       answers={"codeagent/approveServer": {"decision": "session"}})  # fmt: skip
    await until(editor, "docs", lambda found: found["state"] == "ready" and found["scope"] == "project")
    user = editor.home / ".codeagent" / "mcp.json"
    text = user.read_text("utf-8")
    await open_text(editor, user.as_uri(), text, "jsonc")
    await open_text(editor, "file:///w/note.md", "@docs:a://1")
    line = next(number for number, line in enumerate(text.split("\n")) if '"docs"' in line)
    edit = await editor.request("textDocument/rename", at(user.as_uri(), line, 6, newName="mine"))
    assert list(edit["changes"]) == [user.as_uri()]
    await refusal(editor.request("textDocument/rename", at(user.as_uri(), line, 6, newName="more")))
    edit = await editor.request("textDocument/rename", at("file:///w/note.md", 0, 2, newName="ours"))
    assert set(edit["changes"]) == {(workspace / ".codeagent" / "mcp.json").as_uri(), "file:///w/note.md"}


@pytest.mark.parametrize("opened", [True, False], ids=["config_open", "config_on_disk"])
async def test_a_servers_name_leads_to_its_entry_and_the_rest_to_its_resource(
    editor: EditorClient, workspace: Path, opened: bool
) -> None:
    path, text = await start(editor, workspace)
    note = "file:///w/note.md"
    await open_text(editor, note, NOTE)
    if opened:
        await open_text(editor, path.as_uri(), "\n\n" + text, "jsonc")
    found = await editor.request("textDocument/definition", at(note, 0, 9))
    assert found["uri"] == path.as_uri()
    assert found["range"]["start"]["line"] == (2 if opened else 0)
    start_of_key = units(text[: text.index('"döcs😀"')], "utf-16")
    assert found["range"]["start"]["character"] == start_of_key
    for place in (7, 15, 18):
        found = await editor.request("textDocument/definition", at(note, 0, place))
        assert Path(found["uri"].removeprefix("file://")).read_text("utf-8") == "contents of a://1"

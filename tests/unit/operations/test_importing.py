"""`codeagent.importConfig`: a preview that an editor can apply, and that writes nothing itself."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from codeagent_lsp.config.document import Encoding, parse
from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.operations.host import Host
from codeagent_lsp.operations.importing import import_config
from codeagent_lsp.protocol.params import ImportConfigParams
from codeagent_lsp.protocol.values import Position

SERVER = {"command": "npx", "args": ["-y", "x"]}


class House:
    """A folder, a home, and what an import needs of the host."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder, self.home = tmp_path / "wß s", tmp_path / "home" / ".codeagent"
        self.folder.mkdir()
        self.home.mkdir(parents=True)
        self.workspace = SimpleNamespace(folders=[self.folder], encoding="utf-16")

    def write(self, path: Path, value: Any) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return path

    async def run(self, path: Path, **more: Any) -> Any:
        before = {place: place.read_bytes() for place in self.folder.parent.rglob("*") if place.is_file()}
        opened = more.pop("opened", {})
        found = await import_config(cast(Host, self), ImportConfigParams(path.as_uri(), **more), opened.get)
        assert before == {place: place.read_bytes() for place in self.folder.parent.rglob("*") if place.is_file()}
        return found

    def applied(self, edit: Any, text: str = "") -> tuple[str, str]:
        """The file that an edit is about, and its new text."""
        changes = edit.get("changes") or {
            item["textDocument"]["uri"]: item["edits"] for item in edit["documentChanges"] if "edits" in item
        }
        ((uri, edits),) = changes.items()
        document = parse(text)
        encoding = cast(Encoding, self.workspace.encoding)
        for change in sorted(edits, key=lambda item: item["range"]["start"]["line"], reverse=True):
            start, end = (document.offset(Position(**change["range"][side]), encoding) for side in ("start", "end"))
            text = text[:start] + change["newText"] + text[end:]
        return uri, text


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


async def test_a_file_of_the_project_goes_into_a_new_file_of_the_project(house: House) -> None:
    source = house.write(house.folder / ".vscode" / "mcp.json", {"servers": {"a": SERVER}})
    found = await house.run(source)
    assert found.edit["documentChanges"][0]["kind"] == "create"
    uri, text = house.applied(found.edit)
    assert uri == (house.folder / ".codeagent" / "mcp.json").as_uri()
    assert json.loads(text) == {"mcpServers": {"a": SERVER}} and found.notes == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_servers_are_added_to_the_file_that_is_there_in_every_encoding(house: House, encoding: str) -> None:
    house.workspace.encoding = encoding
    source = house.write(house.folder / ".mcp.json", {"mcpServers": {"a": SERVER}})
    text = '{"mcpServers": {"😀": {"command": "ä😀"}}}'
    house.write(house.folder / ".codeagent" / "mcp.json", text)
    found = await house.run(source)
    _, after = house.applied(found.edit, text)
    assert json.loads(after) == {"mcpServers": {"😀": {"command": "ä😀"}, "a": SERVER}}


async def test_a_file_outside_of_the_project_goes_into_the_users_file(house: House, tmp_path: Path) -> None:
    source = house.write(tmp_path / "home" / ".cursor" / "mcp.json", {"mcpServers": {"a": SERVER}})
    uri, _ = house.applied((await house.run(source)).edit)
    assert uri == (house.home / "mcp.json").as_uri()


async def test_the_text_in_the_editor_counts_before_the_one_on_disk(house: House) -> None:
    source = house.write(house.folder / ".mcp.json", {"mcpServers": {"a": SERVER}})
    target = house.folder / ".codeagent" / "mcp.json"
    opened = {source: json.dumps({"mcpServers": {"b": SERVER}}), target: '{"servers": {}}'}
    _, after = house.applied((await house.run(source, opened=opened)).edit, opened[target])
    assert json.loads(after) == {"servers": {"b": SERVER}}


async def test_a_secret_in_plain_text_is_noted_without_its_value(house: House) -> None:
    entry = {"url": "https://h", "type": "http", "headers": {"Authorization": "Bearer geheim123456"}}
    source = house.write(house.folder / ".mcp.json", {"mcpServers": {"a": entry}})
    notes = "".join((await house.run(source)).notes)
    assert "headers.Authorization" in notes and "geheim" not in notes


async def test_nothing_new_is_no_edit(house: House) -> None:
    source = house.write(house.folder / ".mcp.json", {"mcpServers": {"a": SERVER}})
    house.write(house.folder / ".codeagent" / "mcp.json", {"mcpServers": {"a": SERVER}})
    found = await house.run(source)
    assert found.edit == {"changes": {}} and "there already" in found.notes[0]


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        (".mcp.json", None, "does not exist"),
        (".mcp.json", "{", "line 1"),
        (".mcp.json", "{}", "no MCP servers"),
        (".codeagent/mcp.json", '{"mcpServers": {}}', "our own file"),
    ],
)
async def test_what_cannot_be_imported_is_refused(house: House, name: str, text: str | None, word: str) -> None:
    source = house.folder / name
    if text is not None:
        house.write(source, text)
    with pytest.raises(InvalidParams) as failure:
        await house.run(source)
    assert word in failure.value.message


async def test_a_symbolic_link_of_a_project_is_not_followed(house: House, tmp_path: Path) -> None:
    elsewhere = house.write(tmp_path / "secret.json", {"mcpServers": {"a": SERVER}})
    source = house.folder / ".mcp.json"
    source.symlink_to(elsewhere)
    with pytest.raises(InvalidParams) as failure:
        await house.run(source)
    assert "symbolic link" in failure.value.message


@pytest.mark.parametrize("uri", ["untitled:x", "https://h/mcp.json", "", "mcp.json"])
async def test_only_files_are_imported_from(house: House, uri: str) -> None:
    with pytest.raises(InvalidParams):
        await import_config(cast(Host, house), ImportConfigParams(uri))

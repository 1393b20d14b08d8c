"""Code actions of the config file: each offered where it helps, and each leaving a better file behind."""

import json
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from lsprotocol import types

from codeagent_lsp.config.document import parse
from codeagent_lsp.config.variables import parse_dotenv
from codeagent_lsp.errors import HostError, InvalidParams, Stale
from codeagent_lsp.features.config_language import ConfigText
from codeagent_lsp.features.config_language_actions import code_actions, resolve_action
from codeagent_lsp.features.config_language_diagnostics import config_text_diagnostics
from config_kit import ENCODINGS, RICH, Place, applied, servers


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


SERVER = '{"mcpServers": {"a": {%s}}}'


def at(place: Place, text: str, world: Any = None, **more: Any) -> tuple[ConfigText, dict[str, types.CodeAction]]:
    """The actions at the mark, by title."""
    options = {key: more.pop(key) for key in ("only", "resolves_edits") if key in more}
    made, where = place.marked(text, **more)
    found = code_actions(made, types.Range(where, where), world or place.world, **options)
    assert len({action.title for action in found}) == len(found)
    return made, {action.title: action for action in found}


def edits_of(action: types.CodeAction) -> dict[str, list[types.TextEdit]]:
    assert action.edit is not None
    if action.edit.changes is not None:
        return {uri: list(edits) for uri, edits in action.edit.changes.items()}
    out: dict[str, list[types.TextEdit]] = {}
    for change in action.edit.document_changes or ():
        if isinstance(change, types.TextDocumentEdit):
            out[change.text_document.uri] = [edit for edit in change.edits if isinstance(edit, types.TextEdit)]
    return out


def taken(place: Place, text: str, title: str, world: Any = None, **more: Any) -> str:
    """The text after an action whose title begins so."""
    made, actions = at(place, text, world, **more)
    action = next(action for name, action in actions.items() if name.startswith(title))
    return applied(made.document.text, edits_of(action)[made.uri], made.encoding)


def titles(place: Place, text: str, world: Any = None, **more: Any) -> list[str]:
    return list(at(place, text, world, **more)[1])


@pytest.mark.parametrize(
    ("before", "title", "after"),
    [
        ('"comand|": "x"', "Change `comand` to `command`", '"command": "x"'),
        ('"environment|": {}', "Change `environment` to `env`", '"env": {}'),
        ('"serverUrl|": "https://h"', "Change `serverUrl` to `url`", '"url": "https://h"'),
        ('"httpUrl|": "https://h"', "Change `httpUrl` to `url`", '"url": "https://h"'),
        ('"sseUrl|": "https://h"', "Change `sseUrl` to `url`", '"type": "sse", "url": "https://h"'),
        ('"command": "x", "enabled|": false', "Change `enabled` to `disabled`", '"command": "x", "disabled": true'),
        (
            '"command": "x", "tools|": ["a"]',
            "Change `tools` to `includeTools`",
            '"command": "x", "includeTools": ["a"]',
        ),
        ('"command": "x", "requestTimeout|": 5', "Change `requestTimeout`", '"command": "x", "timeout": 5'),
        ('"command": "x", "args": "a \'b c\'|"', "Make `args` a list", '"command": "x", "args": ["a", "b c"]'),
        ('"command": "x", "excludeTools": "a|"', "Make `excludeTools`", '"command": "x", "excludeTools": ["a"]'),
        ('"command": "npx -y x|"', "Move the arguments", '"command": "npx", "args": ["-y", "x"]'),
        ('"command": "npx -y|", "args": ["x"]', "Move the arguments", '"command": "npx", "args": ["-y", "x"]'),
        ('"command": "x", "type": "loc|al"', 'Write "stdio"', '"command": "x", "type": "stdio"'),
        ('"url": "x", "type": "streamable-http|"', 'Write "http"', '"url": "x", "type": "http"'),
        ('"command": "${NO|}"', "Give `NO` a default", '"command": "${NO:-}"'),
        ('"command": "${env:HOME|}"', "Give `HOME` a default", '"command": "${env:HOME:-}"'),
        ('"command": "${NO_KEY|}"', "Ask for it once", '"command": "${input:no-key}"'),
        ('"env": {"X": "😀${N|O}"}', "Give `NO`", '"env": {"X": "😀${NO:-}"}'),
    ],
)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_fault_is_mended(place: Place, before: str, title: str, after: str, encoding: str) -> None:
    assert taken(place, SERVER % before, title, encoding=encoding) == SERVER % after


@pytest.mark.parametrize(
    "text",
    [
        '"trust|": true',
        '"apiKey|": "x"',
        '"tool_timeout_sec|": 5',
        '"environment|": "x"',
        '"environment|": {}, "env": {}',
        '"alwaysAllow|": ["x"]',
        '"quite-unlike-anything|": 1',
        '"// remark|": 1',
        '"command|": "x"',
        '"command": "/opt/my program|"',
    ],
)
def test_no_key_is_renamed_where_that_would_be_wrong(place: Place, text: str) -> None:
    assert not [title for title in titles(place, SERVER % text) if title.startswith(("Change", "Move"))]


def test_a_quick_fix_names_the_diagnostic_that_it_mends(place: Place) -> None:
    text, actions = at(place, SERVER % '"comand|": "x"')
    action = actions["Change `comand` to `command`"]
    assert action.is_preferred and action.diagnostics
    assert all(found in config_text_diagnostics(text, place.world) for found in action.diagnostics)


# --- secrets ---


@pytest.mark.parametrize(
    ("entry", "asked", "moved", "name"),
    [
        (
            {"command": "npx", "env": {"API_TOKEN": "geheim123456"}},
            {"command": "npx", "env": {"API_TOKEN": "${input:a-api-token}"}},
            {"command": "npx", "env": {"API_TOKEN": "${API_TOKEN}"}},
            "API_TOKEN",
        ),
        (
            {"url": "https://h", "headers": {"Authorization": "Bearer geheim123456"}},
            {"url": "https://h", "headers": {"Authorization": "Bearer ${input:a-authorization}"}},
            {"url": "https://h", "headers": {"Authorization": "Bearer ${A_AUTHORIZATION}"}},
            "A_AUTHORIZATION",
        ),
        (
            {"command": "npx", "args": ["ä😀", "--api-key=geheim123456"]},
            {"command": "npx", "args": ["ä😀", "--api-key=${input:a-api-key}"]},
            {"command": "npx", "args": ["ä😀", "--api-key=${A_API_KEY}"]},
            "A_API_KEY",
        ),
    ],
)
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("env", [None, "", "OLD=1\n", "OLD=1", "A='x\ny'"])
def test_a_secret_moves_out(
    place: Place, entry: Any, asked: Any, moved: Any, name: str, encoding: str, env: str | None
) -> None:
    path = place.home / ".env"
    path.unlink()
    if env is not None:
        path.write_text(env)
    text = json.dumps({"mcpServers": {"a": entry}}, ensure_ascii=False).replace("geheim", "ge|heim")
    after = taken(place, text, "Ask for the secret once", encoding=encoding)
    assert json.loads(after)["mcpServers"]["a"] == asked
    made, actions = at(place, text, encoding=encoding)
    action = actions[f"Move the secret to `~/.env` as `{name}`"]
    edits = edits_of(action)
    after = applied(made.document.text, edits[made.uri], encoding)
    assert json.loads(after)["mcpServers"]["a"] == moved
    written = applied(env or "", edits[path.as_uri()], encoding)
    assert parse_dotenv(written) == {**parse_dotenv(env or ""), name: "geheim123456"}
    creates = (
        [change for change in action.edit.document_changes or () if isinstance(change, types.CreateFile)]
        if action.edit
        else []
    )
    assert bool(creates) == (env is None)


def test_a_name_that_is_taken_is_not_taken_again(place: Place) -> None:
    text = SERVER % '"command": "npx", "env": {"SHELL_KEY": "geheim12345|6"}'
    assert "Move the secret to `~/.env` as `SHELL_KEY_2`" in titles(place, text)


@pytest.mark.parametrize("value", ["it's-secret-1", "a\\\\b-secret-1", "line\\nsecret-1"])
def test_a_secret_that_no_env_file_can_hold_is_only_asked_for(place: Place, value: str) -> None:
    found = titles(place, SERVER % f'"command": "npx", "env": {{"API_TOKEN": "|{value}"}}')
    assert not [title for title in found if title.startswith("Move the secret")]


# --- switches ---


def test_a_tool_is_disabled_in_the_file(place: Place) -> None:
    world = place.with_views(place.view("a", tools=[("read", True), ("write", True), ("gone", False)]))
    text = '{\n  "mcpServers": {\n    "a|": {\n      "command": "npx"\n    }\n  }\n}\n'
    found = titles(place, text, world)
    assert "Disable the tool read" in found and "Disable the tool gone" not in found
    after = taken(place, text, "Disable the tool read", world)
    assert after.replace(' "command": "npx",\n      "excludeTools": ["read"]', ' "command": "npx"') == text.replace(
        "|", ""
    )
    text = SERVER % '"command": "npx", "excludeTools": ["read"|]'
    assert "Disable the tool read" not in titles(place, text, world)
    assert (
        taken(place, text, "Disable the tool write", world)
        == SERVER % '"command": "npx", "excludeTools": ["read", "write"]'
    )


@pytest.mark.parametrize(
    ("before", "title", "after"),
    [
        ('"command": "npx"', "Disable the server", '"command": "npx", "disabled": true'),
        ('"command": "npx", "disabled": false', "Disable the server", '"command": "npx", "disabled": true'),
        ('"command": "npx", "disabled": true', "Enable the server", '"command": "npx", "disabled": false'),
        ("", "Disable the server", "DISABLED"),
    ],
)
def test_a_server_is_switched_in_the_file(place: Place, before: str, title: str, after: str) -> None:
    found = taken(place, (SERVER % before).replace('"a"', '"a|"'), title)
    assert json.loads(found) == json.loads(SERVER % after.replace("DISABLED", '"disabled": true'))


# --- import and conversion ---


def resolved(
    place: Place, text: str, title: str, opened: Any = None, **more: Any
) -> tuple[dict[str, str], tuple[str, ...]]:
    """The texts of the files that an offer changes, and its notes."""
    opened = opened or {}
    made, actions = at(place, text, **more)
    offer = next(action for name, action in actions.items() if name.startswith(title))
    assert offer.edit is None and offer.data
    done = resolve_action(offer, made, opened.get)
    out: dict[str, str] = {}
    for uri, edits in edits_of(done.action).items():
        path = Path(uri.removeprefix("file://"))
        before = made.document.text if uri == made.uri else opened.get(path, path.read_text() if path.exists() else "")
        out[path.name] = applied(before, edits, made.encoding)
    return out, done.notes


def test_servers_of_another_tool_are_imported_into_the_open_text(place: Place) -> None:
    vscode = place.folder / ".vscode" / "mcp.json"
    vscode.parent.mkdir()
    vscode.write_text(json.dumps({"servers": {"new": {"command": "x", "dev": {"watch": "*"}}, "a": {"command": "y"}}}))
    found, notes = resolved(place, "{|" + (SERVER % '"command": "npx"')[1:], "Import servers from VS Code")
    assert json.loads(found["mcp.json"])["mcpServers"] == {"a": {"command": "npx"}, "new": {"command": "x"}}
    assert any("`dev`" in note for note in notes) and any("there already" in note for note in notes)


def test_only_files_that_are_there_are_offered(place: Place) -> None:
    assert not [title for title in titles(place, "{|}") if title.startswith("Import")]
    (place.home / ".cursor").mkdir()
    (place.home / ".cursor" / "mcp.json").write_text('{"mcpServers": {}}')
    assert not [title for title in titles(place, "{|}") if title.startswith("Import")]
    assert [title for title in titles(place, "{|}", scope="user") if title.startswith("Import servers from Cursor")]


@pytest.mark.parametrize(
    ("title", "file", "key"),
    [
        ("VS Code", "mcp.json", "servers"),
        ("Claude Code", ".mcp.json", "mcpServers"),
        ("Cursor", "mcp.json", "mcpServers"),
        ("Gemini CLI", "settings.json", "mcpServers"),
        ("opencode", "opencode.json", "mcp"),
        ("Zed", "settings.json", "context_servers"),
        ("mcphub", "servers.json", "mcpServers"),
    ],
)
def test_a_server_or_all_of_them_are_written_for_another_tool(place: Place, title: str, file: str, key: str) -> None:
    text = servers({"a": {"command": "npx", "args": ["${HOME}"], "startTimeout": 5000}, "b": {"url": "https://h"}})
    found, notes = resolved(place, text.replace('"a"', '"a|"', 1), f"Write the server a for {title}")
    assert list(json.loads(found[file])[key]) == ["a"]
    assert any("startTimeout" in note for note in notes)
    found, _ = resolved(place, text.replace('"mcpServers"', '"mcpServers|"', 1), f"Write all servers for {title}")
    assert list(json.loads(found[file])[key]) == ["a", "b"]


def test_the_other_tools_open_text_counts_before_its_file(place: Place) -> None:
    path = place.folder / ".mcp.json"
    opened = {path: '{"mcpServers": {"mine": {"command": "z"}}}'}
    text = servers({"a": {"command": "npx"}}).replace('"a"', '"a|"')
    found, _ = resolved(place, text, "Write the server a for Claude", opened)
    assert list(json.loads(found[".mcp.json"])["mcpServers"]) == ["mine", "a"]


def test_a_client_that_cannot_resolve_gets_edits_at_once_and_nothing_that_fails(place: Place) -> None:
    (place.folder / ".mcp.json").write_text("{broken mcpServers")
    text = servers({"a": {"command": "npx"}}).replace('"a"', '"a|"')
    _, actions = at(place, text, resolves_edits=False)
    assert all(action.edit is not None for action in actions.values())
    assert not [title for title in actions if "Claude" in title] and [title for title in actions if "VS Code" in title]


def test_what_is_gone_or_broken_meanwhile_is_refused(place: Place) -> None:
    made, actions = at(place, servers({"a": {"command": "npx"}}).replace('"a"', '"a|"'))
    offer = next(action for name, action in actions.items() if "Claude" in name)
    with pytest.raises(Stale):
        resolve_action(offer, None)
    (place.folder / ".mcp.json").write_text("{")
    with pytest.raises(InvalidParams):
        resolve_action(offer, made)
    (place.folder / ".mcp.json").unlink()
    (place.folder / ".mcp.json").symlink_to(place.home / ".env")
    with pytest.raises(HostError):
        resolve_action(offer, made)


@pytest.mark.parametrize("data", [None, 7, {}, {"configAction": "x"}, {"mentionAction": "insert"}])
def test_an_action_of_somebody_else_comes_back_as_it_is(place: Place, data: Any) -> None:
    action = types.CodeAction(title="x", data=data)
    assert resolve_action(action, place.text("{}")).action == action


@pytest.mark.parametrize("data", [{"configAction": "import", "from": "x"}, {"configAction": "convert", "to": "x"}])
def test_a_forged_action_is_refused(place: Place, data: Any) -> None:
    with pytest.raises(InvalidParams):
        resolve_action(types.CodeAction(title="x", data=data), place.text("{}"))


# --- all of them ---


def test_only_the_kinds_that_are_wanted_come(place: Place) -> None:
    text = SERVER % '"comand|": "x"'
    assert titles(place, text, only=["quickfix"]) == ["Change `comand` to `command`"]
    assert titles(place, text, only=["source"]) == []


@pytest.mark.parametrize("text", ["{|", SERVER[:-2] % '"comand|": "x"', "|", "[|]"])
def test_a_broken_text_has_no_actions(place: Place, text: str) -> None:
    assert titles(place, text) == []


def test_every_edit_at_every_place_of_a_config_leaves_sound_json(place: Place) -> None:
    world = evolve(place.with_views(place.view("docs", tools=[("read", True)])), versioned=True)
    for offset in range(0, len(RICH), 3):
        made, actions = at(place, RICH[:offset] + "|" + RICH[offset:], world, resolves_edits=False)
        for action in actions.values():
            for uri, edits in edits_of(action).items():
                before = made.document.text if uri == made.uri else ""
                after = applied(before, edits)
                assert uri.endswith(".env") or parse(after).ok, (action.title, after)


def test_every_prefix_has_actions_or_none(place: Place) -> None:
    for end in range(0, len(RICH) + 1, 2):
        assert isinstance(titles(place, RICH[:end] + "|"), list)

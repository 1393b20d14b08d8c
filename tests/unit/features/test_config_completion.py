"""Completion in the config file, in the middle of typing: what is offered, what it replaces, and what comes of it."""

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types

from codeagent_lsp.config.document import parse
from codeagent_lsp.features.config_language_completion import complete
from codeagent_lsp.features.config_language_cursor import cursor_at
from codeagent_lsp.features.config_language_schema import server_keys
from config_kit import ENCODINGS, RICH, Place, applied, covered

SERVER = '{"mcpServers": {"a": {%s}}}'


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def labels(place: Place, text: str, **more: Any) -> list[str]:
    found, position = place.marked(text, **more)
    return [item.label for item in complete(found, position, place.world).items]


def chosen(place: Place, text: str, label: str, *, snippets: bool = False, **more: Any) -> str:
    """The text after an item was taken."""
    found, position = place.marked(text, **more)
    world = evolve(place.world, snippets=snippets)
    item = next(item for item in complete(found, position, world).items if item.label == label)
    assert isinstance(item.text_edit, types.TextEdit)
    return applied(found.document.text, [item.text_edit, *(item.additional_text_edits or [])], found.encoding)


@pytest.mark.parametrize(
    "text",
    [
        SERVER % "|",
        SERVER % '"|"',
        SERVER % '"c|"',
        SERVER % '"|',
        SERVER % "c|",
        '{"mcpServers": {"a": {"|',
        '{"mcpServers": {"a": {\n  "|\n',
        '{"mcpServers": {"a": {\n  |',
        '{"mcpServers": {"a": {"disabled": true, |',
        '{"mcpServers": {"a": {"disabled": true,\n "|"\n}}}',
        '{"mcpServers": {"a": {"disabled": true\n |}}}',
        '// x\n{"mcpServers": {"b": {}, "a": { /* y */ | }}}',
        '{"servers": {"a": {"|"}}}',
        '{"mcpServers": {"a": {"|": 1}}}',
    ],
)
def test_the_keys_of_a_server_are_offered_wherever_one_can_stand(place: Place, text: str) -> None:
    found = labels(place, text)
    assert {"command", "url", "timeout"} <= set(found)
    assert "trustAnnotations" not in found  # no use in a project


@pytest.mark.parametrize(
    ("text", "there", "absent"),
    [
        (SERVER % '"command": "x", |', {"args", "env", "cwd"}, {"command", "url", "headers", "oauth"}),
        (SERVER % '"url": "x", |', {"headers", "oauth"}, {"url", "command", "args", "env"}),
        (SERVER % '"oauth": {|}', {"clientId", "clientSecret", "scopes", "callbackPort"}, {"command"}),
        ("{|}", {"mcpServers", "servers"}, {"command", "mcp_servers"}),
        ('{"mcpServers": {}, |}', {"servers"}, {"mcpServers"}),
        (SERVER % '"headers": {"|"}', {"Authorization"}, {"command"}),
        (SERVER % '"env": {"|"}', {"PROJECT_KEY", "USER_KEY", "SHELL_KEY"}, {"command"}),
    ],
)
def test_only_what_fits_beside_the_other_keys_is_offered(
    place: Place, text: str, there: set[str], absent: set[str]
) -> None:
    found = set(labels(place, text))
    assert there <= found and not absent & found


def test_settings_have_their_own_key_and_user_files_the_keys_of_trust(place: Place) -> None:
    assert labels(place, "{|}", name="settings.json") == ["mcp_servers"]
    assert "autoApprove" in labels(place, SERVER % "|", scope="user")
    assert "command" in labels(place, '{"mcp_servers": {"a": {|}}}', name="settings.json")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (SERVER % '"type": "|"', {"stdio", "http", "sse"}),
        (SERVER % '"type": |', {"stdio", "http", "sse"}),
        (SERVER % '"disabled": |', {"true", "false"}),
        (SERVER % '"disabled": t|', {"true", "false"}),
        (SERVER % '"autostart": "|', {"true", "onDemand"}),
        (SERVER % '"protocol": "l|"', {"auto", "legacy", "modern"}),
        (SERVER % '"startTimeout": |', {"30000"}),
        (SERVER % '"command": "|"', {"npx", "uvx", "zebra", "cat"}),
        (SERVER % '"command": "z|', {"zebra"}),
        (SERVER % '"cwd": "|"', {"${workspaceFolder}", "${userHome}"}),
        (SERVER % '"args": ["-y", "|"]', {"${workspaceFolder}"}),
        (SERVER % '"args": |', {"[ ]"}),
        (SERVER % '"env": {"TOKEN": "|"}', {"${TOKEN}"}),
        (SERVER % '"headers": {"Authorization": "|"}', {"Bearer ${…}"}),
        ('{"mcpServers": {"a": |}}', {'{ "command" }', '{ "url" }'}),
        ('{"mcpServers": |}', {"{ }"}),
        (SERVER % '"inheritEnv": ["|"]', {"PATH", "HOME", "SHELL_KEY", "EMPTY"}),
    ],
)
def test_values_are_those_that_the_schema_and_the_machine_have(place: Place, text: str, wanted: set[str]) -> None:
    assert set(labels(place, text)) == wanted


def test_the_tools_of_the_running_server_are_offered_where_they_are_filtered(place: Place) -> None:
    world = place.with_views(place.view("a", tools=[("read", True), ("write", False)]))
    for key in ("includeTools", "excludeTools"):
        text, position = place.marked(SERVER % f'"{key}": ["|"]')
        items = {item.label: item.detail for item in complete(text, position, world).items}
        assert items == {"read": None, "write": "switched off"}
    text, position = place.marked(SERVER % '"excludeTools": ["read", "|"]')
    assert [item.label for item in complete(text, position, world).items] == ["write"]


@pytest.mark.parametrize("value", ['"${|"', '"a ${|}"', '"$|"', '"x$|y"', '"${A:-${|}}"', '"${|', '"Bearer ${|}"'])
@pytest.mark.parametrize("field", ['"command": ', '"args": [', '"env": {"X": ', '"cwd": '])
def test_variables_are_offered_inside_of_every_text_without_their_values(place: Place, field: str, value: str) -> None:
    text, position = place.marked('{"mcpServers": {"a": {' + field + value)
    items = complete(text, position, place.world).items
    found = {item.label: item.detail or "" for item in items}
    assert {"${workspaceFolder}", "${PROJECT_KEY}", "${USER_KEY}", "${EDITOR_KEY}", "${SHELL_KEY}"} <= set(found)
    assert "~/.env" in found["${USER_KEY}"] and "environment" in found["${SHELL_KEY}"]
    assert "geheim" not in str(items)


@pytest.mark.parametrize("value", ['"a|"', '"${A}|"', '"$$|"', '"|$"', '"${A:-de|"'])
def test_no_variables_are_offered_where_none_is_typed(place: Place, value: str) -> None:
    assert "${HOME}" not in labels(place, SERVER % f'"command": {value}')


def test_the_project_s_variables_are_not_offered_in_a_user_file(place: Place) -> None:
    assert "${PROJECT_KEY}" not in labels(place, SERVER % '"command": "${|"', scope="user")


@pytest.mark.parametrize(
    ("text", "label", "after"),
    [
        (SERVER % "|", "command", SERVER % '"command": ""'),
        (SERVER % '"co|', "command", '{"mcpServers": {"a": {"command": ""}}}'),
        (SERVER % '"|"', "args", SERVER % '"args": []'),
        (SERVER % "ur|", "url", SERVER % '"url": ""'),
        (SERVER % '"x|": 1', "command", SERVER % '"command": 1'),
        (SERVER % '|"command": "x"', "disabled", SERVER % '"disabled": true,"command": "x"'),
        (SERVER % '"command": "x" |', "args", SERVER % '"command": "x", "args": []'),
        (SERVER % '"type": "h|"', "http", SERVER % '"type": "http"'),
        (SERVER % '"type": |', "http", SERVER % '"type": "http"'),
        (SERVER % '"disabled": "t|"', "true", SERVER % '"disabled": true'),
        (SERVER % '"command": "n|"', "npx", SERVER % '"command": "npx"'),
        (SERVER % '"command": "a ${PRO|}b"', "${PROJECT_KEY}", SERVER % '"command": "a ${PROJECT_KEY}b"'),
        (SERVER % '"command": "$|"', "${HOME}", SERVER % '"command": "${HOME}"'),
        (SERVER % '"command": "${|"', "${HOME}", SERVER % '"command": "${HOME}"'),
        (SERVER % '"command": "😀${|"', "${HOME}", SERVER % '"command": "😀${HOME}"'),
        (SERVER % '"env": {"|"}', "USER_KEY", SERVER % '"env": {"USER_KEY": "${USER_KEY}"}'),
    ],
)
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("snippets", [False, True])
def test_taking_an_item_leaves_what_was_meant(
    place: Place, text: str, label: str, after: str, encoding: str, snippets: bool
) -> None:
    found = chosen(place, text, label, encoding=encoding, snippets=snippets)
    if snippets:
        for stop in ("$1", "${1:true}"):
            found = found.replace(stop, "true" if "true" in stop else "")
        found = found.replace("\\$", "$").replace("\\}", "}").replace('[""]', "[]")
    assert found == after.replace('["', '["')


def test_a_whole_server_and_a_switch_for_one_s_own_are_offered_at_a_new_name(place: Place) -> None:
    place.world = place.with_views(place.view("mine", scope="user"), place.view("there", scope="user"))
    found = labels(place, '{"mcpServers": {"there": {}, "|"}}')
    assert found == ["server: a program", "server: an address", "mine"]
    after = chosen(place, '{"mcpServers": {|}}', "mine")
    assert parse(after).ok and '"mine": { "disabled": true }' in after
    for label in found[:2]:
        assert parse(chosen(place, '{"mcpServers": {|}}', label)).ok


@pytest.mark.parametrize(
    "text",
    [
        "|",
        "// |",
        SERVER % "/* | */",
        SERVER % '"command" |',
        SERVER % '"env": {"A": {"|"}}',
        '{"other": {"a": {"|"}}}',
        '{"other": "|"}',
        "[|]",
        SERVER % '"args": ["a" |]',
        SERVER + "|",
    ],
)
def test_nothing_is_offered_where_nothing_can_stand(place: Place, text: str) -> None:
    assert labels(place, text) == []


def test_at_most_200_items_are_offered_and_more_is_told(place: Place) -> None:
    place.world = evolve(place.world, programs=lambda: [f"program-{number:03d}" for number in range(500)])
    text, position = place.marked(SERVER % '"command": "|"')
    found = complete(text, position, place.world)
    assert len(found.items) == 200 and found.is_incomplete


def test_documentation_is_what_the_schema_says(place: Place) -> None:
    text, position = place.marked(SERVER % "|")
    items = {item.label: item for item in complete(text, position, place.world).items}
    for info in server_keys("project"):
        documentation = items[info.name].documentation
        assert isinstance(documentation, types.MarkupContent) and documentation.value == info.description


@pytest.mark.parametrize(
    ("foreign", "encoding", "step"),
    [(None, "utf-16", 1), (None, "utf-8", 13), (".mcp.json", "utf-32", 13), (".vscode/mcp.json", "utf-16", 13)],
)
def test_on_every_prefix_of_a_config_items_are_edits_of_one_line_that_no_client_filters_away(
    place: Place, encoding: str, foreign: str | None, step: int
) -> None:
    more: dict[str, Any] = {"foreign": foreign, "also_read": [foreign]} if foreign else {}
    for end in range(0, len(RICH) + 1, step):
        rest = ("", '"}}}')[end % 2]
        text, position = place.marked(RICH[:end] + "|" + rest, encoding=encoding, **more)
        for item in complete(text, position, place.world).items:
            assert isinstance(item.text_edit, types.TextEdit)
            where = item.text_edit.range
            assert where.start.line == where.end.line == position.line
            assert where.start.character <= position.character <= where.end.character
            begun = covered(text, types.Range(where.start, position))
            variable = item.kind is types.CompletionItemKind.Variable and begun.startswith("$")
            head = begun[:1] if begun[:1] == '"' or variable else ""
            assert (item.filter_text or item.label).startswith(head), (begun, item)


@pytest.mark.parametrize("snippets", [True, False])
@pytest.mark.parametrize(
    ("text", "label"),
    [
        (SERVER % '"sta|"', "startTimeout"),
        (SERVER % '"sta|', "startTimeout"),
        (SERVER % '"command": "uv|"', "uvx"),
        ('{"mcpServers": {"|"}}', "server: a program"),
    ],
)
def test_a_quote_that_stands_there_is_kept_for_editors_that_match_whole_words(
    place: Place, text: str, label: str, snippets: bool
) -> None:
    found, position = place.marked(text)
    world = evolve(place.world, snippets=snippets, programs=lambda: ["uvx"])
    (item,) = (item for item in complete(found, position, world).items if item.label == label)
    assert isinstance(item.text_edit, types.TextEdit)
    assert item.insert_text == item.text_edit.new_text and not item.insert_text.startswith('"')
    assert covered(found, types.Range(item.text_edit.range.start, position)) in (item.filter_text or "")
    assert found.document.text[found.offset(item.text_edit.range.start) - 1] == '"'


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from('{}[]",:\\ \n/*aé😀${}-'), max_size=30), st.integers(0, 30))
def test_any_text_at_any_place_has_a_cursor_that_holds_it(text: str, offset: int) -> None:
    cursor = cursor_at(text, min(offset, len(text)))
    if cursor is not None:
        assert cursor.replace.holds(min(offset, len(text)))
        assert "\n" not in text[cursor.replace.start : cursor.replace.end]

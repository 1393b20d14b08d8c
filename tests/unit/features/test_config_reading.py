"""Hover, lenses, outline, folding, links and definitions of a config file, broken or not."""

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from lsprotocol import types

from codeagent_lsp.config.entries import Entry, read_entries
from codeagent_lsp.config.launch import prepare
from codeagent_lsp.features.config_language import config_text
from codeagent_lsp.features.config_language_hover import hover
from codeagent_lsp.features.config_language_lenses import SHOW_LOG, code_lenses
from codeagent_lsp.features.config_language_links import definition, document_links
from codeagent_lsp.features.config_language_outline import (
    document_symbols,
    folding_ranges,
    server_name_at,
    server_range,
)
from codeagent_lsp.features.config_language_schema import server_keys
from codeagent_lsp.features.config_language_views import programs, server_views
from codeagent_lsp.operations.wants import Plan, Prepared
from codeagent_lsp.protocol import ServerError
from config_kit import ENCODINGS, RICH, Place, covered, position, servers


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def hovered(place: Place, text: str, world: Any = None, **more: Any) -> tuple[str, str] | None:
    """What a hover at the mark stands at, and what it says."""
    made, where = place.marked(text, **more)
    found = hover(made, where, world or place.world)
    if found is None:
        return None
    assert isinstance(found.contents, types.MarkupContent) and found.range is not None
    return covered(made, found.range), found.contents.value


SERVER = '{"mcpServers": {"a": {%s}}}'


@pytest.mark.parametrize("info", server_keys(), ids=lambda info: info.name)
def test_a_key_is_explained_with_the_words_of_the_schema(place: Place, info: Any) -> None:
    found = hovered(place, SERVER % f'"{info.name[:2]}|{info.name[2:]}": null')
    assert found is not None and found[0] == f'"{info.name}"' and info.description in found[1]
    if info.default is not None:
        assert f"Default: `{info.default}`" in found[1]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('{"mcp|Servers": {}}', "servers by name"),
        (SERVER % '"type": "ht|tp"', "spoken to"),
        (SERVER % '"oauth": {"client|Id": 1}', "registered by hand"),
        (SERVER % '"env": {"A|": "1"}', "laid over"),
        (SERVER % '"timeout": 5|0', "Milliseconds"),
    ],
)
def test_values_and_inner_keys_are_explained(place: Place, text: str, word: str) -> None:
    found = hovered(place, text)
    assert found is not None and word in found[1]


@pytest.mark.parametrize(
    ("value", "at", "word"),
    [
        ("${SHELL|_KEY}", "${SHELL_KEY}", "environment"),
        ("${PROJECT|_KEY}", "${PROJECT_KEY}", "project's"),
        ("${USER|_KEY}", "${USER_KEY}", "~/.env"),
        ("${EDITOR|_KEY}", "${EDITOR_KEY}", "editor"),
        ("x${NO|T}", "${NOT}", "not set"),
        ("${NO|T:-d}", "${NOT:-d}", "default"),
        ("${NOT:-${HO|ME}}", "${HOME}", "environment"),
        ("${inp|ut:x}", "${input:x}", "asked"),
        ("${work|spaceFolder}", "${workspaceFolder}", "/ws"),
        ("${comm|and:x}", "${command:x}", "not a variable"),
    ],
)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_variable_says_from_where_it_is_and_never_its_value(
    place: Place, value: str, at: str, word: str, encoding: str
) -> None:
    found = hovered(place, SERVER % f'"command": "npx", "args": ["😀", "{value}"]', encoding=encoding)
    assert found is not None and found[0] == at
    assert word in found[1] and "geheim" not in found[1]


def launched(place: Place, value: dict[str, Any]) -> Any:
    text = place.text(servers({"a": value}))
    entries, _ = read_entries(text.document, "project", place.folder, place.path(), "mcpServers")
    assert isinstance(entries[0], Entry)
    return prepare("a", entries[0], place.world.lookup)


def test_a_server_shows_its_state_tools_command_line_and_environment_redacted(place: Place) -> None:
    value = {
        "command": "npx",
        "args": ["-y", "x", "${USER_KEY}"],
        "env": {"TOKEN": "${SHELL_KEY}", "PASSWORD": "geheim-plain", "MODE": "fast"},
    }
    view = place.view(
        "a",
        launch=launched(place, value),
        tools=[("read", True), ("write", False)],
        disabled_tools=1,
        pid=42,
        protocol_version="2025-06-18",
        server_info={"name": "Docs`", "version": "1"},
    )
    found = hovered(place, servers({"a": value}).replace('"a"', '"a|"', 1), place.with_views(view))
    assert found is not None and found[0] == '"a"'
    for word in (
        "ready",
        "2 tools",
        "1 switched off",
        "-y",
        "npx",
        "MODE=fast",
        "write (switched off)",
        "42",
        "USER_KEY",
    ):
        assert word in found[1], word
    assert "geheim" not in found[1]
    assert str(place.bin / "npx") in found[1] and "PATH" in found[1]


@pytest.mark.parametrize("markdown", [True, False])
def test_what_a_server_wrote_stays_in_a_block(place: Place, markdown: bool) -> None:
    nasty = "```\n# [x](command:y) \u202e <img>"
    error = ServerError("exited", nasty, nasty, 1, [nasty])
    world = place.with_views(
        place.view("a", "failed", error=error, detail=nasty, tools=[(nasty, True)]), markdown=markdown
    )
    found = hovered(place, SERVER.replace('"a"', '"|a"') % '"command": "npx"', world)
    assert found is not None and "\u202e" not in found[1]
    if markdown:
        assert found[1].startswith("````") and found[1].rstrip().endswith("````")
    else:
        assert not found[1].startswith("```text")


@pytest.mark.parametrize("text", ["|", "{|}", "// |x", '{"other": {"a|": 1}}', "[1|]"])
def test_nothing_is_said_where_nothing_is_known(place: Place, text: str) -> None:
    assert hovered(place, text) is None


# --- lenses ---

STATES = ["disabled", "untrusted", "starting", "ready", "needsAuth", "failed", "stopped"]


def titles(place: Place, state: str, **more: Any) -> list[tuple[str, str]]:
    options = {key: more.pop(key) for key in ("icons", "client_commands") if key in more}
    world = place.with_views(place.view("a", state, **more), **options)
    text = place.text(SERVER % '"command": "npx"')
    lenses = code_lenses(text, world)
    assert all(covered(text, lens.range) == '"a"' for lens in lenses)
    assert all(
        lens.command and lens.command.arguments and lens.command.arguments[0]["server"] == "a" for lens in lenses
    )
    return [(lens.command.title, lens.command.command) for lens in lenses if lens.command]


def test_a_server_that_is_up_says_so_and_can_be_restarted_and_stopped(place: Place) -> None:
    tools = [(f"t{number}", True) for number in range(12)]
    assert titles(place, "ready", tools=tools, client_commands=[SHOW_LOG]) == [
        ("✓ ready · 12 tools", SHOW_LOG),
        ("Restart", "codeagent.restart"),
        ("Stop", "codeagent.stop"),
        ("Show log", SHOW_LOG),
    ]
    assert titles(place, "ready", tools=tools, icons=True)[0][0] == "$(check)\u00a0ready · 12 tools"
    assert SHOW_LOG not in [command for _, command in titles(place, "ready")]


@pytest.mark.parametrize(
    ("state", "title", "command"),
    [
        ("disabled", "Enable", "codeagent.setEnabled"),
        ("untrusted", "Approve…", "codeagent.start"),
        ("needsAuth", "Sign in", "codeagent.signIn"),
        ("failed", "Restart", "codeagent.restart"),
        ("stopped", "Start", "codeagent.start"),
        ("starting", "Stop", "codeagent.stop"),
    ],
)
def test_each_state_has_its_way_out(place: Place, state: str, title: str, command: str) -> None:
    assert (title, command) in titles(place, state)


def test_a_failed_server_says_why_in_one_sentence(place: Place) -> None:
    error = ServerError("exited", "the process exited with code 1. It last wrote: cannot open notes.db: no such file.")
    assert titles(place, "failed", error=error)[0][0] == "✗ failed · the process exited with code 1"
    long = ServerError("spawnFailed", "the command `" + "x" * 500 + "` does not exist.")
    assert len(titles(place, "failed", error=long)[0][0]) < 100


def test_an_entry_that_waits_while_another_runs_can_be_approved(place: Place) -> None:
    assert ("Approve…", "codeagent.start") in titles(place, "ready", in_force=False, waits=True)
    assert "another entry" in titles(place, "ready", in_force=False)[0][0]


def test_a_file_that_is_not_saved_yet_has_no_lenses(place: Place) -> None:
    assert code_lenses(place.text(SERVER % ""), place.world) == []


# --- outline ---


def test_servers_and_their_fields_are_the_outline(place: Place) -> None:
    text = place.text(RICH)
    symbols = document_symbols(text)
    assert [(symbol.name, symbol.detail) for symbol in symbols] == [
        ("docs", "npx"),
        ("web", "https://h/mcp"),
        ("off", ""),
    ]
    assert [child.name for child in symbols[1].children or ()] == ["url", "headers", "oauth", "timeout"]
    for symbol in symbols:
        assert covered(text, symbol.range).startswith(covered(text, symbol.selection_range))


def test_objects_arrays_and_comments_fold(place: Place) -> None:
    lines = RICH.splitlines()
    found = {(fold.start_line, fold.end_line, fold.kind) for fold in folding_ranges(place.text(RICH))}
    start = next(number for number, line in enumerate(lines) if '"docs"' in line)
    end = next(number for number, line in enumerate(lines) if number > start and line == "    },")
    comment = next(number for number, line in enumerate(lines) if "several" in line)
    assert (start, end - 1, None) in found and (comment, comment + 1, types.FoldingRangeKind.Comment) in found


@pytest.mark.parametrize("text", ['{"a": "/*",\n "b": 1}', '{"a": [\n"/*",\n"*/"]}'])
def test_a_comment_inside_of_a_text_is_none(place: Place, text: str) -> None:
    assert not [fold for fold in folding_ranges(place.text(text)) if fold.kind is not None]


def test_a_servers_name_has_its_place_for_renaming_and_for_definitions(place: Place) -> None:
    text, where = place.marked('{"mcpServers": {"m|y": {}}}')
    found = server_name_at(text, where)
    assert found is not None and found[0] == "my" and covered(text, found[1]) == "my"
    there = server_range(text, "my")
    assert there is not None and covered(text, there) == '"my"' and server_range(text, "none") is None
    text, where = place.marked('{"mcpServers": {"my": {"command": "n|px"}}}')
    assert server_name_at(text, where) is None


# --- links ---


@pytest.mark.parametrize("name", ["PROJECT_KEY", "USER_KEY"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_variable_leads_to_the_line_that_sets_it(place: Place, name: str, encoding: str) -> None:
    path = (place.folder if name == "PROJECT_KEY" else place.home) / ".env"
    path.write_text(f"# {name}\nA=1\n  export {name}=first\n{name} = last\n")
    text, where = place.marked(SERVER % f'"command": "${{{name[:3]}|{name[3:]}}}"', encoding=encoding)
    found = definition(text, where, place.world)
    assert found is not None and found.uri == path.as_uri()
    assert found.range == types.Range(types.Position(3, 0), types.Position(3, len(name)))


@pytest.mark.parametrize("name", ["SHELL_KEY", "EDITOR_KEY", "NOT", "NOT:-x"])
def test_a_variable_of_no_file_leads_nowhere(place: Place, name: str) -> None:
    text, where = place.marked(SERVER % f'"command": "${{|{name}}}"')
    assert definition(text, where, place.world) is None


def test_files_of_the_workspace_are_links_and_others_are_not(place: Place, tmp_path: Path) -> None:
    (place.folder / "run.py").write_text("")
    (tmp_path / "outside.py").write_text("")
    args = [
        "run.py",
        "${workspaceFolder}/run.py",
        "../outside.py",
        str(tmp_path / "outside.py"),
        "none.py",
        "${NO}/x.py",
    ]
    text = place.text(servers({"a": {"command": "npx", "args": args, "envFile": ".env"}}))
    found = {covered(text, link.range): link.target for link in document_links(text, place.world)}
    uri = (place.folder / "run.py").as_uri()
    assert found == {
        '"run.py"': uri,
        '"${workspaceFolder}/run.py"': uri,
        '".env"': (place.folder / ".env").as_uri(),
    }
    text, where = place.marked(SERVER % '"command": "npx", "args": ["run|.py"]')
    led = definition(text, where, place.world)
    assert led is not None and led.uri == uri


# --- which files, and what is known of them ---


def test_only_config_files_are_config_files(place: Place) -> None:
    home = place.home / ".codeagent"

    def found(uri: str, **more: Any) -> str | None:
        text = config_text(uri, "{}", home=home, folders=[place.folder], **more)
        return f"{text.origin.scope} {text.dialect.name}" if text else None

    assert found(place.path().as_uri()) == "project codeagent"
    assert found(place.path(name="settings.json").as_uri()) == "project codeagent"
    assert found(place.path("user").as_uri()) == "user codeagent"
    foreign = (place.folder / ".vscode" / "mcp.json").as_uri()
    assert found(foreign) is None
    assert found(foreign, also_read=[".vscode/mcp.json"]) == "project vscode"
    for uri in ("untitled:1", "https://h/.codeagent/mcp.json", "", (place.folder / "mcp.json").as_uri(), "file:///x"):
        assert found(uri) is None
    link = place.folder.parent / "link"
    link.symlink_to(place.folder)
    assert found((link / ".codeagent" / "mcp.json").as_uri()) == "project codeagent"


def test_the_views_of_a_file_are_its_own_servers_first(place: Place) -> None:
    def entry(name: str, path: Path, scope: Any) -> Entry:
        return Entry(name, scope, None, path, "stdio", command="x")

    mine, theirs = place.path("user"), place.path()
    plan = Plan(
        prepared={"a": Prepared(entry("a", mine, "user")), "b": Prepared(entry("b", theirs, "project"))},
        waiting={"a": Prepared(entry("a", theirs, "project"), trust="needed")},
    )
    views = server_views(theirs, plan, lambda _server: None, lambda _server: [("t", True)])
    assert {name: (view.in_force, view.waits) for name, view in views.items()} == {
        "a": (False, True),
        "b": (True, False),
    }
    views = server_views(mine, plan, lambda _server: None, lambda _server: [])
    assert {name: view.in_force for name, view in views.items()} == {"a": True, "b": False}


def test_programs_are_those_on_the_path_outside_of_the_workspace(place: Place) -> None:
    inside = place.folder / "bin"
    inside.mkdir()
    evil = inside / "evil"
    evil.write_text("")
    evil.chmod(0o755)
    (place.bin / "data").write_text("")
    path = f"{place.bin}:{inside}:relative:"
    assert programs(evolve(place.world.lookup, environment={"PATH": path})) == ["npx"]


def test_every_prefix_of_a_config_can_be_read(place: Place) -> None:
    world = place.with_views(place.view("docs"), place.view("web", "failed", error=ServerError("exited", "x")))
    for end in range(len(RICH) + 1):
        text = place.text(RICH[:end])
        place_now = position(text, max(0, end - 1))
        for made in (
            hover(text, place_now, world),
            code_lenses(text, world),
            document_symbols(text),
            folding_ranges(text),
            definition(text, place_now, world),
            document_links(text, world),
            server_name_at(text, place_now),
        ):
            assert made is None or made is not NotImplemented

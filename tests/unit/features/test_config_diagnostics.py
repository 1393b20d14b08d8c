"""What is said to be wrong in a config file, with exact ranges, and what is not."""

import json
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from lsprotocol import types

from codeagent_lsp.features.config_language_diagnostics import config_text_diagnostics
from codeagent_lsp.features.config_language_versions import is_versioned
from codeagent_lsp.protocol import ServerError
from codeagent_lsp.protocol.values import ListErrors
from config_kit import ENCODINGS, RICH, Place, covered, servers


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def said(place: Place, text: str, world: Any = None, **more: Any) -> list[tuple[str, str, str]]:
    """Of each diagnostic: what it stands at, how grave it is, and what it says."""
    made = place.text(text, **more)
    found = config_text_diagnostics(made, world or place.world)
    return [
        (covered(made, item.range), (item.severity or types.DiagnosticSeverity.Error).name, item.message)
        for item in found
    ]


def entry(place: Place, value: Any, world: Any = None, **more: Any) -> list[tuple[str, str, str]]:
    return said(place, servers({"a": value}), world, **more)


@pytest.mark.parametrize(
    "value",
    [
        {"command": "npx", "args": ["-y", "x"]},
        {
            "command": "npx",
            "env": {"A": "${SHELL_KEY}", "B": "${PROJECT_KEY}", "C": "${USER_KEY}", "D": "${EDITOR_KEY}"},
        },
        {"command": "npx", "env": {"A": "${NO:-x}", "B": "${NO:-${NOT:-}}", "C": "${input:x}", "D": "${env:HOME}"}},
        {"command": "npx", "env": {"A": "${HOME:-${NO}}"}},
        {"command": "npx", "cwd": "${workspaceFolder}", "args": ["$5", "${", "$HOME"]},
        {"url": "https://h/mcp", "headers": {"Authorization": "Bearer ${SHELL_KEY}"}},
        {"disabled": True},
        {"command": "not-there", "disabled": True},
        {"command": "npx", "//": "remark"},
    ],
)
def test_nothing_is_said_of_a_sound_server(place: Place, value: Any) -> None:
    assert entry(place, value) == [] or all(severity == "Information" for _, severity, _ in entry(place, value))


@pytest.mark.parametrize(
    ("value", "at", "severity", "word"),
    [
        ({"command": "npx", "agrs": []}, '"agrs"', "Warning", "args"),
        ({"command": "npx", "environment": {}}, '"environment"', "Warning", "`env`"),
        ({"command": "npx", "args": "x y"}, '"x y"', "Error", '["x", "y"]'),
        ({"command": 1}, "1", "Error", "a string"),
        ({}, '"a"', "Error", "neither"),
        ({"command": "npx", "url": "https://h"}, '"a"', "Error", "both"),
        ({"command": "npx", "args": ["${NO_SUCH}"]}, "${NO_SUCH}", "Error", "not set"),
        ({"command": "npx", "args": ["a", "b${env:NO_SUCH}c"]}, "${env:NO_SUCH}", "Error", "not set"),
        ({"command": "npx", "env": {"😀": "ä\n${NO_SUCH}"}}, "${NO_SUCH}", "Error", "not set"),
        ({"command": "npx", "env": {"A": "${NO:-${NOT}}"}}, "${NOT}", "Error", "not set"),
        ({"command": "npx", "env": {"A": "${EMPTY:-${NOT}}"}}, "${NOT}", "Error", "not set"),
        ({"command": "npx", "cwd": "${NO_SUCH}"}, "${NO_SUCH}", "Error", "not set"),
        ({"url": "https://h/${NO_SUCH}"}, "${NO_SUCH}", "Error", "not set"),
        ({"url": "https://h", "headers": {"A": "${NO_SUCH}"}}, "${NO_SUCH}", "Error", "not set"),
        ({"url": "https://h", "oauth": {"clientId": "${NO_SUCH}"}}, "${NO_SUCH}", "Error", "not set"),
        ({"command": "no-such-program"}, '"no-such-program"', "Error", "was not found"),
        ({"command": "./no/such"}, '"./no/such"', "Error", "does not exist"),
        ({"command": "npx", "cwd": "/no/such/folder"}, '"/no/such/folder"', "Error", "does not exist"),
        ({"url": "${SHELL_KEY}"}, '"${SHELL_KEY}"', "Error", "`url`"),
        ({"url": "ftp://h"}, '"ftp://h"', "Error", "http"),
        ({"command": "npx", "timeout": 5}, '"timeout"', "Warning", "milliseconds"),
        ({"command": "npx", "headers": {}}, '"headers"', "Warning", "no effect"),
        ({"command": "npx", "autoApprove": ["x"]}, '"autoApprove"', "Warning", "project"),
        ({"command": "npx", "type": "local"}, '"local"', "Warning", "stdio"),
    ],
)
def test_a_fault_is_told_once_at_its_place(place: Place, value: Any, at: str, severity: str, word: str) -> None:
    found = entry(place, value)
    assert [(where, grave) for where, grave, _ in found] == [(at, severity)], found
    assert word in found[0][2]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_ranges_are_exact_behind_wide_characters_and_escapes(place: Place, encoding: str) -> None:
    text = r'{"mcpServers": {"a": {"command": "npx", "args": ["😀é\u00e9\ud83d\ude00\n${NO_SUCH}"]}}}'
    found = said(place, text, encoding=encoding)
    assert [where for where, _, _ in found] == ["${NO_SUCH}"]


def test_a_name_that_does_not_survive_and_a_name_twice_are_told(place: Place) -> None:
    text = '{"mcpServers": {"my server": {"command": "npx"}, "b": {"command": "npx"}, "b": {"command": "npx"}}}'
    found = {(where, severity) for where, severity, _ in said(place, text)}
    assert found == {('"my server"', "Information"), ('"b"', "Warning")}


@pytest.mark.parametrize(
    "text", ["{", '{"mcpServers": {"a": {"command": "no-such-program", "x": }}}', "", "[", "nonsense"]
)
def test_a_broken_text_says_only_where_it_is_broken(place: Place, text: str) -> None:
    found = said(place, text)
    assert len(found) == 1 and found[0][1] == "Error"


def test_an_unset_variable_says_where_was_looked_and_how_a_default_is_written(place: Place) -> None:
    message = entry(place, {"command": "npx", "args": ["${NO_SUCH}"]})[0][2]
    assert "~/.env" in message and str(place.folder / ".env") in message and "${NO_SUCH:-default}" in message


def test_the_projects_variables_do_not_count_in_a_user_file(place: Place) -> None:
    found = entry(place, {"command": "npx", "args": ["${PROJECT_KEY}"]}, scope="user")
    assert [where for where, _, _ in found] == ["${PROJECT_KEY}"]


def test_a_user_file_that_others_can_write_to_is_told(place: Place) -> None:
    path = place.path("user")
    path.write_text("{}")
    path.chmod(0o666)
    found = entry(place, {"command": "npx"}, scope="user")
    assert len(found) == 1 and "others can write" in found[0][2]


# --- secrets ---


@pytest.mark.parametrize(
    ("value", "at"),
    [
        ({"command": "npx", "env": {"API_TOKEN": "geheim123456"}}, "geheim123456"),
        ({"url": "https://h", "headers": {"Authorization": "Bearer geheim123456"}}, "geheim123456"),
        ({"command": "npx", "args": ["--api-key=geheim123456"]}, "geheim123456"),
        ({"url": "https://u:geheim12@h/"}, "geheim12"),
    ],
)
def test_a_secret_in_plain_text_is_told_where_others_get_to_see_it(place: Place, value: Any, at: str) -> None:
    found = entry(place, value, evolve(place.world, versioned=True))
    assert [(where, severity) for where, severity, _ in found] == [(at, "Warning")]
    assert at not in found[0][2]
    assert entry(place, value) == []


@pytest.mark.parametrize(
    ("ignore", "versioned"),
    [
        (None, True),
        ("", True),
        ("*.log\n", True),
        (".codeagent/\n", False),
        (".codeagent\n", False),
        ("mcp.json\n", False),
        ("/.codeagent/mcp.json\n", False),
        ("/mcp.json\n", True),
        ("**/mcp.json\n", False),
        ("*.json\n!mcp.json\n", True),
        (".codeagent/\n!.codeagent/mcp.json\n", False),
        (".codeagent/*\n!.codeagent/mcp.json\n", True),
        ("# mcp.json\n", True),
        (".code*/m?p.[j]son\n", False),
        ("[\n\\\n***/**/a\n", True),
    ],
)
def test_a_file_is_versioned_inside_of_a_repository_that_does_not_ignore_it(
    place: Place, ignore: str | None, versioned: bool
) -> None:
    path = place.path()
    path.write_text("{}")
    assert not is_versioned(path)
    (place.folder / ".git").mkdir()
    if ignore is not None:
        (place.folder / ".gitignore").write_text(ignore)
    assert is_versioned(path) is versioned


# --- the running server ---


@pytest.mark.parametrize(
    ("state", "more", "severity", "words"),
    [
        (
            "failed",
            {
                "error": ServerError(
                    "exited", "ended while starting", "Look at its log.", 3, ["a", "Error: no such file", ""]
                )
            },
            "Error",
            ["exit code 3", "Error: no such file", "Look at its log."],
        ),
        ("failed", {"error": ServerError("transport", "answered with HTTP status 502")}, "Error", ["502"]),
        ("failed", {"error": ServerError("spawnFailed", "the command `x` was not found")}, "Error", ["not found"]),
        ("needsAuth", {"error": ServerError("needsAuth", "HTTP status 401")}, "Warning", ["sign in", "401"]),
        ("untrusted", {}, "Information", ["approval"]),
        ("ready", {"list_errors": ListErrors(tools="method not found")}, "Warning", ["tools", "method not found"]),
    ],
)
def test_how_the_server_fares_is_told_on_its_name(
    place: Place, state: str, more: dict[str, Any], severity: str, words: list[str]
) -> None:
    world = place.with_views(place.view("a", state, **more))
    found = entry(place, {"command": "npx"}, world)
    assert [(where, grave) for where, grave, _ in found] == [('"a"', severity)]
    assert all(word in found[0][2] for word in words)


@pytest.mark.parametrize("state", ["ready", "starting", "stopped", "disabled"])
def test_nothing_is_said_of_a_server_that_fares_well(place: Place, state: str) -> None:
    assert entry(place, {"command": "npx"}, place.with_views(place.view("a", state))) == []


def test_a_failure_that_the_text_explains_already_is_not_told_twice(place: Place) -> None:
    error = ServerError("spawnFailed", "the command `nope` was not found")
    found = entry(place, {"command": "nope"}, place.with_views(place.view("a", "failed", error=error)))
    assert [where for where, _, _ in found] == ['"nope"']


def test_a_failure_is_told_in_a_broken_text_too_redacted_and_on_one_line(place: Place) -> None:
    error = ServerError("exited", "ended", None, 1, ["token\u202e geheim123456\nx"])
    world = place.with_views(
        place.view("a", "failed", error=error), clean=lambda text: text.replace("geheim123456", "…")
    )
    found = said(place, '{"mcpServers": {"a": {"command": "npx"', world)
    message = next(words for where, _, words in found if where == '"a"')
    assert "geheim" not in message and "\n" not in message and "\u202e" not in message


def test_another_entrys_server_is_no_matter_of_this_one(place: Place) -> None:
    error = ServerError("exited", "ended", None, 1)
    view = place.view("a", "failed", error=error, in_force=False)
    assert entry(place, {"command": "npx"}, place.with_views(view)) == []


def test_at_most_200_are_told(place: Place) -> None:
    text = json.dumps({"mcpServers": {f"s{number}": {} for number in range(500)}})
    assert len(said(place, text)) == 200


@pytest.mark.parametrize("foreign", [".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json"])
def test_other_tools_files_are_judged_by_their_own_dialect(place: Place, foreign: str) -> None:
    key = "servers" if "vscode" in foreign else "mcpServers"
    text = json.dumps({key: {"a": {"command": "npx", "alwaysLoad": True, "dev": {}, "env": {"A": "${env:NO}"}}}})
    found = said(place, text, foreign=foreign, also_read=[foreign])
    assert all("alwaysLoad" not in message for _, _, message in found)


def test_every_prefix_of_a_config_can_be_judged(place: Place) -> None:
    world = evolve(
        place.with_views(place.view("docs", "failed", error=ServerError("exited", "x", None, 1))), versioned=True
    )
    for end in range(len(RICH) + 1):
        assert isinstance(said(place, RICH[:end], world), list)

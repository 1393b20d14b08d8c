"""Our servers as other tools write them: what comes through, what is said of the rest, and the way back."""

import json
from pathlib import Path
from typing import Any

import pytest

from codeagent_lsp.config.converters import Target, convert, plan_conversion, targets
from codeagent_lsp.config.document import parse
from codeagent_lsp.config.edits import apply
from codeagent_lsp.config.importers import import_servers
from codeagent_lsp.errors import InvalidParams

TARGETS = {target.tool.name: target for target in targets()}


def one(tool: str, entry: dict[str, Any]) -> tuple[dict[str, Any] | None, str]:
    made = convert({"a": entry}, TARGETS[tool])
    return made.servers.get("a"), "\n".join(made.notes)


def written(target: Target, servers: dict[str, Any], text: str | None = None) -> str:
    edits, _ = plan_conversion(convert(servers, target), target, Path("/ws") / target.file, text)
    return apply((text or "").removeprefix("\ufeff"), edits)


ROUND = [
    {"command": "npx", "args": ["-y", "x"], "env": {"A": "1"}},
    {"command": "x"},
    {"url": "https://h/mcp", "headers": {"X-Key": "v"}},
    {"type": "sse", "url": "https://h/sse"},
    {"command": "x", "env": {"TOKEN": "${TOKEN}"}, "args": ["${OTHER}"]},
]


@pytest.mark.parametrize("tool", sorted(TARGETS))
@pytest.mark.parametrize("entry", ROUND)
def test_what_every_tool_has_comes_back_from_it_as_it_was(tool: str, entry: dict[str, Any]) -> None:
    if (tool, entry.get("type")) in {("cursor", "sse"), ("zed", "sse"), ("mcphub", "sse"), ("opencode", "sse")}:
        pytest.skip("this tool finds out by itself which transport a URL has")
    if tool == "zed" and "${" in json.dumps(entry):
        pytest.skip("this tool has no variables")
    target = TARGETS[tool]
    text = written(target, {"a": entry})
    back = import_servers(Path("/ws") / target.file, text)
    plain = json.loads(json.dumps(back.servers).replace("${env:", "${"))
    assert plain == {"a": entry} and not back.notes


@pytest.mark.parametrize(
    ("tool", "entry", "wanted"),
    [
        ("vscode", {"command": "x", "args": ["${A}"]}, {"type": "stdio", "command": "x", "args": ["${env:A}"]}),
        (
            "vscode",
            {"command": "x", "cwd": "${workspaceFolder}"},
            {"type": "stdio", "command": "x", "cwd": "${workspaceFolder}"},
        ),
        ("vscode", {"command": "x", "env": {"A": None}}, {"type": "stdio", "command": "x", "env": {"A": None}}),
        ("claude", {"command": "x", "args": ["${A:-b}"]}, {"command": "x", "args": ["${A:-b}"]}),
        ("claude", {"command": "x", "args": ["${env:A}"]}, {"command": "x", "args": ["${A}"]}),
        ("claude", {"url": "http://h"}, {"type": "http", "url": "http://h"}),
        (
            "claude",
            {"url": "http://h", "oauth": {"clientId": "c", "scopes": ["a", "b"]}},
            {"type": "http", "url": "http://h", "oauth": {"clientId": "c", "scopes": "a b"}},
        ),
        ("cursor", {"url": "http://h", "oauth": {"clientId": "c"}}, {"url": "http://h", "auth": {"CLIENT_ID": "c"}}),
        ("gemini", {"url": "http://h"}, {"httpUrl": "http://h"}),
        ("gemini", {"type": "sse", "url": "http://h"}, {"url": "http://h"}),
        (
            "opencode",
            {"command": "x", "args": ["a"], "env": {"A": "${B}"}, "disabled": True},
            {"type": "local", "command": ["x", "a"], "environment": {"A": "{env:B}"}, "enabled": False},
        ),
        ("zed", {"command": "x", "disabled": True}, {"command": "x", "enabled": False}),
        ("mcphub", {"command": "x", "excludeTools": ["t"]}, {"command": "x", "disabled_tools": ["t"]}),
        ("vscode", {"type": "streamable-http", "url": "http://h"}, {"type": "http", "url": "http://h"}),
    ],
)
def test_an_entry_is_written_in_the_tools_words(tool: str, entry: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert one(tool, entry)[0] == wanted


@pytest.mark.parametrize(
    ("tool", "entry", "word"),
    [
        ("vscode", {"command": "x", "args": ["${A:-b}"]}, "${A:-b}"),
        ("vscode", {"command": "x", "includeTools": ["a"], "startTimeout": 5}, "`includeTools`, `startTimeout`"),
        ("claude", {"command": "x", "cwd": "/c", "envFile": "e"}, "`cwd`, `envFile`"),
        ("claude", {"command": "x", "args": ["${workspaceFolder}"]}, "${workspaceFolder}"),
        ("claude", {"command": "x", "env": {"A": None}}, "takes the variable `A` away"),
        ("claude", {"command": "x", "env": {"A": "${input:a-key}"}}, "A_KEY"),
        ("cursor", {"command": "x", "env": {"A": "${input:k}"}}, "set the variable K"),
        ("zed", {"command": "x", "args": ["${A}"]}, "${A}"),
        ("zed", {"command": "x", "args": ["${input:k}"]}, "${input:k}"),
        ("gemini", {"command": "x", "args": ["${A:-b}"]}, "${A:-b}"),
        ("vscode", {"url": "http://h", "oauth": {"clientId": "c", "clientSecret": "s"}}, "`oauth.clientSecret`"),
        (
            "mcphub",
            {"command": "x", "trustAnnotations": True, "autoApprove": ["a"]},
            "`trustAnnotations`, `autoApprove`",
        ),
    ],
)
def test_what_a_tool_does_not_have_is_told(tool: str, entry: dict[str, Any], word: str) -> None:
    made, said = one(tool, entry)
    assert made is not None and word in said


@pytest.mark.parametrize("tool", ["vscode", "claude", "cursor", "gemini"])
def test_a_server_that_is_off_is_not_switched_on_elsewhere(tool: str) -> None:
    made, said = one(tool, {"command": "x", "disabled": True})
    assert made is None and "switched off" in said


def test_inputs_are_declared_for_the_tool_that_asks_for_them() -> None:
    text = written(TARGETS["vscode"], {"a": {"command": "x", "env": {"K": "${input:k}"}}})
    root = json.loads(text)
    assert [(item["id"], item["password"]) for item in root["inputs"]] == [("k", True)]
    again = written(TARGETS["vscode"], {"b": {"command": "x", "env": {"K": "${input:k}", "L": "${input:l}"}}}, text)
    assert [item["id"] for item in json.loads(again)["inputs"]] == ["k", "l"]


@pytest.mark.parametrize("tool", sorted(TARGETS))
@pytest.mark.parametrize("text", [None, "", "{}", '{"theme": "x" // dark\n}', '{"mcp": {}, "other": [1,],}'])
def test_a_file_of_the_tool_keeps_what_it_has(tool: str, text: str | None) -> None:
    target = TARGETS[tool]
    after = written(target, {"a": {"command": "x"}}, text)
    document = parse(after)
    assert document.ok and document.at((*target.keys, "a")) is not None
    for word in ('"theme": "x"', "// dark", '"other": [1,]'):
        assert (word in (text or "")) == (word in after)


def test_a_server_that_the_file_has_is_left_alone() -> None:
    target = TARGETS["claude"]
    text = '{"mcpServers": {"a": {"command": "mine"}}}'
    edits, notes = plan_conversion(convert({"a": {"command": "x"}}, target), target, Path("/x"), text)
    assert apply(text, edits) == text and "there already" in notes[0]


@pytest.mark.parametrize("text", ["{", "[]", '{"mcpServers": 7}'])
def test_a_broken_file_is_not_touched(text: str) -> None:
    with pytest.raises(InvalidParams):
        written(TARGETS["claude"], {"a": {"command": "x"}}, text)

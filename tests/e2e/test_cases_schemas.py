"""Real-world cases of schemas (SCH): what servers list as a schema, as an agent sees it and as a call meets it."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from e2e.kit import BAD_TOOLS, UNUSABLE_TOOLS, Listed, Table, call, log, status, tools, up
from e2e.scripts import calls, scripted
from editor_client import EditorClient

pytestmark = pytest.mark.anyio

GOOD = {"name": "good", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}}}
OBJECT = {"type": "object", "properties": {}}


def nested(levels: int) -> str:
    return '{"type":"array","items":' * levels + '{"type":"string"}' + "}" * levels


def page(*tools: str) -> str:
    return '{"tools":[%s]}' % ",".join((json.dumps(GOOD), *tools))


def tool(schema: str, more: str = "") -> str:
    return '{"name":"t","inputSchema":%s%s}' % (schema, more)


PAGES: dict[str, str] = {
    **{f"depth_{n}": page(tool(nested(n))) for n in (100, 250, 2000)},
    "depth_of_objects": page(tool('{"type":"object","properties":{"a":' * 600 + "{}" + "}}" * 600)),
    "depth_of_default": page(tool('{"type":"object","default":' + "[" * 1000 + "]" * 1000 + "}")),
    "depth_of_meta": page(tool('{"type":"object"}', ',"_meta":{"x":' + "[" * 500 + "]" * 500 + "}")),
    "depth_of_output": page(tool('{"type":"object"}', ',"outputSchema":' + nested(400))),
    "nan": page(tool('{"type":"object","properties":{"a":{"type":"number","maximum":NaN,"default":Infinity}}}')),
    "surrogate": page(tool('{"type":"object","properties":{"a":{"type":"string","default":"\\ud800"}}}')),
    "huge_number": page(tool('{"type":"object","properties":{"a":{"type":"integer","maximum":1e400,"minimum":%s}}}'
                             % ("9" * 5000))),
    "duplicate_key": page(tool('{"type":"object","type":"object","properties":{},"properties":{"a":{}}}')),
}  # fmt: skip


async def test_no_malformed_tool_costs_the_good_one(editor: EditorClient, workspace: Path, tmp_path: Path) -> None:
    """SCH-01 and SCH-06: each malformed tool beside a good one, as a server of its own; the tool is kept or named."""
    entries: dict[str, Any] = {}
    for name, text in PAGES.items():
        listed = Listed(tmp_path / name)
        listed.put("tools/list", text)
        entries[name] = scripted(listed.word, "list=good", autoApprove=["*"])
    every = Listed(tmp_path / "every")
    bad = {
        name: {**item, "name": name} if isinstance(item, dict) and name not in UNUSABLE_TOOLS else item
        for name, item in BAD_TOOLS.items()
    }
    every.tools(GOOD, *bad.values(), {**GOOD, "name": "last"})
    await up(editor, workspace, {**entries, "every": scripted(every.word, autoApprove=["*"])})
    table = Table()
    for name in PAGES:
        with table.case(name):
            found = await tools(editor, name)
            assert set(found) == {"good", "t"}, await log(editor, name)
            assert found["t"]["inputSchema"]["type"] == "object"
            assert (await call(editor, name, "good", a="x"))["isError"] is False
            assert (await status(editor, name))["restarts"] == 0
    found = await tools(editor, "every")
    assert {"good", "last"} <= set(found)
    assert set(bad) - set(found) == set(UNUSABLE_TOOLS)
    told = [line["text"] for line in await log(editor, "every") if line["level"] == "warning"]
    assert told
    table.judge()


EXPECTED: dict[str, tuple[Any, Any]] = {
    "SCH-02": ({"type": "object", "$defs": {"K": {"type": "string", "enum": ["a", "b"], "title": "K"}},
                "properties": {"k": {"$ref": "#/$defs/K", "default": "a", "description": "kind"}}, "required": ["k"]},
               {"type": "object", "required": ["k"], "properties": {"k": {
                   "type": "string", "enum": ["a", "b"], "title": "K", "default": "a", "description": "kind"}}}),
    "SCH-07": ({"type": "object", "anyOf": [{"properties": {"content": {"type": "string"}}, "required": ["content"]},
                                            {"properties": {"url": {"type": "string"}}, "required": ["url"]}]},
               {"type": "object", "properties": {"content": {"type": "string"}, "url": {"type": "string"}}}),
    "SCH-07-no-type": ({"anyOf": [{"properties": {"content": {"type": "string"}}, "required": ["content"]},
                                  {"properties": {"url": {"type": "string"}}, "required": ["url"]}]},
                       {"type": "object", "properties": {"content": {"type": "string"}, "url": {"type": "string"}}}),
    "SCH-08": ({"type": "object", "properties": {"mode": {"type": "string"}}, "allOf": [
                   {"if": {"properties": {"mode": {"const": "x"}}}, "then": {"required": ["size"]}}]},
               {"type": "object", "properties": {"mode": {"type": "string"}}}),
    "SCH-11": ({"type": "object", "properties": {"a": {"type": ["string", "null"]}}},
               {"type": "object", "properties": {"a": {"type": "string"}}}),
    "SCH-14": ({"type": "object", "properties": {"a": True}, "additionalProperties": False},
               {"type": "object", "properties": {"a": {}}, "additionalProperties": False}),
    "SCH-16": ({"type": "object", "properties": {"a": {"enum": ["a", "b"]}, "b": {"enum": [1, 2]}}},
               {"type": "object", "properties": {"a": {"type": "string", "enum": ["a", "b"]},
                                                 "b": {"type": "integer", "enum": [1, 2]}}}),
    "SCH-19-bare": ({"type": "object"}, OBJECT),
    "SCH-19-closed": ({"type": "object", "additionalProperties": False}, {**OBJECT, "additionalProperties": False}),
    "SCH-19-empty": ({}, OBJECT),
    "SCH-19-null": (None, OBJECT),
    "SCH-23": ({"$id": "https://x/s", "$schema": "not a uri", "type": "object",
                "properties": {"a": {"$ref": "https://x/s#/$defs/A"}}, "$defs": {"A": {"type": "string"}}},
               {"type": "object", "properties": {"a": {"type": "string"}}}),
    "SCH-25": ({"$defs": {"a/b": {"type": "string"}, "c~d": {"type": "integer"}, "e f": {"type": "number"}},
                "type": "object", "properties": {
                    "p": {"$ref": "#/$defs/a~1b"}, "q": {"$ref": "#/$defs/c~0d"}, "r": {"$ref": "#/$defs/e%20f"},
                    "s": {"$ref": "#/$defs/Nope"}, "t": {"$ref": "#/properties/p"}, "u": {"$ref": 7}}},
               {"type": "object", "properties": {
                   "p": {"type": "string"}, "q": {"type": "integer"}, "r": {"type": "number"}, "s": {},
                   "t": {"type": "string"}, "u": {}}}),
}  # fmt: skip


async def test_an_agent_is_shown_schemas_that_every_model_takes(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """One list with the schemas of many cases: what is shown of each, and every tool there and callable."""
    listed, calls_seen = Listed(tmp_path / "lists"), tmp_path / "log"
    listed.tools(*({"name": name, "inputSchema": given} for name, (given, _) in EXPECTED.items()))
    await up(editor, workspace, {"s": scripted(listed.word, f"log={calls_seen}", autoApprove=["*"])})
    found = await tools(editor, "s")
    table = Table()
    for name, (_, expected) in EXPECTED.items():
        with table.case(name):
            assert found[name]["inputSchema"] == expected
    table.judge()
    for name in EXPECTED:
        await call(editor, "s", name)
    assert [item["arguments"] for item in calls(calls_seen)] == [{}] * len(EXPECTED)


async def test_a_bomb_of_references_holds_nobody_up(editor: EditorClient, workspace: Path, tmp_path: Path) -> None:
    """SCH-04 and SCH-05: cycles and expansion bombs; the tool is listed, and requests are answered meanwhile."""
    levels: dict[str, Any] = {
        f"L{n}": {"type": "object", "properties": {k: {"$ref": f"#/$defs/L{n + 1}"} for k in "ab"}} for n in range(31)
    }
    bombs = {
        "doubling": {"type": "object", "$defs": levels, "properties": {"x": {"$ref": "#/$defs/L0"}}},
        "itself": {"type": "object", "properties": {"a": {"$ref": "#"}}},
        "self_definition": {"type": "object", "$defs": {"A": {"$ref": "#/$defs/A"}}, "properties": {"a": {"$ref": "#/$defs/A"}}},
        "ring": {"type": "object", "$defs": {"A": {"properties": {"b": {"$ref": "#/$defs/B"}}},
                                             "B": {"properties": {"a": {"$ref": "#/$defs/A"}}}},
                 "properties": {"a": {"$ref": "#/$defs/A"}}},
    }  # fmt: skip
    listed = Listed(tmp_path / "lists")
    listed.tools("good", *({"name": name, "inputSchema": schema} for name, schema in bombs.items()))
    await editor.start(workspace, user_config={"mcpServers": {"s": scripted(listed.word)}})
    slowest = 0.0
    while (await status(editor, "s"))["state"] != "ready":
        began = time.monotonic()
        await editor.command("codeagent.status")
        slowest = max(slowest, time.monotonic() - began)
    found = await tools(editor, "s")
    assert set(found) == {"good", *bombs}
    for name in bombs:
        assert len(json.dumps(found[name]["inputSchema"])) < 256 * 1024
        assert "$ref" not in json.dumps(found[name]["inputSchema"])
    assert slowest < 1
    assert any("doubling" in line["text"] for line in await log(editor, "s") if line["level"] == "warning")


async def test_arguments_are_held_to_the_servers_schema_and_not_to_the_shown_one(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """SCH-10: really different types stay possible, whatever is shown."""
    listed, seen = Listed(tmp_path / "lists"), tmp_path / "log"
    either = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    auto = {"oneOf": [{"const": "auto"}, {"type": "integer", "minimum": 1}]}
    listed.tools({"name": "t", "inputSchema": {"type": "object", "properties": {"a": either, "b": auto}}})
    await up(editor, workspace, {"s": scripted(listed.word, f"log={seen}", autoApprove=["*"])})
    for value in ("x", ["x"], "auto", 3):
        await call(editor, "s", "t", a=value, b=value)
    assert [item["arguments"]["a"] for item in calls(seen)] == ["x", ["x"], "auto", 3]


async def test_same_ids_of_two_tools_do_not_meet_also_after_a_restart(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """SCH-23."""
    listed = Listed(tmp_path / "lists")
    listed.tools(*(
        {"name": name, "inputSchema": {"$id": "https://x/s", "type": "object", "properties": {name: {"type": "string"}}},
         "outputSchema": {"$id": "https://x/out", "type": "object", "properties": {name: {"type": "string"}}}}
        for name in ("one", "two")
    ))  # fmt: skip
    await up(editor, workspace, {"s": scripted(listed.word, autoApprove=["*"])})
    for _ in range(2):
        found = await tools(editor, "s")
        assert {name: list(item["inputSchema"]["properties"]) for name, item in found.items()} == {
            "one": ["one"],
            "two": ["two"],
        }
        await call(editor, "s", "two")
        await editor.command("codeagent.restart", server="s")


async def test_a_broken_output_schema_costs_no_successful_call(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """SCH-26: dangling, remote, no schema at all, wrong in itself; the result is shown, with a warning."""
    schemas: dict[str, Any] = {
        "dangling": {"type": "object", "properties": {"a": {"$ref": "#/$defs/Missing"}}},
        "remote": {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/schema.json"}}},
        "wrong_type": {"type": "object", "properties": {"a": {"type": "str"}}},
        "type_number": {"type": 7},
        "pattern": {"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}},
        "evil_pattern": {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}},
        "required_text": {"type": "object", "required": "a"},
        "draft_4": {"$schema": "http://json-schema.org/draft-04/schema#", "type": "object", "id": "x"},
        "unknown_draft": {"$schema": "https://nowhere.example/meta", "type": "object"},
        "array": {"type": "array"},
        "cycle": {"$ref": "#"},
    }
    listed = Listed(tmp_path / "lists")
    listed.tools(*({"name": n, "inputSchema": {"type": "object"}, "outputSchema": s} for n, s in schemas.items()))
    await up(editor, workspace, {"s": scripted(listed.word, autoApprove=["*"])})
    table = Table()
    for name in schemas:
        with table.case(name):
            began = time.monotonic()
            result = await call(editor, "s", name, text="ok", structured={"a": "a" * 40 + "!"})
            assert result["text"] == "ok"
            assert result["isError"] is False
            assert time.monotonic() - began < 5
    table.judge()
    assert (await call(editor, "s", "dangling", text="ok", structured={"a": "x"}))["warnings"]


async def test_hidden_characters_are_shown_in_every_text_of_a_schema(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """SCH-28 and T34: names, titles and descriptions at any depth; long ones are cut where one sees it."""
    evil = "ok\u200b\U000e0049\U000e0067\u202eevil \x1b[2J"
    schema = {
        "type": "object",
        "description": evil,
        "properties": {
            "p": {"type": "string", "description": evil, "title": evil},
            "q": {"type": "array", "items": {"type": "object", "properties": {"r": {"type": "string", "title": evil}}}},
            "long": {"type": "string", "description": "x" * 200_000},
        },
    }
    listed = Listed(tmp_path / "lists")
    listed.tools({"name": "t", "title": evil, "description": evil, "inputSchema": schema, "outputSchema": schema})
    await up(editor, workspace, {"s": scripted(listed.word)})
    text = json.dumps((await tools(editor, "s"))["t"], ensure_ascii=False)
    assert not {"\u200b", "\u202e", "\x1b", "\U000e0049"} & set(text)
    assert "\\\\u{202E}" in text
    assert len(text) < 50_000

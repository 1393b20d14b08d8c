"""Calls as text: where they are, what completes them, what is wrong with them, and what running one asks for."""

import json
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types

from codeagent_lsp.catalog.definitions import made_from
from codeagent_lsp.catalog.tools import CatalogTool
from codeagent_lsp.errors import HostError, InvalidParams, UnknownTool
from codeagent_lsp.features.call_documents import CallText, CallWorld, call_at, calls_in, run_request
from codeagent_lsp.features.call_documents_completion import complete
from codeagent_lsp.features.call_documents_diagnostics import call_diagnostics
from codeagent_lsp.features.call_documents_reading import COMPARE_RESULTS, RUN_CALL, call_hover, call_lenses
from codeagent_lsp.features.call_documents_results import CallResults
from codeagent_lsp.features.call_documents_schema import Shape
from codeagent_lsp.protocol import CallResult
from config_kit import ENCODINGS, applied

URI = "file:///ws/x.mcp-call.json"
NOTE = "file:///ws/note.md"

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Which file."},
        "mode": {"enum": ["fast", "slow"], "default": "fast"},
        "count": {"type": "integer", "minimum": 1, "maximum": 9},
        "deep": {"type": "boolean"},
        "none": {"type": ["string", "null"]},
        "😀": {"type": "string"},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}},
        "inner": {"$ref": "#/$defs/inner"},
        "shape": {
            "oneOf": [
                {
                    "type": "object",
                    "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}},
                    "required": ["kind"],
                },
                {
                    "type": "object",
                    "properties": {"kind": {"const": "square"}, "side": {"type": "number"}},
                    "required": ["kind"],
                },
            ]
        },
        "either": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"only": {"type": "integer"}}}]},
    },
    "required": ["path"],
    "additionalProperties": False,
    "$defs": {
        "inner": {
            "type": "object",
            "properties": {"x": {"title": "An x", "type": "integer"}, "again": {"$ref": "#/$defs/inner"}},
        }
    },
}


def tool(name: str, schema: Any = None, description: str = "Reads.") -> CatalogTool:
    definition = {"name": name, "description": description, "inputSchema": SCHEMA if schema is None else schema}
    made, _ = made_from("files", definition, "digest")
    return evolve(made, name=f"mcp__files__{name}")


def world(*tools: CatalogTool, **more: Any) -> CallWorld:
    known = tools or (tool("read"), tool("write", {"type": "object"}, "Writes."))
    return CallWorld({item.name: item for item in known}, **more)


WORLD = world()


def marked(text: str, encoding: Any = "utf-16", uri: str = URI) -> tuple[str, list[CallText], types.Position]:
    offset = text.index("|")
    before, text = text[:offset], text[:offset] + text[offset + 1 :]
    line = before.count("\n")
    last = before.rpartition("\n")[2]
    width = {"utf-8": len(last.encode()), "utf-16": len(last.encode("utf-16-le")) // 2, "utf-32": len(last)}[encoding]
    return text, calls_in(uri, text, encoding), types.Position(line, width)


def items(text: str, now: CallWorld = WORLD, **more: Any) -> list[types.CompletionItem]:
    _, calls, position = marked(text, **more)
    call = call_at(calls, position)
    return complete(call, position, now).items if call is not None else []


def labels(text: str, now: CallWorld = WORLD, **more: Any) -> list[str]:
    return [item.label for item in items(text, now, **more)]


def arguments(text: str) -> str:
    return '{"tool": "mcp__files__read", "arguments": ' + text + "}"


# --- where calls are ---


@pytest.mark.parametrize(
    ("uri", "text", "lines"),
    [
        (URI, "{}", [0]),
        (URI, "", [0]),
        ("file:///a%20b.mcp-call.json", "{}", [0]),
        ("untitled:x.mcp-call.json", "{}", [0]),
        ("file:///x.json", "{}", []),
        (NOTE, "# x\n```mcp-call\n{}\n```\n\n~~~mcp-call\n{}\n~~~\n", [2, 6]),
        (NOTE, "- x\n  ```mcp-call\n  {}\n  ```\n", [2]),
        (NOTE, "```` mcp-call\n{}\n```\n````\n", [1]),
        (NOTE, "```mcp-call title=x\n{}\n```", [1]),
        (NOTE, "````md\n```mcp-call\n{}\n```\n````\n", []),
        (NOTE, "```mcp-call\n{", [1]),
        (NOTE, "```mcp-call\r\n{}\r\n```\r\n", [1]),
        (NOTE, "```json\n{}\n```\nmcp-call\n", []),
        (NOTE, "`mcp-call`\n", []),
        (NOTE, "``` mcp-calls\n{}\n```", []),
        (NOTE, "```mcp-call\n```", [1]),
    ],
)
def test_calls_are_found_where_they_are(uri: str, text: str, lines: list[int]) -> None:
    assert [call.line for call in calls_in(uri, text)] == lines


def test_a_document_of_many_blocks_and_lines_is_read_fast_and_in_part() -> None:
    text = "```mcp-call\n{}\n```\n" * 1000 + "x\n" * 100_000
    assert len(calls_in(NOTE, text)) == 200


# --- completion ---


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{|}", ["tool", "arguments"]),
        ('{"|', ["tool", "arguments"]),
        ('{"tool": "x", |}', ["arguments"]),
        ('{"tool": "|"}', ["mcp__files__read", "mcp__files__write"]),
        ('{"tool": "wri|"}', ["mcp__files__write"]),
        ('{"tool": |', ["mcp__files__read", "mcp__files__write"]),
        (arguments('{"mode": "|"}'), ["fast", "slow"]),
        (arguments('{"mode": |'), ["fast", "slow"]),
        (arguments('{"deep": |}'), ["true", "false"]),
        (arguments('{"none": |}'), ["null"]),
        (arguments('{"tags": ["|"]}'), ["a", "b"]),
        (arguments('{"tags": ["a", |]}'), ["a", "b"]),
        (arguments('{"inner": {|}}'), ["x", "again"]),
        (arguments('{"inner": {"again": {"again": {"|"}}}}'), ["x", "again"]),
        (arguments('{"shape": {|}}'), ["kind", "radius", "side"]),
        (arguments('{"shape": {"kind": "|"}}'), ["circle", "square"]),
        (arguments('{"shape": {"kind": "square", |}}'), ["side"]),
        (arguments('{"shape": {"kind": "circle", "|'), ["radius"]),
        (arguments('{"either": {|}}'), ["only"]),
        (arguments("|"), ["{ }"]),
        ("|", ["a call of an MCP tool"]),
        ('{"tool": "mcp__files__unknown", "arguments": {|}}', []),
        (arguments('{"path": "|"}'), []),
        (arguments('{"x": {|}}'), []),
        ("[|]", []),
    ],
)
def test_names_and_arguments_are_completed_from_the_tools_own_schema(text: str, wanted: list[str]) -> None:
    assert labels(text) == wanted


def test_required_arguments_come_first_and_those_that_are_there_not_again() -> None:
    found = labels(arguments('{"mode": "fast", |}'))
    assert found[0] == "path" and "mode" not in found and {"count", "inner", "😀"} <= set(found)


def test_tools_that_are_switched_off_are_not_offered() -> None:
    assert labels('{"tool": "|"}', world(tool("read"), disabled={"mcp__files__read"})) == []


@pytest.mark.parametrize(
    ("text", "label", "after"),
    [
        ('{"tool": "re|"}', "mcp__files__read", '{"tool": "mcp__files__read"}'),
        ('{"tool": "mcp__files__read" |}', "arguments", '{"tool": "mcp__files__read", "arguments": { "path": "" }}'),
        (arguments('{"mo|"}'), "mode", arguments('{"mode": "fast"}')),
        (arguments('{"co|": 3}'), "count", arguments('{"count": 3}')),
        (arguments('{"😀|"}'), "😀", arguments('{"😀": ""}')),
        (arguments('{"deep": t|}'), "true", arguments('{"deep": true}')),
        (arguments('{|"path": "x"}'), "tags", arguments('{"tags": [],"path": "x"}')),
        (arguments("|"), "{ }", arguments('{ "path": "" }')),
    ],
)
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("fence", [False, True])
def test_taking_an_item_leaves_what_was_meant(text: str, label: str, after: str, encoding: str, fence: bool) -> None:
    head, tail = ("é😀\n```mcp-call\n", "\n```\n") if fence else ("", "")
    uri = NOTE if fence else URI
    made, _, _ = marked(head + text + tail, encoding, uri)
    now = evolve(WORLD, snippets=False)
    item = next(item for item in items(head + text + tail, now, encoding=encoding, uri=uri) if item.label == label)
    assert isinstance(item.text_edit, types.TextEdit)
    found = applied(made, [item.text_edit, *(item.additional_text_edits or [])], encoding)
    assert found == head + after + tail


def test_what_a_server_wrote_is_shown_as_data() -> None:
    nasty = "```\n[x](command:y)\u202e"
    now = world(tool("read", {"type": "object", "properties": {"a": {"description": nasty}}}, nasty))
    for text in ('{"tool": "|"}', arguments("{|}")):
        documentation = items(text, now)[0].documentation
        assert isinstance(documentation, types.MarkupContent)
        assert "\u202e" not in documentation.value and documentation.value.startswith("````text")


# --- hover ---


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"tool": "mcp__fi|les__read"}', ["read (files)", "Reads.", "path: string", "mode?:"]),
        (arguments('{"pa|th": "x"}'), ["path: string (required)", "Which file."]),
        (arguments('{"path": "x|"}'), ["path: string", "Which file."]),
        (arguments('{"mo|de": "fast"}'), ['"fast" | "slow"', 'default: "fast"']),
        (arguments('{"inner": {"again": {"x|": 1}}}'), ["x: integer", "An x"]),
        (arguments('{"tags": ["a|"]}'), ["item 1", '"a" | "b"']),
    ],
)
def test_a_tool_and_its_arguments_are_explained(text: str, words: list[str]) -> None:
    _, calls, position = marked(text)
    found = call_hover(calls[0], position, WORLD)
    assert found is not None and isinstance(found.contents, types.MarkupContent)
    assert all(word in found.contents.value for word in words), found.contents.value


@pytest.mark.parametrize(
    "text", ["|", "{|}", '{"tool": "no|ne"}', arguments('{"zzz|": 1}'), '{"to|ol": "mcp__files__read"}']
)
def test_nothing_is_said_of_what_is_not_known(text: str) -> None:
    _, calls, position = marked(text)
    found = call_hover(calls[0], position, WORLD)
    assert found is None or '"to|ol"' in text


# --- diagnostics ---


def said(text: str, now: CallWorld = WORLD, encoding: Any = "utf-16", uri: str = URI) -> list[tuple[str, str, str]]:
    calls = calls_in(uri, text, encoding)
    out: list[tuple[str, str, str]] = []
    for item in call_diagnostics(calls, now):
        call = call_at(calls, item.range.start)
        assert call is not None and item.severity is not None
        start, end = call.offset(item.range.start), call.offset(item.range.end)
        out.append((call.document.text[start:end], item.severity.name, item.message))
    return out


@pytest.mark.parametrize(
    "text",
    [
        arguments('{"path": "x"}'),
        arguments('{"path": "x", "mode": "slow", "count": 9, "deep": false, "none": null, "tags": ["a"]}'),
        arguments('{"path": "x", "shape": {"kind": "circle", "radius": 1.5}, "inner": {"x": 1}, "either": "y"}'),
        '// why\n{"$schema": "x", "tool": "mcp__files__write", /* y */ "arguments": {"any": 1},}',
        '{"tool": "mcp__files__write"}',
        '{"tool": "mcp__files__write", "arguments": null}',
    ],
)
def test_nothing_is_said_of_a_sound_call(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "at", "severity", "word"),
    [
        ('{"tool": "mcp__files__raed"}', '"mcp__files__raed"', "Error", "mcp__files__read"),
        ('{"tool": 7}', "7", "Error", "full name"),
        ('{"tool": ""}', '""', "Error", "full name"),
        ("{}", "{", "Error", "names no tool"),
        ("[]", "[]", "Error", "is an object"),
        ('{"tool": "mcp__files__write", "args": {}}', '"args"', "Warning", "`args`"),
        ('{"tool": "mcp__files__write", "arguments": []}', "[]", "Error", "must be an object"),
        ('{"tool": "mcp__files__write", "tool": "mcp__files__write"}', '"tool"', "Warning", "twice"),
        ('{"tool": "mcp__files__write", "arguments": {"a": }}', "}", "Error", "expected a value"),
        (arguments("{}"), '"arguments"', "Error", "`path` is missing"),
        ('{"tool": "mcp__files__read"}', '"tool"', "Error", "`path` is missing"),
        (arguments('{"path": 3}'), "3", "Error", "must be a string, and is a number"),
        (arguments('{"path": "x", "mode": "fats"}'), '"fats"', "Error", "`fast`"),
        (arguments('{"path": "x", "count": 10}'), "10", "Error", "at most 9"),
        (arguments('{"path": "x", "count": 1.5}'), "1.5", "Error", "an integer"),
        (arguments('{"path": "x", "tags": ["a", "c"]}'), '"c"', "Error", "one of"),
        (arguments('{"path": "x", "pth": 1}'), '"pth"', "Error", "no argument `pth`"),
        (arguments('{"path": "x", "inner": {"x": "1"}}'), '"1"', "Error", "must be an integer"),
        (arguments('{"path": "x", "😀": 1, "mode": "fast"}'), "1", "Error", "`😀` must be a string"),
        (arguments('{"path": "x", "shape": {"kind": "circle", "radius": "1"}}'), '"1"', "Error", "a number"),
        (arguments('{"path": "x", "shape": {"kind": "square", "side": "1"}}'), '"1"', "Error", "a number"),
        (arguments('{"path": "x", "shape": {"kind": "oval"}}'), '"oval"', "Error", "circle"),
        (arguments('{"path": "x", "shape": {}}'), '"shape"', "Error", "`kind` is missing"),
        (arguments('{"path": "x", "either": {"only": "1"}}'), '"1"', "Error", "an integer"),
        (arguments('{"path": "x", "either": 3}'), "3", "Error", "a string or object"),
    ],
)
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("fence", [False, True])
def test_a_fault_is_told_at_its_place(text: str, at: str, severity: str, word: str, encoding: str, fence: bool) -> None:
    whole = f"é😀\n```mcp-call\n{text}\n```\n" if fence else text
    found = said(whole, WORLD, encoding, NOTE if fence else URI)
    assert [(where, grave) for where, grave, _ in found] == [(at, severity)], found
    assert word in found[0][2]


def test_a_tool_may_still_come_while_servers_start() -> None:
    found = said('{"tool": "mcp__other__x"}', evolve(WORLD, complete=False))
    assert [severity for _, severity, _ in found] == ["Information"]


def test_a_tool_that_is_switched_off_is_told() -> None:
    found = said('{"tool": "mcp__files__write"}', evolve(WORLD, disabled={"mcp__files__write"}))
    assert [severity for _, severity, _ in found] == ["Warning"] and "switched off" in found[0][2]


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"pattern": "(a+)+$", "type": "string"}}},
        {"$ref": "https://example.invalid/schema.json"},
        {"$ref": "#"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
        {"allOf": [{"anyOf": [{"type": "object"}] * 50}] * 50},
        {"type": "object", "properties": 7, "required": "x", "additionalProperties": []},
        {"type": 7},
        {"items": [[]], "anyOf": {}, "enum": 3},
        json.loads("[" * 0 + '{"properties":' * 60 + "{}" + "}" * 60),
    ],
)
def test_a_hostile_schema_costs_a_bounded_time_and_nothing_more(schema: Any) -> None:
    now = world(tool("read", schema))
    text = arguments('{"a": "' + "a" * 40 + '!", |}')
    assert isinstance(labels(text, now), list)
    assert all(severity != "Error" or word for _, severity, word in said(text.replace(", |", ""), now))
    _, calls, position = marked(arguments('{"a|": 1}'))
    call_hover(calls[0], position, now)


# --- running ---


def test_a_call_that_names_a_tool_can_be_run_from_above_it() -> None:
    text = f"```mcp-call\n{arguments('{}')}\n```\n\n```mcp-call\n{{}}\n```\n\n```mcp-call\n{arguments('{')}"
    lenses = call_lenses(calls_in(NOTE, text), WORLD)
    assert [(lens.range.start.line, lens.command.title if lens.command else "") for lens in lenses] == [
        (1, "Run mcp__files__read"),
        (9, "Run mcp__files__read"),
    ]
    command = lenses[1].command
    assert command is not None
    assert (command.command, command.arguments) == (RUN_CALL, [{"uri": NOTE, "index": 2}])
    assert call_lenses(calls_in(URI, '{"tool": "mcp__files__none"}'), WORLD) == []


def test_two_results_of_a_call_can_be_compared() -> None:
    results = CallResults()
    now = evolve(WORLD, results=results.of, client_commands=[COMPARE_RESULTS])
    calls = calls_in(URI, arguments('{"path": "x"}'))
    answers = [CallResult("files", "read", False, text, [], 5) for text in ("one", "two", '{"a": [1]}')]
    uris = [results.add("mcp__files__read", {"path": "x"}, answer).uri for answer in answers]
    assert len(set(uris)) == 3 and results.of("mcp__files__read", {"path": "y"}) == []
    command = call_lenses(calls, now)[1].command
    assert command is not None and command.arguments == [{"left": uris[1], "right": uris[2]}]
    texts = [found.text for uri in uris if (found := results.get(uri)) is not None]
    assert texts == ["one\n", "two\n", '{\n  "a": [\n    1\n  ]\n}\n']
    assert [uri.rpartition(".")[2] for uri in uris] == ["txt", "txt", "json"]


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (
            CallResult("s", "t", False, "x", [], 1, structured_content={"b": 1, "a": "😀"}),
            '{\n  "b": 1,\n  "a": "😀"\n}\n',
        ),
        (CallResult("s", "t", False, "", [], 1, structured_content=float("nan")), "null\n"),
        (CallResult("s", "t", True, "no", [], 1, structured_content={}), "The tool says that it failed:\n\nno\n"),
        (CallResult("s", "t", False, "[not json", [], 1), "[not json\n"),
        (CallResult("s", "t", False, "[" * 100_000, [], 1), "[" * 100_000 + "\n"),
        (CallResult("s", "../../t/\u202e", False, "a\x1b[31mb", [], 1), "ab\n"),
        (CallResult("s", "t", False, "x", [], 1, warnings=["w"]), "x\n[w]\n"),
    ],
)
def test_a_result_is_a_text_that_two_equal_runs_share(result: CallResult, text: str) -> None:
    results = CallResults()
    first, second = results.add("n", {}, result), results.add("n", {}, evolve(result, duration_ms=99))
    assert first.text == second.text == text
    assert first.uri.removeprefix("codeagent://result/").count("/") == 1 and first.uri.isascii()


def test_only_the_latest_results_are_kept() -> None:
    results = CallResults()
    uris = [results.add("n", {"i": number}, CallResult("s", "t", False, "x", [], 1)).uri for number in range(150)]
    assert results.get(uris[0]) is None and results.get(uris[-1]) is not None
    big = CallResult("s", "t", False, "", [], 1, structured_content="x" * 5_000_000)
    last = [results.add("big", {}, big).uri for _ in range(3)]
    assert [results.get(uri) is not None for uri in last] == [False, False, True]


def test_a_run_asks_for_exactly_what_is_written() -> None:
    text = '{"tool": "mcp__files__write", "arguments": {"id": 9007199254740993, "class": null, "é": [1.0]}}'
    request = run_request(calls_in(URI, text)[0], WORLD)
    assert request.name == "mcp__files__write"
    assert request.arguments == {"id": 9007199254740993, "class": None, "é": [1.0]}
    assert run_request(calls_in(URI, '{"tool": "mcp__files__write"}')[0], WORLD).arguments is None


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("{", "line 1"),
        ("", "empty"),
        ("[]", "not an object"),
        ("{}", "names no tool"),
        ('{"tool": 7}', "names no tool"),
        ('{"tool": "mcp__files__write", "arguments": [1]}', "must be an object"),
        ('{"tool": "mcp__files__write", "arguments": {"a": NaN}}', "NaN"),
        ('{"tool": "mcp__files__wirte"}', "mcp__files__write"),
    ],
)
def test_what_cannot_be_run_is_refused_with_the_reason(text: str, word: str) -> None:
    with pytest.raises((InvalidParams, UnknownTool)) as failure:
        run_request(calls_in(URI, text)[0], WORLD)
    assert word in failure.value.message


# --- anything at all ---

FULL = arguments(
    '{\n  "path": "a😀", "mode": "fast", // why\n "shape": {"kind": "circle", "radius": 1},\n "tags": ["a", "b"],\n'
    ' "inner": {"again": {"x": 1}}, "none": null, "deep": true\n}'
)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("fence", [False, True])
def test_every_prefix_of_a_call_can_be_worked_with(encoding: str, fence: bool) -> None:
    for end in range(len(FULL) + 1):
        whole = ("é😀\n```mcp-call\n" if fence else "") + FULL[:end] + "|" + ("\n```\n" if fence else "")
        text, calls, position = marked(whole, encoding, NOTE if fence else URI)
        call = call_at(calls, position)
        assert call is not None
        for item in complete(call, position, WORLD).items:
            assert isinstance(item.text_edit, types.TextEdit)
            where = item.text_edit.range
            assert where.start.line == where.end.line == position.line
            assert where.start.character <= position.character <= where.end.character
        call_hover(call, position, WORLD)
        call_lenses(calls, WORLD)
        if end % 7 == 0:
            call_diagnostics(calls, WORLD)
        try:
            run_request(call, WORLD)
        except HostError:
            continue
        assert json.loads(text) if "//" not in text and not fence else True


SCHEMAS = st.recursive(
    st.booleans() | st.integers() | st.text(max_size=4) | st.just({"$ref": "#"}) | st.none(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "properties",
                    "items",
                    "anyOf",
                    "oneOf",
                    "allOf",
                    "enum",
                    "const",
                    "$ref",
                    "required",
                    "a",
                    "default",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=80, deadline=None)
@given(schema=SCHEMAS, value=SCHEMAS, path=st.lists(st.sampled_from(["a", "type", 0, 1]), max_size=4))
def test_any_schema_can_be_asked_about_any_place(schema: Any, value: Any, path: list[str | int]) -> None:
    shape = Shape(schema if isinstance(schema, dict) else {"properties": {"a": schema}})
    found = shape.at(tuple(path), value)
    assert all(isinstance(item, dict) for item in found)
    assert all(item.name for item in shape.properties(found))
    now = world(tool("read", {"type": "object", "properties": {"a": schema}}))
    labels(arguments('{"a": |'), now)
    _, calls, position = marked(arguments('{"a|": 1}'))
    call_hover(calls[0], position, now)

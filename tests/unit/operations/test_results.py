"""Whatever a server answers becomes a result that can be read, and nothing of what it sent is lost."""

import base64
import json
import socket
import time
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeagent_lsp.catalog.definitions import CatalogTool, digest_of, made_from, virtual
from codeagent_lsp.operations.blobs import BINARY, blob, readable
from codeagent_lsp.operations.results import block_text, call_result, filled_prompt, resource_contents
from codeagent_lsp.operations.validation import check
from codeagent_lsp.protocol import CallResult, wire

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"x" * 1221).decode()


def tool(**more: Any) -> CatalogTool:
    definition = {"name": "t", **more}
    return made_from("s", definition, digest_of(definition))[0]


def call(raw: dict[str, Any], made: CatalogTool | None = None) -> CallResult:
    result = anyio.run(call_result, made or tool(), raw, 12)
    json.dumps(wire.dump(result), allow_nan=False).encode()
    return result


def text(*blocks: Any) -> str:
    return call({"content": list(blocks)}).text


def said(value: Any) -> dict[str, Any]:
    return {"type": "text", "text": value}


# --- the shape of a result


def test_a_result_carries_what_came() -> None:
    content = [said("hello"), {"type": "image", "data": PNG, "mimeType": "image/png", "_meta": {"a": None}}]
    result = call({"content": content, "structuredContent": {"n": 9007199254740993, "z": None}, "_meta": {"x": 1}})
    assert (result.server, result.tool, result.is_error, result.duration_ms) == ("s", "t", False, 12)
    assert result.content == content
    assert result.structured_content == {"n": 9007199254740993, "z": None}
    assert result.warnings is None


@pytest.mark.parametrize(("flag", "failed"), [(True, True), (False, False), (None, False), ("true", False), (1, False)])
def test_only_true_is_an_error_of_the_tool(flag: Any, failed: bool) -> None:
    assert call({"content": [], "isError": flag}).is_error is failed


def test_an_error_of_the_tool_is_never_checked() -> None:
    made = tool(outputSchema={"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]})
    result = call({"isError": True, "content": [said("auth failed")], "structuredContent": {"code": 1}}, made)
    assert (result.is_error, result.text, result.warnings) == (True, "auth failed", None)


@pytest.mark.parametrize(
    "raw",
    [{"content": []}, {}, {"content": None}, {"content": [said("")]}, {"content": [said(" \n\t")]},
     {"content": [said("\x1b[0m\x00")]}],
    ids=repr,
)  # fmt: skip
def test_nothing_is_said_to_be_nothing(raw: dict[str, Any]) -> None:
    result = call(raw)
    assert result.text == "(no output)" and not result.is_error


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ({"structuredContent": {"rows": 3}}, {"rows": 3}),
        ({"content": [], "structuredContent": {"rows": 3}}, {"rows": 3}),
        ({"content": [], "structuredContent": [1, 2]}, [1, 2]),
        ({"content": [said("")], "structuredContent": {"a": "é"}}, {"a": "é"}),
        ({"content": [], "structuredContent": 0}, 0),
        ({"content": [], "structuredContent": {"v": float("nan"), "w": float("inf")}}, {"v": None, "w": None}),
        ({"content": [], "_meta": {"codeagent.structuredContent": [1]}}, [1]),
    ],
)
def test_a_result_that_is_only_structured_is_shown(raw: dict[str, Any], shown: Any) -> None:
    assert json.loads(call(raw).text) == shown


def test_text_goes_before_structure() -> None:
    assert call({"content": [said("ok")], "structuredContent": {"b": 1}}).text == "ok"


# --- blocks


def test_blocks_are_joined_by_blank_lines() -> None:
    assert text(said("one"), said(""), said("two\n"), said("three")) == "one\n\ntwo\n\n\nthree"


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        ({"type": "image", "data": PNG, "mimeType": "image/png"}, "[image/png, 1.2 KB]"),
        ({"type": "image", "data": PNG}, "[application/octet-stream, 1.2 KB]"),
        ({"type": "image", "data": "AAAA"}, "[application/octet-stream, 3 B]"),
        ({"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}, "[audio/wav, 3 B]"),
        ({"type": "image", "data": "!!!", "mimeType": "image/png"}, "[image/png, not valid base64]"),
        ({"type": "image", "data": "", "mimeType": "image/png"}, "[image/png, 0 B]"),
        ({"type": "image", "data": "data:image/png;base64,iVBORw0=", "mimeType": None}, "[image/png, 5 B]"),
        ({"type": "image", "data": "AAAA", "mimeType": "a\n\x1b[2J\u202e"}, "[a \\u{1B}[2J\\u{202E}, 3 B]"),
        ({"type": "image", "data": 7}, "[unsupported content: image]"),
        ({"type": "video", "data": "AA", "mimeType": "video/mp4"}, "[unsupported content: video]"),
        ({"type": "x\x1b\n" + "y" * 500}, None),
        ({"type": ""}, "[unsupported content: no type]"),
        ({"type": 7}, "[unsupported content: no type]"),
        ({}, "[unsupported content: no type]"),
        (None, "[unsupported content: no type]"),
        ("plain", "[unsupported content: no type]"),
        ({"type": "text", "text": None}, "[unsupported content: text]"),
        ({"type": "resource_link", "uri": "weird uri (1)", "name": "n"}, "@s:weird uri (1)"),
        ({"type": "resource_link", "uri": "http://169.254.169.254/", "name": "n"}, "@s:http://169.254.169.254/"),
        ({"type": "resource_link", "uri": "a\u202eb\n"}, "@s:a\\u{202E}b\\u{A}"),
        ({"type": "resource_link"}, "[unsupported content: resource_link]"),
        ({"type": "resource", "resource": {"uri": "x://a", "text": "T"}}, "T"),
        ({"type": "resource", "resource": {"uri": "x://a", "text": ""}}, ""),
        ({"type": "resource", "resource": {"uri": "f://x", "blob": "/9j/AA=="}}, "[application/octet-stream, 4 B]"),
        ({"type": "resource", "resource": {"uri": "f://x", "blob": "AAAA"}}, "[application/octet-stream, 3 B]"),
        ({"type": "resource", "resource": {"uri": "f://x", "blob": "aGk=", "mimeType": "text/plain"}}, "hi"),
        (
            {"type": "resource", "resource": {"uri": "f://x", "blob": "/w==", "mimeType": "text/plain"}},
            "[text/plain, 1 B]",
        ),
        ({"type": "resource", "resource": {"uri": "f://x"}}, "@s:f://x"),
        ({"type": "resource", "resource": {}}, "[unsupported content: resource]"),
        ({"type": "resource", "resource": "x"}, "[unsupported content: resource]"),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_each_kind_of_block_is_shown(block: Any, shown: str | None) -> None:
    line = block_text("s", block)
    if shown is None:
        assert len(line) < 100 and "\x1b" not in line and "\n" not in line
    else:
        assert line == shown
    assert "still here" in text(block, said("still here"))


def test_a_link_names_the_server_as_a_mention_does() -> None:
    assert block_text("my server", {"type": "resource_link", "uri": "x"}) == '@"my server":x'


def test_text_is_without_terminal_codes_and_hides_nothing() -> None:
    assert text(said("\x1b[31mred\x1b[0m\r\nx\x07\u202ey\ud800")) == "red\nx\\u{202E}y\ufffd"


def test_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("connected")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    made = tool(outputSchema={"$ref": "http://127.0.0.1:1/x", "$schema": "http://127.0.0.1:1/s", "$id": "http://h/"})
    result = call({"content": [{"type": "resource_link", "uri": "file:///etc/passwd"}], "structuredContent": {}}, made)
    assert result.text == "@s:file:///etc/passwd"
    assert result.warnings and "not checked" in result.warnings[0]


# --- what the transport repaired


def test_a_repaired_block_is_given_back_as_it_came_and_shown_as_repaired() -> None:
    original = {"type": "video", "data": "AA", "mimeType": "video/mp4"}
    repaired = {**said("[unsupported content: video]"), "_meta": {"codeagent.original": original}}
    result = call({"content": [repaired, said("still here")], "_meta": {"codeagent.warnings": ["A block\x1b.", 7]}})
    assert result.text == "[unsupported content: video]\n\nstill here"
    assert result.content == [original, said("still here")]
    assert result.warnings == ["A block\\u{1B}."]


def test_a_block_that_was_no_object_is_given_as_text() -> None:
    result = call({"content": [{**said("plain"), "_meta": {"codeagent.original": "plain"}}]})
    assert (result.text, result.content) == ("plain", [said("plain")])


# --- output schemas


ROWS = {"type": "object", "properties": {"rows": {"type": "integer"}}, "required": ["rows"]}


@pytest.mark.parametrize(
    ("schema", "structured", "warning"),
    [
        (ROWS, {"rows": 3}, None),
        (ROWS, {"rows": 3, "more": 1}, None),
        (ROWS, {"rows": "3"}, 'does not fit the tool\'s output schema: `rows` does not meet `type: "integer"`.'),
        (ROWS, {"b": 1}, 'it does not meet `required: ["rows"]`'),
        (ROWS, [1], "does not meet `type"),
        (ROWS, None, "has no structured content"),
        ({"type": "array", "items": {"type": "string"}}, ["a", 1], "`1` does not meet"),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/Missing"}}}, {"a": "x"}, "is broken"),
        ({"$ref": "https://example.com/schema.json"}, {"a": 1}, "is broken"),
        ({"$id": "x"}, {"a": 1}, None),
        ({"$id": 7}, {"a": 1}, "is broken"),
        ({"type": 7}, {"a": 1}, "is broken"),
        ({"properties": []}, {"a": 1}, "is broken"),
        ({"required": "rows"}, {"a": 1}, "output schema: it does not meet `required: \"rows\"`."),
        ({"$ref": "#"}, {"a": 1}, "is broken"),
        ({"$defs": {"A": {"$ref": "#/$defs/A"}}, "$ref": "#/$defs/A"}, {"a": 1}, "is broken"),
        ({"$schema": "not a uri", **ROWS}, {"rows": 1}, None),
        ({"$schema": 7, **ROWS}, {"rows": 1}, None),
        ({"$schema": "http://json-schema.org/draft-04/schema#", **ROWS}, {"rows": "x"}, "`rows` does not meet"),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "null"}]}, [1], "`0` does not meet"),
        ({"properties": {"a": False}}, {"a": 1}, "something is there that must not be"),
        ({"properties": {"pattern": {"type": "string"}}}, {"pattern": 7}, "`pattern` does not meet"),
        ({"enum": [{"pattern": "x"}]}, {"pattern": "x"}, None),
        ({"const": {"pattern": "x"}}, {"pattern": "y"}, "does not meet `const"),
        ({"patternProperties": {"^a": {"type": "string"}}, "additionalProperties": False}, {"ab": 1}, None),
        ({"properties": {"a": {"pattern": "["}}}, {"a": "x"}, None),
        ({}, {"a": float("nan")}, None),
    ],
    ids=lambda value: repr(value)[:50],
)  # fmt: skip
def test_a_mismatch_is_a_warning_and_the_result_is_delivered(schema: Any, structured: Any, warning: str | None) -> None:
    raw = {"content": [said("ok")], **({} if structured is None else {"structuredContent": structured})}
    result = call(raw, tool(outputSchema=schema))
    assert (result.text, result.is_error, result.structured_content) == ("ok", False, structured)
    if warning is None:
        assert result.warnings is None
    else:
        assert result.warnings is not None and len(result.warnings) == 1 and warning in result.warnings[0]


@pytest.mark.parametrize("schema", [None, True, [], "x"])
def test_an_output_schema_that_is_none_is_not_checked(schema: Any) -> None:
    assert call({"content": [said("ok")]}, tool(outputSchema=schema)).warnings is None


def test_the_original_schema_counts_not_the_one_for_showing() -> None:
    either = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    made = tool(outputSchema={"type": "object", "properties": {"v": either}})
    for value in ("x", ["x"]):
        assert call({"structuredContent": {"v": value}}, made).warnings is None
    assert call({"structuredContent": {"v": 1}}, made).warnings is not None


def test_a_tool_that_stands_for_resources_is_not_checked() -> None:
    result = call({"content": [said("x")]}, virtual("s", "readResource"))
    assert (result.tool, result.warnings) == ("read_resource", None)


def doubling(keyword: str) -> dict[str, Any]:
    made: dict[str, Any] = {
        f"L{n}": {keyword: [{"$ref": f"#/$defs/L{n + 1}"}, {"$ref": f"#/$defs/L{n + 1}"}]} for n in range(40)
    }
    return {"$defs": {**made, "L40": {"type": "object"}}, "$ref": "#/$defs/L0"}


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"properties": {"a": schema}}
    return schema


EVIL = {
    "doubling allOf": doubling("allOf"),
    "doubling oneOf": doubling("oneOf"),
    "regular expression": {"properties": {"a": {"pattern": "^(a+)+$"}}},
    "regular expression of names": {"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False},
    "names by expression": {"propertyNames": {"pattern": "^(a+)+$"}},
    "large": {"description": "x" * 300_000},
    "wide": {"properties": {f"p{n}": {"type": "string"} for n in range(5_000)}},
    "deep": nested(100),
    "very deep": nested(20_000),
    "unique": {"properties": {"many": {"uniqueItems": True}}},
    "format": {"properties": {"a": {"format": "regex"}}},
}


@pytest.mark.parametrize("name", EVIL)
def test_a_schema_that_is_an_attack_ends_soon_and_leaves_the_loop_alone(name: str) -> None:
    value = {"a": "a" * 40 + "!", "a" * 40 + "!": 1, "many": [[number] for number in range(20_000)]}
    longest = 0.0

    async def run() -> str | None:
        nonlocal longest

        async def watch() -> None:
            nonlocal longest
            while True:
                began = time.monotonic()
                await anyio.sleep(0.001)
                longest = max(longest, time.monotonic() - began)

        await check({}, {})  # the import
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch)
            with anyio.fail_after(5):
                said = await check(EVIL[name], value)
            tasks.cancel_scope.cancel()
        return said

    began = time.monotonic()
    said = anyio.run(run)
    assert time.monotonic() - began < 3
    assert longest < 0.5
    if name.startswith(("doubling", "large", "wide", "deep", "very")):
        assert said is not None and "not checked" in said


# --- blobs


@pytest.mark.parametrize(
    ("given", "mime", "kind", "data", "size"),
    [
        ("aGk=", "text/plain", "text/plain", "aGk=", 2),
        ("aGk", None, BINARY, "aGk=", 2),
        (" aG\nk= ", None, BINARY, "aGk=", 2),
        ("-_-_", None, BINARY, "+/+/", 3),
        ("", None, BINARY, "", 0),
        ("data:image/png;base64,iVBORw0=", None, "image/png", "iVBORw0=", 5),
        ("data:image/png;charset=x;base64,iVBORw0=", "image/x", "image/x", "iVBORw0=", 5),
        ("DATA:text/plain;BASE64,aGk=", None, "text/plain", "aGk=", 2),
        ("data:,a%20b", None, BINARY, "YSBi", 3),
        ("data:text/plain,hi", None, "text/plain", "aGk=", 2),
        ("!!!", None, BINARY, None, 3),
        ("a", None, BINARY, None, 1),
        ("aGk===", None, BINARY, None, 6),
        ("=", None, BINARY, None, 1),
        ("aG=k", None, BINARY, None, 4),
        ("é", None, BINARY, None, 1),
        ("data:image/png;base64,!!!", None, "image/png", None, 3),
    ],
)
def test_binary_data_comes_in_many_spellings(given: str, mime: Any, kind: str, data: str | None, size: int) -> None:
    found = blob(given, mime)
    assert (found.mime_type, found.data, found.size) == (kind, data, size)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60), st.booleans(), st.booleans())
def test_any_bytes_are_read_back(data: bytes, padded: bool, url_safe: bool) -> None:
    encoded = (base64.urlsafe_b64encode if url_safe else base64.b64encode)(data).decode()
    found = blob(encoded if padded else encoded.rstrip("="), None)
    assert found.data is not None and base64.b64decode(found.data, validate=True) == data and found.size == len(data)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=40), st.one_of(st.none(), st.text(max_size=20), st.integers()))
def test_no_text_breaks_the_reader_of_binary_data(given: str, mime: Any) -> None:
    found = blob(given, mime)
    if found.data is not None:
        assert len(base64.b64decode(found.data, validate=True)) == found.size
    found.text()
    assert "\n" not in found.placeholder()


@pytest.mark.parametrize(
    ("size", "shown"),
    [(0, "0 B"), (70, "70 B"), (1023, "1023 B"), (1024, "1.0 KB"), (1229, "1.2 KB"),
     (3 << 20, "3.0 MB"), (5 << 30, "5.0 GB")],
)  # fmt: skip
def test_sizes_are_readable(size: int, shown: str) -> None:
    assert readable(size) == shown


# --- resources


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"uri": "x", "text": "T", "mimeType": "text/markdown"}, {"mimeType": "text/markdown", "size": 1, "text": "T"}),
        ({"uri": "x", "text": "é"}, {"mimeType": "text/plain", "size": 2, "text": "é"}),
        ({"uri": "x", "text": ""}, {"mimeType": "text/plain", "size": 0, "text": ""}),
        ({"uri": "x", "text": "a\r\nb\x1b[2Jc\u202e"},
         {"mimeType": "text/plain", "size": 12, "text": "a\nbc\\u{202E}"}),
        ({"uri": "x", "text": "a\ud800b"}, {"mimeType": "text/plain", "size": 3, "text": "a\ufffdb"}),
        ({"uri": "x", "blob": "/9j/AA=="}, {"mimeType": BINARY, "size": 4, "blob": "/9j/AA=="}),
        ({"uri": "x", "blob": "AAAA"}, {"mimeType": BINARY, "size": 3, "blob": "AAAA"}),
        ({"uri": "x", "blob": "aGk=", "mimeType": "text/plain"}, {"mimeType": "text/plain", "size": 2, "text": "hi"}),
        ({"uri": "x", "blob": "e30=", "mimeType": "application/json"},
         {"mimeType": "application/json", "size": 2, "text": "{}"}),
        ({"uri": "x", "blob": "/w==", "mimeType": "text/plain"}, {"mimeType": "text/plain", "size": 1, "blob": "/w=="}),
        ({"uri": "x", "blob": "data:image/png;base64,iVBORw0="},
         {"mimeType": "image/png", "size": 5, "blob": "iVBORw0="}),
        ({"uri": "x", "blob": "!!!"},
         {"mimeType": BINARY, "size": 3, "text": "[application/octet-stream, not valid base64]"}),
        ({"uri": "x", "blob": "AAAA", "text": "T"}, {"mimeType": "text/plain", "size": 1, "text": "T"}),
        ({"uri": "x"}, {"mimeType": "text/plain", "size": 0, "text": ""}),
        ({"uri": "x", "text": None, "blob": None, "mimeType": 7}, {"mimeType": "text/plain", "size": 0, "text": ""}),
        ({"text": "T", "mimeType": ""}, {"uri": "asked", "mimeType": "text/plain", "size": 1, "text": "T"}),
        (None, {"uri": "asked", "mimeType": "text/plain", "size": 0, "text": ""}),
    ],
)  # fmt: skip
def test_contents_of_a_resource_are_text_or_data(item: Any, expected: dict[str, Any]) -> None:
    (found,) = resource_contents({"contents": [item]}, "asked")
    assert wire.dump(found) == {"uri": "x", **expected}


@pytest.mark.parametrize("raw", [{}, {"contents": None}, {"contents": []}, {"contents": {}}])
def test_no_contents_are_no_contents(raw: dict[str, Any]) -> None:
    assert resource_contents(raw, "x") == []


def test_all_parts_of_a_resource_come_in_order() -> None:
    parts = resource_contents({"contents": [{"uri": f"x:{n}", "text": str(n)} for n in range(5)]}, "x")
    assert [part.uri for part in parts] == [f"x:{n}" for n in range(5)]


# --- prompts


def message(role: Any, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def test_a_prompt_is_its_messages_and_one_text() -> None:
    raw = {"description": "d\u202e", "messages": [message("user", said("one\x1b[0m")), message("user", said("two"))]}
    found = filled_prompt("s", raw)
    assert found.description == "d\\u{202E}"
    assert [(item.role, item.content) for item in found.messages] == [
        ("user", said("one\x1b[0m")),
        ("user", said("two")),
    ]
    assert found.text == "one\n\ntwo"


def test_several_roles_are_told_apart() -> None:
    raw = {"messages": [message("user", said("ask")), message("assistant", said("answer"))]}
    assert filled_prompt("s", raw).text == "[user]\nask\n\n[assistant]\nanswer"


def test_a_role_that_mcp_does_not_know_loses_nobody() -> None:
    original = message("system", said("be kind"))
    repaired = message("user", said("be kind"), _meta={"codeagent.original": original})
    found = filled_prompt("s", {"messages": [repaired, message("user", said("hi")), message(None, said("x")), None]})
    assert [item.role for item in found.messages] == ["system", "user", "user", "user"]
    assert found.text.startswith("[system]\nbe kind\n\n[user]\nhi")


def test_an_image_in_a_prompt_is_a_placeholder() -> None:
    image = {"type": "image", "data": PNG, "mimeType": "image/png"}
    found = filled_prompt("s", {"messages": [message("user", image)]})
    assert (found.text, found.messages[0].content) == ("[image/png, 1.2 KB]", image)


@pytest.mark.parametrize("raw", [{}, {"messages": None}, {"messages": []}, {"messages": {}, "description": 7}])
def test_a_prompt_without_messages_is_empty(raw: dict[str, Any]) -> None:
    assert wire.dump(filled_prompt("s", raw)) == {"messages": [], "text": ""}


# --- anything

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)),
    max_leaves=6,
)
BLOCK = st.one_of(
    JSON,
    st.fixed_dictionaries(
        {"type": st.sampled_from(["text", "image", "audio", "resource", "resource_link", "x"])},
        optional={
            "text": JSON,
            "data": JSON,
            "uri": JSON,
            "mimeType": JSON,
            "resource": st.fixed_dictionaries({}, optional={"uri": JSON, "text": JSON, "blob": JSON, "mimeType": JSON}),
            "_meta": st.one_of(JSON, st.fixed_dictionaries({"codeagent.original": JSON})),
        },
    ),
)
RESULT = st.fixed_dictionaries(
    {},
    optional={
        "content": st.one_of(JSON, st.lists(BLOCK, max_size=4)),
        "contents": st.one_of(JSON, st.lists(JSON, max_size=3)),
        "messages": st.lists(st.fixed_dictionaries({}, optional={"role": JSON, "content": BLOCK}), max_size=3),
        "structuredContent": JSON,
        "isError": JSON,
        "_meta": JSON,
    },
)


@settings(max_examples=120, deadline=None)
@given(RESULT)
def test_whatever_comes_is_a_result(raw: dict[str, Any]) -> None:
    assert call(raw).text
    for value in (resource_contents(raw, "x"), filled_prompt("s", raw)):
        json.dumps(wire.dump(value), allow_nan=False)


@settings(max_examples=80, deadline=None)
@given(JSON.filter(lambda value: isinstance(value, dict)), JSON)
def test_no_schema_breaks_the_check(schema: Any, value: Any) -> None:
    anyio.run(check, schema, value)

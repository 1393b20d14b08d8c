"""Whatever a server writes becomes messages, a named error for the request it answers, or a warning; never a wait."""

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeagent_lsp.errors import HostError, Protocol, ServerError, TooLarge
from codeagent_lsp.transport.decode import HOPELESS_DEPTH, MAX_DEPTH, Decoded, Undecodable, decode, find_id
from codeagent_lsp.transport.lines import Oversized
from codeagent_lsp.transport.messages import Messages

OK = {"content": [{"type": "text", "text": "ok"}]}


class Wire:
    """A connection's messages, with a request in flight."""

    def __init__(self, method: str = "tools/call", request_id: int | str = 7, version: str | None = None) -> None:
        self.warnings: list[str] = []
        self.messages = Messages(self.warnings.append, server="s")
        meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": version}} if version else {}
        self.messages.note_request({"id": request_id, "method": method, "params": {"uri": "a://1", **meta}})

    def answer(self, line: bytes | str) -> Any:
        """The one answer to the request in flight: its result, or its error."""
        data = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
        (message,) = self.messages.parse(data)
        assert message["id"] == 7
        return message.get("result") or message["error"]


def frame(result: Any = OK, **more: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": 7, "result": result, **more})


GOOD_IN_SUBSTANCE = {
    "plain": frame(),
    "CR LF": frame() + "\r",
    "byte order mark": "\ufeff" + frame(),
    "text in front": "INFO: call done " + frame(),
    "text behind": frame() + "   DEBUG done",
    "NUL around": "\0" + frame() + "\0",
    "batch": f"[{frame()}]",
    "batch with others": f'[42, null, {{"jsonrpc":"2.0","method":"notifications/x"}}, {frame()}]',
    "blanks": "  \t" + frame() + "  ",
    "pretty": json.dumps(json.loads(frame()), indent=2),
    "id as text": frame().replace('"id": 7', '"id": "7"'),
    "id as a float": frame().replace('"id": 7', '"id": 7.0'),
    "no version": frame().replace('"jsonrpc": "2.0", ', ""),
    "version 1.0": frame().replace("2.0", "1.0"),
    "null error": frame(error=None),
    "unknown members": frame(extra={"a": 1}, trace=None),
    "id last": json.dumps({"result": OK, "id": 7, "jsonrpc": "2.0"}),
    "method beside the result": frame(method="tools/call"),
    "raw tab in a string": frame({"content": [{"type": "text", "text": "ok"}], "x": "a\\tb"}).replace("\\\\t", "\t"),
}


@pytest.mark.parametrize("line", GOOD_IN_SUBSTANCE.values(), ids=GOOD_IN_SUBSTANCE.keys())
def test_an_answer_that_is_odd_in_form_is_taken(line: str) -> None:
    wire = Wire()
    messages = wire.messages.parse(line.encode())
    (answer,) = [message for message in messages if "method" not in message]
    assert answer["id"] == 7 and answer["result"]["content"] == OK["content"]


MALFORMED = {
    "null result": frame(None),
    "list result of an empty kind": frame(7),
    "neither": '{"jsonrpc":"2.0","id":7}',
    "true": frame(True),
}


@pytest.mark.parametrize("line", MALFORMED.values(), ids=MALFORMED.keys())
def test_an_answer_without_a_usable_result_fails_its_request_at_once(line: str) -> None:
    error = Wire().answer(line)
    assert isinstance(error["data"], Protocol) and "malformed reply to tools/call" in error["message"]


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        ("boom", -32603, "boom"),
        ({"message": "boom"}, -32603, "boom"),
        ({"code": -32003}, -32003, "the server gave no reason"),
        ({"code": -32004.0, "message": "x"}, -32004, "x"),
        ({"code": "-32002", "message": "x"}, -32002, "x"),
        ({"code": "E1", "message": "x"}, -32603, "x"),
        ({"code": None, "message": None}, -32603, "the server gave no reason"),
        ({"code": 1e300, "message": {"why": "x"}}, -32603, '{"why": "x"}'),
        ({"code": True, "message": "x"}, -32603, "x"),
        (["a"], -32603, '["a"]'),
        ({}, -32603, "the server gave no reason"),
        (5, -32603, "5"),
    ],
)
def test_an_error_of_any_shape_arrives_as_an_error(error: Any, code: int, message: str) -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": 7, "result": None, "error": error})
    answer = Wire().answer(line)
    assert (answer["code"], answer["message"]) == (code, message)
    assert isinstance(Wire().messages.parse(line.encode()), list)


@pytest.mark.parametrize("code", [-32000, -32001])
def test_a_servers_error_under_a_code_of_the_sdks_own_failures_stays_the_servers(code: int) -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": 7, "error": {"code": code, "message": "quota exceeded"}})
    failure = Wire().answer(line)["data"]
    assert isinstance(failure, ServerError)
    assert failure.server_code == code
    assert failure.message == "answered with an error: quota exceeded"


def test_the_data_of_an_error_arrives_and_can_not_pretend_to_be_ours() -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": 7, "error": {"code": -32022, "message": "x", "data": {"supported": []}}})
    answer = Wire().answer(line)
    assert answer["data"] == {"supported": []} and not isinstance(answer["data"], HostError)


@pytest.mark.parametrize("open_requests", [1, 2])
def test_an_error_without_id_ends_the_only_request_that_can_be_meant(open_requests: int) -> None:
    wire = Wire()
    if open_requests == 2:
        wire.messages.note_request({"id": 8, "method": "tools/call"})
    line = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}'
    answers = wire.messages.parse(line)
    assert [answer["id"] for answer in answers] == ([7] if open_requests == 1 else [])


@pytest.mark.parametrize("text", [b"caf\xe9", b"\xff\xfe\xfa", b"a\xc3", b"\xed\xa0\x80"])
def test_invalid_utf8_in_an_answer_is_replaced(text: bytes) -> None:
    wire = Wire()
    result = wire.answer(frame().encode().replace(b"ok", text))
    assert "\ufffd" in result["content"][0]["text"]
    assert any("UTF-8" in warning for warning in wire.warnings)


@pytest.mark.parametrize("escape", ["\\ud800", "\\udfff", "a\\ud800b", "\\udc00\\ud800", "\\uD83D"])
def test_lone_surrogates_in_an_answer_are_replaced(escape: str) -> None:
    result = Wire().answer(frame().replace('"ok"', f'"{escape}"'))
    text = result["content"][0]["text"]
    assert "\ufffd" in text and text.encode()


def test_characters_that_some_take_for_line_ends_arrive() -> None:
    result = Wire().answer(
        json.dumps(
            json.loads(frame({"content": [{"type": "text", "text": "a\u2028b\u0085c\u2029d"}]})), ensure_ascii=False
        )
    )
    assert result["content"][0]["text"] == "a\u2028b\u0085c\u2029d"


def test_numbers_arrive_as_they_are() -> None:
    numbers = '{"n":NaN,"i":9007199254740993123,"f":1.0,"w":-Infinity,"z":null}'
    line = '{"jsonrpc":"2.0","id":7,"result":{"content":[],"structuredContent":' + numbers + "}}"
    found = Wire().answer(line)["structuredContent"]
    assert found["n"] != found["n"] and found["i"] == 9007199254740993123 and found["w"] == float("-inf")
    assert isinstance(found["f"], float) and found["z"] is None


@pytest.mark.parametrize(
    "line",
    ["", " ", "Server ready", "{oops", "42", "[1,2]", "null", "true", '"text"', "[]", "{}", "╭──╮", "\x1b[1mhi",
     "[[[]]]",
     '{"level":"info","message":"json logs"}', "Content-Length: 20", "{'id': 7}", "[" * 50, "\0"],
)  # fmt: skip
def test_chatter_is_not_a_message_and_harms_nothing(line: str) -> None:
    wire = Wire()
    assert wire.messages.parse(line.encode()) == []
    assert wire.messages.counts.messages == 0
    assert wire.answer(frame())["content"] == OK["content"]


def test_a_log_line_that_quotes_a_request_is_not_taken_for_one() -> None:
    wire = Wire()
    assert wire.messages.parse(b'DEBUG received {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}') == []


@pytest.mark.parametrize("request_id", [8, "x", "8", -1, 1e30, 10**40, None, True, [], {}])
def test_an_answer_that_nobody_waits_for_is_ignored_and_is_no_garbage(request_id: Any) -> None:
    wire = Wire()
    line = json.dumps({"jsonrpc": "2.0", "id": request_id, "result": OK})
    assert wire.messages.parse(line.encode()) == []
    assert wire.messages.counts.garbage_lines == 0 and wire.messages.counts.messages == 1
    assert wire.answer(frame())["content"] == OK["content"]


def test_a_second_answer_and_the_answer_to_a_cancelled_request_are_ignored() -> None:
    wire = Wire()
    wire.answer(frame())
    assert wire.messages.parse(frame().encode()) == []
    wire.messages.note_request({"id": 9, "method": "tools/call"})
    wire.messages.note_request({"method": "notifications/cancelled", "params": {"requestId": 9}})
    assert wire.messages.parse(frame().replace("7", "9").encode()) == []


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"method": "ping", "id": 1}, {"jsonrpc": "2.0", "method": "ping", "id": 1}),
        ({"method": "ping", "id": "a", "params": None}, {"jsonrpc": "2.0", "method": "ping", "id": "a"}),
        ({"method": "x", "id": None, "params": []}, {"jsonrpc": "2.0", "method": "x"}),
        ({"method": "x", "params": {"a": None}}, {"jsonrpc": "2.0", "method": "x", "params": {"a": None}}),
        (
            {"method": "notifications/message", "params": {"level": "WARN", "data": "x", "logger": 5}},
            {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "warning", "data": "x"}},
        ),
        (
            {"method": "notifications/message", "params": {"level": 30}},
            {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": None}},
        ),
    ],
)
def test_requests_and_notifications_of_the_server_are_set_right(message: Any, expected: Any) -> None:
    assert Wire().messages.parse(json.dumps(message).encode()) == [expected]


def test_several_messages_on_one_line_all_arrive() -> None:
    line = '{"jsonrpc":"2.0","method":"a"}{"jsonrpc":"2.0","method":"b"}' + frame()
    assert len(Wire().messages.parse(line.encode())) == 3


def deep(levels: int, method: str = "tools/call") -> bytes:
    nest = b'{"type":"array","items":' * levels + b"{}" + b"}" * levels
    if method == "tools/list":
        good = b'{"name":"good","inputSchema":{"type":"object"}}'
        deep_one = b'{"name":"deep","inputSchema":{"type":"object","properties":{"x":' + nest + b"}}}"
        return b'{"jsonrpc":"2.0","id":7,"result":{"tools":[' + deep_one + b"," + good + b"]}}"
    return b'{"jsonrpc":"2.0","id":7,"result":{"content":[],"structuredContent":' + nest + b"}}"


@pytest.mark.parametrize("levels", [100, 150, 250, 2_000, HOPELESS_DEPTH - 100])
def test_a_deep_schema_costs_neither_the_list_nor_much_time(levels: int) -> None:
    wire = Wire("tools/list")
    started = time.perf_counter()
    tools = wire.answer(deep(levels, "tools/list"))["tools"]
    assert time.perf_counter() - started < 1
    assert [tool["name"] for tool in tools] == ["deep", "good"]
    assert json.dumps(tools).count("items") >= min(levels, 100)


@pytest.mark.parametrize("levels", [MAX_DEPTH + 50, 2_000, 100_000, 500_000])
def test_a_nesting_bomb_fails_its_request_at_once(levels: int) -> None:
    wire = Wire()
    started = time.perf_counter()
    error = wire.answer(deep(levels))
    assert time.perf_counter() - started < 1
    assert "nested more than 200 levels" in error["message"] and error["data"].server == "s"


def test_a_nesting_bomb_in_a_list_fails_the_list() -> None:
    assert isinstance(Wire("tools/list").answer(deep(100_000, "tools/list"))["data"], Protocol)


def test_a_hundred_levels_arrive_whole() -> None:
    found = Wire().answer(deep(100))["structuredContent"]
    assert json.dumps(found).count("items") == 100


def test_brackets_inside_strings_are_no_nesting() -> None:
    text = '["\\"' * 5_000
    assert (
        Wire().answer(frame({"content": [{"type": "text", "text": text}], "x": "\\ud800"}))["content"][0]["text"]
        == text
    )


@pytest.mark.parametrize(
    ("head", "tail"),
    [(b'{"jsonrpc":"2.0","id":7,"result":{"content":[{"id":9', b"xxx"), (b'{"result":{"id":9', b'x"}]},"id":7}'),
     (b'{"result":{"x', b'"}]},"id": "7" , "jsonrpc":"2.0"}\r')],
)  # fmt: skip
def test_a_line_that_was_too_long_fails_the_request_it_answered(head: bytes, tail: bytes) -> None:
    wire = Wire()
    (message,) = wire.messages.parse(Oversized(head, tail, 17_000_000))
    assert message["id"] == 7 and isinstance(message["error"]["data"], TooLarge)
    assert wire.messages.parse(Oversized(head, tail, 17_000_000)) == []


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b'{"id":5}', 5),
        (b'{"id": "five" , "x":1}', "five"),
        (b'{"result":{"id":5}}', None),
        (b'{"result":[{"id":5}],"id":6,', 6),
        (b'{"x":"\\"id\\":5,","id":6}', 6),
        (b'{"id":5.5}', None),
        (b'{"id":null}', None),
        (b"", None),
        (b'{"method":"id","id":-3}', -3),
    ],
)
def test_the_id_of_an_unreadable_message_is_its_own(head: bytes, expected: Any) -> None:
    assert find_id(head) == expected


def test_the_same_warning_is_given_once_and_there_is_an_end_to_them() -> None:
    wire = Wire()
    for number in range(2_000):
        wire.messages.note_request({"id": 7, "method": "tools/list"})
        wire.answer(frame({"tools": [{"name": f"tool {number % 900}", "inputSchema": None}]}))
    assert len(wire.warnings) == len(set(wire.warnings)) <= 500


def test_requests_that_are_never_answered_are_forgotten_in_the_end() -> None:
    wire = Wire()
    for number in range(30_000):
        wire.messages.note_request({"id": 100 + number, "method": "ping"})
    assert wire.messages.parse(frame().encode()) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=[]), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
METHODS = st.sampled_from(
    ["initialize", "server/discover", "tools/list", "resources/list", "resources/templates/list", "prompts/list",
     "tools/call", "resources/read", "prompts/get", "completion/complete", "ping", "vendor/x"]
)  # fmt: skip
NAMES = st.sampled_from(
    ["tools", "name", "inputSchema", "type", "content", "text", "contents", "uri", "messages", "role", "_meta",
     "structuredContent", "isError", "capabilities", "serverInfo", "protocolVersion", "resultType", "nextCursor",
     "completion", "values", "annotations", "resources", "prompts", "arguments", "blob", "mimeType", "resource", "data",
     "ttlMs", "cacheScope", "supportedVersions", "instructions", "icons", "title", "outputSchema", "properties",
     "resourceTemplates", "uriTemplate", "required", "priority", "size", "toolResult"]
)  # fmt: skip
VALUES = st.sampled_from(["text", "image", "resource", "resource_link", "object", "user", "complete", "2025-06-18"])
MCPISH = st.recursive(
    JSON | VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=6),
    max_leaves=25,
)


@settings(deadline=None, max_examples=300)
@given(METHODS, MCPISH, st.sampled_from([None, "2026-07-28"]), st.booleans())
def test_any_result_is_repaired_or_refused_and_the_models_take_what_is_repaired(
    method: str, result: Any, version: str | None, surrogates: bool
) -> None:
    from codeagent_lsp.transport.schema import faults

    wire = Wire(method, version=version)
    line = json.dumps({"jsonrpc": "2.0", "id": 7, "result": result}, ensure_ascii=surrogates)
    (message,) = wire.messages.parse(line.encode("utf-8", "surrogatepass"))
    assert message["id"] == 7
    if "error" in message:
        assert isinstance(message["error"]["data"], HostError)
    else:
        assert not faults(method, version or "2025-11-25", message["result"])
        json.dumps(message, ensure_ascii=False).encode()


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=80) | JSON.map(lambda value: json.dumps(value).encode("utf-8", "replace")))
def test_no_bytes_make_it_raise(line: bytes) -> None:
    wire = Wire()
    wire.messages.parse(line)
    wire.messages.parse(b'{"jsonrpc":"2.0","id":7,"result":' + line + b"}")
    find_id(line, line)


@settings(deadline=None, max_examples=200)
@given(JSON)
def test_what_json_can_say_is_read_as_json_reads_it(value: Any) -> None:
    decoded = decode(json.dumps({"v": value}).encode())
    assert isinstance(decoded, Decoded | Undecodable)
    if isinstance(decoded, Decoded):
        json.dumps(decoded.values, ensure_ascii=False).encode()

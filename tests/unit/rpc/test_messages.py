"""Messages that are right, wrong, late, too early or hostile: each is answered once, and the next one works."""

import json
from typing import Any

import pytest

from editor_client import SILENCE, EditorClient, LspError, frame
from tiny_lsp import SECRET, TinyServer


async def works(editor: EditorClient) -> None:
    """The next valid request is answered within a second."""
    assert await editor.request("tiny/echo", {"still": "here"}, within=1) == {"still": "here"}


PLAIN = {
    "file-path": "/x", "_meta": {"progressToken": 1}, "class": "c", "type_name": "t", "jsonrpc": "2.0", "id": 5,
    "method": "tools/call", "params": None, "result": [], "error": {}, "__proto__": {"a": 1}, "": [[], {}, None],
    "big": 2**80, "float": 1e300, "emoji": "👩‍👩‍👧", "nul": "\u0000", "line": "\u2028",
}  # fmt: skip


@pytest.mark.parametrize("params", [PLAIN, {"deep": {"deeper": [PLAIN]}}, [], [1, "x", None], {}])
async def test_params_of_other_methods_stay_plain(tiny: EditorClient, params: Any) -> None:
    await tiny.start()
    assert await tiny.request("tiny/echo", params) == params


async def test_nested_json_rpc_keys_are_data_at_initialize(tiny: EditorClient) -> None:
    await tiny.start(options={"settings": PLAIN, "jsonrpc": "1.0", "method": "x"})
    await works(tiny)


async def test_a_notification_carries_plain_params(tiny: EditorClient, server: TinyServer) -> None:
    await tiny.start()
    await tiny.notify("tiny/note", PLAIN)
    await works(tiny)
    assert server.received == [PLAIN]


async def test_an_answer_of_the_editor_stays_plain(tiny: EditorClient) -> None:
    await tiny.start()
    tiny.answer("tiny/question", PLAIN)
    assert await tiny.command("tiny.ask") == PLAIN


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"nonsense", -32700),
        (b'{"jsonrpc":"2.0","id":1,', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"tiny/echo","params":{"a":NaN}}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"tiny/echo","params":{"a":Infinity}}', -32700),
        (b'{"a":"\xff\xfe"}', -32700),
        (b'{"a":"\xed\xa0\x80"}', -32700),
        ('{"a":1}'.encode("utf-16"), -32700),
        (b"[" * 100_000, -32700),
        (b'{"a":' * 100_000, -32700),
        (b'{"a":' + b"9" * 10_000 + b"}", -32700),
        (b"[]", -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"tiny/echo"}]', -32600),
        (b"null", -32600),
        (b"5", -32600),
        (b'"x"', -32600),
        (b"{}", -32600),
        (b'{"jsonrpc":"2.0"}', -32600),
        (b'{"jsonrpc":"1.0","method":"tiny/note"}', -32600),
        (b'{"jsonrpc":2.0,"method":"tiny/note"}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"tiny/echo"}', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"tiny/echo"}', -32600),
        (b'{"jsonrpc":"2.0","id":[1],"method":"tiny/echo"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"tiny/echo"}', -32600),
        (b'{"jsonrpc":"2.0","method":5}', -32600),
        (b'{"jsonrpc":"2.0","method":null}', -32600),
    ],
)
async def test_what_is_no_message_is_refused_and_the_next_is_read(tiny: EditorClient, body: bytes, code: int) -> None:
    await tiny.start()
    await tiny.send(frame(body))
    await works(tiny)
    assert [error["code"] for error in tiny.unreadable] == [code]


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("textDocument/hover", {}, -32602),
        ("textDocument/hover", None, -32602),
        ("textDocument/hover", [], -32602),
        ("textDocument/hover", "x", -32602),
        ("textDocument/hover", {"textDocument": {"uri": 5}, "position": {"line": "a", "character": 0}}, -32602),
        ("textDocument/hover", {"textDocument": None, "position": None}, -32602),
        ("tiny/echo", 5, -32602),
        ("tiny/echo", "x", -32602),
        ("tiny/echo", True, -32602),
        ("tiny/unknown", {}, -32601),
        ("$/unknown", {}, -32601),
        ("", {}, -32601),
        ("textDocument/completion", {}, -32601),
        ("initialize", {"capabilities": {}}, -32600),
    ],
)
async def test_a_wrong_request_is_answered_with_the_right_code_and_no_popup(
    tiny: EditorClient, method: str, params: Any, code: int
) -> None:
    await tiny.start()
    with pytest.raises(LspError) as error:
        await tiny.request(method, params, within=1)
    assert error.value.code == code
    assert error.value.data is None
    await works(tiny)
    assert tiny.notifications("window/showMessage") == []


async def test_invalid_params_name_the_field_as_json_has_it(tiny: EditorClient) -> None:
    await tiny.start()
    with pytest.raises(LspError, match=r"textDocument/hover.*textDocument"):
        await tiny.request("textDocument/hover", {"position": {"line": 0, "character": 0}})


async def test_params_nested_without_end_are_refused_by_id(tiny: EditorClient) -> None:
    await tiny.start()
    params: Any = {}
    for _ in range(400):
        params = {"a": params}
    with pytest.raises(LspError) as error:
        await tiny.request("tiny/echo", params)
    assert error.value.code == -32600
    await works(tiny)


async def test_params_nested_as_deep_as_people_nest_are_taken(tiny: EditorClient) -> None:
    await tiny.start()
    params: Any = {}
    for _ in range(200):
        params = {"a": params}
    assert await tiny.request("tiny/echo", params) == params


@pytest.mark.parametrize("method", ["tiny/echo", "shutdown", "workspace/executeCommand", "textDocument/hover", "zap"])
async def test_a_request_before_initialize_is_refused(tiny: EditorClient, method: str) -> None:
    await tiny.open()
    with pytest.raises(LspError) as error:
        await tiny.request(method, {}, within=1)
    assert error.value.code == -32002
    await tiny.start()
    await works(tiny)


async def test_a_notification_before_initialize_is_ignored(tiny: EditorClient, server: TinyServer) -> None:
    await tiny.open()
    await tiny.notify("tiny/note", {"early": True})
    await tiny.start()
    await works(tiny)
    assert server.received == []


@pytest.mark.parametrize("method", ["tiny/echo", "initialize", "shutdown", "workspace/executeCommand", "zap"])
async def test_a_request_after_shutdown_is_refused(tiny: EditorClient, method: str) -> None:
    await tiny.start()
    await tiny.request("shutdown")
    with pytest.raises(LspError) as error:
        await tiny.request(method, {}, within=1)
    assert error.value.code == -32600
    await tiny.notify("exit")
    assert await tiny.wait_closed() == 0


async def test_an_initialize_that_fails_can_be_tried_again(tiny: EditorClient) -> None:
    await tiny.open()
    with pytest.raises(LspError) as error:
        await tiny.request("initialize", 5)
    assert error.value.code == -32602
    await tiny.start()
    await works(tiny)


@pytest.mark.parametrize("command", ["tiny.fail", "tiny.quit"])
async def test_an_exception_becomes_one_clean_message_and_its_detail_goes_to_the_log(
    tiny: EditorClient, command: str, caplog: pytest.LogCaptureFixture
) -> None:
    await tiny.start()
    with pytest.raises(LspError) as error:
        await tiny.command(command)
    assert error.value.code == -32603
    assert error.value.data is None
    told = json.dumps([error.value.message, tiny.notifications("window/showMessage")])
    assert not any(leak in told for leak in (SECRET, "Traceback", "RuntimeError", ".py", "SystemExit"))
    assert "Traceback" in caplog.text
    await works(tiny)


async def test_an_exception_in_a_notification_stays_in_the_log(tiny: EditorClient) -> None:
    await tiny.start()
    await tiny.notify("tiny/failingNote", {})
    await works(tiny)
    assert tiny.notifications("window/showMessage") == []


async def test_a_known_failure_is_told_with_its_code_kind_and_hint(tiny: EditorClient) -> None:
    await tiny.start()
    with pytest.raises(LspError) as error:
        await tiny.command("tiny.refuse")
    assert (error.value.code, error.value.message) == (-32803, "docs: you said no.")
    assert error.value.data == {"kind": "denied", "server": "docs", "tool": "t"}
    with pytest.raises(LspError) as error:
        await tiny.command("tiny.refuse", slow=True)
    assert error.value.data["setting"] == "timeout"
    assert error.value.message == "docs: no answer within 60 s. Raise it."


@pytest.mark.parametrize(
    ("kind", "result"),
    [
        ("none", None),
        ("nan", {"a": [None, None, None, 1.5]}),
        ("surrogate", {"�": "x�y", "pair": "😀"}),
        ("big", 9007199254740993),
        ("huge", 2**200),
        ("set", [1]),
    ],
)
async def test_a_result_is_strict_json(tiny: EditorClient, kind: str, result: Any) -> None:
    await tiny.start()
    assert await tiny.command("tiny.result", kind=kind) == result


@pytest.mark.parametrize("kind", ["object", "deep"])
async def test_a_result_that_is_no_json_is_an_error_and_not_silence(tiny: EditorClient, kind: str) -> None:
    await tiny.start()
    with pytest.raises(LspError) as error:
        await tiny.command("tiny.result", kind=kind)
    assert error.value.code == -32603
    await works(tiny)


async def test_a_result_of_an_lsp_class_is_written_in_camel_case(tiny: EditorClient) -> None:
    await tiny.start()
    position = {"textDocument": {"uri": "untitled:1"}, "position": {"line": 0, "character": 3}}
    assert await tiny.request("textDocument/hover", position) == {"contents": {"kind": "plaintext", "value": "3"}}


@pytest.mark.parametrize("number", [99, "x", "1", 1.5, -1])
async def test_a_response_to_nothing_is_ignored(tiny: EditorClient, number: Any) -> None:
    await tiny.start()
    for reply in ({"result": 1}, {"error": {"code": 1, "message": "x"}}, {"error": "odd"}, {"result": None}):
        await tiny.send(frame({"jsonrpc": "2.0", "id": number, **reply}))
    await works(tiny)
    assert tiny.unreadable == []


async def test_a_response_under_the_id_of_a_running_request_does_not_touch_it(tiny: EditorClient) -> None:
    await tiny.start()
    call = await tiny.begin("tiny/hang", {})
    await tiny.send(frame({"jsonrpc": "2.0", "id": call.id, "result": "forged"}))
    await works(tiny)
    assert not call.future.done()


@pytest.mark.parametrize("error", [{"code": -1, "message": "no"}, {}, {"code": "x"}, "odd", [], 5])
async def test_an_error_of_the_editor_in_any_shape_reaches_the_asker(tiny: EditorClient, error: Any) -> None:
    await tiny.start()
    tiny.answer("tiny/question", SILENCE)
    call = await tiny.begin_command("tiny.ask")
    await tiny.wait_for("tiny/question")
    await tiny.send(frame({"jsonrpc": "2.0", "id": 1, "error": error}))
    with pytest.raises(LspError):
        await call
    await works(tiny)


async def test_a_response_without_a_result_is_null(tiny: EditorClient) -> None:
    await tiny.start()
    tiny.answer("tiny/question", SILENCE)
    call = await tiny.begin_command("tiny.ask")
    await tiny.wait_for("tiny/question")
    await tiny.send(frame({"jsonrpc": "2.0", "id": 1}))
    assert await call is None


async def test_messages_in_one_portion_or_byte_by_byte_are_the_same(tiny: EditorClient, server: TinyServer) -> None:
    await tiny.start()
    notes = [frame({"jsonrpc": "2.0", "method": "tiny/note", "params": {"n": n}}) for n in range(5)]
    await tiny.send(b"".join(notes))
    for byte in notes[0]:
        await tiny.send(bytes([byte]))
    await works(tiny)
    assert server.received == [{"n": n} for n in [0, 1, 2, 3, 4, 0]]


async def test_a_whole_session_in_one_portion_is_served_in_order(tiny: EditorClient) -> None:
    await tiny.open()
    messages = [
        {"id": "a", "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {
            "textDocument": {"uri": "untitled:1", "languageId": "x", "version": 1, "text": "a\n"}}},
        {"method": "exit"},
    ]  # fmt: skip
    tiny._settle = lambda message: None  # type: ignore[method-assign]  # ids of our own
    await tiny.send(b"".join(frame({"jsonrpc": "2.0", **message}) for message in messages))
    assert await tiny.wait_closed() == 1

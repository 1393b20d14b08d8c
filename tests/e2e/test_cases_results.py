"""Real-world cases of results (RES): what tools answer, as the editor gets it, in strict JSON and in time."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from e2e.kit import Listed, Table, call, refusal, status, until, up
from e2e.scripts import calls, scripted
from editor_client import EditorClient

pytestmark = pytest.mark.anyio

STRICT = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


SHOWN: dict[str, tuple[Any, str]] = {
    # RES-05 and RES-10
    "structured_only": ({"structuredContent": {"rows": 3}}, '"rows": 3'),
    "structured_empty_content": ({"content": [], "structuredContent": {"rows": 3}}, '"rows": 3'),
    "structured_list": ({"content": [], "structuredContent": [1, 2]}, "2"),
    "structured_number": ({"structuredContent": 7}, "7"),
    "structured_null": ({"content": [text("x")], "structuredContent": None}, "x"),
    "structured_and_empty_text": ({"content": [text("")], "structuredContent": {"rows": 3}}, '"rows": 3'),
    "empty": ({"content": []}, "(no output)"),
    "empty_text": ({"content": [text("")]}, "(no output)"),
    "blank_text": ({"content": [text(" \n ")]}, "(no output)"),
    "nothing_at_all": ({}, "(no output)"),
    "null_content": ({"content": None}, "(no output)"),
    "meta_only": ({"_meta": {"a": 1}}, "(no output)"),
    # RES-06: blocks that are unknown, incomplete or of the wrong kind
    "video": ({"content": [{"type": "video", "data": "AA", "mimeType": "video/mp4"}, text("still here")]},
              "[unsupported content: video]\n\nstill here"),
    "image_without_mime": ({"content": [{"type": "image", "data": PNG}, text("still here")]}, "still here"),
    "null_text": ({"content": [{"type": "text", "text": None}, text("still here")]}, "still here"),
    "number_text": ({"content": [{"type": "text", "text": 7}, text("still here")]}, "7\n\nstill here"),
    "no_type": ({"content": [{"text": "bare"}, text("still here")]}, "still here"),
    "null_block": ({"content": [None, text("still here")]}, "still here"),
    "text_block": ({"content": ["bare", text("still here")]}, "still here"),
    "number_block": ({"content": [7, text("still here")]}, "still here"),
    "content_text": ({"content": "bare"}, "bare"),
    "content_object": ({"content": text("bare")}, "bare"),
    "result_text": ("bare", "bare"),
    "annotations_list": ({"content": [{**text("still here"), "annotations": []}]}, "still here"),
    "meta_list": ({"content": [{**text("still here"), "_meta": [1]}], "_meta": [1]}, "still here"),
    "audio_without_data": ({"content": [{"type": "audio"}, text("still here")]}, "still here"),
    "tool_use": ({"content": [{"type": "tool_use", "id": "x"}, text("still here")]}, "still here"),
    "is_error_text": ({"content": [text("x")], "isError": "false"}, "x"),
    # RES-07 and RES-08
    "image": ({"content": [{"type": "image", "data": PNG, "mimeType": "image/png"}]}, "[image/png, 70 B]"),
    "bad_base64": ({"content": [{"type": "image", "data": "!!!", "mimeType": "image/png"}, text("still")]},
                   "not valid base64"),
    "audio": ({"content": [{"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}]}, "[audio/wav, 3 B]"),
    "data_url": ({"content": [{"type": "image", "data": f"data:image/png;base64,{PNG}", "mimeType": "image/png"}]},
                 "[image/png, 70 B]"),
    "blob": ({"content": [{"type": "resource", "resource": {"uri": "f://x", "blob": "/9j/AA=="}}]},
             "[application/octet-stream, 4 B]"),
    "text_blob": ({"content": [{"type": "resource", "resource":
                                {"uri": "f://x", "blob": "aGk=", "mimeType": "text/plain"}}]}, "hi"),
    "link": ({"content": [{"type": "resource_link", "uri": "weird uri (1)", "name": "n"}]}, "weird uri (1)"),
    "link_without_name": ({"content": [{"type": "resource_link", "uri": "http://169.254.169.254/latest"}]},
                          "http://169.254.169.254/latest"),
    "link_to_a_file": ({"content": [{"type": "resource_link", "uri": "file:///etc/passwd", "name": "n"}]},
                       "file:///etc/passwd"),
    "embedded": ({"content": [{"type": "resource", "resource": {"uri": "x://a", "text": "T"}}]}, "T"),
    "embedded_nothing": ({"content": [{"type": "resource", "resource": {"uri": "x://a"}}]}, "x://a"),
    "embedded_text": ({"content": [{"type": "resource", "resource": "x"}, text("still here")]}, "still here"),
    # texts
    "escape_codes": ({"content": [text("\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link")]}, "red"),
    "two_texts": ({"content": [text("a"), text("b")]}, "a\n\nb"),
    "separators": ({"content": [text("a\u2028b\u0085c")]}, "a"),
}  # fmt: skip


async def test_whatever_a_tool_answers_is_a_result_that_can_be_read(editor: EditorClient, workspace: Path) -> None:
    """RES-05 to RES-08 and RES-10: nothing that can be shown is lost, and nothing is fetched."""
    await up(editor, workspace, {"s": scripted("list=reply", autoApprove=["*"])})
    table = Table()
    for name, (result, expected) in SHOWN.items():
        with table.case(name):
            found = await call(editor, "s", "reply", result=result)
            assert expected in found["text"], found
            assert found["isError"] is False
            assert PNG[:20] not in found["text"]
            assert "\x1b" not in found["text"]
    table.judge()
    assert (await status(editor, "s"))["restarts"] == 0


SCHEMED: dict[str, tuple[Any, bool, str, bool]] = {
    # RES-03 and RES-04: result, whether it is an error, what is read, whether there is a warning
    "error": ({"isError": True, "content": [text("auth failed")], "structuredContent": {"code": 1}},
              True, "auth failed", False),
    "error_without_text": ({"isError": True, "content": []}, True, "(no output)", False),
    "no_structure": ({"content": [text("ok")]}, False, "ok", True),
    "other_structure": ({"content": [], "structuredContent": {"b": 1}}, False, '"b"', True),
    "wrong_type": ({"content": [text("ok")], "structuredContent": {"a": 1}}, False, "ok", True),
    "null_structure": ({"content": [text("ok")], "structuredContent": None}, False, "ok", True),
    "list_structure": ({"content": [text("ok")], "structuredContent": [1]}, False, "ok", True),
    "right": ({"content": [text("ok")], "structuredContent": {"a": "x"}}, False, "ok", False),
    "more_than_asked": ({"content": [text("ok")], "structuredContent": {"a": "x", "b": [None]}}, False, "ok", False),
    "nothing": ({}, False, "(no output)", True),
}  # fmt: skip


async def test_an_output_schema_that_is_not_met_is_a_warning(editor: EditorClient, workspace: Path) -> None:
    """RES-03 and RES-04: on the first page and on a later one, for a tool that is listed with a strict schema."""
    await up(editor, workspace, {"s": scripted(f"output_schema={json.dumps(STRICT)}", autoApprove=["*"])})
    table = Table()
    for name, (result, failed, shown, warned) in SCHEMED.items():
        with table.case(name):
            found = await call(editor, "s", "echo", result=result)
            assert found["isError"] is failed
            assert shown in found["text"]
            assert bool(found.get("warnings")) is warned, found
    table.judge()


ENDS: dict[str, tuple[str, str | None]] = {
    # RES-13: the raw answer, and the text of the result, or None for a named error
    "list": ('{"jsonrpc":"2.0","id":ID,"result":[]}', "(no output)"),
    "null": ('{"jsonrpc":"2.0","id":ID,"result":null}', None),
    "number": ('{"jsonrpc":"2.0","id":ID,"result":7}', None),
    "true": ('{"jsonrpc":"2.0","id":ID,"result":true}', None),
    "neither": ('{"jsonrpc":"2.0","id":ID}', None),
    "text_error": ('{"jsonrpc":"2.0","id":ID,"error":"text"}', None),
    "null_error": ('{"jsonrpc":"2.0","id":ID,"error":null}', None),
    "list_error": ('{"jsonrpc":"2.0","id":ID,"error":[1]}', None),
    "error_without_code": ('{"jsonrpc":"2.0","id":ID,"error":{"message":"boom"}}', None),
    "error_text_code": ('{"jsonrpc":"2.0","id":ID,"error":{"code":"E_FAIL","message":"boom"}}', None),
    "error_32000": ('{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"boom"}}', None),
    "error_32001": ('{"jsonrpc":"2.0","id":ID,"error":{"code":-32001,"message":"boom"}}', None),
    "both": ('{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"error":{"code":1,"message":"boom"}}', None),
    "both_null": ('{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"error":null}', "(no output)"),
    # RES-12 and RES-11
    "lone_surrogate": ('{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"a\\ud800b"}]}}', "a\ufffdb"),
    "low_surrogate": ('{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"\\udc00"}]}}', "\ufffd"),
    "surrogate_key": ('{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"\\ud800":1}}}', "\ufffd"),
    "pair": ('{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"\\ud83d\\ude00"}]}}', "😀"),
    "nan": ('{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"v":NaN,"w":Infinity,"x":-Infinity}}}', "v"),
    "huge_float": ('{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"v":1e400}}}', "v"),
    "huge_integer": ('{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"v":%s}}}' % ("9" * 5000), "v"),
    "big_integer": ('{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"v":9007199254740993}}}', "9007199254740993"),
    "nul": ('{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"a\\u0000b"}]}}', "a"),
    "raw_controls": ('{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"a\tb"}]}}', "a\tb"),
    "duplicate_keys": ('{"jsonrpc":"2.0","id":ID,"result":{"content":[],"content":[{"type":"text","text":"last"}]}}', "last"),
    "trailing_comma": ('{"jsonrpc":"2.0","id":ID,"result":{"content":[],}}', None),
    "no_jsonrpc": ('{"id":ID,"result":{"content":[{"type":"text","text":"x"}]}}', "x"),
    "text_id": ('{"jsonrpc":"2.0","id":"ID","result":{"content":[{"type":"text","text":"x"}]}}', "x"),
    "batch": ('[{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"x"}]}}]', "x"),
    "deep": ('{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"v":%s}}}' % ("[" * 5000 + "]" * 5000), None),
    "deep_100": ('{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"x"}],"structuredContent":{"v":%s}}}' % ("[" * 90 + "]" * 90), "x"),
}  # fmt: skip


async def test_every_answer_ends_its_call_soon_and_in_strict_json(editor: EditorClient, workspace: Path) -> None:
    """RES-11 to RES-13 and LSP-10: a result or a named error, and never a wait until the timeout."""
    await up(editor, workspace, {"s": scripted("list=raw,echo", autoApprove=["*"])})
    table = Table()
    for name, (answer, shown) in ENDS.items():
        with table.case(name):
            began = time.monotonic()
            if shown is None:
                failed = await refusal(call(editor, "s", "raw", text=answer))
                assert failed.code == -32803
                assert failed.data["kind"] in ("protocol", "serverError"), failed.data
                assert failed.message.startswith("s: ")
                assert "boom" in failed.message or "boom" not in answer
            else:
                found = await call(editor, "s", "raw", text=answer)
                assert shown in found["text"], found
            assert time.monotonic() - began < 5
    table.judge()
    assert (await call(editor, "s", "echo", text="later"))["text"] == "later"


async def test_values_keep_their_kind_in_both_directions(editor: EditorClient, workspace: Path, tmp_path: Path) -> None:
    """RES-02: null, big integers, floats that are whole, nested emptiness, text that looks like a number."""
    seen = tmp_path / "log"
    await up(editor, workspace, {"s": scripted("list=reply", f"log={seen}", autoApprove=["*"])})
    value = {
        "n": None, "i": 9007199254740993, "f": 1.0, "o": {"a": [{}]}, "s": "1", "u": "😀", "neg": -(2**70),
        "t": True, "e": "", "l": [None, [], {}], "id": 1, "method": "x", "jsonrpc": "1", "class": "c", "params": {"id": 2},
        "_meta": {"progressToken": "mine"}, "__proto__": {"x": 1}, "é\u2028": "\u0000",
    }  # fmt: skip
    found = await call(editor, "s", "reply", result={"content": [], "structuredContent": value}, value=value)
    assert calls(seen)[0]["arguments"]["value"] == value
    assert isinstance(calls(seen)[0]["arguments"]["value"]["f"], float)
    assert found["structuredContent"] == value


async def test_a_changed_output_schema_holds_from_the_next_list_on(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """RES-14: also for a tool on the second page."""
    listed = Listed(tmp_path / "lists")

    def kind(name: str) -> dict[str, Any]:
        schema = {"type": "object", "properties": {"v": {"type": name}}, "required": ["v"]}
        return {"name": "echo", "inputSchema": {"type": "object"}, "outputSchema": schema}

    listed.tools("changed", kind("integer"))
    await up(editor, workspace, {
        "s": scripted(listed.word, autoApprove=["*"]),
        "paged": scripted("list=a,b,c,d", "page=2", f"output_schema={json.dumps(STRICT)}", autoApprove=["*"]),
    }, answers={"codeagent/approveCall": {"decision": "once"}})  # fmt: skip
    assert not (await call(editor, "s", "echo", text="x", structured={"v": 1})).get("warnings")
    assert (await call(editor, "s", "echo", text="x", structured={"v": "x"}))["warnings"]
    listed.tools("changed", kind("string"), "new")
    await call(editor, "s", "changed")
    await until(editor, "s", lambda found: found["tools"] == 3)
    assert not (await call(editor, "s", "echo", text="x", structured={"v": "x"})).get("warnings")
    assert (await status(editor, "paged"))["tools"] == 5
    assert not (await call(editor, "paged", "echo", text="x", structured={"a": "x"})).get("warnings")

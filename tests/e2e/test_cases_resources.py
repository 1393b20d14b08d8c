"""Real-world cases of resources and prompts (RSC): partial servers, pages, URIs, incomplete entries, arguments."""

import json
from pathlib import Path
from typing import Any

import pytest

from e2e.kit import Listed, Table, log, refusal, status, tools, up
from e2e.scripts import requests, scripted
from editor_client import EditorClient

pytestmark = pytest.mark.anyio


def error(code: int) -> str:
    return json.dumps({"error": {"code": code, "message": "Method not found"}})


async def test_a_list_that_a_server_does_not_have_costs_none_of_the_others(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """RSC-01: -32601, -32602 and other codes for each list; and nothing is asked that was not offered."""
    methods = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
    codes = (-32601, -32602, -32603, -32600, -32000, 0)
    entries = {}
    for number, code in enumerate(codes):
        for method in methods:
            if code in (-32601, -32602) or method == methods[number % 4]:
                name = f"{method.replace('/', '_')}{code}"
                listed = Listed(tmp_path / name)
                listed.put(method, error(code))
                entries[name] = scripted(listed.word)
    none, asked = json.dumps({"capabilities": {}}), tmp_path / "asked"
    only = json.dumps({"capabilities": {"resources": {}}})
    entries |= {
        "nothing": scripted(f"init={none}", f"log={asked}"),
        "resources_only": scripted(f"init={only}", f"log={tmp_path / 'only'}"),
    }
    await up(editor, workspace, entries)
    table = Table()
    for name in entries:
        with table.case(name):
            found = await status(editor, name)
            assert found["state"] == "ready", found
            assert "error" not in found
            if name.startswith(methods[0].replace("/", "_")):
                assert found["tools"] == 0 and found["resources"] == 1
            elif "list" in name:
                assert found["tools"] == 1
            if "-32601" in name:
                assert "listErrors" not in found
    table.judge()
    assert {item["method"] for item in requests(asked)} <= {
        "server/discover",
        "initialize",
        "notifications/initialized",
    }
    lists = {item["method"] for item in requests(tmp_path / "only") if "list" in item["method"]}
    assert lists == {"resources/list", "resources/templates/list"}


@pytest.mark.parametrize("cursors", [["p2", "p3"], ["", "x"], ["é\u2028", "2"], ["0", "00"]])
async def test_every_page_of_every_list_is_there_in_order(
    editor: EditorClient, workspace: Path, tmp_path: Path, cursors: list[str]
) -> None:
    """RSC-02: three pages each; any text is a cursor."""
    await up(editor, workspace, {"s": scripted("tools=7", "page=3"), "paged": _paged(tmp_path, cursors)})
    assert list(await tools(editor, "s")) == [f"tool_{number}" for number in range(7)]
    found = await editor.command("codeagent.listResources", server="paged")
    assert [item["uri"] for item in found["resources"]] == ["x://0", "x://1", "x://2"]
    assert [item["uriTemplate"] for item in found["templates"]] == ["y://0{a}", "y://1{a}", "y://2{a}"]
    prompts = (await editor.command("codeagent.listPrompts", server="paged"))["prompts"]
    assert [item["name"] for item in prompts] == ["p0", "p1", "p2"]
    assert list(await tools(editor, "paged")) == ["t0", "t1", "t2"]


def _paged(folder: Path, cursors: list[str]) -> dict[str, Any]:
    """A server whose lists have one item a page, under cursors of our choice."""
    pages = {
        "tools/list": ("tools", lambda n: {"name": f"t{n}", "inputSchema": {"type": "object"}}),
        "resources/list": ("resources", lambda n: {"uri": f"x://{n}", "name": str(n)}),
        "resources/templates/list": ("resourceTemplates", lambda n: {"uriTemplate": f"y://{n}{{a}}", "name": str(n)}),
        "prompts/list": ("prompts", lambda n: {"name": f"p{n}"}),
    }
    listed = Listed(folder / "paged")
    for method, (member, make) in pages.items():
        for number, cursor in enumerate([None, *cursors]):
            onward = {"nextCursor": cursors[number]} if number < len(cursors) else {}
            name = method if cursor is None else f"{method}@{cursor.encode().hex()}"
            listed.put(name, {member: [make(number)], **onward})
    return scripted(listed.word)


URIS = (
    "users/me", "HTTP://EXAMPLE.com", "x://A B(1)@é?q=1#f", "note://host", "f:///a%2Fb", "f:///a%2fb", "x://é",
    "x://e\u0301", "file:///C:/x", "c:\\windows", "urn:uuid:1", "x://a//b/../c", "http://h:80/", "http://h", "x:%zz",
    "x://[::1]/", " x://lead", "x://trail ", "data:text/plain,hi", "x://" + "l" * 3000, "git@github.com:a/b", "x://a\tb",
    "http://u:p@h/", "x://a#", "x://a?", "é", "😀://x",
)  # fmt: skip


async def test_what_is_read_is_the_listed_uri_byte_for_byte(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """RSC-04."""
    listed, seen = Listed(tmp_path / "lists"), tmp_path / "log"
    listed.put("resources/list", {"resources": [{"uri": uri, "name": "n"} for uri in URIS]})
    await up(editor, workspace, {"s": scripted(listed.word, f"log={seen}")})
    found = await editor.command("codeagent.listResources", server="s")
    assert [item["uri"] for item in found["resources"]] == list(URIS)
    assert len({item["documentUri"] for item in found["resources"]}) == len(URIS)
    for uri in URIS:
        read = await editor.command("codeagent.readResource", server="s", uri=uri)
        assert read["uri"] == uri
    for item in found["resources"]:
        await editor.command("codeagent.readResource", mention=item["mention"])
    sent = [message["params"]["uri"] for message in requests(seen) if message.get("method") == "resources/read"]
    assert sent == [*URIS, *URIS]


async def test_an_incomplete_entry_costs_no_other(editor: EditorClient, workspace: Path, tmp_path: Path) -> None:
    """RSC-07 and RSC-08: resources, templates and prompts; the same URI twice is one item."""
    listed = Listed(tmp_path / "lists")
    listed.put("resources/list", {"resources": [
        {"uri": "a://1", "name": "ok"}, {"uri": "a://2"}, {"name": "x"}, {"uri": 7, "name": "y"}, None, "a://3", [],
        {"uri": "a://1", "name": "again"}, {"uri": "a://4", "name": "ok"}, {"uri": "a://5", "name": 7, "mimeType": 5,
         "size": "many", "annotations": {"priority": 99}}, {"uri": "a://6", "name": None, "title": None},
    ]})  # fmt: skip
    listed.put("resources/templates/list", {"resourceTemplates": [
        {"uriTemplate": "x://{id}", "name": "t"}, {"uriTemplate": "x://{"}, {"name": "x"}, {"uriTemplate": 7}, None,
    ]})  # fmt: skip
    listed.put("prompts/list", {"prompts": [
        {"name": "ok"}, {"name": 7}, {}, None, {"name": "null", "arguments": None}, {"name": "text", "arguments": "x"},
        {"name": "some", "arguments": [{"name": "a", "required": "yes"}, {"description": "x"}, None, {"name": 7}]},
    ]})  # fmt: skip
    await up(editor, workspace, {"s": scripted(listed.word)})
    found = await editor.command("codeagent.listResources", server="s")
    assert [item["uri"] for item in found["resources"]] == ["a://1", "a://2", "a://4", "a://5", "a://6"]
    assert next(item for item in found["resources"] if item["uri"] == "a://2")["name"] == "a://2"
    assert [item["uriTemplate"] for item in found["templates"]] == ["x://{id}", "x://{"]
    prompts = (await editor.command("codeagent.listPrompts", server="s"))["prompts"]
    assert [item["name"] for item in prompts] == ["ok", "null", "text", "some"]
    assert all(isinstance(item["arguments"], list) for item in prompts)
    assert len([line for line in await log(editor, "s") if line["level"] == "warning"]) >= 3
    assert (await status(editor, "s"))["state"] == "ready"


async def test_ten_thousand_resources_are_listed(editor: EditorClient, workspace: Path, tmp_path: Path) -> None:
    """RSC-08."""
    listed = Listed(tmp_path / "lists")
    listed.put("resources/list", {"resources": [{"uri": f"x://{n}", "name": f"n{n % 10}"} for n in range(10_000)]})
    await up(editor, workspace, {"s": scripted(listed.word)})
    found = await editor.command("codeagent.listResources", server="s")
    assert len(found["resources"]) == 10_000


async def test_prompt_arguments_are_text_on_the_wire(editor: EditorClient, workspace: Path, tmp_path: Path) -> None:
    """RSC-10: numbers and booleans become text, null is left out, a missing one is named."""
    listed, seen = Listed(tmp_path / "lists"), tmp_path / "log"
    listed.put("prompts/list", {"prompts": [
        {"name": "p", "arguments": [{"name": "n", "required": True}, {"name": "b"}, {"name": "z"}]},
        {"name": "bare", "arguments": None},
    ]})  # fmt: skip
    await up(editor, workspace, {"s": scripted(listed.word, f"log={seen}")})
    given = {"n": 3, "b": True, "z": None, "f": 1.5, "e": "", "off": False, "big": 2**60}
    await editor.command("codeagent.getPrompt", server="s", name="p", arguments=given)
    await editor.command("codeagent.getPrompt", server="s", name="bare")
    sent = [message["params"] for message in requests(seen) if message.get("method") == "prompts/get"]
    expected = {"n": "3", "b": "true", "f": "1.5", "e": "", "off": "false", "big": str(2**60)}
    assert sent[0]["arguments"] == expected
    assert sent[1].get("arguments", {}) == {}
    for wrong in ({}, {"n": None}, {"b": "x"}):
        failed = await refusal(editor.command("codeagent.getPrompt", server="s", name="p", arguments=wrong))
        assert failed.code == -32602
        assert "`n`" in failed.message
    for wrong in ({"n": []}, {"n": {"a": 1}}):
        failed = await refusal(editor.command("codeagent.getPrompt", server="s", name="p", arguments=wrong))
        assert failed.code == -32602 and "`n`" in failed.message
    assert len([message for message in requests(seen) if message.get("method") == "prompts/get"]) == 2


MESSAGES: dict[str, tuple[Any, str]] = {
    "system": ({"messages": [{"role": "system", "content": {"type": "text", "text": "a"}},
                             {"role": "user", "content": {"type": "text", "text": "b"}}]}, "b"),
    "no_role": ({"messages": [{"content": {"type": "text", "text": "b"}}]}, "b"),
    "image": ({"messages": [{"role": "user", "content": {"type": "image", "data": "AAAA", "mimeType": "image/png"}},
                            {"role": "user", "content": {"type": "text", "text": "b"}}]}, "[image/png, 3 B]"),
    "content_list": ({"messages": [{"role": "user", "content": [{"type": "text", "text": "a"},
                                                                {"type": "text", "text": "b"}]}]}, "b"),
    "content_text": ({"messages": [{"role": "user", "content": "b"}]}, "b"),
    "unknown_block": ({"messages": [{"role": "user", "content": {"type": "video"}},
                                    {"role": "user", "content": {"type": "text", "text": "b"}}]}, "b"),
    "null_message": ({"messages": [None, {"role": "user", "content": {"type": "text", "text": "b"}}]}, "b"),
    "none": ({"messages": []}, ""),
    "absent": ({}, ""),
    "embedded": ({"messages": [{"role": "user", "content": {"type": "resource", "resource":
                                                            {"uri": "x://a", "text": "b"}}}]}, "b"),
}  # fmt: skip


async def test_prompts_of_any_shape_arrive(editor: EditorClient, workspace: Path, tmp_path: Path) -> None:
    """RSC-10: roles that MCP does not know, images, lists, what is missing."""
    listed = Listed(tmp_path / "lists")
    await up(editor, workspace, {"s": scripted(listed.word)})
    table = Table()
    for name, (result, shown) in MESSAGES.items():
        with table.case(name):
            listed.put("prompts/get", result)
            found = await editor.command("codeagent.getPrompt", server="s", name="p")
            assert shown in found["text"], found
    table.judge()


CONTENTS: dict[str, tuple[Any, Any]] = {
    "text": ({"contents": [{"uri": "a://1", "text": "hello"}]}, ("hello", None)),
    "blob": ({"contents": [{"uri": "a://1", "blob": "/9j/AA==", "mimeType": "image/jpeg"}]}, (None, "/9j/AA==")),
    "blob_without_mime": ({"contents": [{"uri": "a://1", "blob": "/9j/AA=="}]}, (None, "/9j/AA==")),
    "text_blob": ({"contents": [{"uri": "a://1", "blob": "aGk=", "mimeType": "text/plain"}]}, ("hi", None)),
    "data_url": ({"contents": [{"uri": "a://1", "blob": "data:image/png;base64,iVBORw0="}]}, (None, "iVBORw0=")),
    "bad_blob": ({"contents": [{"uri": "a://1", "blob": "!!!"}]}, ("not valid base64", None)),
    "no_uri": ({"contents": [{"text": "hello"}]}, ("hello", None)),
    "object": ({"contents": {"uri": "a://1", "text": "hello"}}, ("hello", None)),
    "number": ({"contents": [{"uri": "a://1", "text": 7}]}, ("7", None)),
    "null_text": ({"contents": [{"uri": "a://1", "text": None}, {"uri": "a://1", "text": "hello"}]}, ("hello", None)),
}  # fmt: skip


async def test_contents_of_any_shape_arrive(editor: EditorClient, workspace: Path, tmp_path: Path) -> None:
    """RES-07 for resources: text, blobs of any spelling, what is missing."""
    listed = Listed(tmp_path / "lists")
    await up(editor, workspace, {"s": scripted(listed.word)})
    table = Table()
    for name, (result, (text, blob)) in CONTENTS.items():
        with table.case(name):
            listed.put("resources/read", result)
            contents = (await editor.command("codeagent.readResource", server="s", uri="a://1"))["contents"]
            last = contents[-1]
            assert text is None or text in last["text"], contents
            assert blob is None or last["blob"] == blob, contents
            assert last["mimeType"]
    table.judge()


async def test_a_resource_that_is_not_there_names_the_nearest(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    listed = Listed(tmp_path / "lists")
    listed.put("resources/list", {"resources": [{"uri": "note://readme", "name": "readme"}]})
    await up(editor, workspace, {"s": scripted(listed.word)})
    for code in (-32002, -32602):
        listed.put("resources/read", error(code))
        failed = await refusal(editor.command("codeagent.readResource", server="s", uri="note://readmee"))
        assert failed.data["kind"] == "unknownResource"
        assert "note://readme" in failed.message

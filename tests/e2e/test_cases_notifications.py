"""Real-world cases of changing lists (NOT): heard, coalesced, snapshots, failing refreshes, the gate afterwards."""

import json
import time
from pathlib import Path
from typing import Any

import anyio
import pytest

from e2e.kit import Listed, call, eventually, refusal, status, tools, until, up
from e2e.scripts import alive, calls, requests, scripted
from editor_client import EditorClient

pytestmark = pytest.mark.anyio


def count(log: Path, method: str) -> int:
    return sum(message.get("method") == method for message in requests(log))


@pytest.mark.parametrize("kind", ["tools", "resources", "prompts"])
async def test_a_changed_list_is_there_soon_and_told_once(
    editor: EditorClient, workspace: Path, tmp_path: Path, kind: str
) -> None:
    """NOT-01: tools, resources and prompts."""
    items: dict[str, list[Any]] = {
        "tools": ["changed", "b"],
        "resources": [{"uri": "x://a", "name": "a"}, {"uri": "x://b", "name": "b"}],
        "prompts": [{"name": "a"}, {"name": "b"}],
    }
    listed = Listed(tmp_path / "lists")
    listed.tools("changed")
    await up(editor, workspace, {"s": scripted(listed.word, autoApprove=["*"])})
    editor.forget()
    if kind == "tools":
        listed.tools(*items["tools"])
    else:
        listed.put(f"{kind}/list", {kind: items[kind]})
    await call(editor, "s", "changed", kind=kind)
    told = await editor.wait_for(f"codeagent/{kind}Changed", within=10)
    assert told["server"] == "s"
    if kind == "tools":
        assert (told["added"], told["removed"], told["changed"]) == (["mcp__s__b"], [], [])
        assert (await call(editor, "s", "b"))["isError"] is False
    command, member, key = {
        "tools": ("codeagent.listTools", "tools", "tool"),
        "resources": ("codeagent.listResources", "resources", "uri"),
        "prompts": ("codeagent.listPrompts", "prompts", "name"),
    }[kind]
    found = {item[key] for item in (await editor.command(command, server="s"))[member]}
    assert {item if isinstance(item, str) else item[key] for item in items[kind]} <= found
    assert len(editor.notifications(f"codeagent/{kind}Changed")) == 1


async def test_a_storm_is_one_list_and_one_word_to_the_editor(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """NOT-02: a burst; and a server that announces a change in every answer to its own list."""
    listed, log, restless = Listed(tmp_path / "lists"), tmp_path / "log", tmp_path / "restless"
    listed.tools("changed")
    await up(editor, workspace, {
        "s": scripted(listed.word, f"log={log}", autoApprove=["*"]),
        "restless": scripted("restless", f"log={restless}"),
    })  # fmt: skip
    editor.forget()
    before = count(log, "tools/list")
    listed.tools("changed", "b")
    for _ in range(4):
        await call(editor, "s", "changed", times=200)
    await editor.wait_for("codeagent/toolsChanged", lambda params: params["server"] == "s", within=10)
    assert count(log, "tools/list") - before <= 2
    began, lists = time.monotonic(), count(restless, "tools/list")
    await anyio.sleep(2.5)
    assert count(restless, "tools/list") - lists <= (time.monotonic() - began) / 0.9 + 1
    assert len([told for told in editor.notifications("codeagent/toolsChanged") if told["server"] == "s"]) == 1
    assert not [told for told in editor.notifications("codeagent/toolsChanged") if told["server"] == "restless"]


async def test_a_list_replaces_the_one_before(editor: EditorClient, workspace: Path, tmp_path: Path) -> None:
    """NOT-04: what is gone is no longer offered, in every view, and is not sent."""
    listed, log = Listed(tmp_path / "lists"), tmp_path / "log"
    listed.tools("changed", "a", "b")
    await up(editor, workspace, {"s": scripted(listed.word, f"log={log}", autoApprove=["*"])})
    listed.tools("changed", "b", "c")
    await call(editor, "s", "changed")
    await editor.wait_for("codeagent/toolsChanged", lambda params: params["removed"], within=10)
    assert set(await tools(editor, "s")) == {"changed", "b", "c"}
    section = (await editor.command("codeagent.promptSection"))["text"]
    assert "mcp__s__c" in section and "mcp__s__a" not in section
    for given in ({"name": "mcp__s__a"}, {"server": "s", "tool": "a"}):
        failed = await refusal(editor.command("codeagent.callTool", **given))
        assert failed.data["kind"] == "unknownTool"
        assert "a" in failed.message
    assert [item["name"] for item in calls(log)] == ["changed"]


@pytest.mark.parametrize("trouble", ['{"error":{"code":-32603,"message":"database is locked"}}', "silent", "[]", "7"])
async def test_a_refresh_that_fails_keeps_the_list_and_says_so(
    editor: EditorClient, workspace: Path, tmp_path: Path, trouble: str
) -> None:
    """NOT-05: an error, silence, and what is no list; calls go on; the list comes back by itself."""
    listed = Listed(tmp_path / "lists")
    listed.tools("changed", "a")
    await up(editor, workspace, {"s": scripted(listed.word, timeout=1500, autoApprove=["*"])})
    listed.put("tools/list", trouble)
    await call(editor, "s", "changed")
    if trouble != "[]":  # a bare list is taken for the list
        found = await until(editor, "s", lambda found: "listErrors" in found)
        assert "tools" in found["listErrors"]
        assert set(await tools(editor, "s")) == {"changed", "a"}
        assert found["state"] == "ready"
        assert (await call(editor, "s", "a"))["isError"] is False
    listed.tools("changed", "a", "b")
    found = await until(editor, "s", lambda found: found["tools"] == 3 or trouble == "[]")
    assert "listErrors" not in found


async def test_what_the_user_switched_off_stays_off_whatever_the_server_says_of_it_later(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """NOT-07 and T35: off stays off; a changed definition is asked about again, with the difference."""
    listed, log = Listed(tmp_path / "lists"), tmp_path / "log"
    listed.tools("changed", "x", "y")
    asked: list[dict[str, Any]] = []

    def answer(params: dict[str, Any]) -> dict[str, Any]:
        asked.append(params)
        return {"decision": "session"}

    await up(editor, workspace, {"s": scripted(listed.word, f"log={log}", autoApprove=["changed"])},
             answers={"codeagent/approveCall": answer})  # fmt: skip
    await editor.command("codeagent.setEnabled", server="s", tool="x", enabled=False)
    await call(editor, "s", "y")
    await call(editor, "s", "y")
    assert len(asked) == 1
    new = {"description": "New words", "annotations": {"readOnlyHint": True}, "inputSchema": {"type": "object"}}
    listed.tools("changed", {"name": "x", **new}, {"name": "y", **new}, "z")
    await call(editor, "s", "changed")
    await until(editor, "s", lambda found: found["tools"] == 4)
    assert set(await tools(editor, "s")) == {"changed", "y", "z"}
    for _ in range(2):
        assert (await refusal(call(editor, "s", "x"))).data["kind"] == "disabled"
        assert (await refusal(editor.command("codeagent.callTool", name="mcp__s__x"))).data["kind"] == "disabled"
        await editor.command("codeagent.restart", server="s")
    await call(editor, "s", "y")
    assert len(asked) == 2
    assert {change["field"] for change in asked[1]["changed"]} >= {"description"}
    assert [item["name"] for item in calls(log)] == ["y", "y", "changed", "y"]


async def test_a_call_under_way_outlives_its_tool_and_not_its_server(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """NOT-08."""
    listed, log = Listed(tmp_path / "lists"), tmp_path / "log"
    listed.tools("changed", "slow")
    await up(editor, workspace, {"s": scripted(listed.word, f"log={log}", autoApprove=["*"])})
    pid = (await status(editor, "s"))["pid"]
    first = await editor.begin_command("codeagent.callTool", server="s", tool="slow", arguments={"seconds": 2})
    await eventually(lambda: calls(log))
    listed.tools("changed")
    await call(editor, "s", "changed")
    await until(editor, "s", lambda found: found["tools"] == 1)
    assert (await first)["text"] == "done"
    listed.tools("changed", "slow")
    await call(editor, "s", "changed")
    await until(editor, "s", lambda found: found["tools"] == 2)
    second = await editor.begin_command("codeagent.callTool", server="s", tool="slow", arguments={"seconds": 60})
    await eventually(lambda: len(calls(log)) == 4)
    await editor.command("codeagent.setEnabled", server="s", enabled=False)
    failed = await refusal(second)
    assert "stopped" in failed.message
    await eventually(lambda: not alive(pid))
    assert json.dumps(failed.data["server"]) == '"s"'

"""Calls of tools: arguments, results, progress, cancellation, and the gate in front of them."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from e2e.scripts import calls, requests, scripted, servers
from editor_client import EditorClient, LspError

pytestmark = pytest.mark.anyio


async def wait_for_request(log: Path, method: str, within: float = 5) -> dict[str, Any]:
    """Wait until the scripted server has been sent a message of this method."""
    with anyio.fail_after(within):
        while True:
            for message in requests(log):
                if message.get("method") == method:
                    return message
            await anyio.sleep(0.02)


async def start(editor: EditorClient, workspace: Path, *words: str, **more: Any) -> None:
    await editor.start(workspace, user_config=servers(s=scripted(*words, autoApprove=["*"], **more)))
    await editor.command("codeagent.listTools")


@pytest.mark.parametrize("given", [{}, {"arguments": None}, {"arguments": {}}])
async def test_a_call_without_arguments_sends_an_empty_object(
    editor: EditorClient, workspace: Path, tmp_path: Path, given: dict[str, Any]
) -> None:
    log = tmp_path / "log"
    await start(editor, workspace, f"log={log}")
    await editor.command("codeagent.callTool", server="s", tool="echo", **given)
    assert calls(log)[0]["arguments"] == {}


@pytest.mark.parametrize("wrong", ["", "{}", [], 7, True, "x", [{}]])
async def test_arguments_that_are_no_object_are_refused_and_not_sent(
    editor: EditorClient, workspace: Path, tmp_path: Path, wrong: Any
) -> None:
    log = tmp_path / "log"
    await start(editor, workspace, f"log={log}")
    with pytest.raises(LspError) as refused:
        await editor.command("codeagent.callTool", server="s", tool="echo", arguments=wrong)
    assert refused.value.code == -32602
    assert "must be an object" in refused.value.message
    assert calls(log) == []


async def test_arguments_reach_the_server_untouched(editor: EditorClient, workspace: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    await start(editor, workspace, f"log={log}")
    arguments = {
        "n": None,
        "i": 9007199254740993,
        "huge": 10**40,
        "f": 1.5,
        "o": {"a": [{}], "n": None},
        "s": "1",
        "u": "😀",
        "class": 1,
        "id": 2,
        "method": "x",
        "jsonrpc": "2.0",
        "_meta": {"a": 1},
        "": [],
    }
    await editor.command("codeagent.callTool", server="s", tool="echo", arguments=arguments)
    sent = calls(log)[0]["arguments"]
    assert sent == arguments
    assert list(sent) == list(arguments)


async def test_progress_is_shown_and_the_call_outlives_its_bound_by_it(editor: EditorClient, workspace: Path) -> None:
    await start(editor, workspace, "list=slow", timeout=1000)
    result = await editor.command("codeagent.callTool", token=7, server="s", tool="slow", arguments={"seconds": 2})
    assert result["isError"] is False
    shown = editor.progress(7)
    assert shown[0]["kind"] == "begin"
    assert "slow" in shown[0]["title"]
    assert shown[0]["cancellable"] is True
    assert any(value["kind"] == "report" and "percentage" in value for value in shown)
    assert shown[-1]["kind"] == "end"


async def test_a_call_that_is_never_answered_ends_at_its_bound(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    await start(editor, workspace, f"log={log}", "list=never")
    with pytest.raises(LspError) as failed:
        await editor.command("codeagent.callTool", server="s", tool="never", timeoutMs=300)
    assert failed.value.data["kind"] == "timeout"
    assert failed.value.data["setting"] == "timeout"
    assert failed.value.data["mayHaveTakenEffect"] is True
    cancelled = await wait_for_request(log, "notifications/cancelled")
    call = next(message for message in requests(log) if message.get("method") == "tools/call")
    assert cancelled["params"]["requestId"] == call["id"]
    result = await editor.command("codeagent.callTool", server="s", tool="echo", arguments={"text": "on"})
    assert result["text"] == "on"


async def test_a_cancelled_call_is_cancelled_at_the_server_too(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    await start(editor, workspace, f"log={log}", "list=never")
    call = await editor.begin_command("codeagent.callTool", server="s", tool="never")
    sent = await wait_for_request(log, "tools/call")
    await editor.cancel(call)
    with pytest.raises(LspError) as failed:
        await call
    assert failed.value.code == -32800
    cancelled = await wait_for_request(log, "notifications/cancelled")
    assert cancelled["params"]["requestId"] == sent["id"]
    result = await editor.command("codeagent.callTool", server="s", tool="echo", arguments={"text": "on"})
    assert result["text"] == "on"


async def test_a_tool_that_fails_is_a_result_and_no_error(editor: EditorClient, workspace: Path) -> None:
    await start(editor, workspace, "list=reply")
    wire = {"isError": True, "content": [{"type": "text", "text": "auth failed"}], "structuredContent": {"code": 1}}
    result = await editor.command("codeagent.callTool", server="s", tool="reply", arguments={"result": wire})
    assert result["isError"] is True
    assert result["text"] == "auth failed"


async def test_a_changed_list_is_read_once_and_told_once(editor: EditorClient, workspace: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    await editor.start(workspace, user_config=servers(s=scripted(f"log={log}", "flood=500")))
    await editor.command("codeagent.listTools")

    def lists() -> int:
        return sum(message.get("method") == "tools/list" for message in requests(log))

    with anyio.fail_after(5):
        while lists() < 2:
            await anyio.sleep(0.02)
    await editor.command("codeagent.restart", server="s")  # whatever the flood has set going is over
    assert lists() <= 5
    told = editor.notifications("codeagent/toolsChanged")
    assert [(bool(params["added"]), bool(params["removed"])) for params in told] == [(True, False)]


async def test_tools_of_resources_and_prompts_are_there_as_tools(editor: EditorClient, workspace: Path) -> None:
    await start(editor, workspace)
    tools = {tool["name"]: tool for tool in (await editor.command("codeagent.listTools"))["tools"]}
    assert tools["mcp__s__read_resource"]["kind"] == "readResource"
    listed = await editor.command("codeagent.callTool", name="mcp__s__list_resources")
    uri = listed["structuredContent"]["resources"][0]["uri"]
    read = await editor.command("codeagent.callTool", name="mcp__s__read_resource", arguments={"uri": uri})
    assert read["text"] == f"contents of {uri}"
    prompts = await editor.command("codeagent.callTool", name="mcp__s__list_prompts")
    name = prompts["structuredContent"]["prompts"][0]["name"]
    filled = await editor.command("codeagent.callTool", name="mcp__s__get_prompt", arguments={"name": name})
    assert name in filled["text"]


@pytest.mark.parametrize("answer", [None, {}, {"decision": "yes"}, {"decision": "workspac"}, [], "once", 7])
async def test_anything_but_a_clear_yes_is_a_no(
    editor: EditorClient, workspace: Path, tmp_path: Path, answer: Any
) -> None:
    log = tmp_path / "log"
    await editor.start(
        workspace, user_config=servers(s=scripted(f"log={log}")), answers={"codeagent/approveCall": answer}
    )
    await editor.command("codeagent.listTools")
    for words in ({"name": "mcp__s__echo"}, {"server": "s", "tool": "echo"}):
        with pytest.raises(LspError) as refused:
            await editor.command("codeagent.callTool", **words)
        assert refused.value.data["kind"] == "denied"
    assert calls(log) == []


async def test_an_editor_without_our_questions_is_asked_with_buttons(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    seen: list[dict[str, Any]] = []

    def press(params: dict[str, Any]) -> str:
        seen.append(params)
        return "Allow in this session"

    await editor.start(
        workspace, user_config=servers(s=scripted(f"log={log}")), answers={"window/showMessageRequest": press}
    )
    await editor.command("codeagent.listTools")
    for _ in range(2):
        await editor.command("codeagent.callTool", server="s", tool="echo", arguments={"text": "hi"})
    assert len(seen) == 1
    assert "echo" in seen[0]["message"]
    assert "hi" in seen[0]["message"]
    assert seen[0]["actions"][0]["title"] == "Deny"
    assert len(calls(log)) == 2


async def test_an_editor_that_can_ask_nothing_gets_a_no(editor: EditorClient, workspace: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    await editor.start(workspace, user_config=servers(s=scripted(f"log={log}")))
    await editor.command("codeagent.listTools")
    with pytest.raises(LspError) as refused:
        await editor.command("codeagent.callTool", server="s", tool="echo")
    assert refused.value.data["kind"] == "denied"
    assert "autoApprove" in refused.value.message
    assert calls(log) == []


async def test_a_disabled_tool_is_neither_listed_nor_called(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    await start(editor, workspace, f"log={log}")
    await editor.command("codeagent.setEnabled", server="s", tool="echo", enabled=False)
    assert "mcp__s__echo" not in [tool["name"] for tool in (await editor.command("codeagent.listTools"))["tools"]]
    shown = (await editor.command("codeagent.listTools", includeDisabled=True))["tools"]
    assert next(tool for tool in shown if tool["name"] == "mcp__s__echo")["enabled"] is False
    with pytest.raises(LspError) as refused:
        await editor.command("codeagent.callTool", server="s", tool="echo")
    assert refused.value.data["kind"] == "disabled"
    assert calls(log) == []


async def test_refreshing_costs_nothing_while_nothing_has_changed(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    await start(editor, workspace, f"log={log}", "instructions=Be kind.")
    first = await editor.command("codeagent.refreshTools", revision=0)
    assert first["changed"] is True
    assert first["instructions"] == "## s\n\nBe kind."
    before = len(requests(log))
    again = await editor.command("codeagent.refreshTools", revision=first["revision"])
    assert again == {"changed": False, "revision": first["revision"]}
    assert len(requests(log)) == before
    await editor.command("codeagent.setEnabled", server="s", tool="echo", enabled=False)
    assert (await editor.command("codeagent.refreshTools", revision=first["revision"]))["changed"] is True


async def test_lists_and_prompt_section_are_the_same_bytes_each_time(editor: EditorClient, workspace: Path) -> None:
    config = servers(b=scripted("tools=3"), a=scripted("instructions=Alpha."), c=scripted())
    await editor.start(workspace, user_config=config)
    listed = await editor.command("codeagent.listTools")
    section = await editor.command("codeagent.promptSection")
    assert json.dumps(listed) == json.dumps(await editor.command("codeagent.listTools"))
    assert section == await editor.command("codeagent.promptSection")
    assert [tool["server"] for tool in listed["tools"]] == sorted(tool["server"] for tool in listed["tools"])
    assert "- **mcp__a__echo**: " in section["text"]
    assert "## a\n\nAlpha." in section["text"]
    instructions = await editor.command("codeagent.instructions")
    assert instructions["servers"] == {"a": "Alpha."}


async def test_logs_are_kept_and_followed(editor: EditorClient, workspace: Path) -> None:
    await start(editor, workspace, "stderr=hello from stderr")
    lines = (await editor.command("codeagent.logs", server="s", lines=50, follow=True))["lines"]
    assert any(line["source"] == "stderr" and line["text"] == "hello from stderr" for line in lines)
    await editor.command("codeagent.callTool", server="s", tool="echo", arguments={"text": "confidential"})
    lines = (await editor.command("codeagent.logs", server="s", lines=50, follow=True))["lines"]
    assert any(line["level"] == "debug" and line["text"].startswith("tools/call echo: answered") for line in lines)
    assert not any("confidential" in line["text"] for line in lines)
    await editor.command("codeagent.restart", server="s")
    await editor.wait_for("codeagent/logMessage", lambda line: line["text"] == "hello from stderr")


async def test_a_server_that_asks_for_roots_gets_the_workspace_folders(editor: EditorClient, workspace: Path) -> None:
    await start(editor, workspace, "list=roots")
    result = await editor.command("codeagent.callTool", server="s", tool="roots")
    assert json.loads(result["text"])["result"]["roots"] == [{"uri": workspace.as_uri(), "name": "workspace"}]


async def test_a_question_of_a_server_reaches_the_user_and_its_answer_the_server(
    editor: EditorClient, workspace: Path
) -> None:
    editor.answer("codeagent/elicit", {"action": "accept", "content": {"name": "Ada"}})
    await start(editor, workspace, "list=elicit", timeout=2000)
    question = {
        "message": "Who\u202e?",
        "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
    }
    result = await editor.command("codeagent.callTool", server="s", tool="elicit", arguments={"params": question})
    assert json.loads(result["text"])["result"] == {"action": "accept", "content": {"name": "Ada"}}
    asked = next(params for method, params in editor.questions if method == "codeagent/elicit")
    assert asked["server"] == "s"
    assert asked["mode"] == "form"
    assert asked["message"] == "Who\\u{202E}?"


async def test_commands_that_come_later_say_so(editor: EditorClient, workspace: Path) -> None:
    await start(editor, workspace)
    for command, params in (("codeagent.signIn", {"server": "s"}), ("codeagent.signOut", {"server": "s"})):
        with pytest.raises(LspError) as refused:
            await editor.command(command, **params)
        assert refused.value.code == -32803
        assert "not there yet" in refused.value.message


async def test_a_flood_of_questions_opens_one_at_a_time(editor: EditorClient, workspace: Path) -> None:
    open_now, most = 0, 0

    async def answer(params: dict[str, Any]) -> dict[str, Any]:
        nonlocal open_now, most
        open_now += 1
        most = max(most, open_now)
        await anyio.sleep(0.02)
        open_now -= 1
        return {"action": "decline"}

    editor.answer("codeagent/elicit", answer)
    await start(editor, workspace, "list=elicit")
    question = {"params": {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}}
    running = [
        await editor.begin_command("codeagent.callTool", server="s", tool="elicit", arguments=question)
        for _ in range(30)
    ]
    said = [json.loads((await call)["text"])["result"]["action"] for call in running]
    assert most == 1
    assert said.count("cancel") >= 10
    assert said.count("decline") >= 5

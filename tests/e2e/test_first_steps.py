"""From an editor's first message to a tool's answer."""

from pathlib import Path

import pytest

from e2e.scripts import calls, scripted, servers
from editor_client import EditorClient, LspError

pytestmark = pytest.mark.anyio


async def test_a_users_server_comes_up_and_its_tool_is_called(editor: EditorClient, workspace: Path) -> None:
    await editor.start(workspace, user_config=servers(s=scripted("list=echo", autoApprove=["*"])))
    listed = await editor.command("codeagent.listTools")
    assert listed["complete"] is True
    assert [tool["name"] for tool in listed["tools"] if tool["kind"] == "tool"] == ["mcp__s__echo"]
    result = await editor.command("codeagent.callTool", name="mcp__s__echo", arguments={"text": "hello"})
    assert result["text"] == "hello"
    assert result["isError"] is False
    by_pair = await editor.command("codeagent.callTool", server="s", tool="echo", arguments={"text": "again"})
    assert by_pair["text"] == "again"


async def test_status_says_what_is_known_of_a_server(editor: EditorClient, workspace: Path) -> None:
    await editor.start(workspace, user_config=servers(s=scripted("instructions=Be kind.")))
    await editor.command("codeagent.listTools")
    status = (await editor.command("codeagent.status"))["servers"]
    assert [server["server"] for server in status] == ["s"]
    only = status[0]
    assert only["state"] == "ready"
    assert only["scope"] == "user"
    assert only["transport"] == "stdio"
    assert only["protocolVersion"] == "2025-11-25"
    assert only["instructions"] == "Be kind."
    assert only["pid"] > 1
    assert only["tools"] == 1


async def test_one_server_that_fails_holds_up_nobody(editor: EditorClient, workspace: Path) -> None:
    config = servers(
        bad={"command": "no-such-command-anywhere"},
        exits=scripted("exit=3"),
        good=scripted(),
        mute=scripted("silent"),
    )
    await editor.start(workspace, user_config=config)
    listed = await editor.command("codeagent.listTools", waitMs=1500)
    assert "mcp__good__echo" in [tool["name"] for tool in listed["tools"]]
    assert listed["pending"] == ["mute"]
    assert listed["complete"] is False
    states = {server["server"]: server for server in (await editor.command("codeagent.status"))["servers"]}
    assert states["bad"]["state"] == "failed"
    assert states["bad"]["error"]["kind"] == "spawnFailed"
    assert "no-such-command-anywhere" in states["bad"]["error"]["message"]
    assert states["exits"]["state"] in ("failed", "starting")
    assert states["exits"]["error"]["exitCode"] == 3
    assert any("missing API key" in line for line in states["exits"]["error"]["stderrTail"])
    assert states["mute"]["state"] == "starting"


async def test_a_projects_server_waits_for_approval_and_starts_after_it(editor: EditorClient, workspace: Path) -> None:
    (workspace / "log").touch()
    log = workspace / "log"
    asked: list[dict[str, object]] = []

    def approve(params: dict[str, object]) -> dict[str, str]:
        asked.append(params)
        return {"decision": "session"}

    await editor.start(
        workspace,
        project_config=servers(p=scripted(f"log={log}")),
        answers={"codeagent/approveServer": approve, "codeagent/approveCall": {"decision": "once"}},
    )
    await editor.wait_for("codeagent/toolsChanged", lambda params: params["server"] == "p")
    assert [question["server"] for question in asked] == ["p"]
    result = await editor.command("codeagent.callTool", name="mcp__p__echo", arguments={"text": "x"})
    assert result["text"] == "x"
    assert calls(log) == [{"name": "echo", "arguments": {"text": "x"}, **calls(log)[0]}]


async def test_a_denied_call_is_not_sent(editor: EditorClient, workspace: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    await editor.start(
        workspace,
        user_config=servers(s=scripted(f"log={log}")),
        answers={"codeagent/approveCall": {"decision": "deny"}},
    )
    with pytest.raises(LspError) as refused:
        await editor.command("codeagent.callTool", name="mcp__s__echo", arguments={})
    assert refused.value.code == -32803
    assert refused.value.data["kind"] == "denied"
    assert refused.value.message.startswith("s: ")
    assert calls(log) == []


async def test_wrong_words_are_answered_with_the_nearest_right_ones(editor: EditorClient, workspace: Path) -> None:
    await editor.start(workspace, user_config=servers(files=scripted()))
    await editor.command("codeagent.listTools")
    for command, params, kind, said in (
        ("codeagent.callTool", {"name": "mcp__files__ecko"}, "unknownTool", "mcp__files__echo"),
        ("codeagent.callTool", {"server": "files", "tool": "ecko"}, "unknownTool", "echo"),
        ("codeagent.callTool", {"server": "file", "tool": "echo"}, "unknownServer", "files"),
        ("codeagent.callTool", {}, "invalidParams", "name"),
        ("codeagent.callTool", {"name": "mcp__files__echo", "arguments": [1]}, "invalidParams", "arguments"),
        ("codeagent.restart", {"server": "fils"}, "unknownServer", "files"),
        ("codeagent.getPrompt", {"server": "files", "name": "nope"}, "unknownPrompt", "nope"),
    ):
        with pytest.raises(LspError) as refused:
            await editor.command(command, **params)
        assert refused.value.code == -32602, command
        assert refused.value.data["kind"] == kind
        assert said in refused.value.message

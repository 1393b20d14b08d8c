"""Starting, stopping, restarting, reloading; and what is left of processes afterwards."""

import json
import os
import shutil
from pathlib import Path

import anyio
import pytest

from e2e.scripts import alive, calls, requests, scripted, servers
from editor_client import EditorClient, LspError, write_json

pytestmark = pytest.mark.anyio


async def status(editor: EditorClient, server: str) -> dict[str, object]:
    found = {item["server"]: item for item in (await editor.command("codeagent.status"))["servers"]}
    return found[server]


async def eventually(condition, within: float = 5.0) -> None:
    """Wait until a condition on the world outside of the editor holds."""
    with anyio.fail_after(within):
        while not condition():
            await anyio.sleep(0.02)


async def test_restart_gives_a_new_process_and_the_new_tools(editor: EditorClient, workspace: Path) -> None:
    await editor.start(workspace, user_config=servers(s=scripted()))
    await editor.command("codeagent.listTools")
    before = await status(editor, "s")
    after = await editor.command("codeagent.restart", server="s")
    assert after["state"] == "ready"
    assert after["pid"] != before["pid"]
    await eventually(lambda: not alive(before["pid"]))


async def test_restart_pressed_five_times_leaves_one_process(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    await editor.start(workspace, user_config=servers(s=scripted(f"log={log}")))
    await editor.command("codeagent.listTools")
    pids = {(await status(editor, "s"))["pid"]}
    pressed = [await editor.begin_command("codeagent.restart", server="s") for _ in range(5)]
    for call in pressed:
        pids.add((await call)["pid"])
    last = await status(editor, "s")
    assert last["state"] == "ready"
    pids.discard(last["pid"])
    await eventually(lambda: not any(alive(pid) for pid in pids if pid))
    assert alive(last["pid"])


async def test_a_stopped_server_stays_stopped_until_it_is_started(editor: EditorClient, workspace: Path) -> None:
    await editor.start(workspace, user_config=servers(s=scripted()))
    await editor.command("codeagent.listTools")
    pid = (await status(editor, "s"))["pid"]
    stopped = await editor.command("codeagent.stop", server="s")
    assert stopped["state"] == "stopped"
    assert not alive(pid)
    assert (await editor.command("codeagent.listTools"))["tools"] == []
    with pytest.raises(LspError) as refused:
        await editor.command("codeagent.callTool", server="s", tool="echo")
    assert refused.value.data["kind"] in ("notReady", "unknownTool")
    assert (await editor.command("codeagent.reload"))["servers"][0]["state"] == "stopped"
    assert (await editor.command("codeagent.start", server="s"))["state"] == "ready"


async def test_reload_touches_only_what_changed(editor: EditorClient, workspace: Path) -> None:
    file = editor.home / ".codeagent" / "mcp.json"
    await editor.start(workspace, user_config=servers(a=scripted(), b=scripted()))
    await editor.command("codeagent.listTools")
    a, b = (await status(editor, "a"))["pid"], (await status(editor, "b"))["pid"]

    os.utime(file)
    (file.parent / "mcp.json.backup.1").write_text("{}")
    await editor.command("codeagent.reload")
    assert ((await status(editor, "a"))["pid"], (await status(editor, "b"))["pid"]) == (a, b)

    write_json(file, servers(a=scripted(timeout=5000), b=scripted("tools=2")))
    await editor.command("codeagent.reload")
    assert (await status(editor, "a"))["pid"] == a
    new = await status(editor, "b")
    assert new["pid"] != b
    assert new["tools"] == 2
    assert not alive(b)

    file.write_text('{"mcpServers": {"a": ')
    reloaded = await editor.command("codeagent.reload")
    assert {server["server"]: server["pid"] for server in reloaded["servers"]} == {"a": a, "b": new["pid"]}
    problems = [problem for item in reloaded["files"] for problem in item["problems"]]
    assert problems and problems[0]["severity"] == "error"
    assert editor.diagnostics(file.as_uri())

    write_json(file, servers(b=scripted("tools=2")))
    reloaded = await editor.command("codeagent.reload")
    assert [server["server"] for server in reloaded["servers"]] == ["b"]
    await eventually(lambda: not alive(a))
    listed = await editor.command("codeagent.listTools")
    assert {tool["server"] for tool in listed["tools"]} == {"b"}
    assert editor.diagnostics(file.as_uri()) == []


async def test_a_saved_config_file_is_applied_without_a_command(editor: EditorClient, workspace: Path) -> None:
    file = editor.home / ".codeagent" / "mcp.json"
    await editor.start(workspace, user_config=servers(a=scripted()))
    await editor.command("codeagent.listTools")
    write_json(file.with_suffix(".tmp"), servers(a=scripted(), z=scripted()))
    file.with_suffix(".tmp").rename(file)
    await editor.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": file.as_uri(), "type": 2}]})
    await editor.wait_for("codeagent/toolsChanged", lambda params: params["server"] == "z")


async def test_a_save_storm_is_one_reload(editor: EditorClient, workspace: Path, tmp_path: Path) -> None:
    file = editor.home / ".codeagent" / "mcp.json"
    log = tmp_path / "log"
    await editor.start(workspace, user_config=servers(a=scripted(f"log={log}")))
    await editor.command("codeagent.listTools")
    for number in range(100):
        file.write_text(
            '{"mcpServers": {' if number % 2 else json.dumps(servers(a=scripted(f"log={log}", f"tools={number}")))
        )
        await editor.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": file.as_uri(), "type": 2}]})
    write_json(file, servers(a=scripted(f"log={log}", "tools=7")))
    await editor.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": file.as_uri(), "type": 2}]})
    await editor.wait_for(
        "codeagent/statusChanged", lambda params: any(server["tools"] == 7 for server in params["servers"])
    )
    openings = [message for message in requests(log) if message.get("method") == "initialize"]
    assert len(openings) <= 3


async def test_a_crashed_server_comes_back_by_itself_and_the_call_is_not_repeated(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    await editor.start(workspace, user_config=servers(s=scripted(f"log={log}", "list=echo,die", autoApprove=["*"])))
    await editor.command("codeagent.listTools")
    with pytest.raises(LspError) as failed:
        await editor.command("codeagent.callTool", server="s", tool="die", arguments={})
    assert failed.value.data["kind"] == "exited"
    assert failed.value.data["mayHaveTakenEffect"] is True
    assert failed.value.message.startswith("s: ")
    assert "9" in failed.value.message
    await editor.wait_for(
        "codeagent/statusChanged",
        lambda params: any(s["state"] == "ready" and s["restarts"] == 1 for s in params["servers"]),
    )
    assert len(calls(log)) == 1
    result = await editor.command("codeagent.callTool", server="s", tool="echo", arguments={"text": "back"})
    assert result["text"] == "back"


async def test_an_on_demand_server_starts_with_its_first_call(editor: EditorClient, workspace: Path) -> None:
    await editor.start(workspace, user_config=servers(lazy=scripted(autostart="onDemand", autoApprove=["*"])))
    listed = await editor.command("codeagent.listTools")
    assert listed["tools"] == []
    assert (await status(editor, "lazy"))["state"] == "stopped"
    result = await editor.command("codeagent.callTool", name="mcp__lazy__echo", arguments={"text": "up"})
    assert result["text"] == "up"
    assert (await status(editor, "lazy"))["state"] == "ready"


async def test_a_server_that_is_stopped_during_a_call_ends_the_call(editor: EditorClient, workspace: Path) -> None:
    await editor.start(workspace, user_config=servers(s=scripted("list=never", autoApprove=["*"])))
    await editor.command("codeagent.listTools")
    call = await editor.begin_command("codeagent.callTool", server="s", tool="never", arguments={})
    await editor.command("codeagent.logs", server="s")
    await editor.command("codeagent.setEnabled", server="s", enabled=False)
    with pytest.raises(LspError) as failed:
        await call
    assert "stopped" in failed.value.message
    assert (await status(editor, "s"))["state"] == "disabled"
    assert (await editor.command("codeagent.setEnabled", server="s", enabled=True))["state"] == "ready"


async def test_a_server_that_never_answers_fails_at_its_own_limit(editor: EditorClient, workspace: Path) -> None:
    await editor.start(workspace, user_config=servers(s=scripted("silent", startTimeout=3000)))
    seen = await editor.wait_for(
        "codeagent/statusChanged", lambda params: any(s["state"] == "failed" for s in params["servers"])
    )
    error = next(server for server in seen["servers"] if server["state"] == "failed")["error"]
    assert error["kind"] == "timeout"
    assert "startTimeout" in error["hint"]
    assert shutil.which("true")

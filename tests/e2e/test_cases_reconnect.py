"""Real-world cases of coming back (REC) and of going (SHD): crash loops, outages, restarts, ends in any order."""

import time
import uuid
from pathlib import Path

import anyio
import pytest

from codeagent_lsp.connection import backoff
from e2e.kit import Listed, ScriptedHttp, call, command, refusal, states, status, tools, until, up
from e2e.scripts import MARK, marked, requests, scripted, servers, wait_gone
from editor_client import EditorClient
from editor_wires import ProcessClient

pytestmark = pytest.mark.anyio


def starts(log: Path) -> int:
    return sum(message.get("method") == "initialize" for message in requests(log))


@pytest.fixture
def quick_backoff(monkeypatch: pytest.MonkeyPatch) -> None:
    """The delays of the back-off, a fiftieth of them."""
    for name in ("FIRST_DELAY", "MAX_DELAY", "MAX_REMOTE_DELAY"):
        monkeypatch.setattr(backoff, name, getattr(backoff, name) / 50)


@pytest.mark.usefixtures("quick_backoff")
@pytest.mark.parametrize("words", [["exit_after=tools/list"], ["exit_after=prompts/list"], ["init_exit=1"],
                                   ["exit=3"], ["init_exit=0"]])  # fmt: skip
async def test_a_server_that_keeps_exiting_is_given_up_with_the_reason_and_a_restart_begins_anew(
    editor: EditorClient, workspace: Path, tmp_path: Path, words: list[str]
) -> None:
    """REC-01 and R09: a handshake that succeeds resets nothing."""
    log = tmp_path / "log"
    await editor.start(workspace, user_config=servers(s=scripted(*words, f"log={log}", "pids")))
    given_up = await until(editor, "s", lambda found: "gave up" in found.get("detail", ""))
    assert given_up["state"] == "failed"
    assert given_up["error"]["kind"] == "exited"
    assert "exited with code" in given_up["error"]["message"]
    assert "nextRetryAt" not in given_up
    assert starts(log) <= 5
    assert (await refusal(call(editor, "s", "echo"))).data["kind"] in ("notReady", "unknownTool")
    before = starts(log)
    await command(editor, "codeagent.restart", server="s")
    await until(editor, "s", lambda found: "gave up" in found.get("detail", ""))
    if "exit=3" not in words:
        assert before < starts(log) <= before + 5


@pytest.mark.usefixtures("quick_backoff")
async def test_an_outage_of_a_remote_server_ends_without_our_doing(editor: EditorClient, workspace: Path) -> None:
    """REC-02 and R41: refused connections for many times the retry budget, then the server is back."""
    async with ScriptedHttp() as server:
        port = server.port
    await editor.start(workspace, user_config=servers(s={"url": f"http://127.0.0.1:{port}/mcp", "autoApprove": ["*"]}))
    down = await until(editor, "s", lambda found: found["restarts"] >= 8)
    assert down["error"]["kind"] == "transport"
    assert "refused" in down["error"]["message"]
    server = ScriptedHttp()
    await server.start(port)
    try:
        await until(editor, "s", lambda found: found["state"] == "ready")
        assert (await call(editor, "s", "echo", text="back"))["text"] == "back"
    finally:
        await server.stop()


async def test_a_restart_takes_nothing_over(editor: EditorClient, workspace: Path, tmp_path: Path) -> None:
    """REC-04: other tools, resources, prompts, capabilities and instructions after a restart and after a crash."""
    listed = Listed(tmp_path / "lists")
    listed.tools("kill_self", "old")
    listed.put("resources/list", {"resources": [{"uri": "old://1", "name": "old"}]})
    listed.put("prompts/list", {"prompts": [{"name": "old"}]})
    await up(editor, workspace, {"s": scripted(listed.word, autoApprove=["*"])})
    listed.tools("kill_self", {"name": "new", "inputSchema": {"type": "object", "properties": {"x": {}}}})
    listed.put("resources/list", {"resources": []})
    listed.put("prompts/list", {"prompts": [{"name": "new"}]})
    await editor.command("codeagent.restart", server="s")
    for _ in range(2):
        assert set(await tools(editor, "s")) == {"kill_self", "new"}
        assert (await editor.command("codeagent.listResources", server="s"))["resources"] == []
        prompts = (await editor.command("codeagent.listPrompts", server="s"))["prompts"]
        assert [item["name"] for item in prompts] == ["new"]
        assert (await refusal(call(editor, "s", "old"))).data["kind"] == "unknownTool"
        before = (await status(editor, "s"))["pid"]
        await refusal(call(editor, "s", "kill_self"))
        await until(editor, "s", lambda found, before=before: found["state"] == "ready" and found["pid"] != before)


async def test_a_server_keeps_its_process_and_its_state_between_calls(editor: EditorClient, workspace: Path) -> None:
    """REC-05."""
    await up(editor, workspace, {"s": scripted("list=count", autoApprove=["*"])})
    seen = []
    for _ in range(3):
        seen.append((await call(editor, "s", "count"))["text"].split())
        await anyio.sleep(0.3)
        await editor.command("codeagent.reload")
    assert len({pid for pid, _ in seen}) == 1
    counts = [int(number) for _, number in seen]
    assert [number - counts[0] for number in counts] == [0, 1, 2]


async def test_servers_end_in_any_order_and_harm_nobody(editor: EditorClient, workspace: Path) -> None:
    """SHD-01: the first one first, one while it connects, all at once; the loop and the others live on."""
    entries = {name: scripted(autoApprove=["*"]) for name in "abde"} | {"c": scripted("silent", startTimeout=60_000)}
    await editor.start(workspace, user_config=servers(**entries))
    for name in "abde":
        await until(editor, name, lambda found: found["state"] == "ready")
    assert (await editor.command("codeagent.stop", server="a"))["state"] == "stopped"
    assert (await call(editor, "b", "echo", text="1"))["text"] == "1"
    assert (await status(editor, "c"))["state"] == "starting"
    assert (await editor.command("codeagent.stop", server="c"))["state"] == "stopped"
    stops = [await editor.begin_command("codeagent.stop", server=name) for name in "ed"]
    assert [(await stop)["state"] for stop in stops] == ["stopped", "stopped"]
    assert (await call(editor, "b", "echo", text="2"))["text"] == "2"
    for name in "acde":
        begun = await editor.begin_command("codeagent.start", server=name)
        if name != "c":
            assert (await begun)["state"] == "ready"
    await editor.command("codeagent.stop", server="c")
    assert (await states(editor)) == {"a": "ready", "b": "ready", "c": "stopped", "d": "ready", "e": "ready"}


async def test_shutdown_is_answered_at_once_and_the_end_comes_soon(
    process_editor: ProcessClient, workspace: Path, tmp_path: Path
) -> None:
    """SHD-02: with a server that ignores every wish to end, and one that is still on its way up."""
    mark = uuid.uuid4().hex
    env = {MARK: mark}
    config = {
        "good": scripted(env=env),
        "stubborn": scripted("ignore_eof", "ignore_term", env=env),
        "starting": scripted("silent", "ignore_term", env=env),
        "calling": scripted("list=never", env=env, autoApprove=["*"]),
    }
    await process_editor.start(workspace, user_config=servers(**config))
    for name in ("good", "stubborn", "calling"):
        await until(process_editor, name, lambda found: found["state"] == "ready")
    pending = await process_editor.begin_command("codeagent.callTool", server="calling", tool="never")
    began = time.monotonic()
    await process_editor.request("shutdown")
    answered = time.monotonic() - began
    await process_editor.notify("exit")
    assert await process_editor.wait_closed(10) == 0
    ended = time.monotonic() - began
    assert wait_gone(mark, 2) == []
    assert answered < 2  # 0.5 s is the aim; a busy machine has its say
    assert ended < 8
    with pytest.raises(Exception):
        await pending


async def test_output_that_nobody_takes_any_more_ends_us_quietly(
    process_editor: ProcessClient, workspace: Path, tmp_path: Path
) -> None:
    """SHD-04: our standard output closed under a server that goes on notifying."""
    mark = uuid.uuid4().hex
    entry = scripted("restless", env={MARK: mark})
    await up(process_editor, workspace, {"s": entry, "t": scripted("flood=100000", env={MARK: mark})})
    assert marked(mark)
    await process_editor.command("codeagent.logs", follow=True)
    transport = process_editor.process._transport.get_pipe_transport(1)  # type: ignore[attr-defined]
    transport.close()
    for _ in range(5):
        await process_editor.send(
            b'Content-Length: 60\r\n\r\n{"jsonrpc":"2.0","id":99,"method":"shutdown","params":null   }'
        )
    with anyio.fail_after(15):
        await process_editor.process.wait()
    assert wait_gone(mark, 5) == []
    assert b"Traceback" not in process_editor.stderr
    assert b"BrokenPipe" not in process_editor.stderr

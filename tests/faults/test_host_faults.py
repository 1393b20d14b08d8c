"""Faults of our own process, of the editor and of the machine (R29, R33, R51 to R59)."""

import asyncio
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from e2e.kit import call, command, until
from e2e.scripts import MARK, alive, calls, scripted, servers
from editor_client import EditorClient, frame, write_json
from editor_wires import CODEAGENT_LSP, ProcessClient
from faults.report import Found
from faults.rig import Rig, gone

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]

row = pytest.mark.row
smoke = pytest.mark.smoke


def guardian_of(pid: int) -> int:
    """The helper process of ours that ends orphans."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == pid and b"guardian" in (entry / "cmdline").read_bytes():
                    return int(entry.name)
            except (OSError, ValueError, IndexError):
                continue
    return 0


@row("R29", "`shutdown` with 20 servers, 5 of which ignore every wish to end", "in parallel, one deadline; nothing is left",
     "`shutdown` 500 ms; `exit` 5 s")  # fmt: skip
async def test_twenty_servers_end_together(rig: Rig) -> None:
    entries = {f"s{n}": rig.server(*(("ignore_eof", "ignore_term") if n < 5 else ())) for n in range(20)}
    await rig.up(**entries)
    assert len(rig.processes()) == 21
    await rig.end()
    began = time.monotonic()
    await rig.editor.request("shutdown", None, 10)
    rig.found.note("shutdown answered", time.monotonic() - began, 0.5)
    await rig.editor.notify("exit")
    assert await rig.editor.wait_closed(20) == 0
    rig.found.note("process ended", time.monotonic() - began, 5.0)
    rig.found.note("nothing left", await gone(rig.mark, 5) + time.monotonic() - began, 5.0)


@row(
    "R33",
    "no descriptor left (`RLIMIT_NOFILE`) when a server is to be started",
    "named, tried again; the host answers",
    "200 ms",
)
async def test_without_descriptors_the_host_lives(rig: Rig) -> None:
    await rig.up(lazy=rig.server(autostart="onDemand"), wait=())
    limits = resource.prlimit(rig.editor.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(rig.editor.pid, resource.RLIMIT_NOFILE, (rig.descriptors() + 1, limits[1]))
    async with rig.fault():
        found = await command(rig.editor, "codeagent.start", server="lazy")
        assert found["error"]["kind"] == "spawnFailed", found
        began = time.monotonic()
        await command(rig.editor, "codeagent.status")
        rig.found.note("status in", time.monotonic() - began, 0.2)
        assert (await call(rig.editor, "neighbour", "echo", text="x"))["text"] == "x"
    resource.prlimit(rig.editor.pid, resource.RLIMIT_NOFILE, limits)
    await rig.until("lazy", lambda found: found["state"] == "ready")
    rig.found.note("came up by itself afterwards")


@row(
    "R51",
    "`kill -9` of our process with 20 servers, some with grandchildren, some stubborn",
    "the guardian ends every group",
    "2 s",
)
async def test_nothing_outlives_a_killed_host(rig: Rig) -> None:
    words = (("ignore_eof", "ignore_term"), ("grandchild",), ("daemon",), ())
    await rig.up(**{f"s{n}": rig.server(*words[n % 4]) for n in range(20)})
    assert len(rig.processes()) >= 31
    await rig.end()
    rig.editor.kill(signal.SIGKILL)
    rig.found.note("nothing left after", await gone(rig.mark, 20), 2.0)


@row(
    "R51b", "`kill -9` of our process, 50 times, at any moment of its life", "nothing is left, each time", "0 processes"
)
async def test_nothing_outlives_fifty_killed_hosts(rig: Rig) -> None:
    entries = {
        "a": rig.server("ignore_eof", "ignore_term"),
        "b": rig.server("grandchild"),
        "c": rig.server("sleep=0.3"),
    }
    write_json(rig.editor.home / ".codeagent" / "mcp.json", servers(**entries))
    chance = random.Random(51)
    for turn in range(50):
        host = ProcessClient(CODEAGENT_LSP, rig.editor._env, rig.editor.home)
        try:
            await host.start(rig.workspace)
            if turn % 5 == 0:
                await until(host, "b", lambda found: found["state"] == "ready", 60)
            else:
                await asyncio.sleep(chance.random() * 0.8)
            host.kill(signal.SIGKILL)
            await host.process.wait()
            await gone(rig.mark, 20)
        finally:
            await host.abandon()
    rig.found.note("0 processes left, 50 of 50 times")


@row("R52", "the guardian is killed", "a new one, which knows every group", "1 s")
async def test_a_killed_guardian_is_replaced(rig: Rig) -> None:
    await rig.up(s=rig.server("ignore_eof", "ignore_term"))
    first = guardian_of(rig.editor.pid)
    assert first
    async with rig.fault():
        began = time.monotonic()
        os.kill(first, signal.SIGKILL)
        while guardian_of(rig.editor.pid) in (0, first):
            await asyncio.sleep(0.02)
            assert time.monotonic() - began < 20
        rig.found.note("replaced after", time.monotonic() - began, 1.0)
        await asyncio.sleep(0.3)
    await rig.end()
    rig.editor.kill(signal.SIGKILL)
    rig.found.note("then nothing left after kill -9:", await gone(rig.mark, 20), 2.0)


@row("R53", "the editor dies: its end of the pipe closes", "orderly end; nothing is left", "5 s")
async def test_the_end_of_input_is_the_end(rig: Rig) -> None:
    await rig.up(s=rig.server("ignore_eof", "ignore_term"), t=rig.server("grandchild"))
    await rig.end()
    began = time.monotonic()
    rig.editor._hang_up()
    await rig.editor.wait_closed(20)
    rig.found.note("ended after", time.monotonic() - began, 5.0)
    await gone(rig.mark, 5)


@row(
    "R53b",
    "the editor is killed while somebody else holds the pipe open",
    "seen by its process id; nothing is left",
    "8 s",
)
async def test_a_dead_editor_is_noticed(rig: Rig) -> None:
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    await rig.editor.start(rig.workspace, user_config=servers(s=rig.server()), initialize={"processId": other.pid})
    await rig.until("s", lambda found: found["state"] == "ready")
    began = time.monotonic()
    other.kill()
    other.wait()
    await rig.editor.wait_closed(30)
    rig.found.note("ended after", time.monotonic() - began, 8.0)
    await gone(rig.mark, 5)


@row(
    "R54",
    "our process crashes and the editor starts it again",
    "approvals kept; no call repeated; one set of servers",
    "ready 2 s + their start",
)
async def test_after_a_crash_everything_is_there_once(rig: Rig) -> None:
    log = rig.folder / "log"
    project = servers(p=scripted(f"log={log}", "list=never", env={MARK: rig.mark}))
    answers = {"codeagent/approveServer": {"decision": "always"}, "codeagent/approveCall": {"decision": "once"}}
    await rig.editor.start(rig.workspace, user_config=servers(s=rig.server()), project_config=project, answers=answers)
    await rig.until("p", lambda found: found["state"] == "ready", 60)
    await rig.begin("p", "never")
    while not calls(log):
        await asyncio.sleep(0.01)
    rig.editor.kill(signal.SIGKILL)
    again = ProcessClient(CODEAGENT_LSP, rig.editor._env, rig.editor.home)
    try:
        began = time.monotonic()
        await again.start(rig.workspace, features=["approveServer"])
        for name in ("p", "s"):
            await until(again, name, lambda found: found["state"] == "ready", 60)
        rig.found.note("ready after", time.monotonic() - began, 3.0)
        began = time.monotonic()
        while len(rig.processes()) > 2:
            await asyncio.sleep(0.02)
            assert time.monotonic() - began < 10
        assert len(calls(log)) == 1
        assert not [method for method, _ in again.questions if "approve" in method]
        rig.found.note("2 servers, 1 call, 0 questions")
        await again.stop()
    finally:
        await again.abandon()


@row("R55", "the editor stops reading while servers flood", "calls go on; what may be dropped is; answers arrive when it reads again",
     "RSS + 64 MiB; 0 answers lost")  # fmt: skip
async def test_an_editor_that_does_not_read_loses_no_answer(rig: Rig) -> None:
    log = rig.folder / "log"
    await rig.up(s=rig.server(f"log={log}", "list=progress"))
    await command(rig.editor, "codeagent.logs", follow=True)
    await rig.end()
    before = rig.rss()
    transport: Any = rig.editor.process._transport.get_pipe_transport(1)  # type: ignore[attr-defined]
    transport.pause_reading()
    try:
        pending = [await rig.begin("s", "echo", text=f"{n}" * 1000) for n in range(300)]
        began = time.monotonic()
        while len(calls(log)) < 300:
            await asyncio.sleep(0.05)
            assert time.monotonic() - began < 60
        rig.found.note("300 calls went on in", time.monotonic() - began)
        rig.found.amount("RSS +", rig.rss() - before, 64)
    finally:
        transport.resume_reading()
    assert [(await one)["text"] for one in pending] == [f"{n}" * 1000 for n in range(300)]
    rig.found.note("0 answers lost")


def mangled(chance: random.Random) -> bytes:
    """A frame that is not quite one."""
    good = frame(
        {"jsonrpc": "2.0", "id": chance.randrange(10**9, 2 * 10**9), "method": "codeagent/nothing", "params": {}}
    )
    match chance.randrange(6):
        case 0:
            at = chance.randrange(len(good))
            return good[:at] + bytes([chance.randrange(256)]) + good[at + 1 :]
        case 1:
            return frame(bytes(chance.randrange(256) for _ in range(chance.randrange(200))))
        case 2:
            return frame({"jsonrpc": chance.choice(["1.0", None, 2]), "method": chance.choice([1, None, "", "x"])})
        case 3:
            return b"Content-Length: " + chance.choice([b"-1", b"x", b"", b"99999999999"]) + b"\r\n\r\n"
        case 4:
            return frame(b"[" * chance.randrange(2000))
        case _:
            return frame([good.decode("latin-1")])


@row(
    "R56",
    "10,000 malformed frames (seeded), requests out of order",
    "answered by the rules or skipped; alive",
    "next answer 1 s; RSS + 32 MiB",
)
async def test_malformed_frames_are_survived(rig: Rig) -> None:
    await rig.up()
    await rig.end()
    rig.editor.sends_garbage = True
    before, chance = rig.rss(), random.Random(56)
    for _ in range(100):
        for _ in range(100):
            data = mangled(chance)
            await rig.editor.send(data if b"99999999999" not in data else b"garbage\r\n\r\n")
        await asyncio.sleep(0)
    began = time.monotonic()
    while True:  # the last frame may have swallowed a request: an editor would ask again
        try:
            await rig.editor.request("workspace/executeCommand", {"command": "codeagent.status"}, 10)
            break
        except TimeoutError:
            assert time.monotonic() - began < 60
    rig.found.note("next answer after", time.monotonic() - began, 1.0)
    rig.found.amount("RSS +", rig.rss() - before, 32)


@row(
    "R57",
    "the disk is full (`RLIMIT_FSIZE`) when a decision is to be kept",
    "the old file stays whole; it holds for this session; said",
    "alive",
)
async def test_a_full_disk_costs_no_decision(rig: Rig) -> None:
    await rig.up(s=rig.server("list=a,b"))
    await command(rig.editor, "codeagent.setEnabled", server="s", tool="a", enabled=False)
    stored = [path for path in rig.editor.home.rglob("*.json") if ".codeagent" not in str(path)]
    assert stored
    before = {path: path.read_bytes() for path in stored}
    limits = resource.prlimit(rig.editor.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(rig.editor.pid, resource.RLIMIT_FSIZE, (0, limits[1]))
    async with rig.fault():
        await command(rig.editor, "codeagent.setEnabled", server="s", tool="b", enabled=False)
        listed = await command(rig.editor, "codeagent.listTools", server="s")
        assert {tool["tool"] for tool in listed["tools"] if tool["kind"] == "tool"} == {"echo"}
    for path, data in before.items():
        json.loads(path.read_bytes())
        assert path.read_bytes() == data
    resource.prlimit(rig.editor.pid, resource.RLIMIT_FSIZE, limits)
    rig.found.note("old file whole; decision held")


@row("R58", "200 saves of the config file as fast as they go, half of them broken; then deleted and written anew",
     "one reload after the storm; unchanged servers keep their process", "1 apply")  # fmt: skip
async def test_a_storm_of_saves_is_one_reload(rig: Rig) -> None:
    log = rig.folder / "log"
    file = rig.editor.home / ".codeagent" / "mcp.json"
    await rig.up(s=rig.server(f"log={log}"), keeps=rig.server())
    kept = (await rig.status("keeps"))["pid"]

    def config(tools: int) -> dict[str, Any]:
        return servers(neighbour=rig.server(), keeps=rig.server(), s=rig.server(f"log={log}", f"tools={tools}"))

    def starts() -> int:
        return log.read_text().count('"method": "initialize"')

    before = starts()
    async with rig.fault():
        for number in range(200):
            file.write_text("{" if number % 2 else json.dumps(config(number)))
            await rig.editor.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": file.as_uri(), "type": 2}]})
        write_json(file, config(7))
        await rig.editor.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": file.as_uri(), "type": 2}]})
        await rig.until("s", lambda found: found["state"] == "ready" and found["tools"] == 7)
    assert starts() - before <= 2
    rig.found.note(f"{starts() - before} start(s)")
    assert (await rig.status("keeps"))["pid"] == kept
    assert alive(kept)


@row(
    "R59",
    "the wall clock jumps a day forth and back (faked)",
    "every limit runs by the monotonic clock; no restarts",
    "0 crash counts",
)
async def test_a_jump_of_the_clock_restarts_nothing(
    editor: EditorClient, workspace: Path, found: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    await editor.start(workspace, user_config=servers(s=scripted("list=slow", autoApprove=["*"], timeout=3000)))
    await until(editor, "s", lambda found: found["state"] == "ready")
    real = time.time
    for jump in (86_400, -86_400):
        pending = await editor.begin_command("codeagent.callTool", server="s", tool="slow", arguments={"seconds": 1})
        monkeypatch.setattr(time, "time", lambda jump=jump: real() + jump)
        assert (await pending)["text"] == "done"
        monkeypatch.setattr(time, "time", real)
    status = await until(editor, "s", lambda found: found["state"] == "ready")
    assert status["restarts"] == 0
    found.note("0 restarts")

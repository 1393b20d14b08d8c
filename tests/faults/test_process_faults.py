"""Faults of server processes (R01 to R40): they die, hang, flood, lie, and take no notice of us."""

import asyncio
import os
import random
import signal
import time
from typing import Any

import pytest

from codeagent_lsp.connection.backoff import Backoff
from codeagent_lsp.errors import Exited
from e2e.kit import Listed, call, command, eventually
from e2e.scripts import alive, calls, requests, scripted
from faults.report import Found
from faults.rig import Rig

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(180)]

row = pytest.mark.row
smoke = pytest.mark.smoke


@smoke
@row("R01", "child killed (signal 9) during a call", "every pending call ends with the signal and the last words; restarted",
     "error 1 s; back after 0.5 s ± 20 % + its start")  # fmt: skip
async def test_a_killed_child_ends_its_calls_and_comes_back(rig: Rig) -> None:
    await rig.up(s=rig.server("list=never,kill_self"))
    pending = [await rig.begin("s", "never") for _ in range(5)]
    pid = (await rig.status("s"))["pid"]
    async with rig.fault(2.0):
        error, took = await rig.failure("s", "kill_self")
        died = time.monotonic()
        assert error.data["kind"] == "exited" and "signal 9" in error.message and "about to be killed" in error.message
        for one in pending:
            with pytest.raises(Exception, match="signal 9"):
                await one
        rig.found.note("error after", took, 1.0)
        await rig.until("s", lambda found: found["state"] == "ready" and found["pid"] != pid)
        rig.found.note("ready again after", time.monotonic() - died, 1.6)
    assert (await call(rig.editor, "s", "echo", text="x"))["text"] == "x"
    assert not alive(pid)


@row("R02", "child exits 0 during a call", "kind `exited`, code 0", "1 s")
async def test_a_child_that_exits_in_a_call_is_named(rig: Rig) -> None:
    await rig.up(s=rig.server("list=die"))
    async with rig.fault():
        error, took = await rig.failure("s", "die", code=0)
    assert error.data["kind"] == "exited" and "code 0" in error.message
    rig.found.note("error after", took, 1.0)


@row("R03", "child exits at once with code 1 and three lines on standard error", "failed; code and last words in the status",
     "1 s + its start")  # fmt: skip
async def test_a_child_that_exits_at_once_says_why(rig: Rig) -> None:
    await rig.up(lazy=rig.server("exit=1", autostart="onDemand"), wait=())
    async with rig.fault():
        began = time.monotonic()
        await command(rig.editor, "codeagent.start", server="lazy")
        found = await rig.until("lazy", lambda found: "error" in found)
        rig.found.note("told after", time.monotonic() - began, 1.5)
    assert found["error"]["exitCode"] == 1 and any("missing API key" in line for line in found["error"]["stderrTail"])


@smoke
@row("R04", "command missing, not executable, of no known format, a directory", "kind `spawnFailed` with the path; no retry",
     "200 ms; 1 attempt")  # fmt: skip
async def test_what_cannot_be_started_is_tried_once(rig: Rig) -> None:
    binary = rig.folder / "binary"
    binary.write_text("\x00\x01")
    binary.chmod(0o755)
    wrong = {"missing": "no-such", "mode": "/etc/hostname", "format": str(binary), "directory": str(rig.folder)}
    await rig.up(**{n: {"command": c, "autostart": "onDemand"} for n, c in wrong.items()}, wait=())
    slowest = 0.0
    async with rig.fault():
        for name in wrong:
            began = time.monotonic()
            found = await command(rig.editor, "codeagent.start", server=name)
            slowest = max(slowest, time.monotonic() - began)
            assert found["state"] == "failed" and found["error"]["kind"] == "spawnFailed" and "nextRetryAt" not in found
    rig.found.note("slowest", slowest, 0.2)


@row("R05", "no answer to the opening, ever", "failed, kind `timeout`; process killed", "its limit (1.5 s here) + 2 s")
async def test_silence_at_the_opening_ends_at_the_limit(rig: Rig) -> None:
    await rig.up(lazy=rig.server("silent", "ignore_term", startTimeout=1500, autostart="onDemand"), wait=())
    async with rig.fault():
        begun = asyncio.create_task(command(rig.editor, "codeagent.start", server="lazy"))
        pid = (await rig.until("lazy", lambda found: "pid" in found))["pid"]
        began = time.monotonic()
        found = await rig.until("lazy", lambda found: "error" in found)
        await begun
        assert found["error"]["kind"] == "timeout"
        while alive(pid):
            await asyncio.sleep(0.02)
            assert time.monotonic() - began < 30
        rig.found.note("process gone after", time.monotonic() - began, 3.5 + 2)


@row("R06", "one of ten servers takes 8 s to start", "the other nine are usable; `initialize` is answered at once",
     "`initialize` 500 ms; nine ready 2 s + their start")  # fmt: skip
async def test_a_slow_starter_delays_nobody(rig: Rig) -> None:
    entries = {f"s{n}": rig.server() for n in range(9)} | {"slow": rig.server("sleep=8")}
    await rig.editor.open()
    await rig.editor.wait_started()
    began = time.monotonic()
    await rig.editor.start(rig.workspace, user_config={"mcpServers": entries})
    rig.found.note("initialize", time.monotonic() - began, 0.5)
    for name in entries:
        if name != "slow":
            await rig.until(name, lambda found: found["state"] == "ready")
    rig.found.note("nine ready", time.monotonic() - began, 3.0)
    assert (await rig.status("slow"))["state"] == "starting"


@row(
    "R07",
    "a call is never answered",
    "kind `timeout`; the server is told; a late answer is dropped",
    "limit (1 s here) + 200 ms",
)
async def test_a_call_without_answer_ends_at_its_limit(rig: Rig) -> None:
    log = rig.folder / "log"
    await rig.up(s=rig.server("list=never", f"log={log}", timeout=1000))
    async with rig.fault():
        error, took = await rig.failure("s", "never")
    assert error.data["kind"] == "timeout" and error.data["setting"] == "timeout"
    await eventually(lambda: any(item.get("method") == "notifications/cancelled" for item in requests(log)))
    rig.found.note("over the limit by", took - 1.0, 0.2)


@smoke
@row("R08", "the editor cancels a call", "−32800 at once; the server is told", "200 ms; told after 50 ms")
async def test_a_cancelled_call_ends_at_once(rig: Rig) -> None:
    log = rig.folder / "log"
    await rig.up(s=rig.server("list=never", f"log={log}"))
    async with rig.fault():
        pending = await rig.begin("s", "never")
        while not calls(log):
            await asyncio.sleep(0.002)
        began = time.monotonic()
        await rig.editor.cancel(pending)
        with pytest.raises(Exception, match="-32800"):
            await pending
        answered = time.monotonic() - began
        while not any(item.get("method") == "notifications/cancelled" for item in requests(log)):
            await asyncio.sleep(0.002)
            assert time.monotonic() - began < 10
        told = time.monotonic() - began
    rig.found.note("answered after", answered, 0.2)
    rig.found.note("server told after", told, 0.05)


@row("R09", "crash loop, 10,000 random schedules under a fake clock", "5 crashes in 3 minutes end it; a minute of life resets",
     "≤ 5 starts in any 180 s without a stable minute")  # fmt: skip
def test_no_schedule_of_crashes_starts_more_than_five_times_in_three_minutes(found: Found) -> None:
    chance = random.Random(9)
    most = 0
    for _ in range(10_000):
        now = [0.0]
        backoff = Backoff(remote=False, clock=lambda now=now: now[0], jitter=chance.random)
        starts = [0.0]
        while len(starts) < 40:
            lived = chance.choice((0.0, 0.1, 5.0, 59.0)) * chance.random()
            now[0] += lived
            delay = backoff.after(Exited("x"), lived)
            if delay is None:
                break
            now[0] += delay
            starts.append(now[0])
        for index, start in enumerate(starts):
            most = max(most, sum(1 for other in starts[index:] if other - start < 180))
    assert most <= 5
    found.note(f"at most {most} starts in any 180 s")


@row("R10", "crash in the middle of a call that changes something", "never sent again; the error says that it may have taken effect",
     "1 execution")  # fmt: skip
async def test_a_call_is_never_sent_twice(rig: Rig) -> None:
    log = rig.folder / "log"
    await rig.up(s=rig.server("list=die", f"log={log}"))
    async with rig.fault(1.0):
        error, _ = await rig.failure("s", "die")
        await rig.until("s", lambda found: found["state"] == "ready" and found["restarts"] == 1)
    assert error.data["mayHaveTakenEffect"] is True
    assert len(calls(log)) == 1
    rig.found.note("1 execution")


@row("R11", "invalid UTF-8 on standard output", "replaced or counted; the session lives", "next call works")
async def test_invalid_utf_8_harms_nothing(rig: Rig) -> None:
    await rig.up(s=rig.server("list=invalid_utf8,invalid_utf8_noise"))
    async with rig.fault():
        for _ in range(50):
            await call(rig.editor, "s", "invalid_utf8")
            await call(rig.editor, "s", "invalid_utf8_noise")
    assert (await rig.status("s"))["restarts"] == 0
    rig.found.note("100 of 100 calls answered")


@smoke
@row(
    "R12",
    "10,000 lines of chatter on standard output before the opening",
    "ignored, counted, said once",
    "its start + 1 s",
)
async def test_chatter_delays_nothing(rig: Rig) -> None:
    await rig.up(lazy=rig.server("banner=10000", autostart="onDemand"), wait=())
    async with rig.fault():
        began = time.monotonic()
        found = await command(rig.editor, "codeagent.start", server="lazy")
        rig.found.note("ready after", time.monotonic() - began, 1.5)
    assert found["state"] == "ready"


@row("R13", "half a message, then the end", "pending calls end with a named error", "1 s")
async def test_half_a_message_is_no_answer(rig: Rig) -> None:
    await rig.up(s=rig.server("list=die_midway"))
    async with rig.fault():
        error, took = await rig.failure("s", "die_midway")
    assert error.data["kind"] == "exited"
    rig.found.note("error after", took, 1.0)


@row("R14", "nothing but chatter, for ever", "failed, kind `protocol`", "2 s + its start; RSS + 16 MiB")
async def test_endless_chatter_is_given_up(rig: Rig) -> None:
    await rig.up(lazy=rig.server("garbage", autostart="onDemand"), wait=())
    before = rig.rss()
    async with rig.fault():
        began = time.monotonic()
        found = await command(rig.editor, "codeagent.start", server="lazy")
        rig.found.note("given up after", time.monotonic() - began, 2.5)
    assert found["state"] == "failed" and found["error"]["kind"] == "protocol", found
    rig.found.amount("RSS +", rig.rss() - before, 16)


@row(
    "R15", "a line without end", "reading stops at 16 MiB; kind `tooLarge`; restarted after 64 MiB", "2 s; RSS + 64 MiB"
)
async def test_a_line_without_end_costs_bounded_memory(rig: Rig) -> None:
    await rig.up(s=rig.server("list=endless_line"))
    before = rig.rss()
    async with rig.fault(1.0):
        error, took = await rig.failure("s", "endless_line")
        grown = rig.rss() - before
    assert error.data["kind"] in ("tooLarge", "exited"), error.message
    rig.found.note("error after", took, 2.0)
    rig.found.amount("RSS +", grown, 64)


@row("R16", "a result of exactly 16 MiB − 1", "delivered", "3 s")
async def test_the_largest_result_is_delivered(rig: Rig) -> None:
    await rig.up(s=rig.server("list=big"))
    async with rig.fault():
        began = time.monotonic()
        result = await call(rig.editor, "s", "big", bytes=16 * 2**20 - 1)
        rig.found.note("delivered after", time.monotonic() - began, 3.0)
    assert len(result["text"]) > 16_700_000


@row("R17", "100,000 levels of nesting in a result", "its call fails and names the server; the next call works", "1 s")
async def test_a_nesting_bomb_fails_its_own_call(rig: Rig) -> None:
    await rig.up(s=rig.server("list=deep"))
    async with rig.fault():
        error, took = await rig.failure("s", "deep", levels=100_000)
    assert error.data["kind"] == "protocol" and error.message.startswith("s: ")
    rig.found.note("error after", took, 1.0)
    assert (await call(rig.editor, "s", "echo", text="x"))["text"] == "x"


@smoke
@row(
    "R18",
    "10,000 answers with unknown, foreign and repeated ids",
    "ignored; each call has its own answer",
    "0 wrong answers",
)
async def test_foreign_answers_reach_nobody(rig: Rig) -> None:
    await rig.up(s=rig.server("list=tell,strangers,three_times"))
    async with rig.fault():
        for wrong in (424242, "nobody", -5, 1):
            message = {"jsonrpc": "2.0", "id": wrong, "result": {"content": [{"type": "text", "text": "wrong"}]}}
            assert (await call(rig.editor, "s", "tell", message=message, times=2500))["text"] == "ok"
        for number in range(20):
            assert (await call(rig.editor, "s", "strangers"))["text"] == "ok"
            assert (await call(rig.editor, "s", "three_times"))["text"] == "ok"
            assert (await call(rig.editor, "s", "echo", text=str(number)))["text"] == str(number)
    rig.found.note("0 wrong answers")


@row(
    "R19",
    "500 calls in flight, answered in any order, 20 times",
    "each caller has its own answer",
    "0 mismatches in 10,000",
)
async def test_answers_in_any_order_reach_their_callers(rig: Rig) -> None:
    await rig.up(s=rig.server("list=later"))
    wrong = 0
    async with rig.fault():
        for turn in range(20):
            texts = [f"{turn}-{number}" for number in range(500)]
            found = await asyncio.gather(*(call(rig.editor, "s", "later", text=text) for text in texts))
            wrong += sum(item["text"] != text for item, text in zip(found, texts, strict=True))
    assert wrong == 0
    rig.found.note("0 mismatches in 10,000")


@row(
    "R20",
    "30,000 `list_changed` in a burst",
    "read again at most once a second; the last state wins",
    "≤ 1 list/s",
)
async def test_a_storm_of_list_changes_is_one_list(rig: Rig) -> None:
    listed, log = Listed(rig.folder / "lists"), rig.folder / "log"
    listed.tools("changed")
    await rig.up(s=rig.server(listed.word, f"log={log}"))

    def lists() -> int:
        return sum(item.get("method") == "tools/list" for item in requests(log))

    before = lists()
    listed.tools("changed", "new")
    began = time.monotonic()
    async with rig.fault(1.0):
        for _ in range(6):
            await call(rig.editor, "s", "changed", times=5000)
        took = time.monotonic() - began
    assert lists() - before <= took + 2
    rig.found.note(f"{lists() - before} lists in {took:.1f} s")
    await rig.until("s", lambda found: found["tools"] == 2)


@row("R21", "50,000 progress notifications as fast as they go", "to the editor at most 10 a second of a call; the result arrives",
     "≤ 10/s")  # fmt: skip
async def test_a_storm_of_progress_is_thinned(rig: Rig) -> None:
    await rig.up(s=rig.server("list=progress"))
    async with rig.fault():
        began = time.monotonic()
        given = {"server": "s", "tool": "progress", "arguments": {"every": 0, "times": 50_000}}
        result = await rig.editor.request("workspace/executeCommand", {
            "command": "codeagent.callTool", "arguments": [given], "workDoneToken": "bar"}, 90)  # fmt: skip
        took = time.monotonic() - began
    assert result["text"] == "ok"
    shown = len(rig.editor.progress("bar"))
    assert shown <= 12 * (took + 1)
    rig.found.note(f"{shown} shown in {took:.1f} s")


@row("R22", "256 MiB on standard error", "drained at full speed; a bounded ring", "RSS + 8 MiB")
async def test_a_flood_of_standard_error_costs_no_memory(rig: Rig) -> None:
    await rig.up(s=rig.server("list=stderr"))
    await call(rig.editor, "s", "stderr", bytes=1_000_000)
    before = rig.rss()
    async with rig.fault():
        began = time.monotonic()
        await call(rig.editor, "s", "stderr", bytes=256 * 2**20)
        took = time.monotonic() - began
    rig.found.note(f"{256 / took:.0f} MiB/s")
    rig.found.amount("RSS +", rig.rss() - before, 8)


@row(
    "R23",
    "the server stops reading; its pipe fills",
    "its calls end at their limit; nobody else waits",
    "limit (2 s here) + 200 ms",
)
async def test_a_server_that_does_not_read_blocks_nobody(rig: Rig) -> None:
    await rig.up(s=rig.server("list=stop_reading", timeout=2000))
    await call(rig.editor, "s", "stop_reading")
    async with rig.fault():
        found = await asyncio.gather(*(rig.failure("s", "echo", text="x" * 100_000) for _ in range(40)))
    assert {error.data["kind"] for error, _ in found} <= {"timeout", "transport"}
    rig.found.note("over the limit by", max(took for _, took in found) - 2.0, 0.2)


@row("R24", "the server closes its output and lives on", "treated as gone; killed", "2 s")
async def test_closed_output_is_the_end(rig: Rig) -> None:
    await rig.up(s=rig.server("list=close_stdout"))
    pid = (await rig.status("s"))["pid"]
    async with rig.fault():
        error, took = await rig.failure("s", "close_stdout")
        assert error.data["kind"] in ("transport", "exited"), error.message
        began = time.monotonic()
        while alive(pid):
            await asyncio.sleep(0.02)
            assert time.monotonic() - began < 20
    rig.found.note("error after", took, 2.0)


@row("R25", "the server closes its input and lives on", "noticed; restarted", "1 s")
async def test_closed_input_is_noticed(rig: Rig) -> None:
    await rig.up(s=rig.server("list=close_stdin"))
    pid = (await rig.status("s"))["pid"]
    async with rig.fault():
        began = time.monotonic()
        await call(rig.editor, "s", "close_stdin")
        await rig.until("s", lambda found: "error" in found or found.get("pid") != pid)
        rig.found.note("noticed after", time.monotonic() - began, 1.0)
        await rig.until("s", lambda found: found["state"] == "ready" and found["pid"] != pid)


@smoke
@row(
    "R26",
    "the leader dies while a grandchild holds its pipes",
    "seen by the exit and not by the pipe; the group is killed",
    "2 s",
)
async def test_a_dead_leader_is_seen_behind_its_grandchild(rig: Rig) -> None:
    pids = rig.folder / "pids"
    await rig.up(s=rig.server("grandchild", f"pids={pids}", "list=die"))
    grandchild = int(pids.read_text())
    async with rig.fault():
        error, took = await rig.failure("s", "die")
        began = time.monotonic()
        while alive(grandchild):
            await asyncio.sleep(0.01)
            assert time.monotonic() - began < 10
    assert error.data["kind"] == "exited"
    rig.found.note("error after", took, 2.0)


@row("R27", "a daemon in a session of its own, orphaned by a double fork", "swept with its server", "3 s")
async def test_a_daemon_is_swept(rig: Rig) -> None:
    pids = rig.folder / "pids"
    await rig.up(s=rig.server("double_fork", "daemon", f"pids={pids}"))
    while len(pids.read_text().split()) < 2:
        await asyncio.sleep(0.02)
    strays = [int(pid) for pid in pids.read_text().split()]
    async with rig.fault():
        began = time.monotonic()
        await command(rig.editor, "codeagent.stop", server="s")
        while any(alive(pid) for pid in strays):
            await asyncio.sleep(0.02)
            assert time.monotonic() - began < 20
        rig.found.note("swept after", time.monotonic() - began, 3.0)


@row("R28", "the server ignores the end of its input and SIGTERM", "killed, with its group", "3.5 s")
async def test_a_stubborn_server_is_killed(rig: Rig) -> None:
    await rig.up(s=rig.server("ignore_eof", "ignore_term"))
    async with rig.fault():
        began = time.monotonic()
        found = await command(rig.editor, "codeagent.stop", server="s")
        rig.found.note("stopped after", time.monotonic() - began, 3.5)
    assert found["state"] == "stopped"


@row("R30", "the child is killed from outside, as for want of memory", "said, with the guess", "1 s")
async def test_a_child_that_was_killed_for_memory_is_said_so(rig: Rig) -> None:
    await rig.up(s=rig.server("list=never"))
    pending = await rig.begin("s", "never")
    pid = (await rig.status("s"))["pid"]
    async with rig.fault():
        began = time.monotonic()
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(Exception, match="out of memory"):
            await pending
        rig.found.note("error after", time.monotonic() - began, 1.0)


@row(
    "R31",
    "the child is stopped (SIGSTOP) for 3 s, then goes on",
    "not taken for dead; no crash counted",
    "call works after SIGCONT",
)
async def test_a_stopped_child_is_only_slow(rig: Rig) -> None:
    await rig.up(s=rig.server(timeout=20_000))
    pid = (await rig.status("s"))["pid"]
    async with rig.fault():
        os.kill(pid, signal.SIGSTOP)
        pending = await rig.begin("s", "echo", text="patience")
        await asyncio.sleep(3)
        assert not pending.future.done()
        os.kill(pid, signal.SIGCONT)
        assert (await pending)["text"] == "patience"
    found = await rig.status("s")
    assert (found["restarts"], found["pid"]) == (0, pid)
    rig.found.note("answered, 0 restarts")


@row("R32", "20 servers, idle", "nothing is polled", "0.2 % of a core")
async def test_idle_servers_cost_nothing(rig: Rig) -> None:
    await rig.editor.start(rig.workspace, user_config={"mcpServers": {f"s{n}": rig.server() for n in range(20)}})
    for number in range(20):
        await rig.until(f"s{number}", lambda found: found["state"] == "ready")
    await asyncio.sleep(1)
    before = rig.cpu()
    await asyncio.sleep(5)
    rig.found.amount("processor", 100 * (rig.cpu() - before) / 5, 0.4, "%")


@row("R35", "the same cursor for ever", "what came is listed, and it is said", "5 s")
async def test_endless_pages_end(rig: Rig) -> None:
    await rig.up(lazy=rig.server("endless_pages", autostart="onDemand"), wait=())
    async with rig.fault():
        began = time.monotonic()
        found = await command(rig.editor, "codeagent.start", server="lazy")
        rig.found.note("listed after", time.monotonic() - began, 5.0)
    assert found["state"] == "ready" and found["tools"] == 1


@row("R36", "10,000 tools of 2 KiB, in ten pages", "listed, looked up and called", "5 s; RSS + 150 MiB")
async def test_ten_thousand_tools_are_listed(rig: Rig) -> None:
    listed = Listed(rig.folder / "lists")
    schema = {"type": "object", "properties": {f"p{n}": {"type": "string", "description": "d" * 80} for n in range(15)}}
    for start in range(0, 10_000, 1000):
        names = range(start, start + 1000)
        page = [{"name": f"tool_{n}", "description": f"Tool {n}", "inputSchema": schema} for n in names]
        onward = {"nextCursor": str(start + 1000)} if start < 9000 else {}
        method = f"tools/list@{str(start).encode().hex()}" if start else "tools/list"
        listed.put(method, {"tools": page, **onward})
    await rig.up(lazy=rig.server(listed.word, autostart="onDemand"), wait=())
    before = rig.rss()
    async with rig.fault():
        began = time.monotonic()
        await command(rig.editor, "codeagent.start", server="lazy", within=120)
        await rig.until("lazy", lambda found: found["tools"] == 10_000, 120)
        rig.found.note("ready after", time.monotonic() - began, 5.0)
        began = time.monotonic()
        found = await command(rig.editor, "codeagent.listTools", server="lazy", within=120)
        rig.found.note("listed in", time.monotonic() - began, 5.0)
        began = time.monotonic()
        await call(rig.editor, "lazy", "tool_9999")
        rig.found.note("called in", time.monotonic() - began, 0.2)
    assert len([tool for tool in found["tools"] if tool["kind"] == "tool"]) == 10_000
    rig.found.amount("RSS +", rig.rss() - before, 150)


@row("R37", "a call that wants more input each time", "given up after 10 rounds", "10 rounds")
async def test_a_call_that_always_wants_more_is_given_up(rig: Rig) -> None:
    log = rig.folder / "log"
    await rig.up(s=rig.server("modern", "list=more_input", f"log={log}"))
    async with rig.fault():
        error, _ = await rig.failure("s", "more_input")
    assert "10 times" in error.message, error.message
    asked = len([method for method, _ in rig.editor.questions if method == "codeagent/elicit"])
    assert asked == 10, asked
    rig.found.note(f"{asked} questions, {len(calls(log))} requests")


@pytest.mark.parametrize("what", ["definition", "process"])
@row("R38", "the tool's definition, or the server's process, changes while the user looks at the question",
     "the answer is stale; nothing is sent", "0 calls")  # fmt: skip
async def test_an_answer_to_an_old_question_is_stale(rig: Rig, what: str) -> None:
    listed, log = Listed(rig.folder / "lists"), rig.folder / "log"
    tool: dict[str, Any] = {"name": "delete_it", "inputSchema": {"type": "object"}}
    listed.tools("changed", tool)
    entry = scripted(listed.word, f"log={log}", autoApprove=["changed"])

    async def answer(_: Any) -> Any:
        if what == "definition":
            listed.tools("changed", {**tool, "description": "something else"})
            await call(rig.editor, "s", "changed")
            await rig.editor.wait_for("codeagent/toolsChanged", lambda told: told["changed"], within=20)
        else:
            pid = (await rig.status("s"))["pid"]
            os.kill(pid, signal.SIGKILL)
            await rig.until("s", lambda found: found["state"] == "ready" and found["pid"] != pid)
        return {"decision": "once"}

    rig.editor.answer("codeagent/approveCall", answer)
    await rig.up(s=entry)
    async with rig.fault():
        error, _ = await rig.failure("s", "delete_it")
    assert error.data["kind"] == "stale", error.message
    assert "delete_it" not in [item["name"] for item in calls(log)]
    rig.found.note(f"{what}: 0 calls")


BOMBS: dict[str, tuple[dict[str, Any], Any]] = {
    "expression": ({"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}, {"a": "a" * 60 + "!"}),
    "alternatives": ({"anyOf": [{"anyOf": [{"type": "object", "required": [f"{i}{j}"]} for j in range(40)]} for i in range(40)]}, {}),
    "references": ({"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}}}, {}),
    "unique": ({"type": "object", "properties": {"a": {"type": "array", "uniqueItems": True}}},
               {"a": [{"x": i, "y": [i]} for i in range(3000)]}),
    "remote": ({"$ref": "http://127.0.0.1:9/x"}, {}),
}  # fmt: skip


@row("R40", "output schemas that are bombs: expressions, references, alternatives", "the result is delivered unchecked, with a note",
     "500 ms")  # fmt: skip
async def test_a_schema_bomb_costs_one_call_little(rig: Rig) -> None:
    listed = Listed(rig.folder / "lists")
    listed.tools(*({"name": n, "inputSchema": {"type": "object"}, "outputSchema": s} for n, (s, _) in BOMBS.items()))
    await rig.up(s=rig.server(listed.word))
    slowest = 0.0
    async with rig.fault():
        for name, (_, value) in BOMBS.items():
            began = time.monotonic()
            result = await call(rig.editor, "s", name, text="here", structured=value)
            slowest = max(slowest, time.monotonic() - began)
            assert result["text"] == "here"
    rig.found.note("slowest", slowest, 0.5)

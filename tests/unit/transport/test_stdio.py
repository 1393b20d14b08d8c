"""A server process under every fault: calls end with the right error, nothing hangs, nothing is left behind."""

import asyncio
import json
import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import pytest
import scripted_calls
from wire_bench import Bench, gone, run

from codeagent_lsp.errors import Exited, HostError, Protocol, SpawnFailed, TooLarge, Transport


async def call(client: Any, name: str, seconds: float = 5.0, **arguments: Any) -> Any:
    """The raw result of a call, or the failure as the transport explains it."""
    import mcp_types as types
    from pydantic import TypeAdapter

    request = types.CallToolRequest(params=types.CallToolRequestParams(name=name, arguments=arguments))
    try:
        with anyio.fail_after(seconds):
            return await client.session.send_request(request, TypeAdapter(dict[str, Any]))
    except TimeoutError:
        raise
    except Exception as error:
        return client.transport.explain(error) or error


def text(result: Any) -> str:
    assert isinstance(result, dict), repr(result)
    return result["content"][0]["text"]


# -- going right -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", [(), ("banner",), ("banner=2000",), ("init_garbage",), ("ping_first",), ("ask_roots",)]
)
def test_a_server_is_reached_whatever_it_prints_first(words: tuple[str, ...]) -> None:
    async def work(bench: Bench) -> None:
        async with bench.client(*words) as client:
            assert text(await call(client, "echo", text="hé 😀")) == "hé 😀"
            assert [tool.name for tool in (await client.list_tools()).tools] == ["echo"]
            assert client.transport.pid and client.transport.exit_code is None
        assert bench.lost == []

    run(work)


def test_chatter_is_shown_in_part_and_counted() -> None:
    async def work(bench: Bench) -> None:
        async with bench.client("banner=500"):
            pass
        assert bench.log().count("Line ") == 20 and "480 more lines on standard output" in bench.log()

    run(work)


@pytest.mark.parametrize("mode", ["auto", "2026-07-28"])
def test_the_newest_revision_is_spoken(mode: str) -> None:
    async def work(bench: Bench) -> None:
        async with bench.client("modern" if mode == "auto" else "pinned", mode=mode) as client:
            assert text(await call(client, "echo", text="x")) == "x"
            sent = json.loads(text(await call(client, "params", a=None)))
            assert sent["arguments"] == {"a": None} and "_meta" in sent

    run(work)


def test_a_process_can_be_started_before_anything_heavy_is_loaded() -> None:
    code = (
        "import asyncio, sys\n"
        f"sys.path[:0] = [{str(Path(__file__).parent)!r}]\n"
        "from wire_bench import Bench\n"
        "async def main():\n"
        "    bench = Bench()\n"
        "    transport = bench.stdio()\n"
        "    await transport.spawn()\n"
        "    heavy = {'mcp', 'mcp_types', 'pydantic', 'httpx2'} & set(sys.modules)\n"
        "    assert transport.pid and not heavy, heavy\n"
        "    await transport.close()\n"
        "    bench.reaper.close()\n"
        "asyncio.run(main())\n"
    )
    import subprocess

    subprocess.run([sys.executable, "-c", code], check=True, timeout=20)


def test_the_child_gets_exactly_its_environment_and_no_descriptors() -> None:
    os.environ["CODEAGENT_TEST_SECRET"] = "x"
    kept = os.open(__file__, os.O_RDONLY)
    os.set_inheritable(kept, True)

    async def work(bench: Bench) -> None:
        async with bench.client(env={"FOO": "1"}) as client:
            environment = json.loads(text(await call(client, "environment")))
            assert environment["FOO"] == "1" and "CODEAGENT_TEST_SECRET" not in environment
            assert json.loads(text(await call(client, "descriptors")))[:3] == [0, 1, 2]
            assert len(json.loads(text(await call(client, "descriptors")))) <= 4  # the listing itself is one

    try:
        run(work)
    finally:
        os.close(kept)
        del os.environ["CODEAGENT_TEST_SECRET"]


@pytest.mark.parametrize("name", sorted(scripted_calls.FRAMES))
def test_an_answer_that_is_odd_in_form_arrives_or_fails_at_once(name: str) -> None:
    async def work(bench: Bench) -> None:
        async with bench.client() as client:
            if name == "no_line_end":
                with pytest.raises(TimeoutError):
                    await call(client, name, seconds=0.3)
                return
            result = await call(client, name)
            if name in ("null_result", "text_error", "no_code", "null_id"):
                assert isinstance(result, Exception), result
            else:
                assert result["content"] == [] or result["content"][0]["type"] == "text"
            assert text(await call(client, "echo", text="still here")) == "still here"

    run(work)


def test_arguments_arrive_untouched() -> None:
    arguments = {"n": None, "i": 9007199254740993, "f": 1.0, "o": {"a": [{}]}, "s": "1", "u": "😀\u2028", "": [None]}

    async def work(bench: Bench) -> None:
        async with bench.client() as client:
            sent = json.loads(text(await call(client, "params", **arguments)))
            assert sent["arguments"] == arguments and isinstance(sent["arguments"]["f"], float)

    run(work)


def test_an_argument_with_a_lone_surrogate_is_sent_with_a_replacement() -> None:
    async def work(bench: Bench) -> None:
        async with bench.client() as client:
            assert text(await call(client, "echo", text="a\ud800b")) == "a\ufffdb"

    run(work)


def test_five_hundred_calls_at_once_each_get_their_own_answer() -> None:
    async def work(bench: Bench) -> None:
        async with bench.client() as client:
            results = await asyncio.gather(*(call(client, "echo", text=str(n), seconds=15) for n in range(500)))
            assert [text(result) for result in results] == [str(n) for n in range(500)]

    run(work)


# -- dying -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments", "code", "said"),
    [
        ("die", {"code": 9}, 9, "exited with code 9"),
        ("die", {"code": 0}, 0, "exited with code 0"),
        ("die", {"code": 127}, 127, "exited with code 127"),
        ("kill_self", {"signal": 9}, -9, "killed (signal 9, SIGKILL), maybe out of memory"),
        ("kill_self", {"signal": 11}, -11, "signal 11, SIGSEGV"),
        ("die_midway", {}, 9, "exited with code 9"),
    ],
)
def test_a_death_in_a_call_ends_every_call_with_its_reason(name: str, arguments: Any, code: int, said: str) -> None:
    async def work(bench: Bench) -> None:
        async with bench.client() as client:
            other = asyncio.create_task(call(client, "never", seconds=10))
            await asyncio.sleep(0)
            started = time.monotonic()
            errors = [await call(client, name, **arguments), await other, await call(client, "echo")]
            assert time.monotonic() - started < 1.5
            for error in errors:
                assert isinstance(error, Exited) and error.exit_code == code and said in error.message
                assert error.server == "s"
            if name != "die_midway":
                assert "about to" in errors[0].stderr_tail[-1] and "about to" in errors[0].message
            lost = await bench.loss(1)
            assert isinstance(lost, Exited) and len(bench.lost) == 1
            assert client.transport.exit_code == code
        assert len(bench.lost) == 1

    run(work)


def test_an_answer_that_comes_just_before_the_death_arrives() -> None:
    async def work(bench: Bench) -> None:
        async with bench.client() as client:
            assert text(await call(client, "answer_and_die")) == "ok"
            assert (await bench.loss()).kind == "exited"

    run(work)


def test_a_server_that_exits_at_once_says_why() -> None:
    async def work(bench: Bench) -> None:
        with pytest.raises(BaseException) as caught:
            async with bench.client("exit=3"):
                pass
        lost = await bench.loss(2)
        assert isinstance(lost, Exited) and lost.exit_code == 3 and "missing API key" in lost.message
        assert lost.stderr_tail == ["Traceback (most recent call last):", "  somewhere", "Error: missing API key"]
        assert caught.value

    run(work)


def test_the_last_words_are_those_of_this_run() -> None:
    async def work(bench: Bench) -> None:
        bench.journal.add("s", "stderr", "info", "of an earlier run")
        async with bench.client() as client:
            await call(client, "echo", text="x")
            os.kill(client.transport.pid, signal.SIGKILL)
            lost = await bench.loss(2)
        assert isinstance(lost, Exited) and lost.stderr_tail == []

    run(work)


def test_a_death_is_seen_although_a_grandchild_holds_the_pipes() -> None:
    async def work(bench: Bench) -> None:
        async with bench.client("grandchild", "daemon") as client:
            started = time.monotonic()
            assert isinstance(await call(client, "die"), Exited)
            assert time.monotonic() - started < 2
            await bench.no_orphans()

    run(work)


@pytest.mark.parametrize(("name", "said"), [("close_stdout", "standard output"), ("close_stdin", "standard input")])
def test_a_server_that_closes_a_pipe_and_lives_is_lost(name: str, said: str) -> None:
    async def work(bench: Bench) -> None:
        async with bench.client() as client:
            started = time.monotonic()
            await call(client, name)
            lost = await bench.loss(2)
            assert time.monotonic() - started < 2 and isinstance(lost, Transport) and said in lost.message
            assert isinstance(await call(client, "echo"), HostError)

    run(work)


def test_a_server_that_is_only_slow_is_not_given_up() -> None:
    async def work(bench: Bench) -> None:
        async with bench.client() as client:
            os.kill(client.transport.pid, signal.SIGSTOP)
            with pytest.raises(TimeoutError):
                await call(client, "echo", seconds=0.5)
            os.kill(client.transport.pid, signal.SIGCONT)
            assert text(await call(client, "echo", text="back")) == "back" and bench.lost == []

    run(work)


# -- too much ----------------------------------------------------------------------------------------------------------


def test_a_line_at_the_limit_arrives_and_one_above_fails_only_its_call() -> None:
    limit = 16 * 1024 * 1024

    async def work(bench: Bench) -> None:
        async with bench.client() as client:
            assert len(text(await call(client, "big", bytes=limit, seconds=15))) > limit - 200
            started = time.monotonic()
            error = await call(client, "big", bytes=17 * 1024 * 1024, seconds=15)
            assert isinstance(error, TooLarge) and time.monotonic() - started < 3, error
            assert text(await call(client, "echo", text="next")) == "next" and bench.lost == []

    run(work, 40)


def test_a_line_without_end_fails_its_call_at_once_and_the_server_in_the_end() -> None:
    async def work(bench: Bench) -> None:
        async with bench.client() as client:
            started = time.monotonic()
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            assert isinstance(await call(client, "endless_line"), TooLarge)
            assert time.monotonic() - started < 2
            assert isinstance(await bench.loss(10), TooLarge)
            assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024

    run(work)


@pytest.mark.parametrize(
    ("levels", "arrives"), [(100, True), (150, True), (250, False), (2_000, False), (10**5, False)]
)
def test_a_nesting_bomb_fails_only_its_call(levels: int, arrives: bool) -> None:
    async def work(bench: Bench) -> None:
        async with bench.client() as client:
            started = time.monotonic()
            result = await call(client, "deep", levels=levels)
            assert time.monotonic() - started < 1.5
            assert isinstance(result, dict if arrives else Protocol)
            assert text(await call(client, "echo", text="next")) == "next"

    run(work)


@pytest.mark.parametrize("argv", [["yes"], ["sh", "-c", "while :; do echo chatter; sleep 0.0005; done"]])
def test_nothing_but_chatter_is_given_up(argv: list[str]) -> None:
    async def work(bench: Bench) -> None:
        async with bench.stdio(argv=["/usr/bin/env", *argv]):
            started = time.monotonic()
            lost = await bench.loss(8)
            assert isinstance(lost, Protocol) and "no MCP message" in lost.message
            assert time.monotonic() - started > 1
        assert len(bench.log()) < 8_000

    run(work)


def test_a_flood_of_standard_error_neither_blocks_the_server_nor_fills_memory() -> None:
    async def work(bench: Bench) -> None:
        async with bench.client() as client:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            assert text(await call(client, "stderr", bytes=200 << 20, seconds=15)) == "ok"
            assert text(await call(client, "stderr", bytes=1 << 20, line=0)) == "ok"
            assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 16 * 1024
        assert "lines were left out" in bench.log()
        assert len(bench.journal.lines("s", 10_000)) < 1_900

    run(work, 30)


def test_a_server_that_stops_reading_blocks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeagent_lsp.transport.process.STUCK_AFTER", 0.5)

    async def work(bench: Bench) -> None:
        async with bench.client() as client:
            assert text(await call(client, "stop_reading")) == "ok"
            lag = asyncio.create_task(worst_lag(1.0))
            error = await call(client, "echo", text="x" * 2_000_000)
            assert isinstance(error, Transport) and "has read nothing" in error.message
            assert await lag < 0.3
            assert (await bench.loss()).kind == "transport"

    run(work)


async def worst_lag(seconds: float) -> float:
    """The longest that the loop kept us waiting."""
    end = time.monotonic() + seconds
    worst = 0.0
    while (now := time.monotonic()) < end:
        await asyncio.sleep(0.005)
        worst = max(worst, time.monotonic() - now - 0.005)
    return worst


# -- starting ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["/no/such/command"], "/no/such/command was not found. The PATH that was searched: "),
        ([__file__], "may not be executed"),
        (["/etc"], "is a directory"),
        (["a\0b"], "hold what no process can have"),
        ([], "no command"),
    ],
)
def test_what_cannot_be_started_says_why_at_once(argv: list[str], said: str) -> None:
    async def work(bench: Bench) -> None:
        started = time.monotonic()
        with pytest.raises(SpawnFailed) as caught:
            await bench.stdio(argv=argv).spawn()
        assert said in caught.value.message and caught.value.server == "s" and time.monotonic() - started < 3

    run(work)


def test_a_working_directory_that_is_not_there_is_named() -> None:
    async def work(bench: Bench) -> None:
        with pytest.raises(SpawnFailed, match=r"working directory /nonexistent does not exist"):
            await bench.stdio(argv=["/bin/true"], cwd=Path("/nonexistent")).spawn()

    run(work)


@pytest.mark.parametrize(("content", "said"), [("", "not a program"), ("#!/no/such/interpreter\n", "interpreter")])
def test_a_script_that_cannot_run_says_why(tmp_path: Path, content: str, said: str) -> None:
    script = tmp_path / "script"
    script.write_bytes(content.encode() or b"\x00\x01\x02")
    script.chmod(0o755)

    async def work(bench: Bench) -> None:
        with pytest.raises(SpawnFailed, match=said):
            await bench.stdio(argv=[str(script)]).spawn()

    run(work)


def test_without_descriptors_the_spawn_fails_and_may_be_tried_again() -> None:
    from codeagent_lsp.transport.deaths import retryable

    async def work(bench: Bench) -> None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        used = len(list(Path("/proc/self/fd").iterdir()))
        resource.setrlimit(resource.RLIMIT_NOFILE, (used + 1, hard))
        try:
            with pytest.raises(SpawnFailed) as caught:
                await bench.stdio().spawn()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert retryable(caught.value) and "out of resources" in caught.value.message
        async with bench.client() as client:
            assert text(await call(client, "echo", text="now")) == "now"

    run(work)


# -- ending ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "at_most"),
    [
        ((), 1.0),
        (("grandchild", "daemon"), 1.0),
        (("double_fork",), 1.0),
        (("leave_child",), 1.0),
        (("ignore_eof",), 3.0),
        (("ignore_eof", "ignore_term"), 4.0),
        (("ignore_eof", "ignore_term", "grandchild", "daemon", "double_fork"), 4.0),
        (("noread",), 3.0),
    ],
)
def test_leaving_ends_the_server_and_all_it_started(words: tuple[str, ...], at_most: float, tmp_path: Path) -> None:
    pids = tmp_path / "pids"

    async def work(bench: Bench) -> None:
        transport = bench.stdio(*words, f"pids={pids}")
        async with transport:
            if "noread" not in words:
                await until(lambda: not {"grandchild", "daemon", "double_fork"} & set(words) or pids.exists())
            await asyncio.sleep(0.2)
            started = time.monotonic()
        assert time.monotonic() - started < at_most
        assert transport.exit_code is not None and bench.lost == []
        await bench.no_orphans(0.5)

    run(work)


async def until(done: Any, seconds: float = 5.0) -> None:
    with anyio.fail_after(seconds):
        while not done():
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("cancels", [1, 2, 3])
def test_leaving_survives_being_cancelled_again_and_again(cancels: int) -> None:
    async def work(bench: Bench) -> None:
        up = asyncio.Event()

        async def owner() -> None:
            async with bench.client("ignore_eof", "ignore_term", "grandchild"):
                up.set()
                await asyncio.sleep(3600)

        task = asyncio.create_task(owner())
        await asyncio.wait_for(up.wait(), 5)
        for _ in range(cancels):
            task.cancel()
            await asyncio.sleep(0.1)
        done, _ = await asyncio.wait({task}, timeout=5)
        assert done
        await bench.no_orphans()

    run(work)


@pytest.mark.parametrize("moment", [0.0, 0.001, 0.01, 0.05, 0.2])
def test_a_start_that_is_cancelled_leaves_nothing(moment: float) -> None:
    async def work(bench: Bench) -> None:
        async def start() -> None:
            async with bench.client("init_silent"):
                pass

        task = asyncio.create_task(start())
        await asyncio.sleep(moment)
        task.cancel()
        await asyncio.wait({task}, timeout=5)
        assert task.done()
        await bench.no_orphans()

    run(work)


def test_a_transport_that_was_spawned_and_never_entered_can_be_closed() -> None:
    async def work(bench: Bench) -> None:
        transport = bench.stdio("grandchild")
        await transport.spawn()
        await transport.close()
        await transport.close()
        assert transport.exit_code is not None

    run(work)


def test_a_process_does_not_outlive_the_task_that_spawned_it_and_was_cancelled() -> None:
    async def work(bench: Bench) -> None:
        transport = bench.stdio("grandchild", "ignore_term")

        async def owner() -> None:
            await transport.spawn()
            await asyncio.sleep(3600)

        task = asyncio.create_task(owner())
        await until(lambda: transport.pid is not None)
        task.cancel()
        await asyncio.wait({task})
        await bench.no_orphans(1)
        assert bench.lost == []

    run(work)


def test_a_hundred_lives_leave_no_descriptor_task_or_process() -> None:
    async def work(bench: Bench) -> None:
        async def life(number: int) -> None:
            argv = ["/bin/sh", "-c", ["exit 3", "cat", "sleep 600", "echo hi; exec cat"][number % 4]]
            async with bench.stdio(argv=argv):
                await asyncio.sleep(0.01 * (number % 3))

        await life(1)
        await asyncio.sleep(0.1)
        before, tasks = len(list(Path("/proc/self/fd").iterdir())), len(asyncio.all_tasks())
        for start in range(0, 100, 50):
            await asyncio.gather(*(life(number) for number in range(start, start + 50)))
        await asyncio.sleep(0.1)
        assert len(list(Path("/proc/self/fd").iterdir())) <= before + 1
        assert len(asyncio.all_tasks()) == tasks

    run(work, 60)


def test_twenty_servers_end_together(tmp_path: Path) -> None:
    async def work(bench: Bench) -> None:
        transports = [bench.stdio(*(("ignore_eof", "ignore_term") if n < 5 else ())) for n in range(20)]
        for transport in transports:
            await transport.__aenter__()
        await asyncio.sleep(1.0)
        started = time.monotonic()
        await asyncio.gather(*(transport.close() for transport in transports))
        assert time.monotonic() - started < 5

    run(work, 40)


# -- our own end -------------------------------------------------------------------------------------------------------

HOST = """
import asyncio, os, sys
sys.path.insert(0, {here!r})
from wire_bench import Bench
async def main():
    bench = Bench()
    bench.id = {marker!r}
    for words in ((), ("grandchild", "ignore_term"), ("daemon", "ignore_term", "ignore_eof"), ("double_fork",)):
        await bench.stdio(*words).__aenter__()
    await asyncio.sleep(1.0)
    print(os.getpid(), bench.reaper.pid, flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, "guardian first"])
def test_a_host_that_is_killed_leaves_no_server(end: Any) -> None:
    import subprocess

    from wire_bench import alive_with

    async def work(bench: Bench) -> None:
        code = HOST.format(here=str(Path(__file__).parent), marker=bench.id)
        host = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        assert host.stdout is not None
        line = await asyncio.wait_for(asyncio.to_thread(host.stdout.readline), 15)
        host_pid, guardian = map(int, line.split())
        assert len(alive_with(bench.id)) >= 7
        if end == "guardian first":
            os.kill(guardian, signal.SIGKILL)
            await asyncio.sleep(1.0)
        os.kill(host_pid, end if isinstance(end, signal.Signals) else signal.SIGKILL)
        host.wait()
        await gone(lambda: alive_with(bench.id), 2.5)
        host.stdout.close()

    run(work, 40)

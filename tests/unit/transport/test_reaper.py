"""The guardian ends what is registered when its host goes, and is started again when it is killed."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from typing import Any

from wire_bench import Bench, gone, run

from codeagent_lsp.transport.reaper import TOKEN_VARIABLE, Reaper


def sleeper(*, trap: bool = False, token: str = "") -> "subprocess.Popen[bytes]":
    code = "import signal, time\n" + ("signal.signal(15, signal.SIG_IGN)\n" if trap else "") + "time.sleep(600)"
    environment = {"PATH": os.environ["PATH"], **({TOKEN_VARIABLE: token} if token else {})}
    return subprocess.Popen([sys.executable, "-I", "-S", "-c", code], start_new_session=True, env=environment)


def alive(*processes: Any) -> list[int]:
    return [process.pid for process in processes if process.poll() is None]


def test_what_is_registered_dies_with_us_and_what_is_not_lives() -> None:
    async def work(bench: Bench) -> None:
        reaper = Reaper()
        ours, stubborn, dropped, stranger = sleeper(), sleeper(trap=True), sleeper(), sleeper()
        stray = sleeper(token=reaper.mark())
        try:
            for process in (ours, stubborn, dropped):
                reaper.add(process.pid)
            reaper.drop(dropped.pid)
            await asyncio.sleep(0.3)
            started = time.monotonic()
            reaper.close()
            await gone(lambda: alive(ours, stubborn, stray), 2.0)
            assert time.monotonic() - started < 2.0
            assert alive(dropped, stranger) == [dropped.pid, stranger.pid]
        finally:
            for process in (ours, stubborn, dropped, stranger, stray):
                process.kill()
                process.wait()

    run(work)


def test_a_guardian_that_is_killed_is_replaced_and_knows_everything() -> None:
    async def work(bench: Bench) -> None:
        reaper = Reaper()
        process = sleeper()
        try:
            reaper.add(process.pid)
            first = reaper.pid
            assert first is not None
            os.kill(first, signal.SIGKILL)
            await gone(lambda: [first] if reaper.pid in (first, None) else [], 1.0)
            await asyncio.sleep(0.3)
            reaper.close()
            await gone(lambda: alive(process), 2.0)
        finally:
            process.kill()
            process.wait()

    run(work)


def test_a_guardian_that_dies_again_and_again_is_not_started_for_ever() -> None:
    async def work(bench: Bench) -> None:
        reaper = Reaper(clock=lambda: 0.0)
        process = sleeper()
        seen: set[int] = set()
        try:
            reaper.add(process.pid)
            for _ in range(20):
                if reaper.pid is None:
                    break
                seen.add(reaper.pid)
                os.kill(reaper.pid, signal.SIGKILL)
                await asyncio.sleep(0.1)
            assert reaper.pid is None and len(seen) == 5
        finally:
            reaper.close()
            process.kill()
            process.wait()

    run(work)


def test_starting_the_guardian_delays_nothing() -> None:
    async def work(bench: Bench) -> None:
        reaper = Reaper()
        process = sleeper()
        try:
            started = time.monotonic()
            reaper.add(process.pid)
            assert time.monotonic() - started < 1
        finally:
            reaper.close()
            process.kill()
            process.wait()

    run(work)


def test_no_server_needs_no_guardian() -> None:
    async def work(bench: Bench) -> None:
        reaper = Reaper()
        reaper.drop(4_000_000)
        assert reaper.pid is None
        reaper.close()

    run(work)


def test_marks_do_not_contain_each_other() -> None:
    reaper = Reaper()
    marks = [reaper.mark() for _ in range(120)]
    assert not any(one in other for one in marks for other in marks if one is not other)
    assert all(reaper.token in mark for mark in marks)

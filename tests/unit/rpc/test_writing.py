"""An editor that does not read: the event loop goes on, nothing that matters is lost, and in the end we leave."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from codeagent_lsp.rpc import Bounds, StdioWire, serve
from editor_client import StrictReader, frame
from tiny_lsp import TinyServer

INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"processId": None, "capabilities": {}}}


class Pipes:
    """A server on two pipes, read only when a test says so."""

    def __init__(self) -> None:
        self.server = TinyServer()
        self.stopped = 0
        in_read, self._to_server = os.pipe()
        self._from_server, out_write = os.pipe()
        self._wire = StdioWire(in_read, out_write)
        self._wire.owns_process = False
        self._fds = [in_read, self._to_server, self._from_server, out_write]
        self._reader = StrictReader()

    def serve(self, bounds: Bounds | None = None) -> "asyncio.Task[int]":
        async def on_stop() -> None:
            self.stopped += 1

        self.task = asyncio.create_task(serve(self.server, on_stop, self._wire, bounds))
        self.send(INITIALIZE)
        return self.task

    def send(self, *messages: dict[str, Any]) -> None:
        os.write(self._to_server, b"".join(map(frame, messages)))

    def command(self, number: int, command: str, **params: Any) -> None:
        params = {"command": command, "arguments": [params]}
        self.send({"jsonrpc": "2.0", "id": number, "method": "workspace/executeCommand", "params": params})

    async def read_until(self, number: int, within: float = 5) -> list[dict[str, Any]]:
        seen: list[dict[str, Any]] = []
        async with asyncio.timeout(within):
            while not any(message.get("id") == number for message in seen):
                seen += self._reader.feed(await asyncio.to_thread(os.read, self._from_server, 1 << 16))
        return seen

    def stop_reading(self) -> None:
        os.close(self._from_server)
        self._fds.remove(self._from_server)

    def hang_up(self) -> None:
        os.close(self._to_server)
        self._fds.remove(self._to_server)

    def close(self) -> None:
        for fd in self._fds:
            os.close(fd)


@pytest.fixture
async def pipes() -> AsyncIterator[Pipes]:
    pipes = Pipes()
    yield pipes
    if pipes._to_server in pipes._fds:
        pipes.hang_up()
    if pipes._from_server in pipes._fds:
        pipes.stop_reading()
    await asyncio.wait({pipes.task}, timeout=8)
    pipes.close()


class Lag:
    """The longest time that the event loop was away."""

    longest = 0.0

    async def __aenter__(self) -> "Lag":
        self._task = asyncio.create_task(self._measure())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()

    async def _measure(self) -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            self.longest = max(self.longest, time.perf_counter() - before - 0.005)


async def test_the_loop_goes_on_and_calls_are_served_while_nobody_reads(pipes: Pipes) -> None:
    pipes.serve()
    await pipes.read_until(0)
    async with Lag() as lag:
        pipes.command(1, "tiny.flood", count=0, size=3_000_000)
        for number in range(2, 40):
            pipes.command(number, "tiny.flood", count=20)
        async with asyncio.timeout(5):
            while pipes.server.flooded < 39:
                await asyncio.sleep(0.01)
    assert lag.longest < 0.25  # the bound is 50 ms; these machines are busy
    seen = await pipes.read_until(39)
    assert [message["id"] for message in seen if "id" in message] == list(range(1, 40))


async def test_progress_is_superseded_while_nobody_reads_and_answers_are_not(pipes: Pipes) -> None:
    pipes.serve()
    await pipes.read_until(0)
    pipes.command(1, "tiny.flood", count=0, size=1_000_000)
    async with asyncio.timeout(5):
        while pipes.server.flooded < 1:  # the pipe is full from here on
            await asyncio.sleep(0.01)
        pipes.command(2, "tiny.progress", count=5000)
        while pipes.server.reported < 5000:
            await asyncio.sleep(0.01)
    seen = await pipes.read_until(2)
    reports = [message["params"]["value"]["message"] for message in seen if message.get("method") == "$/progress"]
    assert reports[-1] == "4999"
    assert len(reports) < 50


async def test_no_more_is_taken_on_while_the_queue_is_full_and_nothing_is_lost(pipes: Pipes) -> None:
    pipes.serve()
    await pipes.read_until(0)
    pipes.command(1, "tiny.flood", count=12_000, method="tiny/news")
    async with asyncio.timeout(5):
        while pipes.server.flooded < 1:
            await asyncio.sleep(0.01)
    notes = [{"jsonrpc": "2.0", "method": "tiny/note", "params": {"n": n, "x": "x" * 60_000}} for n in range(30)]
    sending = asyncio.create_task(asyncio.to_thread(pipes.send, *notes))
    await asyncio.wait({sending}, timeout=0.3)
    assert not sending.done()
    assert len(pipes.server.received) < 10
    await pipes.read_until(1, within=10)
    await asyncio.wait_for(sending, 5)
    pipes.command(2, "tiny.echo")
    await pipes.read_until(2)
    assert [note["n"] for note in pipes.server.received] == list(range(30))


async def test_an_editor_that_never_reads_again_is_left_in_good_order(pipes: Pipes) -> None:
    running = pipes.serve(Bounds(parent_poll=0.05, not_reading=0.3, drain=0.1))
    await pipes.read_until(0)
    pipes.command(1, "tiny.flood", count=12_000, method="tiny/news")
    assert await asyncio.wait_for(running, 8) == 1
    assert pipes.stopped == 1


async def test_an_editor_that_pauses_with_little_waiting_is_waited_for(pipes: Pipes) -> None:
    running = pipes.serve(Bounds(parent_poll=0.02, not_reading=0.1))
    await pipes.read_until(0)
    pipes.command(1, "tiny.flood", count=500)
    await asyncio.wait({running}, timeout=0.5)
    assert not running.done()
    await pipes.read_until(1)


async def test_a_closed_output_ends_it_with_the_next_message(pipes: Pipes) -> None:
    running = pipes.serve()
    await pipes.read_until(0)
    pipes.stop_reading()
    pipes.command(1, "tiny.flood", count=100)
    assert await asyncio.wait_for(running, 2) == 1
    assert pipes.stopped == 1


async def test_the_last_answers_are_written_before_the_end(pipes: Pipes) -> None:
    running = pipes.serve()
    pipes.command(1, "tiny.flood", count=0, size=60_000)
    pipes.send({"jsonrpc": "2.0", "id": 2, "method": "shutdown"})
    pipes.send({"jsonrpc": "2.0", "method": "exit"})
    seen = await pipes.read_until(2)
    assert {message.get("id") for message in seen} == {0, 1, 2}
    assert await asyncio.wait_for(running, 2) == 0


@pytest.mark.parametrize("fails", [True, False])
async def test_a_clean_up_that_fails_or_hangs_does_not_keep_it(pipes: Pipes, fails: bool) -> None:
    async def on_stop() -> None:
        if fails:
            raise RuntimeError("no")
        await asyncio.Event().wait()

    pipes.task = asyncio.create_task(serve(pipes.server, on_stop, pipes._wire, Bounds(stop=0.1)))
    pipes.send({"jsonrpc": "2.0", "method": "exit"})
    assert await asyncio.wait_for(pipes.task, 2) == 1

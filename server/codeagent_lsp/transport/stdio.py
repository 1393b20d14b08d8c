"""A server as a child process: MCP messages over its standard input and output, one JSON object a line.

Source: MCP, "Transports / stdio". Nothing here imports `mcp` before the streams are opened, so a process can be on its
way up while that takes its half second.
"""

import asyncio
import copy
import json
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

import anyio

from codeagent_lsp.errors import Exited, HostError, SpawnFailed, TooLarge, Transport
from codeagent_lsp.journal import Journal
from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.text import well_formed
from codeagent_lsp.transport.batch import Batch
from codeagent_lsp.transport.deaths import exited, spawn_failed
from codeagent_lsp.transport.failures import closed, failure_of
from codeagent_lsp.transport.garbage import GarbageLog
from codeagent_lsp.transport.lines import LineSplitter, Oversized
from codeagent_lsp.transport.messages import Messages
from codeagent_lsp.transport.process import Child, NotReading, spawn
from codeagent_lsp.transport.reaper import TOKEN_VARIABLE, Reaper
from codeagent_lsp.transport.stderr import ServerLog

if TYPE_CHECKING:
    from codeagent_lsp.config.launch import Launch
    from codeagent_lsp.transport.dispatcher import Dispatcher

MAX_LINE = 16 * 1024 * 1024
"""Bytes of one message that are read."""

MAX_ENDLESS = 4 * MAX_LINE
"""Bytes without a line end after which the server is given up."""

CHUNK = 64 * 1024
LINES_PER_TURN = 200
"""Lines that are looked at before everybody else has a turn."""

SETTLE = 0.3
"""Seconds that the rest of the output may take after the process has ended, or the exit after the output has."""


class StdioTransport:
    """One launch of one server. `spawn` it, then enter it once: it yields the dispatcher.

    `on_lost` is called at most once, with why, if the server is gone or of no use any more without having been
    stopped. Leaving ends the process and everything it started.
    """

    kind: Literal["stdio"] = "stdio"
    older = False
    """Whether another transport should be tried: never, for a process."""

    def __init__(
        self,
        launch: "Launch",
        *,
        journal: Journal,
        reaper: Reaper,
        on_lost: Callable[[HostError], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._launch = launch
        self._server = launch.server
        self._reaper = reaper
        self._on_lost = on_lost
        self._log = ServerLog(launch.server, journal, clock=clock)
        self._child: Child | None = None
        self._lost: HostError | None = None
        self._stopping = False
        self._garbage = GarbageLog(self._log.say, clock=clock)
        self._messages = Messages(self._log.say, server=launch.server, on_garbage=self._garbage.add)
        self._changed = asyncio.Event()
        self._trouble: str | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._dispatcher: Dispatcher | None = None

    # -- what is known ---------------------------------------------------------------------------------------------

    @property
    def pid(self) -> int | None:
        """The process id, once there is a process."""
        return self._child.pid if self._child is not None else None

    @property
    def exit_code(self) -> int | None:
        """How the process ended: negative for a signal; None while it runs."""
        return self._child.exit_code if self._child is not None else None

    def explain(self, error: BaseException) -> HostError | None:
        """What really happened, where this transport knows better than the error that reached the session."""
        known = failure_of(error)
        if known is None and closed(error):
            known = self._lost or (self._exited() if self._gone() else None)
        return copy.copy(known)

    def failure(self, default: HostError) -> HostError:
        """Why the connection ended: what was lost, the exit of the process, or `default`."""
        return copy.copy(self._lost or (self._exited() if self._gone() else default))

    # -- life ------------------------------------------------------------------------------------------------------

    async def spawn(self) -> None:
        """Start the process; returns as soon as it runs. Raises `errors.SpawnFailed`, with the `OSError` as cause."""
        argv = self._launch.argv
        if not argv:
            raise SpawnFailed("has no command to run.", server=self._server)
        token = self._reaper.prepare()
        try:
            self._child = await spawn(
                argv,
                cwd=self._launch.cwd,
                env=self._launch.env,
                token=(TOKEN_VARIABLE, token),
                on_stderr=self._log.feed,
                on_change=self._changed.set,
            )
        except (OSError, ValueError) as error:
            raise spawn_failed(self._launch, error) from error
        self._reaper.add(self._child.pid)
        owner = asyncio.current_task()
        if owner is not None:
            owner.add_done_callback(self._abandoned)

    def _abandoned(self, owner: "asyncio.Task[Any]") -> None:
        """Whoever spawned it was cancelled before it could enter: the process must not outlive that."""
        if not self._tasks and not self._stopping:
            self._stopping = True
            self._end_now()

    @asynccontextmanager
    async def dispatcher(self) -> "AsyncGenerator[Dispatcher]":
        """What `mcp`'s client session speaks through. The process ends with it."""
        async with self as dispatcher:
            yield dispatcher

    async def __aenter__(self) -> "Dispatcher":
        from codeagent_lsp.transport.dispatcher import Dispatcher

        if self._child is None:
            await self.spawn()
        assert self._child is not None
        self._dispatcher = Dispatcher(partial(self._write, self._child))
        self._tasks = [
            asyncio.create_task(self._read(self._child, self._dispatcher), name=f"read:{self._server}"),
            asyncio.create_task(self._watch(self._child), name=f"watch:{self._server}"),
        ]
        return self._dispatcher

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End the process and all it started, however often this is cancelled meanwhile. Does nothing twice."""
        self._stopping = True
        try:
            with anyio.CancelScope(shield=True):
                if self._dispatcher is not None:
                    self._dispatcher.close()  # the reader goes on, into nothing
                    self._dispatcher.started.set()
                if self._child is not None:
                    await self._child.stop(at_once=self._lost is not None)
        finally:
            self._end_now()

    def _end_now(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._reaper.drop(self._child.pid)
        for task in self._tasks:
            task.cancel()
        if self._dispatcher is not None:
            self._dispatcher.close()
        self._garbage.flush()
        self._log.close()

    def _lose(self, error: HostError) -> None:
        if self._lost is not None or self._stopping:
            return
        error.server = error.server or self._server
        self._lost = error
        if self._dispatcher is not None:
            self._dispatcher.close()  # every request that is open ends now
        self._on_lost(copy.copy(error))

    # -- the tasks -------------------------------------------------------------------------------------------------

    async def _read(self, child: Child, dispatcher: "Dispatcher") -> None:
        splitter = LineSplitter(MAX_LINE)
        told = False  # whether the line that is coming in has been given up already
        lines = 0
        while self._lost is None and (data := await child.stdout.read(CHUNK)):
            batch = Batch()
            for line in splitter.feed(data):
                if not told:
                    self._look_at(line, batch)
                told = False
                if (lines := lines + 1) % LINES_PER_TURN == 0:
                    await asyncio.sleep(0)
            await self._deliver(batch, dispatcher)
            if not told and (over := splitter.over) is not None:
                told = True
                await self._take(over, dispatcher)
            if splitter.size > MAX_ENDLESS:
                self._lose(TooLarge(f"wrote more than {MAX_ENDLESS >> 20} MiB without the end of a message."))
            if len(data) >= CHUNK:  # there is more: everybody else has a turn first
                await asyncio.sleep(0)
        rest = splitter.rest()
        if rest is not None and not told:
            await self._take(rest, dispatcher)

    async def _take(self, line: bytes | Oversized, dispatcher: "Dispatcher") -> None:
        batch = Batch()
        self._look_at(line, batch)
        await self._deliver(batch, dispatcher)

    async def _deliver(self, batch: Batch, dispatcher: "Dispatcher") -> None:
        if not batch.empty:
            await dispatcher.started.wait()
            batch.pass_to(dispatcher.receive)

    def _look_at(self, line: bytes | Oversized, batch: Batch) -> None:
        if self._stopping or self._lost is not None:
            return
        for message in self._messages.parse(line):
            batch.add(message)
        hopeless = self._garbage.verdict(self._messages.counts)
        if hopeless is not None:
            self._lose(hopeless)

    async def _write(self, child: Child, message: JsonObject) -> None:
        """Write a message; where that cannot be done the connection is lost, and ends whoever waits for an answer."""
        try:
            if not child.writable:
                await child.room()
            self._messages.note_request(message)
            child.write(_encode(message) + b"\n")
            if not child.writable:
                await child.room()
        except NotReading as error:
            self._trouble = f"cannot be written to: {error}."
            self._changed.set()

    async def _watch(self, child: Child) -> None:
        reader = self._tasks[0]
        reader.add_done_callback(lambda _: self._changed.set())
        while not (child.exited.is_set() or child.deaf or self._trouble or reader.done()):
            self._changed.clear()
            await self._changed.wait()
        # The end of a pipe and the end of the process come in any order: the process has the better story.
        await _within(SETTLE, child.exited.wait())
        if child.exited.is_set():
            await asyncio.wait({reader}, timeout=SETTLE)
            await _within(SETTLE, child.stderr_ended.wait())
            self._lose(self._exited())
        elif self._trouble is not None:
            self._lose(Transport(self._trouble))
        elif child.deaf:
            self._lose(Transport("closed its standard input, so it can be asked nothing any more."))
        else:
            self._lose(Transport("closed its standard output, so it can answer nothing any more."))

    def _gone(self) -> bool:
        return self._child is not None and self._child.exited.is_set()

    def _exited(self) -> Exited:
        return exited(self._server, self.exit_code, self._log.tail())


def _encode(message: JsonObject) -> bytes:
    try:
        return json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except ValueError:  # a lone surrogate or an infinity: the editor's JSON may hold one, UTF-8 and JSON may not
        return json.dumps(well_formed(message), ensure_ascii=False, separators=(",", ":")).encode()


async def _within(seconds: float, waiting: Coroutine[Any, Any, Any]) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(waiting, seconds)

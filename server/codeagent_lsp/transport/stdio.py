"""A server as a child process: MCP messages over its standard input and output, one JSON object a line.

Source: MCP, "Transports / stdio". Nothing here imports `mcp` before the streams are opened, so a process can be on its
way up while that takes its half second.
"""

import asyncio
import copy
import json
import time
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

import anyio

from codeagent_lsp.errors import Exited, HostError, SpawnFailed, TooLarge, Transport
from codeagent_lsp.journal import Journal
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
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.shared.message import SessionMessage

    from codeagent_lsp.config.launch import Launch

MAX_LINE = 16 * 1024 * 1024
"""Bytes of one message that are read."""

MAX_ENDLESS = 4 * MAX_LINE
"""Bytes without a line end after which the server is given up."""

CHUNK = 64 * 1024
LINES_PER_TURN = 200
"""Lines that are looked at before everybody else has a turn."""

READ_AHEAD = 64
"""Messages that may wait for the session."""

WRITE_AHEAD = 256
"""Messages that may wait to be written. A caller's own time limit runs while they wait."""

SETTLE = 0.3
"""Seconds that the rest of the output may take after the process has ended, or the exit after the output has."""


class StdioTransport:
    """One launch of one server. `spawn` it, then enter it once: it yields the read and the write stream.

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
        self._ends: tuple[Any, ...] = ()
        self._tasks: list[asyncio.Task[None]] = []
        self._incoming: MemoryObjectSendStream[SessionMessage | Exception] | None = None

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

    def streams(self) -> "AbstractAsyncContextManager[tuple[Any, Any]]":
        """The transport itself, as `mcp`'s client takes it."""
        return self

    async def __aenter__(self) -> "tuple[MemoryObjectReceiveStream[Any], MemoryObjectSendStream[Any]]":
        if self._child is None:
            await self.spawn()
        incoming, read = anyio.create_memory_object_stream[Any](READ_AHEAD)
        write, outgoing = anyio.create_memory_object_stream[Any](WRITE_AHEAD)
        self._incoming = incoming
        self._ends = (read, write)
        assert self._child is not None
        self._tasks = [
            asyncio.create_task(self._read(self._child, incoming), name=f"read:{self._server}"),
            asyncio.create_task(self._write(self._child, outgoing), name=f"write:{self._server}"),
            asyncio.create_task(self._watch(self._child), name=f"watch:{self._server}"),
        ]
        return read, write

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End the process and all it started, however often this is cancelled meanwhile. Does nothing twice."""
        self._stopping = True
        try:
            with anyio.CancelScope(shield=True):
                for end in self._ends:
                    end.close()
                if self._tasks:
                    # What was accepted is still written, for a moment; the reader goes on, into nothing.
                    await asyncio.wait({self._tasks[1]}, timeout=SETTLE)
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
        for end in (*self._ends, self._incoming):
            if end is not None:
                end.close()
        self._garbage.flush()
        self._log.close()

    def _lose(self, error: HostError) -> None:
        if self._lost is not None or self._stopping:
            return
        error.server = error.server or self._server
        self._lost = error
        if self._incoming is not None:
            self._incoming.close()  # every request that is open ends now
        self._on_lost(copy.copy(error))

    # -- the three tasks -------------------------------------------------------------------------------------------

    async def _read(self, child: Child, incoming: "MemoryObjectSendStream[Any]") -> None:
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
            await self._deliver(batch, incoming)
            if not told and (over := splitter.over) is not None:
                told = True
                await self._take(over, incoming)
            if splitter.size > MAX_ENDLESS:
                self._lose(TooLarge(f"wrote more than {MAX_ENDLESS >> 20} MiB without the end of a message."))
            if len(data) >= CHUNK:  # there is more: everybody else has a turn first
                await asyncio.sleep(0)
        rest = splitter.rest()
        if rest is not None and not told:
            await self._take(rest, incoming)

    async def _take(self, line: bytes | Oversized, incoming: "MemoryObjectSendStream[Any]") -> None:
        batch = Batch()
        self._look_at(line, batch)
        await self._deliver(batch, incoming)

    async def _deliver(self, batch: Batch, incoming: "MemoryObjectSendStream[Any]") -> None:
        for message in batch.messages():
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                try:
                    incoming.send_nowait(message)
                except anyio.WouldBlock:
                    await incoming.send(message)

    def _look_at(self, line: bytes | Oversized, batch: Batch) -> None:
        if self._stopping or self._lost is not None:
            return
        for message in self._messages.parse(line):
            batch.add(message)
        hopeless = self._garbage.verdict(self._messages.counts)
        if hopeless is not None:
            self._lose(hopeless)

    async def _write(self, child: Child, outgoing: "MemoryObjectReceiveStream[SessionMessage]") -> None:
        async for item in outgoing:
            self._messages.note_request(item.message)
            try:
                await child.write(_encode(item.message) + b"\n")
            except NotReading as error:
                self._trouble = f"cannot be written to: {error}."
                self._changed.set()
                return

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


def _encode(message: Any) -> bytes:
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode()
    except ValueError:  # a lone surrogate: the editor's JSON may hold one, UTF-8 may not
        plain = message.model_dump(by_alias=True, mode="json", exclude_unset=True)
        return json.dumps(well_formed(plain), ensure_ascii=False).encode()


async def _within(seconds: float, waiting: Coroutine[Any, Any, Any]) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(waiting, seconds)

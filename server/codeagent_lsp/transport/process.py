"""One server process: started in a group of its own, watched by its exit, ended with everything it started.

The exit is what counts, not the end of the pipes: a grandchild may hold those open for ever.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast

READ_LIMIT = 512 * 1024
"""Bytes of output that are read ahead; twice as many, and the server has to wait."""

WRITE_LIMIT = 64 * 1024
"""Bytes that may wait to be written before a writer has to."""

STUCK_AFTER = 10.0
"""Seconds without a single byte taken, after which a server counts as not reading."""

EOF_GRACE = 2.0
TERM_GRACE = 1.0
"""Seconds between the end of its input and SIGTERM, and between that and SIGKILL (MCP, "Lifecycle / Shutdown")."""


class NotReading(Exception):
    """The process does not take what is written to it."""


class Child(asyncio.SubprocessProtocol):
    """A running process. Made by `spawn` only."""

    def __init__(self, on_stderr: Callable[[bytes], None], on_change: Callable[[], None], token: str) -> None:
        self.stdout = asyncio.StreamReader(limit=READ_LIMIT)
        self.exited = asyncio.Event()
        self.stderr_ended = asyncio.Event()
        self.exit_code: int | None = None
        self.deaf = False
        """Whether it has closed its standard input."""
        self.pid = 0
        self._closing = False
        self._token = token.encode()
        self._on_stderr = on_stderr
        self._on_change = on_change
        self._writable = asyncio.Event()
        self._writable.set()
        self._transport: asyncio.SubprocessTransport | None = None

    # -- what asyncio tells ----------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)
        self.pid = self._transport.get_pid()
        out = self._transport.get_pipe_transport(1)
        if out is not None:
            self.stdout.set_transport(out)
        stdin = self._stdin()
        if stdin is not None:
            stdin.set_write_buffer_limits(high=WRITE_LIMIT)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self.stdout.feed_data(data)
        else:
            self._on_stderr(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 1:
            self.stdout.feed_eof()
        elif fd == 2:
            self.stderr_ended.set()
        elif fd == 0:
            self.deaf = True
            self._writable.set()
            self._on_change()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def process_exited(self) -> None:
        assert self._transport is not None
        self.exit_code = self._transport.get_returncode()
        self.exited.set()
        if self._closing:
            self._signal_group(signal.SIGKILL)
            self._transport.close()
        else:
            self._kill_strays()  # what it left behind would hold the pipes, and never end
        self._on_change()

    # -- what we do ------------------------------------------------------------------------------------------------

    def write(self, data: bytes) -> None:
        """Write, however much is waiting already (see `room`). Raises `NotReading` if its input is closed."""
        self._open_stdin().write(data)

    @property
    def writable(self) -> bool:
        """Whether little enough is waiting to be written."""
        return self._writable.is_set()

    async def room(self) -> None:
        """Wait while too much is waiting. Raises `NotReading` if the process has stopped to read."""
        stdin = self._open_stdin()
        left = stdin.get_write_buffer_size()
        while not self._writable.is_set():
            try:
                await asyncio.wait_for(self._writable.wait(), STUCK_AFTER)
            except TimeoutError:
                now = stdin.get_write_buffer_size()
                if now >= left:
                    raise NotReading(f"it has read nothing for {STUCK_AFTER:g} s") from None
                left = now

    async def stop(self, *, at_once: bool = False) -> None:
        """End it: the end of its input, then SIGTERM, then SIGKILL, to the whole group. At most a little over 3 s.

        `at_once`: without a wait between the first two, for a process that is of no use any more.
        """
        try:
            stdin = self._stdin()
            if stdin is not None:
                stdin.close()
            if at_once or not await self._gone_within(EOF_GRACE):
                self._signal_group(signal.SIGTERM)
                await self._gone_within(TERM_GRACE)
        finally:
            self.kill()
        await self._gone_within(TERM_GRACE)

    def kill(self) -> None:
        """End it now, with all that descends from it. Does not wait, so nothing can interrupt it."""
        self._closing = True
        if not self.exited.is_set():
            self._kill_strays()
        elif self._transport is not None:
            self._transport.close()

    async def _gone_within(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            await asyncio.wait_for(self.exited.wait(), seconds)
        return self.exited.is_set()

    def _kill_strays(self) -> None:
        strays = [] if self.pid == 0 else _descendants(self.pid, self._token)
        self._signal_group(signal.SIGKILL)
        for pid in strays:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    def _signal_group(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if self.pid:
                os.killpg(self.pid, number)

    def _open_stdin(self) -> asyncio.WriteTransport:
        stdin = self._stdin()
        if stdin is None or stdin.is_closing() or self.deaf:
            raise NotReading("it has closed its standard input")
        return stdin

    def _stdin(self) -> asyncio.WriteTransport | None:
        pipe = self._transport.get_pipe_transport(0) if self._transport is not None else None
        return cast("asyncio.WriteTransport | None", pipe)


async def spawn(
    argv: Sequence[str],
    *,
    cwd: Path | None,
    env: Mapping[str, str],
    token: tuple[str, str],
    on_stderr: Callable[[bytes], None],
    on_change: Callable[[], None],
) -> Child:
    """Start a process without a shell, in a session of its own, with pipes for its three standard streams.

    Nothing of ours runs in the child before the program, so the system can start it without a copy of this process.
    `env` is its whole environment; `token` is a name and a value that are added, by which its strays are known.
    `on_stderr` is given what it writes to standard error as it comes; `on_change` is called when it has exited or
    closed its input. Raises `OSError`.
    """
    _, child = await asyncio.get_running_loop().subprocess_exec(
        lambda: Child(on_stderr, on_change, token[1]),
        *argv,
        cwd=cwd,
        env={**env, token[0]: token[1]},
        start_new_session=True,
    )
    return child


def _descendants(pid: int, token: bytes) -> list[int]:
    """The processes below `pid`, and those that carry the token although they have left it (Linux; elsewhere none)."""
    parents = _process_table()
    below = _below(pid, parents)
    # What is still below ourselves belongs to another server, or to nobody; only the others need a look inside.
    known = {pid, os.getpid(), *below, *_below(os.getpid(), parents)}
    return below + [other for other in parents if other not in known and _carries(other, token)]


def _below(pid: int, parents: dict[int, int]) -> list[int]:
    below: list[int] = []
    found = {pid}
    while more := [child for child, parent in parents.items() if parent in found and child not in found]:
        below += more
        found.update(more)
    return below


def _process_table() -> dict[int, int]:
    """The parent of every process of ours."""
    parents: dict[int, int] = {}
    user = os.getuid()
    with suppress(OSError):
        for entry in os.scandir("/proc"):
            if entry.name.isdigit():
                with suppress(OSError, ValueError, IndexError):
                    if entry.stat().st_uid == user:
                        # "pid (name) state parent ...": the name may hold anything, brackets too.
                        stat = _read(f"/proc/{entry.name}/stat")
                        parents[int(entry.name)] = int(stat.rpartition(b")")[2].split()[1])
    return parents


def _carries(pid: int, token: bytes) -> bool:
    with suppress(OSError):
        return token in _read(f"/proc/{pid}/environ")
    return False


def _read(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123  (a `Path` for each would cost more than the reading)
        return file.read()

"""The way to an editor: what any such way does, and the standard streams of this process."""

import asyncio
import contextlib
import os
import select
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import Protocol

from codeagent_lsp.rpc.outbox import Outbox

_CHUNK = 64 * 1024
_READ_AHEAD = 4  # chunks that may wait for the event loop


class Wire(Protocol):
    """Bytes from and to an editor. `owns_process`: whether signals to this process are meant for this wire."""

    owns_process: bool

    def wake(self) -> None:
        """Something waits in the outbox."""

    def start(self, receive: Callable[[bytes], None], ended: Callable[[str], None], outbox: Outbox) -> None:
        """Read into `receive` and write from `outbox`; call `ended(why)` when either direction is over."""

    async def drain(self, seconds: float) -> None:
        """Wait until everything is written, at most `seconds`."""

    def close(self) -> None:
        """Stop writing and reading."""


class StdioWire:
    """Standard streams, each with a thread of its own: pipes, sockets, files and terminals alike.

    Threads, because a pipe made non-blocking would be so for every process that shares it, and because the event
    loop must go on while the editor does not read.
    """

    owns_process = True

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._read_fd, self._write_fd = read_fd, write_fd
        self._loop: asyncio.AbstractEventLoop | None = None
        self._outbox: Outbox | None = None
        self._work = threading.Event()
        self._room = threading.Semaphore(_READ_AHEAD)
        self._held: deque[None] = deque()
        self._idle = True
        self._closed = False

    @classmethod
    def claim(cls) -> "StdioWire":
        """Take the standard streams for the protocol alone.

        From then on a stray `print` goes to stderr, and neither a child process nor `input()` can reach the editor.
        """
        null = os.open(os.devnull, os.O_RDWR)  # 0 or 1 itself, where that one was closed
        read_fd, write_fd = _duplicate(0, null), _duplicate(1, null)
        os.dup2(null, 0)
        os.dup2(2 if _is_open(2) else null, 1)
        if null > 2:
            os.close(null)
        sys.stdout = sys.stderr
        return cls(read_fd, write_fd)

    def wake(self) -> None:
        self._work.set()

    def start(self, receive: Callable[[bytes], None], ended: Callable[[str], None], outbox: Outbox) -> None:
        self._loop, self._outbox = asyncio.get_running_loop(), outbox

        def deliver(data: bytes) -> None:
            if not data:
                ended("the editor closed our input")
                return
            receive(data)
            self._held.append(None)
            self._make_room(outbox)

        threading.Thread(target=self._read, args=(deliver,), name="from editor", daemon=True).start()
        threading.Thread(target=self._write, args=(outbox, ended), name="to editor", daemon=True).start()

    async def drain(self, seconds: float) -> None:
        clock = asyncio.get_running_loop().time
        deadline = clock() + seconds
        while not self._closed and not self._written() and clock() < deadline:
            await asyncio.sleep(0.002)

    def close(self) -> None:
        self._closed = True
        self._work.set()

    def _written(self) -> bool:
        return self._idle and (self._outbox is None or self._outbox.empty)

    def _make_room(self, outbox: Outbox) -> None:
        """Read on, unless the editor does not take what we have for it already."""
        while not outbox.full:
            try:
                self._held.pop()
            except IndexError:
                return
            self._room.release()

    def _read(self, deliver: Callable[[bytes], None]) -> None:
        data = b"-"
        while data and not self._closed:
            self._room.acquire()
            try:
                data = os.read(self._read_fd, _CHUNK)
            except BlockingIOError:
                _wait_for(self._read_fd, select.POLLIN)
                self._room.release()
                continue
            except OSError:
                data = b""
            self._post(deliver, data)

    def _write(self, outbox: Outbox, ended: Callable[[str], None]) -> None:
        while not self._closed:
            self._work.clear()
            self._idle = False
            if (data := outbox.pop()) is None:
                self._idle = True
                self._work.wait()
                continue
            self._make_room(outbox)
            if not self._write_all(memoryview(data), outbox):
                self._closed = True
                self._post(ended, "the editor closed our output")

    def _write_all(self, rest: memoryview, outbox: Outbox) -> bool:
        while rest:
            try:
                rest = rest[os.write(self._write_fd, rest[:_CHUNK]) :]
                outbox.progressed()
            except BlockingIOError:
                _wait_for(self._write_fd, select.POLLOUT)
            except OSError:
                return False
        return True

    def _post(self, call: Callable[..., None], value: object) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is interested any more
                self._loop.call_soon_threadsafe(call, value)


def _duplicate(fd: int, instead: int) -> int:
    return os.dup(fd if _is_open(fd) else instead)


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def _wait_for(fd: int, event: int) -> None:
    poll = select.poll()
    poll.register(fd, event)
    poll.poll(1000)

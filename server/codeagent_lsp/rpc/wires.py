"""The way to an editor: what any such way does, and the standard streams of this process."""

import asyncio
import contextlib
import os
import select
import stat
import sys
import threading
from collections.abc import Callable
from typing import Protocol

from codeagent_lsp.rpc.outbox import Outbox

_CHUNK = 64 * 1024
_SHORT = min(getattr(select, "PIPE_BUF", 0), 4096)  # bytes that a pipe takes at once if it takes any (POSIX, "write")


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
    """Standard streams: pipes, sockets, files and terminals alike.

    Neither is made non-blocking, since a pipe is so for every process that shares it, or for none; and the event loop
    goes on while the editor does not read. So a read happens when the system says that there is something, in a thread
    where it cannot say so (files). A short message is written at once if it certainly fits; a thread writes the rest.
    """

    owns_process = True

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._read_fd, self._write_fd = read_fd, write_fd
        self._loop: asyncio.AbstractEventLoop | None = None
        self._outbox: Outbox | None = None
        self._work = threading.Event()
        self._writing = threading.Lock()
        self._room = threading.Event()
        self._room.set()
        self._take_room: Callable[[], object] = self._room.set
        self._writable = _short_writes(write_fd)
        self._rest = b""  # of a message that was not written whole
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
        if not self._written_at_once():
            self._work.set()

    def start(self, receive: Callable[[bytes], None], ended: Callable[[str], None], outbox: Outbox) -> None:
        self._loop, self._outbox = asyncio.get_running_loop(), outbox

        def deliver(data: bytes) -> None:
            if data:
                receive(data)
            else:
                ended("the editor closed our input")

        if not self._read_when_ready(self._loop, deliver, outbox):
            threading.Thread(target=self._read, args=(deliver, outbox), name="from editor", daemon=True).start()
        threading.Thread(target=self._write, args=(outbox, ended), name="to editor", daemon=True).start()

    async def drain(self, seconds: float) -> None:
        clock = asyncio.get_running_loop().time
        deadline = clock() + seconds
        while not self._closed and not self._written() and clock() < deadline:
            await asyncio.sleep(0.002)

    def close(self) -> None:
        self._closed = True
        self._work.set()
        self._room.set()
        if self._loop is not None:
            with contextlib.suppress(NotImplementedError):
                self._loop.remove_reader(self._read_fd)

    def _written(self) -> bool:
        idle = not self._rest and not self._writing.locked()
        return idle and (self._outbox is None or self._outbox.empty)

    # -- reading: not while the editor does not take what we have for it already -----------------------------------

    def _read_when_ready(
        self, loop: asyncio.AbstractEventLoop, deliver: Callable[[bytes], None], outbox: Outbox
    ) -> bool:
        """Read on the event loop, whenever there is something. Returns false where the system cannot tell that."""

        def ready() -> None:
            try:
                data = os.read(self._read_fd, _CHUNK)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                loop.remove_reader(self._read_fd)
            deliver(data)
            if data and outbox.full:
                loop.remove_reader(self._read_fd)
                self._room.clear()
                self._make_room(outbox)  # it may have been written meanwhile

        def go_on() -> None:
            self._room.set()
            if not self._closed:
                loop.add_reader(self._read_fd, ready)

        try:
            loop.add_reader(self._read_fd, ready)
        except (NotImplementedError, OSError, ValueError):
            return False
        self._take_room = lambda: self._post(go_on)
        return True

    def _read(self, deliver: Callable[[bytes], None], outbox: Outbox) -> None:
        data = b"-"
        while data and not self._closed:
            if outbox.full:
                self._room.clear()
                self._make_room(outbox)
            self._room.wait()
            try:
                data = os.read(self._read_fd, _CHUNK)
            except BlockingIOError:
                _wait_for(self._read_fd, select.POLLIN)
                continue
            except OSError:
                data = b""
            taken = threading.Event()

            def deliver_now(data: bytes = data, taken: threading.Event = taken) -> None:
                deliver(data)
                taken.set()

            if not self._post(deliver_now):
                return
            taken.wait()

    def _make_room(self, outbox: Outbox) -> None:
        if not self._room.is_set() and not outbox.full:
            self._take_room()

    # -- writing ---------------------------------------------------------------------------------------------------

    def _written_at_once(self) -> bool:
        """Write what waits if it is so short that this cannot block. Returns false if something is left to do."""
        outbox = self._outbox
        if outbox is None or self._writable is None or self._closed or not self._writing.acquire(blocking=False):
            return False
        try:
            while not self._rest and (size := outbox.next_size) is not None:
                if size > _SHORT or not self._writable():
                    return False
                self._rest = outbox.pop() or b""
                self._rest = self._rest[os.write(self._write_fd, self._rest) :]
                outbox.progressed()
        except OSError:
            return False  # the thread will see it too
        finally:
            self._writing.release()
        self._make_room(outbox)
        return not self._rest

    def _write(self, outbox: Outbox, ended: Callable[[str], None]) -> None:
        while not self._closed:
            self._work.clear()
            with self._writing:
                data, self._rest = self._rest or outbox.pop(), b""
                good = data is None or self._write_all(memoryview(data), outbox)
            if not good:
                self._closed = True
                self._post(ended, "the editor closed our output")
                return
            self._make_room(outbox)
            if data is None:
                self._work.wait()

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

    def _post(self, call: Callable[..., None], *values: object) -> bool:
        try:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(call, *values)
        except RuntimeError:  # the loop is closed: nobody is interested any more
            return False
        return True


def _duplicate(fd: int, instead: int) -> int:
    return os.dup(fd if _is_open(fd) else instead)


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def _short_writes(fd: int) -> Callable[[], bool] | None:
    """A function that tells whether a short write would not block now; `None` where that cannot be known."""
    try:
        kind = os.fstat(fd).st_mode
        poll = select.poll()
        poll.register(fd, select.POLLOUT)
    except (AttributeError, OSError):
        return None
    if not stat.S_ISFIFO(kind) and not stat.S_ISSOCK(kind):
        return None
    return lambda: poll.poll(0) == [(fd, select.POLLOUT)]


def _wait_for(fd: int, event: int) -> None:
    poll = select.poll()
    poll.register(fd, event)
    poll.poll(1000)

"""The life of the process: from the first byte of the editor to the exit code."""

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Awaitable, Callable, Generator
from pathlib import Path
from typing import Protocol

from attrs import frozen

from codeagent_lsp.rpc.frames import FrameReader, Malformed
from codeagent_lsp.rpc.outbox import Outbox
from codeagent_lsp.rpc.wires import StdioWire, Wire

log = logging.getLogger(__name__)

_EXIT = "the editor said exit"


@frozen
class Bounds:
    """How long the process waits for what, in seconds."""

    parent_poll: float = 2.0
    not_reading: float = 60.0
    stop: float = 4.5
    drain: float = 0.3


class Speaker(Protocol):
    """What `serve` needs of the protocol object."""

    parent: int | None

    @property
    def shut_down(self) -> bool: ...

    def connect(self, outbox: Outbox, on_exit: Callable[[], None], on_parent: Callable[[], None]) -> None: ...
    def receive(self, body: bytes) -> bytes: ...
    def skipped(self, malformed: Malformed) -> None: ...
    def disconnect(self) -> None: ...


class Server(Protocol):
    """A server with such a protocol object."""

    @property
    def protocol(self) -> Speaker: ...


async def serve(
    server: Server,
    on_stop: Callable[[], Awaitable[None]] | None = None,
    wire: Wire | None = None,
    bounds: Bounds | None = None,
) -> int:
    """Speak LSP over `wire` (default: the standard streams) until it is over, then await `on_stop`.

    It is over when the editor sends `exit`, closes either stream, does not read for a minute while the outbox is
    full, when the process `processId` of `initialize` is gone, or on SIGTERM, SIGINT or SIGHUP. `on_stop` gets
    `bounds.stop` seconds. Returns the exit code: 0 after `shutdown` and `exit`, else 1 (LSP, "Exit Notification").
    """
    wire, bounds = wire or StdioWire.claim(), bounds or Bounds()
    ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def end(reason: str) -> None:
        if not ended.done():
            ended.set_result(reason)

    protocol, outbox, frames = server.protocol, Outbox(wire.wake), FrameReader()

    def check_parent() -> None:
        if protocol.parent is not None and not alive(protocol.parent):
            end(f"the editor, process {protocol.parent}, is gone")

    def receive(data: bytes) -> None:
        for item in frames.feed(data):
            if isinstance(item, Malformed):
                protocol.skipped(item)
            elif rest := protocol.receive(item):
                frames.unread(rest)

    async def watch() -> None:
        while True:
            await asyncio.sleep(bounds.parent_poll)
            check_parent()
            if outbox.stuck_for() >= bounds.not_reading:
                end("the editor does not read what we write")

    protocol.connect(outbox, lambda: end(_EXIT), check_parent)
    with _signals(end) if wire.owns_process else contextlib.nullcontext():
        wire.start(receive, end, outbox)
        watching = asyncio.create_task(watch())
        reason = await ended
        log.info("stopping: %s", reason)
        watching.cancel()
        protocol.disconnect()
        await _stop(on_stop, bounds.stop)
        await wire.drain(bounds.drain)
        wire.close()
    return 0 if reason == _EXIT and protocol.shut_down else 1


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be reaped does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return True  # no such file system here
    return stat.rpartition(b")")[2].split()[:1] != [b"Z"]


async def _stop(on_stop: Callable[[], Awaitable[None]] | None, seconds: float) -> None:
    if on_stop is None:
        return
    task = asyncio.ensure_future(on_stop())
    await asyncio.wait({task}, timeout=seconds)
    if not task.done():
        log.warning("stopping took more than %s s and was given up", seconds)
        task.cancel()
    elif not task.cancelled() and (error := task.exception()) is not None:
        log.error("stopping failed", exc_info=error)


@contextlib.contextmanager
def _signals(end: Callable[[str], None]) -> Generator[None]:
    loop = asyncio.get_running_loop()
    caught: list[signal.Signals] = []
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is None or (name == "SIGHUP" and signal.getsignal(number) is signal.SIG_IGN):
            continue  # `nohup` asks to outlive a hang-up
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, end, f"signal {name}")
            caught.append(number)
    try:
        yield
    finally:
        for number in caught:
            loop.remove_signal_handler(number)

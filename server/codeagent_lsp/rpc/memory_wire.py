"""A way to an editor that lives in the same process: a pair of memory streams of bytes."""

import asyncio
import contextlib
from collections.abc import Callable

from anyio import BrokenResourceError, ClosedResourceError, EndOfStream
from anyio.abc import ObjectReceiveStream, ObjectSendStream

from codeagent_lsp.rpc.outbox import Outbox


class MemoryWire:
    """A pair of memory streams of bytes, for an editor that lives in the same process."""

    owns_process = False

    def __init__(self, receive: ObjectReceiveStream[bytes], send: ObjectSendStream[bytes]) -> None:
        self._receive, self._send = receive, send
        self._work = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._idle = True

    def wake(self) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._work.set)

    def start(self, receive: Callable[[bytes], None], ended: Callable[[str], None], outbox: Outbox) -> None:
        self._loop = asyncio.get_running_loop()
        self._tasks = [
            asyncio.create_task(self._read(receive, ended)),
            asyncio.create_task(self._write(outbox, ended)),
        ]

    async def drain(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._work.is_set() or not self._idle:
                    await asyncio.sleep(0.001)

    def close(self) -> None:
        for task in self._tasks:
            task.cancel()

    async def _read(self, receive: Callable[[bytes], None], ended: Callable[[str], None]) -> None:
        with contextlib.suppress(EndOfStream, ClosedResourceError):
            while True:
                receive(await self._receive.receive())
        ended("the editor closed our input")

    async def _write(self, outbox: Outbox, ended: Callable[[str], None]) -> None:
        try:
            while True:
                await self._work.wait()
                self._work.clear()
                self._idle = False
                while (data := outbox.pop()) is not None:
                    await self._send.send(data)
                    outbox.progressed()
                self._idle = True
        except (ClosedResourceError, BrokenResourceError):
            ended("the editor closed our output")

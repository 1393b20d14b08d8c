"""How a test's editor reaches a server: inside this process, or a real process on standard streams."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio

from codeagent_lsp.rpc import Bounds, serve
from codeagent_lsp.rpc.memory_wire import MemoryWire
from editor_client import EditorClient, LspError

Build = Callable[[], tuple[Any, Callable[[], Awaitable[None]] | None]]


def in_this_process(build: Build, home: Path, bounds: Bounds | None = None) -> EditorClient:
    """An editor of a server that `build` makes: `(server, on_stop)`."""
    to_server, from_editor = anyio.create_memory_object_stream[bytes](1000)
    to_editor, from_server = anyio.create_memory_object_stream[bytes](1000)
    running: list[asyncio.Task[int]] = []

    async def open_wire() -> Any:
        server, on_stop = build()
        running.append(asyncio.create_task(_serve(server, on_stop)))
        return to_server.send, receive

    async def _serve(server: Any, on_stop: Callable[[], Awaitable[None]] | None) -> int:
        try:
            return await serve(server, on_stop, MemoryWire(from_editor, to_editor), bounds)
        finally:
            to_editor.close()

    async def receive() -> bytes:
        try:
            return await from_server.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            return b""

    async def wait_closed(within: float) -> int | None:
        try:
            return await asyncio.wait_for(running[0], within)
        finally:
            for stream in (to_server, from_editor, to_editor):
                stream.close()

    return EditorClient(open_wire, wait_closed, to_server.close, home)


class ProcessClient(EditorClient):
    """An editor with a server process of its own."""

    process: asyncio.subprocess.Process
    stderr: bytes = b""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], home: Path) -> None:
        super().__init__(self._spawn, self._wait, lambda: self._stdin.close(), home)
        self._argv, self._env = argv, env

    @property
    def pid(self) -> int:
        return self.process.pid

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Send the server process a signal."""
        self.process.send_signal(number)

    async def _spawn(self) -> Any:
        pipe = asyncio.subprocess.PIPE
        self.process = await asyncio.create_subprocess_exec(
            *self._argv, stdin=pipe, stdout=pipe, stderr=pipe, env=dict(self._env), start_new_session=True
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self._stdin = self.process.stdin
        self._err = asyncio.create_task(self._drain_stderr())
        return self._write, lambda: self._stdout_chunk()

    async def _write(self, data: bytes) -> None:
        with contextlib.suppress(ConnectionError):
            self._stdin.write(data)
            await self._stdin.drain()

    async def _stdout_chunk(self) -> bytes:
        assert self.process.stdout is not None
        return await self.process.stdout.read(65536)

    async def _drain_stderr(self) -> None:
        assert self.process.stderr is not None
        while data := await self.process.stderr.read(65536):
            self.stderr += data

    async def _wait(self, within: float) -> int | None:
        return await asyncio.wait_for(self.process.wait(), within)

    async def wait_started(self, within: float = 8) -> None:
        """Wait until the process listens: it answers even before `initialize`, with a refusal."""
        with contextlib.suppress(LspError):
            await self.request("$/areYouThere", {}, within)

    async def abandon(self) -> None:
        """Leave nothing behind, whatever state the test left it in."""
        if hasattr(self, "process"):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            await self.process.wait()
            self._stdin.close()
            await asyncio.wait({self._err}, timeout=2)


def isolated_environment(home: Path) -> dict[str, str]:
    """The variables that keep a server from the real user's files."""
    return {
        "HOME": str(home),
        "CODEAGENT_HOME": str(home / ".codeagent"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "XDG_CACHE_HOME": str(home / ".cache"),
    }


CODEAGENT_LSP = (sys.executable, "-m", "codeagent_lsp")

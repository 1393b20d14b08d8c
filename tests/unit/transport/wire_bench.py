"""What the tests of the wire share: a launch of the scripted server, a log, and a look for orphans."""

import asyncio
import os
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio

from codeagent_lsp.errors import HostError
from codeagent_lsp.journal import Journal
from codeagent_lsp.redaction import Redactor
from codeagent_lsp.transport.reaper import Reaper

SERVERS = Path(__file__).parents[2] / "servers"
SCRIPTED = SERVERS / "scripted.py"
sys.path.insert(0, str(SERVERS))
MARKER = "CODEAGENT_TEST_ID"


class Launch:
    """As much of `config.launch.Launch` as a transport reads."""

    def __init__(self, argv: list[str], *, cwd: Path | None = None, env: dict[str, str] | None = None) -> None:
        self.server = "s"
        self.argv = tuple(argv)
        self.cwd = cwd
        self.env = {"PATH": os.environ["PATH"], **(env or {})}
        self.url: str | None = None
        self.headers: dict[str, str] = {}


class Bench:
    """One transport under test, with what it told of itself."""

    def __init__(self) -> None:
        self.id = uuid.uuid4().hex
        self.journal = Journal(Redactor())
        self.lost: list[HostError] = []
        self.statuses: list[int] = []
        self.lost_event = asyncio.Event()
        self.reaper = Reaper()

    def on_lost(self, error: HostError) -> None:
        self.lost.append(error)
        self.lost_event.set()

    async def loss(self, seconds: float = 5.0) -> HostError:
        """Wait until the connection is lost, and say why."""
        await asyncio.wait_for(self.lost_event.wait(), seconds)
        return self.lost[0]

    def launch(self, *words: str, argv: list[str] | None = None, **more: Any) -> Any:
        command = argv if argv is not None else [sys.executable, "-u", str(SCRIPTED), *words]
        return Launch(command, env={MARKER: self.id, **more.pop("env", {})}, **more)

    def stdio(self, *words: str, **more: Any) -> Any:
        from codeagent_lsp.transport.stdio import StdioTransport

        return StdioTransport(
            self.launch(*words, **more), journal=self.journal, reaper=self.reaper, on_lost=self.on_lost
        )

    @asynccontextmanager
    async def client(self, *words: str, mode: str = "legacy", **more: Any) -> AsyncIterator[Any]:
        """A session of the SDK with the scripted server, opened in the era that `mode` names."""
        from mcp.client._probe import negotiate_auto
        from mcp.client.session import ClientSession
        from mcp_types import DiscoverResult, ServerCapabilities

        transport = self.stdio(*words, **more)
        async with (
            transport.dispatcher() as dispatcher,
            ClientSession(dispatcher=dispatcher, read_timeout_seconds=10) as session,
        ):
            if mode == "legacy":
                await session.initialize()
            elif mode == "auto":
                await negotiate_auto(session)
            else:
                session.adopt(DiscoverResult(supported_versions=[mode], capabilities=ServerCapabilities()))
            yield SimpleNamespace(session=session, transport=transport, list_tools=session.list_tools)

    def remote(self, url: str, *, headers: dict[str, str] | None = None, old: bool = False, **more: Any) -> Any:
        from codeagent_lsp.transport.http import HttpTransport
        from codeagent_lsp.transport.http_sse import SseTransport

        launch: Any = Launch([])
        launch.url, launch.headers = url, headers or {}
        kind = SseTransport if old else HttpTransport
        return kind(launch, journal=self.journal, on_lost=self.on_lost, on_status=self.statuses.append, **more)

    @asynccontextmanager
    async def web(self, *words: str, mode: str = "legacy", old: bool = False, **more: Any) -> AsyncIterator[Any]:
        """A session of the SDK with a scripted HTTP server: (client, server)."""
        from mcp import Client
        from scripted_http import ScriptedHttp

        async with ScriptedHttp(*words) as server:
            transport = self.remote(more.pop("url", None) or server.url, old=old, **more)
            heard: list[Any] = []

            async def hear(message: Any) -> None:
                heard.append(message)

            async with Client(transport, mode=mode, read_timeout_seconds=10, message_handler=hear) as client:
                client.transport, client.heard = transport, heard
                yield client, server

    def log(self) -> str:
        return "\n".join(line.text for line in self.journal.lines("s", 10_000))

    async def no_orphans(self, seconds: float = 2.0) -> None:
        """Wait until no process with our marker is left; fail after `seconds`."""
        await gone(lambda: alive_with(self.id), seconds)


def alive_with(marker: str) -> list[int]:
    """The processes that carry the marker in their environment and are not dead yet."""
    found: list[int] = []
    for path in Path("/proc").iterdir():
        if path.name.isdigit() and int(path.name) != os.getpid():
            try:
                if marker.encode() in (path / "environ").read_bytes():
                    found.append(int(path.name))
            except OSError:
                pass
    return found


async def gone(alive: Callable[[], list[int]], seconds: float) -> None:
    with anyio.move_on_after(seconds):
        while alive():
            await asyncio.sleep(0.02)
        return
    raise AssertionError(f"still alive after {seconds} s: {alive()}")


def run(work: Callable[[Bench], Awaitable[None]], seconds: float = 20.0) -> None:
    """Run one test on a fresh loop, within a bound, and see that nothing is left behind."""

    async def main() -> None:
        bench = Bench()
        try:
            async with asyncio.timeout(seconds):
                await work(bench)
                await bench.no_orphans()
        finally:
            bench.reaper.close()
        left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in left:
            await asyncio.wait({task}, timeout=1)
        assert all(task.done() for task in left), left

    asyncio.run(main())

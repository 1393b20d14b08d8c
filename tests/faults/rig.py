"""The rig of the fault matrix: a real process of ours, an editor, and a healthy neighbour that is called all the while."""

import asyncio
import contextlib
import os
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from e2e.kit import PATIENCE, call, command, until
from e2e.scripts import MARK, marked, scripted, servers
from editor_client import LspError
from editor_wires import ProcessClient
from faults.report import Found, percentile

EVERY = 0.02
"""Seconds between two calls of the neighbour."""

WARM = 30
"""Calls of the neighbour that are not measured: the first ones load what calls need."""


class Rig:
    """One run of one row. `editor` is the editor; `found` takes the figures."""

    def __init__(self, editor: ProcessClient, workspace: Path, found: Found, folder: Path) -> None:
        self.editor, self.workspace, self.found, self.folder = editor, workspace, found, folder
        self.mark = uuid.uuid4().hex
        self.calm: list[float] = []
        self.hit: list[float] = []
        self.lags: list[float] = []
        self._into: list[float] | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self.failures: list[str] = []
        self._called = 0
        self._ending = False

    def server(self, *words: str, **more: Any) -> dict[str, Any]:
        """An entry of the scripted server that carries our mark and may be called."""
        return scripted(*words, env={MARK: self.mark, **more.pop("env", {})}, autoApprove=["*"], **more)

    async def up(self, *, wait: tuple[str, ...] | None = None, **entries: Any) -> None:
        """Start the host with these servers and the neighbour, and wait for `wait` (all) to be up."""
        await self.editor.start(self.workspace, user_config=servers(neighbour=self.server(), **entries),
                                answers={"codeagent/elicit": {"action": "accept", "content": {}}})  # fmt: skip
        for name in ("neighbour", *(entries if wait is None else wait)):
            await until(self.editor, name, lambda found: found["state"] == "ready", 60)
        self._tasks = [asyncio.create_task(self._call_neighbour()), asyncio.create_task(self._probe())]
        while self._called < WARM and not self.failures:
            await asyncio.sleep(EVERY)
        await self.calmly()

    async def calmly(self, seconds: float = 1.0) -> None:
        """Take the neighbour's figures without a fault."""
        self._into = self.calm
        await asyncio.sleep(seconds)
        self._into = None

    @asynccontextmanager
    async def fault(self, least: float = 0.5) -> AsyncIterator[None]:
        """Take the neighbour's figures while something goes wrong, for at least so many seconds."""
        self._into = self.hit
        began = time.monotonic()
        try:
            yield
            await asyncio.sleep(max(0.0, least - (time.monotonic() - began)))
        finally:
            self._into = None

    async def end(self) -> None:
        """Stop measuring, and judge the neighbour."""
        self._ending = True
        if self._tasks:  # `wait_for` may swallow a cancellation that comes with its answer: so they are asked as well
            for task in self._tasks:
                task.cancel()
            await asyncio.wait(self._tasks, timeout=10)
        if self.calm:
            calm, hit, lag = (1000 * percentile(values) for values in (self.calm, self.hit or self.calm, self.lags))
            worst = 1000 * max(self.lags, default=0.0)
            self.found.neighbour = f"{calm:.0f} → {hit:.0f}; {lag:.0f} (once {worst:.0f})"
            assert not self.failures, self.failures[:3]
            assert hit < 5_000, "the neighbour was held up"

    async def _call_neighbour(self) -> None:
        while not self._ending:
            self._called = number = self._called + 1
            began, into = time.monotonic(), self._into
            try:
                result = await call(self.editor, "neighbour", "echo", text=str(number))
                if result["text"] != str(number):
                    self.failures.append(f"{result['text']} for {number}")
            except (LspError, TimeoutError) as error:
                self.failures.append(str(error))
            except ConnectionError:
                return
            if into is not None:
                into.append(time.monotonic() - began)
            await asyncio.sleep(max(0.0, EVERY - (time.monotonic() - began)))

    async def _probe(self) -> None:
        while not self._ending:
            began = time.monotonic()
            with contextlib.suppress(LspError):
                try:
                    await self.editor.request("$/areYouThere", {}, PATIENCE)
                except ConnectionError:
                    return
            if self._into is self.hit:
                self.lags.append(time.monotonic() - began)
            await asyncio.sleep(0.01)

    # -- asking --------------------------------------------------------------------------------------------------------

    async def failure(self, server: str, tool: str, /, **arguments: Any) -> tuple[LspError, float]:
        """The error that a call ends with, and the seconds that it took."""
        began = time.monotonic()
        try:
            result = await call(self.editor, server, tool, **arguments)
        except LspError as error:
            return error, time.monotonic() - began
        raise AssertionError(f"no error, but {str(result)[:300]}")

    async def begin(self, server: str, tool: str, /, within: float = 60, **arguments: Any) -> Any:
        """A call whose result is taken later."""
        given = {
            "command": "codeagent.callTool",
            "arguments": [{"server": server, "tool": tool, "arguments": arguments}],
        }
        return await self.editor.begin("workspace/executeCommand", given, within)

    async def until(self, server: str, like: Any, within: float = PATIENCE) -> dict[str, Any]:
        """The status of a server, once it is as `like` wants it."""
        return await until(self.editor, server, like, within)

    async def status(self, server: str) -> dict[str, Any]:
        """The status of a server."""
        found = (await command(self.editor, "codeagent.status"))["servers"]
        return next(item for item in found if item["server"] == server)

    # -- the process ---------------------------------------------------------------------------------------------------

    def rss(self) -> float:
        """MiB of memory of our process."""
        for line in Path(f"/proc/{self.editor.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        return 0.0

    def cpu(self) -> float:
        """Seconds of processor time that our process has used."""
        fields = Path(f"/proc/{self.editor.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def descriptors(self) -> int:
        """Open descriptors of our process."""
        return len(os.listdir(f"/proc/{self.editor.pid}/fd"))

    def threads(self) -> int:
        """Threads of our process."""
        return len(os.listdir(f"/proc/{self.editor.pid}/task"))

    def processes(self) -> list[int]:
        """Servers of this run, and what they started."""
        return marked(self.mark)


async def gone(mark: str, within: float) -> float:
    """Wait until no process carries the mark; the seconds that it took. Fails with those that are left."""
    began = time.monotonic()
    while left := marked(mark):
        assert time.monotonic() - began < within, left
        await asyncio.sleep(0.02)
    return time.monotonic() - began

"""The figures of the benchmark: each measures two sides in turns, so that a busy machine is equally unfair to both."""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from attrs import frozen
from sides import ECHO, EVERYTHING, ROOT, Client, Direct, Hub, Ours, Side, private

CALLERS = 20


@frozen
class Figure:
    """One line of the result: a lower ratio is better, and at most `wanted` is what we want."""

    name: str
    peer: str
    ours: float
    theirs: float
    unit: str
    wanted: float

    @property
    def ratio(self) -> float:
        """Ours by theirs; for a rate (`/s`), theirs by ours."""
        return self.theirs / self.ours if self.unit.endswith("/s") else self.ours / self.theirs

    @property
    def holds(self) -> bool:
        """Whether it is as wanted."""
        return self.ratio <= self.wanted


async def alternate(rounds: int, *measures: Callable[[], Awaitable[float]]) -> list[float]:
    """Run measurements in turns, and return the median of each."""
    taken: list[list[float]] = [[] for _ in measures]
    for number in range(rounds):
        order = list(zip(measures, taken, strict=True))
        for measure, results in order if number % 2 == 0 else reversed(order):
            results.append(await measure())
    return [statistics.median(results) for results in taken]


async def initialize(rounds: int) -> list[Figure]:
    """From the start of the process to the answer to `initialize`, with ten servers configured."""

    async def ours() -> float:
        side = Ours()
        began = time.perf_counter()
        await side.launch([ECHO] * 10)
        taken = time.perf_counter() - began
        await side.stop()
        return taken * 1000

    async def bare() -> float:
        client = Client()
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            script = ROOT / "bench" / "bare_server.py"
            await client.start(sys.executable, script, env=private(folder), stderr=asyncio.subprocess.DEVNULL)
            await client.initialize(Path(folder), {})
            taken = time.perf_counter() - began
        await client.stop()
        return taken * 1000

    mine, theirs = await alternate(rounds, ours, bare)
    return [Figure("initialize, cold, 10 servers configured", "bare pygls", mine, theirs, "ms", 1.15)]


def calls_of(side: Side, count: int) -> Callable[[], Awaitable[float]]:
    """The median time of some calls, one after the other, in milliseconds."""

    async def measure() -> float:
        taken: list[float] = []
        for _ in range(count):
            began = time.perf_counter()
            if await side.call("hello") != "hello":
                raise RuntimeError(f"{side.name} does not echo")
            taken.append((time.perf_counter() - began) * 1000)
        return statistics.median(taken)

    return measure


def rate_of(side: Side, count: int) -> Callable[[], Awaitable[float]]:
    """Calls a second of twenty callers at once, each with `count` calls."""

    async def caller() -> None:
        for _ in range(count):
            await side.call("hello")

    async def measure() -> float:
        began = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for _ in range(CALLERS):
                group.create_task(caller())
        return CALLERS * count / (time.perf_counter() - began)

    return measure


async def calls(rounds: int) -> list[Figure]:
    """One call after the other, and twenty callers at once; the hosts run ten servers."""
    ours, hub, direct = Ours(), Hub(), Direct()
    sides: list[Side] = [ours, hub, direct]
    for side in sides:
        await side.start([ECHO] * 10)
    for side in sides:
        await calls_of(side, 50)()
    mine, theirs, bare = await alternate(rounds, *(calls_of(side, 100) for side in sides))
    my_rate, their_rate = await alternate(rounds, rate_of(ours, 25), rate_of(hub, 25))
    mine_kib, their_kib = ours.kib("echo.mjs"), hub.kib("echo.mjs")
    for side in sides:
        await side.stop()
    return [
        Figure("callTool, median", direct.name, mine, bare, "ms", 2.2),
        Figure("callTool, median", hub.name, mine, theirs, "ms", 0.65),
        Figure(f"callTool, {CALLERS} callers", hub.name, my_rate, their_rate, "calls/s", 1.0),
        Figure("memory of the host, 10 servers", hub.name, mine_kib / 1024, their_kib / 1024, "MiB", 0.8),
    ]


def start_of(make: Callable[[], Side], argv: list[str], count: int) -> Callable[[], Awaitable[float]]:
    """Seconds from the start of a host until all its servers are ready."""

    async def measure() -> float:
        side = make()
        began = time.perf_counter()
        await side.start([argv] * count)
        taken = time.perf_counter() - began
        await side.stop()
        return taken

    return measure


async def starts(rounds: int) -> list[Figure]:
    """From the start of the host until ten servers are ready."""
    found: list[Figure] = []
    for name, argv, wanted in (("10 trivial servers", ECHO, 2.2), ("10 × server-everything", EVERYTHING, 1.25)):
        mine, theirs = await alternate(rounds, start_of(Ours, argv, 10), start_of(Hub, argv, 10))
        found.append(Figure(f"start until ready, {name}", Hub.name, mine, theirs, "s", wanted))
    return found

"""The figures of mentions, through a real server process over LSP; writes bench/language.md.

    python bench/language.py [--quick]

`--quick` takes fewer rounds and writes nothing. Where there is a peer, both sides run in turns in the same run.
"""

import argparse
import asyncio
import os
import platform
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from attrs import frozen
from language_sides import Server, at, bare, library, ours
from processes import host_kib
from sides import ROOT

RESULTS = ROOT / "bench" / "language.md"
BATCH = 40
OPENING = """\
# Results of mentions

Written by `make bench`: a real language server, asked over LSP on its standard streams, with MCP servers on HTTP that list
resources. Both sides of a line were measured in turns in the same run. What each is measured against is in the
[README](README.md).
"""


@frozen
class Row:
    """One line of the results; `wanted` is the highest ratio that we are content with, where there is one."""

    name: str
    ours: float
    theirs: float | None
    unit: str
    wanted: float | None = None

    @property
    def ratio(self) -> float | None:
        """Ours by theirs."""
        return self.ours / self.theirs if self.theirs else None

    @property
    def holds(self) -> bool:
        """Whether it is as wanted."""
        return self.wanted is None or (self.ratio or 0) <= self.wanted

    def cells(self) -> list[str]:
        """The line of the table."""
        theirs = "" if self.theirs is None else f"{self.theirs:.3g} {self.unit}"
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        wanted = "" if self.wanted is None else f"≤ {self.wanted:g}"
        verdict = "" if self.wanted is None else "yes" if self.holds else "**no**"
        return [self.name, f"{self.ours:.3g} {self.unit}", theirs, ratio, wanted, verdict]


async def in_turns(rounds: int, count: int, *measures: Callable[[], Awaitable[float]]) -> list[list[float]]:
    """Take `count` measurements of each at a time, in turns."""
    taken: list[list[float]] = [[] for _ in measures]
    for measure in measures:
        await measure()
    for _ in range(rounds):
        for measure, times in zip(measures, taken, strict=True):
            times += [await measure() for _ in range(count)]
    return taken


def p95(times: list[float]) -> float:
    """The 95th percentile of each `BATCH` of measurements, and of those the median: a burst of others' work is no figure."""
    batches = [sorted(times[start : start + BATCH]) for start in range(0, len(times), BATCH)]
    return statistics.median(batch[int(0.95 * (len(batch) - 1))] for batch in batches)


async def completion(address: str, large: Server, rounds: int) -> list[Row]:
    """Completion after `@server:`, beside a bare server with the same list, fewer resources, and fewer items."""
    uri, few = "file:///w/completion.md", "file:///w/few.md"
    place = at(0, 14)
    await large.open(uri, "see @server00:\n")
    await large.open(few, "see @server00:note://folder-1/item-0001\n")
    params = {"textDocument": {"uri": uri}, "position": place}
    given = await large.client.request("textDocument/completion", params)
    assert len(given["items"]) == 200
    params = {"textDocument": {"uri": few}, "position": at(0, 40)}
    fewer = len((await large.client.request("textDocument/completion", params))["items"])
    async with ours(address, 1, 1000) as small, bare(given) as peer:
        await small.open(uri, "see @server00:\n")
        mine, theirs, with_few, with_little = await in_turns(
            rounds,
            BATCH,
            lambda: large.ask("completion", uri, place),
            lambda: peer.ask("completion", uri, place),
            lambda: large.ask("completion", few, at(0, 40)),
            lambda: small.ask("completion", uri, place),
        )
    return [
        Row("completion after `@server:`, 200 items of 100,000 resources, p95; bare pygls with the same items", p95(mine), p95(theirs), "ms", 2.0),
        Row("the same with 100 servers and 100,000 resources; with 1 server and 1,000", p95(mine), p95(with_little), "ms", 1.25),
        Row(f"the same with {fewer} items to show; with 200", p95(with_few), p95(mine), "ms", 0.6),
    ]  # fmt: skip


def long_text(lines: int) -> str:
    """A document with a mention on every tenth line, and one of nothing that is listed in the middle."""
    written = [
        f"line {number}" + ("" if number % 10 else f" @server00:note://folder-{number // 10 % 1000 % 37}/item-{number // 10 % 1000:06d}")
        for number in range(lines)
    ]  # fmt: skip
    written[lines // 2 + 1] = "@server00:gone://x"
    return "\n".join(written)


async def keystroke(server: Server, rounds: int) -> list[Row]:
    """From a keystroke to fresh diagnostics, in a long document and in a short one."""

    async def typed(lines: int) -> Callable[[], Awaitable[float]]:
        uri = f"file:///w/{lines}.md"
        await server.open(uri, long_text(lines))
        letters = iter("abcdefghijklmnopqrstuvwxyz" * 1000)

        async def type_one() -> float:
            letter = next(letters)
            return await server.change(uri, at(lines // 2 + 1, 17), letter, lambda said: f"gone://{letter}" in said)

        return type_one

    large, small = await typed(100_000), await typed(1_000)
    long, short = await in_turns(rounds, BATCH, large, small)
    return [
        Row("keystroke to fresh diagnostics, 100,000 lines with 10,000 mentions; 1,000 lines with 100, median", statistics.median(long), statistics.median(short), "ms", 5.0),
        Row("the same, p95", p95(long), p95(short), "ms"),
    ]  # fmt: skip


async def hostile(server: Server, rounds: int) -> list[Row]:
    """Document links of one line of `@`, of 4 MB and of 1 MB."""
    measures: list[Callable[[], Awaitable[float]]] = []
    for size in (4_000_000, 1_000_000):
        uri, versions = f"file:///w/at-{size}.md", iter(range(2, 10_000))
        await server.open(uri, "@" * size)

        async def links(uri: str = uri, size: int = size, versions: Any = versions) -> float:
            document = {"uri": uri, "version": next(versions)}
            began = time.perf_counter()
            changes = {"textDocument": document, "contentChanges": [{"text": "@" * size}]}
            server.client.notify("textDocument/didChange", changes)
            await server.ask("documentLink", uri)
            return (time.perf_counter() - began) * 1000

        measures.append(links)
    large, small = await in_turns(rounds, 2, *measures)
    pair = statistics.median(large), statistics.median(small)
    return [Row("a line of `@`, sent anew, to its document links: 4 MB; 1 MB", *pair, "ms", 6.0)]


async def weigh(address: str, full: Server) -> list[Row]:
    """Memory of the server with 100,000 resources, and of one with as many servers that list nothing."""
    heavy = host_kib(full.client.process.pid, "library.py")
    async with ours(address, 100, 0) as empty:
        light = host_kib(empty.client.process.pid, "library.py")
    return [
        Row("memory with 100 servers and 100,000 resources; 100 servers that list nothing", heavy / 1024, light / 1024, "MiB"),
        Row("memory for each 100,000 resources", (heavy - light) / 1024, None, "MiB"),
    ]  # fmt: skip


async def measure(quick: bool) -> list[Row]:
    """All figures."""
    rounds = 2 if quick else 10
    async with library() as address, ours(address, 100, 1000) as server:
        weight = await weigh(address, server)
        found = await completion(address, server, rounds)
        found += await keystroke(server, rounds)
        return [*found, *await hostile(server, rounds), *weight]


def written(rows: list[Row], load: float) -> str:
    """The results as a document."""
    machine = f"{os.cpu_count()} cores, load {load:.1f} before the run; Python {platform.python_version()}"
    head = ["figure; and its peer", "ours", "peer", "ratio", "wanted", ""]
    lines = [OPENING, f"Machine: {machine}.\n", f"| {' | '.join(head)} |", "| --- | ---: | ---: | ---: | ---: | --- |"]
    return "\n".join([*lines, *(f"| {' | '.join(row.cells())} |" for row in rows), ""])


def main() -> int:
    """Measure, print and write; 1 if a figure is not as wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, and write no file")
    quick = parser.parse_args().quick
    load = os.getloadavg()[0]
    if load > (os.cpu_count() or 1) / 2:
        print(f"The load is {load:.1f}: the figures will be those of a busy machine.", flush=True)
    print("measuring mentions ...", flush=True)
    rows = asyncio.run(measure(quick))
    text = written(rows, load)
    print(text)
    if not quick:
        RESULTS.write_text(text, "utf-8")
    return 0 if all(row.holds for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())

"""What the fault matrix found: one row for each fault, and the document that is made of all of them."""

import os
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

SLACK = float(os.environ.get("FAULTS_SLACK", "10"))
"""How many times a bound may be missed before a test fails: outcomes are tested, time is published."""

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "faults.md"

HEAD = """# Faults, and what comes of them

What happens when MCP servers, files, editors and machines misbehave: each row is a test in `tests/faults/`, and
`make faults` runs them all and writes this table. All the while, a healthy server beside the faulty one is called every
20 ms through the same editor; its slowest percentile without and with the fault stands in the last column, in
milliseconds, beside the longest answer of the host to a request that needs no work (a measure of how long its loop was
held up). Figures are of the machine that ran it: {machine}.

A bound in the table is the aim. A figure that misses it is marked with ▲, and the test fails where it is missed
{slack:g} times over, or where the outcome is another one.

| fault | what is done | what is expected | bound | measured | neighbour p99 without → with; loop |
| --- | --- | --- | --- | --- | --- |
"""


@frozen
class Row:
    """A fault: its id, what is injected, what must come of it, and within which bound."""

    id: str
    fault: str
    expected: str
    bound: str


@define
class Found:
    """What a run of a row measured."""

    row: Row
    measured: list[str] = field(factory=list[str])
    neighbour: str = ""

    def note(self, what: str, seconds: float | None = None, bound: float | None = None) -> None:
        """Keep a figure; a time above its bound is marked, and fails the test where it is far above."""
        if seconds is None:
            self.measured.append(what)
            return
        over = bound is not None and seconds > bound
        self.measured.append(f"{what} {milliseconds(seconds)}{' ▲' if over else ''}")
        assert bound is None or seconds <= bound * SLACK, f"{self.row.id}: {what} {seconds:.3f} s, bound {bound} s"

    def amount(self, what: str, value: float, bound: float, unit: str = "MiB", digits: int = 1) -> None:
        """Keep an amount that has a bound."""
        self.measured.append(f"{what} {value:,.{digits}f} {unit}{' ▲' if value > bound else ''}")
        assert value <= bound * SLACK, f"{self.row.id}: {what} {value:.1f} {unit}, bound {bound}"


def milliseconds(seconds: float) -> str:
    """A time as people read it."""
    if seconds >= 10:
        return f"{seconds:.0f} s"
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def percentile(values: list[float], part: float = 0.99) -> float:
    """The value that `part` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else 0.0


def machine() -> str:
    """The machine, without its name."""
    return f"{os.cpu_count()} cores, {os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"


def document(found: dict[str, Found]) -> str:
    """The whole document; rows in the order of their ids."""

    def cell(text: str) -> str:
        return text.replace("|", "\\|").replace("\n", " ")

    lines = [
        f"| {item.row.id} | {cell(item.row.fault)} | {cell(item.row.expected)} | {cell(item.row.bound)} | "
        f"{cell('; '.join(item.measured))} | {item.neighbour} |"
        for _, item in sorted(found.items())
    ]
    return HEAD.format(machine=machine(), slack=SLACK) + "\n".join(lines) + "\n"


def write(found: dict[str, Found], config: Any) -> None:
    """Write the document."""
    DOCUMENT.write_text(document(found), "utf-8")

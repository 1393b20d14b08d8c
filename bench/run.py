"""Measures codeagent-lsp against its peers, side by side in one run, and writes bench/results.md: `make bench`."""

import argparse
import asyncio
import os
import platform
import subprocess
import sys
from pathlib import Path

from figures import Figure, calls, initialize, starts
from sides import HUB, NODE

RESULTS = Path(__file__).resolve().parent / "results.md"
OPENING = """\
# Results of the benchmark

Written by `make bench`. Both sides of a line were measured in turns in the same run; each figure is a median. A ratio
below 1 means that we are better; *wanted* is the highest ratio that we are content with.
"""


def written(figures: list[Figure], load: float) -> str:
    """The results as a document. `load`: how many processes wanted a core just before the run."""
    node = subprocess.run([NODE, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    machine = f"{os.cpu_count()} cores, load {load:.1f} before the run; Python {platform.python_version()}, Node {node}"
    lines = [OPENING, f"Machine: {machine}.\n"]
    lines += ["| figure | ours | peer | | ratio | wanted | |", "| --- | ---: | ---: | --- | ---: | ---: | --- |"]
    for figure in figures:
        ours, theirs = (f"{value:.3g} {figure.unit}" for value in (figure.ours, figure.theirs))
        verdict = "yes" if figure.holds else "**no**"
        row = [figure.name, ours, theirs, figure.peer, f"{figure.ratio:.2f}", f"≤ {figure.wanted:g}", verdict]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join([*lines, ""])


async def measure(quick: bool) -> list[Figure]:
    """All figures, in the order of the table."""
    found: list[Figure] = []
    for name, figure, rounds in (("initialize", initialize, 9), ("calls", calls, 9), ("starts", starts, 3)):
        print(f"measuring {name} ...", flush=True)
        found += await figure(2 if quick else rounds)
    return found


def main() -> int:
    """Measure, print and write; 1 if a figure is not as wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two rounds only, and write no file")
    quick = parser.parse_args().quick
    if not HUB.exists():
        print("mcp-hub is not installed: run `make bench`", file=sys.stderr)
        return 2
    load = os.getloadavg()[0]
    if load > (os.cpu_count() or 1) / 2:
        print(f"The load is {load:.1f}: the figures will be those of a busy machine.", flush=True)
    text = written(figures := asyncio.run(measure(quick)), load)
    print(text)
    if not quick:
        RESULTS.write_text(text, "utf-8")
    return 0 if all(figure.holds for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())

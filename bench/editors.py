"""The figures of the editors' front ends: Neovim's plugin and the VS Code extension; writes bench/editors.md.

    python bench/editors.py [--quick]

`--quick` writes nothing. An editor that is not installed (tests/editors/install.sh) is named and left out. Both run
in real editors; where there is a peer, both sides run in turns in the same run, and the median counts.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "editors.md"
OPENING = """\
# Results in the editors

Written by `make bench`, in a real Neovim and a real VS Code. Each figure is a median; *wanted* is the bound that we are
content with. What each figure is measured against is in the [README](README.md).
"""
Row = tuple[str, str, str, str, bool]
TREE = ("1 server, 50 tools", "100 servers, 5000 tools")


def neovim() -> list[Row]:
    """The figures of bench/nvim.py."""
    done = subprocess.run([sys.executable, ROOT / "bench" / "nvim.py", "--json"], stdout=subprocess.PIPE, text=True)
    rows: list[Row] = []
    for figure in json.loads(done.stdout):
        theirs, bound = figure["theirs"], figure["bound"]
        peer = "" if theirs is None else f"{theirs:.2f}"
        wanted = f"≤ {bound:g}" if theirs is None else f"≤ {bound:g} times"
        rows.append((f"Neovim: {figure['name']}", f"{figure['ours']:.2f}", peer, wanted, figure["holds"]))
    return rows


def vscode() -> list[Row]:
    """The figures of tests/editors/vscode/bench.mjs."""
    tools = ROOT / ".tools" / "vscode" / "bin"
    environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    script = ROOT / "tests" / "editors" / "vscode" / "bench.mjs"
    done = subprocess.run([str(tools / "node"), script], stdout=subprocess.PIPE, text=True, env=environment, check=True)
    found = json.loads(done.stdout)
    small, large = (found["tree"][name] for name in TREE)
    typing, activation, size = found["completion"], found["activation"], found["vsix"] / 1024
    rows = [("activation before the language client starts, ms", activation, None, 50.0, False)]
    rows += [("size of the package, KiB", size, None, 1024.0, False)]
    rows += [
        (f"tree of 100 servers and 5,000 tools, {what}, ms", large[what], small[what], 2.0, True) for what in small
    ]
    rows += [("key to completions in the workbench, ms", typing["with"], typing["without"], 1.5, True)]
    return [vscode_row(*row) for row in rows]


def vscode_row(name: str, ours: float, theirs: float | None, bound: float, is_ratio: bool) -> Row:
    """One line of the table. `bound`: a multiple of `theirs` where `is_ratio`, else of the figure's own unit."""
    holds = ours <= (bound * theirs if is_ratio and theirs is not None else bound)
    wanted = f"≤ {bound:g}{' times' if is_ratio else ''}"
    return f"VS Code: {name}", f"{ours:.2f}", "" if theirs is None else f"{theirs:.2f}", wanted, holds


def main() -> int:
    """Measure, print and write; 1 if a figure is not as wanted."""
    load = os.getloadavg()[0]
    rows: list[Row] = []
    for name, stamp, measure in (("Neovim", "nvim/neovim", neovim), ("VS Code", "vscode/code-server", vscode)):
        if (ROOT / ".tools" / f"{stamp}.stamp").exists():
            print(f"measuring {name} ...", flush=True)
            rows += measure()
        else:
            print(f"{name} is not installed (tests/editors/install.sh), so it is not measured.", file=sys.stderr)
    lines = [OPENING, f"Machine: {os.cpu_count()} cores, load {load:.1f} before the run.\n"]
    lines += ["| figure | ours | peer | wanted | |", "| --- | ---: | ---: | --- | --- |"]
    lines += [
        f"| {n} | {ours} | {peer} | {wanted} | {'yes' if ok else '**no**'} |" for n, ours, peer, wanted, ok in rows
    ]
    text = "\n".join([*lines, ""])
    print(text)
    if rows and "--quick" not in sys.argv:
        RESULTS.write_text(text, "utf-8")
    return 0 if all(row[4] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())

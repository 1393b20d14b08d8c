#!/usr/bin/env python3
"""Writes what mirrors the wire: TypeScript for VS Code, Lua for Neovim, and docs/protocol.md; and the settings.

`mirror.py` writes, `mirror.py --check` only compares and fails when a file is stale. `codeagent_lsp.protocol` is the
one definition of the wire, `mirroring/settings.py` of the settings; the mirrors are never edited.
"""

import argparse
import sys
from pathlib import Path

from mirroring import lua, markdown, settings, typescript

ROOT = Path(__file__).resolve().parent.parent
HEADER = "Generated from server/codeagent_lsp/protocol by `make mirror`: do not edit."
MIRRORS = {
    "vscode-client/src/protocol.ts": typescript.write,
    "nvim/lua/codeagent/protocol.lua": lua.write,
    "docs/protocol.md": markdown.write,
    "vscode-client/package.json": settings.manifest,
    "vscode-client/README.md": settings.readme,
}


def main(arguments: list[str]) -> int:
    """Write or check; 1 if a file is stale."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is stale")
    check = parser.parse_args(arguments).check
    stale: list[str] = []
    for name, write in MIRRORS.items():
        path, text = ROOT / name, write(HEADER)
        if path.is_file() and path.read_text("utf-8") == text:
            continue
        stale.append(name)
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
            print(f"wrote {name}")
    for name in stale if check else []:
        print(f"{name} is stale: run `make mirror` and commit it", file=sys.stderr)
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

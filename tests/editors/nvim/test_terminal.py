"""The same in a real terminal: Neovim's own interface under tmux, with hostile text that a terminal must not get."""

import json
import tempfile
from pathlib import Path

import pytest
from nvim_kit import DEMO, SCREENS, Terminal, binaries, tmux, wait_for


def test_in_a_real_terminal() -> None:
    if tmux() is None:
        pytest.skip("tmux is not installed: tests/editors/nvim/install.sh")
    with tempfile.TemporaryDirectory(prefix="nv-", ignore_cleanup_errors=True) as folder:
        home = Path(folder).resolve()
        (home / ".codeagent").mkdir()
        (home / ".codeagent" / "mcp.json").write_text(json.dumps({"mcpServers": {"demo": DEMO}}), "utf-8")
        (home / "work" / ".git").mkdir(parents=True)
        notes = home / "work" / "notes.md"
        notes.write_text("# Notes\n", "utf-8")
        terminal = Terminal(binaries()[0], home, notes)
        try:
            terminal.sees("notes.md", "ready")
            terminal.keys(":CodeAgent", "Enter")
            terminal.sees("▸ ● demo", "9 tools")
            terminal.keys("l")
            screen = terminal.sees("▾ Tools 9", "delete_note", "destroys")
            SCREENS.mkdir(parents=True, exist_ok=True)
            (SCREENS / "terminal-panel.txt").write_text(screen, "utf-8")
            terminal.keys("q")
            call = 'CodeAgent call demo/add_note {"name": "x", "text": "\\u001b[2Jdone"}'
            terminal.keys("-l", f":{call}")
            terminal.keys("Enter")
            screen = terminal.sees("May the tool “add_note”", "\\u001b[2Jdone", "y  yes, once")
            (SCREENS / "terminal-approval.txt").write_text(screen, "utf-8")

            def answered() -> bool:
                terminal.keys("y")
                return "May the tool" not in terminal.run("capture-pane", "-p")

            wait_for("a yes to count", answered)
            terminal.sees("Wrote x", "done")
        finally:
            terminal.close()

"""`make demo` shows what it promises, to a person at a terminal and to a pipe, and leaves nothing behind."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STORY = (
    "Nothing of a project starts before you say so",
    "May demo start?",
    "Servers",
    "demo        ready",
    "mcp__demo__delete_note",
    "May get_note(name='groceries') run?",
    "oat milk",
    "step 8 of 8",
    "Hello, Ada!",
    "did not allow",
    "Every note is a resource",
    "+ mcp__demo__extra_1",
    "Go on",
)


def environment(home: Path, **more: str) -> dict[str, str]:
    """An environment with an empty home."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", **more}


def is_told(output: str) -> None:
    """The whole story is in the output, in its order."""
    place = 0
    for part in STORY:
        place = output.find(part, place)
        assert place >= 0, f"{part!r} is missing in:\n{output}"


def test_a_pipe_gets_the_whole_story_in_plain_text_and_the_users_own_files_are_not_touched(tmp_path: Path) -> None:
    own = tmp_path / ".codeagent" / "mcp.json"
    own.parent.mkdir()
    own.write_text('{"mcpServers": {"mine": {"command": "false"}}}')
    done = subprocess.run(
        [sys.executable, "scripts/demo.py"], cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\x1b" not in done.stdout and not done.stderr
    is_told(done.stdout)
    assert "mine" not in done.stdout
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [own]


@pytest.mark.parametrize("columns", [72, 100])
def test_a_terminal_gets_colour_and_lines_that_fit(tmp_path: Path, columns: int) -> None:
    primary, secondary = pty.openpty()
    env = environment(tmp_path, TERM="xterm-256color", COLUMNS=str(columns))
    process = subprocess.Popen(
        [sys.executable, "scripts/demo.py"], cwd=ROOT, env=env, stdin=secondary, stdout=secondary, stderr=secondary
    )
    os.close(secondary)
    out = b""
    try:
        while chunk := os.read(primary, 65536):
            out += chunk
    except OSError:
        pass  # the terminal's other end is closed
    os.close(primary)
    text = out.decode()
    assert process.wait(20) == 0, text
    assert "\x1b[" in text
    plain = re.sub(r"\x1b\[[0-9;]*[mK]", "", text)
    is_told(plain)
    assert max(len(line.split("\r")[-1]) for line in plain.replace("\r\n", "\n").splitlines()) <= columns

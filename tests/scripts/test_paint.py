"""What the demo prints fits the terminal, has colour only where it is wanted, and is cut visibly."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
PROGRAM = """
from paint import Paint
paint = Paint()
paint.title('Title')
paint.pair('name', 'word ' * 60, 'red')
paint.quote('line\\n' * 20 + 'x' * 300)
paint.table([[('a', 'bold'), ('b' * 300, 'dim')], [('c' * 10,), ('日本語' * 60, 'red')]])
"""


def printed(columns: int, **environment: str) -> str:
    """What the program prints on a terminal of some width."""
    primary, secondary = pty.openpty()
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(SCRIPTS), "COLUMNS": str(columns), **environment}
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=secondary, stderr=secondary, env=env)
    os.close(secondary)
    out = b""
    try:
        while chunk := os.read(primary, 65536):
            out += chunk
    except OSError:
        pass  # the terminal's other end is closed
    os.close(primary)
    assert process.wait(20) == 0, out.decode()
    return out.decode()


def columns_of(line: str) -> int:
    """How wide a line without escape codes is; the wide characters of this test are all above U+2E80."""
    return sum(2 if character >= "⺀" else 1 for character in line)


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_no_line_is_wider_than_the_terminal(columns: int) -> None:
    lines = printed(columns, TERM="xterm", NO_COLOR="1").replace("\r", "").splitlines()
    assert max(columns_of(line) for line in lines) <= columns
    assert any("…" in line for line in lines) and any("more lines" in line for line in lines)


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, True),
        ({"TERM": "dumb"}, False),
    ],
)
def test_colour_is_there_only_where_it_is_wanted(environment: dict[str, str], coloured: bool) -> None:
    assert ("\x1b[" in printed(80, **environment)) is coloured


def test_a_pipe_gets_plain_text() -> None:
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(SCRIPTS), "TERM": "xterm", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, env=env, check=True)
    assert b"\x1b" not in done.stdout and "── Title".encode() in done.stdout

"""The command line, and what it costs to start."""

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from codeagent_lsp.cli import main
from editor_wires import CODEAGENT_LSP


def test_the_version_is_the_package_s(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"codeagent-lsp {version('codeagent-lsp')}\n"


def test_help_says_what_it_is_and_how_an_editor_starts_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    assert end.value.code == 0
    text = capsys.readouterr().out
    for word in ("MCP", "language server", ".codeagent/mcp.json", "vim.lsp.config", "--log-level", "--version"):
        assert word in text
    assert "clientProcessId" not in text


@pytest.mark.parametrize("argv", [["--zap"], ["zap"], ["--log-level", "loud"], ["serve", "more"]])
def test_wrong_usage_is_told_on_standard_error(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(argv)
    assert end.value.code == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "usage: codeagent-lsp" in told.err


@pytest.mark.parametrize(
    "argv", [[], ["--stdio"], ["--clientProcessId=1"], ["--log-level", "debug", "--stdio"], ["serve"]]
)
def test_it_serves_however_an_editor_starts_it(argv: list[str], home: Path) -> None:
    done = subprocess.run([*CODEAGENT_LSP, *argv], stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
    assert (done.returncode, done.stdout) == (1, b"")  # the input ended before `shutdown`
    assert b"Traceback" not in done.stderr


def modules_after(code: str) -> set[str]:
    script = f"import json, sys\n{code}\njson.dump(sorted(sys.modules), sys.stdout)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=20, check=True)
    return set(json.loads(done.stdout))


HEAVY = {"mcp", "mcp_types", "pydantic", "httpx2", "jsonschema", "starlette", "cryptography", "tree_sitter", "keyring"}


def test_nothing_heavy_is_imported_before_initialize_is_answered(home: Path) -> None:
    loaded = modules_after("import codeagent_lsp.cli, codeagent_lsp.handlers\ncodeagent_lsp.handlers.build()")
    assert loaded & HEAVY == set()


def test_the_command_line_itself_needs_no_language_server(home: Path) -> None:
    loaded = modules_after("import codeagent_lsp.cli")
    assert loaded & {*HEAVY, "pygls", "lsprotocol", "asyncio"} == set()

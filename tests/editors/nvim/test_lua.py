"""The Lua side by itself: busted specs in each Neovim, luacheck, stylua, sizes, the help, and what a start loads."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from nvim_kit import HERE, PLUGIN, TOOLS, binaries, environment, luacheck_paths

STYLUA = "stylua/node_modules/@johnnymorganz/stylua-bin-*/stylua*"


def run(*command: str | Path, cwd: Path = PLUGIN, home: Path | None = None) -> str:
    """The output of a command that has to end well."""
    env = environment(home) if home else {**os.environ}
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, env=env, timeout=50)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def lua(binary: str, *arguments: str) -> str:
    """Run Debian's Lua tools by Neovim's own LuaJIT."""
    if not luacheck_paths():
        pytest.skip("busted and luacheck are not installed: tests/editors/nvim/install.sh")
    return run(TOOLS / binary, "--clean", "-l", HERE / "run_lua.lua", *arguments)


def test_the_specs_pass(binary: str) -> None:
    assert "0 failures / 0 errors" in lua(binary, "busted", "-o", "plainTerminal", "tests")


def test_luacheck_finds_nothing() -> None:
    assert "0 warnings / 0 errors" in lua(binaries()[0], "luacheck", "--no-color", ".")


def test_the_lua_files_are_formatted() -> None:
    found = [path for path in TOOLS.glob(STYLUA) if not path.suffix]
    if not found:
        pytest.skip("stylua is not installed: tests/editors/nvim/install.sh")
    run(found[0], "--check", ".")


def test_a_lua_file_fits_on_a_few_screens_and_says_what_it_is() -> None:
    for path in PLUGIN.rglob("*.lua"):
        lines = path.read_text("utf-8").splitlines()
        if path.name == "protocol.lua":
            continue
        assert len(lines) <= 300, f"{path}: {len(lines)} lines"
        if "tests" not in path.parts:
            assert re.match(r"---? .{10,}|-- .{10,}", lines[0]), f"{path} does not say what it is"


def test_the_help_is_up_to_date() -> None:
    run(TOOLS / binaries()[0], "--clean", "-l", PLUGIN / "scripts" / "help.lua", "--check")


def test_the_help_has_its_tags(tmp_path: Path) -> None:
    (tmp_path / "doc").mkdir()
    (tmp_path / "doc" / "codeagent.txt").write_bytes((PLUGIN / "doc" / "codeagent.txt").read_bytes())
    run(TOOLS / binaries()[0], "--clean", "--headless", "-c", f"helptags {tmp_path / 'doc'}", "-c", "qa")
    tags = (tmp_path / "doc" / "tags").read_text("utf-8")
    text = (PLUGIN / "doc" / "codeagent.txt").read_text("utf-8")
    known = {line.split("\t")[0] for line in tags.splitlines()}
    for link in set(re.findall(r"\|(codeagent-[\w-]*|:CodeAgent[\w-]*)\|", text)):
        assert link in known, f"|{link}| leads nowhere"


def test_nothing_is_loaded_at_start_and_it_takes_less_than_a_millisecond(binary: str, tmp_path: Path) -> None:
    shares: list[float] = []
    for number in range(3):
        log = tmp_path / f"start-{number}.txt"
        init = f"set rtp^={PLUGIN}"
        done = ["--cmd", init, "-c", "lua vim.lsp.enable('codeagent')"]
        check = "lua io.stderr:write('loaded: ' .. table.concat(vim.tbl_filter(function(n)"
        check += " return n:find('^codeagent') end, vim.tbl_keys(package.loaded)), ' '))"
        command = (TOOLS / binary, "--headless", "--clean", *done, "-c", check, "--startuptime", log, "-c", "qa")
        output = run(*command, home=tmp_path)
        assert "codeagent" not in output.split("loaded:")[1]
        lines = [line for line in log.read_text("utf-8").splitlines() if str(PLUGIN) in line]
        assert lines, "the plugin was not sourced at all"
        shares.append(sum(float(line.split()[1]) for line in lines))
    assert min(shares) < 1.0, shares

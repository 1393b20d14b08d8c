"""What happens on `:write` where it cannot go well, and on commands that the language server cannot carry out."""

import re
from collections.abc import Callable

from nvim_kit import DEMO, Nvim, wait_for

Start = Callable[..., Nvim]


def test_a_resource_that_is_saved_says_that_it_cannot_be(nvim: Nvim) -> None:
    nvim.command("CodeAgent read @demo:note://ideas")
    nvim.sees("a kettle")
    for command in ("write", "write!", "1write!"):
        nvim.lua("vim.cmd('messages clear')")
        nvim.command(command)
        nvim.says("a resource of a server cannot be written")
    assert nvim.lua("return vim.bo.modified") is False
    target = nvim.work / "copy.md"
    nvim.command(f"write {target}")
    wait_for("the copy", lambda: target.exists() and "a kettle" in target.read_text("utf-8"))
    nvim.command("edit notes.md")
    wait_for("the notes", lambda: nvim.api.current.buffer.name.endswith("notes.md"))


def test_signing_in_says_in_words_how_it_went(nvim: Nvim) -> None:
    for command in ("CodeAgent signin demo", "CodeAgent! signin demo", "CodeAgent signin nobody"):
        nvim.lua("vim.cmd('messages clear')")
        nvim.command(command)
        said = nvim.says("codeagent: ")
        assert not re.search(r"traceback|Error|[{}]", said), said


def test_a_config_that_is_saved_broken_keeps_what_runs(start: Start) -> None:
    nvim = start(servers={"demo": DEMO})
    nvim.edit()
    nvim.ready("demo")
    config = nvim.home / ".codeagent" / "mcp.json"
    good = config.read_text("utf-8")
    nvim.api.command(f"edit {config}")
    nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { ... })", '{ "mcpServers": { "demo": ')
    nvim.command("write")
    wait_for("the problem", lambda: nvim.lua("return #vim.diagnostic.get(0)"))
    assert nvim.state("demo") == "ready"
    nvim.command('CodeAgent call mcp__demo__get_note {"name": "groceries"}')
    nvim.sees("- bread")
    nvim.lua("vim.cmd.wincmd('p'); vim.cmd.edit(...)", str(config))
    nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { ... })", *good.splitlines())
    nvim.command("write")
    wait_for("no problem", lambda: not nvim.lua("return #vim.diagnostic.get(0)"))
    assert nvim.state("demo") == "ready"

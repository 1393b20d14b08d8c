"""The figures of the Neovim plugin: its share of the start, keystroke to popup, the panel with 5,000 tools.

    python bench/nvim.py [--json]

In a real Neovim (tests/editors/nvim/install.sh). Where there is a peer, both sides run in turns in the same run, and
the median counts: the same language server without the plugin, and a bare buffer with the same lines.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from attrs import asdict, frozen

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "editors" / "nvim"))

from nvim_kit import DEMO, PLUGIN, TOOLS, Nvim, binaries, environment, wait_for  # noqa: E402 - the kit stands there

ROUNDS = 7

BARE = """
vim.lsp.enable('codeagent', false)
vim.opt.runtimepath:remove(vim.env.CODEAGENT_PLUGIN)
vim.lsp.config('bare', {
  cmd = { 'codeagent-lsp' },
  root_markers = { '.git' },
  on_attach = function(client, buffer)
    vim.lsp.completion.enable(true, client.id, buffer, { autotrigger = true })
  end,
})
vim.lsp.enable('bare')
"""

KEYSTROKE = """
vim.cmd.stopinsert()
vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'see @demo' })
_G.taken = nil
vim.api.nvim_create_autocmd('CompleteChanged', { once = true, callback = function()
  _G.taken = (vim.uv.hrtime() - _G.began) / 1e6
end })
vim.api.nvim_create_autocmd('InsertCharPre', { once = true, callback = function() _G.began = vim.uv.hrtime() end })
vim.api.nvim_input('A:')
"""

FILL = """
local state, panel = require('codeagent.state'), require('codeagent.panel')
state.host, state.refresh = 'on', function() end
panel.refresh = function() end
for s = 1, 100 do
  local name, tools = ('server%03d'):format(s), {}
  for t = 1, 50 do
    tools[t] = { server = name, tool = 'tool_' .. t, kind = 'tool', name = name .. t, description = 'Does this and that.',
      inputSchema = {}, capability = 'read', approval = 'auto', enabled = true }
  end
  state.servers[name] = { server = name, name = name, state = 'ready', tools = 50, disabledTools = 0, resources = 0,
    resourceTemplates = 0, prompts = 0 }
  _G.tools = _G.tools or {}
  _G.tools[name] = tools
end
local execute = require('codeagent.client').execute
require('codeagent.client').execute = function(name, params, options, callback)
  callback(nil, { tools = _G.tools[params.server] or {}, resources = {}, templates = {}, prompts = {} })
  return function() end
end
panel.open()
panel.fold_all(true)
vim.wait(5000, function() return #panel.current().drawn.lines >= 5200 end, 5)
vim.wait(100)
return #panel.current().drawn.lines
"""

OPEN = """
local panel = require('codeagent.panel')
vim.api.nvim_win_close(panel.current().window, true)
local began = vim.uv.hrtime()
panel.open()
vim.cmd.redraw()
return (vim.uv.hrtime() - began) / 1e6
"""

REFRESH = """
local panel, state = require('codeagent.panel'), require('codeagent.state')
state.servers.server050.tools = state.servers.server050.tools + 1
local began = vim.uv.hrtime()
panel.draw()
vim.cmd.redraw()
return (vim.uv.hrtime() - began) / 1e6
"""

BUFFER = """
local lines = require('codeagent.panel').current().drawn.lines
local began = vim.uv.hrtime()
local buffer = vim.api.nvim_create_buf(false, true)
vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
local window = vim.api.nvim_open_win(buffer, true, { relative = 'editor', row = 1, col = 1, width = 90, height = 20 })
vim.cmd.redraw()
local taken = (vim.uv.hrtime() - began) / 1e6
vim.api.nvim_win_close(window, true)
vim.api.nvim_buf_delete(buffer, { force = true })
return taken
"""


@frozen
class Figure:
    """One line of the result, in milliseconds; `bound` is the most that is wanted of `ours`, or of ours by theirs."""

    name: str
    ours: float
    theirs: float | None
    bound: float

    @property
    def holds(self) -> bool:
        """Whether it is as wanted."""
        return (self.ours if self.theirs is None else self.ours / self.theirs) <= self.bound


def startup() -> Figure:
    """What sourcing the plugin costs at start, with the language server enabled."""
    shares: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for number in range(ROUNDS):
            log = home / f"{number}.txt"
            enable = ["--cmd", f"set rtp^={PLUGIN}", "-c", "lua vim.lsp.enable('codeagent')"]
            command = [
                str(TOOLS / binaries()[0]),
                "--headless",
                "--clean",
                *enable,
                "--startuptime",
                str(log),
                "-c",
                "qa",
            ]
            subprocess.run(command, env=environment(home), check=True, capture_output=True)
            lines = [line for line in log.read_text("utf-8").splitlines() if str(PLUGIN) in line]
            shares.append(sum(float(line.split()[1]) for line in lines))
    return Figure("share of the start, ms", statistics.median(shares), None, 1.0)


def keystroke() -> Figure:
    """From the `:` behind a server's name to the popup with its resources."""
    sides = [Nvim(servers={"demo": DEMO}), Nvim(servers={"demo": DEMO})]
    try:
        sides[1].lua(BARE)
        taken: list[list[float]] = [[], []]
        for side in sides:
            side.api.command(f"edit {side.work / 'notes.md'}")
            wait_for("completion", lambda side=side: one_keystroke(side, 2.0))
        for number in range(2 * ROUNDS):
            for index in (0, 1) if number % 2 else (1, 0):
                taken[index].append(wait_for("a popup", lambda index=index: one_keystroke(sides[index], 10.0)))
        return Figure("keystroke to popup, ms", statistics.median(taken[0]), statistics.median(taken[1]), 1.5)
    finally:
        for side in sides:
            side.close()


def one_keystroke(side: Nvim, within: float) -> float | None:
    """Milliseconds from a key to the popup; `None` where there was none in time."""
    side.lua(KEYSTROKE)
    try:
        return wait_for("the popup", lambda: side.lua("return _G.taken"), within)
    except AssertionError:
        return None
    finally:
        side.keys("<C-e><Esc>")
        wait_for("normal mode", lambda: side.api.api.get_mode()["mode"] == "n")


def panel() -> list[Figure]:
    """Opening the panel, and drawing it anew after one change, with 100 servers and 5,000 tools unfolded."""
    nvim = Nvim(lazy=True)
    try:
        assert nvim.lua(FILL) >= 5200
        opened, refreshed, bare = [], [], []
        for _ in range(ROUNDS):
            opened.append(nvim.lua(OPEN))
            refreshed.append(nvim.lua(REFRESH))
            bare.append(nvim.lua(BUFFER))
        theirs = statistics.median(bare)
        return [
            Figure("panel of 5,000 tools, opened, ms", statistics.median(opened), theirs, 25),
            Figure("panel of 5,000 tools, one change, ms", statistics.median(refreshed), theirs, 25),
        ]
    finally:
        nvim.close()


def main() -> int:
    """Measure, print, and say by the exit code whether all is as wanted."""
    figures = [startup(), keystroke(), *panel()]
    if "--json" in sys.argv:
        print(json.dumps([{**asdict(figure), "holds": figure.holds} for figure in figures], indent=2))
    for figure in figures if "--json" not in sys.argv else []:
        peer = "" if figure.theirs is None else f" against {figure.theirs:.1f}, bound {figure.bound:g} times"
        print(f"{'ok  ' if figure.holds else 'MISS'} {figure.name:<42} {figure.ours:8.2f}{peer}")
    return 0 if all(figure.holds for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())

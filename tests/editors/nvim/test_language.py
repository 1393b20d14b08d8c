"""What the language server does in buffers: mentions, calls and config files, completed, explained and checked."""

from collections.abc import Callable

import pytest
from nvim_kit import DEMO, PLUGIN, TOOLS, Nvim, wait_for

Start = Callable[..., Nvim]


def popup(nvim: Nvim) -> list[str]:
    """The words of the popup menu."""
    words = "return vim.tbl_map(function(i) return i.word end, vim.fn.complete_info({ 'items' }).items)"
    return wait_for("the popup menu", lambda: nvim.api.funcs.pumvisible() and nvim.lua(words))


def test_a_mention_completes_as_it_is_typed(either: Nvim) -> None:
    nvim = either
    nvim.keys("Gosee @")
    wait_for("the server", lambda: "@demo:" in popup(nvim))
    nvim.keys("demo:")
    wait_for("its resources", lambda: "@demo:note://readme" in popup(nvim))
    nvim.keep("completion")
    nvim.keys("note://rea")
    wait_for("one of them", lambda: set(popup(nvim)) == {"@demo:note://readme"})
    nvim.keys("<C-n><C-y> now<Esc>")
    wait_for("normal mode", lambda: nvim.api.api.get_mode()["mode"] == "n")
    assert nvim.buffer()[-1] == "see @demo:note://readme now"


def test_omnifunc_gives_the_same_without_typing_ahead(start: Start) -> None:
    nvim = start(servers={"demo": DEMO}, options={"completion": False})
    nvim.edit()
    nvim.ready("demo")
    nvim.keys("Gosee @demo:note://re<C-x><C-o>")
    assert set(popup(nvim)) == {"@demo:note://readme"}


def test_a_completion_plugin_is_left_alone(start: Start) -> None:
    files = {f"{number}.md": "x" for number in range(3)}
    nvim = start(servers={"demo": DEMO}, files=files)
    for name, plugin in zip(files, ["blink.cmp", "cmp", "mini.completion"], strict=True):
        nvim.lua("package.loaded[...] = {}", plugin)
        nvim.edit(name)
        wait_for("the client", lambda: nvim.lua("return #vim.lsp.get_clients({ bufnr = 0 })") == 1)
        assert nvim.lua("return #vim.api.nvim_get_autocmds({ event = 'InsertCharPre' })") == 0
        nvim.lua("package.loaded[...] = nil", plugin)


def test_a_mention_is_followed_with_the_keys_that_neovim_has(nvim: Nvim) -> None:
    nvim.keys("Gosee @demo:note://readme now<Esc>")
    wait_for("the line", lambda: nvim.buffer()[-1].startswith("see @demo"))
    nvim.keys("0f@<C-]>")
    nvim.sees("# Notebook")
    assert nvim.api.current.buffer.name.startswith("codeagent://resource/")
    nvim.keys("<C-o>")
    nvim.keys("K")
    nvim.sees("note://readme")


def test_an_unknown_resource_is_marked(nvim: Nvim) -> None:
    nvim.keys("Gosee @demo:other://x<Esc>")
    wait_for("the mark", lambda: nvim.lua("return #vim.diagnostic.get(0)") == 1)


def test_a_call_is_completed_explained_and_checked(either: Nvim) -> None:
    nvim = either
    nvim.command("CodeAgent call demo/count")
    nvim.sees('"steps": 5')
    wait_for("the client", lambda: nvim.lua("return #vim.lsp.get_clients({ bufnr = 0 })") == 1)
    nvim.keys("/steps<CR>")
    nvim.keys(r":s/5/5000/<CR>")
    wait_for("the mark", lambda: nvim.lua("return #vim.diagnostic.get(0)") > 0)
    nvim.keys(r":s/5000/5/<CR>")
    wait_for("the mark to go", lambda: nvim.lua("return #vim.diagnostic.get(0)") == 0)
    nvim.keys("/seconds<CR>K")
    nvim.sees("How long one step takes")
    nvim.keys("<Esc>:fclose<CR>")
    nvim.keys(r":%s/\v.*steps.*,?\n//<CR>")
    nvim.keys('/arguments<CR>o"st<C-x><C-o>')
    wait_for("the names", lambda: any("steps" in word for word in popup(nvim)))


def test_a_config_file_is_checked_and_reload_is_a_save(nvim: Nvim) -> None:
    nvim.command("CodeAgent config user")
    nvim.sees("mcpServers", "codeagent_lsp.demo")
    nvim.keys(':%s/"command"/"comand"/<CR>:w<CR>')
    wait_for("the mark", lambda: nvim.lua("return #vim.diagnostic.get(0)") > 0)
    nvim.keys("u:w<CR>")
    wait_for("the mark to go", lambda: nvim.lua("return #vim.diagnostic.get(0)") == 0)
    nvim.ready("demo")


def test_the_entry_of_a_server_is_found(start: Start) -> None:
    nvim = start(servers={"aaa": {**DEMO, "disabled": True}, "demo": DEMO})
    nvim.edit()
    nvim.ready("demo")
    nvim.command("CodeAgent config demo")
    wait_for("the entry", lambda: '"demo"' in nvim.api.current.line)
    nvim.command("CodeAgent! config demo")
    nvim.sees("codeagent_lsp.demo")


def test_servers_of_another_tool_are_taken_over(nvim: Nvim) -> None:
    other = '{"mcpServers": {"clock": {"command": "uvx", "args": ["mcp-server-time"]}}}'
    (nvim.work / ".mcp.json").write_text(other, "utf-8")
    nvim.command("CodeAgent import .mcp.json")
    nvim.sees("clock", "mcp-server-time")
    assert nvim.api.current.buffer.name.endswith("/work/.codeagent/mcp.json")
    assert not (nvim.work / ".codeagent" / "mcp.json").exists(), "a preview writes nothing"


def test_the_lua_api_waits_or_calls_back(nvim: Nvim) -> None:
    names = nvim.lua("return vim.tbl_map(function(t) return t.tool end, require('codeagent').tools().tools)")
    assert names[:2] == ["get_note", "list_notes"]
    assert nvim.lua(
        "return require('codeagent').call_tool('mcp__demo__get_note', { name = 'readme' }).text"
    ).startswith("# Notebook")
    failure = nvim.lua("local _, f = require('codeagent').call_tool('nothing') return f")
    assert failure["kind"] == "unknownTool"
    nvim.lua("require('codeagent').read_resource('@demo:note://readme', function(_, r) _G.read = r end)")
    assert wait_for("the answer", lambda: nvim.lua("return _G.read"))["uri"] == "note://readme"
    filled = nvim.lua("return require('codeagent').get_prompt('demo', 'review_note', { name = 'readme' })")
    assert "Review the note" in filled["text"]
    assert "mcp__demo__get_note" in nvim.lua("return require('codeagent').prompt_section().text")
    found = nvim.lua("return require('codeagent').resolve_mentions('see @demo:note://readme').mentions")
    assert found[0]["uri"] == "note://readme"
    revision = nvim.lua("return require('codeagent').tools().revision")
    assert nvim.lua("return require('codeagent').refresh_tools(...)", revision) == {
        "changed": False,
        "revision": revision,
    }


def test_a_waiting_call_can_be_answered(nvim: Nvim) -> None:
    nvim.lua(
        """
        vim.schedule(function()
          local result, failure = require('codeagent').call_tool('mcp__demo__delete_note', { name = 'readme' })
          _G.waited = result and result.text or failure.kind
        end)
        """
    )
    nvim.sees("May the tool “delete_note”")
    nvim.keys("n")
    assert wait_for("the answer", lambda: nvim.lua("return _G.waited")) == "denied"


def test_events_and_variables_are_there_for_others(start: Start) -> None:
    nvim = start(servers={"demo": DEMO})
    nvim.lua(
        """
        _G.events = {}
        vim.api.nvim_create_autocmd('User', { pattern = 'CodeAgent*', callback = function(e)
          _G.events[e.match] = e.data
        end })
        """
    )
    assert nvim.lua("return vim.g.codeagent_status") is None
    nvim.edit()
    nvim.ready("demo")
    wait_for("its tools", lambda: nvim.lua("return vim.g.codeagent_counts.tools") == 9)
    assert nvim.lua("return vim.g.codeagent_status") == "ready"
    nvim.lua("require('codeagent').call_tool('mcp__demo__add_tool', nil, nil, function() end)")
    nvim.sees("May the tool")
    wait_for("a yes to count", lambda: (nvim.keys("y"), "May the tool" not in nvim.text())[1])
    added = "return _G.events.CodeAgentToolsChanged.added"
    wait_for("the event", lambda: nvim.lua(added) == ["mcp__demo__extra_1"])
    assert nvim.lua("return _G.events.CodeAgentStatus.servers ~= nil and _G.events.CodeAgentQuestion.open") == 0


def test_other_plugins_get_tools_in_their_own_shapes(nvim: Nvim) -> None:
    functions = nvim.lua("return require('codeagent.adapters').functions()")
    assert {item["type"] for item in functions} == {"function"}
    assert functions[0]["function"]["parameters"]["required"] == ["name"]
    said = nvim.lua(
        """
        local tool = require('codeagent.adapters').codecompanion()['mcp__demo__get_note']
        local input = { output_cb = function(output) _G.said = output end }
        tool.callback().cmds[1](nil, { name = 'readme' }, input)
        vim.wait(5000, function() return _G.said end)
        return _G.said
        """
    )
    assert said["status"] == "success"
    assert "Notebook" in said["data"]
    avante = nvim.lua(
        """
        for _, tool in ipairs(require('codeagent.adapters').avante()()) do
          if tool.name == 'mcp__demo__get_note' then
            local text, problem = tool.func({ name = 'nothing' })
            local options = { on_complete = function(...) _G.now = { ... } end, on_log = function() end }
            assert(tool.func({ name = 'readme' }, options) == nil)
            tool.func({ name = 'groceries' }, function() end, function(...) _G.before = { ... } end)
            return { tool.param.fields[1].name, text, problem }
          end
        end
        """
    )
    assert avante[0] == "name"
    assert "There is no note" in str(avante[1:])
    assert "Notebook" in wait_for("the answer to avante as it is", lambda: nvim.lua("return _G.now"))[0]
    assert "bread" in wait_for("the answer to avante as it was", lambda: nvim.lua("return _G.before"))[0]


def test_one_server_for_every_project_of_this_neovim(start: Start) -> None:
    nvim = start(servers={"demo": DEMO})
    nvim.edit()
    nvim.ready("demo")
    other = nvim.home / "other"
    (other / ".git").mkdir(parents=True)
    nvim.declare({"second": DEMO}, other / ".codeagent")
    (other / "x.md").write_text("x\n")
    nvim.api.command(f"edit {other / 'x.md'}")
    nvim.sees("May the MCP server “second”")
    assert nvim.lua("return #vim.lsp.get_clients({ name = 'codeagent' })") == 1


def test_checkhealth_says_all_there_is_to_say(start: Start) -> None:
    broken = {"command": "no-such-program"}
    nvim = start(servers={"demo": DEMO, "broken": broken}, options={"colour": 1})
    nvim.edit()
    nvim.ready("demo")
    wait_for("the other", lambda: nvim.state("broken") == "failed")
    nvim.api.command("checkhealth codeagent")
    text = "\n".join(nvim.buffer())
    for piece in ("Neovim 0.11.4", "codeagent-lsp ", "Python 3", "mcp.json", "demo: 9 tools", "broken: failed"):
        assert piece in text, text
    assert "no option `colour`" in text
    assert "attached to 1 buffer" in text
    nvim.keep("health")


def test_it_is_installed_into_a_folder_of_its_own(start: Start) -> None:
    fake = "#!/bin/sh\nexit 0\n"
    nvim = start(lazy=True, options={"install_source": "."}, PATH="/usr/bin:/bin", files={"x": fake})
    nvim.lua(
        """
        local install, steps = require('codeagent.install'), nil
        install.steps = function(folder)
          local bin = vim.fs.joinpath(folder, 'bin')
          local made = "mkdir -p %s && printf '#!/bin/sh\\nexit 0\\n' > %s/codeagent-lsp && chmod +x %s/codeagent-lsp && echo made"
          return { { title = 'Making', command = { '/bin/sh', '-c', made:format(bin, bin, bin) } } }
        end
        """
    )
    nvim.command("CodeAgent install")
    nvim.sees("[1/1] Making …", "made", "Done.")
    found = nvim.lua("return require('codeagent.locate').command()")
    assert found == [str(nvim.home / "data" / "nvim" / "codeagent" / "venv" / "bin" / "codeagent-lsp")]
    nvim.keep("install")


def test_a_failed_installation_says_what_to_do_and_leaves_nothing(start: Start) -> None:
    nvim = start(lazy=True, PATH="/usr/bin:/bin")
    nvim.lua(
        """
        require('codeagent.install').steps = function(folder)
          return { { title = 'Making', command = { '/bin/sh', '-c', 'mkdir -p ' .. folder .. '; echo no; exit 3' }, hint = 'Try tea.' } }
        end
        """
    )
    nvim.command("CodeAgent install")
    nvim.sees("Making failed (exit code 3). Try tea.")
    assert not (nvim.home / "data" / "nvim" / "codeagent" / "venv").exists()


def test_what_an_installation_does_is_what_is_there(start: Start) -> None:
    nvim = start(lazy=True)
    steps = nvim.lua("return require('codeagent.install').steps('/x/venv')")
    assert [len(step["command"]) > 3 for step in steps] == [True, True]
    assert steps[1]["command"][-1] == str(PLUGIN.parent), "the sources that the plugin came with"
    alone = nvim.lua("vim.env.PATH = '/usr/nowhere' return { require('codeagent.install').steps('/x/venv') }")
    assert "no Python 3.11" in str(alone)


def test_vim_pack_installs_it_in_one_line(start: Start) -> None:
    if not (TOOLS / "nvim-newest").exists():
        pytest.skip("vim.pack is in Neovim 0.12: tests/editors/nvim/install.sh")
    nvim = start("nvim-newest", lazy=True, CODEAGENT_PLUGIN="/nowhere")
    source = nvim.home / "clone"
    nvim.lua(
        """
        local plugin, clone = ...
        vim.fn.system({ 'mkdir', '-p', clone })
        vim.fn.system({ 'cp', '-r', plugin, clone .. '/nvim' })
        local function git(...)
          return vim.fn.system({ 'git', '-C', clone, '-c', 'user.name=x', '-c', 'user.email=x@x', ... })
        end
        git('init', '-q') git('add', '.') git('commit', '-qm', 'x')
        local url = 'file://' .. clone
        vim.pack.add({ url }, { confirm = false, load = function(p) vim.opt.rtp:append(p.path .. "/nvim") end })
        vim.cmd.runtime('plugin/codeagent.lua')
        """,
        str(PLUGIN),
        str(source),
    )
    assert nvim.lua("return vim.fn.exists(':CodeAgent')") == 2
    assert nvim.lua("return vim.lsp.config.codeagent ~= nil")

"""What people do with it, in a real Neovim with real servers: panel, calls, approvals, forms, resources, prompts."""

import re
from collections.abc import Callable

import pytest
from nvim_kit import DEMO, Nvim, wait_for

Start = Callable[..., Nvim]

GUARD = 0.45


def yes(nvim: Nvim, key: str, gone: str) -> None:
    """Answer a question as soon as it takes a yes: what is typed before anybody can have read it does not count."""

    def press() -> bool:
        if gone not in nvim.text():
            return True
        nvim.keys(key)
        return False

    wait_for(f"{gone!r} to be answered", press)


def test_the_panel_shows_what_there_is_and_calls_a_tool(either: Nvim) -> None:
    nvim = either
    nvim.command("CodeAgent")
    nvim.sees("1 of 1 ready", "▸ ● demo", "9 tools · 4 resources · 1 prompt")
    nvim.keys("l")
    nvim.sees("▾ Tools 9", "delete_note", "destroys", "▸ Resources 4", "▸ Prompts 1")
    nvim.keys("/Resources<CR>l/Prompts<CR>l")
    nvim.sees("note://readme", "note://{name}", "review_note(name, language?)")
    nvim.same("panel")
    nvim.keys("gg/get_note<CR>l")
    nvim.sees("name*: string", "The note's name, e.g. readme")
    nvim.keys("<CR>")
    nvim.sees('"name": ""', '"tool": "mcp__demo__get_note"', "get_note demo only reads", "<CR> runs it")
    nvim.keys("ireadme<Esc><CR>")
    screen = nvim.sees("done", "D compares", "# Notebook")
    assert "CodeAgent ─" not in screen, "the float made way"
    nvim.keep("result")
    assert nvim.messages() == ""


def test_a_dangerous_call_shows_everything_and_waits(either: Nvim) -> None:
    nvim = either
    nvim.command('CodeAgent call mcp__demo__delete_note {"name": "groceries"}')
    nvim.sees("May the tool “delete_note” of the MCP server “demo” run?", "may destroy data", '"name": "groceries"')
    nvim.sees("y  yes, once", "s  in this session", "n  no")
    assert "w  always" not in nvim.text(), "a destructive tool is granted once or for the session"
    nvim.same("approval")
    nvim.keys("n")
    nvim.says("you did not allow the call")
    nvim.command('CodeAgent call mcp__demo__get_note {"name": "groceries"}')
    nvim.sees("- bread")
    nvim.command('CodeAgent call mcp__demo__delete_note {"name": "groceries"}')
    nvim.sees("May the tool")
    yes(nvim, "y", "May the tool")
    nvim.sees("Deleted groceries.")
    nvim.command("CodeAgent! restart")  # and the notebook is whole again, for the next test
    nvim.says("restarted demo: ready")


@pytest.mark.parametrize("close", ["q", "<Esc>", ":q<CR>", "<C-w>c"])
def test_closing_the_question_denies(nvim: Nvim, close: str) -> None:
    nvim.command('CodeAgent call demo/add_note {"name": "x", "text": "y"}')
    nvim.sees("May the tool “add_note”")
    nvim.keys(close)
    nvim.says("you did not allow the call")
    assert "May the tool" not in nvim.text()


def test_a_yes_that_was_typed_ahead_does_not_count(nvim: Nvim) -> None:
    nvim.keys(':CodeAgent call demo/add_note {"name": "x", "text": "y"}<CR>')
    wait_for("the question", lambda: nvim.lua("local w = package.loaded['codeagent.approval'] return w and w.window"))
    nvim.lua("require('codeagent.approval').GUARD = 100000")
    nvim.keys("y")
    nvim.keys("y")
    assert "May the tool" in nvim.sees("May the tool")
    nvim.keys("n")
    nvim.says("you did not allow the call")


def test_a_question_waits_until_nobody_types(nvim: Nvim) -> None:
    nvim.keys("i")
    nvim.lua("require('codeagent').call_tool('mcp__demo__add_note', { name = 'x', text = 'y' }, nil, function() end)")
    nvim.says("demo asks you something")
    nvim.keys("typing on")
    wait_for("the text", lambda: "typing on" in nvim.buffer()[0])
    assert "May the tool" not in nvim.text()
    nvim.keys("<Esc>")
    nvim.sees("May the tool “add_note”")


def test_a_question_goes_when_its_call_is_cancelled(nvim: Nvim) -> None:
    nvim.lua(
        """
        local arguments = { name = 'x', text = 'y' }
        _G.cancel = require('codeagent').call_tool('mcp__demo__add_note', arguments, nil, function(f) _G.kind = f.kind end)
        """
    )
    nvim.sees("May the tool “add_note”")
    nvim.lua("_G.cancel()")
    wait_for("the question to go", lambda: "May the tool" not in nvim.text())
    assert nvim.lua("return _G.kind") == "cancelled"


def test_a_project_server_starts_when_its_launch_was_approved(start: Start) -> None:
    nvim = start(project={"notes": DEMO, "other": {**DEMO, "env": {"X": "1"}}})
    nvim.edit()
    nvim.sees("May the MCP server “notes” of this workspace start?", "1. -m", "2. codeagent_lsp.demo")
    nvim.keep("approve-server")
    yes(nvim, "s", "“notes” of this workspace")
    nvim.sees("May the MCP server “other”", "X=1")
    nvim.keys("q")
    nvim.ready("notes")
    wait_for("the other to wait", lambda: nvim.state("other") == "untrusted")
    assert nvim.lua("return vim.g.codeagent_status") == "waiting"
    nvim.command("CodeAgent approve")
    nvim.sees("May the MCP server “other”")
    yes(nvim, "a", "“other” of this workspace")
    nvim.ready("other")
    listed = nvim.lua("return require('codeagent.client').wait('listApprovals', {}).approvals")
    assert sorted(item["server"] for item in listed) == ["notes", "other"]


def test_a_form_is_filled_in_and_sent(nvim: Nvim) -> None:
    nvim.command("CodeAgent call mcp__demo__ask")
    nvim.sees("The MCP server “demo” asks you:", "Whom shall I greet?", "Your name *: —", "With an exclamation mark: ")
    nvim.same("form")
    nvim.keys(":w<CR>")
    nvim.sees("! needed")
    nvim.keys("<CR>")
    wait_for("the prompt", lambda: nvim.screen()[-1].startswith("Your name:"))
    nvim.keys("Ada<CR>")
    nvim.sees("Your name *: Ada")
    nvim.keys("<Tab><CR>")
    nvim.sees("[x] yes")
    nvim.keys("<Tab><CR>")
    nvim.sees("Hello, Ada!")


@pytest.mark.parametrize("key", ["q", "D"])
def test_a_form_can_be_refused(nvim: Nvim, key: str) -> None:
    nvim.command("CodeAgent call mcp__demo__ask")
    nvim.sees("Whom shall I greet?")
    nvim.keys(key)
    nvim.sees("You would rather not say.")


def test_a_resource_is_a_buffer_that_keeps_up(either: Nvim) -> None:
    nvim = either
    nvim.command("CodeAgent read @demo:note://ideas")
    nvim.sees("a kettle", "ideas.md")
    name = nvim.api.current.buffer.name
    assert name.startswith("codeagent://resource/")
    assert name.endswith("ideas.md")
    options = nvim.lua(
        "return { vim.bo.filetype, vim.bo.buftype, vim.bo.modifiable, vim.bo.modeline, vim.bo.swapfile }"
    )
    assert options == ["markdown", "acwrite", False, False, False]
    new = "new text\nvim: set textwidth=33:\n"
    nvim.lua(
        "require('codeagent').call_tool('mcp__demo__add_note', { name = 'ideas', text = ... }, nil, function() end)",
        new,
    )
    nvim.sees("May the tool")
    yes(nvim, "y", "May the tool")
    nvim.sees("new text")
    assert nvim.lua("return vim.bo.textwidth") == 0
    nvim.command("edit")
    nvim.sees("new text")
    assert nvim.lua("return vim.bo.textwidth") == 0, "a modeline of a server is text"


def test_a_mention_opens_from_a_result_and_from_a_prompt(nvim: Nvim) -> None:
    nvim.keys(":CodeAgent prompt demo/review_note<CR>")
    nvim.sees("readme", "Type number")  # the list that asks, and no name that was on the screen before
    nvim.keys("2<CR>")
    nvim.sees("English")
    nvim.keys("3<CR>")
    screen = nvim.sees("Review the note @demo:note://")
    assert re.search(r"answer in \w+", screen)
    nvim.lua("vim.fn.search('@demo')")
    nvim.keys("gd")
    wait_for("the resource", lambda: nvim.api.current.buffer.name.startswith("codeagent://resource/"))


def test_two_results_are_compared(nvim: Nvim) -> None:
    nvim.command('CodeAgent call mcp__demo__get_note {"name": "readme"}')
    nvim.sees("# Notebook")
    nvim.command('CodeAgent call mcp__demo__get_note {"name": "nothing"}')
    nvim.sees("There is no note")
    nvim.keys("<C-w>jD")
    nvim.sees("# Notebook", "There is no note", "the run before")
    assert nvim.lua("return #vim.tbl_filter(function(w) return vim.wo[w].diff end, vim.api.nvim_list_wins())") == 2
    nvim.keep("compare")


def test_progress_is_seen_and_a_call_is_cancelled(nvim: Nvim) -> None:
    nvim.lua("vim.api.nvim_create_autocmd('LspProgress', { callback = function(e) _G.seen = e.data.params.value end })")
    nvim.command("CodeAgent call demo/count")
    nvim.sees('"seconds": 0.2', '"steps": 5')
    nvim.keys(r":%s/\D5$/ 900/<CR>:w<CR>")
    nvim.sees("running …", "step ", "of 900")
    assert nvim.lua("return _G.seen.message").endswith("of 900")
    assert nvim.lua("return vim.g.codeagent_counts.calls") == 1
    nvim.keys("<C-c>")
    wait_for("the call to end", lambda: nvim.lua("return vim.g.codeagent_counts.calls") == 0)
    wait_for("the line to go", lambda: "running …" not in nvim.text())


def test_the_panel_keeps_the_cursor_where_it_is(nvim: Nvim) -> None:
    nvim.command("CodeAgent")
    nvim.sees("▸ ● demo")
    nvim.keys("l")
    nvim.sees("roll_dice")
    nvim.keys("/roll_dice<CR>")
    wait_for("the cursor", lambda: "roll_dice" in nvim.api.current.line)
    nvim.lua("require('codeagent.state').servers.aaa = vim.deepcopy(require('codeagent.state').servers.demo)")
    nvim.lua("require('codeagent.state').servers.aaa.server = 'aaa'; require('codeagent.panel').draw()")
    nvim.sees("● aaa")
    assert "roll_dice" in nvim.api.current.line
    nvim.lua("require('codeagent').call_tool('mcp__demo__add_tool', nil, nil, function() end)")
    nvim.sees("May the tool “add_tool”")
    yes(nvim, "y", "May the tool")
    nvim.sees("extra_1", "▾ Tools 10")
    assert "roll_dice" in nvim.api.current.line


def test_the_mouse_folds_and_opens(nvim: Nvim) -> None:
    nvim.lua("vim.o.mouse = 'a'")
    nvim.command("CodeAgent")
    nvim.sees("▸ ● demo")
    row = next(number for number, line in enumerate(nvim.screen()) if "▸ ● demo" in line)
    column = nvim.screen()[row].index("▸")
    for action in ("press", "release"):
        nvim.api.request("nvim_input_mouse", "left", action, "", 0, row, column)
    nvim.sees("▾ ● demo", "get_note")


def test_keys_of_the_panel_are_listed(nvim: Nvim) -> None:
    nvim.command("CodeAgent")
    nvim.sees("▸ ● demo")
    nvim.keys("?")
    nvim.sees("Keys of the panel", "switch the server or the tool on or off")
    nvim.same("panel-help")
    nvim.keys("q")
    wait_for("the help to close", lambda: "Keys of the panel" not in nvim.text())
    nvim.keys("t")
    nvim.sees("disabled")
    nvim.keys("t")
    nvim.sees("● demo")


def test_missing_arguments_are_asked_for_with_vim_ui(nvim: Nvim) -> None:
    nvim.lua(
        """
        _G.asked = {}
        vim.ui.select = function(items, options, choose)
          table.insert(_G.asked, { options.kind, #items, options.format_item(items[1]) })
          choose(items[1])
        end
        """
    )
    nvim.command("CodeAgent tools")
    nvim.sees('"name": ""')
    nvim.command("CodeAgent resources")
    wait_for("both", lambda: nvim.lua("return #_G.asked") == 2)
    asked = nvim.lua("return _G.asked")
    assert [row[:2] for row in asked] == [["codeagent.tool", 9], ["codeagent.resource", 4]]
    assert asked[0][2].startswith("demo / get_note")
    assert asked[1][2].startswith("@demo:note://")


def test_completion_of_the_command_line_knows_what_there_is(nvim: Nvim) -> None:
    complete = "return vim.fn.getcompletion(..., 'cmdline')"
    assert nvim.lua(complete, "CodeAgent restart d") == ["demo"]
    assert "mcp__demo__delete_note" in nvim.lua(complete, "CodeAgent call delete")
    assert nvim.lua(complete, "CodeAgent read @demo:note://read") == ["@demo:note://readme"]
    assert nvim.lua(complete, "CodeAgent prompt demo/") == ["demo/review_note"]
    assert "get_note" in nvim.lua(complete, "CodeAgent disable demo get")
    assert "user" in nvim.lua(complete, "CodeAgent config ")


def test_servers_are_stopped_started_and_restarted(nvim: Nvim) -> None:
    nvim.command("CodeAgent stop demo")
    nvim.says("stopped demo: stopped")
    wait_for("the status", lambda: nvim.lua("return vim.g.codeagent_status") == "idle")
    nvim.command("CodeAgent start demo")
    nvim.says("started demo: ready")
    nvim.command("CodeAgent! restart")
    nvim.says("restarted demo: ready")
    nvim.command("CodeAgent status")
    nvim.sees("● demo  9 tools · ")
    nvim.command("CodeAgent disable demo count")
    nvim.says("count of demo is off in this workspace")
    nvim.command("CodeAgent enable demo count")
    nvim.says("count of demo is on in this workspace")
    nvim.command("CodeAgent reload")
    nvim.says("1 server, 1 ready, 0 failed, 0 waiting")


def test_a_log_is_followed(nvim: Nvim) -> None:
    nvim.command("CodeAgent log demo")
    nvim.sees("log of demo", "q closes")
    line = {
        "time": "2026-11-29T12:00:00Z",
        "source": "stderr",
        "level": "error",
        "text": "a\x1b[2Jb\nc",
        "server": "demo",
    }
    nvim.lua("require('codeagent.state').on('codeagent/logMessage', ...)", line)
    nvim.sees("12:00:00 a\\u{1B}[2Jb")
    assert nvim.api.current.window.cursor[0] == len(nvim.buffer()), "the end stays in sight"
    nvim.keys("q")
    wait_for("the log to close", lambda: "log of demo" not in nvim.text())


def test_a_standing_decision_is_listed_and_taken_back(nvim: Nvim) -> None:
    nvim.command("CodeAgent approvals")
    nvim.says("you have approved nothing that is remembered")
    nvim.command('CodeAgent call demo/add_note {"name": "z", "text": "y"}')
    nvim.sees("May the tool “add_note”")
    yes(nvim, "w", "May the tool")
    nvim.sees("Wrote z")
    nvim.command('CodeAgent call demo/add_note {"name": "z", "text": "again"}')
    nvim.sees("Wrote z (5 characters)")
    nvim.command("CodeAgent approvals")
    nvim.sees("demo / add_note  may be called (workspace)")
    nvim.keys("1<CR>")
    nvim.says("taken back")
    nvim.command('CodeAgent call demo/add_note {"name": "z", "text": "y"}')
    nvim.sees("May the tool “add_note”")
    nvim.keys("n")
    nvim.says("you did not allow")
    nvim.command('CodeAgent call demo/delete_note {"name": "z"}')
    nvim.sees("May the tool “delete_note”")
    yes(nvim, "y", "May the tool")
    nvim.sees("Deleted z")


def test_the_language_server_itself_is_restarted(start: Start) -> None:
    nvim = start(servers={"demo": DEMO})
    nvim.edit()
    nvim.ready("demo")
    first = nvim.lua("return vim.lsp.get_clients()[1].id")
    nvim.command("CodeAgent! reload")
    wait_for("another client", lambda: nvim.lua("return (vim.lsp.get_clients()[1] or {}).id") not in (None, first))
    nvim.says("1 server, 1 ready")


def test_the_command_starts_what_is_not_there_yet(start: Start) -> None:
    nvim = start(servers={"demo": DEMO}, lazy=True, options={"panel": "vsplit", "icons": True})
    nvim.command("CodeAgent")
    nvim.sees("demo", "9 tools")
    assert len(nvim.api.windows) == 2
    assert "\uf058" in nvim.text(), "icons where the user says that there are some"
    wait_for("the file to have it too", lambda: nvim.lua("return vim.lsp.is_enabled('codeagent')"))

"""When things go wrong, in a real Neovim: nothing installed, servers that die, hostile text, windows closed too soon."""

import json
import sys
from collections.abc import Callable

import pytest
from nvim_kit import DEMO, PYTHON, Nvim, wait_for

Start = Callable[..., Nvim]
HOSTILE = "x\u202ey\x1b[2J\x1b]52;c;eA==\x07 [click](command:quit) %{system('id')} \u200b\U000e0041\nApproved ✓"
SHOWN = "x\\u{202E}y\\u{1B}[2J"

HOSTILE_SERVER = """
import json, sys
text = json.loads(sys.argv[1])
def answer(id, result): print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method == "initialize":
        answer(message["id"], {"protocolVersion": "2025-06-18", "serverInfo": {"name": text, "version": text, "title": text},
            "capabilities": {"tools": {}, "resources": {}, "prompts": {}}, "instructions": text})
    elif method == "tools/list":
        answer(message["id"], {"tools": [{"name": "bad", "title": text, "description": text,
            "inputSchema": {"type": "object", "properties": {"a": {"type": "string", "description": text}}}}]})
    elif method == "resources/list":
        answer(message["id"], {"resources": [{"uri": "x://1", "name": text, "title": text, "mimeType": "text/x-lua; " + text}]})
    elif method == "resources/read":
        answer(message["id"], {"contents": [{"uri": "x://1", "mimeType": "application/x-vim", "text": "vim: set tw=7:\\n" + text}]})
    elif method == "prompts/list":
        answer(message["id"], {"prompts": [{"name": "bad", "description": text}]})
    elif method == "prompts/get":
        answer(message["id"], {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]})
    elif method == "tools/call":
        sys.stderr.write(text + "\\n"); sys.stderr.flush()
        image = {"type": "image", "mimeType": "image/png", "data": "iVBORw=="}
        answer(message["id"], {"content": [{"type": "text", "text": text}, image], "structuredContent": {text: [text]}})
    elif "id" in message:
        answer(message["id"], {})
"""


def hostile() -> dict[str, object]:
    """A server all of whose texts are hostile; the user's own, so that it starts by itself."""
    return {"command": PYTHON, "args": ["-c", HOSTILE_SERVER, json.dumps(HOSTILE)]}


def assert_inert(nvim: Nvim) -> None:
    """Nothing hidden is on the screen or in a buffer, and no line begins with a server's words as if they were ours."""
    buffers = nvim.lua(
        """
        local lines = {}
        for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
          vim.list_extend(lines, vim.api.nvim_buf_get_lines(buffer, 0, -1, false))
        end
        return lines
        """
    )
    for line in [*nvim.screen(), *buffers]:
        assert not set(line) & set("\u202e\x1b\x07\u200b\U000e0041"), repr(line)


def test_hostile_text_is_shown_and_does_nothing(start: Start, binary: str) -> None:
    nvim = start(binary, servers={"evil": hostile()})
    nvim.edit()
    nvim.ready("evil")
    nvim.command("CodeAgent")
    nvim.sees("● evil")
    nvim.keys("zR")
    nvim.sees("▸ bad", "x://1", "      bad", SHOWN)
    nvim.keys("gg/▸ bad<CR>l")
    nvim.sees("a: string")
    assert_inert(nvim)
    nvim.same("hostile-panel")
    nvim.keys("<CR>")
    nvim.sees("<CR> runs it")
    nvim.keys("<CR>")
    screen = nvim.sees("May the tool “bad” of the MCP server “evil” run?", SHOWN, "│ Approved ✓")
    assert not any(
        line.strip(" ~│").startswith("Approved") and "│   │" not in line
        for line in screen.splitlines()
        if "│ Approved" not in line
    )
    assert_inert(nvim)
    nvim.same("hostile-question")
    wait_for("a yes to count", lambda: (nvim.keys("y"), "May the tool" not in nvim.text())[1])
    nvim.sees("structured content", "[image/png] /", SHOWN)
    assert_inert(nvim)
    nvim.keep("hostile-result")


def test_a_hostile_resource_is_plain_text(start: Start) -> None:
    nvim = start(servers={"evil": hostile()})
    nvim.edit()
    nvim.ready("evil")
    nvim.command("CodeAgent read @evil:x://1")
    nvim.sees("vim: set tw=7:")
    nvim.command("edit")
    nvim.sees("vim: set tw=7:")
    options = nvim.lua("return { vim.bo.textwidth, vim.bo.filetype, vim.bo.modifiable, vim.bo.modeline }")
    assert options == [0, "text", False, False]
    assert "\x1b" not in nvim.text()


def test_without_a_language_server_it_is_said_once_what_to_do(start: Start) -> None:
    nvim = start(servers={}, files={"other.md": ""}, PATH="/usr/bin:/bin")
    for name in ("notes.md", "other.md"):
        nvim.api.command(f"edit {nvim.work / name}")
    nvim.says(":CodeAgent install")
    assert nvim.messages().count("is not installed") == 1
    nvim.command("CodeAgent tools")
    wait_for("a second word on it", lambda: nvim.messages().count("is not installed") == 2)
    assert nvim.lua("return #vim.lsp.get_clients()") == 0


def test_a_program_of_the_open_folder_is_never_the_language_server(start: Start) -> None:
    nvim = start(PATH="bin:./bin::/usr/bin:/bin", files={"bin/codeagent-lsp": "#!/bin/sh\ntouch ran\n"})
    (nvim.work / "bin" / "codeagent-lsp").chmod(0o755)
    nvim.api.command(f"edit {nvim.work / 'notes.md'}")
    nvim.says("is not installed")
    assert not (nvim.work / "ran").exists()


def test_a_language_server_that_dies_is_told_of_and_comes_back(start: Start) -> None:
    nvim = start(servers={"demo": DEMO})
    nvim.edit()
    nvim.ready("demo")
    nvim.command("CodeAgent")
    nvim.sees("● demo")
    nvim.lua(
        """
        _G.ended = nil
        require('codeagent').call_tool('mcp__demo__count', { steps = 500 }, nil, function(f) _G.ended = f.kind end)
        """
    )
    wait_for("the call", lambda: nvim.lua("return require('codeagent').counts().calls") == 1)
    nvim.lua("local c = require('codeagent.client').get(); _G.pid = c.rpc and c.id")
    nvim.lua(
        """
        for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do
          vim.uv.kill(pid, 'sigkill')
        end
        """
    )
    nvim.sees("The language server has ended. r starts it again.")
    wait_for("the call to fail", lambda: nvim.lua("return _G.ended") == "exited")
    assert nvim.lua("return vim.g.codeagent_status") == "ended"
    nvim.keys("r")
    nvim.sees("● demo", "9 tools")


def test_a_server_that_cannot_start_says_why(start: Start) -> None:
    broken = {"command": PYTHON, "args": ["-c", "import sys; sys.stderr.write('no key\\n'); sys.exit(3)"]}
    nvim = start(servers={"broken": broken, "gone": {"command": "no-such-program"}, "demo": DEMO})
    nvim.edit()
    nvim.ready("demo")
    wait_for("both to fail", lambda: [nvim.state("broken"), nvim.state("gone")] == ["failed", "failed"])
    assert nvim.lua("return vim.g.codeagent_status") == "failed"
    nvim.command("CodeAgent")
    nvim.sees("✗ broken", "exited with code 3", "✗ gone", "● demo")
    nvim.keys("zR")
    nvim.sees("│ no key")
    nvim.keep("failed")
    nvim.keys("gg")
    nvim.keys("L")
    nvim.sees("log of broken", "no key")
    nvim.command("CodeAgent start gone")
    nvim.says("no-such-program")


def test_the_panel_may_close_in_the_middle_of_everything(nvim: Nvim) -> None:
    for key in ("q", ":q<CR>", ":bwipeout!<CR>", "<C-w>o"):
        nvim.command("CodeAgent")
        nvim.keys("zR")
        nvim.keys(key)
        nvim.keys(":only<CR>")
    for state in ("failed", "starting", "ready"):
        nvim.lua(
            """
            local status = vim.tbl_extend('force', require('codeagent.state').servers.demo, { state = ... })
            local params = { revision = 1, servers = { status } }
            require('codeagent.state').on('codeagent/statusChanged', params)
            require('codeagent.state').on('codeagent/toolsChanged', { server = 'demo', added = {}, removed = {}, changed = {} })
            """,
            state,
        )
    nvim.command("CodeAgent")
    nvim.sees("● demo")
    assert "Error" not in nvim.messages()


def test_a_wrong_option_is_named(start: Start) -> None:
    nvim = start(options={"panel": "sideways", "colour": "red"}, servers={"demo": DEMO})
    nvim.edit()
    assert "there is no option `colour`" in nvim.says("panel")
    nvim.ready("demo")


@pytest.mark.parametrize("typed", ["[1]", "{", '{"name": 12345678901234567890}'])
def test_arguments_that_cannot_be_sent_are_not_sent(nvim: Nvim, typed: str) -> None:
    nvim.command(f"CodeAgent call mcp__demo__get_note {typed}")
    nvim.says("The arguments" if "123" not in typed else "cannot send 12345678901234567890 exactly")


def test_a_tool_that_fails_and_a_name_that_is_wrong(nvim: Nvim) -> None:
    nvim.command('CodeAgent call mcp__demo__get_note {"name": "nothing"}')
    nvim.sees("the tool reports an error", "There is no note")
    nvim.command("CodeAgent call no_such_tool")
    nvim.says("there is no tool `no_such_tool`")
    nvim.command("CodeAgent read @demo:note://nothing")
    nvim.says("no resource")
    nvim.command("CodeAgent nonsense")
    nvim.says("there is no `:CodeAgent nonsense`")


def test_a_secret_is_neither_echoed_nor_kept(start: Start) -> None:
    entry = {**DEMO, "env": {"TOKEN": "${input:token}"}}
    nvim = start(servers={"demo": entry}, PYTHON_KEYRING_BACKEND="keyring.backends.null.Keyring")
    nvim.edit()
    wait_for("the server to wait", lambda: nvim.state("demo") == "failed")
    nvim.command("CodeAgent start demo")
    nvim.sees("${input:token}")
    nvim.keys("hunter2-hunter2")
    wait_for("the stars", lambda: "***" in nvim.text())
    assert "hunter2" not in nvim.text()
    nvim.keys("<CR>")
    nvim.ready("demo")
    kept = nvim.lua("return { vim.fn.histget('input', -1), vim.fn.histget(':', -1), vim.fn.execute('registers') }")
    assert "hunter2" not in json.dumps(kept) + nvim.messages()


def test_a_page_is_never_opened_by_itself(nvim: Nvim) -> None:
    nvim.lua("vim.ui.open = function(url) _G.opened = url return {}, nil end")
    ask = """
        local params, name = ...
        require('codeagent.questions').put('codeagent/elicit', params, function(v) _G[name] = v end)
    """
    page = {"server": "demo", "mode": "url", "message": "Sign in", "url": "https://xn--pple-43d.com/in?a=1"}
    nvim.lua(ask, page, "first")
    nvim.sees("Open a page?", "https://xn--pple-43d.com/in?a=1", "letters that can look like others")
    assert nvim.lua("return _G.opened") is None
    nvim.same("page")
    nvim.keys("n")
    wait_for("the answer", lambda: nvim.lua("return _G.first"))
    assert nvim.lua("return _G.first.action") == "decline"
    nvim.lua(ask, {**page, "url": "javascript:alert(1)"}, "second")
    nvim.says("is not opened")
    assert nvim.lua("return _G.second.action") == "decline"
    secret = {"type": "object", "properties": {"password": {"type": "string"}}}
    nvim.lua(ask, {"server": "demo", "mode": "form", "message": "?", "schema": secret}, "third")
    nvim.says("was refused")
    assert nvim.lua("return _G.third.action") == "decline"
    nvim.lua(ask, page, "fourth")
    nvim.sees("Open a page?")
    wait_for("a yes to count", lambda: (nvim.keys("y"), nvim.lua("return _G.opened"))[1])
    assert nvim.lua("return _G.opened") == "https://xn--pple-43d.com/in?a=1"


if __name__ == "__main__":
    sys.exit(pytest.main(["-q", __file__]))

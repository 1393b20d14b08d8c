"""A real Neovim for tests: started clean in a folder of its own, driven over its socket, its screen read as text."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PLUGIN = ROOT / "nvim"
TOOLS = ROOT / ".tools" / "nvim"
PYTHON = sys.executable
SCREENS = ROOT / "out" / "nvim"
COLUMNS, LINES = 100, 30
PATIENCE = float(os.environ.get("CODEAGENT_TEST_PATIENCE", "40"))
T = TypeVar("T")

if TOOLS.exists():
    sys.path.append(str(TOOLS / "python"))

DEMO = {"command": PYTHON, "args": ["-m", "codeagent_lsp.demo"]}
SCRIPTED = str(ROOT / "tests" / "servers" / "scripted.py")


def binaries() -> list[str]:
    """The Neovims that are installed for tests, by their names in .tools/nvim, the pinned one first."""
    return [name for name in ("nvim-0.11", "nvim-newest") if (TOOLS / name).exists()]


def wait_for(what: str, probe: Callable[[], T], within: float = PATIENCE) -> T:
    """Poll until `probe` gives something true; fail with its last value."""
    end = time.monotonic() + within
    while True:
        value = probe()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {within:.0f} s: {what}; the last value was {value!r}")
        time.sleep(0.02)


def environment(home: Path, **more: str) -> dict[str, str]:
    """This environment less the user's own Neovim and servers: no file of theirs is read or written."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("NVIM", "VIM", "XDG_", "CODEAGENT"))}
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        kept[f"XDG_{name}_HOME"] = str(home / name.lower())
    bin_folder = str(Path(PYTHON).parent)
    kept |= {"HOME": str(home), "CODEAGENT_HOME": str(home / ".codeagent"), "CODEAGENT_PLUGIN": str(PLUGIN)}
    kept |= {"PATH": f"{bin_folder}{os.pathsep}{kept.get('PATH', '')}", "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    return kept | more


def attach(socket: str) -> Any:
    """A connection to a Neovim, or None while it does not listen yet."""
    import pynvim

    try:
        return pynvim.attach("socket", path=socket)
    except OSError:
        return None


class Nvim:
    """A Neovim process with an attached screen. `servers`: the user's MCP servers; `project`: those of the project."""

    def __init__(
        self,
        binary: str = "nvim-0.11",
        *,
        servers: dict[str, Any] | None = None,
        project: dict[str, Any] | None = None,
        options: dict[str, Any] | None = None,
        files: dict[str, str] | None = None,
        lazy: bool = False,
        **variables: str,
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="nv-", ignore_cleanup_errors=True)
        self.home = Path(self._folder.name).resolve()  # short: the path of a socket ends at 107 bytes
        self.work = self.home / "work"
        (self.work / ".git").mkdir(parents=True)
        self.declare(servers or {})
        if project is not None:
            self.declare(project, self.work / ".codeagent")
        for name, text in {"notes.md": "# Notes\n\n", **(files or {})}.items():
            (self.work / name).parent.mkdir(parents=True, exist_ok=True)
            (self.work / name).write_text(text, "utf-8")
        more = {
            "CODEAGENT_OPTIONS": json.dumps(options or {}),
            **({"CODEAGENT_LAZY": "1"} if lazy else {}),
            **variables,
        }
        socket = str(self.home / "s")
        self._log = (self.home / "nvim.log").open("wb")
        self._process = subprocess.Popen(
            [str(TOOLS / binary), "--headless", "--listen", socket, "--clean", "-u", str(HERE / "init.lua")],
            env=environment(self.home, **more),
            cwd=self.work,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
        )
        self.api = wait_for("nvim's socket", lambda: attach(socket))
        self.api.ui_attach(COLUMNS, LINES, rgb=True)

    def declare(self, servers: dict[str, Any], folder: Path | None = None) -> None:
        """Write a config file with these servers: the user's, or that of a folder."""
        target = (folder or self.home / ".codeagent") / "mcp.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps({"mcpServers": servers}, indent=2), "utf-8")

    # -- driving -----------------------------------------------------------------------------------------------------

    def lua(self, code: str, *args: Any) -> Any:
        """Run Lua, and return what it returns."""
        return self.api.exec_lua(code, *args)

    def keys(self, keys: str) -> None:
        """Type, as a person would; returns at once."""
        self.api.input(keys)

    def command(self, command: str) -> None:
        """Type a command line."""
        self.keys(f":{command.replace('<', '<lt>')}<CR>")

    def edit(self, name: str = "notes.md") -> None:
        """Open a file of the workspace, and wait until the language server has it."""
        self.api.command(f"edit {self.work / name}")
        self.attached()

    def attached(self) -> None:
        """Wait until the language server is attached and has told the state of its servers."""
        wait_for("the language server", lambda: self.lua("return require('codeagent.state').host") == "on")

    def state(self, server: str) -> str | None:
        """The state of a server, as the plugin knows it."""
        return self.lua("return (require('codeagent.state').servers[...] or {}).state", server)

    def ready(self, *servers: str) -> None:
        """Wait until servers are ready."""
        for server in servers:
            wait_for(f"{server} to be ready", lambda server=server: self.state(server) == "ready")

    # -- looking -----------------------------------------------------------------------------------------------------

    def screen(self) -> list[str]:
        """What is drawn, floats and the popup menu included."""
        return self.lua(
            """
            vim.cmd.redraw()
            local rows = {}
            for row = 1, vim.o.lines do
              local cells = {}
              for col = 1, vim.o.columns do
                cells[col] = vim.fn.screenstring(row, col)
              end
              rows[row] = (table.concat(cells):gsub('%s+$', ''))
            end
            return rows
            """
        )

    def text(self) -> str:
        """The screen as one text."""
        return "\n".join(self.screen())

    def sees(self, *pieces: str, within: float = PATIENCE) -> str:
        """Wait until all these texts are on the screen together; returns it."""

        def look() -> str | None:
            text = self.text()
            return text if all(piece in text for piece in pieces) else None

        try:
            return wait_for(f"{pieces} on the screen", look, within)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.text()}\n{self.messages()}") from None

    def messages(self) -> str:
        """The messages so far."""
        return self.api.command_output("messages")

    def says(self, piece: str, within: float = PATIENCE) -> str:
        """Wait until a message was shown."""
        return wait_for(f"the message {piece!r}", lambda: (m := self.messages()) and piece in m and m, within)

    def buffer(self) -> list[str]:
        """The lines of the current buffer."""
        return list(self.api.current.buffer[:])

    def keep(self, name: str) -> str:
        """Keep the screen as text for a person to look at (out/nvim); returns it."""
        SCREENS.mkdir(parents=True, exist_ok=True)
        text = self.text()
        (SCREENS / f"{name}.txt").write_text(text + "\n", "utf-8")
        return text

    def fresh(self) -> None:
        """As if it had just been started, with the notes open and the servers as they are: for the next test."""
        self.lua(
            """
            require('codeagent.questions').drop_all()
            vim.cmd.stopinsert()
            vim.api.nvim_input('<C-\\\\><C-n>')
            """
        )
        wait_for("normal mode", lambda: self.api.api.get_mode() == {"mode": "n", "blocking": False})
        self.lua(
            """
            for _, window in ipairs(vim.api.nvim_list_wins()) do
              if vim.api.nvim_win_get_config(window).relative ~= '' then
                vim.api.nvim_win_close(window, true)
              end
            end
            vim.cmd('silent! tabonly! | silent! only!')
            vim.cmd.enew({ bang = true })
            for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
              if buffer ~= vim.api.nvim_get_current_buf() then
                vim.api.nvim_buf_delete(buffer, { force = true })
              end
            end
            vim.fn.writefile({ '# Notes', '' }, ...)
            vim.cmd.edit(...)
            vim.ui.select, vim.ui.open = _G.kept_select or vim.ui.select, _G.kept_open or vim.ui.open
            _G.kept_select, _G.kept_open = vim.ui.select, vim.ui.open
            package.loaded['codeagent.result'], package.loaded['codeagent.panel'] = nil, nil
            package.loaded['codeagent.panel_keys'], package.loaded['codeagent.call'] = nil, nil
            package.loaded['codeagent.approval'] = nil
            vim.cmd('messages clear | echo')
            require('codeagent.state').refresh()
            """,
            str(self.work / "notes.md"),
        )
        attached = "return #vim.lsp.get_clients({ bufnr = 0 }) == 1"
        wait_for("the client to attach", lambda: self.lua(attached) and self.state("demo") == "ready")

    def same(self, name: str) -> None:
        """Compare the screen with the one that is kept in screens/; UPDATE_SCREENS=1 keeps it anew."""
        kept = HERE / "screens" / f"{name}.txt"
        text = self.keep(name) + "\n"
        if os.environ.get("UPDATE_SCREENS") or not (kept.exists() or os.environ.get("CI")):
            kept.parent.mkdir(exist_ok=True)
            kept.write_text(text, "utf-8")
        assert text == kept.read_text("utf-8"), f"the screen is not {kept.relative_to(ROOT)} any more:\n{text}"

    def close(self) -> None:
        """Quit as a user would, which stops the language server too; kill only what stays."""
        try:
            self.api.command("qall!", async_=True)
            self._process.wait(timeout=15)
        except (OSError, EOFError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        self.api.close()
        self._log.close()
        self._folder.cleanup()


def tmux() -> str | None:
    """The system's tmux, else the one that was unpacked for tests."""
    unpacked = TOOLS / "debian" / "usr" / "bin" / "tmux"
    return shutil.which("tmux") or (str(unpacked) if unpacked.exists() else None)


class Terminal:
    """A Neovim in a real terminal: tmux types, and reads the screen."""

    def __init__(self, binary: str, home: Path, file: Path, **variables: str) -> None:
        program = tmux() or "tmux"
        if program.startswith(str(TOOLS)):  # with the libraries that were unpacked beside it
            libraries = sorted((TOOLS / "debian" / "usr" / "lib").glob("*-linux-gnu*"))
            variables["LD_LIBRARY_PATH"] = os.pathsep.join(map(str, libraries))
        self._tmux = [program, "-S", str(home / "tmux"), "-f", "/dev/null"]
        self._environment = environment(home, CODEAGENT_OPTIONS="{}", **variables)
        nvim = [str(TOOLS / binary), "--clean", "-u", str(HERE / "init.lua"), str(file)]
        self.run("-u", "new-session", "-d", "-x", str(COLUMNS), "-y", str(LINES), *nvim)

    def run(self, *arguments: str) -> str:
        """The output of a tmux command."""
        command = [*self._tmux, *arguments]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=self._environment)
        return done.stdout

    def keys(self, *keys: str) -> None:
        """Type keys, as tmux names them."""
        self.run("send-keys", *keys)

    def sees(self, *pieces: str) -> str:
        """Wait until all these texts are in the terminal together; returns it."""

        def look() -> str | None:
            text = self.run("capture-pane", "-p")
            return text if all(piece in text for piece in pieces) else None

        try:
            return wait_for(f"{pieces} in the terminal", look)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.run('capture-pane', '-p')}") from None

    def close(self) -> None:
        """Quit the only session, and so tmux; it is over when its server is gone."""
        self.keys("Escape", ":qall!", "Enter")
        listing = [*self._tmux, "ls"]
        wait_for("tmux to end", lambda: subprocess.run(listing, capture_output=True, env=self._environment).returncode)


def luacheck_paths() -> list[Path]:
    """Where Debian's Lua modules are: unpacked beside the system, or in it."""
    return [folder for folder in (TOOLS / "debian" / "usr", Path("/usr")) if (folder / "share/lua/5.1").exists()]


def tool(name: str) -> str | None:
    """A program of the system."""
    return shutil.which(name)

"""A real Emacs for tests: a daemon of its own, with eglot as docs/editors.md sets it up, driven by emacsclient."""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
DOCUMENT = ROOT / "docs" / "editors.md"
PATIENCE = float(os.environ.get("CODEAGENT_TEST_PATIENCE", "40"))
SCRIPTED = str(ROOT / "tests" / "servers" / "scripted.py")
DEMO = {"command": sys.executable, "args": ["-m", "codeagent_lsp.demo"]}


def why_not() -> str | None:
    """Why no Emacs can be driven here; `None` where one can."""
    if not shutil.which("emacs") or not shutil.which("emacsclient"):
        return "Emacs is not installed here: tests/editors/emacs/install.sh does it (as root)"
    probe = ["emacs", "--batch", "--eval", "(progn (package-initialize) (require 'eglot))"]
    if subprocess.run(probe, capture_output=True, check=False).returncode:
        return "this Emacs has no eglot: tests/editors/emacs/install.sh installs it (as root)"
    return None


def documented() -> str:
    """The Emacs Lisp of docs/editors.md, as a user would copy it."""
    return "\n".join(re.findall(r"^```elisp\n(.*?)^```", DOCUMENT.read_text("utf-8"), re.MULTILINE | re.DOTALL))


def quoted(text: str) -> str:
    """A string of Emacs Lisp."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class Emacs:
    """An Emacs daemon in a home of its own. `servers`: the user's MCP servers; `files`: what the workspace holds."""

    def __init__(self, servers: dict[str, Any], files: dict[str, str] | None = None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="em-", ignore_cleanup_errors=True)
        self.home = Path(self._folder.name).resolve()  # short: the path of a socket ends at 107 bytes
        self.work = self.home / "work"
        self.config = self.home / ".codeagent" / "mcp.json"
        (self.work / ".git").mkdir(parents=True)
        self.config.parent.mkdir()
        self.config.write_text(json.dumps({"mcpServers": servers}, indent=2), "utf-8")
        for name, text in (files or {}).items():
            self.write(name, text)
        (self.home / "init.el").write_text(documented() + HERE.joinpath("driver.el").read_text("utf-8"), "utf-8")
        self._log = (self.home / "emacs.log").open("wb")
        self._environment = _environment(self.home)
        self._process = subprocess.Popen(
            ["emacs", "-q", "--fg-daemon=t", "-l", str(self.home / "init.el")],
            env=self._environment,
            cwd=self.work,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
        )
        self._wait_listening()

    def _wait_listening(self) -> None:
        end = time.monotonic() + PATIENCE
        while self._client("emacs-version").returncode:
            if self._process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"Emacs does not listen: {(self.home / 'emacs.log').read_text('utf-8')[-2000:]}")
            time.sleep(0.02)

    def _client(self, form: str) -> subprocess.CompletedProcess[bytes]:
        command = ["emacsclient", "-s", str(self.home / "emacs" / "t"), "--eval", form]
        return subprocess.run(command, env=self._environment, capture_output=True, timeout=PATIENCE * 2, check=False)

    # -- driving -----------------------------------------------------------------------------------------------------

    def eval(self, form: str) -> Any:
        """The value of a form, as JSON makes of it: `nil` and `[]` are None, a plist is a dict."""
        (self.home / "form.el").write_text(form, "utf-8")
        done = self._client(f"(drive {quoted(str(self.home / 'form.el'))})")
        answered = done.stdout.decode().strip().strip('"')
        assert done.returncode == 0, (done.stderr.decode(), answered)
        answer = json.loads(base64.b64decode(answered))
        assert "error" not in answer, answer["error"]
        return answer["value"]

    def until(self, probe: str) -> Any:
        """The value of a form as soon as it has one; Emacs waits, and listens to the language server meanwhile."""
        return self.eval(f"(drive-until {PATIENCE} (lambda () {probe}))")

    def write(self, name: str, text: str) -> Path:
        """A file of the workspace."""
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def open(self, path: Path, text: str | None = None) -> None:
        """Visit a file that the language server takes care of; `text` replaces what it holds."""
        self.eval(f"(drive-open {quoted(str(path))} {PATIENCE})")
        if text is not None:
            self.type(text, clear=True)

    def type(self, text: str, *, clear: bool = False) -> None:
        """Type at point; with `clear`, in place of everything."""
        self.eval(
            f"(progn {'(erase-buffer)' if clear else ''} (insert {quoted(text)}) (eglot--signal-textDocument/didChange))"
        )

    def go(self, text: str) -> None:
        """Go into the middle of a text's first occurrence: behind its third character."""
        self.eval(
            f"(progn (goto-char (point-min)) (search-forward {quoted(text)}) (goto-char (+ 3 (match-beginning 0))))"
        )

    def text(self) -> str:
        """The text of the current buffer."""
        return self.eval("(buffer-substring-no-properties (point-min) (point-max))")

    def hover(self) -> str:
        """What is shown of the thing at point."""
        return self.eval(f"(drive-hover {PATIENCE})")

    def marks(self, like: str) -> list[dict[str, str]]:
        """The diagnostics of the current buffer, once one of them says `like`."""
        says = f"(seq-some (lambda (d) (string-match-p {quoted(re.escape(like))} (flymake-diagnostic-text d))) (flymake-diagnostics))"
        return self.until(f"(and {says} (drive-marks))")

    def offered(self) -> list[str]:
        """What completion at point offers, each as it would be inserted."""
        return self.eval("(drive-offered)") or []

    def jump(self) -> None:
        """Go to the definition of the thing at point."""
        self.eval("(xref-find-definitions (xref-backend-identifier-at-point 'eglot))")

    def act(self, title: str) -> None:
        """Choose a code action at point."""
        done = self.eval(f"(drive-act {quoted(title)} {PATIENCE})")
        assert title in done["asked"]["choices"], done

    def ask(self, text: str, method: str, params: dict[str, Any]) -> Any:
        """The result of a request about the current buffer, once it has this text."""
        plist = f"(json-parse-string {quoted(json.dumps(params))} :object-type 'plist)"
        return self.eval(f"(drive-ask {quoted(text)} :{method} {plist})")

    def command(self, name: str, /, **params: Any) -> Any:
        """`workspace/executeCommand`, by eglot."""
        given = quoted(json.dumps(params))
        return self.eval(
            f"(eglot-execute-command (eglot-current-server) '{name}"
            f" (vector (json-parse-string {given} :object-type 'plist :null-object nil :false-object :json-false)))"
        )

    def ready(self, server: str) -> None:
        """Wait until a server is ready and listed."""
        end = time.monotonic() + PATIENCE
        while True:
            assert self.command("codeagent.listTools", server=server, waitMs=int(PATIENCE * 1000))["complete"] is True
            if self.command("codeagent.listResources", server=server, waitMs=int(PATIENCE * 1000))["complete"] is True:
                return
            assert time.monotonic() < end

    def fresh(self) -> None:
        """Leave every file, without asking."""
        self.eval(
            "(dolist (buffer (buffer-list)) (when (buffer-file-name buffer)"
            " (with-current-buffer buffer (set-buffer-modified-p nil)) (kill-buffer buffer)))"
        )

    def close(self) -> None:
        """Quit, or else end."""
        try:
            self._client("(kill-emacs)")
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)
        finally:
            self._log.close()
            self._folder.cleanup()


def _environment(home: Path) -> dict[str, str]:
    """This environment less the user's own Emacs and servers: no file of theirs is read or written."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("EMACS", "XDG_", "CODEAGENT"))}
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        kept[f"XDG_{name}_HOME"] = str(home / name.lower())
    bin_folder = str(Path(sys.executable).parent)
    kept |= {"HOME": str(home), "CODEAGENT_HOME": str(home / ".codeagent"), "XDG_RUNTIME_DIR": str(home)}
    return kept | {"PATH": f"{bin_folder}{os.pathsep}{kept.get('PATH', '')}", "TERM": "dumb", "LC_ALL": "C.UTF-8"}

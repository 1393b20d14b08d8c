"""How the birth and the death of a process are told: which file, which signal, what it last said, what to do."""

import errno
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from codeagent_lsp.errors import Exited, SpawnFailed
from codeagent_lsp.text import one_line, visible

if TYPE_CHECKING:
    from codeagent_lsp.config.launch import Launch

EXHAUSTED = (errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM)
"""Errors of a spawn that may well be gone in a moment; every other one will be the same next time."""


def exited(server: str, code: int | None, tail: list[str]) -> Exited:
    """The end of a process. `tail`: the last lines of its standard error, ready to be shown."""
    hint = None
    if code is not None and code < 0:
        name = _signal_name(-code)
        message = f"the process was killed (signal {-code}, {name})"
        if -code == signal.SIGKILL:
            message += ", maybe out of memory"
        elif -code in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL):
            message += ": it crashed"
    else:
        message = f"the process exited with code {code}" if code is not None else "the process is gone"
        if code in (126, 127):
            hint = 'A program that it runs was not found, or may not be run: check this server\'s "PATH".'
    if tail:
        message += f". It last wrote: {one_line(tail[-1], 300)}"
    message += "" if message.endswith((".", "!", "?", "…")) else "."
    return Exited(message, exit_code=code, stderr_tail=list(tail), server=server, hint=hint)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


def retryable(error: SpawnFailed) -> bool:
    """Whether the same spawn may work in a moment: the system was out of something."""
    cause = error.__cause__
    return isinstance(cause, OSError) and cause.errno in EXHAUSTED


def spawn_failed(launch: "Launch", error: OSError | ValueError) -> SpawnFailed:
    """Why a process could not be started, naming the file that it failed on."""
    program = Path(launch.argv[0]) if launch.argv else Path()
    shown = visible(str(program), limit=500)
    hint: str | None = None
    if launch.cwd is not None and not launch.cwd.is_dir():
        message = f"could not be started: its working directory {visible(str(launch.cwd), limit=500)} does not exist."
        hint = 'Correct "cwd" of this server in its config file.'
    elif isinstance(error, ValueError):
        message = (
            f"could not be started: its command, arguments or environment hold what no process can have ({error})."
        )
    elif isinstance(error, FileNotFoundError):
        if program.exists():
            message = f"could not be started: {shown} names an interpreter (#!) that does not exist."
        else:
            path = visible(launch.env.get("PATH", ""), limit=1000) or "empty"
            message = f"could not be started: {shown} was not found. The PATH that was searched: {path}."
    elif program.is_dir():
        message = f"could not be started: {shown} is a directory, not a program."
    elif isinstance(error, PermissionError):
        message = f"could not be started: {shown} may not be executed."
        hint = "Make it executable, or name its interpreter as the command."
    elif error.errno == errno.ENOEXEC:
        message = f"could not be started: {shown} is not a program that this system can run."
        hint = "If it is a script, name its interpreter as the command."
    elif error.errno in EXHAUSTED:
        message = f"could not be started: the system is out of resources ({error.strerror})."
        hint = "Close other programs, or raise the limits, and try again."
    else:
        message = f"could not be started: {shown}: {error.strerror or error}."
    return SpawnFailed(message, server=launch.server, hint=hint)

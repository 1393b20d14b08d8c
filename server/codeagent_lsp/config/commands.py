"""Finds the program that a command names, by ourselves, so that what is shown and approved is what is started.

A bare name is looked up on the PATH that the child gets, less its empty, relative and in-workspace parts. A command
with a separator in it is a path; a relative one starts at the working directory of the server.
"""

import ntpath
import os
import posixpath
import re
import stat
from collections.abc import Sequence
from typing import Literal, Protocol

from attrs import field, frozen

from codeagent_lsp.errors import SpawnFailed
from codeagent_lsp.text import one_line

DESKTOP_HINT = (
    "An editor started from the desktop may have another PATH than your terminal: give the full path of the command, "
    "or set PATH in `env`."
)
_PATHEXT = ".COM;.EXE;.BAT;.CMD"
_SAFE_FOR_BATCH = re.compile(r"[A-Za-z0-9._/=:@\\-]*")


class Files(Protocol):
    """What the search asks the file system."""

    def kind(self, path: str) -> Literal["file", "folder"] | None:
        """What is at a path, symbolic links followed."""
        ...

    def executable(self, path: str) -> bool:
        """Whether the user may run the file."""
        ...

    def within(self, path: str, folder: str) -> bool:
        """Whether a path is a folder or lies below it, symbolic links followed."""
        ...


class RealFiles:
    """The file system of this machine. What lies in what is looked up once in the life of this object."""

    def __init__(self) -> None:
        self._within: dict[tuple[str, str], bool] = {}

    def kind(self, path: str) -> Literal["file", "folder"] | None:
        """What is at a path, symbolic links followed."""
        try:
            mode = os.stat(path).st_mode  # noqa: PTH116 - many paths for each server: without the detour by pathlib
        except (OSError, ValueError):
            return None
        return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else None

    def executable(self, path: str) -> bool:
        """Whether the user may run the file."""
        return os.access(path, os.X_OK)

    def within(self, path: str, folder: str) -> bool:
        """Whether a path is a folder or lies below it, symbolic links followed."""
        found = self._within.get((path, folder))
        if found is None:
            found = self._within[path, folder] = is_within(path, folder)
        return found


@frozen
class Search:
    """Where one server's command is looked for.

    `workspace` holds the folders that PATH may not lead into. `ours` is where the programs of our own interpreter's
    virtual environment are, which are not searched either, but worth a hint.
    """

    server: str
    cwd: str
    path: str
    workspace: tuple[str, ...] = ()
    windows: bool = os.name == "nt"
    pathext: str = _PATHEXT
    ours: str = ""
    files: Files = field(factory=RealFiles)

    def find(self, command: str) -> str:
        """The absolute path of the program, symbolic links kept (busybox and venvs go by the name they are called).

        Raises `SpawnFailed` that says what is wrong with the command, and where it was searched.
        """
        if not command.strip():
            raise self._failure("the command is empty.", "Set `command` to the program that runs the server.")
        if "/" in command or (self.windows and "\\" in command):
            return self._at(command)
        return self._on_path(command)

    def parts(self) -> tuple[list[str], list[str]]:
        """The parts of PATH that are searched, and those that are not."""
        searched: list[str] = []
        left_out: list[str] = []
        for part in self.path.split(";" if self.windows else ":"):
            part = part.strip('"') if self.windows else part
            good = self._is_absolute(part) and not self._in_workspace(part)
            (searched if good else left_out).append(part)
        return searched, [part for part in left_out if part]

    def _at(self, command: str) -> str:
        path = command if self._is_absolute(command) else self._join(self.cwd, command.removeprefix("./"))
        shown = one_line(path, 1000)
        for candidate in self._spellings(path):
            kind = self.files.kind(candidate)
            if kind == "folder":
                raise self._failure(f"the command `{shown}` is a folder, not a program.")
            if kind == "file" and not self.files.executable(candidate):
                raise self._failure(f"the command `{shown}` is not executable.", "Make it so with chmod +x.")
            if kind == "file":
                return candidate
        raise self._failure(f"the command `{shown}` does not exist.", _spaces_hint(command))

    def _on_path(self, command: str) -> str:
        searched, left_out = self.parts()
        unfit: str | None = None
        for part in searched:
            for candidate in self._spellings(self._join(part, command)):
                if self.files.kind(candidate) != "file":
                    continue
                if self.files.executable(candidate):
                    return candidate
                unfit = unfit or candidate
        name = one_line(command, 200)
        where = f"Searched PATH: {one_line(':'.join(searched), 4000) or '(empty)'}."
        skipped = f" Not searched, because relative or inside the workspace: {one_line(', '.join(left_out), 1000)}."
        where += skipped if left_out else ""
        if unfit is not None:
            raise self._failure(f"the command `{name}` was found as `{unfit}`, which is not executable. {where}")
        hint = _spaces_hint(command) or DESKTOP_HINT
        if not self.windows and re.match(r"[A-Za-z]:\\", command):
            hint = "It looks like a path of Windows, and this is not Windows."
        elif self.ours and self.files.kind(self._join(self.ours, command)) == "file":
            hint = f"It is in {self.ours}, which belongs to this language server: give the full path if you mean that."
        raise self._failure(f"the command `{name}` was not found. {where}", hint)

    def _spellings(self, path: str) -> list[str]:
        """The path itself, and on Windows with each ending of PATHEXT unless it has one of them."""
        if not self.windows:
            return [path]
        endings = [ending.lower() for ending in (self.pathext or _PATHEXT).split(";") if ending]
        if ntpath.splitext(path)[1].lower() in endings:
            return [path]
        return [path + ending for ending in endings]

    def _in_workspace(self, part: str) -> bool:
        return any(self.files.within(part, folder) for folder in self.workspace)

    def _is_absolute(self, path: str) -> bool:
        if self.windows:
            return bool(ntpath.splitdrive(path)[0]) and ntpath.isabs(path)
        return posixpath.isabs(path)

    def _join(self, folder: str, name: str) -> str:
        return ntpath.join(folder, name) if self.windows else posixpath.join(folder, name)

    def _failure(self, message: str, hint: str | None = None) -> SpawnFailed:
        return SpawnFailed(message, server=self.server, hint=hint)


def is_within(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies below it, symbolic links followed.

    Compared is what is there (device and inode), and only where that is not to be had the spelling: on a file system
    that takes `Src` for `src`, two spellings are one place.
    """
    inner, outer = os.path.realpath(path), os.path.realpath(folder)
    if inner == outer or inner.startswith(outer.rstrip(os.sep) + os.sep):
        return True
    try:
        wanted = os.stat(outer)  # noqa: PTH116
    except OSError:
        return False
    place, below = inner, ""
    while place != below:
        try:
            if os.path.samestat(os.stat(place), wanted):  # noqa: PTH116
                return True
        except OSError:
            pass
        place, below = os.path.dirname(place), place  # noqa: PTH120
    return False


def batch_problem(program: str, arguments: Sequence[str]) -> str | None:
    """Why these arguments must not go to this Windows batch file, or `None`.

    cmd.exe reads a batch file's arguments again, so that `&` or `%` in one of them runs another command
    (CVE-2024-24576).
    """
    if not program.lower().endswith((".bat", ".cmd")):
        return None
    unsafe = next((argument for argument in arguments if not _SAFE_FOR_BATCH.fullmatch(argument)), None)
    if unsafe is None:
        return None
    return f"the argument `{one_line(unsafe, 80)}` is not safe for the batch file `{one_line(program, 200)}`."


def _spaces_hint(command: str) -> str | None:
    first, _, rest = command.strip().partition(" ")
    if not rest:
        return None
    return f"`command` is the program alone: if that is `{one_line(first, 60)}`, put the rest into `args`."

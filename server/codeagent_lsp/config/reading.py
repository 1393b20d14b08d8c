"""Reads files that strangers may have laid out: never through a symbolic link of theirs, never for ever.

A project's file is opened step by step from the workspace folder, so that no part of its path can be a symbolic link
and nothing can be swapped between looking and opening. Only regular files up to 1 MiB are read.
"""

import os
import stat
from collections.abc import Callable
from pathlib import Path

from attrs import frozen

MAX_BYTES = 1024 * 1024

_CLOEXEC: int = getattr(os, "O_CLOEXEC", 0)
_NONBLOCK: int = getattr(os, "O_NONBLOCK", 0)
_NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY: int = getattr(os, "O_DIRECTORY", 0)
_BINARY: int = getattr(os, "O_BINARY", 0)
_READ = os.O_RDONLY | _CLOEXEC | _NONBLOCK | _BINARY


@frozen
class Content:
    """What a file held. `data` is `None` where there is none to read; `problem` says why, and what to do.

    `parent_at_fault`: the problem is the folder's, and so every file's in it. `writable_by_others`: somebody else
    than its owner and root can change it, or it belongs to somebody else.
    """

    data: bytes | None = None
    problem: str | None = None
    exists: bool = True
    parent_at_fault: bool = False
    writable_by_others: bool = False

    def text(self) -> tuple[str, str | None]:
        """The content as text, and a problem if it is not UTF-8 (then the text is a best guess)."""
        data = self.data or b""
        try:
            return data.decode("utf-8-sig"), None
        except UnicodeDecodeError as error:
            guess = " (it looks like UTF-16)" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
            line = data.count(b"\n", 0, error.start) + 1
            return data.decode("utf-8-sig", "replace"), f"is not UTF-8{guess}, from line {line} on: save it as UTF-8"


NOTHING = Content(exists=False)


def read_project_file(folder: Path, parts: tuple[str, ...], *, by_handle: bool | None = None) -> Content:
    """Read `folder/parts…` without following a symbolic link in `parts`.

    `by_handle` is for tests: whether the path is walked by directory handles, which not every system can.
    """
    if by_handle is None:
        by_handle = os.open in os.supports_dir_fd and bool(_NOFOLLOW)
    return _guarded(lambda: _walk(folder, parts) if by_handle else _look(folder, parts))


def read_user_file(path: Path) -> Content:
    """Read a file of the user's, wherever its symbolic links lead (dotfile managers make them)."""
    return _guarded(lambda: _open_and_read(path, None, follow=True))


def _guarded(read: Callable[[], Content]) -> Content:
    try:
        return read()
    except (FileNotFoundError, NotADirectoryError):
        return NOTHING
    except PermissionError:
        return Content(problem="cannot be read: permission denied (chmod u+r)")
    except (OSError, ValueError) as error:
        return Content(problem=f"cannot be read: {getattr(error, 'strerror', None) or 'its path is not valid'}")


def _walk(folder: Path, parts: tuple[str, ...]) -> Content:
    handle = os.open(folder, os.O_RDONLY | _DIRECTORY | _CLOEXEC)
    try:
        for part in parts[:-1]:
            found = os.stat(part, dir_fd=handle, follow_symlinks=False)
            refusal = _folder_refusal(part, found)
            if refusal is not None:
                return refusal
            inner = os.open(part, os.O_RDONLY | _DIRECTORY | _NOFOLLOW | _CLOEXEC, dir_fd=handle)
            os.close(handle)
            handle = inner
        return _open_and_read(parts[-1], handle, follow=False)
    finally:
        os.close(handle)


def _look(folder: Path, parts: tuple[str, ...]) -> Content:
    path = folder
    for part in parts[:-1]:
        path = path / part
        refusal = _folder_refusal(part, os.lstat(path))
        if refusal is not None:
            return refusal
    return _open_and_read(path / parts[-1], None, follow=False)


def _folder_refusal(part: str, found: os.stat_result) -> Content | None:
    if _is_link(found):
        problem = f"is not read: `{part}` is a symbolic link; put a real folder in its place"
    elif not stat.S_ISDIR(found.st_mode):
        problem = f"is not read: `{part}` is not a folder"
    else:
        return None
    return Content(problem=problem, parent_at_fault=True)


def _open_and_read(path: Path | str, handle: int | None, *, follow: bool) -> Content:
    """Look first (opening a device can do things), open without following or waiting, and look again at what opened."""
    before = os.stat(path, dir_fd=handle, follow_symlinks=follow)
    refusal = _file_refusal(before)
    if refusal is not None:
        return Content(problem=refusal)
    opened = os.open(path, _READ | (0 if follow else _NOFOLLOW), dir_fd=handle)
    try:
        found = os.fstat(opened)
        refusal = _file_refusal(found)
        if refusal is None and not follow and not os.path.samestat(before, found):
            refusal = "is not read: it was replaced while it was opened; save it again"
        if refusal is not None:
            return Content(problem=refusal)
        data = _read_up_to(opened, MAX_BYTES + 1)
    finally:
        os.close(opened)
    if len(data) > MAX_BYTES:
        return Content(problem=_TOO_LARGE)
    return Content(data, writable_by_others=writable_by_others(found))


_TOO_LARGE = "is not read: it is larger than 1 MiB; a configuration is not, so look what is in it"


def _read_up_to(handle: int, limit: int) -> bytes:
    chunks: list[bytes] = []
    while limit > 0 and (chunk := os.read(handle, limit)):
        chunks.append(chunk)
        limit -= len(chunk)
    return b"".join(chunks)


def _file_refusal(found: os.stat_result) -> str | None:
    mode = found.st_mode
    if _is_link(found):
        return "is not read: it is a symbolic link; put a real file in its place"
    if stat.S_ISDIR(mode):
        return "is not read: it is a folder; put a file in its place"
    if not stat.S_ISREG(mode):
        return "is not read: it is a pipe, socket or device; put a regular file in its place"
    return _TOO_LARGE if found.st_size > MAX_BYTES else None


def _is_link(found: os.stat_result) -> bool:
    reparse_point = getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0x400)
    return stat.S_ISLNK(found.st_mode) or bool(getattr(found, "st_file_attributes", 0) & reparse_point)


def writable_by_others(found: os.stat_result, *, user: int | None = None) -> bool:
    """Whether a file belongs to somebody other than `user` and root, or group or world may write to it."""
    if not hasattr(os, "geteuid"):
        return False  # no POSIX owner or mode: Windows guards a user's profile with access lists
    owner = os.geteuid() if user is None else user
    return found.st_uid not in (owner, 0) or bool(found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))

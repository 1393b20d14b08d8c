"""One file of the user's state folder: 0600 in 0700, replaced whole under a lock, and believed only if it is ours."""

import contextlib
import json
import os
import stat
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.policy.records import VERSION, Approvals, Choices
from codeagent_lsp.protocol.wire import dump, read

T = TypeVar("T", Approvals, Choices)

MAX_BYTES = 8 * 1024 * 1024
LOCK_TIMEOUT = 2.0
"""Seconds to wait for another process that is writing."""

_POSIX = os.name == "posix"
_SESSION_ONLY = "Until then decisions hold for this session only."


_ABSENT = (0, 0, 0, 0)
"""The signature of a file that is not there."""


class Ignored(Exception):
    """The file, or its folder, must not be believed. The message is for the user."""


class StateFile(Generic[T]):
    """Reads and replaces one JSON file of type `kind`.

    `workspaces` says which folders are workspaces now: a state folder inside of one is not believed, since the
    workspace's content could then approve itself.
    """

    def __init__(self, path: Path, kind: type[T], workspaces: Callable[[], Sequence[Path]]) -> None:
        self.path = path
        self._path_text, self._folder_text = str(path), str(path.parent)
        self._kind = kind
        self._workspaces = workspaces
        self._value: T = kind()
        self._signature: tuple[int, int, int, int] | None = None
        self._outside: tuple[object, ...] | None = None
        self._unreadable: str | None = None
        self._unwritable: str | None = None

    @property
    def problem(self) -> str | None:
        """Why the file is ignored or could not be written, what to do, and what holds until then; else `None`."""
        return self._unreadable or self._unwritable

    @property
    def known(self) -> T:
        """What was read last, without looking at the file again."""
        return self._value

    def read(self) -> T:
        """What the file says now; empty where it is not there, or is ignored (see `problem`)."""
        try:
            self._check_folder()
            signature = self._stat()
            if signature != self._signature or signature is None or self._unreadable:
                self._value = self._load()
                self._signature = signature
            self._unreadable = None
        except Ignored as reason:
            self._value, self._signature, self._unreadable = self._kind(), None, str(reason)
        return self._value

    def update(self, change: Callable[[T], T]) -> bool:
        """Re-read under the lock, apply `change`, replace the file; whether that has been written to the disk."""
        from filelock import FileLock, Timeout  # late: it costs as much as the rest of the policy, and few write

        try:
            self._check_folder()
            self._make_folder()
            with FileLock(f"{self.path}.lock", timeout=LOCK_TIMEOUT, mode=0o600):
                before = self._load()
                after = change(before)
                if after != before:
                    self._replace(after)
                self._value, self._signature = after, self._stat()
        except Ignored as reason:
            self._value, self._signature, self._unreadable = self._kind(), None, str(reason)
            return False
        except Timeout:
            self._unwritable = f"{self.path} is locked by another process. {_SESSION_ONLY}"
            return False
        except OSError as error:
            self._unwritable = f"{self.path} cannot be written: {error.strerror or error}. {_SESSION_ONLY}"
            return False
        self._unreadable = self._unwritable = None
        return True

    def _stat(self) -> tuple[int, int, int, int] | None:
        try:
            found = os.lstat(self._path_text)  # once or more in every call of a tool: without the detour by pathlib
        except FileNotFoundError:
            return _ABSENT
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns

    def _check_folder(self) -> None:
        folder = self.path.parent
        try:
            found = os.stat(self._folder_text)  # noqa: PTH116 - see `_stat`
        except OSError:
            found = None
        place = (*self._workspaces(), found and (found.st_dev, found.st_ino))
        if place != self._outside:  # looked at anew only where the folder or the workspaces are others
            self._outside = None
            for workspace in self._workspaces():
                if _inside(folder, workspace):
                    raise Ignored(
                        f"The state folder {folder} is inside the workspace {workspace}, whose content could then"
                        f" approve itself; it is ignored. Move it with XDG_STATE_HOME. {_SESSION_ONLY}"
                    )
            self._outside = place
        if not _POSIX or found is None:
            return
        if found.st_uid != os.geteuid():
            raise Ignored(f"The state folder {folder} belongs to another user; it is ignored. {_SESSION_ONLY}")
        if stat.S_IMODE(found.st_mode) & 0o022:
            raise Ignored(
                f"Others can write to the state folder {folder} (mode {stat.S_IMODE(found.st_mode):04o}); it is"
                f" ignored. Look at what is in it, then run `chmod 700` on it. {_SESSION_ONLY}"
            )

    def _make_folder(self) -> None:
        folder = self.path.parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _POSIX and stat.S_IMODE(folder.stat().st_mode) != 0o700:
            folder.chmod(0o700)

    def _load(self) -> T:
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
        try:
            handle = os.open(self.path, flags)
        except FileNotFoundError:
            return self._kind()
        except OSError as error:
            raise self._ignore(f"it cannot be read ({error.strerror or error})") from None
        try:
            self._check_file(os.fstat(handle))
            with os.fdopen(handle, "rb", closefd=False) as file:
                raw = file.read(MAX_BYTES + 1)
        finally:
            os.close(handle)
        if len(raw) > MAX_BYTES:
            raise self._ignore("it is larger than 8 MiB")
        return self._parse(raw)

    def _check_file(self, found: os.stat_result) -> None:
        mode = stat.S_IMODE(found.st_mode)
        if not stat.S_ISREG(found.st_mode):
            raise self._ignore("it is not a regular file")
        if _POSIX and found.st_uid != os.geteuid():
            raise self._ignore("it belongs to another user")
        if _POSIX and mode & 0o077:
            raise self._ignore(f"others can get at it (mode {mode:04o} instead of 0600)")

    def _parse(self, raw: bytes) -> T:
        try:
            value = read(json.loads(raw), self._kind)
        except InvalidParams as error:
            raise self._ignore(f"it has another shape ({error.message})") from None
        except (ValueError, RecursionError):
            raise self._ignore("it is not valid JSON") from None
        if value.version != VERSION:
            raise self._ignore(f"it was written by another version (format {value.version})")
        return value

    def _ignore(self, reason: str) -> Ignored:
        return Ignored(
            f"{self.path} is ignored, with every decision in it: {reason}. If you trust its content, repair it"
            f" (owner yourself, mode 0600, valid JSON); otherwise delete it. {_SESSION_ONLY}"
        )

    def _replace(self, value: T) -> None:
        """Write beside the file, force to the disk, and rename over it: a reader sees the old file or the new one."""
        data = json.dumps(dump(value), ensure_ascii=True, indent=1).encode()
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self.path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
        self._sync_folder()

    def _sync_folder(self) -> None:
        with contextlib.suppress(OSError):  # not every file system can
            folder = os.open(self.path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def _inside(folder: Path, workspace: Path) -> bool:
    """Whether `folder` is `workspace` or below it, by device and inode, so that no spelling gets around it."""
    try:
        root = workspace.stat()
    except OSError:
        return folder.resolve().is_relative_to(workspace.resolve())
    real = folder.resolve()
    for place in (real, *real.parents):
        with contextlib.suppress(OSError):
            if os.path.samestat(place.stat(), root):
                return True
    return False

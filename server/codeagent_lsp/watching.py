"""Notices changes of the config files: told by the editor, or by our own look; a burst of saves is one reload."""

from collections.abc import Callable
from pathlib import Path

import anyio
import anyio.to_thread

from codeagent_lsp.operations.host import Host
from codeagent_lsp.operations.reconcile import reread

DEBOUNCE = 0.3
"""Seconds without a further change after which the files are read again."""
LONGEST = 2.0
"""Seconds after which they are read again although changes go on."""
LOOK_EVERY = 2.0
"""Seconds between our own looks: not every editor watches files, or those outside its folders."""

Look = dict[Path, tuple[int, int, int] | None]


class Watcher:
    """Reads the configuration again when a config file has changed. One for the house; `run` is its only task."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._told = anyio.Event()
        self._seen: Look = {}

    def changed(self) -> None:
        """Somebody says that a config file may have changed."""
        self._told.set()

    async def reread(self) -> None:
        """Read the config files now; what changes from here on is noticed."""
        await reread(self._host)
        self._seen = await self._look()

    async def run(self, look_every: Callable[[], float] = lambda: LOOK_EVERY) -> None:
        """Watch until cancelled; `reread` comes first."""
        while True:
            with anyio.move_on_after(look_every()):
                await self._told.wait()
            if not self._told.is_set() and await self._look() == self._seen:
                continue
            await self._calm()
            self._seen = await self._look()
            await reread(self._host)

    async def _calm(self) -> None:
        """Wait until nobody has said anything for a moment."""
        with anyio.move_on_after(LONGEST):
            before: Look | None = None
            while True:
                now = await self._look()
                if now == before and not self._told.is_set():
                    return
                before = now
                self._told = anyio.Event()
                with anyio.move_on_after(DEBOUNCE):
                    await self._told.wait()

    async def _look(self) -> Look:
        files = [file.path for file in self._host.config.files]
        return await anyio.to_thread.run_sync(lambda: {path: _state(path) for path in files})


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino

"""Changes of status, told to the editor once and together: over 50 ms, and only of servers that really changed."""

import time
from collections.abc import Callable, Coroutine, Set
from typing import Any

import anyio

from codeagent_lsp.protocol import ServerStatus, StatusChanged

COALESCE = 0.05
"""Seconds over which changes are gathered."""


def first_revision() -> int:
    """Where a count of revisions begins: never at a number that an earlier run of this server had given out."""
    return int(time.time() * 1000)


class Announcer:
    """Gathers the servers whose status may have changed, and tells the editor what really is another.

    `status` gives the present status of a server, or `None` when it is gone.
    """

    def __init__(
        self,
        status: Callable[[str], ServerStatus | None],
        notify: Callable[[str, object], None],
        spawn: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self._status = status
        self._notify = notify
        self._spawn = spawn
        self._marked: set[str] = set()
        self._told: dict[str, ServerStatus | None] = {}
        self._waiting = False
        self.on_marked: Callable[[set[str]], None] = lambda servers: None
        """Told of every server about which something may have changed, after the editor was."""
        self.revision = first_revision()

    def mark(self, server: str) -> None:
        """Something about this server may have changed."""
        self._marked.add(server)
        if not self._waiting:
            self._waiting = True
            self._spawn(self._tell_soon())

    @property
    def marked(self) -> Set[str]:
        """The servers about which something may have changed that nobody was told of yet."""
        return self._marked

    def last(self, server: str) -> ServerStatus | None:
        """The status that was told last; the present one where none was."""
        return self._told.get(server) or self._status(server)

    def present(self, server: str) -> ServerStatus | None:
        """The status as it is now, whether it was told yet or not."""
        return self._status(server) if server in self._marked else self.last(server)

    def tell(self) -> None:
        """Tell now what has changed since the last time."""
        marked, self._marked = sorted(self._marked), set()
        changed: list[ServerStatus] = []
        gone = False
        for server in marked:
            status = self._status(server)
            if status != self._told.get(server):
                self._told[server] = status
                self.revision += 1
                if status is not None:
                    changed.append(status)
                gone = gone or status is None
        if changed or gone:  # a server that is gone has no status: the editor asks for all of them anew
            self._notify("codeagent/statusChanged", StatusChanged(self.revision, changed))
        self.on_marked(set(marked))

    async def _tell_soon(self) -> None:
        await anyio.sleep(COALESCE)
        self._waiting = False
        self.tell()

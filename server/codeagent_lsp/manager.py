"""The set of connections, made equal to what is wanted by one `apply`: start, reload and restart are one reconcile."""

from collections.abc import Collection, Iterable

import anyio
from anyio.abc import TaskGroup

from codeagent_lsp.connection.connection import Connection
from codeagent_lsp.connection.house import House
from codeagent_lsp.connection.wanted import Wanted

STOP_LIMIT = 4.5
"""Seconds that closing all servers may take; what is left then is killed by the transports' clean-up."""


class Manager:
    """Every server that is known, one connection each. Only `apply` makes connections; only `run` runs them."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._tasks: TaskGroup | None = None
        self._closing = anyio.Event()
        self.closed = anyio.Event()
        self._leaving: list[Connection] = []
        self.connections: dict[str, Connection] = {}

    def apply(self, wanted: Iterable[Wanted], *, restart: Collection[str] = (), retry: bool = False) -> None:
        """Make the servers be as they are wanted; returns at once, the tasks do the rest.

        A server whose `key` and `idle` are unchanged keeps its process, with its new entry. `restart` names servers
        that get a new one all the same; with `retry`, so do those that have failed.
        """
        targets = {want.server: want for want in wanted}
        for server in [name for name in self.connections if name not in targets]:
            self._retire(self.connections.pop(server))
        for server, want in sorted(targets.items()):
            present = self.connections.get(server)
            if present is not None and server not in restart and self._serves(present, want, retry):
                present.adopt(want)
                continue
            if present is not None:
                self._retire(present)
            self.connections[server] = connection = Connection(want, self._house, present or self._leaving_of(server))
            self._launch(connection)
            self._house.hooks.changed(connection)
        self.connections = dict(sorted(self.connections.items()))

    async def run(self) -> None:
        """Own the tasks of all connections until `close`; every one of them is gone when this returns."""
        try:
            await self._run()
        finally:
            self.closed.set()

    async def _run(self) -> None:
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            for connection in self.connections.values():
                tasks.start_soon(connection.run)
            await self._closing.wait()
            for connection in (*self.connections.values(), *self._leaving):
                connection.stop()
            with anyio.move_on_after(STOP_LIMIT):
                for connection in (*self.connections.values(), *self._leaving):
                    await connection.ended.wait()
            tasks.cancel_scope.cancel()

    def close(self) -> None:
        """Stop every server; `run` returns when they are gone."""
        self._closing.set()

    async def settle(self, servers: Iterable[str], seconds: float) -> None:
        """Wait until none of the servers is on its way up, at most so many seconds in all."""
        with anyio.move_on_after(seconds):
            for server in list(servers):
                connection = self.connections.get(server)
                if connection is not None:
                    await connection.settled(seconds)

    def _serves(self, present: Connection, want: Wanted, retry: bool) -> bool:
        same = present.wanted.key == want.key and present.wanted.idle == want.idle
        return same and not (retry and want.idle is None and present.state in ("failed", "needsAuth", "untrusted"))

    def _retire(self, connection: Connection) -> None:
        self._leaving = [leaving for leaving in self._leaving if not leaving.ended.is_set()]
        self._leaving.append(connection)
        connection.stop()

    def _leaving_of(self, server: str) -> Connection | None:
        """The connection of a server that was just removed, and may not be gone yet."""
        return next((leaving for leaving in reversed(self._leaving) if leaving.server == server), None)

    def _launch(self, connection: Connection) -> None:
        if self._tasks is not None and not self._closing.is_set():
            self._tasks.start_soon(connection.run)
        elif self._closing.is_set():
            connection.ended.set()

"""Keeps the catalogue equal to what the connected servers offer: first lists, re-lists, and what the editor is told."""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio
from attrs import evolve

from codeagent_lsp.catalog.addresses import document_uri
from codeagent_lsp.catalog.listing import Changes, Listing, read_listing
from codeagent_lsp.catalog.tools import Catalog
from codeagent_lsp.connection.signals import Flag
from codeagent_lsp.errors import HostError
from codeagent_lsp.journal import Journal
from codeagent_lsp.operations.announce import first_revision
from codeagent_lsp.protocol import PromptsChanged, ResourcesChanged, ResourceUpdated, ToolsChanged

if TYPE_CHECKING:
    from codeagent_lsp.connection.connection import Connection
    from codeagent_lsp.connection.session import Session

log = logging.getLogger(__name__)

COALESCE = 0.1
"""Seconds over which `list_changed` notifications are gathered into one re-list."""
APART = 1.0
"""Seconds between two re-lists of one server: a server that announces a change in every listing is not a loop."""
RETRY_AFTER = 5.0
"""Seconds after which a failed re-list is tried again, once for each failure in a row, up to `RETRIES`."""
RETRIES = 5
LISTEN_AGAIN = 1.0
"""Seconds after which a lost stream of change notifications is opened anew; doubles up to a minute."""


class Lists:
    """One for the whole house; `attend` runs once for each session, in that session's own task group."""

    def __init__(self, catalog: Catalog, journal: Journal, notify: Callable[[str, object], None]) -> None:
        self._catalog = catalog
        self._journal = journal
        self._notify = notify
        self._dirty: dict[str, anyio.Event] = {}
        self.subscriptions: dict[str, dict[str, int]] = {}
        """Which resources of a server somebody wants to be told about, and how many do."""
        self._subscribed: dict[str, anyio.Event] = {}
        self.revision = first_revision()
        self.complete: set[str] = set()
        """Servers whose first lists are in."""
        self.on_update: Callable[[str], None] = lambda server: None
        self.on_resource: Callable[[str, str], None] = lambda server, uri: None
        """Told of a subscribed resource that has new content: server, URI."""

    def mark(self, server: str, kind: str) -> None:
        """A server says that one of its lists is another one; costs nothing, however often it says so."""
        event = self._dirty.get(server)
        if event is not None:
            event.set()

    def updated(self, server: str, uri: str) -> None:
        """A subscribed resource has new content."""
        if uri in self.subscriptions.get(server, {}):
            address = document_uri(server, uri, self._catalog.resource(server, uri))
            self._notify("codeagent/resourceUpdated", ResourceUpdated(server, uri, address))
            self.on_resource(server, uri)

    def resubscribe(self, server: str) -> None:
        """The set of subscribed resources is another one: a newer server is told by a new stream."""
        event = self._subscribed.get(server)
        if event is not None:
            event.set()

    def forget(self, server: str) -> None:
        """The server is down: nothing of it is offered any more."""
        self.complete.discard(server)
        self._tell(server, self._catalog.remove(server))

    def touch(self, server: str, *tools: str) -> None:
        """Tools whose standing has changed, though not their definition: enabled, disabled, granted."""
        if tools:
            self.revision += 1
            self._notify("codeagent/toolsChanged", ToolsChanged(self.revision, server, [], [], list(tools)))

    def touch_all(self) -> None:
        """The standing of any tool may have changed."""
        self.revision += 1

    async def attend(self, connection: "Connection", session: "Session", lists_in: Flag) -> None:
        """Read the first lists, then read them again whenever the server says that they have changed."""
        server = connection.server
        self._dirty[server] = anyio.Event()
        try:
            async with anyio.create_task_group() as tasks:
                failed = await self._read(connection, session)
                self.complete.add(server)
                lists_in.set()
                if session.modern:
                    self._subscribed[server] = anyio.Event()
                    tasks.start_soon(self._listen, server, session)
                else:
                    tasks.start_soon(self._subscribe_again, server, session)
                await self._keep(connection, session, failed)
        except Exception:
            log.exception("the lists of %s are no longer kept", server)
        finally:
            lists_in.set()
            self._dirty.pop(server, None)
            self._subscribed.pop(server, None)

    async def _keep(self, connection: "Connection", session: "Session", failed: bool) -> None:
        server = connection.server
        failures = int(failed)
        while True:
            with anyio.move_on_after(RETRY_AFTER * failures if 0 < failures <= RETRIES else None):
                await self._dirty[server].wait()
            await anyio.sleep(COALESCE)
            self._dirty[server] = anyio.Event()
            failures = failures + 1 if await self._read(connection, session) else 0
            await anyio.sleep(APART - COALESCE)

    async def _read(self, connection: "Connection", session: "Session") -> bool:
        """Read every list once; true if one of them failed."""
        server = connection.server
        previous = self._catalog.listing(server)
        try:
            listing = await read_listing(
                session,
                server=server,
                capabilities=session.capabilities,
                previous=previous,
                entry=connection.wanted.entry,
                instructions=session.instructions,
            )
        except Exception:
            log.exception("the lists of %s could not be read", server)
            ours = "an error in codeagent-lsp; its log (standard error) says more"
            listing = evolve(previous or Listing(server), warnings=(), errors={"tools": ours})
        for warning in listing.warnings:
            self._journal.add(server, "host", "warning", warning)
        for kind, error in listing.errors.items():
            self._journal.add(server, "host", "error", f"its {kind} could not be listed: {error}")
        self._tell(server, await self._catalog.update(server, listing))
        return bool(listing.errors)

    def _tell(self, server: str, changes: Changes) -> None:
        if changes.tools or changes.instructions:
            self.revision += 1
        if changes.tools:
            told = ToolsChanged(
                self.revision, server, list(changes.added), list(changes.removed), list(changes.changed)
            )
            self._notify("codeagent/toolsChanged", told)
        if changes.resources:
            self.revision += 1
            self._notify("codeagent/resourcesChanged", ResourcesChanged(self.revision, server))
        if changes.prompts:
            self.revision += 1
            self._notify("codeagent/promptsChanged", PromptsChanged(self.revision, server))
        self.on_update(server)

    async def _subscribe_again(self, server: str, session: "Session") -> None:
        """A new session of an older server knows nothing of the subscriptions of the one before."""
        for uri in sorted(self.subscriptions.get(server, {})):
            try:
                await session.subscribe(uri, True)
            except HostError as error:
                self._journal.add(server, "host", "warning", f"no longer subscribed to {uri}: {error.message}")

    async def _listen(self, server: str, session: "Session") -> None:
        """Hold the newer revisions' stream of changes open; after a loss, nothing is replayed: so all is read anew."""
        pause = LISTEN_AGAIN
        while True:
            again = self._subscribed[server] = anyio.Event()
            born = anyio.current_time()
            try:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(_cancel_on, again, tasks.cancel_scope)
                    await session.follow(sorted(self.subscriptions.get(server, {})))
                    tasks.cancel_scope.cancel()
            except ExceptionGroup as group:
                self._journal.add(server, "host", "info", f"no stream of changes: {group.exceptions[0]}")
                return
            if again.is_set():
                continue
            pause = LISTEN_AGAIN if anyio.current_time() - born > pause else min(pause * 2, 60.0)
            await anyio.sleep(pause)
            self.mark(server, "tools")


async def _cancel_on(event: anyio.Event, scope: anyio.CancelScope) -> None:
    await event.wait()
    scope.cancel()

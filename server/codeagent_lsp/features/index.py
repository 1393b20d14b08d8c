"""Every configured server with its state and its resources, as the features look them up: nothing is ever fetched.

`refresh` follows the catalogue: it costs what has changed, not what is known. Per resource the index holds a key, a
dictionary entry and two list slots, and once a server was searched a line of lower-case text (see `bench/mentions.py`
for the figure); the resources themselves are the catalogue's own objects.
"""

from bisect import insort
from collections.abc import Collection, Sequence
from typing import Protocol

from attrs import frozen

from codeagent_lsp.features.listing import MAX_TEMPLATES, Listing
from codeagent_lsp.features.templates import Template
from codeagent_lsp.protocol.values import Resource, ResourceTemplate, ServerStatus


class CatalogView(Protocol):
    """What the features need to know; the catalogue and the connections satisfy it together."""

    def servers(self) -> Sequence[ServerStatus]:
        """Every configured server, whatever its state."""
        ...

    def resources(self, server: str) -> Sequence[Resource] | None:
        """The resources of a server; `None` while they are not known."""
        ...

    def templates(self, server: str) -> Sequence[ResourceTemplate]:
        """The resource templates of a server."""
        ...


@frozen
class ServerEntry:
    """One server: its status, and what it lists. `listed` is false while its list is not known."""

    status: ServerStatus
    listing: Listing
    listed: bool

    @property
    def templates(self) -> tuple[Template, ...]:
        """The server's templates, read; the first 64."""
        return self.listing.read_templates

    @property
    def server(self) -> str:
        """The id, which is what stands after the `@`."""
        return self.status.server

    @property
    def certain(self) -> bool:
        """Whether a resource that is not listed does not exist, as far as anybody can know."""
        errors = self.status.list_errors
        complete = self.listed and len(self.listing.templates) <= MAX_TEMPLATES and not (errors and errors.resources)
        return self.status.state == "ready" and complete


class MentionIndex:
    """The servers by name. `names_revision` moves when a text may parse differently, `revision` at every change."""

    def __init__(self) -> None:
        self.revision = 0
        self.names_revision = 0
        self._entries: dict[str, ServerEntry] = {}
        self._sorted: list[str] = []
        self._longest = 0

    def refresh(self, view: CatalogView, listings: Collection[str] | None = None) -> None:
        """Take over what `view` says. `listings`: the servers whose lists may have changed; `None` means all."""
        seen: set[str] = set()
        for status in view.servers():
            server = status.server
            seen.add(server)
            old = self._entries.get(server)
            if old is None or listings is None or server in listings:
                self._set(status, view.resources(server), view.templates(server))
            elif old.status != status:
                self._entries[server] = ServerEntry(status, old.listing, old.listed)
                self.revision += 1
        for server in [server for server in self._entries if server not in seen]:
            del self._entries[server]
            self._sorted.remove(server)
            self._names_changed()

    @property
    def longest_name(self) -> int:
        """See `mentions.Names.longest_name`."""
        return self._longest

    def known(self, name: str) -> Listing | None:
        """See `mentions.Names.known`: the listing of a server, by its exact name."""
        entry = self._entries.get(name)
        return entry.listing if entry else None

    def entry(self, server: str) -> ServerEntry | None:
        """A server by its id."""
        return self._entries.get(server)

    def servers(self) -> Sequence[str]:
        """Every server's id, sorted."""
        return self._sorted

    def resource(self, server: str, uri: str) -> Resource | None:
        """A listed resource by its exact URI."""
        entry = self._entries.get(server)
        return entry.listing.resources.get(uri) if entry else None

    def _set(
        self, status: ServerStatus, resources: Sequence[Resource] | None, templates: Sequence[ResourceTemplate]
    ) -> None:
        server = status.server
        old = self._entries.get(server)
        known = resources is not None
        given = resources or ()
        if old and old.listed == known and old.listing.same(given, templates):
            if old.status != status:
                self._entries[server] = ServerEntry(status, old.listing, known)
                self.revision += 1
            return
        self._entries[server] = ServerEntry(status, Listing(server, given, templates), known)
        if old is None:
            insort(self._sorted, server)
        self._names_changed()

    def _names_changed(self) -> None:
        self._longest = max(map(len, self._sorted), default=0)
        self.names_revision += 1
        self.revision += 1

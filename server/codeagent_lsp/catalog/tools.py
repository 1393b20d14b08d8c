"""The catalogue: what the connected servers offer, by name; a snapshot for each server, never a merge."""

import re
from collections.abc import Iterable, Iterator

from attrs import evolve, field, frozen

from codeagent_lsp.catalog.addresses import spelling
from codeagent_lsp.catalog.definitions import CatalogTool
from codeagent_lsp.catalog.listing import Changes, Listing
from codeagent_lsp.catalog.naming import NameTable
from codeagent_lsp.catalog.nearest import nearest
from codeagent_lsp.errors import UnknownPrompt, UnknownTool
from codeagent_lsp.protocol import Prompt, Resource, ResourceTemplate
from codeagent_lsp.protocol.values import ToolKind
from codeagent_lsp.text import one_line

__all__ = ["Catalog", "CatalogTool"]

_MAX_GONE = 2_000
_HEADING = re.compile(r"^( {0,3})(#{1,2})(?=[ \t]|$)", re.MULTILINE)

_Key = tuple[str, ToolKind]
"""A tool of one server: its own name, and its kind."""


@frozen(eq=False)
class _Offer:
    """One server's listing, made fast to look up."""

    listing: Listing
    tools: dict[_Key, CatalogTool] = field(factory=dict[_Key, CatalogTool])
    resources: dict[str, Resource] = field(factory=dict[str, Resource])
    spellings: dict[str, str] = field(factory=dict[str, str])
    prompts: dict[str, Prompt] = field(factory=dict[str, Prompt])


class Catalog:
    """Everything that the connected servers offer. Lists are sorted by server id, then in the server's own order."""

    def __init__(self) -> None:
        self._offers: dict[str, _Offer] = {}
        self._by_name: dict[str, CatalogTool] = {}
        self._names = NameTable()
        self._gone: dict[str, str] = {}

    def expect(self, servers: Iterable[str]) -> None:
        """Tell which servers the configuration has, so that full names do not depend on which is up first."""
        self._names.expect(servers)

    async def update(self, server: str, listing: Listing) -> Changes:
        """Put `listing` in the place of what the server offered before, and say what differs."""
        return self._replace(server, listing)

    def remove(self, server: str) -> Changes:
        """The server is down: it offers nothing."""
        return self._replace(server, None)

    def listing(self, server: str) -> Listing | None:
        """What the server offered last, or None while it is down."""
        offer = self._offers.get(server)
        return offer.listing if offer else None

    # --- tools ---

    async def tools(self, server: str | None = None) -> list[CatalogTool]:
        """The tools of one server, or of all."""
        return self.known_tools(server)

    def known_tools(self, server: str | None = None) -> list[CatalogTool]:
        """The tools of one server, or of all."""
        return [tool for offer in self._each(server) for tool in offer.tools.values()]

    def find_tool(self, name: str) -> CatalogTool:
        """The tool with this full name, by the table. Raises `errors.UnknownTool` that names the nearest one."""
        tool = self._by_name.get(name)
        if tool is None:
            if name in self._gone:
                server = self._gone[name]
                raise UnknownTool(f"the tool `{one_line(name)}` {self._why_gone(server)}.", server=server)
            raise UnknownTool(f"no tool is named `{one_line(name)}`.{nearest(name, self._by_name)}")
        return tool

    def find(self, server: str, tool: str) -> CatalogTool:
        """The tool of a server by its own name; a real one goes before one that stands for resources or prompts.

        Raises `errors.UnknownTool` that names the nearest one.
        """
        offer = self._offers.get(server) or _Offer(Listing(server))
        found = offer.tools.get((tool, "tool")) or next((t for t in offer.tools.values() if t.tool == tool), None)
        if found is None:
            if _pair(server, tool) in self._gone:
                message = f"the tool `{one_line(tool)}` {self._why_gone(server)}."
            else:
                message = f"has no tool `{one_line(tool)}`.{nearest(tool, (key[0] for key in offer.tools))}"
            raise UnknownTool(message, server=server, tool=tool)
        return found

    def get(self, server: str, kind: ToolKind, tool: str) -> CatalogTool | None:
        """The tool as it is offered at this moment, if it is."""
        offer = self._offers.get(server)
        return offer.tools.get((tool, kind)) if offer else None

    # --- resources and prompts ---

    def resources(self, server: str | None = None) -> list[Resource]:
        """The resources of one server, or of all."""
        return [item for offer in self._each(server) for item in offer.listing.resources]

    def templates(self, server: str | None = None) -> list[ResourceTemplate]:
        """The resource templates of one server, or of all."""
        return [item for offer in self._each(server) for item in offer.listing.templates]

    def resource(self, server: str, uri: str) -> Resource | None:
        """The resource with exactly this URI, if it is listed."""
        offer = self._offers.get(server)
        return offer.resources.get(uri) if offer else None

    def listed_uri(self, server: str, uri: str) -> str:
        """The listed URI that `uri` spells, percent-encoded or plain, byte for byte; `uri` itself if none is."""
        offer = self._offers.get(server)
        if offer is None or uri in offer.resources:
            return uri
        return offer.spellings.get(spelling(uri), uri)

    def nearest_resource(self, server: str, uri: str) -> str:
        """ " Did you mean `x`?" for the listed URI that is most like `uri`, or ""."""
        offer = self._offers.get(server)
        return nearest(uri, offer.resources) if offer else ""

    def prompts(self, server: str | None = None) -> list[Prompt]:
        """The prompts of one server, or of all."""
        return [item for offer in self._each(server) for item in offer.listing.prompts]

    def find_prompt(self, server: str, name: str) -> Prompt:
        """A prompt by name. Raises `errors.UnknownPrompt` that names the nearest one."""
        offer = self._offers.get(server) or _Offer(Listing(server))
        if name not in offer.prompts:
            message = f"has no prompt `{one_line(name)}`.{nearest(name, offer.prompts)}"
            raise UnknownPrompt(message, server=server)
        return offer.prompts[name]

    # --- instructions ---

    def instructions(self) -> dict[str, str]:
        """What each server says about its own use, by server id; hidden characters visible, long text cut."""
        found = {server: offer.listing.instructions for server, offer in sorted(self._offers.items())}
        return {server: text for server, text in found.items() if text}

    def instructions_text(self) -> str:
        """The instructions of all servers in sections `## <server>`; no text inside can begin a section of its own."""
        sections = (
            f"## {one_line(server)}\n\n" + _HEADING.sub(r"\1\\\2", text.strip())
            for server, text in self.instructions().items()
        )
        return "\n\n".join(sections)

    def _each(self, server: str | None) -> Iterator[_Offer]:
        for name in sorted(self._offers) if server is None else (server,):
            if name in self._offers:
                yield self._offers[name]

    def _replace(self, server: str, listing: Listing | None) -> Changes:
        before = self._offers.pop(server, None) or _Offer(Listing(server))
        now = _Offer(listing or Listing(server))
        if listing is not None:
            now = self._offers[server] = evolve(now, tools=self._named(server, listing))
        changes = _changes(before, now)
        if listing is not None and before.tools and not changes.tools:
            tools = {key: now.tools[key] for key in before.tools}  # the same set gives the same bytes
            now = evolve(now, tools=tools)
        if listing is not None:
            self._offers[server] = _indexed(now)
        for tool in before.tools.values():
            self._by_name.pop(tool.name, None)
        self._by_name.update((tool.name, tool) for tool in now.tools.values())
        self._remember(server, before, now)
        return changes

    def _named(self, server: str, listing: Listing) -> dict[_Key, CatalogTool]:
        """The tools of a listing with their full names."""
        tools: dict[_Key, CatalogTool] = {(tool.tool, tool.kind): tool for tool in listing.tools}
        names = self._names.assign((server, tool, kind) for tool, kind in tools)
        return {key: evolve(tool, name=names[server, *key]) for key, tool in tools.items()}

    def _why_gone(self, server: str) -> str:
        return "is no longer offered" if server in self._offers else "is not offered while the server is down"

    def _remember(self, server: str, before: _Offer, now: _Offer) -> None:
        """Keep the names of tools that are gone, the latest 2,000, to tell them from names that never were."""
        for key, tool in now.tools.items():
            self._gone.pop(tool.name, None)
            self._gone.pop(_pair(server, key[0]), None)
        for key, tool in before.tools.items():
            if key not in now.tools:
                self._gone[tool.name] = server
                self._gone[_pair(server, key[0])] = server
        for name in list(self._gone)[: max(0, len(self._gone) - _MAX_GONE)]:
            del self._gone[name]


def _pair(server: str, tool: str) -> str:
    return f"{server}\0{tool}"


def _indexed(offer: _Offer) -> _Offer:
    resources = {item.uri: item for item in offer.listing.resources}
    spellings: dict[str, str] = {}
    for uri in resources:
        spellings.setdefault(spelling(uri), uri)
    prompts = {item.name: item for item in offer.listing.prompts}
    return evolve(offer, resources=resources, spellings=spellings, prompts=prompts)


def _changes(before: _Offer, now: _Offer) -> Changes:
    old, new = before.tools, now.tools
    return Changes(
        added=tuple(tool.name for key, tool in new.items() if key not in old),
        removed=tuple(tool.name for key, tool in old.items() if key not in new),
        changed=tuple(
            tool.name
            for key, tool in new.items()
            if key in old and (old[key].definition_hash, old[key].name) != (tool.definition_hash, tool.name)
        ),
        resources=(before.listing.resources, before.listing.templates)
        != (now.listing.resources, now.listing.templates),
        prompts=before.listing.prompts != now.listing.prompts,
        instructions=before.listing.instructions != now.listing.instructions,
    )

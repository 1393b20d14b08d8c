"""Reads what one server offers: all pages of its four lists, bounded, each list failing alone.

A list whose method the server does not know is empty; one that fails otherwise stays what it was, and the listing says
why. Making tools takes time (schemas are sanitised), so it yields to the event loop every few milliseconds, and a tool
whose definition is the one of the previous listing is taken from there.
"""

import time
from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from typing import Any, Literal, Protocol

import anyio
import anyio.lowlevel
from attrs import define, evolve, field, frozen

from codeagent_lsp.catalog.definitions import CatalogTool, digest_of, filtered, made_from, virtual
from codeagent_lsp.catalog.items import prompt, resource, template, usable
from codeagent_lsp.config.entry import Entry
from codeagent_lsp.errors import HostError, ServerError
from codeagent_lsp.protocol import JsonObject, Prompt, Resource, ResourceTemplate
from codeagent_lsp.protocol.values import ListErrors
from codeagent_lsp.text import one_line, visible

ListKind = Literal["tools", "resources", "resourceTemplates", "prompts"]

MAX_PAGES = 100
MAX_ITEMS = 10_000
MAX_INSTRUCTIONS = 10_000
OTHER_LISTS = 20.0
"""Seconds that a list other than that of the tools may take in all: a slow one must not hold the tools back."""
_METHOD_NOT_FOUND = -32601
_AT_A_TIME = 0.005


class Lister(Protocol):
    """A session, as far as listing needs one."""

    async def list_page(self, kind: ListKind, cursor: str | None) -> tuple[list[Any], str | None]:
        """One page and the cursor of the next. Raises `errors.HostError`."""
        ...


@frozen(eq=False)
class Listing:
    """What one server offers at one moment. Tools have no full names yet: the catalogue gives them.

    `warnings` name what was left out or cut; `errors` say which lists could not be read (those are the former ones).
    """

    server: str
    tools: tuple[CatalogTool, ...] = ()
    resources: tuple[Resource, ...] = ()
    templates: tuple[ResourceTemplate, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    instructions: str | None = None
    warnings: tuple[str, ...] = ()
    errors: Mapping[ListKind, str] = field(factory=dict[ListKind, str])

    @property
    def list_errors(self) -> ListErrors | None:
        """The errors as the wire has them, or None where every list could be read."""
        if not self.errors:
            return None
        resources = self.errors.get("resources") or self.errors.get("resourceTemplates")
        return ListErrors(self.errors.get("tools"), resources, self.errors.get("prompts"))


@frozen
class Changes:
    """What differs between two listings of a server; tools by full name."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    resources: bool = False
    prompts: bool = False
    instructions: bool = False

    @property
    def tools(self) -> bool:
        """Whether the tools differ."""
        return bool(self.added or self.removed or self.changed)

    def __bool__(self) -> bool:
        return self.tools or self.resources or self.prompts or self.instructions


async def read_listing(
    lister: Lister,
    *,
    server: str,
    capabilities: Collection[str],
    previous: Listing | None = None,
    entry: Entry | None = None,
    instructions: str | None = None,
) -> Listing:
    """Ask for every list that the server has a capability for, and make values of what comes.

    `entry` has the filters of the tools. Raises nothing that a server could cause.
    """
    before = previous or Listing(server)
    warnings: list[str] = []
    lists = await _read_all(lister, capabilities)
    errors: dict[ListKind, str] = {kind: found.error for kind, found in lists.items() if found.error}
    for found in lists.values():
        warnings += found.notes
    pace = _Pace()
    resources, templates, prompts = before.resources, before.templates, before.prompts
    if _counts(lists["resources"], previous):
        items = usable(lists["resources"].items, "uri", "resource", warnings, empty=True)
        resources = tuple([resource(server, item) async for item in pace.through(items)])
    if _counts(lists["resourceTemplates"], previous):
        items = usable(lists["resourceTemplates"].items, "uriTemplate", "resource template", warnings)
        templates = tuple([template(server, item) async for item in pace.through(items)])
    if _counts(lists["prompts"], previous):
        items = usable(lists["prompts"].items, "name", "prompt", warnings)
        prompts = tuple([prompt(server, item) async for item in pace.through(items)])
    tools = [tool for tool in before.tools if tool.kind == "tool"]
    if _counts(lists["tools"], previous):
        items = usable(lists["tools"].items, "name", "tool", warnings)
        tools = await _tools(server, items, before, warnings, pace)
    return Listing(
        server=server,
        tools=_offered(server, tools, bool(resources or templates), bool(prompts), entry),
        resources=resources,
        templates=templates,
        prompts=prompts,
        instructions=visible(instructions, limit=MAX_INSTRUCTIONS) if instructions else None,
        warnings=tuple(warnings),
        errors=errors,
    )


async def _tools(
    server: str, items: Iterable[JsonObject], before: Listing, warnings: list[str], pace: "_Pace"
) -> list[CatalogTool]:
    known = {tool.definition_hash: tool for tool in before.tools if tool.kind == "tool"}
    tools: list[CatalogTool] = []
    async for item in pace.through(items):
        try:
            digest = digest_of(item)
        except (RecursionError, ValueError):  # nested too deeply, or a number with thousands of digits
            warnings.append(f"the tool `{one_line(item['name'])}` is no reasonable JSON, and is left out.")
            continue
        if digest in known:
            tools.append(evolve(known[digest], definition=item))
        else:
            tool, notes = made_from(server, item, digest)
            tools.append(tool)
            warnings += notes
    return tools


def _offered(
    server: str, tools: list[CatalogTool], resources: bool, prompts: bool, entry: Entry | None
) -> tuple[CatalogTool, ...]:
    """The server's own tools and those that stand for its resources and prompts, less what the config filters out."""
    if resources:
        tools = [*tools, virtual(server, "listResources"), virtual(server, "readResource")]
    if prompts:
        tools = [*tools, virtual(server, "listPrompts"), virtual(server, "getPrompt")]
    if entry is None or (entry.include_tools is None and not entry.exclude_tools):
        return tuple(tools)
    names = filtered((tool.tool for tool in tools), entry.include_tools, entry.exclude_tools)
    return tuple(tool for tool in tools if tool.tool in names)


@define
class _List:
    """One list as it was read; `items` are those of the pages that came."""

    items: list[Any] = field(factory=list[Any])
    error: str | None = None
    notes: list[str] = field(factory=list[str])


def _counts(found: _List, previous: Listing | None) -> bool:
    """Whether what was read takes the place of what was there; after an error only where nothing was there."""
    return found.error is None or previous is None


async def _read_all(lister: Lister, capabilities: Collection[str]) -> dict[ListKind, _List]:
    lists: dict[ListKind, _List] = {"tools": _List(), "resources": _List(), "resourceTemplates": _List()}
    lists["prompts"] = _List()
    async with anyio.create_task_group() as tasks:
        for kind, found in lists.items():
            if ("resources" if kind == "resourceTemplates" else kind) in capabilities:
                tasks.start_soon(_read_in_time, lister, kind, found)
    return lists


async def _read_in_time(lister: Lister, kind: ListKind, found: _List) -> None:
    with anyio.move_on_after(None if kind == "tools" else OTHER_LISTS) as scope:
        await _read(lister, kind, found)
    if scope.cancelled_caught:
        found.error = f"the list did not come within {OTHER_LISTS:g} s."


async def _read(lister: Lister, kind: ListKind, found: _List) -> None:
    """Read all pages of one list into `found`. The empty string is a cursor like any other."""
    cursor: str | None = None
    seen: set[str] = set()
    try:
        for _ in range(MAX_PAGES):
            items, cursor = await lister.list_page(kind, cursor)
            found.items += items
            if len(found.items) > MAX_ITEMS:
                found.notes.append(f"{kind}/list: only the first {MAX_ITEMS:,} of the {kind} are shown.")
                del found.items[MAX_ITEMS:]
                return
            if cursor is None:
                return
            if cursor in seen:
                found.notes.append(f"{kind}/list: the server gave the same cursor twice; what came so far is shown.")
                return
            seen.add(cursor)
        found.notes.append(f"{kind}/list: the list has more than {MAX_PAGES} pages; those are shown.")
    except ServerError as error:
        if error.server_code != _METHOD_NOT_FOUND:
            found.error = error.text()
    except HostError as error:
        found.error = error.text()


class _Pace:
    """Lets the event loop have its turn between pieces of work."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    async def through(self, items: Iterable[JsonObject]) -> AsyncIterator[JsonObject]:
        """The items, with a pause wherever the work on them has taken a few milliseconds."""
        for item in items:
            if time.monotonic() - self._began > _AT_A_TIME:
                await anyio.lowlevel.checkpoint()
                self._began = time.monotonic()
            yield item

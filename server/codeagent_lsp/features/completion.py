"""Completion of mentions: servers after `@`, resources and templates after `@server:`, values inside a template.

Every item has one text edit over the whole mention, on the line of the cursor; its filter text begins with what stands
there, so that no client filters it away. Nothing is fetched, except the values of a template's variable, through a
function that is handed in.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import count
from typing import Any, cast

from attrs import evolve, field, frozen, validators
from lsprotocol import types

from codeagent_lsp.catalog.spelled import server_text as name_text
from codeagent_lsp.catalog.spelled import uri_text
from codeagent_lsp.errors import HostError
from codeagent_lsp.features.completion_context import NameTyping, UriTyping, context_at
from codeagent_lsp.features.describe import as_markup, resource_text, server_line, server_text, template_text
from codeagent_lsp.features.documents import Document
from codeagent_lsp.features.index import MentionIndex, ServerEntry
from codeagent_lsp.features.listing import title
from codeagent_lsp.features.spelling import normal
from codeagent_lsp.features.templates import Typing, typing
from codeagent_lsp.protocol.params import ArgumentValue, CompleteArgumentParams, CompletionRef
from codeagent_lsp.protocol.results import Completion
from codeagent_lsp.text import one_line, visible

TRIGGER_CHARACTERS = ["@", ":", "/"]
LIMIT = 200

CompleteArgument = Callable[[CompleteArgumentParams], Awaitable[Completion]]
"""`codeagent.completeArgument`; may raise `errors.HostError`."""


@frozen
class _Place:
    """What the items of one list share: the range they replace, and the text between its start and the cursor."""

    range: types.Range
    written: str
    typed: str
    number: Iterator[int] = field(factory=count)

    def item(self, label: str, text: str, kind: types.CompletionItemKind, filter_text: str, **more: Any):
        """One item; `filter_text` is what comes after the text that stands there."""
        return types.CompletionItem(
            label=label,
            kind=kind,
            sort_text=f"{next(self.number):04d}",
            filter_text=self.written + filter_text[:200],
            insert_text=text,  # Emacs matches what is typed with this one
            insert_text_format=types.InsertTextFormat.PlainText,
            text_edit=types.TextEdit(self.range, text),
            **more,
        )

    def after(self, whole: str, more: str = "") -> str:
        """The filter text of `whole` behind what was typed of it."""
        rest = plain = normal(whole)
        if self.typed:
            begun = normal(self.typed)
            rest = plain[len(begun) :] if plain.lower().startswith(begun.lower()) else f" {plain}"
        return f"{rest} {more}" if more and more != whole else rest


def complete(document: Document, position: types.Position, index: MentionIndex) -> types.CompletionList:
    """What can be mentioned at `position`: at most 200 items, `isIncomplete` where typing more would find others."""
    line, cursor = document.offset(position)
    text = document.line(line)
    context = context_at(text, cursor, index, code=document.code)
    if context is None:
        return types.CompletionList(is_incomplete=False, items=[])
    place = _Place(
        types.Range(document.position(line, context.start), document.position(line, context.end)),
        text[context.start : cursor],
        context.typed,
    )
    with validators.disabled():  # they are a third of the time that 200 items take, and every value here is ours
        if isinstance(context, NameTyping):
            items, incomplete = _servers(place, context, index, code=document.code)
        else:
            items, incomplete = _resources(place, context, index)
    return types.CompletionList(is_incomplete=incomplete, items=items)


@frozen
class OpenArgument:
    """A variable of a template whose value is being typed at a place."""

    server: str
    typing: Typing
    place: _Place

    def params(self) -> CompleteArgumentParams:
        """What to ask the server."""
        context: dict[str, Any] | None = {"arguments": dict(self.typing.context)} if self.typing.context else None
        reference = CompletionRef(template=self.typing.template.text)
        argument = ArgumentValue(self.typing.name, self.typing.value)
        return CompleteArgumentParams(self.server, reference, argument, context)


def open_argument(
    document: Document, position: types.Position, index: MentionIndex, *, project_servers: bool = False
) -> OpenArgument | None:
    """The variable that is being typed at `position`, if its server may be told what the user types.

    A server of a project may only where `project_servers` says so: the user's setting, off by default.
    """
    line, cursor = document.offset(position)
    text = document.line(line)
    context = context_at(text, cursor, index, code=document.code)
    entry = index.entry(context.server) if isinstance(context, UriTyping) else None
    if context is None or entry is None or entry.status.state != "ready":
        return None
    if entry.status.scope == "project" and not project_servers:
        return None
    for template in entry.templates:
        found = typing(template, context.typed)
        if found:
            whole = types.Range(document.position(line, context.start), document.position(line, context.end))
            return OpenArgument(entry.server, found, _Place(whole, text[context.start : cursor], context.typed))
    return None


async def with_values(
    found: types.CompletionList, argument: OpenArgument, ask: CompleteArgument, *, timeout: float = 2.0
) -> types.CompletionList:
    """`found`, and in front of it the values that the server knows for `argument`. `timeout` is in seconds.

    A server that fails, or is silent, adds nothing.
    """
    try:
        async with asyncio.timeout(timeout):
            values = (await ask(argument.params())).values
    except (HostError, TimeoutError):
        return found
    items = list(_values(argument, values))[:LIMIT]
    items += found.items[: LIMIT - len(items)]
    for number, item in enumerate(items):
        item.sort_text = f"{number:04d}"
    return types.CompletionList(is_incomplete=True, items=items)


def resolve(item: types.CompletionItem, index: MentionIndex, *, markdown: bool) -> types.CompletionItem:
    """`completionItem/resolve`: the item with its documentation, or as it is where it is no longer known."""
    given: object = cast(object, item.data)
    data = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    entry = index.entry(str(data.get("server")))
    if entry is None:
        return item
    if "uri" in data:
        text = resource_text(index, entry.server, str(data["uri"]))
    elif "template" in data:
        templates = [found for found in entry.listing.templates if found.uri_template == data["template"]]
        text = template_text(templates[0]) if templates else ""
    else:
        text = server_text(entry)
    return evolve(item, documentation=as_markup(text, markdown=markdown)) if text else item


def _servers(
    place: _Place, context: NameTyping, index: MentionIndex, *, code: bool
) -> tuple[list[types.CompletionItem], bool]:
    typed = context.typed.lower()
    if code and not typed:
        return [], False
    names = index.servers()
    first = [name for name in names if name.lower().startswith(typed)]
    others = [] if code or not typed else [name for name in names if typed in name.lower() and name not in first]
    entries = [entry for name in (first + others)[:LIMIT] if (entry := index.entry(name))]
    items = [
        place.item(
            one_line(entry.server),
            f"@{name_text(entry.server)}:{context.rest}",
            types.CompletionItemKind.Module,
            place.after(entry.server),
            detail=server_line(entry),
            data={"server": entry.server},
        )
        for entry in entries
    ]
    return items, bool(others) or len(first) + len(others) > LIMIT


def _resources(place: _Place, context: UriTyping, index: MentionIndex) -> tuple[list[types.CompletionItem], bool]:
    entry = index.entry(context.server)
    if entry is None:
        return [], False
    found, cut = entry.listing.search(context.typed, LIMIT)
    items = [_resource(place, entry, uri) for uri, _ in found]
    templates = list(_templates(place, entry))
    cut = cut or len(items) + len(templates) > LIMIT
    keep = max(LIMIT - len(templates), LIMIT // 2)
    items = (items[:keep] + templates)[:LIMIT]
    again = any(not begins for _, begins in found) or not entry.certain or bool(entry.templates)
    return items, cut or again


def _resource(place: _Place, entry: ServerEntry, uri: str) -> types.CompletionItem:
    label, name, mention = entry.listing.shown(uri)
    return place.item(
        label,
        mention,
        types.CompletionItemKind.File,
        place.after(uri, name),
        detail=name if name != uri else None,
        data={"server": entry.server, "uri": uri},
    )


def _templates(place: _Place, entry: ServerEntry) -> Iterator[types.CompletionItem]:
    typed = place.typed.lower()
    for template in entry.listing.templates:
        text = template.uri_template
        named = bool(typed) and typed in f"{template.name} {template.title or ''}".lower()
        if text.lower().startswith(typed) or named:
            yield place.item(
                one_line(text),
                f"@{name_text(entry.server)}:{uri_text(text)}",
                types.CompletionItemKind.Interface,
                place.after(text, title(template)),
                detail=title(template),
                data={"server": entry.server, "template": text},
            )


def _values(argument: OpenArgument, values: Sequence[str]) -> Iterator[types.CompletionItem]:
    """An item per value; a value in which something hides or breaks the line is dropped."""
    for value in dict.fromkeys(values):
        if not value or len(value) > 1000 or visible(value, newlines=False) != value:
            continue
        uri = argument.typing.filled(value)
        if uri is None:
            continue
        yield argument.place.item(
            one_line(value),
            f"@{name_text(argument.server)}:{uri_text(uri)}",
            types.CompletionItemKind.Value,
            argument.place.after(uri, value),
            detail=one_line(uri),
            data={"server": argument.server, "uri": uri},
        )

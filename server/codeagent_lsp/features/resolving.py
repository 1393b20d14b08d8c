"""`codeagent.resolveMentions`: the mentions of a text or of a stretch of a document, and what they stand for."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from lsprotocol import types

from codeagent_lsp.catalog.addresses import mention
from codeagent_lsp.errors import HostError
from codeagent_lsp.features.content import text_of
from codeagent_lsp.features.documents import Document, Spot
from codeagent_lsp.features.index import MentionIndex
from codeagent_lsp.features.positions import Encoding
from codeagent_lsp.protocol.values import Mention, Position, Range, ResourceContents

MAX_MENTIONS = 1000
MAX_READS = 50
_AT_ONCE = 8

Read = Callable[[str, str], Awaitable[Sequence[ResourceContents]]]
"""Reads a resource by server and URI; raises `errors.HostError`."""


def text_document(text: str, encoding: Encoding) -> Document:
    """A text that is no open document, as one: prose, since people wrote it to a model."""
    return Document("", "markdown", 0, text, encoding)


def mentions_in(document: Document, index: MentionIndex, range: types.Range | None = None) -> list[tuple[int, Spot]]:
    """The mentions that a range touches, or all of a document, each with its line; the first 1,000."""
    spots = document.spots(index) if range is None else document.spots(index, range.start.line, range.end.line)
    found: list[tuple[int, Spot]] = []
    for line, spot in spots:
        if range is None or _touches(range, line, spot):
            found.append((line, spot))
            if len(found) == MAX_MENTIONS:
                break
    return found


async def resolve_mentions(
    document: Document, index: MentionIndex, read: Read, range: Range | None = None
) -> list[Mention]:
    """The mentions of a document or of a range, with contents, or with the error of reading them.

    Each resource is read once, however often it is mentioned, and no more than 50 of them.
    """
    spots = mentions_in(document, index, lsp_range(range) if range else None)
    contents = await _read_all([(spot.found.server, spot.found.uri) for _, spot in spots], read)
    found: list[Mention] = []
    for line, spot in spots:
        what = contents[spot.found.server, spot.found.uri]
        where = Range(Position(line, spot.start), Position(line, spot.end))
        if isinstance(what, str):
            found.append(Mention(where, spot.found.server, spot.found.uri, error=what))
        else:
            found.append(Mention(where, spot.found.server, spot.found.uri, contents=list(what)))
    return found


async def expanded_text(document: Document, index: MentionIndex, read: Read, range: types.Range | None = None) -> str:
    """The text of a range or document, and behind it each resource that is mentioned there, under its mention."""
    keys = dict.fromkeys((spot.found.server, spot.found.uri) for _, spot in mentions_in(document, index, range))
    parts = [document.text(range).rstrip("\r\n")]
    for (server, uri), what in (await _read_all(list(keys), read)).items():
        shown = f"[{what}]" if isinstance(what, str) else text_of(what).rstrip("\n")
        parts.append(f"──── {mention(server, uri)} ────\n\n{shown}")
    return "\n\n".join(parts) + "\n"


def lsp_range(range: Range) -> types.Range:
    """A range of our wire as one of LSP."""
    start, end = range.start, range.end
    return types.Range(types.Position(start.line, start.character), types.Position(end.line, end.character))


async def _read_all(
    keys: Sequence[tuple[str, str]], read: Read
) -> dict[tuple[str, str], Sequence[ResourceContents] | str]:
    """What each key stands for, or why it could not be read."""
    wanted = list(dict.fromkeys(keys))
    turn = asyncio.Semaphore(_AT_ONCE)

    async def one(server: str, uri: str) -> Sequence[ResourceContents] | str:
        async with turn:
            try:
                return await read(server, uri)
            except HostError as error:
                return error.text()

    results = await asyncio.gather(*(one(server, uri) for server, uri in wanted[:MAX_READS]))
    out: dict[tuple[str, str], Sequence[ResourceContents] | str] = dict(zip(wanted, results, strict=False))
    for key in wanted[MAX_READS:]:
        out[key] = f"Not read: the text mentions {len(wanted)} resources, and {MAX_READS} are read at a time."
    return out


def _touches(range: types.Range, line: int, spot: Spot) -> bool:
    start, end = (range.start.line, range.start.character), (range.end.line, range.end.character)
    return (line, spot.start) <= end and start <= (line, spot.end)

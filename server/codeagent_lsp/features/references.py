"""Every mention of one resource, or of one server, in the open documents: references, highlight and rename."""

from collections.abc import Iterable, Iterator
from itertools import islice

from lsprotocol import types

from codeagent_lsp.catalog.addresses import parse
from codeagent_lsp.catalog.spelled import server_text
from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.features.documents import Document, Spot
from codeagent_lsp.features.index import MentionIndex

LIMIT = 10_000


def references(
    documents: Iterable[Document], document: Document, position: types.Position, index: MentionIndex
) -> list[types.Location]:
    """The mentions, in `documents`, of what is mentioned at `position`; on a server's name, of that server.

    In a resource's own document, anywhere, the mentions of that resource. At most 10,000.
    """
    wanted = _wanted(document, position, index)
    if wanted is None:
        return []
    found: list[types.Location] = []
    for other in documents:
        for line, spot in _of(other, wanted, index):
            if len(found) == LIMIT:
                return found
            found.append(types.Location(other.uri, spot.range(line)))
    return found


def highlights(document: Document, position: types.Position, index: MentionIndex) -> list[types.DocumentHighlight]:
    """The mentions in this document of what is mentioned at `position`. At most 10,000."""
    wanted = _wanted(document, position, index) if document.spot_at(position, index) else None
    if wanted is None:
        return []
    return [
        types.DocumentHighlight(spot.range(line), types.DocumentHighlightKind.Read)
        for line, spot in islice(_of(document, wanted, index), LIMIT)
    ]


def prepare_rename(
    document: Document, position: types.Position, index: MentionIndex
) -> types.PrepareRenamePlaceholder | None:
    """The server's name at `position`; `None` anywhere else, since a resource is not ours to rename."""
    spot = document.spot_at(position, index)
    line, offset = document.offset(position)
    entry = index.entry(spot.found.server) if spot else None
    if spot is None or entry is None or offset >= spot.found.uri_start:
        return None
    return types.PrepareRenamePlaceholder(range=_name_range(line, spot), placeholder=entry.status.name)


def rename_server(
    documents: Iterable[Document], server: str, new_name: str, index: MentionIndex
) -> dict[str, list[types.TextEdit]]:
    """The edits, by document URI, that give every mention of `server` its new name.

    `new_name` is the key that the config file will have; the edit of that file is the caller's. Raises
    `errors.InvalidParams` for a name that is taken or cannot be one, and for an unknown server.
    """
    entry = index.entry(server)
    if entry is None:
        raise InvalidParams(f"there is no server `{server}`.")
    check_name(new_name)
    new = new_name + server.removeprefix(entry.status.name)
    if new != server and index.entry(new):
        raise InvalidParams(f"there is a server `{new}` already; choose another name.")
    edits: dict[str, list[types.TextEdit]] = {}
    for document in documents:
        found = [
            types.TextEdit(_name_range(line, spot), server_text(new))
            for line, spot in _of(document, (server, None), index)
        ]
        if found:
            edits[document.uri] = found
    return edits


def check_name(name: str) -> None:
    """Raise `errors.InvalidParams` for what cannot be the name of a server."""
    if not name.strip() or not name.isprintable():
        raise InvalidParams("a server's name cannot be empty, or hold line breaks or invisible characters.")


def _wanted(document: Document, position: types.Position, index: MentionIndex) -> tuple[str, str | None] | None:
    spot = document.spot_at(position, index)
    if spot is None:
        return parse(document.uri)
    _, offset = document.offset(position)
    return spot.found.server, (spot.found.uri if offset >= spot.found.uri_start else None)


def _of(document: Document, wanted: tuple[str, str | None], index: MentionIndex) -> Iterator[tuple[int, Spot]]:
    server, uri = wanted
    for line, spot in document.spots(index):
        if spot.found.server == server and uri in (None, spot.found.uri):
            yield line, spot


def _name_range(line: int, spot: Spot) -> types.Range:
    return types.Range(types.Position(line, spot.start + 1), types.Position(line, spot.uri_start - 1))

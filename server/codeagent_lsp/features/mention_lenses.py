"""Code lenses over lines that mention resources: open each of them, or bring its server up."""

from lsprotocol import types

from codeagent_lsp.features.describe import facts
from codeagent_lsp.features.documents import Document
from codeagent_lsp.features.index import MentionIndex
from codeagent_lsp.features.mention_actions import open_command, start_command

LIMIT = 200
_PER_LINE = 3


def mention_lenses(document: Document, index: MentionIndex) -> list[types.CodeLens]:
    """One lens per resource and line, three on a line at most, and the first 200 of a document.

    A lens says what the resource is, and opens it; where the server is not up, it starts the server instead.
    """
    lenses: list[types.CodeLens] = []
    line_now, seen = -1, set[tuple[str, str]]()
    for line, spot in document.spots(index):
        if line != line_now:
            line_now, seen = line, set[tuple[str, str]]()
        server, uri = spot.found.server, spot.found.uri
        entry = index.entry(server)
        start = start_command(entry) if entry else None
        key = (server, "") if start else (server, uri)
        if entry is None or key in seen or len(seen) == _PER_LINE:
            continue
        seen.add(key)
        lenses.append(types.CodeLens(range=spot.range(line), command=start or _open(index, server, uri)))
        if len(lenses) == LIMIT:
            break
    return lenses


def _open(index: MentionIndex, server: str, uri: str) -> types.Command:
    command = open_command(index, server, uri)
    resource = index.resource(server, uri)
    known = facts(resource) if resource else []
    command.title = " · ".join([command.title, *known])
    return command

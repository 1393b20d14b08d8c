"""Hover on a mention: the server, or the resource with its type, size, age and first lines."""

from collections.abc import Callable
from datetime import datetime

from lsprotocol import types

from codeagent_lsp.features.describe import as_markup, resource_text, server_text
from codeagent_lsp.features.documents import Document
from codeagent_lsp.features.index import MentionIndex


def hover(
    document: Document,
    position: types.Position,
    index: MentionIndex,
    *,
    markdown: bool,
    now: datetime | None = None,
    content: Callable[[str, str], str | None] | None = None,
) -> types.Hover | None:
    """What is known of the mention at `position`; on its name, of the server.

    `markdown`: the client prefers it to plain text. `now`, with its time zone, is what an age is counted to. `content`
    tells the text of a resource, by server and URI, where it was read already; nothing is read for a hover.
    """
    spot = document.spot_at(position, index, touching=False)
    if spot is None:
        return None
    line, offset = document.offset(position)
    found = spot.found
    entry = index.entry(found.server)
    if offset < found.uri_start and entry:
        text = server_text(entry)
    else:
        known = content(found.server, found.uri) if content else None
        text = resource_text(index, found.server, found.uri, now=now, content=known)
    return types.Hover(contents=as_markup(text, markdown=markdown), range=spot.range(line))

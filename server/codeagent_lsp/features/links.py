"""Document links and definition: a mention opens its resource as a document of our own scheme, never the raw URI."""

from itertools import islice

from lsprotocol import types

from codeagent_lsp.catalog.addresses import document_uri
from codeagent_lsp.features.documents import Document
from codeagent_lsp.features.index import MentionIndex
from codeagent_lsp.text import one_line

LIMIT = 10_000
"""How many links a document has at most; every one is found by definition, however many there are."""


def document_links(document: Document, index: MentionIndex) -> list[types.DocumentLink]:
    """A link for each mention, the first 10,000 of a document."""
    links: list[types.DocumentLink] = []
    known: dict[tuple[str, str], tuple[str, str]] = {}
    for line, spot in islice(document.spots(index), LIMIT):
        key = server, uri = spot.found.server, spot.found.uri
        if key not in known:
            known[key] = target(index, server, uri), _tooltip(index, server, uri)
        address, tooltip = known[key]
        links.append(types.DocumentLink(range=spot.range(line), target=address, tooltip=tooltip))
    return links


def definition(
    document: Document, position: types.Position, index: MentionIndex, *, link_support: bool
) -> list[types.LocationLink] | types.Location | None:
    """The resource that is mentioned at `position`. `link_support`: the client takes `LocationLink`s."""
    spot = document.spot_at(position, index)
    if spot is None:
        return None
    uri = target(index, spot.found.server, spot.found.uri)
    start = types.Range(types.Position(0, 0), types.Position(0, 0))
    if not link_support:
        return types.Location(uri, start)
    line, _ = document.offset(position)
    return [
        types.LocationLink(
            target_uri=uri, target_range=start, target_selection_range=start, origin_selection_range=spot.range(line)
        )
    ]


def target(index: MentionIndex, server: str, uri: str) -> str:
    """The URI of a resource's document, whether it is listed or not."""
    resource = index.resource(server, uri)
    return resource.document_uri if resource else document_uri(server, uri)


def _tooltip(index: MentionIndex, server: str, uri: str) -> str:
    entry = index.entry(server)
    if entry and uri in entry.listing.resources:
        return f"Open {entry.listing.shown(uri)[1]} of {one_line(server)}"
    return f"Open from {one_line(server)}"

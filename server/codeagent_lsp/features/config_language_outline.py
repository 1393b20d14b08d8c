"""The outline of a config file: document symbols, folding ranges, and the server at a place with its name's range."""

import re
from bisect import bisect_left
from collections.abc import Iterator

from lsprotocol import types

from codeagent_lsp.config.document import Node, Span
from codeagent_lsp.features.config_language import ConfigText, ServerNode
from codeagent_lsp.text import one_line

LIMIT = 2_000

_BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LINE_COMMENTS = re.compile(r"(?m)^[ \t]*//.*(?:\r?\n[ \t]*//.*)+")


def document_symbols(text: ConfigText) -> list[types.DocumentSymbol]:
    """The servers of a text, each with its fields; at most 2,000 servers."""
    return [_symbol(text, server) for server, _ in zip(text.servers(), range(LIMIT), strict=False)]


def folding_ranges(text: ConfigText) -> list[types.FoldingRange]:
    """Everything of several lines that can be folded away: objects, arrays and comments."""
    found: dict[int, types.FoldingRange] = {}
    for span, kind in _foldable(text):
        where = text.range(span)
        last = where.end.line - (kind is None)  # the closing bracket stays to be seen
        if last > where.start.line and where.start.line not in found:
            found[where.start.line] = types.FoldingRange(start_line=where.start.line, end_line=last, kind=kind)
    return [found[line] for line in sorted(found)]


def server_name_at(text: ConfigText, position: types.Position) -> tuple[str, types.Range] | None:
    """The server whose name is at a position, and the range of the name inside of its quotes."""
    offset = text.offset(position)
    server = text.server_at(offset)
    if server is None or not server.key.span.holds(offset):
        return None
    return server.name, text.range(_unquoted(text, server.key.span))


def server_range(text: ConfigText, name: str) -> types.Range | None:
    """Where a server's name stands in the text: the definition of its mentions."""
    server = next((server for server in text.servers() if server.name == name), None)
    return text.range(server.key.span) if server is not None else None


def name_range(text: ConfigText, name: str) -> types.Range | None:
    """Where a server's name stands in the text, without its quotes: what a rename replaces."""
    server = next((server for server in text.servers() if server.name == name), None)
    return text.range(_unquoted(text, server.key.span)) if server is not None else None


def _unquoted(text: ConfigText, span: Span) -> Span:
    source = text.document.text[span.start : span.end]
    start = span.start + source.startswith('"')
    return Span(start, max(start, span.end - (len(source) > 1 and source.endswith('"'))))


def _symbol(text: ConfigText, server: ServerNode) -> types.DocumentSymbol:
    value = server.value
    detail = next((str(node.value) for key in ("command", "url") if (node := value.get(key)) and node.value), "")
    return types.DocumentSymbol(
        name=one_line(server.name, 200) or "(no name)",
        kind=types.SymbolKind.Module,
        detail=one_line(_without_query(detail), 100),
        range=text.range(Span(server.key.span.start, max(server.key.span.end, value.span.end))),
        selection_range=text.range(server.key.span),
        children=[
            types.DocumentSymbol(
                name=one_line(str(member.key.value), 200) or "(no name)",
                kind=_kind(member.value),
                range=text.range(Span(member.key.span.start, max(member.key.span.end, member.value.span.end))),
                selection_range=text.range(member.key.span),
            )
            for member in value.members[:200]
        ],
    )


def _without_query(url: str) -> str:
    """An address without what may be secret in it."""
    return re.sub(r"://[^/@]*@", "://", url.partition("?")[0])


def _kind(node: Node) -> types.SymbolKind:
    return {
        "object": types.SymbolKind.Object,
        "array": types.SymbolKind.Array,
        "string": types.SymbolKind.String,
        "number": types.SymbolKind.Number,
        "boolean": types.SymbolKind.Boolean,
    }.get(node.kind, types.SymbolKind.Null)


def _foldable(text: ConfigText) -> Iterator[tuple[Span, types.FoldingRangeKind | None]]:
    work = [text.document.root] if text.document.root is not None else []
    strings: list[Span] = []
    while work:
        node = work.pop()
        strings += [node.span] if node.kind == "string" else []
        if node.kind in ("object", "array"):
            yield node.span, None
        strings += [member.key.span for member in node.members]
        work += [member.value for member in node.members]
        work += node.items
    inside = sorted((span.start, span.end) for span in strings)
    for pattern in (_BLOCK_COMMENT, _LINE_COMMENTS):
        for match in pattern.finditer(text.document.text):
            before = bisect_left(inside, (match.start(), 0)) - 1
            if "\n" in match.group() and not (before >= 0 and match.start() < inside[before][1]):
                yield Span(match.start(), match.end()), types.FoldingRangeKind.Comment

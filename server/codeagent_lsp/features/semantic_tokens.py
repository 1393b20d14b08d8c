"""Semantic tokens, so that a mention looks like one: the server as a decorator, the URI as a string.

LSP 3.18, "Semantic Tokens": five integers per token, each place relative to the token before.
"""

from collections.abc import Iterable, Sequence

from lsprotocol import types

from codeagent_lsp.features.documents import Document, Spot
from codeagent_lsp.features.index import MentionIndex

LEGEND = types.SemanticTokensLegend(token_types=["decorator", "string"], token_modifiers=[])
LIMIT = 10_000
_SERVER, _URI = 0, 1


def full_tokens(document: Document, index: MentionIndex) -> list[int]:
    """The tokens of the first 10,000 mentions of a document."""
    return _encode(document.spots(index))


def range_tokens(document: Document, range: types.Range, index: MentionIndex) -> list[int]:
    """The tokens of the lines of a range."""
    return _encode(document.spots(index, range.start.line, range.end.line))


def token_edits(before: Sequence[int], after: Sequence[int]) -> list[types.SemanticTokensEdit]:
    """The one edit that makes `after` of `before`; none where they are equal."""
    if before == after:
        return []
    start = _shared(before, after)
    end = _shared(before[start:][::-1], after[start:][::-1])
    data = after[start : len(after) - end]
    return [types.SemanticTokensEdit(start=start, delete_count=len(before) - end - start, data=data)]


def _encode(spots: Iterable[tuple[int, Spot]]) -> list[int]:
    data: list[int] = []
    last_line = last_start = 0
    for line, spot in spots:
        if len(data) >= 10 * LIMIT:
            break
        start = spot.start - last_start if line == last_line else spot.start
        server = spot.uri_start - spot.start
        data += [line - last_line, start, server, _SERVER, 0, 0, server, spot.end - spot.uri_start, _URI, 0]
        last_line, last_start = line, spot.uri_start
    return data


def _shared(one: Sequence[int], other: Sequence[int]) -> int:
    """The length of the common beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low

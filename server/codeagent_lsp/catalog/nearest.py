"""The nearest right word for a wrong one, as the end of an error message."""

import difflib
import heapq
from collections.abc import Iterable

from codeagent_lsp.text import one_line

_LONGEST = 200
_COMPARED = 500


def nearest(word: str, known: Iterable[str]) -> str:
    """ " Did you mean `x`?" for the word of `known` that is most like `word`, or "" where none is like it.

    Of a large set, the 500 whose beginnings and lengths fit best are compared.
    """
    word = word[:_LONGEST]
    letters = set(word)

    def unlike(name: str) -> tuple[int, str]:
        return len(letters ^ set(name)) + abs(len(name) - len(word)), name

    likely = heapq.nsmallest(_COMPARED, (name for name in known if len(name) <= _LONGEST), key=unlike)
    close = difflib.get_close_matches(word, likely, n=1)
    if not close:
        folded = {name.casefold(): name for name in reversed(likely)}
        close = [folded[name] for name in difflib.get_close_matches(word.casefold(), folded, n=1)]
    return f" Did you mean `{one_line(close[0])}`?" if close else ""

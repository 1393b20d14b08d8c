"""Columns of a line: code points here, and the units of the negotiated position encoding on the wire.

LSP 3.18, "Position": a character past the end of a line means the line's end. A unit in the middle of a character
(half of a surrogate pair, a byte of a UTF-8 sequence) means the place before that character.
"""

from collections.abc import Iterable
from typing import Literal

Encoding = Literal["utf-8", "utf-16", "utf-32"]


def units(text: str, encoding: Encoding) -> int:
    """How many units `text` takes. It must be free of lone surrogates."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    return len(text.encode()) if encoding == "utf-8" else len(text.encode("utf-16-le")) // 2


def code_points(line: str, column: int, encoding: Encoding) -> int:
    """The offset in code points of a column in units; clamped to the line."""
    column = max(0, column)
    if encoding == "utf-32" or line.isascii():
        return min(column, len(line))
    if encoding == "utf-8":
        return len(line.encode()[:column].decode(errors="ignore"))
    return len(line.encode("utf-16-le")[: 2 * column].decode("utf-16-le", "ignore"))


def columns(line: str, offsets: Iterable[int], encoding: Encoding) -> list[int]:
    """The columns in units of ascending `offsets` in code points; linear in the line, however many there are."""
    if encoding == "utf-32" or line.isascii():
        return list(offsets)
    out: list[int] = []
    before = column = 0
    for offset in offsets:
        column += units(line[before:offset], encoding)
        before = offset
        out.append(column)
    return out

"""How every spelling of a resource in a text finds its listed URI.

A URI may stand in a text as it is listed, percent-encoded, or plain. `normal` takes all of them to one form; the form
is only ever a key: what goes to a server is the listed string.
"""

import re
from bisect import bisect_left

from attrs import field, frozen

_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")


@frozen
class Normal:
    """A line with its percent-escapes decoded (RFC 3986, 2.1), and the way from its offsets to the line's and back.

    Bytes that are no UTF-8 stay escapes, in upper case. All offsets count code points.
    """

    text: str
    _here: list[int] = field(factory=list[int])
    _there: list[int] = field(factory=list[int])

    def to_normal(self, offset: int) -> int:
        """The place in `text` of an offset in the line that does not lie within an escape."""
        last = bisect_left(self._there, offset + 1) - 1
        return offset if last < 0 else self._here[last] + max(0, offset - self._there[last])

    def to_line(self, offset: int) -> int:
        """The place in the line of an offset in `text`."""
        last = bisect_left(self._here, offset + 1) - 1
        return offset if last < 0 else self._there[last] + offset - self._here[last]


def normal_line(line: str) -> Normal:
    """Decode the escapes of a line, in linear time."""
    if "%" not in line:
        return Normal(line)
    parts: list[str] = []
    here: list[int] = []
    there: list[int] = []
    length = before = 0
    for match in _ESCAPES.finditer(line):
        plain = line[before : match.start()]
        parts.append(plain)
        length += len(plain)
        place = match.start()
        for char, width in _decode(match[0]):
            here.append(length)
            there.append(place)
            parts.append(char)
            length += len(char)
            place += width
        before = match.end()
        here.append(length)
        there.append(before)
    parts.append(line[before:])
    return Normal("".join(parts), here, there)


def normal(text: str) -> str:
    """The one form of all spellings of a URI."""
    return _ESCAPES.sub(_plain, text) if "%" in text else text


def _plain(match: re.Match[str]) -> str:
    try:
        return bytes.fromhex(match[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return "".join(char for char, _ in _decode(match[0]))


def _decode(escapes: str) -> list[tuple[str, int]]:
    """The characters that a run of escapes stands for, each with the length of its spelling."""
    out: list[tuple[str, int]] = []
    data = bytes.fromhex(escapes.replace("%", ""))
    at = 0
    while at < len(data):
        first = data[at]
        size = 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
        try:
            char = data[at : at + size].decode()
        except UnicodeDecodeError:
            char, size = f"%{first:02X}", 1
        out.append((char, 3 * size))
        at += size
    return out

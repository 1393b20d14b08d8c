"""How a resource is spelled in a mention, and how every spelling of it finds the listed URI.

A URI may stand in a text as it is listed, percent-encoded, or plain. `normal` takes all of them to one form; the form
is only ever a key: what goes to a server is the listed string.
"""

import re
from bisect import bisect_left

from attrs import field, frozen

from codeagent_lsp.features.boundaries import word_end
from codeagent_lsp.text import visible

_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_SAFE = re.compile(r"[A-Za-z0-9:/?#@!$&()*+,;=%._~-]*")
_PLAIN_NAME = re.compile(r'[^\s:"\\@][^\s:]*')


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


def mention_text(server: str, uri: str) -> str:
    """A mention of a resource that ends where it should whatever follows it, and that can hide nothing."""
    return f"@{server_text(server)}:{uri_text(uri)}"


def server_text(server: str) -> str:
    """A server's name as it stands after the `@`: in quotes where white space or a colon would end it."""
    if is_plain(server):
        return server
    quoted = server.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}"'


def is_plain(server: str) -> bool:
    """Whether a server's name can stand after the `@` without quotes."""
    return bool(_PLAIN_NAME.fullmatch(server))


def uri_text(uri: str) -> str:
    """A listed URI as one word: what cannot stand in a mention is percent-encoded."""
    text = uri if _SAFE.fullmatch(uri) else "".join(char if _stands(char) else escape(char) for char in uri)
    return _escape_end(text)


def escape(char: str) -> str:
    """The percent-escape of one character."""
    return "".join(f"%{byte:02X}" for byte in char.encode(errors="replace"))


def _stands(char: str) -> bool:
    if char.isascii():
        return char.isprintable() and char not in " \"'<>`\\"
    return visible(char, newlines=False) == char and not char.isspace()


def _escape_end(text: str) -> str:
    """Escape what a reader would take for the punctuation of the sentence, or for a bracket around the mention."""
    for _ in range(8):
        end = word_end(text, 0)
        if end == len(text):
            return text
        text = text[:end] + escape(text[end]) + text[end + 1 :] if end else escape(text[0]) + text[1:]
    return "".join(char if char.isalnum() or char in "/:%-_" else escape(char) for char in text)

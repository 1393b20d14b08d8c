"""The framing of LSP (base protocol: `Content-Length` headers), read so that garbage costs one message and no more."""

import re
from collections.abc import Iterator

from attrs import frozen

MAX_HEADER = 8 * 1024
MAX_BODY = 64 * 1024 * 1024

_HEADER_END = re.compile(rb"\r?\n\r?\n")
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,18})[ \t]*\r?\n", re.IGNORECASE)
_OVERLAP = 64  # longer than any header that _LENGTH finds


@frozen
class Malformed:
    """Bytes that were skipped, and why."""

    reason: str


def frame(body: bytes) -> bytes:
    """`body` with its header."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class FrameReader:
    """Bytes in any portions become whole bodies.

    Header names may be in any case and headers other than `Content-Length` are passed over. After garbage, reading
    goes on at the next `Content-Length` line: a line break cannot stand inside a JSON string, so such a line is never
    part of a message.
    """

    def __init__(self, *, max_header: int = MAX_HEADER, max_body: int = MAX_BODY) -> None:
        self._max_header = max_header
        self._max_body = max_body
        self._buffer = bytearray()
        self._missing: int | None = None  # bytes of the body, once its header is read
        self._searched = 0  # how far the body is known to hold no header
        self._skipping = False

    def feed(self, data: bytes) -> Iterator[bytes | Malformed]:
        """The bodies that are complete now, and what had to be skipped, in order."""
        self._buffer += data
        while True:
            step = self._header() if self._missing is None else self._body(self._missing)
            if step is None:
                return
            if not isinstance(step, bool):
                yield step

    def unread(self, data: bytes) -> None:
        """Put bytes back in front: they belong to the next message."""
        self._buffer[:0] = data

    def _header(self) -> Malformed | bool | None:
        end = _HEADER_END.search(self._buffer)
        if end is None:
            return self._endless_header()
        block = bytes(self._buffer[: end.end()])
        del self._buffer[: end.end()]
        lengths = _LENGTH.findall(block[-self._max_header :])
        if not lengths:
            return Malformed("a header without Content-Length") if block.strip() else True
        self._missing, self._searched = int(lengths[-1]), 0
        self._skipping = self._missing > self._max_body
        if self._skipping:
            return Malformed(f"a message of {self._missing} bytes; {self._max_body} are the most")
        return True

    def _endless_header(self) -> Malformed | None:
        if len(self._buffer) <= self._max_header:
            return None
        start = self._buffer.lower().rfind(b"content-length", -self._max_header // 2)
        del self._buffer[: start if start > 0 else -_OVERLAP]
        return Malformed(f"a header of more than {self._max_header} bytes")

    def _body(self, missing: int) -> bytes | Malformed | bool | None:
        if (start := self._header_inside(missing)) is not None:
            del self._buffer[:start]
            self._missing = None
            return True if self._skipping else Malformed("a message shorter than its Content-Length")
        there = len(self._buffer)
        if there < missing:
            if self._skipping and there > _OVERLAP:
                del self._buffer[:-_OVERLAP]
                self._missing, self._searched = missing - (there - _OVERLAP), 0
            return None
        body = bytes(self._buffer[:missing])
        del self._buffer[:missing]
        self._missing = None
        return True if self._skipping else body

    def _header_inside(self, missing: int) -> int | None:
        start, stop = max(0, self._searched - _OVERLAP), min(len(self._buffer), missing + _OVERLAP)
        self._searched = stop
        if self._buffer.find(b"\n", start, stop) < 0:
            return None  # the usual body has no line break at all
        found = _LENGTH.search(self._buffer, start, stop)
        return found.start() if found is not None and found.start() < missing else None

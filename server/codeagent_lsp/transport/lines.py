"""Splits a stream of bytes into lines, in linear time and bounded memory.

A line ends at LF and nowhere else: U+2028, U+0085 and CR may stand inside a JSON string or a log line. A line above
the limit is not kept; its first and last bytes are, so that the request it answered can still be found.
"""

from collections.abc import Iterator

from attrs import frozen

HEAD = 4096
"""Bytes that are kept of each end of a line that is too long."""


@frozen
class Oversized:
    """A line that was longer than the limit: both its ends, and its length in bytes so far."""

    head: bytes
    tail: bytes
    size: int


class LineSplitter:
    """Feed it bytes, get whole lines without their LF. `limit` is in bytes; `keep` of each end of a longer line."""

    def __init__(self, limit: int, keep: int = HEAD) -> None:
        self._limit = limit
        self._keep = keep
        self._parts: list[bytes] = []
        self._size = 0
        self._over: tuple[bytes, bytes] | None = None

    @property
    def size(self) -> int:
        """Bytes of the line that has not ended yet."""
        return self._size

    @property
    def over(self) -> Oversized | None:
        """The line that has not ended yet, if it is above the limit already."""
        return None if self._over is None else Oversized(*self._over, self._size)

    def feed(self, data: bytes) -> Iterator[bytes | Oversized]:
        """The lines that `data` completes. Use up the iterator before feeding again."""
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._take(data, start, end)
            yield self._whole()
            start = end + 1
        self._take(data, start, len(data))

    def rest(self) -> bytes | Oversized | None:
        """What came after the last LF, once the stream has ended."""
        return self._whole() if self._size else None

    def _take(self, data: bytes, start: int, end: int) -> None:
        if start == end:
            return
        self._size += end - start
        if self._over is None and self._size <= self._limit:
            self._parts.append(data[start:end])
            return
        if self._over is None:
            kept = b"".join(self._parts)
            self._parts.clear()
            self._over = ((kept + data[start : min(end, start + self._keep)])[: self._keep], kept[-self._keep :])
        head, tail = self._over
        self._over = (head, (tail + data[max(start, end - self._keep) : end])[-self._keep :])

    def _whole(self) -> bytes | Oversized:
        line = Oversized(*self._over, self._size) if self._over is not None else b"".join(self._parts)
        self._parts, self._size, self._over = [], 0, None
        return line

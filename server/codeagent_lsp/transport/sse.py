"""Server-sent events as a stream of bytes brings them, with a bound on the size of one.

Source: WHATWG HTML, "Server-sent events / Interpreting an event stream". Lines end in CR LF, LF or CR, and nowhere
else: U+2028 may stand inside the data.
"""

from collections.abc import Iterator

from attrs import frozen


@frozen
class Event:
    """One event. `data` is None where it was larger than the limit; `id` and `retry` (ms) where it had none."""

    data: bytes | None
    name: str = "message"
    id: str | None = None
    retry: int | None = None


class EventSplitter:
    """Feed it bytes, get events. `limit` is the most bytes that one event may hold."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._rest: list[bytes] = []
        self._size = 0
        self._after_cr = False
        self._first = True
        self._clear()

    def feed(self, data: bytes) -> Iterator[Event]:
        """The events that `data` completes. Use up the iterator before feeding again."""
        if self._after_cr and data.startswith(b"\n"):
            data = data[1:]
        self._after_cr = data.endswith(b"\r")
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._keep(data[start:end])
            event = self._line(b"".join(self._rest))
            self._rest.clear()
            if event is not None:
                yield event
            start = end + 1
        self._keep(data[start:])

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limit:
            self._too_large = True
            self._data.clear()
            # The head of the line is kept, so that what comes next is not taken for a field of its own.
            self._rest[:] = [b"".join(self._rest)[:16] or piece[:16]]
        elif piece:
            self._rest.append(piece)

    def _clear(self) -> None:
        self._data: list[bytes] = []
        self._name = ""
        self._id: str | None = None
        self._retry: int | None = None
        self._too_large = False
        self._size = 0

    def _line(self, line: bytes) -> Event | None:
        if self._first:
            line, self._first = line.removeprefix(b"\xef\xbb\xbf"), False
        if line:
            self._field(line)
            return None
        event = None
        if self._too_large or self._data or self._id is not None or self._retry is not None:
            data = None if self._too_large else b"\n".join(self._data)
            event = Event(data, self._name or "message", self._id, self._retry)
        self._clear()
        return event

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match name:
            case b"":
                self._size -= len(line)  # a comment, by which servers keep a stream alive for hours
            case b"data" if not self._too_large:
                self._data.append(value)
            case b"event":
                self._name = value.decode("utf-8", "replace")
            case b"id" if b"\0" not in value:
                self._id = value.decode("utf-8", "replace")
            case b"retry" if value.isdigit() and len(value) < 10:
                self._retry = int(value)
            case _:
                pass

"""The log of each server and of the host itself: bounded rings of lines, safe to show.

Every line passes the redactor and has its hidden characters made visible before it is kept, so nothing that is read
from here needs care any more. Bounds per server: 2,000 lines and 256 KiB; 8 KiB a line. All of it lives in memory,
on the loop's thread.
"""

import logging
import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime

from codeagent_lsp.protocol.values import LogLine, LogSource
from codeagent_lsp.redaction import Redactor
from codeagent_lsp.text import visible

MAX_LINES = 2_000
MAX_BYTES = 256 * 1024
MAX_LINE_BYTES = 8 * 1024
SHORT = 120
"""Characters of a line that is looked at in passing: most lines are the host's own, and as plain as this."""

Follower = Callable[[LogLine], None]


class Journal:
    """The lines of all servers; `server=None` is the host."""

    def __init__(
        self, redactor: Redactor, *, clock: Callable[[], float] = time.time, notify: Follower | None = None
    ) -> None:
        """`clock` gives seconds since the epoch; `notify` is a follower from the start."""
        self._redactor = redactor
        self._clock = clock
        self._rings: dict[str | None, _Ring] = {}
        self._followers: list[Follower] = [notify] if notify else []
        self._count = 0

    def add(self, server: str | None, source: LogSource, level: str, text: str) -> None:
        """Keep one line and tell the followers. `text` may be anything; a line that is too long is visibly cut."""
        line = LogLine(
            time=datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            source=source,
            level=level,
            text=self.clean(text),
            server=server,
        )
        self._count += 1
        self._rings.setdefault(server, _Ring()).append(self._count, line)
        for follower in tuple(self._followers):
            try:
                follower(line)
            except Exception:
                logging.getLogger(__name__).exception("A follower of the log failed")

    def clean(self, text: str) -> str:
        """The text as a line shows it: secrets out, hidden characters visible, at most 8 KiB of UTF-8."""
        if len(text) <= SHORT and text.isascii() and text.isprintable() and not self._redactor.may_hold(text):
            return text
        # A secret must be found whole, so the redactor sees more than will be kept.
        shown = visible(self._redactor.clean(text[: 4 * MAX_LINE_BYTES]))
        left_out = max(0, len(text) - 4 * MAX_LINE_BYTES)
        data = shown.encode("utf-8", "replace")
        if len(data) <= MAX_LINE_BYTES and not left_out:
            return shown
        kept = data[: MAX_LINE_BYTES - 64].decode("utf-8", "ignore")
        return f"{kept}… [{len(shown) - len(kept) + left_out:,} more characters]"

    def lines(self, server: str | None, count: int) -> list[LogLine]:
        """The last `count` lines, oldest first: of one server, or of everything if `server` is None."""
        if count <= 0:
            return []
        if server is not None:
            ring = self._rings.get(server)
            return [line for _, line in ring.last(count)] if ring else []
        numbered = [entry for ring in self._rings.values() for entry in ring.last(count)]
        return [line for _, line in sorted(numbered, key=lambda entry: entry[0])[-count:]]

    def tail(self, server: str | None, source: LogSource = "stderr", count: int = 5) -> list[str]:
        """The text of the last `count` lines that a server wrote to one place, oldest first; empty lines left out."""
        ring = self._rings.get(server)
        if ring is None:
            return []
        found: list[str] = []
        for _, line in ring.newest_first():
            if len(found) == count:
                break
            if line.source == source and line.text.strip():
                found.append(line.text)
        return found[::-1]

    def follow(self, callback: Follower) -> Callable[[], None]:
        """Call back with every later line; the answer ends that. One that raises is logged and called again."""
        self._followers.append(callback)

        def unfollow() -> None:
            if callback in self._followers:
                self._followers.remove(callback)

        return unfollow

    def drop(self, server: str | None) -> None:
        """Forget the lines of a server that is no longer configured."""
        self._rings.pop(server, None)


class _Ring:
    """The newest lines of one server, within both bounds."""

    def __init__(self) -> None:
        self._entries: deque[tuple[int, LogLine, int]] = deque()
        self._bytes = 0

    def append(self, number: int, line: LogLine) -> None:
        size = len(line.text.encode("utf-8", "replace"))
        self._entries.append((number, line, size))
        self._bytes += size
        while len(self._entries) > MAX_LINES or self._bytes > MAX_BYTES:
            self._bytes -= self._entries.popleft()[2]

    def last(self, count: int) -> list[tuple[int, LogLine]]:
        start = max(0, len(self._entries) - count)
        return [(number, line) for index, (number, line, _) in enumerate(self._entries) if index >= start]

    def newest_first(self) -> list[tuple[int, LogLine]]:
        return [(number, line) for number, line, _ in reversed(self._entries)]

"""What a server writes to standard error, as lines in its log: always read, never more than can be looked at.

A server that is not listened to blocks in the end, so everything is taken as it comes. A flood is counted, not kept:
after a burst, only so many lines per second reach the log; of the others, the last few are shown when it is over.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable

from codeagent_lsp.journal import Journal
from codeagent_lsp.transport.lines import LineSplitter, Oversized

MAX_LINE = 16 * 1024
"""Bytes of a line that are kept."""

BURST = 500
PER_SECOND = 200
"""Lines that reach the log at once, and per second in the long run."""

RESUME = 50
"""Lines that must be allowed again before a flood counts as over."""

LAST = 5
"""Left-out lines that are shown all the same, and lines that go with the news of a death: they often say why."""

PAUSE = 1.0
"""Seconds after which a flood is looked at again."""


class StderrLines:
    """Feed it bytes; `emit` gets the text of each line that is kept."""

    def __init__(self, emit: Callable[[str], None], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._emit = emit
        self._clock = clock
        self._splitter = LineSplitter(MAX_LINE, MAX_LINE)
        self._budget = float(BURST)
        self._filled_at = clock()
        self._flooding = False
        self._left_out = 0
        self._last: deque[bytes | Oversized] = deque(maxlen=LAST)

    @property
    def holding(self) -> bool:
        """Whether lines were left out that `flush` would tell of."""
        return self._left_out > 0

    def feed(self, data: bytes) -> None:
        """Take what came."""
        now = self._clock()
        self._budget = min(float(BURST), self._budget + (now - self._filled_at) * PER_SECOND)
        self._filled_at = now
        if self._flooding and self._budget >= RESUME:
            self._flooding = False
            self.flush()
        if self._flooding and (end := data.rfind(b"\n")) >= 0:
            self._count(data[:end])
            data = data[end + 1 :]
        for line in self._splitter.feed(data):
            self._take(line)

    def flush(self) -> None:
        """Show what was left out, as a number and its last lines. Call it when a flood may be over, and at the end."""
        if self._left_out:
            self._budget -= LAST + 1
            shown = len(self._last)
            if self._left_out > shown:
                self._emit(f"… [{self._left_out - shown:,} lines were left out]")
            self._left_out = 0
            for line in list(self._last):
                self._emit(_text(line))
            self._last.clear()

    def close(self) -> None:
        """The stream has ended: show the line that has no end, and what was left out."""
        rest = self._splitter.rest()
        if rest is not None:
            self._take(rest)
        self.flush()

    def _take(self, line: bytes | Oversized) -> None:
        self._flooding = self._flooding or self._budget < 1
        if self._flooding:
            self._left_out += 1
            self._last.append(line)
            return
        self._budget -= 1
        self._emit(_text(line))

    def _count(self, block: bytes) -> None:
        """Many lines at once, without looking at each."""
        self._splitter.rest()
        lines = block[-LAST * MAX_LINE :].rsplit(b"\n", LAST)
        self._left_out += block.count(b"\n") + 1
        self._last.extend(line[:MAX_LINE] for line in lines[-LAST:])


class ServerLog:
    """The log of one run of a server: its standard error, and what the host has to say about it."""

    def __init__(self, server: str, journal: Journal, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._server = server
        self._journal = journal
        self._lines = StderrLines(self._line, clock=clock)
        self._written = 0
        self._timer: asyncio.TimerHandle | None = None

    def feed(self, data: bytes) -> None:
        """Take what it wrote to standard error. Call it on the event loop."""
        self._lines.feed(data)
        if self._lines.holding and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(PAUSE, self._flush)

    def say(self, text: str, level: str = "warning") -> None:
        """A line of the host's about this server."""
        self._journal.add(self._server, "host", level, text)

    def tail(self) -> list[str]:
        """The last lines of standard error of this run, ready to be shown."""
        self.close()
        return self._journal.tail(self._server, "stderr", min(LAST, self._written)) if self._written else []

    def close(self) -> None:
        """Nothing more will come, or what came must be seen now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._lines.close()

    def _flush(self) -> None:
        self._timer = None
        self._lines.flush()

    def _line(self, text: str) -> None:
        self._written += bool(text.strip())
        self._journal.add(self._server, "stderr", "info", text)


def _text(line: bytes | Oversized) -> str:
    if isinstance(line, Oversized):
        return f"{line.head.decode('utf-8', 'replace')}… [a line of {line.size:,} bytes]"
    return line.decode("utf-8", "replace").rstrip("\r")

"""What a server writes to standard output that is no message: shown, but only so much of it, and not for ever."""

import time
from collections.abc import Callable

from codeagent_lsp.errors import Protocol
from codeagent_lsp.text import one_line
from codeagent_lsp.transport.messages import Counts

PER_MINUTE = 20
"""Lines that are shown per minute; the others are counted."""

MINUTE = 60.0

HOPELESS_LINES = 1_000
HOPELESS_BYTES = 1024 * 1024
HOPELESS_SECONDS = 1.5
"""What a server may write before its first message, and for how long: some print a long banner first."""

MOST_BYTES = 64 * 1024 * 1024
"""The same, however fast it comes."""


class GarbageLog:
    """`emit` gets a sentence for each line that is shown, and one for the number of those that are not."""

    def __init__(self, emit: Callable[[str], None], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._emit = emit
        self._clock = clock
        self._since = clock()
        self._shown = 0
        self._hidden = 0
        self._first_at: float | None = None

    def add(self, line: bytes) -> None:
        """Take one line."""
        now = self._clock()
        if now - self._since >= MINUTE:
            self.flush()
            self._since, self._shown = now, 0
        if self._shown >= PER_MINUTE:
            self._hidden += 1
            return
        self._shown += 1
        hint = " (logs belong on standard error)" if self._first_at is None else ""
        self._first_at = self._first_at if self._first_at is not None else now
        self._emit(f"not a message on standard output{hint}: {one_line(line[:1000].decode('utf-8', 'replace'), 200)}")

    def verdict(self, counts: Counts) -> Protocol | None:
        """Why this is no MCP server, once it has written nothing but garbage for long enough."""
        if counts.messages or self._first_at is None:
            return None
        much = counts.garbage_lines >= HOPELESS_LINES or counts.garbage_bytes >= HOPELESS_BYTES
        if (much and self._clock() - self._first_at >= HOPELESS_SECONDS) or counts.garbage_bytes > MOST_BYTES:
            return Protocol(
                f"wrote {counts.garbage_lines:,} lines to standard output, and no MCP message among them.",
                hint="Is this an MCP server that talks over stdio? Its logs belong on standard error.",
            )
        return None

    def flush(self) -> None:
        """Tell how many lines were not shown."""
        if self._hidden:
            self._emit(f"{self._hidden:,} more lines on standard output were not messages.")
            self._hidden = 0

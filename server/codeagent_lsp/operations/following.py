"""Who follows which log: later lines are told to the editor as they come, for the servers that were asked for."""

from collections.abc import Callable

from codeagent_lsp.journal import Journal
from codeagent_lsp.protocol import LogLine


class Following:
    """The logs that the editor follows; `None` stands for all of them."""

    def __init__(self, journal: Journal, notify: Callable[[str, object], None]) -> None:
        self._followed: set[str | None] = set()
        self._notify = notify
        journal.follow(self._line)

    def follow(self, server: str | None, on: bool) -> None:
        """Begin or cease to tell the lines of one server, or of all."""
        if on:
            self._followed.add(server)
        else:
            self._followed.discard(server)

    def _line(self, line: LogLine) -> None:
        if None in self._followed or line.server in self._followed:
            self._notify("codeagent/logMessage", line)

"""Work-done progress (LSP 3.17): at most ten reports a second, the last one always delivered."""

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Any

_INTERVAL = 0.1

Notify = Callable[[str, Any], None]


class Progress:
    """One progress bar of the editor, under the `workDoneToken` of a request; without a token it does nothing.

    The user's cancel button cancels the request itself. As a context manager it ends the bar that was begun.
    """

    def __init__(self, notify: Notify, token: int | str | None) -> None:
        self._notify, self._token = notify, token
        self._begun = False
        self._ended = False
        self._sent_at = float("-inf")
        self._held: dict[str, Any] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, title: str, message: str | None = None, percentage: float | None = None) -> None:
        """Show the bar. Only the first call counts."""
        if not self._begun:
            self._begun = True
            self._send("begin", title=title, cancellable=True, message=message, percentage=_percent(percentage))

    def report(self, message: str | None = None, percentage: float | None = None) -> None:
        """Move the bar. `percentage` is 0 to 100, or None where the end is not known."""
        if not self._begun or self._ended or self._token is None:
            return
        self._held = {"message": message, "percentage": _percent(percentage)}
        wait = self._sent_at + _INTERVAL - asyncio.get_running_loop().time()
        if wait <= 0:
            self._deliver()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(wait, self._deliver)

    def end(self, message: str | None = None) -> None:
        """Take the bar away. Only the first call counts."""
        if self._begun and not self._ended:
            self._deliver()
            self._ended = True
            self._send("end", message=message)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.end()

    def _deliver(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._held is not None:
            held, self._held = self._held, None
            self._sent_at = asyncio.get_running_loop().time()
            self._send("report", **held)

    def _send(self, kind: str, **fields: object) -> None:
        if self._token is not None:
            value = {"kind": kind, **{key: item for key, item in fields.items() if item is not None}}
            self._notify("$/progress", {"token": self._token, "value": value})


def _percent(value: float | None) -> int | None:
    return None if value is None or value != value else int(min(100, max(0, value)))

"""What waits to be written to the editor: bounded, superseded messages replaced, responses never dropped."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from typing import Any, cast

from attrs import frozen

MAX_BYTES = 64 * 1024 * 1024
MAX_MESSAGES = 10_000

_LOGS = frozenset({"window/logMessage", "codeagent/logMessage", "$/logTrace", "telemetry/event"})
_LATEST_ONLY = {
    "textDocument/publishDiagnostics": "uri",
    "codeagent/resourcesChanged": "server",
    "codeagent/promptsChanged": "server",
}


@frozen
class Fate:
    """What may happen to a message that waits: replaced by a later one of the same `key`, or dropped."""

    key: Hashable = None
    droppable: bool = False


def fate(message: Mapping[str, Any]) -> Fate:
    """The fate of an outgoing JSON-RPC message. Responses and requests have none: they arrive."""
    method = message.get("method")
    if method is None:
        return Fate(("unreadable",), True) if message.get("id") is None else Fate()
    if "id" in message or not isinstance(message.get("params"), dict):
        return Fate()
    params = cast(dict[str, Any], message["params"])
    if method in _LOGS:
        return Fate(None, True)
    if method == "$/progress" and isinstance(params.get("value"), dict) and params["value"].get("kind") == "report":
        return Fate((method, params["token"]), True)
    if method == "codeagent/statusChanged":
        return Fate((method, *(server["server"] for server in params["servers"])))
    if method in _LATEST_ONLY:
        return Fate((method, params[_LATEST_ONLY[method]]))
    return Fate()


class Outbox:
    """A queue between the event loop, which never waits for it, and whoever writes to the editor.

    `wake` is called, in the putting thread, after each `put`. Safe to use from several threads.
    """

    def __init__(
        self,
        wake: Callable[[], None],
        *,
        clock: Callable[[], float] = time.monotonic,
        max_bytes: int = MAX_BYTES,
        max_messages: int = MAX_MESSAGES,
    ) -> None:
        self._wake, self._clock = wake, clock
        self._max_bytes, self._max_messages = max_bytes, max_messages
        self._lock = threading.Lock()
        self._waiting: OrderedDict[int, tuple[bytes, Hashable]] = OrderedDict()
        self._by_key: dict[Hashable, int] = {}
        self._droppable: OrderedDict[int, None] = OrderedDict()
        self._count = 0
        self._bytes = 0
        self._moved = clock()
        self._full_since: float | None = None

    def put(self, data: bytes, what: Fate | None = None) -> None:
        """Queue `data`, a whole frame. Never waits: over the bound, the oldest droppable messages go."""
        what = what or Fate()
        with self._lock:
            if what.key is not None and (older := self._by_key.get(what.key)) is not None:
                self._remove(older)
            self._count += 1
            self._waiting[self._count] = (data, what.key)
            self._bytes += len(data)
            if what.key is not None:
                self._by_key[what.key] = self._count
            if what.droppable:
                self._droppable[self._count] = None
            if self.full and self._full_since is None:
                self._full_since = self._clock()
            while self._over() and self._droppable:
                self._remove(next(iter(self._droppable)))
        self._wake()

    def pop(self) -> bytes | None:
        """The next frame to write, if there is one."""
        with self._lock:
            self._moved = self._clock()
            if not self._waiting:
                return None
            data = self._remove(next(iter(self._waiting)))
            if not self.full:
                self._full_since = None
            return data

    @property
    def next_size(self) -> int | None:
        """The bytes of the frame that `pop` would give, if there is one."""
        with self._lock:
            return len(next(iter(self._waiting.values()))[0]) if self._waiting else None

    def progressed(self) -> None:
        """The editor has read something of the frame that is being written."""
        self._moved = self._clock()

    @property
    def full(self) -> bool:
        """Whether as much waits as may wait."""
        return len(self._waiting) >= self._max_messages or self._bytes >= self._max_bytes

    @property
    def empty(self) -> bool:
        """Whether nothing waits."""
        return not self._waiting

    def stuck_for(self) -> float:
        """For how many seconds the queue has been full without the editor reading anything; 0 if it is not so."""
        since = self._full_since
        return 0.0 if since is None else max(0.0, self._clock() - max(since, self._moved))

    def _over(self) -> bool:
        return len(self._waiting) > self._max_messages or self._bytes > self._max_bytes

    def _remove(self, number: int) -> bytes:
        data, key = self._waiting.pop(number)
        self._bytes -= len(data)
        self._droppable.pop(number, None)
        if key is not None and self._by_key.get(key) == number:
            del self._by_key[key]
        return data

"""The messages that came in together, less those that a later one among them makes worthless.

A server may say thousands of times a second that a list is another one, or how far it has come. Each notification
costs the session a task; of those that are read at the same time, the last one says it all.
"""

from collections.abc import Callable
from typing import Any, cast

from codeagent_lsp.protocol import JsonObject


class Batch:
    """Messages in the order of their arrival; `pass_to` gives away what is left of them."""

    def __init__(self) -> None:
        self._kept: dict[object, JsonObject] = {}
        self._count = 0

    def add(self, message: JsonObject) -> None:
        """Take one more message."""
        self._count += 1
        key = _subject(message)
        if key is None:
            key = self._count
        else:
            self._kept.pop(key, None)  # the later one takes a later place
        self._kept[key] = message

    @property
    def empty(self) -> bool:
        """Whether nothing has come in."""
        return not self._kept

    def pass_to(self, take: Callable[[JsonObject], None]) -> None:
        """Pass on what is left, in order."""
        for message in self._kept.values():
            take(message)


def _subject(message: JsonObject) -> object:
    """What a notification is about, where a later one about the same says all that it did; else `None`."""
    method = message.get("method")
    if method is None or not method.startswith("notifications/"):
        return None
    if method.endswith("/list_changed"):
        return method
    if method == "notifications/progress":
        params = cast("dict[str, Any]", message.get("params") or {})
        token = params.get("progressToken")
        return method, type(token).__name__, str(token)
    return None

"""The messages that came in together, less those that a later one among them makes worthless.

A server may say thousands of times a second that a list is another one, or how far it has come. Each notification
costs the session a task; of those that are read at the same time, the last one says it all.
"""

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage


class Batch:
    """Messages in the order of their arrival; `messages` gives what is left of them."""

    def __init__(self) -> None:
        self._kept: dict[object, SessionMessage] = {}
        self._count = 0

    def add(self, message: "SessionMessage") -> None:
        """Take one more message."""
        self._count += 1
        key = _subject(message)
        if key is None:
            key = self._count
        else:
            self._kept.pop(key, None)  # the later one takes a later place
        self._kept[key] = message

    def messages(self) -> "list[SessionMessage]":
        """What is to be passed on."""
        return list(self._kept.values())


def _subject(message: "SessionMessage") -> object:
    """What a notification is about, where a later one about the same says all that it did; else `None`."""
    method = getattr(message.message, "method", None)
    if method is None or not method.startswith("notifications/"):
        return None
    if method.endswith("/list_changed"):
        return method
    if method == "notifications/progress":
        params = cast("dict[str, Any]", getattr(message.message, "params", None) or {})
        token = params.get("progressToken")
        return method, type(token).__name__, str(token)
    return None

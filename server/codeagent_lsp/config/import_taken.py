"""The fields of another tool's entry while they are taken over, one by one: what is left at the end was not carried."""

from collections.abc import Iterable
from typing import Any

from codeagent_lsp.protocol.values import JsonObject
from codeagent_lsp.text import one_line


class Taken:
    """One entry under way: the fields that nobody has taken yet, our `entry` as it grows, and `notes` about it."""

    def __init__(self, name: str, fields: JsonObject) -> None:
        self.name = name
        self.entry: JsonObject = {}
        self.notes: list[str] = []
        self.refused: str | None = None
        self._fields = dict(fields)

    def keys(self) -> Iterable[str]:
        """The fields that nobody has taken, and that say something."""
        return [key for key, value in self._fields.items() if value not in (None, "", [], {})]

    def peek(self, key: str) -> Any:
        """A field, which stays."""
        return self._fields.get(key)

    def first(self, *keys: str) -> Any:
        """The first of some fields that is there; all of them are taken."""
        found = [self._fields.pop(key) for key in keys if key in self._fields]
        return next((value for value in found if value is not None), None)

    def drop(self, *keys: str) -> None:
        """Take fields, and do nothing with them."""
        for key in keys:
            self._fields.pop(key, None)

    def lay(self, key: str, value: Any) -> None:
        """Put a field there, unless it is."""
        if self._fields.get(key) is None:
            self._fields[key] = value

    def note(self, text: str) -> None:
        """Tell something about this server."""
        self.notes.append(f"`{one_line(self.name, 80)}` {text}")

    def refuse(self, text: str) -> None:
        """Tell why this server cannot be imported."""
        self.refused = text
        self.note(text)

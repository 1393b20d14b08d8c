"""Reads the fields of one JSON object with strict types, and says of each that is off what it should be."""

import json
import shlex

from codeagent_lsp.config.document import Node, Problem, Span
from codeagent_lsp.protocol.values import Severity
from codeagent_lsp.text import one_line

_WORDS = {
    "object": "an object",
    "array": "an array",
    "string": "a string",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "invalid": "a value that cannot be read",
    "missing": "left out",
}


def unusable(text: str) -> str | None:
    """Why no program can be handed this text: a NUL, or half of a surrogate pair. `None` if it is fine."""
    if "\0" in text:
        return "holds a NUL character"
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        return "holds half of a surrogate pair, which is no character"
    return None


class Fields:
    """One object that is being read. Every reader returns `None` or its default where a field is absent or off.

    `null` counts as absent. `problems` collects what was found; `broken` is the first error's message.
    """

    def __init__(self, node: Node, where: str = "") -> None:
        self.node = node
        self.problems: list[Problem] = []
        self._where = where

    @property
    def broken(self) -> str | None:
        """The first error, or `None` while all is well."""
        return next((problem.message for problem in self.problems if problem.severity == "error"), None)

    def note(self, span: Span, severity: Severity, message: str) -> None:
        """Add a problem."""
        self.problems.append(Problem(span, severity, message))

    def key_span(self, key: str) -> Span:
        """Where a key stands; the whole object if it is not there."""
        member = self.node.member(key)
        return member.key.span if member else self.node.span

    def has(self, key: str) -> bool:
        """Whether a field is there and not null."""
        return self._find(key) is not None

    def text(self, key: str, *, may_be_empty: bool = False) -> str | None:
        """A field that is text."""
        node = self._find(key)
        if node is None:
            return None
        value = self._text(node, f"`{self._where}{key}`")
        if value is not None and not value.strip() and not may_be_empty:
            self.note(node.span, "error", f"`{self._where}{key}` is empty")
            return None
        return value

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A field that is a list of texts."""
        node = self._find(key)
        if node is None:
            return None
        if node.kind != "array":
            self._wrong(node, f"`{self._where}{key}`", "an array of strings", _as_list(node))
            return None
        items = [self._text(item, f"`{self._where}{key}[{index}]`") for index, item in enumerate(node.items)]
        return tuple(item for item in items if item is not None)

    def flag(self, key: str, default: bool = False) -> bool:
        """A field that is true or false, and nothing that merely looks so."""
        node = self._find(key)
        if node is None:
            return default
        if node.kind != "boolean":
            self._wrong(node, f"`{self._where}{key}`", "true or false")
            return default
        return node.value is True

    def whole(self, key: str, default: int | None, low: int, high: int, unit: str = "") -> int | None:
        """A field that is a whole number from `low` to `high`."""
        node = self._find(key)
        if node is None:
            return default
        value = node.value
        if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
            self._wrong(node, f"`{self._where}{key}`", f"a whole number{unit}")
            return default
        if not low <= value <= high:
            self.note(node.span, "error", f"`{self._where}{key}` must be from {low} to {high}{unit}")
            return default
        return int(value)

    def table(self, key: str) -> Node | None:
        """A field that is an object."""
        node = self._find(key)
        if node is not None and node.kind != "object":
            self._wrong(node, f"`{self._where}{key}`", "an object")
            return None
        return node

    def one_of(self, key: str, options: tuple[str, ...], default: str) -> str:
        """A field that is one of some texts."""
        node = self._find(key)
        if node is None:
            return default
        if isinstance(node.value, str) and node.value in options:
            return node.value
        choice = ", ".join(f'"{option}"' for option in options)
        self._wrong(node, f"`{self._where}{key}`", f"one of {choice}")
        return default

    def _find(self, key: str) -> Node | None:
        node = self.node.get(key)
        return None if node is None or node.kind == "null" else node

    def _text(self, node: Node, name: str) -> str | None:
        if not isinstance(node.value, str):
            hint = (
                ""
                if node.kind not in ("number", "boolean") or name[-2] != "]"
                else f': write "{json.dumps(node.value)}"'
            )
            self._wrong(node, name, "a string", hint)
            return None
        reason = unusable(node.value)
        if reason is not None:
            self.note(node.span, "error", f"{name} {reason}")
            return None
        return node.value

    def _wrong(self, node: Node, name: str, wanted: str, hint: str = "") -> None:
        got = _WORDS[node.kind]
        self.note(node.span, "error", f"{name} must be {wanted}, and is {got}{hint}")


def _as_list(node: Node) -> str:
    if not isinstance(node.value, str):
        return ""
    try:
        words = shlex.split(node.value)
    except ValueError:
        words = node.value.split()
    return f": write {one_line(json.dumps(words, ensure_ascii=False), 120)}"

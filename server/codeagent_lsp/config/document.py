"""A JSON config file as a tree that knows its places, built from any text, however broken.

    Document
     └─ root: Node ── members: (Member(key, value), …) | items: (Node, …) | value

All offsets are code points into `Document.text`; `Document.range` turns them into LSP ranges.
"""

import re
from bisect import bisect_right
from typing import Literal

from attrs import field, frozen

from codeagent_lsp.config.nodes import Member, Node, Problem, Span
from codeagent_lsp.config.tree import Builder
from codeagent_lsp.protocol import Position, Range

Encoding = Literal["utf-8", "utf-16", "utf-32"]
Path = tuple[str | int, ...]


def _line_starts(text: str) -> tuple[int, ...]:
    return (0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text)))


@frozen
class Document:
    """A parsed text. `ok` is false where the text is broken as JSON; `problems` then begins with where and why."""

    text: str
    root: Node | None
    problems: tuple[Problem, ...]
    ok: bool
    line_starts: tuple[int, ...] = field(repr=False)

    def position(self, offset: int, encoding: Encoding = "utf-16") -> Position:
        """The LSP position of a code point offset; offsets beyond the text mean its end."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self.line_starts, offset) - 1
        return Position(line, _units(self.text[self.line_starts[line] : offset], encoding))

    def range(self, span: Span, encoding: Encoding = "utf-16") -> Range:
        """The LSP range of a span, in the units of the negotiated position encoding."""
        return Range(self.position(span.start, encoding), self.position(span.end, encoding))

    def offset(self, position: Position, encoding: Encoding = "utf-16") -> int:
        """The code point offset of an LSP position; positions beyond a line mean its end."""
        if position.line >= len(self.line_starts):
            return len(self.text)
        start = self.line_starts[max(0, position.line)]
        following = self.line_starts[position.line + 1] if position.line + 1 < len(self.line_starts) else len(self.text)
        line = self.text[start:following].rstrip("\r\n")
        units = 0
        for index, character in enumerate(line):
            if units >= position.character:
                return start + index
            units += _units(character, encoding)
        return start + len(line)

    def at(self, path: Path) -> Node | None:
        """The value at a path of keys and indices."""
        node = self.root
        for step in path:
            if node is None:
                return None
            if isinstance(step, str):
                node = node.get(step)
            else:
                node = node.items[step] if 0 <= step < len(node.items) else None
        return node

    def key_at(self, path: Path) -> Node | None:
        """The key at the end of a path."""
        parent = self.at(path[:-1]) if path and isinstance(path[-1], str) else None
        member = parent.member(str(path[-1])) if parent else None
        return member.key if member else None

    def node_at(self, offset: int) -> Node | None:
        """The innermost key or value at an offset, edges included."""
        return self._walk(offset)[1]

    def path_at(self, offset: int) -> Path:
        """Keys and indices from the root down to the innermost key or value at an offset."""
        return self._walk(offset)[0]

    def on_key(self, offset: int) -> bool:
        """Whether the innermost node at an offset is a key."""
        return self._walk(offset)[2]

    def _walk(self, offset: int) -> tuple[Path, Node | None, bool]:
        path: list[str | int] = []
        node = self.root
        if node is None or not node.span.holds(offset):
            return (), None, False
        while True:
            inner = None
            for member in node.members:
                if member.key.span.holds(offset):
                    return (*path, str(member.key.value)), member.key, True
                if member.value.span.holds(offset):
                    inner = (str(member.key.value), member.value)
                    break
            for index, item in enumerate(node.items):
                if item.span.holds(offset):
                    inner = (index, item)
                    break
            if inner is None:
                return tuple(path), node, False
            path.append(inner[0])
            node = inner[1]


def _units(text: str, encoding: Encoding) -> int:
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-16":
        return len(text) + sum(character > "\uffff" for character in text)
    return len(text.encode("utf-8", "surrogatepass"))


def parse(text: str) -> Document:
    """Parse any text into a document; comments, trailing commas and a byte-order mark are fine. Raises nothing.

    A byte-order mark is taken off, as editors do, so that offsets agree with theirs. `ok` is false only where
    the text is broken, with one problem that says where and what was expected there. Duplicate keys, NaN,
    bad escapes and more than 64 levels are problems of their own that leave `ok` alone.
    """
    text = text.removeprefix("\ufeff")
    builder = Builder(text)
    root = builder.build()
    return Document(text, root, tuple(builder.problems), builder.broken is None, _line_starts(text))


__all__ = ["Document", "Encoding", "Member", "Node", "Path", "Problem", "Span", "parse"]

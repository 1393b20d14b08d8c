"""The lines of a text document in blocks, so that an edit costs what it touches and not what the document holds.

A line ends with `\\n`, `\\r\\n` or `\\r` and nothing else (LSP 3.18, "Text Documents"); the last has no terminator.
Each block keeps a slot per line for what was found in it, which an edit empties.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Generic, TypeVar

T = TypeVar("T")

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
_SIZE = 1024


def split_lines(text: str) -> list[str]:
    """The lines of `text`, each with its terminator; at least one, and the last without."""
    lines = _LINE.findall(text)
    if not lines or lines[-1][-1] in "\r\n":
        lines.append("")
    return lines


class Block(Generic[T]):
    """Some successive lines. `slots` holds what was found per line, `None` where nobody has looked.

    `dirty` says that there may be a `None`, `stamp` for which state of the world the slots were filled, and `derived`
    keeps what was made of the whole block, by name; an edit empties it.
    """

    __slots__ = ("derived", "dirty", "lines", "slots", "stamp")

    def __init__(self, lines: list[str], slots: list[T | None], stamp: int) -> None:
        self.lines = lines
        self.slots: list[T | None] = slots
        self.stamp = stamp
        self.dirty = True
        self.derived: dict[str, tuple[int, object]] = {}

    def forget(self, stamp: int) -> None:
        """Empty every slot, for a new state of the world."""
        self.stamp, self.dirty = stamp, True
        self.slots = [None] * len(self.lines)
        self.derived.clear()


class Lines(Generic[T]):
    """A text as lines. Indices are zero-based; a line keeps its terminator."""

    def __init__(self, text: str) -> None:
        self.blocks: list[Block[T]] = []
        self._starts: list[int] = []
        self._insert(0, split_lines(text), None, -1)

    def __len__(self) -> int:
        return self._starts[-1] + len(self.blocks[-1].lines)

    def __getitem__(self, index: int) -> str:
        block, row = self.locate(index)
        return self.blocks[block].lines[row]

    def locate(self, index: int) -> tuple[int, int]:
        """The block of a line, and its row in there."""
        block = bisect_right(self._starts, index) - 1
        return block, index - self._starts[block]

    def start(self, block: int) -> int:
        """The index of a block's first line."""
        return self._starts[block]

    def text(self) -> str:
        """The whole text."""
        return "".join("".join(block.lines) for block in self.blocks)

    def slice(self, first: int, last: int) -> list[str]:
        """The lines from `first` to `last`, both included."""
        block, row = self.locate(first)
        out: list[str] = []
        while block < len(self.blocks) and len(out) <= last - first:
            out += self.blocks[block].lines[row : row + last - first + 1 - len(out)]
            block, row = block + 1, 0
        return out

    def replace(self, first: int, last: int, text: str) -> None:
        """Put `text` in the place of the lines `first` to `last`, both included.

        `text` must end with a line terminator unless `last` is the last line.
        """
        if text.startswith("\n") and first and self[first - 1].endswith("\r"):
            first -= 1
            text = self[first] + text
        lines = split_lines(text)
        if last + 1 < len(self):
            lines.pop()
        one, row = self.locate(first)
        other, end = self.locate(last)
        block = self.blocks[one]
        if one == other and 0 < len(block.lines) - (end + 1 - row) + len(lines) <= 2 * _SIZE:
            grown = len(lines) != end + 1 - row
            block.lines[row : end + 1] = lines
            block.slots[row : end + 1] = [None] * len(lines)
            block.dirty = True
            block.derived.clear()
            if grown:
                self._count()
            return
        self._rebuild(one, row, other, end, lines)

    def _rebuild(self, one: int, row: int, other: int, end: int, lines: list[str]) -> None:
        stamp = self.blocks[one].stamp
        tail = self.blocks[other]
        rest = tail.slots[end + 1 :] if tail.stamp == stamp else [None] * (len(tail.lines) - end - 1)
        slots: list[T | None] = [*self.blocks[one].slots[:row], *([None] * len(lines)), *rest]
        lines = [*self.blocks[one].lines[:row], *lines, *tail.lines[end + 1 :]]
        del self.blocks[one : other + 1]
        while len(lines) < _SIZE and one < len(self.blocks) and self.blocks[one].stamp == stamp:
            after = self.blocks.pop(one)
            lines += after.lines
            slots += after.slots
        self._insert(one, lines, slots, stamp)

    def _insert(self, at: int, lines: list[str], slots: Sequence[T | None] | None, stamp: int) -> None:
        self.blocks[at:at] = [
            Block(part, list(slots[place : place + _SIZE]) if slots else [None] * len(part), stamp)
            for place in range(0, len(lines), _SIZE)
            if (part := lines[place : place + _SIZE])
        ]
        self._count()

    def _count(self) -> None:
        self._starts = [0, *accumulate(len(block.lines) for block in self.blocks[:-1])]

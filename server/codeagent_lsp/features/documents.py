"""The open text documents: incremental sync, and the mentions of each line, found once and again only where it changed.

Changes are applied in the order in which they arrive, whatever their version says: the notifications of one client
are ordered, and a document that is skipped once is wrong for ever. Nothing here waits, so a handler that applies a
change before anything else has every later request see it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lsprotocol import types

from codeagent_lsp.features.index import MentionIndex
from codeagent_lsp.features.lines import Block, Lines
from codeagent_lsp.features.mentions import Found, is_code, scan_line
from codeagent_lsp.features.positions import Encoding, code_points, columns, units
from codeagent_lsp.text import well_formed_text


class Spot(NamedTuple):
    """A mention in a line, with its columns in units of the position encoding: the `@`, the URI, the end."""

    found: Found
    start: int
    uri_start: int
    end: int

    def range(self, line: int) -> types.Range:
        """The mention's range."""
        return types.Range(types.Position(line, self.start), types.Position(line, self.end))


_PROSE_FILE = re.compile(r"(?:\.(?:md|markdown|mdx|txt|text|rst|adoc|org|tex)|/[A-Z]+_EDITMSG)\Z")
"""Prose, whatever its language is called: eglot gives all files of a server the language of the first one."""


class Document:
    """One open document. Columns are in units of `encoding`; ranges past the end of a line or text are clamped."""

    def __init__(self, uri: str, language_id: str, version: int, text: str, encoding: Encoding) -> None:
        self.uri = uri
        self.language_id = language_id
        self.version = version
        self.encoding: Encoding = encoding
        self.code = is_code(language_id) and not _PROSE_FILE.search(uri)
        self.lines: Lines[tuple[Spot, ...]] = Lines(well_formed_text(text))

    def line(self, index: int) -> str:
        """A line without its terminator; "" where there is none."""
        return self.lines[index].rstrip("\r\n") if 0 <= index < len(self.lines) else ""

    def offset(self, position: types.Position) -> tuple[int, int]:
        """The line, and the offset in code points, of a position; clamped to the document."""
        if position.line >= len(self.lines):
            last = len(self.lines) - 1
            return last, len(self.line(last))
        index = max(0, position.line)
        return index, code_points(self.line(index), position.character, self.encoding)

    def position(self, index: int, offset: int) -> types.Position:
        """The position of an offset in code points."""
        return types.Position(index, units(self.line(index)[:offset], self.encoding))

    def text(self, range: types.Range | None = None) -> str:
        """The text, or a stretch of it."""
        if range is None:
            return self.lines.text()
        (first, start), (last, end) = self._ordered(range)
        lines = self.lines.slice(first, last)
        lines[-1] = lines[-1][:end]
        lines[0] = lines[0][start:]
        return "".join(lines)

    def change(self, change: types.TextDocumentContentChangeEvent) -> None:
        """Apply one change."""
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            self.lines = Lines(well_formed_text(change.text))
            return
        (first, start), (last, end) = self._ordered(change.range)
        text = self.lines[first][:start] + well_formed_text(change.text) + self.lines[last][end:]
        self.lines.replace(first, last, text)

    def spots(self, index: MentionIndex, first: int = 0, last: int | None = None) -> Iterator[tuple[int, Spot]]:
        """The mentions of the lines `first` to `last`, both included, in order, each with its line.

        Only lines that nobody has looked at since they changed are scanned, and only as far as the caller reads.
        """
        end = len(self.lines) if last is None else min(last + 1, len(self.lines))
        if first >= end:
            return
        number, row = self.lines.locate(max(0, first))
        while number < len(self.lines.blocks) and (line := self.lines.start(number)) < end:
            block = self.scanned(number, index)
            for place in range(row, min(len(block.slots), end - line)):
                for spot in block.slots[place] or ():
                    yield line + place, spot
            number, row = number + 1, 0

    def spot_at(self, position: types.Position, index: MentionIndex, *, touching: bool = True) -> Spot | None:
        """The mention around a position. `touching`: a position right behind it counts too."""
        line, offset = self.offset(position)
        for _, spot in self.spots(index, line, line):
            if spot.found.start <= offset < spot.found.end + touching:
                return spot
        return None

    def scanned(self, number: int, index: MentionIndex) -> Block[tuple[Spot, ...]]:
        """A block of lines with every slot filled."""
        block = self.lines.blocks[number]
        if block.stamp != index.names_revision:
            block.forget(index.names_revision)
        if block.dirty:
            row = -1
            for _ in range(block.slots.count(None)):
                row = block.slots.index(None, row + 1)
                block.slots[row] = self._scan(block.lines[row], index)
            block.dirty = False
        return block

    def _scan(self, line: str, index: MentionIndex) -> tuple[Spot, ...]:
        if "@" not in line:
            return ()
        line = line.rstrip("\r\n")
        found = scan_line(line, index, code=self.code)
        if not found:
            return ()
        places = columns(line, [place for item in found for place in item[:3]], self.encoding)
        return tuple(
            Spot(item, start, uri_start, end)
            for item, start, uri_start, end in zip(found, places[::3], places[1::3], places[2::3], strict=True)
        )

    def _ordered(self, range: types.Range) -> tuple[tuple[int, int], tuple[int, int]]:
        start, end = self.offset(range.start), self.offset(range.end)
        return (start, end) if start <= end else (end, start)


class Documents:
    """The open documents by URI. `encoding` is set once, when it is negotiated."""

    def __init__(self, encoding: Encoding = "utf-16") -> None:
        self.encoding: Encoding = encoding
        self._open: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(self._open.values())

    def get(self, uri: str) -> Document | None:
        """An open document; `None` for one that was never opened or is closed."""
        return self._open.get(uri)

    def open(self, uri: str, language_id: str, version: int, text: str) -> Document:
        """`textDocument/didOpen`. A document that is open already is replaced."""
        document = Document(uri, language_id, version, text, self.encoding)
        self._open[uri] = document
        return document

    def change(
        self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]
    ) -> Document | None:
        """`textDocument/didChange`. A change of a document that is not open is dropped."""
        document = self._open.get(uri)
        if document:
            document.version = version
            for change in changes:
                document.change(change)
        return document

    def close(self, uri: str) -> None:
        """`textDocument/didClose`."""
        self._open.pop(uri, None)

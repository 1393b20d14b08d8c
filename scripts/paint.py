"""Writing to a terminal: colour where it is wanted, lines that fit its width, and plain text in a pipe."""

import os
import shutil
import sys
import textwrap
import unicodedata

CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}


class Paint:
    """Prints lines to stdout. Colour only on a terminal, and not where `NO_COLOR` is set (no-color.org)."""

    def __init__(self) -> None:
        self.is_terminal = sys.stdout.isatty()
        dumb = os.environ.get("TERM", "") == "dumb"
        self._colour = self.is_terminal and not dumb and not os.environ.get("NO_COLOR")
        self._is_open = False
        self.width = min(shutil.get_terminal_size((100, 24)).columns, 110)

    def __call__(self, text: str, *styles: str) -> str:
        """A text in some styles."""
        codes = ";".join(CODES[style] for style in styles)
        return f"\x1b[{codes}m{text}\x1b[0m" if self._colour and codes and text else text

    def title(self, text: str) -> None:
        """A heading with a rule behind it."""
        self.done()
        rule = "─" * max(3, self.width - columns(text) - 4)
        print(f"\n{self('──', 'dim')} {self(text, 'bold')} {self(rule, 'dim')}", flush=True)

    def line(self, text: str = "", indent: int = 2) -> None:
        """One line, as it is."""
        self.done()
        print((" " * indent + text).rstrip(), flush=True)

    def pair(self, name: str, value: str, *styles: str) -> None:
        """A name and its value, wrapped under itself."""
        self.marked(self(f"{name:<12} ", "dim"), 13, value, *styles)

    def marked(self, mark: str, columns: int, text: str, *styles: str) -> None:
        """A text behind a mark of so many columns, wrapped under itself."""
        first, *rest = wrapped(text, self.width - columns - 4) or [""]
        self.line(f"{mark} {self(first, *styles)}")
        for more in rest:
            self.line(" " * (columns + 1) + self(more, *styles))

    def quote(self, text: str, lines: int = 8) -> None:
        """A text of somebody else, set off by a bar."""
        shown = [part for line in text.splitlines() for part in wrapped(line, self.width - 6) or [""]]
        for line in shown[:lines]:
            self.line(f"{self('│', 'dim')} {line}", 4)
        if len(shown) > lines:
            self.line(f"{self('│', 'dim')} {self(f'... {len(shown) - lines} more lines', 'dim')}", 4)

    def table(self, rows: list[list[tuple[str, ...]]]) -> None:
        """Columns as wide as they need to be; the last is cut to what is left. A cell is a text and its styles."""
        count = max(len(row) for row in rows) - 1
        widths = [max(columns(row[index][0]) for row in rows) for index in range(count)]
        room = self.width - 2 - sum(width + 2 for width in widths)
        for row in rows:
            fitted = [padded(text, width) for (text, *_), width in zip(row, widths, strict=False)]
            texts = [*fitted, cut(row[-1][0], room)]
            self.line("  ".join(self(text, *cell[1:]) for text, cell in zip(texts, row, strict=True)))

    def again(self, text: str) -> None:
        """Write over the last line on a terminal; in a pipe, a line of its own."""
        if self.is_terminal:
            print(f"\r\x1b[K  {text}", end="", flush=True)
            self._is_open = True
        else:
            self.line(text)

    def done(self) -> None:
        """End what `again` wrote, if it did."""
        if self._is_open:
            self._is_open = False
            print(flush=True)


def columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def padded(text: str, width: int) -> str:
    """A text filled up with blanks."""
    return text + " " * (width - columns(text))


def cut(text: str, width: int) -> str:
    """A text on one line, cut visibly where it is too long."""
    text = " ".join(text.split())
    while columns(text) > max(1, width):
        text = text[:-2].rstrip() + "…"
    return text


def wrapped(text: str, width: int) -> list[str]:
    """A text as lines that fit."""
    return textwrap.wrap(text, max(20, width), break_on_hyphens=False)

"""Small edits of a JSON text that leave everything else in it as its author wrote it: comments, order, indentation.

Edits are over code points of the document's text, do not overlap, and are applied together. A text that is broken
can be edited by nobody but its author: look at `Document.ok` first.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from attrs import frozen

from codeagent_lsp.config.document import Document, Node, Span
from codeagent_lsp.config.tokens import tokens

_REST_IS_REMARK = re.compile(r"[ \t]*(?://[^\r\n]*|/\*(?:[^*\r\n]|\*(?!/))*\*/[ \t]*)(?=[\r\n]|$)")


@frozen
class Edit:
    """Put `text` in the place of a span; an empty span inserts."""

    span: Span
    text: str


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text after some edits; of two at one place, the one that was named first comes first."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: edit.span.start):
        parts += text[at : edit.span.start], edit.text
        at = edit.span.end
    return "".join([*parts, text[at:]])


def add_members(document: Document, node: Node, members: Mapping[str, Any]) -> list[Edit]:
    """Put members at the end of an object. The keys must not be there yet."""
    return _add(document, node, [(json.dumps(key, ensure_ascii=False) + ": ", value) for key, value in members.items()])


def add_items(document: Document, node: Node, values: Iterable[Any]) -> list[Edit]:
    """Put values at the end of an array."""
    return _add(document, node, [("", value) for value in values])


def set_member(document: Document, node: Node, key: str, value: Any) -> list[Edit]:
    """Give a key of an object a value, whether it is there or not."""
    present = node.get(key)
    if present is None or present.kind == "missing":
        return add_members(document, node, {key: value})
    text = _written(value, _indent_of(document.text, present.span.start), indent_unit(document), newline(document))
    return [Edit(present.span, text)]


def indent_unit(document: Document) -> str:
    """What one level is indented by in this text; two spaces where it does not say."""
    match = re.search(r"[{\[,][ \t]*\r?\n(\t|[ ]{1,8})(?=[\"/])", document.text)
    return match.group(1) if match else "  "


def newline(document: Document) -> str:
    """How lines end in this text."""
    return "\r\n" if "\r\n" in document.text else "\n"


def _add(document: Document, node: Node, parts: list[tuple[str, Any]]) -> list[Edit]:
    if not parts:
        return []
    text, unit, end = document.text, indent_unit(document), newline(document)
    inner = [member.value for member in node.members] + list(node.items)
    starts = [member.key for member in node.members] + list(node.items)
    if not inner:
        return _fill(text, node, parts, unit, end)
    last, first = inner[-1], starts[-1]
    own_line = "\n" in text[node.span.start : first.span.start]
    if not own_line:
        written = "".join(f", {head}{json.dumps(value, ensure_ascii=False)}" for head, value in parts)
        return [Edit(Span(last.span.end, last.span.end), written)]
    indent = _indent_of(text, first.span.start)
    written = ",".join(f"{end}{indent}{head}{_written(value, indent, unit, end)}" for head, value in parts)
    comma = _comma_after(text, last.span.end, node.span.end)
    at = last.span.end if comma is None else comma
    remark = _REST_IS_REMARK.match(text, at)
    if remark is None:
        return [Edit(Span(at, at), written if comma is not None else f",{written}")]
    edits = [] if comma is not None else [Edit(Span(at, at), ",")]
    return [*edits, Edit(Span(remark.end(), remark.end()), written)]


def _fill(text: str, node: Node, parts: list[tuple[str, Any]], unit: str, end: str) -> list[Edit]:
    """The first members of an object, or items of an array, that has none."""
    outer = _indent_of(text, node.span.start)
    written = ",".join(f"{end}{outer}{unit}{head}{_written(value, outer + unit, unit, end)}" for head, value in parts)
    inside = text[node.span.start + 1 : node.span.end - 1]
    at = node.span.start + 1 + len(inside.rstrip())
    tail = text[at : node.span.end - 1]
    return [Edit(Span(at, at), written if "\n" in tail else f"{written}{end}{outer}")]


def _comma_after(text: str, start: int, stop: int) -> int | None:
    """Where the comma behind a value ends, if there is one before the container's end."""
    for token in tokens(text[start:stop]):
        return start + token.end if token.kind == "," else None
    return None


def _indent_of(text: str, offset: int) -> str:
    line = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    return text[line : line + len(text[line:offset]) - len(text[line:offset].lstrip(" \t"))]


def _written(value: Any, indent: str, unit: str, end: str) -> str:
    """A value as JSON over several lines; a list of scalars stays on one line where it is short."""
    return _lines(value, unit).replace("\n", end + indent)


def _lines(value: Any, unit: str) -> str:
    if isinstance(value, list) and value:
        items = cast(list[Any], value)
        flat = json.dumps(items, ensure_ascii=False)
        if len(flat) <= 80 and not any(isinstance(item, dict | list) for item in items):
            return flat
        shown = [unit + _lines(item, unit).replace("\n", f"\n{unit}") for item in items]
        return "[\n" + ",\n".join(shown) + "\n]"
    if isinstance(value, dict) and value:
        shown = [
            f"{unit}{json.dumps(key, ensure_ascii=False)}: " + _lines(item, unit).replace("\n", f"\n{unit}")
            for key, item in cast(dict[str, Any], value).items()
        ]
        return "{\n" + ",\n".join(shown) + "\n}"
    return json.dumps(value, ensure_ascii=False)


def formatted(value: Any, unit: str = "  ") -> str:
    """A value as a whole file: JSON over several lines, with a line end."""
    return _lines(value, unit) + "\n"

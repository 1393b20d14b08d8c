"""Completion in a call: tool names, and arguments from the tool's own schema, enums and branches included."""

import json
from collections.abc import Iterator
from typing import Any

from lsprotocol import types

from codeagent_lsp.catalog.tools import CatalogTool
from codeagent_lsp.config.document import Span
from codeagent_lsp.features.call_documents import KEYS, CallText, CallWorld, original_schema, tool_of
from codeagent_lsp.features.call_documents_schema import (
    Property,
    Shape,
    kinds_of,
    summary_of,
    values_of,
    words_of,
)
from codeagent_lsp.features.config_language_cursor import Cursor, cursor_at
from codeagent_lsp.features.config_language_items import Item, escaped, finish
from codeagent_lsp.text import fenced, one_line, visible

TRIGGER_CHARACTERS = ['"', ":", ","]
LIMIT = 200

_KINDS = types.CompletionItemKind
_EMPTY = {
    "string": ('""', '"$1"'),
    "array": ("[]", "[$1]"),
    "object": ("{}", "{$1}"),
    "integer": ("0", "${1:0}"),
    "number": ("0", "${1:0}"),
    "boolean": ("true", "${1:true}"),
    "null": ("null", "null"),
}


def complete(call: CallText, position: types.Position, world: CallWorld) -> types.CompletionList:
    """What can stand at a position of a call: at most 200 items. Works on any text, however broken."""
    offset = call.offset(position)
    cursor = cursor_at(call.document.text, offset)
    if cursor is None:
        items = list(_whole(call, offset, world))
        return types.CompletionList(is_incomplete=False, items=items)
    made = list(_keys(call, cursor, world) if cursor.wants == "key" else _values(call, cursor, world))
    style = {"markdown": world.markdown, "snippets": world.snippets}
    items = [finish(item, cursor, call.range, **style) for item in made[:LIMIT]]
    for number, item in enumerate(items):
        item.sort_text = f"{number:04d}"
    names = cursor.wants == "value" and cursor.path == ("tool",)
    return types.CompletionList(is_incomplete=len(made) > LIMIT or (names and not world.complete), items=items)


def _whole(call: CallText, offset: int, world: CallWorld) -> Iterator[types.CompletionItem]:
    """A whole call, where there is nothing yet."""
    if call.document.root is not None or call.document.text.strip():
        return
    plain = '{\n  "tool": "mcp__",\n  "arguments": {}\n}'
    snippet = '{\n  "tool": "${1:mcp__}",\n  "arguments": {$2}\n}'
    here = Cursor("value", (), Span(offset, offset), "", False)
    item = Item("a call of an MCP tool", plain, snippet, _KINDS.Snippet, "tool and arguments")
    yield finish(item, here, call.range, markdown=world.markdown, snippets=world.snippets)


def _keys(call: CallText, cursor: Cursor, world: CallWorld) -> Iterator[Item]:
    node = call.document.at(cursor.path)
    present = {
        str(member.key.value)
        for member in (node.members if node is not None else ())
        if not (member.key.span.start <= cursor.replace.end and cursor.replace.start <= member.key.span.end)
    }
    tool = tool_of(call, world)
    if not cursor.path:
        for key in KEYS:
            if key not in present:
                yield _top_key(key, cursor, tool)
        return
    if tool is None or cursor.path[0] != "arguments":
        return
    shape = Shape(original_schema(tool))
    schemas = shape.at(cursor.path[1:], _present(call))
    for item in shape.properties(schemas):
        if item.name not in present:
            yield _property(item, cursor, world)


def _top_key(key: str, cursor: Cursor, tool: CatalogTool | None) -> Item:
    quoted = json.dumps(key)
    if cursor.colon:
        return Item(key, quoted, quoted, _KINDS.Property)
    comma = "," if cursor.comma_after else ""
    if key == "tool":
        return Item(key, f'{quoted}: ""{comma}', f'{quoted}: "$1"{comma}', _KINDS.Property, "the tool's full name")
    plain, snippet = _required(tool) if tool is not None else ("{}", "{$1}")
    return Item(key, f"{quoted}: {plain}{comma}", f"{quoted}: {snippet}{comma}", _KINDS.Property, "its arguments")


def _required(tool: CatalogTool) -> tuple[str, str]:
    """The arguments that a tool cannot do without, empty."""
    shape = Shape(original_schema(tool))
    needed = [item for item in shape.properties(shape.at((), None)) if item.required][:20]
    if not needed:
        return "{}", "{$1}"
    names = [json.dumps(item.name, ensure_ascii=False) for item in needed]
    plain = [f"{name}: {_empty(item)[0]}" for name, item in zip(names, needed, strict=True)]
    stops = [
        f"{escaped(name)}: {_empty(item, place)[1]}"
        for place, (name, item) in enumerate(zip(names, needed, strict=True), 1)
    ]
    return "{ " + ", ".join(plain) + " }", "{ " + ", ".join(stops) + " }"


def _property(item: Property, cursor: Cursor, world: CallWorld) -> Item:
    quoted = json.dumps(item.name, ensure_ascii=False)
    label = one_line(item.name, 100)
    detail = summary_of(item.schemas) + (" (required)" if item.required else "")
    words = _shown(words_of(item.schemas), world)
    if cursor.colon:
        return Item(label, quoted, escaped(quoted), _KINDS.Property, detail, words)
    comma = "," if cursor.comma_after else ""
    plain, snippet = _empty(item)
    snippet_text = f"{escaped(quoted)}: {snippet}{comma}"
    return Item(label, f"{quoted}: {plain}{comma}", snippet_text, _KINDS.Property, detail, words)


def _empty(item: Property, place: int = 1) -> tuple[str, str]:
    """What stands behind a new key, plain and as a snippet; `place` numbers the snippet's tab stop."""
    values = values_of(item.schemas)
    if values and not isinstance(values[0], dict | list):
        shown = json.dumps(values[0], ensure_ascii=False)
        return shown, f"${{{place}:{escaped(shown)}}}"
    kinds = kinds_of(item.schemas)
    plain, snippet = _EMPTY.get(kinds[0] if kinds else "string", _EMPTY["string"])
    return plain, snippet.replace("$1", f"${place}").replace("${1:", f"${{{place}:")


def _values(call: CallText, cursor: Cursor, world: CallWorld) -> Iterator[Item]:
    comma = "," if cursor.comma_after else ""
    if cursor.path == ("tool",):
        yield from _tools(cursor, world, comma)
        return
    tool = tool_of(call, world)
    if tool is None or not cursor.path or cursor.path[0] != "arguments":
        return
    if cursor.path == ("arguments",):
        plain, snippet = _required(tool)
        yield Item("{ }", plain + comma, snippet + comma, _KINDS.Snippet, "its arguments")
        return
    shape = Shape(original_schema(tool))
    schemas = shape.at(cursor.path[1:], _present(call), being_typed=True)
    kinds = kinds_of(schemas)
    values = values_of(schemas)
    if "boolean" in kinds:
        values += [value for value in (True, False) if not any(value is known for known in values)]
    if "null" in kinds and None not in values:
        values.append(None)
    for value in values:
        plain = json.dumps(value, ensure_ascii=False)
        label = value if isinstance(value, str) and value else plain
        item_kind = _KINDS.EnumMember if not isinstance(value, dict | list) else _KINDS.Struct
        yield Item(one_line(label, 100), plain + comma, escaped(plain) + comma, item_kind, "", "")
    for kind in ("object", "array"):
        if kind in kinds and not cursor.quoted:
            plain, snippet = _EMPTY[kind]
            yield Item("{ }" if kind == "object" else "[ ]", plain + comma, snippet + comma, _KINDS.Snippet, kind)


def _tools(cursor: Cursor, world: CallWorld, comma: str) -> Iterator[Item]:
    typed = cursor.typed.strip('"').lower()
    names = [name for name in world.tools if name not in world.disabled]
    first = [name for name in names if name.lower().startswith(typed)]
    others = [name for name in names if typed in name.lower() and not name.lower().startswith(typed)]
    for name in [*first, *others]:
        tool = world.tools[name]
        plain = json.dumps(name)
        words = _shown(visible(tool.description, limit=600), world)
        detail = one_line(tool.title or tool.server, 80)
        yield Item(name, plain + comma, escaped(plain) + comma, _KINDS.Function, detail, words)


def _present(call: CallText) -> Any:
    """The arguments that stand there already, as far as they can be read."""
    node = call.arguments()
    return node.plain() if node is not None else None


def _shown(words: str, world: CallWorld) -> str:
    """What a server wrote, as data."""
    return fenced(words, "text") if words and world.markdown else words

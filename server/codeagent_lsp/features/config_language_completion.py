"""Completion in a config file: keys and values by the schema, servers, commands on PATH, tools, variables.

Every item has one text edit on the line of the cursor over what stands there, and a filter text that begins with it,
so that no client filters it away. Values of variables are never shown.
"""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from lsprotocol import types

from codeagent_lsp.config.document import Span
from codeagent_lsp.config.keys import KEYS
from codeagent_lsp.features.config_language import ConfigText, World
from codeagent_lsp.features.config_language_cursor import Cursor, cursor_at
from codeagent_lsp.features.config_language_items import Item, escaped, finish
from codeagent_lsp.features.config_language_schema import KeyInfo, keys_in, top_keys
from codeagent_lsp.features.config_language_values import Suggestion, suggestions, variable_suggestions
from codeagent_lsp.features.config_language_variables import open_variable
from codeagent_lsp.text import one_line

TRIGGER_CHARACTERS = ['"', "$", "{", ":", ","]
LIMIT = 200

_KINDS = types.CompletionItemKind
_FOREIGN_KEYS = frozenset({"type", "command", "args", "env", "cwd", "envFile", "url", "headers", "oauth"})
_HEADERS = {"Authorization": "Bearer ${TOKEN}", "X-API-Key": "${API_KEY}"}


def complete(text: ConfigText, position: types.Position, world: World) -> types.CompletionList:
    """What can stand at a position: at most 200 items. Works on any text, however broken."""
    offset = text.offset(position)
    cursor = cursor_at(text.document.text, offset)
    if cursor is None:
        return types.CompletionList(is_incomplete=False, items=[])
    variable = open_variable(text.document.text, cursor.replace, offset) if cursor.quoted else None
    if variable is not None and cursor.wants == "value":
        found = list(variable_suggestions(text, world))
        items = [_variable(text, variable, offset, suggestion) for suggestion in found[: LIMIT * 4]]
        begun = text.document.text[variable.start : offset].lower()
        items = [item for item in items if (item.filter_text or "").lower().startswith(begun)]
    else:
        wants_key = cursor.wants == "key"
        made = _keys(text, cursor, world) if wants_key else _values(text, cursor, world)
        style = {"markdown": world.markdown, "snippets": world.snippets}
        items = [finish(item, cursor, text.range, **style) for item in made]
    for number, item in enumerate(items[:LIMIT]):
        item.sort_text = f"{number:04d}"
    return types.CompletionList(is_incomplete=len(items) > LIMIT, items=items[:LIMIT])


# --- keys ---


def _keys(text: ConfigText, cursor: Cursor, world: World) -> Iterator[Item]:
    node = text.document.at(cursor.path)
    members = node.members if node is not None else ()
    present = {str(member.key.value) for member in members if not _touches(member.key.span, cursor.replace)}
    if not cursor.path and not text.dialect.bare:
        yield from (_key(info, cursor) for info in top_keys(text.dialect) if info.name not in present)
        return
    if len(cursor.path) == 1 and cursor.path[0] in text.dialect.keys:
        yield from _servers(text, cursor, world, present)
        return
    fields = text.fields(cursor.path)
    if fields is None:
        return
    if fields == ("env",):
        for item in islice(variable_suggestions(text, world, plain=True), LIMIT):
            yield _named(cursor, item.label, f"${{{item.label}}}", item.detail)
    elif fields == ("headers",):
        yield from (_named(cursor, name, value, "") for name, value in _HEADERS.items() if name not in present)
    scope = text.origin.scope if text.ours else None
    for info in keys_in(fields, scope):
        if info.name not in present and (fields or _fits(info.name, present, text)):
            yield _key(info, cursor)


def _touches(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def _fits(name: str, present: set[str], text: ConfigText) -> bool:
    """Whether a key means something beside those that are there: `url` is nothing for a program."""
    if not text.ours and name not in _FOREIGN_KEYS:
        return False
    kinds = {KEYS[key] for key in present if key in KEYS} - {"any"}
    return KEYS.get(name, "any") == "any" or not kinds or KEYS[name] in kinds


def _key(info: KeyInfo, cursor: Cursor) -> Item:
    quoted = json.dumps(info.name)
    if cursor.colon:
        return Item(info.name, quoted, quoted, _KINDS.Property, _types(info), info.description)
    plain, snippet = _empty_value(info)
    comma = "," if cursor.comma_after else ""
    item = f"{quoted}: {plain}{comma}", f"{quoted}: {snippet}{comma}"
    return Item(info.name, *item, _KINDS.Property, _types(info), info.description)


def _empty_value(info: KeyInfo) -> tuple[str, str]:
    """What stands behind a new key: as plain text, and as a snippet with the cursor in it."""
    if info.values and len(info.types) == 1:
        values = [value for value in info.values if json.dumps(value) != info.default] or list(info.values)
        shown = json.dumps(values[0])
        return shown, f"${{1:{escaped(shown)}}}"
    if info.default is not None:
        return info.default, f"${{1:{escaped(info.default)}}}"
    first = info.types[0] if info.types else "string"
    return {
        "string": ('""', '"$1"'),
        "array": ("[]", '["$1"]'),
        "object": ("{}", "{$1}"),
        "integer": ("0", "${1:0}"),
        "boolean": ("true", "${1:true}"),
    }.get(first, ('""', '"$1"'))


def _named(cursor: Cursor, name: str, value: str, detail: str) -> Item:
    quoted = json.dumps(name)
    if cursor.colon:
        return Item(name, quoted, quoted, _KINDS.Property, detail)
    comma = "," if cursor.comma_after else ""
    plain = f'{quoted}: "{value}"{comma}'
    return Item(name, plain, escaped(plain), _KINDS.Property, detail)


def _servers(text: ConfigText, cursor: Cursor, world: World, present: set[str]) -> Iterator[Item]:
    """New servers: a program, an address, and (in a project) the user's own, to be switched off."""
    comma = "," if cursor.comma_after else ""
    if cursor.colon:
        return
    shapes = (
        (
            "a program",
            '"command": "$2",',
            '"args": [$3]',
            '"command": "",',
            '"args": []',
            "an MCP server that is started",
        ),
        ("an address", '"url": "https://$2"', "", '"url": "https://"', "", "an MCP server on the network"),
    )
    unit = "  "
    for label, first, second, plain_first, plain_second, detail in shapes:
        lines = [line for line in (first, second) if line]
        plain_lines = [line for line in (plain_first, plain_second) if line]
        body = "".join(f"\n{unit}{line}" for line in lines)
        plain_body = "".join(f"\n{unit}{line}" for line in plain_lines)
        yield Item(
            f"server: {label}",
            f'"name": {{{plain_body}\n}}{comma}',
            f'"${{1:name}}": {{{body}\n}}{comma}',
            _KINDS.Snippet,
            detail,
        )
    if text.origin.scope == "project":
        for name, view in sorted(world.views.items()):
            if name not in present and view.status is not None and view.status.scope == "user":
                entry = f'{json.dumps(name)}: {{ "disabled": true }}{comma}'
                yield Item(one_line(name), entry, escaped(entry), _KINDS.Module, "switch your own server off here")


# --- values and variables ---


def _values(text: ConfigText, cursor: Cursor, world: World) -> Iterator[Item]:
    return (_value(cursor, suggestion) for suggestion in suggestions(text, cursor, world))


def _value(cursor: Cursor, suggestion: Suggestion) -> Item:
    comma = "," if cursor.comma_after else ""
    plain = json.dumps(suggestion.value, ensure_ascii=False) + comma
    kind = _KINDS.Snippet if suggestion.snippet else suggestion.kind
    snippet = (suggestion.snippet or escaped(plain.removesuffix(comma) if comma else plain)) + comma
    return Item(suggestion.label, plain, snippet, kind, suggestion.detail, suggestion.documentation)


def _variable(text: ConfigText, span: Span, offset: int, suggestion: Suggestion) -> types.CompletionItem:
    written = f"${{{suggestion.label}}}"
    return types.CompletionItem(
        label=written,
        kind=_KINDS.Variable,
        detail=suggestion.detail or None,
        filter_text=written,
        insert_text_format=types.InsertTextFormat.PlainText,
        text_edit=types.TextEdit(text.range(span), written),
    )


def _types(info: KeyInfo) -> str:
    words: list[Any] = [json.dumps(value) for value in info.values] or list(info.types)
    return " | ".join(words)

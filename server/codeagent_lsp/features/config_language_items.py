"""Completion items for JSON that is being typed: one edit over what stands there, filtered by what it begins with."""

from collections.abc import Callable

from attrs import frozen
from lsprotocol import types

from codeagent_lsp.config.document import Span
from codeagent_lsp.features.config_language_cursor import Cursor

MAX_FILTER = 200


@frozen
class Item:
    """One item under way: what is inserted, as plain JSON text and as a snippet, and what is said of it."""

    label: str
    plain: str
    snippet: str
    kind: types.CompletionItemKind
    detail: str = ""
    documentation: str = ""


def finish(
    item: Item, cursor: Cursor, place: Callable[[Span], types.Range], *, markdown: bool, snippets: bool
) -> types.CompletionItem:
    """The item as LSP has it, at the cursor; a comma that is missing before it comes along."""
    begun = cursor.typed
    head = item.plain if begun.startswith('"') == item.plain.startswith('"') else item.plain.strip('"')
    if begun.startswith('"') and not head.startswith('"'):
        head = f'"{head}"'
    snippet_kind = item.kind is types.CompletionItemKind.Snippet
    made = types.CompletionItem(
        label=item.label,
        kind=item.kind,
        detail=item.detail or None,
        filter_text=f'"{item.label}"' if snippet_kind and begun.startswith('"') else head[:MAX_FILTER],
        insert_text_format=types.InsertTextFormat.Snippet if snippets else types.InsertTextFormat.PlainText,
        insert_text_mode=types.InsertTextMode.AdjustIndentation,
        text_edit=types.TextEdit(place(cursor.replace), item.snippet if snippets else item.plain),
    )
    if item.documentation:
        kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
        made.documentation = types.MarkupContent(kind, item.documentation)
    if cursor.comma_before is not None and cursor.wants == "key":
        where = place(Span(cursor.comma_before, cursor.comma_before))
        made.additional_text_edits = [types.TextEdit(where, ",")]
    return made


def escaped(text: str) -> str:
    """Text as a snippet has it literally (LSP 3.18, "Snippet Syntax")."""
    return text.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")

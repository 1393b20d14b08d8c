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
    begun, where = cursor.typed, cursor.replace
    head = item.plain if begun.startswith('"') == item.plain.startswith('"') else item.plain.strip('"')
    if begun.startswith('"') and not head.startswith('"'):
        head = f'"{head}"'
    if item.kind is types.CompletionItemKind.Snippet and begun.startswith('"'):
        head = f'"{item.label}"'
    text = item.snippet if snippets else item.plain
    if begun.startswith('"') and text.startswith('"'):
        # The quote that stands there stays: editors that match whole words (Emacs, Kate) do not count it as one's part.
        where, text, head = Span(where.start + 1, where.end), text[1:], head[1:]
    made = types.CompletionItem(
        label=item.label,
        kind=item.kind,
        detail=item.detail or None,
        filter_text=head[:MAX_FILTER],
        insert_text=text,
        insert_text_format=types.InsertTextFormat.Snippet if snippets else types.InsertTextFormat.PlainText,
        insert_text_mode=types.InsertTextMode.AdjustIndentation,
        text_edit=types.TextEdit(place(where), text),
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

"""A list of mentions as JSON, written out by hand: the general converter takes longer for it than finding the items."""

from typing import Any

from lsprotocol import types


def as_json(found: types.CompletionList) -> dict[str, Any]:
    """What lsprotocol's converter makes of a list that `completion.complete` or `with_values` gave."""
    return {"isIncomplete": found.is_incomplete, "items": [_item(item) for item in found.items]}


def _item(item: types.CompletionItem) -> dict[str, Any]:
    assert isinstance(item.text_edit, types.TextEdit) and item.kind is not None
    start, end = item.text_edit.range.start, item.text_edit.range.end
    made: dict[str, Any] = {
        "label": item.label,
        "kind": int(item.kind),
        "sortText": item.sort_text,
        "filterText": item.filter_text,
        "insertText": item.insert_text,
        "insertTextFormat": 1,
        "textEdit": {
            "range": {
                "start": {"line": start.line, "character": start.character},
                "end": {"line": end.line, "character": end.character},
            },
            "newText": item.text_edit.new_text,
        },
        "data": item.data,
    }
    if item.detail is not None:
        made["detail"] = item.detail
    return made

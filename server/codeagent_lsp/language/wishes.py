"""What a client can show, as far as the language features care: read once from its capabilities."""

from collections.abc import Sequence
from typing import Any

from attrs import frozen
from lsprotocol import types


@frozen
class Wishes:
    """`markdown_…`: the client prefers Markdown to plain text; `markup`: it takes documentation of a kind at all.

    `adjusts`: it indents inserted lines itself. `commands`: those that the client runs itself.
    """

    markdown_hover: bool = False
    markdown_completion: bool = False
    location_links: bool = False
    resolves_edits: bool = False
    snippets: bool = False
    markup: bool = False
    adjusts: bool = False
    tooltips: bool = False
    commands: frozenset[str] = frozenset()

    def suit(self, items: Sequence[types.CompletionItem]) -> None:
        """Take out of items what the client did not say that it knows."""
        for item in () if self.markup and self.adjusts else items:
            if not self.markup and isinstance(item.documentation, types.MarkupContent):
                item.documentation = item.documentation.value
            if not self.adjusts:
                item.insert_text_mode = None


def read_wishes(capabilities: types.ClientCapabilities, commands: frozenset[str] = frozenset()) -> Wishes:
    """The wishes of a client. Anything that it does not say is a no."""
    text = capabilities.text_document
    item = _at(text, "completion", "completion_item")
    return Wishes(
        markdown_hover=_prefers_markdown(_at(text, "hover", "content_format")),
        markdown_completion=_prefers_markdown(_at(item, "documentation_format")),
        location_links=_at(text, "definition", "link_support") is True,
        resolves_edits="edit" in (_at(text, "code_action", "resolve_support", "properties") or ()),
        snippets=_at(item, "snippet_support") is True,
        markup=bool(_at(item, "documentation_format")),
        adjusts=types.InsertTextMode.AdjustIndentation in (_at(item, "insert_text_mode_support", "value_set") or ()),
        tooltips=_at(text, "document_link", "tooltip_support") is True,
        commands=commands,
    )


def _at(value: Any, *names: str) -> Any:
    for name in names:
        value = getattr(value, name, None)
    return value


def _prefers_markdown(formats: Any) -> bool:
    first = next(iter(formats or ()), None)
    return str(getattr(first, "value", first)) == "markdown"

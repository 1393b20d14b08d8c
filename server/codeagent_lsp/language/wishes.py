"""What a client can show, as far as the language features care: read once from its capabilities."""

from typing import Any

from attrs import frozen
from lsprotocol import types


@frozen
class Wishes:
    """`markdown_…`: the client prefers Markdown to plain text. `commands`: those that the client runs itself."""

    markdown_hover: bool = False
    markdown_completion: bool = False
    location_links: bool = False
    resolves_edits: bool = False
    snippets: bool = False
    commands: frozenset[str] = frozenset()


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
        commands=commands,
    )


def _at(value: Any, *names: str) -> Any:
    for name in names:
        value = getattr(value, name, None)
    return value


def _prefers_markdown(formats: Any) -> bool:
    first = next(iter(formats or ()), None)
    return str(getattr(first, "value", first)) == "markdown"

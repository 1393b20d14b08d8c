"""The diagnostics that the editor is shown, put together from parts that do not know of each other."""

from lsprotocol import types

from codeagent_lsp.editor import Editor


class Board:
    """The diagnostics of each document, in parts that do not know of each other; told when the whole has changed."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._parts: dict[str, dict[str, list[types.Diagnostic]]] = {}

    def show(self, uri: str, part: str, found: list[types.Diagnostic]) -> None:
        """Replace one part of a document's diagnostics."""
        parts = self._parts.setdefault(uri, {})
        if parts.get(part, []) == found:
            return
        if found:
            parts[part] = found
        else:
            parts.pop(part, None)
        self._editor.publish_diagnostics(uri, [item for name in sorted(parts) for item in parts[name]])
        if not parts:
            del self._parts[uri]

"""References inside one JSON Schema: `$ref` to the schema it means, without ever leaving the document.

JSON Pointer (RFC 6901) in URI fragments, `$anchor`, and absolute or relative references to an `$id` of the same
document (JSON Schema 2020-12, section 8.2). Nothing is fetched: what is not in the document is not there.
"""

from typing import Any, cast
from urllib.parse import unquote, urljoin

_MAX_INDEXED = 10_000
_ANCHORS = ("$anchor", "$dynamicAnchor", "$recursiveAnchor")


class References:
    """Looks up the references of one schema document."""

    def __init__(self, root: object) -> None:
        self._root = root
        self._known: dict[str, Any] = {}
        self._index: dict[str, Any] | None = None
        self._base = _text(cast(dict[str, Any], root).get("$id")).rstrip("#") if isinstance(root, dict) else ""

    def resolve(self, reference: str) -> Any:
        """The schema (an object or a boolean) that `reference` means, or None where the document has none such."""
        if reference not in self._known:
            found = self._find(reference)
            self._known[reference] = found if isinstance(found, dict | bool) else None
        return self._known[reference]

    def _find(self, reference: str) -> Any:
        place, _, fragment = reference.partition("#")
        document = self._document(place)
        fragment = fragment if "%" not in fragment else unquote(fragment)
        if not fragment:
            return document
        if fragment.startswith("/"):
            return _follow(document, fragment)
        return self._indexed().get(f"#{fragment}")

    def _document(self, place: str) -> Any:
        if place in ("", self._base):
            return self._root
        whole = _join(self._base, place)
        if whole == self._base:
            return self._root
        return self._indexed().get(place, self._indexed().get(whole))

    def _indexed(self) -> dict[str, Any]:
        """Every `$id` and anchor of the document; the first of a name wins."""
        if self._index is None:
            self._index = {}
            work: list[Any] = [self._root]
            for item in work:  # grows while it is read: breadth first
                if len(work) > _MAX_INDEXED:
                    break
                if isinstance(item, dict):
                    node = cast(dict[str, Any], item)
                    name = _text(node.get("$id")).rstrip("#")
                    for key in (name, _join(self._base, name)):
                        self._index.setdefault(key, node)
                    for anchor in _ANCHORS:
                        self._index.setdefault(f"#{_text(node.get(anchor))}", node)
                    work.extend(node.values())
                elif isinstance(item, list):
                    work.extend(cast(list[Any], item))
            self._index = {key: value for key, value in self._index.items() if key not in ("", "#")}
        return self._index


def _follow(document: Any, pointer: str) -> Any:
    for token in pointer[1:].split("/"):
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(document, dict) and key in document:
            document = cast(dict[str, Any], document)[key]
        elif isinstance(document, list) and key.isascii() and key.isdigit() and len(key) < 7:
            items = cast(list[Any], document)
            document = items[int(key)] if int(key) < len(items) else None
        else:
            return None
    return document


def _join(base: str, reference: str) -> str:
    try:
        return urljoin(base, reference).rstrip("#")
    except ValueError:  # not a URL at all
        return reference


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""

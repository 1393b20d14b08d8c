"""A server's JSON Schema, turned into one that every model provider takes, for showing; the original stays in force.

`sanitise` reads a schema level by level, breadth first, in these passes:

1. follow `$ref` (and its kin) inside the document; what is elsewhere, missing or in a cycle allows anything
2. merge `allOf`, and `anyOf`/`oneOf` to what all alternatives have in common; the description says what they are
3. one `type` or none: null beside another type goes, really different types leave it open; it is inferred from
   `enum`, `const`, `properties` and `items` where it is missing
4. keep the keywords of `schema_words.KEYWORDS` alone, with values of the right kind; hidden characters are made
   visible and long text is cut in titles and descriptions, never in data (`default`, `examples`, `const`, `enum`)
5. `object` with `properties` at the root, `items` in every array, every `required` name among the properties

Bounds: 32 levels, 256 KiB, 2,000 steps; beyond them a subschema is `{}`. The result is a tree, and sanitising it again
changes nothing.
"""

from collections import deque
from typing import Any, cast

from attrs import evolve, frozen

from codeagent_lsp.catalog.schema_refs import References
from codeagent_lsp.catalog.schema_views import (
    Source,
    Types,
    View,
    all_of,
    any_of,
    fits,
    narrow,
    type_sentence,
    value_types,
)
from codeagent_lsp.catalog.schema_words import DATA, MAX_TEXT, plain_words, size
from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.text import visible

MAX_DEPTH = 32
MAX_BYTES = 256 * 1024
MAX_STEPS = 2_000
_MAX_MERGES = 12  # how deep combinations and references may nest with no level of the schema between them
_TOO_MANY = f"it has more than {MAX_STEPS:,} parts"
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_COMBINING = {*_REFERENCES, "allOf", "anyOf", "oneOf"}
_STRUCTURE = {"properties", "required", "additionalProperties", "items", "prefixItems", "additionalItems"}


@frozen
class Sanitised:
    """A sanitised schema; `alternatives` says in words what the root's combinations were; `notes` what was cut."""

    schema: JsonObject
    alternatives: str = ""
    notes: tuple[str, ...] = ()


def sanitise(schema: object) -> JsonObject:
    """`schema`, whatever it is, as a finite JSON Schema of an object. Never raises, never changes `schema`."""
    return sanitised(schema).schema


def sanitised(schema: object, *, any_type: bool = False) -> Sanitised:
    """As `sanitise`, with what got lost. `any_type`: the root need not be an object (as in an output schema)."""
    result = again = _sanitised(schema, any_type)
    while again.notes:  # what was cut to fit may fit less of itself: go on until it stays
        again = _sanitised(result.schema, any_type)
        if again.schema == result.schema:
            break
        result = evolve(result, schema=again.schema)
    return result


def _sanitised(schema: object, any_type: bool) -> Sanitised:
    reader = _Reader(schema)
    root = reader.view(Source(schema, frozenset({id(schema)})), () if any_type else ("object",))
    alternatives = ""
    if not any_type:
        alternatives, root = " ".join(root.sentences), _as_object(root)
    out: JsonObject = {}
    work: deque[tuple[JsonObject, Source, int]] = deque((*child, 1) for child in reader.write(root, out))
    while work:
        node, source, depth = work.popleft()
        if depth < MAX_DEPTH:
            work.extend((*child, depth + 1) for child in reader.write(reader.view(source), node))
        else:
            reader.notes.add(f"it is nested deeper than {MAX_DEPTH} levels")
    return Sanitised(out, alternatives, tuple(sorted(reader.notes)))


def _as_object(root: View) -> View:
    types: Types = ("object",)
    values = {"const": [root.words.get("const")], "enum": root.words.get("enum", [])}
    words = {k: v for k, v in root.words.items() if k not in values or any(fits(item, types) for item in values[k])}
    return evolve(root, types=types, words=words, properties=root.properties or {}, sentences=())


class _Reader:
    """Reads the subschemas of one document within its bounds. `notes` say which bound was hit."""

    def __init__(self, root: object) -> None:
        self._references = References(root)
        self._steps = MAX_STEPS
        self._bytes = MAX_BYTES
        self._seen: dict[int, tuple[dict[str, Any], int]] = {}
        self.notes: set[str] = set()

    def view(self, source: Source, hint: Types = (), nest: int = 0) -> View:
        """What `source` says. `hint`: the types that its place allows, where known."""
        if nest > _MAX_MERGES or not self._step():
            return View()
        if source.kind == "one":
            return self._one(source, hint, nest)
        views = [self.view(part, hint, nest + 1) for part in source.parts]
        if source.kind == "any":
            return any_of(views, hint)
        view = views[0]
        for other in views[1:]:
            view = all_of(view, other)
        return view

    def write(self, view: View, node: JsonObject) -> list[tuple[JsonObject, Source]]:
        """Fill `node` with what `view` says; the children that are still to be filled, with their sources."""
        types, words = _settle(view)
        sentences = view.sentences
        if len(types) > 1 and not sentences and "enum" not in words:
            sentences = (type_sentence(types),)
        if sentences:
            words["description"] = _described(words.get("description", ""), " ".join(sentences))
        head = ({"type": types[0]} if len(types) == 1 else {}) | words
        if types == ("object",) and isinstance(view.additional, bool):
            head["additionalProperties"] = view.additional
        if not self._pay(size(head) + 64):
            return []
        node.update(head)
        if types == ("object",):
            return self._write_object(view, node)
        if types == ("array",):
            items: JsonObject = {}
            node["items"] = items
            return [(items, view.items or Source())]
        return []

    def _write_object(self, view: View, node: JsonObject) -> list[tuple[JsonObject, Source]]:
        sources = dict(view.properties or {})
        for name in view.required:
            sources.setdefault(name, Source())
        children: list[tuple[JsonObject, Source]] = []
        if view.properties is not None or sources:
            properties: JsonObject = {}
            for name, source in sources.items():
                if not self._pay(2 * size(name) + 16):
                    break
                child: JsonObject = {}
                properties[name] = child
                children.append((child, source))
            node["properties"] = properties
            required = [name for name in view.required if name in properties]
            if required:
                node["required"] = required
        if isinstance(view.additional, Source):
            rest: JsonObject = {}
            node["additionalProperties"] = rest
            children.append((rest, view.additional))
        return children

    def _one(self, source: Source, hint: Types, nest: int) -> View:
        given: object = source.raw
        if not isinstance(given, dict):
            return View(never=given is False)
        raw = cast(dict[str, Any], given)
        view = self._own(raw, source.path)
        if raw.keys().isdisjoint(_COMBINING):
            return view
        for key in _REFERENCES:
            if isinstance(raw.get(key), str):
                view = all_of(view, self._referred(raw[key], source, view.types or hint, nest))
        for branch in self._afford(raw.get("allOf")):
            view = all_of(view, self.view(Source(branch, source.path), view.types or hint, nest + 1))
        for key in ("anyOf", "oneOf"):
            allowed = view.types or hint
            views = [self.view(Source(branch, source.path), allowed, nest + 1) for branch in self._afford(raw.get(key))]
            if views:
                view = all_of(view, any_of(views, allowed))
        return view

    def _referred(self, reference: str, source: Source, hint: Types, nest: int) -> View:
        target: object = self._references.resolve(reference)
        if id(target) in source.path and isinstance(target, dict):  # a cycle: its type is all that is told
            raw = cast(dict[str, Any], target)
            kind: object = raw.get("type", "object" if "properties" in raw else None)
            return View(types=narrow((kind,))) if isinstance(kind, str) else View()
        return self.view(Source(target, source.path | {id(target)}), hint, nest + 1)

    def _own(self, raw: dict[str, Any], path: frozenset[int]) -> View:
        """What `raw` says by itself, without its references and combinations."""
        kinds: object = raw.get("type")
        names = [kinds] if isinstance(kinds, str) else _items(kinds)
        types = narrow(tuple(name for name in names if isinstance(name, str)))
        words = self._words(raw)
        if raw.keys().isdisjoint(_STRUCTURE):
            return View(types, words)
        properties = None
        if isinstance(raw.get("properties"), dict):
            entries = self._afford(list(cast(dict[Any, Any], raw["properties"]).items()))
            properties = {name: Source(value, path) for name, value in entries if isinstance(name, str)}
        required = tuple(dict.fromkeys(name for name in self._afford(raw.get("required")) if isinstance(name, str)))
        extra: object = raw.get("additionalProperties")
        additional = extra if isinstance(extra, bool) else Source(extra, path) if isinstance(extra, dict) else None
        items = self._items_source(raw, path, words)
        if not types and (properties is not None or required or additional is not None):
            types = ("object",)
        elif not types and items is not None:
            types = ("array",)
        return View(types, words, properties, required, items, additional)

    def _items_source(self, raw: dict[str, Any], path: frozenset[int], words: dict[str, Any]) -> Source | None:
        """What the items of an array may be; those of a tuple (`items: […]`, `prefixItems`) all together."""
        items: object = raw.get("items")
        listed = isinstance(items, list)
        rest: object = raw.get("additionalItems") if listed else items
        parts = [Source(part, path) for part in self._afford(cast(object, items) if listed else raw.get("prefixItems"))]
        if not parts:
            return Source(items, path) if isinstance(items, dict | bool) else None
        if rest is False:
            words.setdefault("maxItems", len(parts))
        elif isinstance(rest, dict):
            parts.append(Source(rest, path))
        return Source(kind="any", parts=tuple(parts))

    def _words(self, raw: dict[str, Any]) -> dict[str, Any]:
        """The plain keywords of `raw`, a new dict, read once however often references come by."""
        if id(raw) not in self._seen:
            words = plain_words(raw)
            data = [words[key] for key in DATA if key in words]
            self._seen[id(raw)] = words, size(data) // 256 if data else 0
        words, cost = self._seen[id(raw)]
        self._steps -= cost
        return dict(words)

    def _afford(self, value: object) -> list[Any]:
        """The items of a list that there are steps left for; four cost one, and no list takes more than half."""
        items = _items(value)
        if not items:
            return items
        kept = items[: max(0, 2 * self._steps)]
        self._steps -= len(kept) // 4
        if len(kept) < len(items):
            self.notes.add(_TOO_MANY)
        return kept

    def _step(self) -> bool:
        self._steps -= 1
        if self._steps < 0:
            self.notes.add(_TOO_MANY)
        return self._steps >= 0

    def _pay(self, cost: int) -> bool:
        if cost > self._bytes:
            self.notes.add(f"it is larger than {MAX_BYTES // 1024} KiB")
            return False
        self._bytes -= cost
        return True


def _settle(view: View) -> tuple[Types, dict[str, Any]]:
    """The types and the plain keywords of `view`, made to agree: values that are listed win over a type."""
    types, words = narrow(view.types), dict(view.words)
    values = [words["const"]] if "const" in words else words.get("enum", [])
    if types and values and not any(fits(value, types) for value in values):
        types = ()
    types = types or value_types(words)
    if types and "enum" in words:
        words["enum"] = [value for value in words["enum"] if fits(value, types)]
        if not words["enum"]:
            del words["enum"]
    if len(types) > 1:
        types = value_types(words) or types
    return types, words


def _described(description: str, sentence: str) -> str:
    sentence = visible(sentence, limit=MAX_TEXT // 2)
    if not description:
        return sentence
    return f"{visible(description, limit=MAX_TEXT - len(sentence) - 1)}\n{sentence}"


def _items(value: object) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else []

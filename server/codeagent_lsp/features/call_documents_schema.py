"""What a JSON Schema says about one place of a value: its properties, its values, its words, branches included.

The schema is a stranger's: references lead nowhere but into itself, no regular expression of it is run, and the walk
is bounded. Of the branches of `anyOf` and `oneOf` those that the value contradicts already (by a `const`, an `enum` or
a type) are left out, unless that leaves none.
"""

import json
from collections.abc import Iterable
from typing import Any, cast

from attrs import frozen

from codeagent_lsp.catalog.schema_refs import References
from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.text import one_line, visible

Path = tuple[str | int, ...]

MAX_SCHEMAS = 300
MAX_DEPTH = 24
_MAX_WORDS = 1_000
_KINDS = {"str": "string", "bool": "boolean", "int": "integer", "float": "number", "list": "array", "dict": "object"}


@frozen
class Property:
    """One property that an object may have."""

    name: str
    required: bool
    schemas: tuple[JsonObject, ...]


class Shape:
    """One tool's input schema, to be asked about places of the arguments."""

    def __init__(self, schema: JsonObject) -> None:
        self._schema = schema
        self._references = References(schema)

    def at(self, path: Path, value: Any, *, being_typed: bool = False) -> list[JsonObject]:
        """The schemas that speak about the place at `path` of `value`, every branch and reference followed.

        `being_typed`: what stands at the place itself says nothing about the branches that are meant.
        """
        found = self._spread([self._schema], None if being_typed and not path else value)
        for number, step in enumerate(path[:MAX_DEPTH], 1):
            value = None if being_typed and number == len(path) else _inside(value, step)
            found = self._spread([inner for schema in found for inner in self._step(schema, step)], value)
        return found if len(path) <= MAX_DEPTH else []

    def properties(self, schemas: Iterable[JsonObject]) -> list[Property]:
        """The properties that are named for an object, the required ones first."""
        required: set[str] = set()
        named: dict[str, list[JsonObject]] = {}
        for schema in schemas:
            required |= {name for name in _list(schema.get("required")) if isinstance(name, str)}
            for name, inner in _object(schema.get("properties")).items():
                named.setdefault(name, []).append(_object(inner))
        made = [
            Property(name, name in required, tuple(self._spread(inner, None))) for name, inner in named.items() if name
        ]
        return sorted(made, key=lambda item: not item.required)

    def _step(self, schema: JsonObject, step: str | int) -> list[Any]:
        if isinstance(step, str):
            inner = _object(schema.get("properties")).get(step)
            rest = schema.get("additionalProperties")
            return [inner] if isinstance(inner, dict) else [rest] if isinstance(rest, dict) and inner is None else []
        items = schema.get("items")
        listed = _list(schema.get("prefixItems")) or _list(items)
        if step < len(listed):
            return [listed[step]]
        return [items if isinstance(items, dict) else schema.get("additionalItems")]

    def _spread(self, schemas: Iterable[Any], value: Any) -> list[JsonObject]:
        """Schemas with everything that they refer to, combine or choose between; each once, the first 300."""
        out: list[JsonObject] = []
        seen: set[int] = set()
        work: list[Any] = list(schemas)
        while work and len(out) < MAX_SCHEMAS:
            schema = work.pop(0)
            if not isinstance(schema, dict) or id(cast(object, schema)) in seen:
                continue
            node = cast(JsonObject, schema)
            seen.add(id(node))
            out.append(node)
            more: list[Any] = []
            reference = node.get("$ref")
            if isinstance(reference, str):
                more.append(self._references.resolve(reference))
            more += _list(node.get("allOf"))
            for word in ("anyOf", "oneOf"):
                branches = [self._followed(branch) for branch in _list(node.get(word))]
                fitting = [branch for branch in branches if not _contradicts(branch, value)]
                more += fitting or branches
            more += [node.get(word) for word in ("then", "else")]
            work = more + work
        return out

    def _followed(self, branch: Any) -> Any:
        for _ in range(8):
            reference = _object(branch).get("$ref")
            if not isinstance(reference, str) or len(_object(branch)) > 1:
                break
            branch = self._references.resolve(reference)
        return branch


def kinds_of(schemas: Iterable[JsonObject]) -> list[str]:
    """The JSON types that are allowed, as far as they are named."""
    kinds: dict[str, None] = {}
    for schema in schemas:
        word = schema.get("type")
        for kind in [word] if isinstance(word, str) else _list(word):
            if isinstance(kind, str):
                kinds[kind] = None
        if word is None and isinstance(schema.get("properties"), dict):
            kinds["object"] = None
    return list(kinds)


def values_of(schemas: Iterable[JsonObject]) -> list[Any]:
    """The values that are named: by `enum` and `const`, then defaults and examples; each once, as JSON has it."""
    found: dict[str, Any] = {}
    nodes = list(schemas)
    for schema in nodes:
        for value in [*_list(schema.get("enum")), *([schema["const"]] if "const" in schema else [])]:
            found.setdefault(json.dumps(value, sort_keys=True), value)
    for schema in nodes:
        for value in [*([schema["default"]] if "default" in schema else []), *_list(schema.get("examples"))]:
            found.setdefault(json.dumps(value, sort_keys=True), value)
    return list(found.values())[:MAX_SCHEMAS]


def words_of(schemas: Iterable[JsonObject]) -> str:
    """What is said of a place, in plain text: title and description, made visible and cut."""
    said: dict[str, None] = {}
    for schema in schemas:
        for key in ("title", "description"):
            text = schema.get(key)
            if isinstance(text, str) and text.strip():
                said[visible(text.strip(), limit=_MAX_WORDS)] = None
    return "\n\n".join(list(said)[:4])


def summary_of(schemas: Iterable[JsonObject]) -> str:
    """Types and values on one line."""
    nodes = list(schemas)
    values = [json.dumps(value, ensure_ascii=False) for schema in nodes for value in _list(schema.get("enum"))]
    values += [json.dumps(schema["const"], ensure_ascii=False) for schema in nodes if "const" in schema]
    return one_line(" | ".join(dict.fromkeys(values)) or " | ".join(kinds_of(nodes)), 120)


def _contradicts(branch: Any, value: Any) -> bool:
    """Whether what stands there already rules a branch out."""
    if value is None:
        return branch is False
    schema = _object(branch)
    word = schema.get("type")
    kinds = [word] if isinstance(word, str) else _list(word)
    kind = _KINDS.get(type(value).__name__, "")
    if kinds and kind not in kinds and not (kind == "integer" and "number" in kinds):
        return True
    for name, item in _object(value).items() if isinstance(value, dict) else ():
        inner = _object(_object(schema.get("properties")).get(name))
        if isinstance(item, str | int | bool) and item != "":
            if "const" in inner and inner["const"] != item:
                return True
            if _list(inner.get("enum")) and item not in _list(inner["enum"]):
                return True
    return branch is False


def _inside(value: Any, step: str | int) -> Any:
    if isinstance(step, str):
        return _object(value).get(step)
    items = _list(value)
    return items[step] if step < len(items) else None


def _object(value: Any) -> JsonObject:
    return cast(JsonObject, value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else []

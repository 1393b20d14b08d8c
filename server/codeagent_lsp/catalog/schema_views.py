"""One level of a JSON Schema with its references followed and its combinations merged; children stay unread.

A `Source` says where a subschema comes from, a `View` what it says about itself. `all_of` and `any_of` merge views:
an intersection keeps what either says (the first one wins where they differ), an alternative only what all say.
"""

import json
from typing import Any, Literal, TypeAlias

from attrs import evolve, field, frozen

from codeagent_lsp.text import one_line, visible

TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")


@frozen(eq=False)
class Source:
    """A subschema that has not been read: raw JSON, or several sources that hold together or as alternatives.

    `path` holds the identities of the reference targets that were followed to come here; meeting one again is a cycle.
    """

    raw: Any = None
    path: frozenset[int] = frozenset()
    kind: Literal["one", "all", "any"] = "one"
    parts: "tuple[Source, ...]" = ()


@frozen(eq=False)
class View:
    """What one subschema says: its types (none: not known), its plain keywords, its children.

    `open`: alternatives of different types; nothing may be concluded from what is left. `never`: the schema `false`.
    `sentences` say in words what merging lost.
    """

    types: tuple[str, ...] = ()
    words: dict[str, Any] = field(factory=dict[str, Any])
    properties: dict[str, Source] | None = None
    required: tuple[str, ...] = ()
    items: Source | None = None
    additional: Source | bool | None = None
    open: bool = False
    never: bool = False
    sentences: tuple[str, ...] = ()


Types: TypeAlias = tuple[str, ...]


def narrow(types: Types) -> Types:
    """`types` without doubles, without null beside others, and without integer beside number."""
    if len(types) < 2:
        return types if not types or types[0] in TYPES else ()
    kept = [name for name in dict.fromkeys(types) if name in TYPES]
    if len(kept) > 1 and "null" in kept:
        kept.remove("null")
    if "number" in kept and "integer" in kept:
        kept.remove("integer")
    return tuple(kept)


def all_of(first: View, second: View) -> View:
    """What holds where both hold; where they contradict each other, `first`."""
    types = _both(first.types, second.types)
    words = {**second.words, **first.words}
    if "enum" in first.words and "enum" in second.words:
        known = {canonical(value) for value in second.words["enum"]}
        shared = [value for value in first.words["enum"] if canonical(value) in known]
        words["enum"] = shared or first.words["enum"]
    properties = None
    if first.properties is not None or second.properties is not None:
        properties = dict(first.properties or {})
        for name, source in (second.properties or {}).items():
            mine = properties.get(name)
            properties[name] = source if mine is None else Source(kind="all", parts=(mine, source))
    items = first.items or second.items
    if first.items and second.items:
        items = Source(kind="all", parts=(first.items, second.items))
    return View(
        types=types,
        words=words,
        properties=properties,
        required=tuple(dict.fromkeys(first.required + second.required)),
        items=items,
        additional=second.additional if first.additional is None else first.additional,
        open=not types and (first.open or second.open),
        never=first.never or second.never,
        sentences=first.sentences + second.sentences,
    )


def any_of(branches: list[View], hint: Types) -> View:
    """What holds whichever of `branches` holds. `hint`: the types that the place allows, where it says so."""
    kept = [branch for branch in branches if not branch.never and not _is_null(branch)]
    kept = [branch for branch in kept if not (hint and branch.types) or _overlap(hint, branch.types)] or kept
    if not kept:
        return View(types=("null",) if branches and not branches[0].never else ())
    if len(kept) == 1:
        return kept[0]
    known = [branch.types or value_types(branch.words) or hint for branch in kept]
    types = narrow(tuple(name for names in known for name in names)) if all(known) else ()
    told = [evolve(branch, types=names) for branch, names in zip(kept, known, strict=True)]
    view = View(types=types, words=_shared_words(kept), open=len(types) != 1, sentences=_sentences(told))
    if types == ("object",):
        return _any_object(view, kept)
    if types == ("array",) and all(branch.items for branch in kept):
        return evolve(view, items=Source(kind="any", parts=tuple(branch.items for branch in kept if branch.items)))
    return view


def value_types(words: dict[str, Any]) -> Types:
    """The type of the values that `const` or `enum` allow, where it is one (null aside), else none."""
    values = [words["const"]] if "const" in words else words.get("enum", [])
    types = narrow(tuple(value_type(value) for value in values))
    return types if len(types) == 1 and types != ("null",) else ()


def value_type(value: object) -> str:
    """The JSON Schema type of a JSON value."""
    for kind, name in ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array")):
        if isinstance(value, kind):
            return name
    return "null" if value is None else "object"


def fits(value: object, types: Types) -> bool:
    """Whether a JSON value is of one of `types`."""
    name = value_type(value)
    whole = isinstance(value, float) and value.is_integer() and "integer" in types
    return name in types or whole or (name == "integer" and "number" in types)


def canonical(value: object) -> str:
    """One text for every JSON value, the same for equal ones."""
    return json.dumps(value, sort_keys=True)


def _any_object(view: View, branches: list[View]) -> View:
    sources: dict[str, list[Source]] = {}
    for branch in branches:
        for name, source in (branch.properties or {}).items():
            sources.setdefault(name, []).append(source)
    properties = {
        name: parts[0] if len(parts) == 1 else Source(kind="any", parts=tuple(parts)) for name, parts in sources.items()
    }
    common = set(branches[0].required).intersection(*(branch.required for branch in branches[1:]))
    return evolve(
        view,
        properties=properties if any(branch.properties is not None for branch in branches) else None,
        required=tuple(name for name in branches[0].required if name in common),
        additional=False if all(branch.additional is False for branch in branches) else None,
    )


def _shared_words(branches: list[View]) -> dict[str, Any]:
    """The keywords that all branches have alike, and the values of all of them where each lists its own."""
    first, *rest = branches
    words = {
        key: value
        for key, value in first.words.items()
        if all(key in branch.words and canonical(branch.words[key]) == canonical(value) for branch in rest)
    }
    if "const" not in words and "enum" not in words:
        listed = [_values(branch) for branch in branches]
        if all(listed):
            words["enum"] = list({canonical(value): value for values in listed for value in values}.values())
    return words


def _values(view: View) -> list[Any]:
    return [view.words["const"]] if "const" in view.words else view.words.get("enum", [])


def _both(first: Types, second: Types) -> Types:
    if not first or not second:
        return first or second
    if "integer" in first + second and "number" in first + second:
        first, second = (tuple("integer" if n == "number" else n for n in names) for names in (first, second))
    return tuple(name for name in first if name in second) or first


def _overlap(first: Types, second: Types) -> bool:
    return bool(set(first) & set(second)) or ("number" in first and "integer" in second) or _both_whole(first, second)


def _both_whole(first: Types, second: Types) -> bool:
    return "integer" in first and "number" in second


def _is_null(view: View) -> bool:
    values = _values(view)
    return view.types == ("null",) or (bool(values) and all(value is None for value in values))


# --- alternatives in words ---------------------------------------------------------------------------------------

_ONE = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_MANY = {"string": "strings", "integer": "integers", "number": "numbers", "object": "objects", "array": "lists"}
_SHOWN = 8


def type_sentence(types: Types) -> str:
    """`("string", "integer")` in words: "A string or an integer."."""
    text = " or ".join(_ONE[name] for name in types)
    return f"{text[0].upper()}{text[1:]}."


def _sentences(branches: list[View]) -> tuple[str, ...]:
    """The alternatives in one sentence, or nothing where the merged schema says it all."""
    told = list(dict.fromkeys(_told(branch) for branch in branches[: 4 * _SHOWN]))
    labelled = any(_label(branch) for branch in branches)
    if len(told) < 2 or (all(_values(branch) for branch in branches) and not labelled):
        return ()
    more = f"; and {len(told) - _SHOWN} more" if len(told) > _SHOWN else ""
    return (visible(f"One of: {'; '.join(told[:_SHOWN])}{more}.", limit=500),)


def _told(view: View) -> str:
    values, text = _values(view), "anything"
    names = view.required or tuple(view.properties or ())
    if values:
        text = ", ".join(one_line(json.dumps(value, ensure_ascii=False), 40) for value in values[:_SHOWN])
    elif view.types == ("object",) and names:
        text = f"an object with {', '.join(f'`{one_line(name, 40)}`' for name in names[:_SHOWN])}"
    elif view.types == ("array",) and view.items and isinstance(view.items.raw, dict):
        kind: Any = view.items.raw.get("type")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        text = f"a list of {_MANY[kind]}" if isinstance(kind, str) and kind in _MANY else "a list"
    elif view.types:
        text = " or ".join(_ONE[name] for name in view.types)
        text += f" ({view.words['format']})" if "format" in view.words else ""
    label = _label(view)
    return f"{text} ({label})" if label else text


def _label(view: View) -> str:
    return one_line(view.words.get("description", "") or view.words.get("title", ""), 80)

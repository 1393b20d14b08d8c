"""The wire as a writer needs it: named types in order, their fields, and which of them may be left out."""

import re
import types
from collections.abc import Iterator
from typing import Any, Literal, Union, get_args, get_origin

import attrs

from codeagent_lsp import errors
from codeagent_lsp.protocol import events, params, results, table, values
from codeagent_lsp.protocol.wire import camel

MODULES = (values, params, results, events)


@attrs.frozen
class Field:
    """One field of a message. `default`: the value that stands for a field that was left out, as JSON, if any."""

    name: str
    type: Any
    optional: bool
    default: Any = None


@attrs.frozen
class Shape:
    """A named object on the wire."""

    name: str
    doc: str
    fields: tuple[Field, ...]


@attrs.frozen
class Alias:
    """A name for a set of strings."""

    name: str
    options: tuple[str, ...]


@attrs.frozen
class ErrorKind:
    """One `data.kind` of an error, with its LSP code."""

    kind: str
    code: int
    doc: str


def shapes() -> list[Shape]:
    """Every object of the wire, in the order of the source."""
    return [_shape(cls) for module in MODULES for cls in _classes(module)]


def aliases() -> dict[tuple[str, ...], Alias]:
    """The named sets of strings, by their options."""
    found: dict[tuple[str, ...], Alias] = {}
    for module in MODULES:
        for name, value in vars(module).items():
            if get_origin(value) is Literal and not name.startswith("_"):
                found.setdefault(get_args(value), Alias(name, get_args(value)))
    return found


def error_kinds() -> list[ErrorKind]:
    """Every kind of error, in the order of the source, the bases left out."""
    found = [
        ErrorKind(cls.kind, cls.code, _said((cls.__doc__ or "").split("\n\n")[0]))
        for cls in vars(errors).values()
        if isinstance(cls, type) and issubclass(cls, errors.HostError)
        if cls not in (errors.HostError, errors.CallError, errors.WorkError)
    ]
    return sorted(found, key=lambda error: -error.code)


def without_none(annotation: Any) -> Any:
    """`X` for `X | None`."""
    if get_origin(annotation) in (Union, types.UnionType):
        rest = [option for option in get_args(annotation) if option is not types.NoneType]
        return rest[0] if len(rest) == 1 else Union[tuple(rest)]  # noqa: UP007 (made at run time)
    return annotation


def _classes(module: types.ModuleType) -> Iterator[type[Any]]:
    for value in vars(module).values():
        if isinstance(value, type) and attrs.has(value) and value.__module__ == module.__name__:
            yield value


def _shape(cls: type[Any]) -> Shape:
    is_from_editor = cls.__module__ == params.__name__
    found: list[Field] = []
    for attribute in attrs.fields(cls):
        has_default = attribute.default is not attrs.NOTHING
        optional = has_default and (is_from_editor or attribute.default is None)
        kind = without_none(attribute.type) if optional else attribute.type
        default = attribute.default if optional and not isinstance(attribute.default, attrs.Factory) else None
        found.append(Field(camel(attribute.name), kind, optional, default))
    return Shape(cls.__name__, _said(cls.__doc__ or ""), tuple(found))


def _said(doc: str) -> str:
    """A docstring on one line, with the names of fields as they travel."""
    return re.sub(r"`([a-z]+(?:_[a-z]+)+)`", lambda found: f"`{camel(found.group(1))}`", " ".join(doc.split()))


def short(name: str) -> str:
    """`callTool` for `codeagent.callTool` and for `codeagent/callTool`."""
    return name.replace("/", ".").split(".", 1)[1]


def spelled(annotation: Any, words: dict[Any, str], known: dict[tuple[str, ...], Alias], lists: str, maps: str) -> str:
    """A type as another language writes it.

    `words` maps builtins to words, `lists` and `maps` are templates with one `{}` for the item. An object of the
    wire and a named set of strings are written by name through the template at `words["name"]`.
    """
    if attrs.has(annotation):
        return words["name"].format(annotation.__name__)
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        options = " | ".join(f'"{option}"' for option in args)
        return words["name"].format(known[args].name) if args in known else options
    if annotation == values.JsonObject:
        return words["name"].format("JsonObject")
    if origin in (Union, types.UnionType):
        return " | ".join(spelled(option, words, known, lists, maps) for option in args)
    if origin is list:
        item = spelled(args[0], words, known, lists, maps)
        return lists.format(f"({item})" if " | " in item else item)
    if origin is dict:
        return maps.format(spelled(args[1], words, known, lists, maps))
    return words[annotation]


VERSION = table.PROTOCOL_VERSION
COMMANDS = table.COMMANDS
NOTIFICATIONS = table.NOTIFICATIONS
QUESTIONS = table.QUESTIONS
TRUST_CHANGED = table.WORKSPACE_TRUST_CHANGED

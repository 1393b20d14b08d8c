"""Strict JSON to frozen values and back: camelCase names, exact types, unknown fields refused by name."""

import difflib
import json
import math
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin

import attrs

from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.text import well_formed_text

T = TypeVar("T")

_JSON_NAMES: dict[type, str] = {str: "a string", int: "an integer", bool: "true or false", float: "a number"}


class Dumped(dict[str, Any]):
    """An object that has been through `dump` already, and is written as it is: for what is shown again and again."""


_AS_IT_IS = (int, Dumped)  # a constant, for `dump` is called for every value that goes out


def dumped(value: dict[str, Any]) -> Dumped:
    """A JSON object to be shown again and again; copied only where strict JSON has no word for something in it."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, TypeError):
        return Dumped(dump(value))
    return Dumped(value)


def camel(name: str) -> str:
    """`input_schema` as it travels: `inputSchema`."""
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


def read(data: object, target: type[T], where: str = "") -> T:
    """Turn parsed JSON into `target`, a frozen class, a builtin, a `Literal`, a list, a dict or a union of them.

    Raises `InvalidParams` that names the field where the JSON has another shape, a field is missing, or a field is
    there that the class does not know.
    """
    return cast(T, _read(data, target, where))


def dump(value: object) -> Any:
    """Turn a value into JSON: frozen classes to objects, absent (`None`) optional fields left out.

    What strict JSON has no word for is replaced: NaN and the infinities by null, lone surrogates by U+FFFD.
    """
    kind = type(value)
    if kind is str:
        return well_formed_text(cast(str, value))
    if value is None or isinstance(value, _AS_IT_IS):
        return value
    fields = _fields(kind)
    if fields is not None:
        out: dict[str, Any] = {}
        for name, wire_name, optional in fields:
            item = getattr(value, name)
            if item is not None:
                out[wire_name] = dump(item)
            elif not optional:
                out[wire_name] = None
        return out
    if isinstance(value, dict):
        return {well_formed_text(str(key)): dump(item) for key, item in cast(dict[object, object], value).items()}
    if isinstance(value, list | tuple):
        return [dump(item) for item in cast(list[object], value)]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return well_formed_text(value) if isinstance(value, str) else value


@cache
def _fields(cls: type) -> tuple[tuple[str, str, bool], ...] | None:
    """The fields of a frozen class: own name, the name it travels under, and whether it may be absent."""
    if not attrs.has(cls):
        return None
    return tuple((a.name, camel(a.name), a.default is None) for a in attrs.fields(cast(Any, cls)))


@cache
def _known(cls: type) -> dict[str, tuple[str, Any, bool]]:
    """The fields of a class by the name they travel under: own name, type, and whether they must be there."""
    return {camel(a.name): (a.name, a.type, a.default is attrs.NOTHING) for a in attrs.fields(cast(Any, cls))}


def _read(data: object, target: Any, where: str) -> object:
    if target is Any or type(data) is target:
        return data
    if attrs.has(target):
        return _read_object(data, target, where)
    origin, args = get_origin(target), get_args(target)
    if origin in (Union, UnionType):
        return _read_union(data, args, where)
    if origin is Literal:
        if isinstance(data, str) and data in args:
            return data
        raise InvalidParams(f"{_at(where)} must be one of {', '.join(args)}")
    if origin is list:
        if not isinstance(data, list):
            raise InvalidParams(f"{_at(where)} must be an array")
        items = cast(list[object], data)
        return [_read(item, args[0], f"{where}[{index}]") for index, item in enumerate(items)]
    if origin is dict:
        if not isinstance(data, dict):
            raise InvalidParams(f"{_at(where)} must be an object")
        entries = cast(dict[str, object], data)
        return {key: _read(item, args[1], f"{where}.{key}") for key, item in entries.items()}
    return _read_scalar(data, target, where)


def _read_scalar(data: object, target: type, where: str) -> object:
    if target is NoneType and data is None:
        return None
    if target is int and isinstance(data, float) and data.is_integer():
        return int(data)  # a Lua client has no integers: 1.0 is 1
    if target is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)
    if isinstance(data, target) and not (target is int and isinstance(data, bool)):
        return data
    raise InvalidParams(f"{_at(where)} must be {_JSON_NAMES.get(target, 'of another type')}")


def _read_union(data: object, options: tuple[Any, ...], where: str) -> object:
    if data is None and NoneType in options:
        return None
    rest = [option for option in options if option is not NoneType]
    for option in rest[:-1]:
        try:
            return _read(data, option, where)
        except InvalidParams:
            continue
    return _read(data, rest[-1], where)


def _read_object(data: object, cls: Any, where: str) -> object:
    if not isinstance(data, dict):
        raise InvalidParams(f"{_at(where)} must be an object")
    given = cast(dict[str, object], data)
    known = _known(cls)
    prefix = f"{where}." if where else ""
    for key in given:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1)
            hint = f" (did you mean `{close[0]}`?)" if close else ""
            raise InvalidParams(f"unknown field `{prefix}{key}`{hint}")
    values: dict[str, object] = {}
    for key, (name, kind, required) in known.items():
        if key in given and (required or given[key] is not None):
            values[name] = _read(given[key], kind, prefix + key)
        elif required:
            raise InvalidParams(f"missing field `{prefix}{key}`")
    return cls(**values)


def _at(where: str) -> str:
    return f"`{where}`" if where else "the value"

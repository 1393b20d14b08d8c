"""The keywords of a JSON Schema that say something about a value itself: which are kept, with what kind of value."""

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from codeagent_lsp.text import one_line, visible

MAX_TEXT = 1_000
MAX_TITLE = 200
_MAX_DATA = 64 * 1024
_MAX_DATA_DEPTH = 32
_MAX_DIGITS = 1_000
_MAX_PATTERN = 1_000
_GONE = object()
_PLAIN = re.compile(r"[ !#-\[\]-~]*")  # what JSON writes as it is
DATA = ("default", "examples", "const", "enum")
"""The keywords that hold data, which may be large."""

FORMATS = frozenset(
    {
        *("date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6"),
        *("uri", "uri-reference", "iri", "iri-reference", "uri-template", "uuid", "json-pointer"),
        *("relative-json-pointer", "regex"),
    }
)
"""The formats of JSON Schema 2020-12, section 7.3; providers refuse others."""


def plain_words(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of `raw` that are kept, each with a value of the right kind; data is a bounded copy."""
    words: dict[str, Any] = {}
    for key, read in KEYWORDS.items():
        if key in raw and (value := read(raw[key])) is not _GONE:
            words[key] = value
    return words


def size(value: object) -> int:
    """How many bytes a JSON value takes at most on the wire."""
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return len(value) + 2
    return len(json.dumps(value))


def _title(value: object) -> Any:
    return one_line(value, MAX_TITLE) if isinstance(value, str) and value else _GONE


def _description(value: object) -> Any:
    return visible(value, limit=MAX_TEXT) if isinstance(value, str) and value else _GONE


def _pattern(value: object) -> Any:
    """A regular expression stays to the letter or goes: with a character shown or cut it would be another."""
    same = isinstance(value, str) and len(value) <= _MAX_PATTERN and visible(value, newlines=False) == value
    return value if same else _GONE


def _format(value: object) -> Any:
    return value if isinstance(value, str) and value in FORMATS else _GONE


def _number(value: object) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _GONE
    return _data(value)


def _count(value: object) -> Any:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else _GONE


def _flag(value: object) -> Any:
    return value if isinstance(value, bool) else _GONE


def _values(value: object) -> Any:
    """A list of data without doubles, or nothing."""
    if not isinstance(value, list) or not value:
        return _GONE
    copied = _data(cast(list[Any], value))
    if copied is _GONE:
        return _GONE
    return list({json.dumps(item, sort_keys=True): item for item in reversed(cast(list[Any], copied))}.values())[::-1]


def _examples(value: object) -> Any:
    return _data(cast(list[Any], value)) if isinstance(value, list) and value else _GONE


def _data(value: object) -> Any:
    """A copy of a JSON value, or `_GONE` where it is too large, too deep or not JSON."""
    room = [_MAX_DATA]
    copied = _copy(value, room, _MAX_DATA_DEPTH)
    return copied if room[0] >= 0 else _GONE


def _copy(value: object, room: list[int], depth: int) -> Any:
    room[0] -= 8
    if room[0] < 0 or depth < 0:
        room[0] = -1
        return None
    if isinstance(value, str):
        room[0] -= len(value)
        return value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, int) and value.bit_length() < 3 * _MAX_DIGITS:
        return value
    if isinstance(value, list):
        return [_copy(item, room, depth - 1) for item in cast(list[Any], value) if room[0] >= 0]
    if isinstance(value, dict):
        out: dict[str, Any] = {}
        for key, item in cast(dict[Any, Any], value).items():
            if room[0] < 0:
                break
            room[0] -= len(str(key))
            out[str(key)] = _copy(item, room, depth - 1)
        return out
    room[0] = -1
    return None


KEYWORDS: Mapping[str, Callable[[object], Any]] = {
    "title": _title,
    "description": _description,
    "default": _data,
    "examples": _examples,
    "const": _data,
    "enum": _values,
    "format": _format,
    "pattern": _pattern,
    "minLength": _count,
    "maxLength": _count,
    "minimum": _number,
    "maximum": _number,
    "exclusiveMinimum": _number,
    "exclusiveMaximum": _number,
    "multipleOf": _number,
    "minItems": _count,
    "maxItems": _count,
    "uniqueItems": _flag,
    "minProperties": _count,
    "maxProperties": _count,
}

"""JSON as it travels to and from the editor: read with bounds, written strictly."""

import json
from collections.abc import Callable
from typing import Any, NoReturn, cast

from codeagent_lsp.text import well_formed

MAX_DEPTH = 256


class Unreadable(ValueError):
    """Bytes that are not one JSON value.

    `rest` is what follows a value that is whole: the head of the next message, where a client counted too far.
    """

    def __init__(self, message: str, rest: bytes = b"") -> None:
        super().__init__(message)
        self.rest = rest


def decode(body: bytes) -> object:
    """One JSON value (RFC 8259) in UTF-8, with or without a byte-order mark.

    Raises `Unreadable` for anything else, `NaN` and `Infinity` included.
    """
    try:
        text = body.decode("utf-8-sig").lstrip(" \t\r\n")
    except UnicodeDecodeError:
        raise Unreadable("the message is not UTF-8") from None
    try:
        value, end = json.JSONDecoder(parse_constant=_no_constant).raw_decode(text)
    except RecursionError:
        raise Unreadable("the message is nested too deeply") from None
    except ValueError:
        raise Unreadable("the message is not JSON") from None
    if rest := text[end:].strip(" \t\r\n"):
        raise Unreadable("the message is longer than its JSON", rest.encode())
    return cast(object, value)


def too_deep(value: object, limit: int = MAX_DEPTH) -> bool:
    """Whether arrays and objects nest more than `limit` levels."""
    level = [value]
    for _ in range(limit):
        level = [
            item for node in level for item in _items(node) if isinstance(item, dict | list)
        ]  # breadth first: deep input cannot exhaust our own stack
        if not level:
            return False
    return True


def encode(message: object, default: Callable[[object], Any]) -> bytes:
    """Strict JSON in UTF-8: NaN and the infinities become null, lone surrogates U+FFFD.

    `default` turns what JSON does not know into what it knows. Raises `TypeError`, `ValueError` or `RecursionError`
    for what stays unwritable, such as a cycle.
    """
    try:
        return _write(message, default)
    except ValueError:
        return _write(well_formed(json.loads(json.dumps(message, default=default))), default)


def _write(message: object, default: Callable[[object], Any]) -> bytes:
    return json.dumps(message, default=default, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()


def _items(node: object) -> list[object]:
    if isinstance(node, dict):
        return list(cast(dict[str, object], node).values())
    return cast(list[object], node) if isinstance(node, list) else []


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")

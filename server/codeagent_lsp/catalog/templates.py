"""URI templates (RFC 6570): their variables, and what they are when filled in.

Bounds: templates of 2 KiB, 32 expressions and 64 uses of variables.
Beyond RFC 6570, names may hold a hyphen (`{user-id}`), as servers write them.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from uri_template import (
    ExpansionFailedError,
    ExpansionInvalidError,
    ExpansionReservedError,
    URITemplate,
    VariableInvalidError,
)

MAX_TEMPLATE = 2_048
MAX_EXPRESSIONS = 32
MAX_NAMES = 64
MAX_VALUE = 8_192
_EXPRESSION = re.compile(r"\{([^{}]*)\}")
_OPTIONAL = "?&#"
_MALFORMED = (
    *(ExpansionFailedError, ExpansionInvalidError, ExpansionReservedError, VariableInvalidError),
    *(IndexError, ValueError, TypeError),
)

Value = str | Sequence[str] | Mapping[str, str]


def variables(template: str) -> tuple[str, ...] | None:
    """The names of the variables in order, or None where the template cannot be expanded."""
    parsed = _parse(template)
    if parsed is None:
        return None
    return tuple(dict.fromkeys(name for _, names in _expressions(template) for name in names))


def expand(template: str, values: Mapping[str, Value]) -> str | None:
    """The URI, or None where the template is malformed or a part of its path or authority is missing.

    A missing query or fragment variable is left out, as RFC 6570 says; an empty string is a value.
    """
    parsed = _parse(template)
    if parsed is None or any(len(value) > MAX_VALUE for value in values.values()):
        return None
    for operator, names in _expressions(template):
        if operator not in _OPTIONAL and any(name not in values for name in names):
            return None
    given: dict[str, Any] = {_legal(name): value for name, value in values.items()}
    try:
        return parsed.expand(**given)  # pyright: ignore[reportUnknownMemberType]
    except _MALFORMED:  # a value of the wrong shape, or one that has no UTF-8
        return None


def _parse(template: str) -> URITemplate | None:
    if len(template) > MAX_TEMPLATE or template.count("{") > MAX_EXPRESSIONS:
        return None
    names = [name for _, names in _expressions(template) for name in names]
    if len(names) > MAX_NAMES or not all(names):
        return None
    try:
        return URITemplate(_EXPRESSION.sub(lambda match: _legal(match[0]), template))
    except _MALFORMED:
        return None


def _expressions(template: str) -> list[tuple[str, list[str]]]:
    """Each expression as its operator (or " ") and the names in it."""
    found: list[tuple[str, list[str]]] = []
    for body in _EXPRESSION.findall(template):
        operator = body[0] if body.startswith(tuple("+#./;?&")) else " "
        names = [re.sub(r":\d+$|\*$", "", name) for name in body.lstrip("+#./;?&").split(",")]
        found.append((operator, names))
    return found


def _legal(name: str) -> str:
    return name.replace("-", "%2D")

"""`workspace/executeCommand`: the shapes its arguments come in, and the command that was probably meant."""

import difflib
from collections.abc import Iterable
from typing import Any, cast

from codeagent_lsp.errors import InvalidParams


def read_arguments(raw: object) -> dict[str, Any]:
    """The one JSON object of a command's `arguments`, as it came.

    Absent, `null`, `[]`, `[null]` and `[[]]` (Lua's empty table) are `{}`; an object that is not in a list is taken
    as it is. Raises `InvalidParams` for more than one argument, or one that is not an object.
    """
    values = cast(list[object], raw) if isinstance(raw, list) else [] if raw is None else [raw]
    if len(values) > 1:
        raise InvalidParams(f"`arguments` takes one JSON object, and there are {len(values)} values in it")
    if not values or values[0] is None or values[0] == []:
        return {}
    if not isinstance(values[0], dict):
        raise InvalidParams(f"`arguments` takes one JSON object, not {_kind(values[0])}")
    return cast(dict[str, Any], values[0])


def unknown_command(name: object, known: Iterable[str]) -> InvalidParams:
    """The error for a command that there is not; it names the nearest one."""
    if not isinstance(name, str):
        return InvalidParams("`command` must be a string")
    short = {item.rpartition(".")[2].lower(): item for item in known}
    close = difflib.get_close_matches(name.rpartition(".")[2].lower(), short, n=1)
    hint = f"; did you mean `{short[close[0]]}`?" if close else ""
    return InvalidParams(f"there is no command `{name}`{hint}")


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, list):
        return "an array"
    return "a string" if isinstance(value, str) else "a number"

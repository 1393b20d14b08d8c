"""Asks the SDK's own models whether they will take a result, and takes out what they refuse.

The models are strict and say where: a path of keys and indexes. What stands there goes, and with it, where it was
needed, the smallest thing around it that can do without.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, cast

from attrs import frozen

from codeagent_lsp.protocol import JsonObject

ROUNDS = 4
"""Times that one result is looked at; a repair may uncover the next fault."""

_GONE = object()


@frozen
class Fault:
    """One thing that the model refuses: where, and why."""

    path: tuple[int | str, ...]
    reason: str


@cache
def _adapter(method: str, version: str) -> Any:
    from mcp_types.methods import SERVER_RESULTS
    from pydantic import TypeAdapter

    model = SERVER_RESULTS.get((method, version)) or SERVER_RESULTS.get((method, "2025-11-25"))
    adapter: Any = TypeAdapter
    return None if model is None else adapter(model)


def faults(method: str, version: str, result: JsonObject) -> list[Fault]:
    """What the model of this method's result refuses in `result`; nothing for a method that has no model."""
    from pydantic import ValidationError

    adapter = _adapter(method, version)
    if adapter is None:
        return []
    try:
        adapter.validate_python(result, by_name=False)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        return [Fault(tuple(item["loc"]), item["msg"]) for item in found]
    except (ValueError, RecursionError, OverflowError) as error:
        return [Fault((), str(error)[:200])]
    return []


def prune(root: JsonObject, paths: Sequence[tuple[int | str, ...]]) -> bool:
    """Take out what stands at each path, in place; a missing member takes its owner along.

    Returns whether anything was taken out.
    """
    lists: list[list[Any]] = []
    changed = False
    for path in paths:
        place = _place(root, path)
        if place is None:
            continue
        owner, key = place
        if isinstance(owner, dict):
            owner.pop(cast(str, key), None)
        else:
            owner[cast(int, key)] = _GONE
            lists.append(owner)
        changed = True
    for items in lists:
        items[:] = [item for item in items if item is not _GONE]
    return changed


def _place(root: JsonObject, path: tuple[int | str, ...]) -> tuple[JsonObject | list[Any], int | str] | None:
    """The innermost thing on the path that is there: what owns it, and under which key."""
    node: Any = root
    place: tuple[JsonObject | list[Any], int | str] | None = None
    for step in path:
        if isinstance(node, dict) and step in node:
            owner = cast(JsonObject, node)
            place, node = (owner, step), owner[cast(str, step)]
        elif isinstance(node, list) and isinstance(step, int) and step < len(cast("list[Any]", node)):
            items = cast("list[Any]", node)
            place, node = (items, step), items[step]
        # Else it is a missing member, or the name of a branch of a union.
    return place

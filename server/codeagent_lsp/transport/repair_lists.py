"""Repairs the four lists item by item: one bad tool must not cost the others, nor their calls.

An item keeps everything that is good in it; it is dropped, by name, only where it has no usable name or URI.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Any, cast

from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.text import one_line
from codeagent_lsp.transport.envelope import kind_of
from codeagent_lsp.transport.schema import ROUNDS, Fault, faults, prune

LISTS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}
"""The member of the result that holds the items, by method."""

_NAMED_BY = {
    "tools/list": ("name",),
    "resources/list": ("uri", "name"),
    "resources/templates/list": ("uriTemplate", "name"),
    "prompts/list": ("name",),
}
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")

SAID = 20
"""Items that are named one by one; the rest is counted."""

Warn = Callable[[str], None]


def repair_list(method: str, version: str, result: JsonObject, warn: Warn) -> list[Fault]:
    """Set the items of a list result right, in place; afterwards the SDK's model takes every one of them.

    Returns what the model refuses outside of the items.
    """
    key = LISTS[method]
    _repair_frame(method, key, result, warn)
    items = cast("list[Any]", result[key])
    report = _Report(method, warn)
    kept: list[JsonObject] = []
    for index, item in enumerate(items):
        why = _prepare(method, item)
        if why is None:
            kept.append(item)
        else:
            report.say(index, item, why, "dropped")
    result[key] = kept
    if method == "tools/list":
        for index, tool in enumerate(kept):
            _repair_tool(tool, lambda why, i=index, t=tool: report.say(i, t, why, "repaired"))
    rest = _prune_items(method, version, key, result, report)
    report.close()
    return rest


def _repair_frame(method: str, key: str, result: JsonObject, warn: Warn) -> None:
    items = result.get(key)
    if isinstance(items, dict):
        # Keyed by name, as some servers do.
        named = cast("dict[str, Any]", items).items()
        result[key] = [{"name": name, **cast(JsonObject, item)} for name, item in named if isinstance(item, dict)]
        warn(f"{method}: {key!r} is an object, not a list; its members were taken.")
    elif not isinstance(items, list):
        warn(f"{method}: {key!r} is {kind_of(items) if key in result else 'missing'}; the list counts as empty.")
        result[key] = []
    cursor = result.get("nextCursor")
    if cursor is not None and not isinstance(cursor, str):
        if isinstance(cursor, int | float) and not isinstance(cursor, bool):
            result["nextCursor"] = str(cursor)
        else:
            del result["nextCursor"]
        warn(f"{method}: 'nextCursor' is {kind_of(cursor)}, not text.")


def _prepare(method: str, item: Any) -> str | None:
    """Give an item the name that stands for it; why it cannot be used, if it cannot."""
    if not isinstance(item, dict):
        return f"is {kind_of(item)}, not an object"
    entry = cast(JsonObject, item)
    first, *others = _NAMED_BY[method]
    if not isinstance(entry.get(first), str):
        return f"{first!r} is {kind_of(entry[first]) if first in entry else 'missing'}, not text"
    for other in others:
        if not isinstance(entry.get(other), str):
            entry[other] = entry[first]
    return None


def _repair_tool(tool: JsonObject, say: Callable[[str], None]) -> None:
    """The members of a tool that servers get wrong most, so that they are mended rather than lost."""
    schema = tool.get("inputSchema")
    if not isinstance(schema, dict) or cast(JsonObject, schema).get("type") != "object":
        say(f"'inputSchema' {_schema_fault(tool)}")
        tool["inputSchema"] = {**(cast(JsonObject, schema) if isinstance(schema, dict) else {}), "type": "object"}
    schema = cast(JsonObject, tool["inputSchema"])
    for member, wanted in (("properties", dict), ("required", list), ("$schema", str)):
        value = schema.get(member)
        if value is not None and not isinstance(value, wanted):
            say(f"'inputSchema.{member}' is {kind_of(value)}")
            del schema[member]
    required = schema.get("required")
    if isinstance(required, list) and not all(isinstance(name, str) for name in cast("list[Any]", required)):
        schema["required"] = [name for name in cast("list[Any]", required) if isinstance(name, str)]
        say("'inputSchema.required' holds more than names")
    annotations = tool.get("annotations")
    if isinstance(annotations, dict):
        hints = cast(JsonObject, annotations)
        for hint in _HINTS:
            # `"true"` and `1` are no hints. The SDK's models would read them as true.
            if not isinstance(hints.get(hint, None), bool | None):
                say(f"'annotations.{hint}' is {kind_of(hints[hint])}, and counts for nothing")
                del hints[hint]


def _schema_fault(tool: JsonObject) -> str:
    if "inputSchema" not in tool:
        return "is missing"
    schema = tool["inputSchema"]
    return 'has no "type": "object"' if isinstance(schema, dict) else f"is {kind_of(schema)}"


def _prune_items(method: str, version: str, key: str, result: JsonObject, report: "_Report") -> list[Fault]:
    """Take out of each item what the model refuses, and in the end the items that it refuses still."""
    for last in (False,) * ROUNDS + (True,):
        by_item: dict[int, list[Fault]] = defaultdict(list)
        found = faults(method, version, result)
        for fault in found:
            if len(fault.path) > 1 and fault.path[0] == key and isinstance(fault.path[1], int):
                by_item[fault.path[1]].append(fault)
        if not by_item:
            return found
        items = cast("list[JsonObject]", result[key])
        gone: set[int] = set()
        for index, wrong in by_item.items():
            if last or not prune(items[index], [fault.path[2:] for fault in wrong]):
                gone.add(index)
            report.say(index, items[index], _why(wrong), "dropped" if index in gone else "repaired")
        result[key] = [item for index, item in enumerate(items) if index not in gone]
    return faults(method, version, result)


def _why(found: list[Fault]) -> str:
    return "; ".join(f"{'.'.join(map(str, fault.path[2:]))}: {fault.reason}" for fault in found[:3])


class _Report:
    """Says what happened to which item: the first ones by name, the others as a number."""

    def __init__(self, method: str, warn: Warn) -> None:
        self._method = method
        self._warn = warn
        self._more = 0
        self._said = 0

    def say(self, index: int, item: Any, why: str, outcome: str) -> None:
        if self._said == SAID:
            self._more += 1
            return
        self._said += 1
        entry = cast(JsonObject, item) if isinstance(item, dict) else {}
        name = entry.get("name", entry.get("uri"))
        named = f" {one_line(name, 100)!r}" if isinstance(name, str) else ""
        self._warn(f"{self._method}: item {index + 1}{named}: {one_line(why, 300)}: {outcome}.")

    def close(self) -> None:
        if self._more:
            self._warn(f"{self._method}: {self._more:,} more faults of this kind.")

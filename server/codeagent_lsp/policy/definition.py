"""A tool's definition as the user approves it: its hash, and what differs between two of them."""

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, cast

from codeagent_lsp.policy.canonical import canonical, digest
from codeagent_lsp.protocol import FieldChange, JsonObject
from codeagent_lsp.text import visible

FIELDS = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
"""What a grant is bound to. Icons and `_meta` are not: they change nothing of what the tool is told to be."""

_MOST_CHANGES = 100
_LONGEST_SIDE = 2_000
_KEPT_BYTES = 65_536
_ABSENT = "(absent)"


def definition_hash(definition: Mapping[str, Any]) -> str:
    """SHA-256 (hexadecimal) over the canonical JSON of the fields that a grant is bound to."""
    return digest(_pinned(definition))


def keepable(definition: Mapping[str, Any]) -> JsonObject | None:
    """The fields that a later difference needs; `None` where they are too large to be kept (64 KiB)."""
    pinned = _pinned(definition)
    return pinned if len(canonical(pinned)) <= _KEPT_BYTES else None


def changes(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> list[FieldChange]:
    """What differs, one change for each top-level field or leaf of a schema; hidden characters are visible.

    Without `before` (it was too large to keep) there is one change that says so.
    """
    if before is None:
        return [FieldChange("definition", "(not kept)", "(changed)")]
    old, new = dict(_leaves(_pinned(before))), dict(_leaves(_pinned(after)))
    fields = [*old, *(field for field in new if field not in old)]
    different = [field for field in fields if old.get(field, _ABSENT) != new.get(field, _ABSENT)]
    found = [
        FieldChange(
            visible(field, newlines=False, limit=200), _side(old.get(field, _ABSENT)), _side(new.get(field, _ABSENT))
        )
        for field in islice(different, _MOST_CHANGES)
    ]
    if len(different) > _MOST_CHANGES:
        found.append(FieldChange("…", "", f"and {len(different) - _MOST_CHANGES} more fields"))
    return found


def hides(value: Any) -> bool:
    """Whether a key or a text anywhere in a JSON value has characters that cannot be seen."""
    return any(visible(text) != text.replace("\r\n", "\n") for leaf in _leaves(value) for text in leaf)


def _pinned(definition: Mapping[str, Any]) -> JsonObject:
    return {field: definition[field] for field in FIELDS if field in definition}


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Each leaf with its path; an empty object or list is a leaf, and so is everything deeper than 32."""
    work = [(path, value, 0)]
    while work:
        path, value, depth = work.pop()
        if isinstance(value, dict) and value and depth < 32:
            entries = cast(dict[str, Any], value)
            work += [(f"{path}.{key}" if path else key, entries[key], depth + 1) for key in reversed(entries)]
        elif isinstance(value, list) and value and depth < 32:
            items = cast(list[Any], value)
            work += [(f"{path}[{index}]", items[index], depth + 1) for index in reversed(range(len(items)))]
        else:
            yield path, value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)


def _side(text: str) -> str:
    return visible(text, limit=_LONGEST_SIDE, runs=True)

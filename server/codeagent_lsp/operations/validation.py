"""Whether a tool's structured content is what its output schema promises: checked aside, bounded, and only told.

The schema is a stranger's: it is checked in a worker thread for at most 250 ms, fetches nothing, and runs none of its
regular expressions (`pattern` and `patternProperties` count as met, and so do `additionalProperties` beside the
latter). A mismatch is a warning; the result is delivered all the same.
"""

import json
import re
import time
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, cast

import anyio.to_thread
from attrs import frozen

from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.text import one_line

SECONDS = 0.25
MAX_BYTES = 256 * 1024
MAX_DEPTH = 64
"""Levels of JSON; a level of a schema is one or two of them."""
MAX_SUBSCHEMAS = 2_000
_SHOWN = 3
_NAMED = {"properties", "$defs", "definitions", "dependentSchemas", "dependencies"}
_DATA = {"enum", "const", "default", "examples"}
_UNRUN = {"pattern", "patternProperties", "uniqueItems", "format"}  # uniqueItems: its time is the square of the length

Keyword = Callable[[Any, Any, Any, Any], Any]


class _TooMuch(Exception):
    """A bound was reached."""


@frozen
class Fault:
    """One thing in a value that its schema does not allow.

    `path` leads to it; `keyword` and `expected` are the part of the schema that says so (`None`: nothing may be
    there). `names` are the properties that are missing (`required`) or too many (`additionalProperties`),
    `known` those that there may be.
    """

    path: tuple[str | int, ...]
    keyword: str | None
    expected: Any
    names: tuple[str, ...] = ()
    known: tuple[str, ...] = ()

    def text(self) -> str:
        """The fault in a few words."""
        path = one_line(".".join(str(part) for part in self.path), 100)
        if self.keyword is None:
            return f"`{path}` must not be there" if path else "something is there that must not be"
        expected = one_line(json.dumps(self.expected, ensure_ascii=False), 100)
        return f"{f'`{path}`' if path else 'it'} does not meet `{self.keyword}: {expected}`"


async def check(schema: JsonObject, value: Any) -> str | None:
    """What is wrong with `value` by `schema`, as a sentence, or why it could not be checked; None if all is well."""
    return await anyio.to_thread.run_sync(_check, schema, value)


def _check(schema: JsonObject, value: Any) -> str | None:
    faults, unchecked = find_faults(schema, value, _SHOWN)
    if unchecked is not None:
        return f"The structured content was not checked: the tool's output schema {unchecked}."
    if not faults:
        return None
    told = "; ".join(dict.fromkeys(fault.text() for fault in faults))
    return f"The structured content does not fit the tool's output schema: {told}."


def find_faults(
    schema: JsonObject, value: Any, count: int, *, into_branches: bool = False
) -> tuple[list[Fault], str | None]:
    """The first faults of a value, and why it was not checked, if so (a predicate of the schema). Raises nothing.

    `into_branches`: where no branch of an `anyOf` or `oneOf` fits, tell what is wrong by the likeliest of them.
    Takes at most 250 ms.
    """
    try:
        if len(json.dumps(schema)) > MAX_BYTES:
            raise _TooMuch("is larger than 256 KiB")
        return _faults(_without_expressions(schema, [MAX_SUBSCHEMAS]), value, count, into_branches), None
    except _TooMuch as bound:
        return [], str(bound)
    except Exception as error:  # noqa: BLE001 - a broken schema breaks the validator in many ways, and harms nothing
        return [], f"is broken ({type(error).__name__})"


def _faults(schema: Any, value: Any, count: int, into_branches: bool) -> list[Fault]:
    from jsonschema import Draft202012Validator, validators  # slow to import, and needed by few results
    from referencing import Registry

    base: Any = Draft202012Validator
    if isinstance(schema, dict) and isinstance(cast(JsonObject, schema).get("$schema"), str):
        base = cast(Any, validators).validator_for(schema, default=Draft202012Validator)
    deadline = time.monotonic() + SECONDS
    keywords: dict[str, Keyword] = {name: _bounded(run, deadline) for name, run in base.VALIDATORS.items()}
    bounded = cast(Any, validators).extend(base, validators=keywords | dict.fromkeys(_UNRUN, _met))
    registry: Any = cast(Any, Registry)()  # an empty one: nothing is fetched
    errors: Iterable[Any] = bounded(schema, registry=registry).iter_errors(value)
    found = list(islice(errors, count))
    return [_likeliest(error) if into_branches else _fault(error) for error in found]


def _likeliest(error: Any, depth: int = 0) -> Fault:
    """Of a choice between branches of which none fits: what is wrong by the branch that seems to be meant.

    That is one whose type, and then whose constants, agree with what is there; where no type agrees, the types.
    """
    branches: dict[Any, list[Any]] = {}
    for inner in error.context or () if error.validator in ("anyOf", "oneOf") and depth < MAX_DEPTH else ():
        branches.setdefault(inner.relative_schema_path[0], []).append(inner)
    if not branches:
        return _fault(error)

    def unlike(errors: list[Any]) -> tuple[bool, bool, int]:
        off_type = any(inner.validator == "type" and not inner.relative_path for inner in errors)
        return off_type, any(inner.validator in ("const", "enum") for inner in errors), len(errors)

    best = min(branches.values(), key=unlike)
    if not unlike(best)[0]:
        return _likeliest(best[0], depth + 1)
    kinds = [inner.validator_value for errors in branches.values() for inner in errors if inner.validator == "type"]
    named = [kind for kind in kinds if isinstance(kind, str)]
    return Fault(tuple(error.absolute_path), "type", list(dict.fromkeys(named))) if named else _fault(error)


def _fault(error: Any) -> Fault:
    names: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    if error.validator == "required":
        missing = re.fullmatch(r"'(.*)' is a required property", error.message, re.DOTALL)
        names = (missing[1],) if missing else ()
    elif error.validator in ("additionalProperties", "unevaluatedProperties"):
        schema, present = cast(object, error.schema), cast(object, error.instance)
        known: object = cast(JsonObject, schema).get("properties") if isinstance(schema, dict) else None
        there = cast(JsonObject, present) if isinstance(present, dict) else {}
        listed = tuple(cast(JsonObject, known)) if isinstance(known, dict) else ()
        names = tuple(name for name in there if name not in listed)
    return Fault(tuple(error.absolute_path), error.validator, error.validator_value, names, listed)


def _bounded(run: Keyword, deadline: float) -> Keyword:
    def keyword(validator: Any, expected: Any, instance: Any, schema: Any) -> Any:
        if time.monotonic() > deadline:
            raise _TooMuch(f"takes longer than {SECONDS:g} s")
        return run(validator, expected, instance, schema)

    return keyword


def _met(validator: Any, expected: Any, instance: Any, schema: Any) -> None:
    """A keyword that is not run counts as met."""


def _without_expressions(node: Any, room: list[int], depth: int = 0) -> Any:
    """A copy of a schema without anything that would run a regular expression; names and data stay."""
    if not isinstance(node, dict | list):
        return node
    if depth > MAX_DEPTH:
        raise _TooMuch("is nested too deeply")
    if isinstance(node, list):
        return [_without_expressions(item, room, depth + 1) for item in cast(list[Any], node)]
    room[0] -= 1
    if room[0] < 0:
        raise _TooMuch(f"has more than {MAX_SUBSCHEMAS:,} parts")
    given = cast(JsonObject, node)
    unknown = {"additionalProperties", "unevaluatedProperties"} if "patternProperties" in given else set[str]()
    out: JsonObject = {}
    for key, value in given.items():
        if key in _NAMED and isinstance(value, dict):
            entries = cast(JsonObject, value)
            out[key] = {name: _without_expressions(entry, room, depth + 2) for name, entry in entries.items()}
        elif key in _DATA:
            out[key] = value
        elif key not in _UNRUN | unknown:
            out[key] = _without_expressions(value, room, depth + 1)
    return out

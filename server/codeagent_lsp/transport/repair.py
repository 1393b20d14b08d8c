"""Makes a server's result acceptable to the SDK's strict models without losing what was good in it.

What was asked decides how: lists lose only the items that have no name, results of calls keep every block, openings
get the members that servers forget. Every repair is said in a warning. Sources: MCP 2025-11-25 and 2026-07-28,
"Schema Reference".
"""

from collections.abc import Callable
from typing import Any, cast

from attrs import frozen

from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.transport.envelope import kind_of
from codeagent_lsp.transport.repair_lists import LISTS, repair_list
from codeagent_lsp.transport.repair_opening import repair_discover, repair_initialize
from codeagent_lsp.transport.repair_results import (
    repair_call,
    repair_completion,
    repair_prompt,
    repair_read,
)
from codeagent_lsp.transport.schema import ROUNDS, Fault, faults, prune

__all__ = ["LISTS", "MODERN", "Asked", "Unrepairable", "repair"]

MODERN = "2026"
"""Revisions from here on need no handshake; their results carry a type and, some, how long they may be kept."""

_CACHEABLE = (*LISTS, "server/discover", "resources/read")

Warn = Callable[[str], None]


class Unrepairable(Exception):
    """A result that cannot be saved; its text ends the sentence "<server>: …"."""


@frozen
class Asked:
    """What a result answers: the method, the revision that was spoken, and the URI where one was sent."""

    method: str
    version: str
    uri: Any = None


def repair(asked: Asked, result: Any, warn: Warn) -> JsonObject:
    """The result as the SDK takes it. May change `result` in place. Raises `Unrepairable`."""
    fixed = _as_object(asked, result, warn)
    if isinstance(fixed.get("_meta", {}), dict):
        _without_ours(fixed)
    else:
        fixed.pop("_meta")
    if asked.version >= MODERN and asked.method != "initialize":
        _fill_modern(asked.method, fixed)
    if asked.method in LISTS:
        _settle(asked, fixed, warn, repair_list(asked.method, asked.version, fixed, warn))
        return fixed
    match asked.method:
        case "tools/call" if fixed.get("resultType", "complete") == "complete":
            repair_call(fixed, warn, any_structure=asked.version >= MODERN)
        case "resources/read" if fixed.get("resultType", "complete") == "complete":
            repair_read(fixed, warn, uri=asked.uri)
        case "prompts/get" if fixed.get("resultType", "complete") == "complete":
            repair_prompt(fixed, warn)
        case "completion/complete":
            repair_completion(fixed, warn)
        case "initialize":
            _refuse_version(fixed)
            repair_initialize(fixed, warn)
        case "server/discover":
            repair_discover(fixed, warn)
        case _:
            pass
    _settle(asked, fixed, warn, faults(asked.method, asked.version, fixed))
    return fixed


def _as_object(asked: Asked, result: Any, warn: Warn) -> JsonObject:
    if isinstance(result, dict):
        return cast(JsonObject, result)
    key = LISTS.get(asked.method) or {"tools/call": "content", "prompts/get": "messages"}.get(asked.method)
    if isinstance(result, list) and key is not None:
        warn(f"{asked.method}: the result is a list, not an object; taken as its {key!r}.")
        return {key: result}
    if isinstance(result, str) and asked.method == "tools/call":
        warn("tools/call: the result is text, not an object; taken as its content.")
        return {"content": result}
    raise Unrepairable(f'sent a malformed reply to {asked.method}: "result" is {kind_of(result)}, not an object.')


def _without_ours(result: JsonObject) -> None:
    """A server cannot speak in our name: our own keys in `_meta` are only ever ours."""
    meta = result.get("_meta")
    if isinstance(meta, dict):
        for key in [key for key in cast(JsonObject, meta) if key.startswith("codeagent.")]:
            del meta[key]


def _fill_modern(method: str, result: JsonObject) -> None:
    """What MCP 2026-07-28 requires and sloppy servers forget."""
    result.setdefault("resultType", "complete")
    if method not in _CACHEABLE or result["resultType"] != "complete":
        return
    ttl = result.get("ttlMs")
    known = isinstance(ttl, int | float) and not isinstance(ttl, bool) and 0 < ttl < 1 << 53
    result["ttlMs"] = int(cast(float, ttl)) if known else 0
    if result.get("cacheScope") not in ("public", "private"):
        result["cacheScope"] = "private"


def _refuse_version(result: JsonObject) -> None:
    version = result.get("protocolVersion")
    if version is not None and not isinstance(version, str):
        raise Unrepairable(
            f'answered initialize with a "protocolVersion" that is {kind_of(version)} ({str(version)[:40]}); '
            'it must be text such as "2025-06-18".'
        )


def _settle(asked: Asked, result: JsonObject, warn: Warn, found: list[Fault]) -> None:
    """Take out whatever the model still refuses; what it needs and does not get is an error that names the member."""
    for _ in range(ROUNDS):
        if not found or not prune(result, [fault.path for fault in found]):
            break
        for fault in found[:20]:
            warn(f"{asked.method}: {_where(fault.path)}: {fault.reason}; left out.")
        found = faults(asked.method, asked.version, result)
    if found:
        raise Unrepairable(
            f"answered {asked.method} with a result that is not MCP: {_where(found[0].path)}: {found[0].reason}."
        )


def _where(path: tuple[int | str, ...]) -> str:
    return ".".join(str(step) for step in path)[:200] or "result"

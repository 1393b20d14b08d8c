"""Repairs the answers that open a session: `initialize` of the older revisions, `server/discover` of the newer."""

from collections.abc import Callable
from typing import Any, cast

from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.transport.envelope import kind_of

OLDEST = "2024-11-05"
"""What a server speaks that does not say."""

Warn = Callable[[str], None]


def repair_initialize(result: JsonObject, warn: Warn) -> None:
    """Give an `initialize` result the members it must have, in place."""
    _repair_common("initialize", result, warn)
    if result.get("protocolVersion") is None:
        warn(f"initialize: 'protocolVersion' is missing; taken as {OLDEST}.")
        result["protocolVersion"] = OLDEST
    info = result.get("serverInfo")
    known = cast(JsonObject, info) if isinstance(info, dict) else {"name": info} if isinstance(info, str) else {}
    fixed: JsonObject = {**known, "name": _name(known.get("name")), "version": _name(known.get("version"))}
    if fixed != info:
        warn("initialize: 'serverInfo' has no name or no version.")
        result["serverInfo"] = fixed


def repair_discover(result: JsonObject, warn: Warn) -> None:
    """The same for `server/discover`. Without a list of versions it stays what it is: no sign of a newer server."""
    _repair_common("server/discover", result, warn)
    versions = result.get("supportedVersions")
    if isinstance(versions, str):
        result["supportedVersions"] = [versions]
    elif isinstance(versions, list):
        result["supportedVersions"] = [item for item in cast("list[Any]", versions) if isinstance(item, str)]


def _repair_common(method: str, result: JsonObject, warn: Warn) -> None:
    given = result.get("capabilities")
    capabilities = _capabilities(given)
    if capabilities != given:
        if not isinstance(given, dict):
            warn(f"{method}: 'capabilities' is {kind_of(given) if 'capabilities' in result else 'missing'}.")
        else:
            warn(f"{method}: some 'capabilities' are not objects.")
        result["capabilities"] = capabilities
    instructions = result.get("instructions")
    if instructions is not None and not isinstance(instructions, str):
        warn(f"{method}: 'instructions' is {kind_of(instructions)}; left out.")
        del result["instructions"]


def _capabilities(given: Any) -> JsonObject:
    if isinstance(given, list):
        # ["tools", "prompts"], as some servers say it.
        return {name: {} for name in cast("list[Any]", given) if isinstance(name, str)}
    if not isinstance(given, dict):
        return {}
    out: JsonObject = {}
    for name, value in cast(JsonObject, given).items():
        if value is True or isinstance(value, list):  # PHP has one empty array for both
            out[name] = {}
        elif isinstance(value, dict):
            flags = cast(JsonObject, value)
            # What is neither true nor false announces nothing: the models would read "yes" as true, and refuse "maybe".
            wrong = [flag for flag in ("listChanged", "subscribe") if not isinstance(flags.get(flag), bool | None)]
            out[name] = {flag: item for flag, item in flags.items() if flag not in wrong} if wrong else value
    return out


def _name(value: Any) -> str:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else "unknown"

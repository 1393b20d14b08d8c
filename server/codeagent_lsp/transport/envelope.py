"""The frame of one JSON-RPC message, set right: version, id, and exactly one of method, result and error.

Source: JSON-RPC 2.0, sections 4 and 5. What servers get wrong in practice: no `jsonrpc`, ids as floats or strings,
`result` and `error` together, errors that are plain text, results that are not objects.
"""

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, cast

from codeagent_lsp.protocol import JsonObject

INTERNAL_ERROR = -32603
UNNAMED = "the server gave no reason"

_LEVELS = {
    "warn": "warning",
    "fatal": "critical",
    "crit": "critical",
    "err": "error",
    "trace": "debug",
    "verbose": "debug",
    "log": "info",
    "information": "info",
}
_KNOWN_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


def clean_id(value: Any) -> int | str | None:
    """A JSON-RPC id as MCP allows it (string or integer), or None."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, int | str) else None


def clean_call(message: JsonObject) -> JsonObject | None:
    """A request or a notification of the server in good form, or None if it is neither."""
    method = message.get("method")
    if not isinstance(method, str):
        return None
    out: JsonObject = {"jsonrpc": "2.0", "method": method}
    if message.get("id") is not None:
        request_id = clean_id(message["id"])
        if request_id is None:
            return None
        out["id"] = request_id
    params = message.get("params")
    if isinstance(params, dict):
        clean = _CLEANERS.get(method)
        out["params"] = clean(cast(JsonObject, params)) if clean is not None else params
    return out


def _clean_log(params: JsonObject) -> JsonObject:
    level = str(params.get("level", "info")).lower()
    level = _LEVELS.get(level, level)
    fixed: JsonObject = {**params, "level": level if level in _KNOWN_LEVELS else "info", "data": params.get("data")}
    if not isinstance(fixed.get("logger"), str):
        fixed.pop("logger", None)
    return fixed


def _clean_elicitation(params: JsonObject) -> JsonObject:
    """A form needs a message and the schema of an object, though it be an empty one."""
    if params.get("mode", "form") != "form":
        return params
    schema = params.get("requestedSchema")
    fixed: JsonObject = (
        {**cast(JsonObject, schema), "type": "object"} if isinstance(schema, dict) else {"type": "object"}
    )
    if not isinstance(fixed.get("properties"), dict):
        fixed["properties"] = {}
    message = params.get("message")
    return {**params, "message": message if isinstance(message, str) else "", "requestedSchema": fixed}


_CLEANERS: Mapping[str, Callable[[JsonObject], JsonObject]] = {
    "notifications/message": _clean_log,
    "elicitation/create": _clean_elicitation,
}


def clean_error(error: Any) -> JsonObject:
    """The `error` member of an answer with an integer code and a text; `data` is kept."""
    if not isinstance(error, dict):
        return {"code": INTERNAL_ERROR, "message": error if isinstance(error, str) and error else _text(error)}
    given = cast(JsonObject, error)
    code, message = given.get("code"), given.get("message")
    out: JsonObject = {
        "code": _integer(code),
        "message": message if isinstance(message, str) and message else _text(message),
    }
    if "data" in given:
        out["data"] = given["data"]
    return out


def _integer(code: Any) -> int:
    if isinstance(code, int) and not isinstance(code, bool) and abs(code) < 1 << 63:
        return code
    if isinstance(code, float) and math.isfinite(code) and abs(code) < 1 << 53:
        return int(code)
    try:
        return int(code) if isinstance(code, str) and len(code) < 12 else INTERNAL_ERROR
    except ValueError:
        return INTERNAL_ERROR


def _text(value: Any) -> str:
    return json.dumps(value)[:1000] if value else UNNAMED


def kind_of(value: Any) -> str:
    """What a JSON value is, in words: "a list", "null"."""
    if value is None:
        return "null"
    for kinds, word in ((bool, "true or false"), (str, "text"), (int | float, "a number"), (list, "a list")):
        if isinstance(value, kinds):
            return word
    return "an object"

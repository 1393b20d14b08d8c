"""What `config/schema.json` says of each key: its meaning, its types, its values. The one source of their words."""

import json
from functools import cache
from importlib.resources import files
from typing import Any, cast

from attrs import frozen

from codeagent_lsp.config.dialects import Dialect
from codeagent_lsp.config.keys import USER_ONLY
from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.protocol.values import Scope

Path = tuple[str | int, ...]


@frozen
class KeyInfo:
    """One key: `types` as JSON names them, `values` those that are suggested, `default` as JSON text."""

    name: str
    description: str
    types: tuple[str, ...] = ()
    values: tuple[Any, ...] = ()
    default: str | None = None


@cache
def _schema() -> JsonObject:
    return json.loads(files("codeagent_lsp.config").joinpath("schema.json").read_text("utf-8"))


def top_keys(dialect: Dialect) -> list[KeyInfo]:
    """The keys at the top of a file, those that we read."""
    properties = cast(dict[str, JsonObject], _schema()["properties"])
    return [_info(name, properties[name]) for name in dialect.keys if name in properties]


def server_keys(scope: Scope | None = None) -> list[KeyInfo]:
    """The keys of a server; of a project's, without those that count in the user's files only."""
    return [info for info in _of(_server()) if scope != "project" or info.name not in USER_ONLY]


def key_info(fields: Path) -> KeyInfo | None:
    """What is known of a key of a server, by its path inside the server."""
    keys = keys_in(fields[:-1]) if fields and isinstance(fields[-1], str) else []
    return next((info for info in keys if info.name == fields[-1]), None)


def keys_in(fields: Path, scope: Scope | None = None) -> list[KeyInfo]:
    """The keys that the object at a path inside a server may have; none for one whose keys are free."""
    if not fields:
        return server_keys(scope)
    return _of(_server()["properties"]["oauth"]) if fields == ("oauth",) else []


def _server() -> JsonObject:
    return _schema()["definitions"]["server"]


def server_description() -> str:
    """What a server is."""
    return str(_server()["description"])


def _of(schema: JsonObject) -> list[KeyInfo]:
    return [_info(name, inner) for name, inner in cast(dict[str, JsonObject], schema["properties"]).items()]


def _info(name: str, schema: JsonObject) -> KeyInfo:
    branches = [schema, *(branch for branch in schema.get("anyOf", ()) if not branch.get("doNotSuggest"))]
    types: dict[str, None] = {}
    values: list[Any] = []
    for branch in branches:
        kinds = branch.get("type", ())
        types |= dict.fromkeys([kinds] if isinstance(kinds, str) else kinds)
        values += [value for value in branch.get("enum", ()) if value is not None]
    if "$ref" in schema:
        types["object"] = None
    if not types:
        types |= {"boolean" if isinstance(value, bool) else "string": None for value in values}
    types.pop("null", None)
    default = json.dumps(schema["default"]) if "default" in schema else None
    if not values and tuple(types) == ("boolean",):
        values = [True, False]
    return KeyInfo(name, str(schema.get("description", "")), tuple(types), tuple(values), default)

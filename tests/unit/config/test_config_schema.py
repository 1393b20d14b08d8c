"""The published JSON Schema agrees with the reader: what one refuses the other refuses."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from codeagent_lsp.config.document import parse
from codeagent_lsp.config.entries import Entry, read_entries
from codeagent_lsp.config.keys import KEYS, OAUTH_KEYS, TYPES

SCHEMA: dict[str, Any] = json.loads((files("codeagent_lsp.config") / "schema.json").read_text("utf-8"))
SERVER: dict[str, Any] = SCHEMA["definitions"]["server"]

VALUES: list[Any] = [None, True, False, 0, 1, -1, 1.5, 30000, 10**12, "", " ", "x", "http", "stdio", "sse", "local",
                     "remote", "auto", "legacy", "onDemand", [], ["x"], [1], [None], {}, {"A": "b"}, {"A": 1},
                     {"A": None}, {"A": []}, {"": "b"}, {"A=B": "c"}, {"A B": "c"}, {"Mcp-Session-Id": "x"},
                     {"content-length": "0"}, {"clientId": "x"}, {"clientId": 1}, {"callbackPort": 0},
                     {"callbackPort": 80}, {"scopes": "a b"}, {"scopes": ["a"]}, {"scopes": [1]}]  # fmt: skip

BASES: list[dict[str, Any]] = [{"command": "x"}, {"url": "http://h"}, {"disabled": True}, {}]


def is_sound(entry: Any) -> bool:
    document = parse(json.dumps({"mcpServers": {"a": entry}}))
    entries, _ = read_entries(document, "user", None, Path("/mcp.json"), "mcpServers")
    return isinstance(entries[0], Entry)


def fits(entry: Any) -> bool:
    return jsonschema.Draft7Validator(SCHEMA).is_valid({"mcpServers": {"a": entry}})


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)


def test_the_schema_has_every_key_with_a_description_and_no_other() -> None:
    assert set(SERVER["properties"]) == set(KEYS)
    assert set(SERVER["properties"]["oauth"]["properties"]) == set(OAUTH_KEYS)
    assert all(entry.get("description") for entry in SERVER["properties"].values())
    words = [word for part in SERVER["properties"]["type"]["anyOf"] for word in part["enum"] if word is not None]
    assert set(words) == set(TYPES)


@pytest.mark.parametrize("key", sorted(KEYS))
@pytest.mark.parametrize("base", BASES, ids=lambda base: next(iter(base), "empty"))
def test_reader_and_schema_agree_on_every_kind_of_value(base: dict[str, Any], key: str) -> None:
    use = KEYS[key]
    foreign = (use == "remote" and "command" in base) or (use == "stdio" and "url" in base)
    switch = "command" not in base and "url" not in base
    if (foreign or switch) and key not in ("command", "url"):
        return  # a key without effect is a warning of the reader's, whatever its value
    for value in VALUES:
        entry = {**base, key: value}
        if key == "type" and value is not None and not is_sound(entry) and fits(entry):
            continue  # that `type` fits `command` or `url` is the reader's to check
        if key == "url" and value not in (None, "") and isinstance(value, str):
            continue  # so is the form of a URL
        assert is_sound(entry) == fits(entry), entry


@pytest.mark.parametrize("entry", [None, 7, "x", [], True])
def test_an_entry_that_is_no_object_is_refused_by_both(entry: Any) -> None:
    assert not is_sound(entry)
    assert not fits(entry)


@pytest.mark.parametrize(("name", "fine"), [("a", True), ("my server", True), ("", False), (" ", False),
                                            ("__proto__", False), ("constructor", False)])  # fmt: skip
def test_names_are_refused_by_both(name: str, fine: bool) -> None:
    document = parse(json.dumps({"mcpServers": {name: {"command": "x"}}}))
    entries, _ = read_entries(document, "user", None, Path("/mcp.json"), "mcpServers")
    assert bool(entries) is fine
    assert jsonschema.Draft7Validator(SCHEMA).is_valid({"mcpServers": {name: {"command": "x"}}}) is fine


@pytest.mark.parametrize("key", ["mcpServers", "servers", "mcp_servers"])
def test_the_schema_serves_both_files_and_leaves_other_settings_alone(key: str) -> None:
    validator = jsonschema.Draft7Validator(SCHEMA)
    assert validator.is_valid({key: {"a": {"command": "x"}}, "theme": "dark"})
    assert not validator.is_valid({key: {"a": {"command": 1}}})
    assert not validator.is_valid({key: []})

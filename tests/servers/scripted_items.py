"""What the scripted servers list: good items, and the bad ones that real servers send."""

import json
from typing import Any

CAPABILITIES: dict[str, Any] = {
    "tools": {"listChanged": True},
    "resources": {"subscribe": True, "listChanged": True},
    "prompts": {"listChanged": True},
    "logging": {},
    "completions": {},
}

KEYS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}

ECHO: dict[str, Any] = {
    "name": "echo",
    "description": "Say it again.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
}
OBJECT = {"type": "object"}

BAD_TOOLS: dict[str, Any] = {
    "no_schema": {"name": "t"},
    "null_schema": {"name": "t", "inputSchema": None},
    "list_schema": {"name": "t", "inputSchema": []},
    "text_schema": {"name": "t", "inputSchema": "object"},
    "true_schema": {"name": "t", "inputSchema": True},
    "empty_schema": {"name": "t", "inputSchema": {}},
    "no_type": {"name": "t", "inputSchema": {"properties": {"x": {"type": "string"}}}},
    "any_of": {"name": "t", "inputSchema": {"anyOf": [OBJECT, OBJECT]}},
    "type_list": {"name": "t", "inputSchema": {"type": ["object", "null"]}},
    "type_array": {"name": "t", "inputSchema": {"type": "array"}},
    "required_text": {"name": "t", "inputSchema": {**OBJECT, "required": "x"}},
    "required_numbers": {"name": "t", "inputSchema": {**OBJECT, "required": ["x", 1]}},
    "properties_list": {"name": "t", "inputSchema": {**OBJECT, "properties": []}},
    "property_true": {"name": "t", "inputSchema": {**OBJECT, "properties": {"a": True}}},
    "property_text": {"name": "t", "inputSchema": {**OBJECT, "properties": {"a": "string", "b": {"type": "string"}}}},
    "schema_number": {"name": "t", "inputSchema": {**OBJECT, "$schema": 7}},
    "no_name": {"inputSchema": OBJECT},
    "number_name": {"name": 7, "inputSchema": OBJECT},
    "null_name": {"name": None, "inputSchema": OBJECT},
    "null_texts": {"name": "t", "title": None, "description": None, "inputSchema": OBJECT},
    "number_texts": {"name": "t", "title": 1, "description": ["x"], "inputSchema": OBJECT},
    "text_hint": {"name": "t", "annotations": {"readOnlyHint": "true"}, "inputSchema": OBJECT},
    "bad_hint": {"name": "t", "annotations": {"readOnlyHint": "yes please"}, "inputSchema": OBJECT},
    "list_annotations": {"name": "t", "annotations": [], "inputSchema": OBJECT},
    "null_annotations": {"name": "t", "annotations": None, "inputSchema": OBJECT},
    "text_icons": {"name": "t", "icons": "x.png", "inputSchema": OBJECT},
    "bad_icon": {"name": "t", "icons": [{"src": 1}], "inputSchema": OBJECT},
    "array_output": {"name": "t", "outputSchema": {"type": "array"}, "inputSchema": OBJECT},
    "bare_output": {"name": "t", "outputSchema": {"$id": "x"}, "inputSchema": OBJECT},
    "text_output": {"name": "t", "outputSchema": "string", "inputSchema": OBJECT},
    "null_output": {"name": "t", "outputSchema": None, "inputSchema": OBJECT},
    "list_meta": {"name": "t", "_meta": [], "inputSchema": OBJECT},
    "bad_execution": {"name": "t", "execution": {"taskSupport": "sometimes"}, "inputSchema": OBJECT},
    "unknown_member": {"name": "t", "x-vendor": {"a": 1}, "inputSchema": OBJECT},
    "same_name": {"name": "echo", "inputSchema": OBJECT},
    "null": None,
    "text": "t",
    "number": 7,
    "list": ["t"],
}
UNUSABLE_TOOLS = ("no_name", "number_name", "null_name", "null", "text", "number", "list")
"""The bad tools that can only be dropped."""

BAD_RESOURCES: dict[str, Any] = {
    "no_name": {"uri": "a://2"},
    "no_uri": {"name": "x"},
    "number_uri": {"uri": 7, "name": "y"},
    "number_mime": {"uri": "a://2", "name": "b", "mimeType": 5},
    "text_size": {"uri": "a://2", "name": "b", "size": "many"},
    "float_size": {"uri": "a://2", "name": "b", "size": 1.5},
    "bad_priority": {"uri": "a://2", "name": "b", "annotations": {"priority": 5}},
    "bad_audience": {"uri": "a://2", "name": "b", "annotations": {"audience": ["model"]}},
    "relative": {"uri": "b", "name": "b"},
    "empty_uri": {"uri": "", "name": "b"},
    "null": None,
}
UNUSABLE_RESOURCES = ("no_uri", "number_uri", "null")

BAD_PROMPTS: dict[str, Any] = {
    "no_name": {},
    "null_arguments": {"name": "q", "arguments": None},
    "object_arguments": {"name": "q", "arguments": {"x": {}}},
    "unnamed_argument": {"name": "q", "arguments": [{"description": "x"}, {"name": "ok"}]},
    "bad_required": {"name": "q", "arguments": [{"name": "x", "required": "maybe"}]},
    "null_title": {"name": "q", "title": None},
    "number_title": {"name": "q", "title": 1},
    "text": "q",
}
UNUSABLE_PROMPTS = ("no_name", "text")


def listed(told: dict[str, str], method: str) -> list[Any]:
    """Everything that a server with these behaviours lists."""
    match method:
        case "tools/list":
            if "tools" in told:
                return [{**ECHO, "name": f"tool_{number}"} for number in range(int(told["tools"]))]
            echo = {**ECHO}
            for word, member in (("schema", "inputSchema"), ("output_schema", "outputSchema")):
                if word in told:
                    echo[member] = json.loads(told[word])
            also = [{**ECHO, "name": name} for name in told.get("list", "").split(",") if name]
            return [echo, *also, *_bad(BAD_TOOLS, told.get("bad_tool"))]
        case "resources/list":
            return [{"uri": "a://1", "name": "one"}, *_bad(BAD_RESOURCES, told.get("bad_resource"))]
        case "resources/templates/list":
            return [{"uriTemplate": "a://{id}", "name": "by id"}]
        case _:
            return [{"name": "p", "arguments": [{"name": "x"}]}, *_bad(BAD_PROMPTS, told.get("bad_prompt"))]


def _bad(kinds: dict[str, Any], kind: str | None) -> list[Any]:
    return [] if kind is None else [kinds[kind]]


def page(told: dict[str, str], method: str, cursor: str | None) -> dict[str, Any]:
    """One page of a list."""
    key = KEYS[method]
    whole = listed(told, method)
    if "endless_pages" in told:
        return {key: whole, "nextCursor": "again"}
    size = int(told.get("page") or len(whole) or 1)
    start = int(cursor or 0)
    result: dict[str, Any] = {key: whole[start : start + size]}
    if start + size < len(whole):
        result["nextCursor"] = str(start + size)
    return result

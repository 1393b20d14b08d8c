"""Whatever a server calls a schema becomes one that every provider takes, and means no less to the caller."""

import copy
import json
import re
import time
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeagent_lsp.catalog.schema_words import KEYWORDS
from codeagent_lsp.catalog.schemas import MAX_BYTES, Sanitised, sanitise, sanitised

KEPT = {"type", "properties", "required", "additionalProperties", "items", *KEYWORDS}
EMPTY: dict[str, Any] = {"type": "object", "properties": {}}


STRING, INTEGER, NUMBER, NULL = ({"type": name} for name in ("string", "integer", "number", "null"))
STRINGS = {"type": "array", "items": STRING}


def clean(schema: object) -> dict[str, Any]:
    """Sanitise, and check what holds for every schema."""
    before = copy.deepcopy(schema)
    result = sanitise(schema)
    assert same(schema, before), "the input was changed"
    check(result)
    assert sanitise(result) == result, "sanitising twice is not sanitising once"
    return result


def same(one: object, other: object) -> bool:
    return json.dumps(one, default=repr) == json.dumps(other, default=repr)


def check(result: dict[str, Any]) -> None:
    assert result["type"] == "object" and isinstance(result["properties"], dict)
    assert len(json.dumps(result, allow_nan=False)) <= MAX_BYTES
    jsonschema.Draft202012Validator.check_schema(result)
    work: list[tuple[dict[str, Any], int]] = [(result, 0)]
    while work:
        node, depth = work.pop()
        assert depth <= 32
        assert not node.keys() - KEPT
        assert isinstance(node.get("type", ""), str)
        assert set(node.get("required", [])) <= set(node.get("properties", {}))
        assert (node.get("type") == "array") == ("items" in node)
        assert len(node.get("description", "")) <= 1000
        children = list(node.get("properties", {}).values())
        children += [node[key] for key in ("items", "additionalProperties") if isinstance(node.get(key), dict)]
        work += [(child, depth + 1) for child in children]


def prop(schema: object) -> Any:
    """What becomes of `schema` as a property `p`, beside one that must not be touched."""
    result = clean({"type": "object", "properties": {"p": schema, "q": INTEGER}})
    assert result["properties"]["q"] == INTEGER
    return result["properties"]["p"]


# --- SCH-01, SCH-19: whatever stands for a schema


@pytest.mark.parametrize(
    "schema",
    [
        *(None, {}, True, False, [], "x", 7, 1.5, "object"),
        {"type": "object"},
        STRING,
        STRINGS,
        {"type": ["null"]},
        {"type": []},
        {"type": None},
        {"type": {"a": 1}},
        {"type": "any"},
        {"properties": []},
        {"properties": None},
        {"properties": "x"},
        {"required": "x"},
        {"required": None, "properties": None},
        {"required": {"x": True}},
        {"type": "object", "required": [1, None, {}, []]},
        {"$id": "x"},
        {"$ref": "#"},
        {"$ref": "https://example.com/schema.json"},
        {"anyOf": []},
        {"anyOf": None, "allOf": "x", "oneOf": {}},
        {"anyOf": [STRING, INTEGER]},
        {"not": {}},
        {1: 2},
        {"type": "object", "patternProperties": {"^x": {}}},
    ],
    ids=repr,
)
def test_what_says_nothing_is_an_object_without_arguments(schema: object) -> None:
    assert clean(schema) == EMPTY


@pytest.mark.parametrize("extra", [True, False, STRING])
def test_the_word_on_further_properties_is_kept(extra: object) -> None:
    assert clean({"type": "object", "additionalProperties": extra}) == {**EMPTY, "additionalProperties": extra}
    assert clean({"additionalProperties": extra}) == {**EMPTY, "additionalProperties": extra}


@pytest.mark.parametrize("root", [{}, {"type": "object"}, {"type": ["object", "null"]}, {"type": "OBJECT"}])
def test_a_missing_type_is_an_object(root: dict[str, Any]) -> None:
    properties = {"x": STRING}
    assert clean({**root, "properties": properties}) == {"type": "object", "properties": properties}


def test_a_plain_schema_stays_as_it_is() -> None:
    schema = {
        "type": "object",
        "title": "Search",
        "description": "Finds things.",
        "properties": {
            "query": {"type": "string", "minLength": 1, "maxLength": 80, "pattern": "^[a-z]+$", "description": "what"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
            "ratio": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1.5, "multipleOf": 0.5},
            "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "uniqueItems": True},
            "when": {"type": "string", "format": "date-time", "examples": ["2025-01-01T00:00:00Z"]},
            "flag": {"type": "boolean", "default": False},
            "more": {"type": "object", "properties": {"x": NULL}, "additionalProperties": False},
            "map": {"type": "object", "additionalProperties": {"type": "array", "items": {}}, "maxProperties": 3},
        },
        "required": ["query", "limit"],
        "additionalProperties": False,
    }
    assert clean(schema) == schema
    assert sanitised(schema) == Sanitised(schema)


# --- SCH-02, SCH-04, SCH-23, SCH-24, SCH-25: references


def test_a_reference_is_replaced_and_its_siblings_win() -> None:
    kind = {"type": "string", "enum": ["a", "b"], "title": "K"}
    schema = {
        "type": "object",
        "$defs": {"K": {**kind, "description": "any"}},
        "properties": {"k": {"$ref": "#/$defs/K", "default": "a", "description": "kind"}},
        "required": ["k"],
    }
    assert clean(schema) == {
        "type": "object",
        "properties": {"k": {**kind, "default": "a", "description": "kind"}},
        "required": ["k"],
    }


@pytest.mark.parametrize("place", ["$defs", "definitions", "components", "x-types"])
def test_a_reference_may_point_anywhere_in_the_document(place: str) -> None:
    schema = {place: {"A": {"B": [0, INTEGER]}}, "properties": {"p": {"$ref": f"#/{place}/A/B/1"}}}
    assert clean(schema)["properties"]["p"] == INTEGER


def test_the_root_may_be_a_reference() -> None:
    args = {"type": "object", "properties": {"x": STRING}, "required": ["x"]}
    assert clean({"$ref": "#/$defs/Args", "$defs": {"Args": args}}) == args
    assert clean({"$ref": "#/definitions/Args", "definitions": {"Args": args}, "title": "T"}) == {**args, "title": "T"}


CYCLE = {"type": "object", "properties": {"v": STRING, "kids": {"items": {"$ref": "#/$defs/N"}}}}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (
            {"$defs": {"N": CYCLE}, "properties": {"root": {"$ref": "#/$defs/N"}}},
            {
                "root": {
                    "type": "object",
                    "properties": {"v": STRING, "kids": {"type": "array", "items": {"type": "object"}}},
                }
            },
        ),
        ({"type": "object", "properties": {"p": {"$ref": "#"}}}, {"p": {"type": "object"}}),
        ({"properties": {"p": {"$ref": "#"}}}, {"p": {"type": "object"}}),
        ({"$defs": {"A": {"$ref": "#/$defs/A"}}, "properties": {"p": {"$ref": "#/$defs/A"}}}, {"p": {}}),
        (
            {
                "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}},
                "properties": {"p": {"$ref": "#/$defs/A", "description": "d"}},
            },
            {"p": {"description": "d"}},
        ),
        ({"properties": {"p": {"$ref": "#/properties/p"}}}, {"p": {}}),
        ({"properties": {"p": {"$ref": "#/properties/q"}, "q": {"$ref": "#/properties/p"}}}, {"p": {}, "q": {}}),
        (
            {"$defs": {"L": {"anyOf": [NULL, {"$ref": "#/$defs/L"}]}}, "properties": {"p": {"$ref": "#/$defs/L"}}},
            {"p": {}},
        ),
        (
            {"$defs": {"L": {"allOf": [{"type": "object"}, {"$ref": "#/$defs/L"}]}},
             "properties": {"p": {"$ref": "#/$defs/L"}}},
            {"p": {"type": "object"}},
        ),
        ({"properties": {"p": {"$recursiveRef": "#"}, "q": {"$dynamicRef": "#"}}},
         {"p": {"type": "object"}, "q": {"type": "object"}}),
    ],
)  # fmt: skip
def test_a_cycle_is_cut(schema: dict[str, Any], expected: dict[str, Any]) -> None:
    assert clean(schema) == {"type": "object", "properties": expected}


def test_a_type_that_is_used_twice_is_no_cycle() -> None:
    point = {"type": "object", "properties": {"x": NUMBER}, "required": ["x"]}
    schema = {
        "$defs": {"P": point, "Line": {"properties": {"a": {"$ref": "#/$defs/P"}, "b": {"$ref": "#/$defs/P"}}}},
        "properties": {"from": {"$ref": "#/$defs/P"}, "line": {"$ref": "#/$defs/Line"}},
    }
    line = {"type": "object", "properties": {"a": point, "b": point}}
    assert clean(schema)["properties"] == {"from": point, "line": line}


@pytest.mark.parametrize(
    "identity", ["https://x/s", "https://x/s#", "http://x/a/b/s", "urn:uuid:1", "s", "not a uri", "https://[x"]
)
def test_a_reference_to_the_document_s_own_id_is_found(identity: str) -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "$id": identity,
        "properties": {"a": {"$ref": f"{identity.rstrip('#')}#/$defs/A"}, "b": {"$ref": "#/$defs/A"}},
        "$defs": {"A": STRING},
    }
    assert clean(schema) == {"type": "object", "properties": {"a": STRING, "b": STRING}}


def test_references_to_inner_ids_and_anchors_are_found() -> None:
    schema = {
        "$id": "https://x/dir/s",
        "properties": {
            "a": {"$ref": "https://x/dir/a"},
            "b": {"$ref": "a"},
            "c": {"$ref": "#anchor"},
            "d": {"$ref": "s#/$defs/A"},
            "e": {"$dynamicRef": "#dynamic"},
            "f": {"$ref": "a#/properties/x"},
        },
        "$defs": {
            "A": {"$id": "a", "type": "object", "properties": {"x": INTEGER}},
            "B": {"$anchor": "anchor", "type": "boolean"},
            "C": {"$dynamicAnchor": "dynamic", "type": "number"},
        },
    }
    inner = {"type": "object", "properties": {"x": INTEGER}}
    assert clean(schema)["properties"] == {
        "a": inner,
        "b": inner,
        "c": {"type": "boolean"},
        "d": inner,
        "e": NUMBER,
        "f": INTEGER,
    }


def test_pointers_are_unescaped_and_dangling_ones_allow_anything() -> None:
    schema = {
        "$defs": {
            "a/b": STRING,
            "c~d": INTEGER,
            "e f": NUMBER,
            "~1": {"type": "boolean"},
            "é": STRING,
            "": INTEGER,
            "data": 7,
        },
        "type": "object",
        "properties": {
            "p": {"$ref": "#/$defs/a~1b"},
            "q": {"$ref": "#/$defs/c~0d"},
            "r": {"$ref": "#/$defs/e%20f"},
            "s": {"$ref": "#/$defs/Nope"},
            "t": {"$ref": "#/properties/p"},
            "u": {"$ref": 7},
            "v": {"$ref": "#/$defs/~01"},
            "w": {"$ref": "#/$defs/%C3%A9"},
            "x": {"$ref": "#/$defs/"},
            "y": {"$ref": "#/$defs/data"},
            "z": {"$ref": "#/$defs/Nope", "type": "string", "description": "kept"},
        },
    }
    types = {"p": "string", "q": "integer", "r": "number", "t": "string", "v": "boolean", "w": "string", "x": "integer"}
    assert clean(schema)["properties"] == {
        **{name: {"type": types[name]} if name in types else {} for name in "pqrstuvwxy"},
        "z": {"type": "string", "description": "kept"},
    }


@pytest.mark.parametrize(
    "ref",
    ["https://example.com/x.json",
     "http://127.0.0.1:1/#/a",
     "file:///etc/passwd",
     "other.json#/a",
     "#nope",
     "##",
     "",
     "#/%zz",
     "#/" + "a/" * 5000, "//[", "#/properties/p/$ref", "#/properties/-1", "\ud800", None, [], {"$ref": "#"}],
)  # fmt: skip
def test_a_reference_to_elsewhere_is_dropped(ref: object) -> None:
    assert prop({"$ref": ref, "title": "kept"}).items() >= {"title": "kept"}.items()


def test_same_ids_of_two_schemas_do_not_meet() -> None:
    one, two = ({"$id": "https://x/s", "properties": {name: STRING}} for name in "ab")
    assert list(clean(one)["properties"]) == ["a"]
    assert list(clean(two)["properties"]) == ["b"]
    assert list(clean(one)["properties"]) == ["a"]


# --- SCH-05, SCH-06: bombs


def doubling(keyword: str) -> dict[str, Any]:
    """Thirty definitions, each of which uses the next one twice."""
    made: dict[str, Any] = {}
    for level in range(31):
        ref = {"$ref": f"#/$defs/L{level + 1}"}
        if keyword == "properties":
            made[f"L{level}"] = {"type": "object", "properties": {"a": ref, "b": ref}}
        elif keyword == "items":
            made[f"L{level}"] = {"type": "array", "items": {"anyOf": [ref, {"type": "array", "items": ref}]}}
        else:
            made[f"L{level}"] = {keyword: [ref, {"properties": {"x": ref}}, ref]}
    return {"type": "object", "$defs": made, "properties": {"root": {"$ref": "#/$defs/L0"}, "good": STRING}}


MANY = [{"$ref": "#/$defs/Wide"}] * 1000
BOMBS = {
    **{f"doubling {keyword}": doubling(keyword) for keyword in ("properties", "items", "anyOf", "oneOf", "allOf")},
    "wide": {"properties": {f"p{number}": STRING for number in range(20_000)}},
    "many branches of many": {
        "$defs": {"Wide": {"properties": {f"p{number}": STRING for number in range(1000)}}},
        "properties": {"good": STRING, "x": {"anyOf": MANY}, "y": {"allOf": MANY}},
    },
    "large enum": {"properties": {"good": STRING, "p": {"enum": [f"v{n}" for n in range(100_000)]}}},
    "shared enum": {
        "$defs": {"Wide": {"enum": [f"value {n}" for n in range(4_000)]}},
        "properties": {"good": STRING, "x": {"anyOf": MANY}},
    },
    "many required": {"properties": {"good": STRING}, "required": [f"r{n}" for n in range(100_000)]},
    "long chain": {
        "$defs": {f"L{n}": {"$ref": f"#/$defs/L{n + 1}"} for n in range(5000)},
        "properties": {"good": STRING, "p": {"$ref": "#/$defs/L0"}},
    },
    "long names": {"properties": {"good": STRING, **{f"{n}" * 10_000: {} for n in range(100)}}},
    "long texts": {
        "properties": {"good": STRING, **{f"p{n}": {"description": "\u202e" * 20_000} for n in range(50)}}
    },
    "large data": {"properties": {"good": STRING, "p": {"default": ["x" * 1000] * 1000}}},
    "many ids": {
        "$defs": {f"{n}": {"$id": f"https://x/{n}"} for n in range(20_000)},
        "properties": {"good": STRING, "p": {"$ref": "https://nowhere"}},
    },
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_does_not_go_off(name: str) -> None:
    began = time.process_time()
    result = sanitised(BOMBS[name])
    took = time.process_time() - began
    assert result.schema["properties"].get("good", STRING) == STRING
    assert clean(BOMBS[name]) == result.schema
    assert took < 0.4  # 0.2 s where nothing else runs


@pytest.mark.parametrize("name", ["doubling properties", "wide", "many required", "long names"])
def test_what_was_cut_is_said(name: str) -> None:
    assert sanitised(BOMBS[name]).notes


@pytest.mark.parametrize("levels", [31, 100, 250, 2_000, 20_000])
@pytest.mark.parametrize(
    "keyword", ["items", "properties", "additionalProperties", "anyOf", "allOf", "not", "if", "items[]"]
)
def test_depth_is_cut(levels: int, keyword: str) -> None:
    schema: dict[str, Any] = STRING
    for _ in range(levels):
        if keyword == "properties":
            schema = {"type": "object", "properties": {"x": schema}}
        elif keyword == "items[]":
            schema = {"type": "array", "items": [schema]}
        elif keyword in ("anyOf", "allOf"):
            schema = {keyword: [schema]}
        else:
            schema = {"type": "array" if keyword == "items" else "object", keyword: schema}
    result = sanitise({"properties": {"deep": schema, "good": STRING}})
    check(result)
    assert result["properties"]["good"] == STRING
    assert sanitise(result) == result


def test_deep_data_is_dropped_and_shallow_data_kept() -> None:
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    assert sanitise({"properties": {"p": {"default": deep, "enum": deep, "const": deep, "examples": deep}}}) == {
        "type": "object",
        "properties": {"p": {}},
    }
    assert prop({"default": [[[[{"a": [1]}]]]]}) == {"default": [[[[{"a": [1]}]]]]}


# --- SCH-07, SCH-08, SCH-09, SCH-10: combinations

CONTENT = {"properties": {"content": STRING}, "required": ["content"]}
URL = {"properties": {"url": STRING}, "required": ["url"]}
BOTH = {"content": STRING, "url": STRING}


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
@pytest.mark.parametrize("root", [{}, {"type": "object"}])
def test_alternatives_at_the_root_become_one_object(keyword: str, root: dict[str, Any]) -> None:
    for branches in ([CONTENT, URL], [{"type": "object", **CONTENT}, {"type": "object", **URL}]):
        assert clean({**root, keyword: branches}) == {"type": "object", "properties": BOTH}
        assert sanitised({keyword: branches}).alternatives == "One of: an object with `content`; an object with `url`."


def test_what_all_alternatives_require_is_required() -> None:
    one = {**CONTENT, "required": ["id", "content"], "additionalProperties": False}
    two = {**URL, "required": ["url", "id"], "additionalProperties": False}
    schema = {"properties": {"id": STRING}, "anyOf": [one, two]}
    assert clean(schema) == {
        "type": "object",
        "properties": {"id": STRING, **BOTH},
        "required": ["id"],
        "additionalProperties": False,
    }


def test_all_of_joins_everything() -> None:
    assert clean({"allOf": [CONTENT, URL, {"required": ["content"]}]}) == {
        "type": "object",
        "properties": BOTH,
        "required": ["content", "url"],
    }
    assert clean({"allOf": [{"$ref": "#/$defs/A"}, URL], "$defs": {"A": CONTENT}})["required"] == ["content", "url"]
    nested = {"allOf": [{"allOf": [CONTENT]}, {"anyOf": [URL, {"allOf": [URL]}]}]}
    assert clean(nested) == {"type": "object", "properties": BOTH, "required": ["content", "url"]}


def test_parts_of_the_same_property_come_together() -> None:
    one, two = {"p": {"type": "object", **CONTENT}}, {"p": {"type": "object", **URL}}
    joined = {"type": "object", "properties": BOTH, "required": ["content", "url"]}
    assert clean({"allOf": [{"properties": one}, {"properties": two}]})["properties"]["p"] == joined
    either = {
        "type": "object",
        "properties": BOTH,
        "description": "One of: an object with `content`; an object with `url`.",
    }
    assert clean({"oneOf": [{"properties": one}, {"properties": two}]})["properties"]["p"] == either


@pytest.mark.parametrize(
    "condition",
    [
        {"allOf": [{"if": {"properties": {"mode": {"const": "x"}}}, "then": {"required": ["size"]}}]},
        {"if": {"required": ["mode"]}, "then": {"required": ["size"]}, "else": {"required": ["x"]}},
        {"not": {"required": ["mode"]}},
        {"dependentRequired": {"mode": ["size"]}},
        {"dependentSchemas": {"mode": {"required": ["size"]}}},
        {"dependencies": {"mode": ["size"]}},
        {"propertyNames": {"pattern": "^m"}},
        {"unevaluatedProperties": False},
        {"patternProperties": {"^x": STRING}},
        {"anyOf": [{"not": {"required": ["mode"]}}, {"not": {"required": ["size"]}}]},
    ],
    ids=repr,
)
def test_conditions_go_and_the_rest_stays(condition: dict[str, Any]) -> None:
    plain = {"type": "object", "properties": {"mode": STRING}}
    assert clean({**plain, **condition}) == plain


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"anyOf": [STRING, NULL]}, STRING),
        ({"anyOf": [NULL, {"type": "integer", "minimum": 1}], "default": None},
         {"type": "integer", "minimum": 1, "default": None}),
        ({"oneOf": [{"type": "string", "maxLength": 3}, {"const": None}]}, {"type": "string", "maxLength": 3}),
        ({"anyOf": [STRINGS, NULL], "title": "T"}, {"type": "array", "items": STRING, "title": "T"}),
        ({"anyOf": [STRING]}, STRING),
        ({"anyOf": [NULL]}, NULL),
        ({"anyOf": [STRING, STRING]}, STRING),
        ({"anyOf": [INTEGER, NUMBER]}, {"type": "number", "description": "One of: an integer; a number."}),
        ({"anyOf": [{"const": "a"}, {"const": "b"}]}, {"type": "string", "enum": ["a", "b"]}),
        ({"anyOf": [{"enum": ["a", "b"]}, {"const": "c", "type": "string"}]},
         {"type": "string", "enum": ["a", "b", "c"]}),
        ({"oneOf": [{"const": 1, "title": "One"}, {"const": 2, "title": "Two"}]},
         {"type": "integer", "enum": [1, 2], "description": "One of: 1 (One); 2 (Two)."}),
        ({"anyOf": [{"type": "string", "enum": ["a"]}, STRING]},
         {"type": "string", "description": 'One of: "a"; a string.'}),
        ({"anyOf": [{"type": "string", "format": "uri"}, {"type": "string", "format": "email"}]},
         {"type": "string", "description": "One of: a string (uri); a string (email)."}),
        ({"anyOf": [{"const": 1}, {"const": "a"}]}, {"enum": [1, "a"]}),
        ({"anyOf": [True, NULL]}, {}),
        ({"anyOf": [False, STRING]}, STRING),
        ({"anyOf": [False]}, {}),
        ({"type": "string", "anyOf": [{"minLength": 2}, {"format": "uri"}]},
         {"type": "string", "description": "One of: a string; a string (uri)."}),
        ({"allOf": [INTEGER, {"type": "number", "minimum": 2}]}, {"type": "integer", "minimum": 2}),
        ({"allOf": [STRING], "description": "d"}, {"type": "string", "description": "d"}),
        ({"allOf": [{"enum": ["a", "b", "c"]}, {"enum": ["c", "b"]}]}, {"type": "string", "enum": ["b", "c"]}),
        ({"type": "array", "items": {"anyOf": [STRING, NULL]}}, STRINGS),
    ],
)  # fmt: skip
def test_combinations_in_a_property_become_one_schema(schema: dict[str, Any], expected: dict[str, Any]) -> None:
    assert prop(schema) == expected


@pytest.mark.parametrize(
    ("schema", "valid", "told"),
    [
        ({"anyOf": [STRING, STRINGS]}, ["x", ["x"]], ["a string", "a list of strings"]),
        ({"oneOf": [{"const": "auto"}, {"type": "integer", "minimum": 1}]}, ["auto", 3], ['"auto"', "an integer"]),
        ({"anyOf": [{"type": "object", **CONTENT}, STRING]},
         [{"content": "x"}, "x"],
         ["an object with `content`", "a string"]),
        ({"anyOf": [{"type": "string", "description": "a path"}, INTEGER]}, ["x", 1], ["a string (a path)"]),
        ({"anyOf": [{"type": "boolean"}, {"type": "array"}, {"type": "object"}]},
         [True, [], {}],
         ["true or false", "a list", "an object"]),
        ({"description": "Given.", "anyOf": [STRING, INTEGER]}, ["x", 1], ["Given.\nOne of: a string; an integer."]),
        ({"type": ["string", "integer"]}, ["x", 1], ["A string or an integer."]),
        ({"type": ["string", "object"], "properties": {"a": {}}, "required": ["a"]},
         ["x", {"a": 1}],
         ["A string or an object."]),
        ({"type": ["array", "null", "string"], "items": STRING}, [["x"], "x"], ["A list or a string."]),
    ],
)  # fmt: skip
def test_really_different_types_stay_possible_and_are_told(schema: Any, valid: list[Any], told: list[str]) -> None:
    shown = prop(schema)
    for value in valid:
        jsonschema.validate(value, shown)
        jsonschema.validate(value, schema)
    assert "type" not in shown
    assert all(text in shown["description"] for text in told)


def test_many_alternatives_are_told_in_bounds() -> None:
    shown = prop({"oneOf": [{"type": "string", "description": f"{n} " + "x" * 500} for n in range(500)]})
    assert len(shown["description"]) <= 500
    assert "more" in shown["description"]


# --- SCH-11, SCH-13, SCH-14, SCH-16, SCH-17: types and values


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": ["string", "null"]}, STRING),
        ({"type": ["null", "string"]}, STRING),
        ({"type": ["string"]}, STRING),
        ({"type": ["integer", "number"]}, NUMBER),
        ({"type": ["integer", "string"], "enum": [1, "auto"]}, {"enum": [1, "auto"]}),
        ({"type": ["integer", "string"], "enum": [1, 2]}, {"type": "integer", "enum": [1, 2]}),
        ({"type": ["string", "null"], "enum": ["a", None]}, {"type": "string", "enum": ["a"]}),
        ({"type": "integer", "enum": [1, "auto"]}, {"type": "integer", "enum": [1]}),
        ({"type": ["null"]}, NULL),
        ({"type": []}, {}),
        ({"type": ["strin", 7, None]}, {}),
        ({"type": "int"}, {}),
        ({"type": ["string", "string"]}, STRING),
        ({"type": ["object", "null"], "properties": {"v": True}}, {"type": "object", "properties": {"v": {}}}),
        ({"type": "array", "items": [NUMBER, NUMBER]}, {"type": "array", "items": NUMBER}),
        ({"type": "array", "prefixItems": [NUMBER], "items": False}, {"type": "array", "items": NUMBER, "maxItems": 1}),
        ({"items": [{"const": "a"}, {"const": "b"}], "additionalItems": False},
         {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "maxItems": 2}),
        ({"type": "array", "items": []}, {"type": "array", "items": {}}),
        ({"type": "array"}, {"type": "array", "items": {}}),
        ({"type": "array", "items": True}, {"type": "array", "items": {}}),
        ({"type": "array", "items": "x"}, {"type": "array", "items": {}}),
        (True, {}),
        (False, {}),
        (None, {}),
        ({"not": True}, {}),
        ({"enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}),
        ({"enum": [1, 2]}, {"type": "integer", "enum": [1, 2]}),
        ({"enum": [1, 2.5]}, {"type": "number", "enum": [1, 2.5]}),
        ({"enum": [True, False]}, {"type": "boolean", "enum": [True, False]}),
        ({"enum": ["a", None]}, {"type": "string", "enum": ["a"]}),
        ({"enum": [None]}, {"enum": [None]}),
        ({"enum": [1, True, "1", "1"]}, {"enum": [1, True, "1"]}),
        ({"enum": []}, {}),
        ({"enum": "a"}, {}),
        ({"enum": {"a": 1}}, {}),
        ({"const": "x"}, {"type": "string", "const": "x"}),
        ({"const": None}, {"const": None}),
        ({"const": 0}, {"type": "integer", "const": 0}),
        ({"type": "string", "const": 1}, {"type": "integer", "const": 1}),
        ({"type": "string", "enum": [1, 2]}, {"type": "integer", "enum": [1, 2]}),
        ({"type": "integer", "enum": [1.0]}, {"type": "integer", "enum": [1.0]}),
        ({"description": "d", "default": None}, {"description": "d", "default": None}),
        ({"properties": {}}, {"type": "object", "properties": {}}),
        ({"items": STRING}, STRINGS),
        ({"required": ["a"]}, {"type": "object", "properties": {"a": {}}, "required": ["a"]}),
        ({"additionalProperties": STRING}, {"type": "object", "additionalProperties": STRING}),
        ({}, {}),
        ({"type": "object", "properties": {"a": {}}, "required": ["a", "a", 7, "b"]},
         {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a", "b"]}),
        ({"type": "string", "required": True}, STRING),
        ({"type": "string", "minLength": -1, "maxLength": "9", "pattern": 3, "format": []}, STRING),
        ({"type": "integer", "minimum": "1", "maximum": True, "exclusiveMinimum": True}, INTEGER),
        ({"type": "string", "minLength": 2.0}, {"type": "string", "minLength": 2}),
        ({"type": "string", "pattern": "a\u202eb"}, STRING),
        ({"type": "string", "title": 7, "description": None}, STRING),
        ({"type": "string", "default": 9007199254740993}, {"type": "string", "default": 9007199254740993}),
    ],
)  # fmt: skip
def test_types_and_values_agree(schema: object, expected: dict[str, Any]) -> None:
    assert prop(schema) == expected


# --- SCH-20, SCH-22: names, data and unknown keywords


def test_properties_that_are_named_like_keywords_stay() -> None:
    names = [
        *("type", "$ref", "$id", "$schema", "$defs", "definitions", "anyOf", "allOf", "oneOf", "not", "if", "items"),
        *("properties", "required", "default", "examples", "const", "enum", "format", "title", "description"),
        *("additionalProperties", "__proto__", "constructor", "", " ", "\u202e", "a/b", "~", "$anchor"),
    ]
    schema = {"type": "object", "properties": dict.fromkeys(names, STRING), "required": names}
    assert clean(schema) == schema
    inner = {"type": "object", "properties": {"items": NUMBER, "$ref": STRING}}
    assert prop({"type": "object", "properties": {"properties": inner}})["properties"] == {"properties": inner}


@pytest.mark.parametrize("key", ["default", "examples", "const", "enum"])
@pytest.mark.parametrize(
    "value",
    [{"$ref": "#/x"}, {"anyOf": 1}, {"type": "z"}, {"type": ["a"], "x": None}, {"a": "\u202e\x1b"}, [[]], "\u200b"],
)
def test_data_is_not_touched(key: str, value: object) -> None:
    data = [value] if key in ("examples", "enum") else value
    assert prop({key: data})[key] == data


def test_data_at_the_root_is_not_touched() -> None:
    data = {"default": {"$ref": "#/x"}, "examples": [{"anyOf": 1}], "const": {"$ref": "y"}, "enum": [{"type": "z"}]}
    assert clean(data) == {**EMPTY, **data}


def test_unknown_keywords_go_and_known_ones_stay() -> None:
    schema = {
        "type": "string",
        "format": "uuid",
        "contentEncoding": "base64",
        "x-ui": {"a": 1},
        "cornerRadius": 3,
        "examples": ["e"],
        "deprecated": True,
        "exclusiveMinimum": True,
        "unevaluatedProperties": False,
        "patternProperties": {"^x": STRING},
        "nullable": True,
        "readOnly": True,
        "$comment": "c",
        "description": "d",
        "default": "e",
        "enum": ["e", "f"],
        "discriminator": {"propertyName": "x"},
    }
    kept = {
        "type": "string",
        "format": "uuid",
        "examples": ["e"],
        "description": "d",
        "default": "e",
        "enum": ["e", "f"],
    }
    assert prop(schema) == kept
    assert prop({"type": "string", "format": "textarea"}) == STRING


@pytest.mark.parametrize("uri", ["http://json-schema.org/draft-04/schema#", "not a uri", 7, None, {"a": 1}])
def test_schema_and_id_are_gone(uri: object) -> None:
    assert prop({"$schema": uri, "$id": uri, "id": uri, "type": "string"}) == STRING


# --- SCH-28: text


@pytest.mark.parametrize("wrap", ["properties", "items", "anyOf", "$ref", "additionalProperties"])
def test_hidden_characters_are_shown_at_every_depth(wrap: str) -> None:
    evil = {"type": "string", "description": "ok\u200b\U000e0049\u202eevil", "title": "\x1b[2J"}
    nested = {
        "properties": {"type": "object", "properties": {"p": evil}},
        "items": {"type": "array", "items": evil},
        "anyOf": {"anyOf": [evil, INTEGER]},
        "$ref": {"$ref": "#/$defs/E"},
        "additionalProperties": {"type": "object", "additionalProperties": evil},
    }[wrap]
    text = json.dumps(
        clean({"$defs": {"E": evil}, "properties": {"x": {"properties": {"y": nested}}}}), ensure_ascii=False
    )
    assert "\\\\u{200B}\\\\u{E0049}\\\\u{202E}evil" in text
    assert not re.search("[\u200b\u202e\U000e0049]|\\\\u001b", text)


def test_a_long_description_is_cut_and_says_so() -> None:
    text = prop({"type": "string", "description": "x" * 200_000})["description"]
    assert len(text) == 1000 and text.endswith(" more characters]")
    both = prop({"description": "x" * 2000, "anyOf": [STRING, INTEGER]})["description"]
    assert len(both) <= 1000 and both.endswith("more characters]\nOne of: a string; an integer.")
    assert prop({"description": "x" * 1000}) == {"description": "x" * 1000}


# --- output schemas


def test_an_output_schema_need_not_be_an_object() -> None:
    rows = {"type": "array", "items": {"$ref": "#/$defs/A"}, "$defs": {"A": STRING}}
    assert sanitised(rows, any_type=True).schema == STRINGS
    assert sanitised({"properties": {}}, any_type=True).schema == EMPTY
    assert sanitised({"type": "object"}, any_type=True).schema == {"type": "object"}
    assert sanitised({"$id": "x"}, any_type=True).schema == {}


# --- anything

JSON_TEXT = st.text(st.characters(codec="utf-8"), max_size=5)
SCALAR = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), JSON_TEXT)
JSON = st.recursive(
    SCALAR,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(JSON_TEXT, inner, max_size=3)),
    max_leaves=8,
)
TYPE = st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null", "any"])
REF = st.sampled_from(
    ["#", "#/$defs/A", "#/$defs/B", "#/properties/p", "#a", "x", "https://x/s#/$defs/A", "#/$defs/A/anyOf/0"]
)
NAME = st.sampled_from(["p", "q", "type", "$ref", "items"])


def schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, max_size=3)
    named = st.dictionaries(NAME, inner, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.one_of(TYPE, st.lists(TYPE, max_size=3)),
            "properties": named,
            "required": st.one_of(st.lists(NAME, max_size=3), SCALAR),
            "items": st.one_of(inner, some),
            "prefixItems": some,
            "additionalProperties": inner,
            "anyOf": some,
            "oneOf": some,
            "allOf": some,
            "not": inner,
            "$ref": REF,
            "$defs": st.fixed_dictionaries({}, optional={"A": inner, "B": inner}),
            "$id": st.sampled_from(["https://x/s", "x"]),
            "$anchor": st.sampled_from(["a", "b"]),
            "enum": st.one_of(st.lists(SCALAR, max_size=3), JSON),
            "const": JSON,
            "default": JSON,
            "description": st.one_of(JSON, st.text(min_size=900, max_size=1100)),
            "format": st.sampled_from(["uri", "x"]),
            "minimum": SCALAR,
        },
    )


SCHEMA = st.recursive(st.one_of(JSON, st.fixed_dictionaries({"type": TYPE})), schemas, max_leaves=10)


@settings(max_examples=250, deadline=None)
@given(st.one_of(SCHEMA, SCHEMA, JSON))
def test_any_json_becomes_a_valid_finite_schema_of_an_object(schema: object) -> None:
    clean(schema)


@settings(max_examples=100, deadline=None)
@given(SCHEMA)
def test_any_output_schema_becomes_one_that_is_valid_and_stays(schema: object) -> None:
    result = sanitised(schema, any_type=True).schema
    jsonschema.Draft202012Validator.check_schema(result)
    assert sanitised(result, any_type=True).schema == result


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.just(STRING),
            st.just(INTEGER),
            st.just(STRINGS),
            st.just({"enum": ["a", 1]}),
            st.just({"const": "b"}),
            st.fixed_dictionaries(
                {
                    "type": st.just("object"),
                    "properties": st.dictionaries(NAME, st.just(STRING), max_size=2),
                }
            ),
        ),
        min_size=1,
        max_size=4,
    ),
    st.one_of(st.sampled_from(["a", "b", "zzz", 1, 7, [], ["x"]]), st.dictionaries(NAME, st.just("v"), max_size=2)),
)
def test_no_valid_call_becomes_impossible(branches: list[Any], value: object) -> None:
    original = {"anyOf": branches}
    if jsonschema.Draft202012Validator(original).is_valid(value):
        jsonschema.validate(value, prop(original))


def test_values_that_are_no_json_do_no_harm() -> None:
    odd = {"default": {1, 2}, "enum": [object()], "const": float("nan"), "description": b"x", "minimum": float("inf")}
    assert sanitise({"properties": {"p": {"type": "string", **odd}}})["properties"] == {"p": STRING}
    assert sanitise({"properties": {1: STRING, "a": {"default": 10**5000}}}) == {
        "type": "object",
        "properties": {"a": {}},
    }


def test_a_schema_with_many_parts_is_whole() -> None:
    properties = {f"p{number}": {"type": "string", "description": "x" * 30} for number in range(1_000)}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    assert clean(schema) == schema
    assert not sanitised(schema).notes

"""Values to JSON and back: whatever is written is strict and reads back, and what is wrong is named."""

import json
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.protocol import COMMANDS, NOTIFICATIONS, QUESTIONS, WorkspaceTrustChanged
from codeagent_lsp.protocol.params import CallToolParams, CompleteArgumentParams, ListToolsParams, LogsParams
from codeagent_lsp.protocol.values import CallResult, Position, Range
from codeagent_lsp.protocol.wire import camel, dump, read

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=6)
KEYS = TEXT | st.sampled_from(["class", "jsonrpc", "id", "method", "_meta", "file-path", "__proto__", "type_name"])


def json_values(text: st.SearchStrategy[str], floats: st.SearchStrategy[float]) -> st.SearchStrategy[Any]:
    leaves = st.none() | st.booleans() | st.integers() | floats | text
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3), max_leaves=6
    )


STRICT_JSON = json_values(KEYS, st.floats(allow_nan=False, allow_infinity=False))
ANY_JSON = json_values(ANY_TEXT, st.floats())


def values(target: Any) -> st.SearchStrategy[Any]:
    """Any value of a type that travels."""
    if target is Any:
        return STRICT_JSON.filter(lambda value: value is not None)
    if attrs.has(target):
        return st.builds(target, **{item.name: values(item.type) for item in attrs.fields(target)})
    origin, args = get_origin(target), get_args(target)
    if origin in (Union, UnionType):
        return st.one_of([values(item) for item in args])
    if origin is Literal:
        return st.sampled_from(args)
    if origin is list:
        return st.lists(values(args[0]), max_size=2)
    if origin is dict:
        inner = STRICT_JSON if args[1] is Any else values(args[1])
        return st.dictionaries(KEYS, inner, max_size=2)
    return {str: TEXT, int: st.integers(), bool: st.booleans(), float: st.floats(allow_nan=False), NoneType: st.none()}[
        target
    ]


MESSAGES = [
    *(item for command in COMMANDS.values() for item in (command.params, command.result)),
    *(message.params for message in (*NOTIFICATIONS.values(), *QUESTIONS.values())),
    *(message.result for message in QUESTIONS.values()),
    WorkspaceTrustChanged,
]
CLASSES = sorted({item for item in MESSAGES if attrs.has(item)}, key=lambda item: item.__name__)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
@given(st.data())
@settings(max_examples=5, deadline=None)
def test_every_message_reads_back_as_it_was(cls: Any, data: st.DataObject) -> None:
    value = data.draw(values(cls))
    written = json.dumps(dump(value), allow_nan=False, ensure_ascii=False).encode("utf-8")
    assert read(json.loads(written), cls) == value


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
@given(ANY_JSON)
@settings(max_examples=5, deadline=None)
def test_anything_else_is_invalid_params_and_nothing_worse(cls: Any, data: Any) -> None:
    try:
        assert isinstance(read(data, cls), cls)
    except InvalidParams as error:
        assert error.message


@given(ANY_JSON)
@settings(max_examples=80, deadline=None)
def test_whatever_is_dumped_is_strict_json(value: Any) -> None:
    written = json.dumps(dump(value), allow_nan=False, ensure_ascii=False).encode("utf-8")
    assert dump(json.loads(written)) == json.loads(written)


@given(STRICT_JSON)
@settings(max_examples=60, deadline=None)
def test_arguments_pass_through_untouched(arguments: Any) -> None:
    call = read({"name": "t", "arguments": arguments}, CallToolParams)
    assert json.dumps(call.arguments) == json.dumps(arguments)
    result = CallResult("s", "t", False, "", [], 1, structured_content=arguments)
    if arguments is not None:
        assert json.dumps(dump(result)["structuredContent"]) == json.dumps(arguments)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (float("nan"), None),
        ([float("inf"), -float("inf")], [None, None]),
        ("\ud800", "�"),
        ({"\udfff": "a\ud800b"}, {"�": "a�b"}),
        ("\ud83d\ude00", "😀"),
        (2**200, 2**200),
        (9007199254740993, 9007199254740993),
        ({1: "x"}, {"1": "x"}),
        ((1, 2), [1, 2]),
        (True, True),
        (None, None),
    ],
)
def test_what_json_has_no_word_for_is_replaced(value: Any, written: Any) -> None:
    assert dump(value) == written


def test_absent_optional_fields_are_left_out_and_others_are_not() -> None:
    assert dump(CallToolParams(name="x")) == {"name": "x"}
    assert dump(ListToolsParams()) == {"waitMs": 8000, "includeDisabled": False}


@pytest.mark.parametrize(
    ("name", "wire"),
    [("a", "a"), ("input_schema", "inputSchema"), ("next_retry_at", "nextRetryAt"), ("wait_ms", "waitMs")],
)
def test_names_travel_in_camel_case(name: str, wire: str) -> None:
    assert camel(name) == wire


@pytest.mark.parametrize(
    ("cls", "data", "says"),
    [
        (LogsParams, {"line": 5}, "unknown field `line` (did you mean `lines`?)"),
        (LogsParams, {"zap": 5}, "unknown field `zap`"),
        (LogsParams, {"lines": "5"}, "`lines` must be an integer"),
        (LogsParams, {"lines": 1.5}, "`lines` must be an integer"),
        (LogsParams, {"lines": True}, "`lines` must be an integer"),
        (LogsParams, {"lines": [5]}, "`lines` must be an integer"),
        (LogsParams, {"follow": 1}, "`follow` must be true or false"),
        (LogsParams, {"follow": "true"}, "`follow` must be true or false"),
        (LogsParams, {"server": 5}, "`server` must be a string"),
        (LogsParams, [], "must be an object"),
        (LogsParams, None, "must be an object"),
        (LogsParams, "x", "must be an object"),
        (ListToolsParams, {"wait_ms": 5}, "unknown field `wait_ms` (did you mean `waitMs`?)"),
        (Range, {"start": {"line": 1, "character": 1}}, "missing field `end`"),
        (Range, {"start": {"line": 1}, "end": {}}, "missing field `start.character`"),
        (Range, {"start": {"line": "a", "character": 1}, "end": {}}, "`start.line` must be an integer"),
        (Range, {"start": None, "end": None}, "`start` must be an object"),
        (CompleteArgumentParams, {"server": "s", "ref": {"prompts": "x"}}, "unknown field `ref.prompts`"),
        (WorkspaceTrustChanged, {"workspaceTrust": "yes"}, "`workspaceTrust` must be"),
        (WorkspaceTrustChanged, {"workspaceTrust": {"file:///a": 1}}, "`workspaceTrust.file:///a` must be true"),
        (COMMANDS["codeagent.setLogLevel"].params, {"server": "s", "level": "loud"}, "`level` must be one of debug"),
        (COMMANDS["codeagent.setLogLevel"].params, {"server": "s", "level": 1}, "`level` must be one of debug"),
        (COMMANDS["codeagent.importConfig"].params, {"uri": "u", "servers": ["a", 5]}, "`servers[1]` must be a string"),
        (COMMANDS["codeagent.importConfig"].params, {"uri": "u", "servers": "ab"}, "`servers` must be an array"),
        (COMMANDS["codeagent.importConfig"].params, {"uri": "u", "servers": {"a": 1}}, "`servers` must be an array"),
        (COMMANDS["codeagent.status"].params, {"server": "s"}, "unknown field `server`"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(cls: Any, data: Any, says: str) -> None:
    with pytest.raises(InvalidParams) as error:
        read(data, cls)
    assert says in error.value.message


@pytest.mark.parametrize(
    ("cls", "data", "value"),
    [
        (LogsParams, {"lines": None, "server": None, "follow": None}, LogsParams()),
        (LogsParams, {"lines": 5.0}, LogsParams(lines=5)),  # a Lua client has no integers
        (Position, {"line": 2**40, "character": 0}, Position(2**40, 0)),
        (WorkspaceTrustChanged, {"workspaceTrust": True}, WorkspaceTrustChanged(True)),
        (WorkspaceTrustChanged, {"workspaceTrust": {"a": False}}, WorkspaceTrustChanged({"a": False})),
        (CallToolParams, {"arguments": []}, CallToolParams(arguments=[])),
    ],
)
def test_what_a_client_may_say_loosely_is_understood(cls: Any, data: Any, value: Any) -> None:
    assert read(data, cls) == value


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 1e400, -float("inf")])
def test_an_integer_is_finite(number: float) -> None:
    with pytest.raises(InvalidParams):
        read({"lines": number}, LogsParams)

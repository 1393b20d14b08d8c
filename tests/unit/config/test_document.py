"""The tree of a config file: what is accepted, what is said of the rest, and where."""

import json
import time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from codeagent_lsp.config.document import Document, Span, parse
from codeagent_lsp.protocol import Position, Range


def where(document: Document) -> str:
    """The stretch of text that the first problem points at."""
    span = document.problems[0].span
    return document.text[span.start : span.end]


def plain(text: str) -> Any:
    document = parse(text)
    assert document.ok, document.problems
    assert document.root is not None
    return document.root.plain()


# --- what is accepted ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            '{"mcpServers":{ // off for now\n "a":{"command":"true"} /* b */ }}',
            {"mcpServers": {"a": {"command": "true"}}},
        ),
        ('{"a":{"url":"http://h/mcp"}}', {"a": {"url": "http://h/mcp"}}),
        ('{"a":"/* no comment */ // neither"}', {"a": "/* no comment */ // neither"}),
        ('// first\n{"a":1}\n// last', {"a": 1}),
        ('/**/{"a":/***/1/* * / */}', {"a": 1}),
        ('{"a":["x",],}', {"a": ["x"]}),
        ('{"a":",}"}', {"a": ",}"}),
        ("[1,2,]", [1, 2]),
        ('{"a":1 // c\n,}', {"a": 1}),
        ('\ufeff{"a":1}', {"a": 1}),
        ('{"a":-1.5e+3,"b":0.5,"c":1E2,"d":-0}', {"a": -1500.0, "b": 0.5, "c": 100.0, "d": 0}),
        (r'{"a":"\u00e9\ud83d\ude00\n\t\"\\\/\b\f\r"}', {"a": 'é😀\n\t"\\/\b\f\r'}),
        ('{"":{"":[]}}', {"": {"": []}}),
        ('{"a":"tab\tinside"}', {"a": "tab\tinside"}),
        ("\r\n{\r\n}\r\n", {}),
        ("true", True),
        ('"text"', "text"),
        ("null", None),
    ],
)
def test_json_with_comments_and_trailing_commas_is_read_as_it_is_meant(text: str, value: Any) -> None:
    assert plain(text) == value
    assert parse(text).problems == ()


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(json_values, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_every_json_value_reads_as_the_json_module_reads_it(value: Any, ascii: bool, indent: int | str | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii, indent=indent)
    assert plain(text) == json.loads(text)


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.sampled_from(list("{}[]:,\"\\/*\n\r\t abu0-.eNtf1'#é😀\ud800\0\xa0")), max_size=60))
@example('"\\')
@example('{"a')
@example('{"a\\"')
@example("/*")
@example("]" * 50)
@example('{"a":"b","c":}')
def test_no_text_makes_the_parser_raise(text: str) -> None:
    document = parse(text)
    size = len(document.text)
    for problem in document.problems:
        assert 0 <= problem.span.start <= problem.span.end <= size
        document.range(problem.span)
    for offset in range(0, size + 1, 7):
        document.path_at(offset)
        document.node_at(offset)
    if document.root is not None:
        document.root.plain()
    if not document.ok:
        assert document.problems[0].severity == "error"
        with pytest.raises(json.JSONDecodeError):
            json.loads(text)


@settings(max_examples=50, deadline=None)
@given(json_values, st.data())
def test_cutting_a_file_short_never_raises_and_never_passes_for_whole(value: Any, data: st.DataObject) -> None:
    text = json.dumps({"mcpServers": value})
    cut = data.draw(st.integers(0, len(text) - 1))
    document = parse(text[:cut])
    assert not document.ok
    assert document.problems[0].message


# --- what is said of broken text -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ('{"mcpServers":{"a":{"command":"true"}', "}", "expected `}` for the `{` in line 1"),
        ('{"a":[1,2', "2", "expected `]` for the `[` in line 1"),
        ('{"a":[1,2}', "}", "expected `]` before `}`"),
        ('{"a":{"b":1]}', "]", "unexpected `]`"),
        ('{"a":1]}', "]", "unexpected `]`"),
        ('{"a":{}}}', "}", "unexpected `}`"),
        ('{"a":1 "b":2}', '"b"', "expected `,` or `}` before `b`"),
        ('["a" "b"]', '"b"', "expected `,` or `]`"),
        ('{"a" 1}', "1", "expected `:` after `a`"),
        ('{"a"}', "}", "expected `:` after `a`"),
        ('{"a":}', "}", "expected a value after `a`"),
        ('{"a":,"b":1}', ",", "expected a value after `a`"),
        ('{"command":\n"args":[]}', '"command"', "expected a value after `command`"),
        ('{"a":"b\n}', '"b', 'expected `"` before the end of the line'),
        ('{"a":"b\\"}', '"b\\"}', 'expected `"`'),
        ('{"a": /* c }', "/*", "expected `*/`"),
        ("[1,,2]", ",", "expected a value"),
        ("{,}", ",", "expected a key"),
        ("{} {}", "{", "after the end"),
        ('{"a":1}x', "x", "unexpected `x`"),
        ("{a:1}", "a", "double quotes"),
        ("{'a':1}", "'a'", "straight double quotes"),
        ("{“a”:1}", "“a”", "straight double quotes"),
        ('{"a":True}', "True", "`true`"),
        ('{"a":None}', "None", "`null`"),
        ('{"a":undefined}', "undefined", "`null`"),
        ('{"a":tru}', "tru", "unexpected `tru`"),
        ('{"a":01}', "01", "unexpected `01`"),
        ('{"a":+1}', "+1", "unexpected `+1`"),
        ('{"a":.5}', ".5", "unexpected `.5`"),
        ('{"a":0x10}', "0x10", "unexpected `0x10`"),
        ('# c\n{"a":1}', "#", "`//`"),
        ('{\u00a0"a":1}', "\u00a0", "no white space"),
        ('{"a":\ufeff1}', "\ufeff1", "unexpected"),
        ("", "", "the file is empty"),
        (" \n ", " \n ", "the file is empty"),
        ("// nothing", "// nothing", "the file is empty"),
        ("{1:2}", "1", "expected a key in double quotes"),
        ('["a":1]', ":", "unexpected `:`"),
        ("mcpServers:\n  a: {}", "mcpServers", "double quotes"),
    ],
)
def test_a_broken_text_has_one_problem_at_the_place_that_says_what_was_expected(
    text: str, place: str, words: str
) -> None:
    document = parse(text)
    assert not document.ok
    assert [problem.severity for problem in document.problems] == ["error"]
    assert where(document) == place
    assert words in document.problems[0].message


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("NaN", "not a number of JSON"),
        ("Infinity", "not a number of JSON"),
        ("-Infinity", "not a number of JSON"),
        ("1e999", "too large"),
        ("-1e999", "too large"),
        ("9" * 400, "308 digits"),
        ("9" * 5000, "308 digits"),
        (r'"C:\Users"', "is not an escape"),
        (r'"\x41"', "is not an escape"),
        (r'"\u12"', "is not an escape"),
        (r'"\uZZZZ"', "is not an escape"),
        ("[" * 70 + "]" * 70, "deeper than 64"),
        ('{"a":' * 70 + "1" + "}" * 70, "deeper than 64"),
    ],
)
def test_a_value_that_json_has_not_is_a_problem_of_its_own_and_the_rest_stays_good(value: str, words: str) -> None:
    document = parse(f'{{"bad":{value},"good":1}}')
    assert document.ok
    assert [problem.severity for problem in document.problems] == ["error"]
    assert words in document.problems[0].message
    assert document.root is not None
    assert document.root.plain()["good"] == 1
    assert any(node.kind == "invalid" for node in _nodes(document.root))


def _nodes(node: Any) -> list[Any]:
    inner = [*node.items, *(member.value for member in node.members)]
    return [node, *(deeper for child in inner for deeper in _nodes(child))]


def test_sixty_four_levels_are_read() -> None:
    assert parse("[" * 64 + "]" * 64).problems == ()
    assert len(parse("[" * 65 + "]" * 65).problems) == 1


def test_of_two_equal_keys_the_last_one_counts_and_the_first_one_is_told() -> None:
    text = '{"a":1,\n"b":2,\n"a":3,\n"a":4}'
    document = parse(text)
    assert document.ok
    assert document.root is not None
    assert document.root.plain() == {"a": 4, "b": 2}
    assert document.root.get("a") == document.at(("a",))
    starts = [problem.span.start for problem in document.problems]
    assert starts == [1, text.index('"a":3')]
    assert all(problem.severity == "warning" for problem in document.problems)
    assert "line 3" in document.problems[0].message


def test_keys_that_only_look_different_are_the_same_key() -> None:
    document = parse(r'{"a":1,"\u0061":2}')
    assert document.root is not None
    assert document.root.plain() == {"a": 2}
    assert len(document.problems) == 1


@pytest.mark.parametrize(
    "text",
    [
        "[" * 500_000,
        '{"a":' * 90_000,
        '"' * 1_000_000,
        "]" * 1_000_000,
        "[," * 250_000,
        '{"a" ' * 90_000,
        "," * 1_000_000,
        "/*" * 500_000,
        '"\n' * 300_000,
        '"' + "\\" * 1_000_000,
        "x y " * 250_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_a_large_hostile_text_is_refused_in_bounded_time(text: str) -> None:
    start = time.monotonic()
    assert not parse(text).ok
    assert time.monotonic() - start < 10


# --- places ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("encoding", "start", "end"), [("utf-8", 11, 15), ("utf-16", 7, 9), ("utf-32", 6, 7)])
def test_ranges_count_in_the_negotiated_encoding(encoding: Any, start: int, end: int) -> None:
    text = '{"a":1,\r\n"ü😀é":😀}'
    document = parse(text)
    offset = text.index("😀}")
    assert document.range(Span(offset, offset + 1), encoding) == Range(Position(1, start), Position(1, end))


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_end_as_lsp_has_it(newline: str) -> None:
    document = parse(newline.join(["{", '"a":', "1}"]))
    assert document.position(document.text.index("1")) == Position(2, 0)


@settings(max_examples=80, deadline=None)
@given(
    st.text(alphabet=st.sampled_from(list("aé😀\n\r{")), max_size=20), st.sampled_from(["utf-8", "utf-16", "utf-32"])
)
def test_a_position_leads_back_to_its_offset(text: str, encoding: Any) -> None:
    document = parse(text)
    for offset in range(len(text) + 1):
        if offset and text[offset - 1 : offset + 1] == "\r\n":
            continue
        assert document.offset(document.position(offset, encoding), encoding) == offset


def test_positions_beyond_the_text_are_its_end() -> None:
    document = parse('{"a":1}\n')
    assert document.offset(Position(9, 9)) == 8
    assert document.offset(Position(0, 99)) == 7
    assert document.position(99) == Position(1, 0)


TEXT = '{"servers": {"a": {"command": "npx", "args": ["-y", "x"]}}}'


@pytest.mark.parametrize(
    ("at", "path", "on_key"),
    [
        ('"servers"', ("servers",), True),
        ('"npx"', ("servers", "a", "command"), False),
        ('"args"', ("servers", "a", "args"), True),
        ('"-y"', ("servers", "a", "args", 0), False),
        ('"x"', ("servers", "a", "args", 1), False),
        (', "args"', ("servers", "a", "command"), False),
    ],
)
def test_the_path_at_an_offset_leads_to_the_innermost_value(at: str, path: tuple[Any, ...], on_key: bool) -> None:
    document = parse(TEXT)
    offset = TEXT.index(at)
    assert document.path_at(offset) == path
    assert document.on_key(offset) is on_key


def test_nodes_and_keys_are_found_by_path() -> None:
    document = parse(TEXT)
    node = document.at(("servers", "a", "args", 1))
    key = document.key_at(("servers", "a"))
    assert node is not None
    assert node.value == "x"
    assert key is not None
    assert document.text[key.span.start : key.span.end] == '"a"'
    assert document.at(("servers", "b", "args")) is None
    assert document.at(("servers", "a", "args", 7)) is None
    assert document.key_at(()) is None


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{"servers": {"a": {"command": |', ("servers", "a", "command")),
        ('{"servers": {"a": {"command": "np|', ("servers", "a", "command")),
        ('{"servers": {"a": {"command": "np|\n "args": []}}}', ("servers", "a", "command")),
        ('{"servers": {"a": {"command": |\n "args": []}}}', ("servers", "a", "command")),
        ('{"servers": {"a": {"comm|"', ("servers", "a", "comm")),
        ('{"servers": {"a": {"command": "x" "ar|"}}}', ("servers", "a", "ar")),
        ('{"servers": {"a": {"command": "x", |}}}', ("servers", "a")),
        ('{"servers": {"a": {"args": ["x" |', ("servers", "a", "args")),
        ('{"servers": {"a": {"type": ht|}}}', ("servers", "a", "type")),
        ('{"servers": {"a": {ty|}}}', ("servers", "a", "ty")),
    ],
)
def test_half_written_text_still_knows_where_the_cursor_is(text: str, path: tuple[Any, ...]) -> None:
    offset = text.index("|")
    assert parse(text.replace("|", "")).path_at(offset) == path


def test_a_mistake_leaves_the_neighbours_in_the_tree() -> None:
    document = parse('{"mcpServers": {"a": {"command": "x" "args": ["1" "2"]}, "b": {"url": "http://h"}}}')
    assert document.root is not None
    servers = document.root.plain()["mcpServers"]
    assert servers == {"a": {"command": "x", "args": ["1", "2"]}, "b": {"url": "http://h"}}

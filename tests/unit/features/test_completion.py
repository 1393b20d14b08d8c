"""Completion of mentions: the right items, in edits and filter texts that every editor can use."""

import asyncio
import time
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import converters, types

from codeagent_lsp.errors import Timeout
from codeagent_lsp.features import completion
from codeagent_lsp.features.completion_json import as_json
from codeagent_lsp.features.documents import Document
from codeagent_lsp.features.index import MentionIndex
from codeagent_lsp.features.positions import Encoding
from codeagent_lsp.protocol.params import CompleteArgumentParams
from codeagent_lsp.protocol.results import Completion
from mention_kit import ENCODINGS, View, applied, document, found, index_of, marked, resource, status, template

CONVERTER = converters.get_converter()
INDEX = index_of(
    {
        "docs": [
            resource("docs", "note://a/bc", "Alpha", title="The first"),
            resource("docs", "note://a/b d", "Spaced"),
            resource("docs", "note://readme", "Readme"),
            resource("docs", "x://é", "Accent"),
        ],
        "my docs": ["n://1"],
        "db": None,
        "other": [],
    },
    db=status("db", state="starting"),
)


def texts(result: types.CompletionList) -> list[str]:
    return [edit(item).new_text for item in result.items]


def edit(item: types.CompletionItem) -> types.TextEdit:
    assert isinstance(item.text_edit, types.TextEdit)
    return item.text_edit


def check(doc: Document, position: types.Position, result: types.CompletionList) -> None:
    """What must be true of every item wherever it was asked for."""
    line, cursor = doc.offset(position)
    assert as_json(result) == CONVERTER.unstructure(result)
    for item in result.items:
        span = edit(item).range
        assert span.start.line == span.end.line == line
        start, end = doc.offset(span.start)[1], doc.offset(span.end)[1]
        assert start < cursor <= end and doc.line(line)[start] == "@"
        assert item.filter_text is not None
        assert item.filter_text.startswith(doc.line(line)[start:cursor])
        assert item.insert_text_format == types.InsertTextFormat.PlainText
        assert not item.command and not item.additional_text_edits and not item.documentation
        assert edit(item).new_text.isprintable() and edit(item).new_text.startswith("@")
        assert applied(doc, edit(item)).count("@") <= doc.text().count("@")
    assert [item.sort_text for item in result.items] == sorted(item.sort_text or "" for item in result.items)


def complete(marked_text: str, encoding: Encoding = "utf-16", language: str = "markdown") -> types.CompletionList:
    doc, position = marked(marked_text, encoding, language)
    result = completion.complete(doc, position, INDEX)
    check(doc, position, result)
    return result


EVERY_SERVER = ["@db:", "@docs:", '@"my docs":', "@other:"]
EVERY_NOTE = ["@docs:note://a/b%20d", "@docs:note://a/bc", "@docs:note://readme", "@docs:x://é"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("before", ["", "see ", "😀 (", "é\r\n\t- "])
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("@|", EVERY_SERVER),
        ("@do|", ["@docs:", '@"my docs":']),
        ("@DO|", ["@docs:", '@"my docs":']),
        ("@doc|s", ["@docs:", '@"my docs":']),
        ('@"my|', ['@"my docs":']),
        ('@"my|"', ['@"my docs":']),
        ("@docs:|", EVERY_NOTE),
        ("@docs:|)", EVERY_NOTE),
        ("@docs:|, and", EVERY_NOTE),
        ("@docs:note://a/b|c", EVERY_NOTE[:2]),
        ("@docs:NOTE://A/B|c", EVERY_NOTE[:2]),
        ("@docs:note://a/b |", EVERY_NOTE[:1]),
        ("@docs:note://a/b%20|", EVERY_NOTE[:1]),
        ("@docs:note://a|/bc", EVERY_NOTE[:2]),
        ("@docs:readme|", ["@docs:note://readme"]),
        ("@docs:first|", ["@docs:note://a/bc"]),
        ("@docs:Alph|", ["@docs:note://a/bc"]),
        ("@docs:x://%C3|", []),
        ("@docs:x://%C3%A9|", ["@docs:x://é"]),
        ("@docs:zzz|", []),
        ("@docs:note://a and|", []),
        ("@docs:note://readme) more|", []),
        ('@"my docs":|', ['@"my docs":n://1']),
        ("@db:|", []),
        ("@other:|", []),
        ("@zz|", []),
        ("@@do|", []),
        ("me@do|", []),
        ("std::|", []),
        ("http:|", []),
        ("http://u:p@docs:|", []),
        ("@nobody:|", []),
        ("and/|", []),
        ("@ do|", []),
        ("@docs |", []),
        ("x @do |", []),
    ],
)
def test_what_can_be_mentioned_is_offered(encoding: Encoding, before: str, typed: str, offered: list[str]) -> None:
    if before and typed.startswith(("@@", "me@")):
        before += " "
    assert sorted(texts(complete(before + typed, encoding))) == sorted(offered)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("see @docs:note://a/b|c now", "see @docs:note://a/b%20d now"),
        ("(@docs:|)", "(@docs:note://readme)"),
        ("see @docs:note://|a/bc now", "see @docs:note://readme now"),
        ("(@docs:note://|a/b d) x", "(@docs:note://readme) x"),
        ("**@docs:note|://zz**", "**@docs:note://readme**"),
        ("@docs:|note://a/bc, @docs:note://a/bc", "@docs:note://readme, @docs:note://a/bc"),
    ],
)
def test_the_edit_replaces_the_whole_mention(before: str, after: str) -> None:
    doc, position = marked(before)
    result = completion.complete(doc, position, INDEX)
    check(doc, position, result)
    assert after in [applied(doc, edit(item)) for item in result.items]


def test_another_server_keeps_the_uri_behind_it() -> None:
    doc, position = marked("see @d|ocs:note://readme.")
    result = completion.complete(doc, position, INDEX)
    check(doc, position, result)
    assert applied(doc, edit(result.items[0])) == "see @db:note://readme."


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("@|", []),
        ("# @|", []),
        ("# @do|", ["@docs:"]),
        ("@doc|", ["@docs:"]),
        ("@pro|", []),
        ("@docs:|", EVERY_NOTE),
        ("@docs:rea|", ["@docs:note://readme"]),
        ('@docs:|JvmName("X")', EVERY_NOTE),
    ],
)
def test_in_code_a_known_name_must_have_begun(typed: str, offered: list[str]) -> None:
    assert sorted(texts(complete(typed, language="python"))) == sorted(offered)


def test_an_annotation_behind_the_cursor_is_not_eaten() -> None:
    doc, position = marked('@docs:|JvmName("X")', language="kotlin")
    item = completion.complete(doc, position, INDEX).items[0]
    assert applied(doc, edit(item)).endswith('JvmName("X")')


def test_a_list_is_incomplete_when_typing_on_would_find_more() -> None:
    assert complete("@docs:|").is_incomplete is False
    assert complete("@docs:note|").is_incomplete is False
    assert complete("@docs:readme|").is_incomplete is True
    assert complete("@|").is_incomplete is False
    assert complete("@db:|").is_incomplete is True
    assert complete("no mention|").is_incomplete is False
    many = index_of({"d": [f"n://{number:03d}" for number in range(201)]})
    for text, incomplete, count in (("@d:|", True, 200), ("@d:n://0|", False, 100), ("@d:n://1|", False, 100)):
        doc, position = marked(text)
        result = completion.complete(doc, position, many)
        assert (result.is_incomplete, len(result.items)) == (incomplete, count)


def test_a_uri_that_is_listed_twice_is_offered_once() -> None:
    index = index_of(
        {"d": [resource("d", "n://a", "One"), resource("d", "n://a", "Two"), resource("d", "n://b", "One")]}
    )
    doc, position = marked("@d:|")
    items = completion.complete(doc, position, index).items
    assert [(item.label, item.detail) for item in items] == [("n://a", "One"), ("n://b", "One")]


def test_ten_thousand_resources_are_cut_and_quick() -> None:
    index = index_of({"d": [resource("d", f"n://{number}", f"Name {number}") for number in range(10_000)]})
    for text in ("@d:|", "@d:n|", "@d:n://99|", "@d:name 5|", "@d:9|", "@d:zzzz|"):
        doc, position = marked(text)
        start = time.process_time()
        result = completion.complete(doc, position, index)
        assert time.process_time() - start < 1
        assert len(result.items) <= 200
        assert result.is_incomplete or len(result.items) < 200
    doc, position = marked("@d:9999|")
    assert texts(completion.complete(doc, position, index)) == ["@d:n://9999"]


def test_two_hundred_servers_are_the_most_that_is_offered() -> None:
    index = index_of({f"s{number:03d}": [] for number in range(300)})
    doc, position = marked("@|")
    result = completion.complete(doc, position, index)
    assert len(result.items) == 200 and result.is_incomplete


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("place", [(0, 4), (0, 5), (0, 99), (7, 0), (2**31 - 1, 2**31 - 1)])
def test_a_position_that_the_text_does_not_have_yet_is_answered(encoding: Encoding, place: tuple[int, int]) -> None:
    doc = document("see ", encoding)
    assert completion.complete(doc, types.Position(*place), INDEX).items == []
    edit = types.TextDocumentContentChangePartial(
        text="@", range=types.Range(types.Position(0, 4), types.Position(0, 4))
    )
    doc.change(edit)
    assert len(completion.complete(doc, types.Position(0, 5), INDEX).items) == 4


def test_a_position_inside_a_surrogate_pair_is_answered() -> None:
    doc = document("@docs:😀")
    assert completion.complete(doc, types.Position(0, 7), INDEX).items != []


@pytest.mark.parametrize(
    "uri",
    [
        "${1:$(rm)}",
        "a\nb",
        "x\r\ny",
        "\u202egpj",
        "$1",
        "x\x00y",
        "command:foo",
        'x"onmouseover=',
        "`",
        "|",
        "a b",
        ".",
    ],
)
def test_a_hostile_uri_is_inserted_as_plain_text_that_means_it(uri: str) -> None:
    index = index_of({"d": [uri]})
    doc, position = marked("see @d:|")
    result = completion.complete(doc, position, index)
    check(doc, position, result)
    (item,) = result.items
    assert item.label.isprintable() and (item.detail or "").isprintable()
    assert found(applied(doc, edit(item)), index) == [(edit(item).new_text, "d", uri)]


def test_documentation_comes_on_resolve_and_is_data() -> None:
    evil = "[x](command:workbench.action.terminal) ![p](http://127.0.0.1/t.png) <script>``` ````"
    index = index_of({"d": [resource("d", "n://a", "A", description=evil), template("d", "t://{x}", description=evil)]})
    doc, position = marked("@d:|")
    for item in completion.complete(doc, position, index).items:
        plain = completion.resolve(item, index, markdown=False).documentation
        assert isinstance(plain, types.MarkupContent) and plain.kind == types.MarkupKind.PlainText
        rich = completion.resolve(item, index, markdown=True).documentation
        assert isinstance(rich, types.MarkupContent) and rich.kind == types.MarkupKind.Markdown
        assert rich.value.startswith("`````text\n") and rich.value.endswith("\n`````")
    doc, position = marked("@|")
    item = completion.complete(doc, position, index).items[0]
    assert completion.resolve(item, index, markdown=True).documentation is not None


@pytest.mark.parametrize("data", [None, 1, [], {}, {"server": "gone"}, {"server": "d", "uri": "gone"}, {"server": 3}])
def test_resolving_something_stale_gives_the_item_back(data: Any) -> None:
    item = types.CompletionItem(label="x", data=data)
    index = index_of({"d": []})
    assert evolve(completion.resolve(item, index, markdown=True), documentation=None) == item


TEMPLATES = index_of(
    {
        "docs": ["note://one", template("docs", "note://{id}", "A note"), template("docs", "gh://{owner}/{repo}")],
        "proj": [template("proj", "p://{x}")],
        "off": [template("off", "o://{x}")],
        "bad": [template("bad", "x://{"), template("bad", "x://{a b}")],
    },
    proj=status("proj", scope="project"),
    off=status("off", state="stopped"),
)


def with_values(text: str, values: list[str] | Exception, **more: Any) -> tuple[types.CompletionList, list[Any]]:
    asked: list[CompleteArgumentParams] = []

    async def ask(params: CompleteArgumentParams) -> Completion:
        asked.append(params)
        if isinstance(values, Exception):
            raise values
        return Completion(values, False)

    doc, position = marked(text)
    result = completion.complete(doc, position, TEMPLATES)
    argument = completion.open_argument(doc, position, TEMPLATES, **more)
    if argument:
        result = asyncio.run(completion.with_values(result, argument, ask))
    check(doc, position, result)
    return result, [(item.server, item.ref.template, item.argument.name, item.argument.value) for item in asked]


def test_templates_are_offered_whole() -> None:
    result, asked = with_values("@docs:|", [])
    assert texts(result) == ["@docs:note://one", "@docs:note://{id}", "@docs:gh://{owner}/{repo}"]
    assert asked == [] and result.is_incomplete


@pytest.mark.parametrize(
    ("text", "question", "inserted"),
    [
        ("@docs:note://re|", ("docs", "note://{id}", "id", "re"), "@docs:note://readme"),
        ("@docs:note://{id}|", ("docs", "note://{id}", "id", ""), "@docs:note://readme"),
        ("@docs:note://{i|d}, x", ("docs", "note://{id}", "id", ""), "@docs:note://readme"),
        ("@docs:gh://m|", ("docs", "gh://{owner}/{repo}", "owner", "m"), "@docs:gh://readme/{repo}"),
        ("@docs:gh://me/|", ("docs", "gh://{owner}/{repo}", "repo", ""), "@docs:gh://me/readme"),
    ],
)
def test_values_come_from_the_server(text: str, question: tuple[str, ...], inserted: str) -> None:
    result, asked = with_values(text, ["readme"])
    assert asked == [question]
    assert texts(result)[0] == inserted and result.is_incomplete


def test_earlier_values_are_told_as_context() -> None:
    doc, position = marked("@docs:gh://me/r|")
    argument = completion.open_argument(doc, position, TEMPLATES)
    assert argument is not None and argument.params().context == {"arguments": {"owner": "me"}}


@pytest.mark.parametrize("text", ["@proj:p://s|", "@off:o://s|", "@bad:x://{|", "see |", "@docs|"])
def test_what_the_user_types_is_not_told_unasked(text: str) -> None:
    assert with_values(text, ["v"])[1] == []


def test_a_setting_lets_a_projects_server_complete() -> None:
    result, asked = with_values("@proj:p://s|", ["v"], project_servers=True)
    assert asked == [("proj", "p://{x}", "x", "s")] and texts(result) == ["@proj:p://v"]


def test_strange_values_are_escaped_or_dropped() -> None:
    values = ["${1:$(rm)}", "a\nb", "\u202e", "a b/c", "é", "", "x" * 2000, "a b/c", "\x1b[0m"]
    result, _ = with_values("@docs:note://zz|", values)
    assert texts(result) == [
        "@docs:note://%24%7B1%3A%24%28rm%29%7D",
        "@docs:note://a%20b%2Fc",
        "@docs:note://%C3%A9",
    ]


def test_a_server_that_fails_adds_nothing() -> None:
    result, asked = with_values("@docs:note://on|", Timeout("too slow"))
    assert len(asked) == 1 and texts(result) == ["@docs:note://one"]


def test_a_server_that_is_silent_does_not_hold_the_list() -> None:
    doc, position = marked("@docs:note://on|")
    argument = completion.open_argument(doc, position, TEMPLATES)
    assert argument is not None

    async def ask(_: CompleteArgumentParams) -> Completion:
        await asyncio.Event().wait()
        raise AssertionError

    base = completion.complete(doc, position, TEMPLATES)
    result = asyncio.run(completion.with_values(base, argument, ask, timeout=0.01))
    assert texts(result) == ["@docs:note://one"]


def test_the_list_is_strict_json() -> None:
    index = index_of({"d": [resource("d", "n://a", "\ud800")]})
    doc, position = marked("@d:|")
    made = converters.get_converter().unstructure(completion.complete(doc, position, index), types.CompletionList)
    str(made).encode()


def test_servers_are_offered_while_they_start() -> None:
    view = View({"slow": None}, slow=status("slow", state="starting"))
    index = MentionIndex()
    index.refresh(view)
    doc, position = marked("@|")
    assert [item.detail for item in completion.complete(doc, position, index).items] == ["slow is starting"]


PIECES = st.sampled_from(
    [
        "@",
        "@docs:",
        '@"my docs":',
        "note://a/b",
        " d",
        "do",
        " ",
        "(",
        ")",
        "😀",
        "é",
        "\n",
        "\r\n",
        '"',
        "%20",
        "{id}",
        ".",
    ]
)


@settings(max_examples=120, deadline=None)
@given(st.lists(PIECES, max_size=10).map("".join), st.integers(0, 3), st.integers(0, 60), st.sampled_from(ENCODINGS))
def test_every_place_of_every_text_is_answered(text: str, line: int, column: int, encoding: Encoding) -> None:
    for language in ("markdown", "python"):
        doc = document(text, encoding, language)
        position = types.Position(line, column)
        check(doc, position, completion.complete(doc, position, INDEX))

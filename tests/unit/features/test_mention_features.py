"""Hover, links, definition, references, highlight, rename, lenses and tokens of mentions."""

import re
import time
from datetime import UTC, datetime, timedelta

import pytest
from lsprotocol import types

from codeagent_lsp.catalog.addresses import parse
from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.features import references
from codeagent_lsp.features.documents import Document
from codeagent_lsp.features.hover import hover
from codeagent_lsp.features.index import MentionIndex
from codeagent_lsp.features.links import definition, document_links
from codeagent_lsp.features.mention_lenses import mention_lenses
from codeagent_lsp.features.positions import Encoding
from codeagent_lsp.features.semantic_tokens import LEGEND, full_tokens, range_tokens, token_edits
from codeagent_lsp.protocol.values import ServerError
from mention_kit import ENCODINGS, document, index_of, marked, resource, status, template

NOW = datetime(2026, 11, 29, tzinfo=UTC)
INDEX = index_of(
    {
        "docs": [
            resource(
                "docs",
                "note://readme",
                "readme",
                title="Read me",
                description="All about it",
                mime_type="text/markdown",
                size=1234,
                annotations={"lastModified": (NOW - timedelta(days=3)).isoformat()},
            ),
            resource("docs", "n://a b"),
            template("docs", "note://{id}"),
        ],
        "my docs": ["n://1"],
        "off": None,
    },
    off=status("off", state="failed", error=ServerError("exited", "the process ended with code 1")),
)


def value(found: types.Hover | None) -> str:
    assert found is not None and isinstance(found.contents, types.MarkupContent)
    return found.contents.value


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_hover_tells_what_is_known_of_a_resource(encoding: Encoding) -> None:
    doc, position = marked("😀 é see @docs:note://re|adme.", encoding)
    found = hover(doc, position, INDEX, markdown=False, now=NOW, content=lambda server, uri: "# Title\nfirst line")
    assert value(found).split("\n") == [
        "Read me (readme)",
        "text/markdown · 1.2 KB · changed 3 days ago",
        "docs · note://readme",
        "",
        "All about it",
        "",
        "─" * 12,
        "# Title",
        "first line",
    ]
    assert found is not None and found.range is not None
    assert doc.text(found.range) == "@docs:note://readme"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("@do|cs:note://readme", "docs is ready · 2 resources"),
        ("@docs:note://5|6", "docs makes it from note://{id}"),
        ("@docs:gone://|x", "docs does not list this resource."),
        ("@off:x|://y", "off is failed: the process ended with code 1"),
        ("@of|f:x://y", "off is failed: the process ended with code 1"),
        ("@docs:n://a| b", "docs · n://a b"),
        ("@docs:n://a%2|0b", "docs · n://a b"),
    ],
)
def test_a_hover_says_why_little_is_known(text: str, says: str) -> None:
    doc, position = marked(text)
    assert says in value(hover(doc, position, INDEX, markdown=False))


@pytest.mark.parametrize("text", ["|see @docs:x", "see| @docs:x", "@docs:x|", "@docs:x. |more", "me@do|cs:x", "|"])
def test_beside_a_mention_there_is_no_hover(text: str) -> None:
    doc, position = marked(text)
    assert hover(doc, position, INDEX, markdown=True) is None


PAYLOADS = [
    "[x](command:workbench.action.terminal.sendSequence?%7B%7D)",
    '<a href="command:x">y</a>',
    "![p](http://127.0.0.1:1/t.png)",
    "[a](vscode://x)",
    "<script>alert(1)</script>",
    "[e](file:///etc/passwd)",
    "<http://127.0.0.1>",
    "```\n[out](command:x)\n```",
    "~~~\n[out](command:x)",
    "`" * 50 + "\n[out](command:x)\n" + "`" * 50,
    "\n\n# [h](command:x)",
    "text\n\n    code\n\n[x]: command:y\n[x]",
    "<!-- --><img src=x onerror=y>",
    "$(icon) &lt;b&gt; <b>bold</b>",
    "| a |\n|---|\n| [x](command:y) |",
    "\r\n```\r\n[x](command:y)",
    "\u202e[x](command:y)",
    "\\`\\`\\`\n[x](command:y)",
]


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize(
    "where", ["name", "title", "description", "uri", "mime_type", "content", "error", "instructions"]
)
def test_nothing_a_server_writes_is_active_in_a_hover(payload: str, where: str) -> None:
    uri = re.sub(r"\s", "", payload) if where == "uri" else "n://a"
    more = {where: payload} if where in ("title", "description", "mime_type") else {}
    item = resource("d", uri, payload if where == "name" else "a", **more)
    bad = status("d", state="failed", error=ServerError("exited", payload)) if where == "error" else status("d")
    if where == "instructions":
        bad = status("d", instructions=payload)
    index = index_of({"d": [item]}, d=bad)
    for text in (f"|@d:{item.mention.removeprefix('@d:')}", f"@d:|{item.mention.removeprefix('@d:')}"):
        doc, position = marked(text) if "|" not in item.mention else (document(item.mention), types.Position(0, 0))
        shown = value(hover(doc, position, index, markdown=True, content=lambda *_: payload))
        opening = re.match(r"`{3,}", shown)
        assert opening is not None
        fence = opening[0]
        lines = shown.split("\n")
        assert lines[0] == f"{fence}text" and lines[-1] == fence
        assert not any(line.strip().startswith(fence) for line in lines[1:-1])
        assert "\u202e" not in shown and "\r" not in shown
        assert len(shown) < 2300


def test_a_long_description_is_cut_where_one_sees_it() -> None:
    index = index_of({"d": [resource("d", "n://a", "x" * 9000, description="y" * 9000)]})
    doc, position = marked("@d:n|://a")
    shown = value(hover(doc, position, index, markdown=False, content=lambda *_: "z\n" * 9000))
    assert len(shown) <= 2000 and "more characters]" in shown


@pytest.mark.parametrize(
    "stamp", ["yesterday", 5, None, "", "2026-13-01", "9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00+23:59"]
)
def test_a_strange_age_is_left_out(stamp: object) -> None:
    index = index_of({"d": [resource("d", "n://a", annotations={"lastModified": stamp})]})
    doc, position = marked("@d:n|://a")
    assert "years" in (said := value(hover(doc, position, index, markdown=False, now=NOW))) or "changed" not in said


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_mention_is_a_link_to_our_own_document(encoding: Encoding) -> None:
    doc = document("é @docs:note://readme, 😀 (@docs:n://a%20b)\r\n@off:x://y and @nobody:z", encoding)
    links = document_links(doc, INDEX)
    assert [doc.text(link.range) for link in links] == ["@docs:note://readme", "@docs:n://a%20b", "@off:x://y"]
    assert links[0].target == INDEX.resource("docs", "note://readme").document_uri  # type: ignore[union-attr]
    assert links[2].target is not None and parse(links[2].target) == ("off", "x://y")
    assert links[0].tooltip == "Open Read me (readme) of docs"


@pytest.mark.parametrize(
    "uri",
    ["command:foo", "javascript:x", "file:///etc/shadow", 'x"onmouseover=', "\\\\h\\s", "../../x", "x\x00y", "a\nb"],
)
def test_a_link_never_carries_the_raw_uri(uri: str) -> None:
    index = index_of({"d": [resource("d", uri)], "e": []})
    doc = document(f"{resource('d', uri).mention} {resource('e', uri).mention}")
    links = document_links(doc, index)
    assert len(links) == 2
    for link in links:
        assert re.fullmatch(r"codeagent://resource/[A-Za-z0-9_-]+/[A-Za-z0-9_.-]+", link.target or "")
        assert (link.tooltip or "").isprintable()


def test_definition_opens_the_resource() -> None:
    doc, position = marked("😀 @docs:note|://readme.")
    links = definition(doc, position, INDEX, link_support=True)
    assert isinstance(links, list) and links[0].origin_selection_range is not None
    assert doc.text(links[0].origin_selection_range) == "@docs:note://readme"
    plain = definition(doc, position, INDEX, link_support=False)
    assert isinstance(plain, types.Location) and plain.uri == links[0].target_uri
    doc, position = marked("see| @docs:note://readme")
    assert definition(doc, position, INDEX, link_support=True) is None
    doc, position = marked("@docs:note://readme|")
    assert definition(doc, position, INDEX, link_support=False) == plain


@pytest.mark.parametrize(
    "text",
    ["@" * 1_000_000, "@docs:" + "x" * 1_000_000, "@" * 100_000 + ":", "@docs:x://1\n" * 100_000, "a\x00b\rc\u2028d"],
    ids=lambda text: text[:8],
)
def test_links_of_a_strange_document_come_at_once(text: str) -> None:
    doc = document(text)
    start = time.process_time()
    links = document_links(doc, INDEX)
    assert time.process_time() - start < 5
    assert len(links) == min(10_000, text.count("@docs"))
    assert len(doc.lines) == len(re.split(r"\r\n|\n|\r", text))


def both() -> tuple[list[Document], MentionIndex]:
    one = document("é @docs:note://readme @docs:n://a b", uri="file:///one.md")
    two = document(
        "# @docs:note://readme\n'@docs:n://a%20b'\n@\"my docs\":n://1", language="python", uri="file:///two.py"
    )
    return [one, two], INDEX


def places(found: list[types.Location]) -> list[tuple[str, int, int]]:
    return [(item.uri[-6:], item.range.start.line, item.range.start.character) for item in found]


def test_references_are_in_every_open_document() -> None:
    documents, index = both()
    at = types.Position
    found = references.references(documents, documents[0], at(0, 15), index)
    assert places(found) == [("one.md", 0, 2), ("two.py", 0, 2)]
    assert places(references.references(documents, documents[1], at(1, 8), index)) == [
        ("one.md", 0, 22),
        ("two.py", 1, 1),
    ]
    assert len(references.references(documents, documents[0], at(0, 4), index)) == 4
    assert references.references(documents, documents[0], at(0, 0), index) == []
    opened = document("# the text", uri=document_links(document("@docs:n://zz"), index)[0].target or "")
    mentioning = document("x @docs:n://zz", uri="file:///three.md")
    assert places(references.references([*documents, mentioning, opened], opened, at(0, 3), index)) == [
        ("ree.md", 0, 2)
    ]


def test_highlights_stay_in_the_document() -> None:
    doc, position = marked("@docs:note|://readme and @docs:n://a b, @docs:note://readme")
    found = references.highlights(doc, position, INDEX)
    assert [doc.text(item.range) for item in found] == ["@docs:note://readme"] * 2
    doc, position = marked("| @docs:note://readme")
    assert references.highlights(doc, position, INDEX) == []


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    ("new", "first", "second"),
    [
        ("notes", "😀 @notes:note://readme", "@notes:n://a b"),
        ("the notes", '😀 @"the notes":note://readme', '@"the notes":n://a b'),
        ("a:b", '😀 @"a:b":note://readme', '@"a:b":n://a b'),
        ('q"', '😀 @q":note://readme', '@q":n://a b'),
        ("docs", "😀 @docs:note://readme", "@docs:n://a b"),
    ],
)
def test_renaming_a_server_renames_its_mentions(encoding: Encoding, new: str, first: str, second: str) -> None:
    one = document('😀 @"docs":note://readme', encoding, uri="file:///one")
    two = document("@docs:n://a b", encoding, uri="file:///two")
    other = document('@"my docs":n://1', encoding, uri="file:///other")
    edits = references.rename_server([one, two, other], "docs", new, INDEX)
    assert set(edits) == {"file:///one", "file:///two"}
    for doc, text in ((one, first), (two, second)):
        for edit in edits[doc.uri]:
            doc.change(types.TextDocumentContentChangePartial(text=edit.new_text, range=edit.range))
        assert doc.text() == text


@pytest.mark.parametrize("name", ["", "  ", "off", "my docs", "a\nb", "a\u202eb", "\x00"])
def test_a_name_that_cannot_be_is_refused(name: str) -> None:
    with pytest.raises(InvalidParams):
        references.rename_server([], "docs", name, INDEX)


def test_only_a_servers_name_can_be_renamed() -> None:
    doc, position = marked('(@"my d|ocs":n://1)')
    found = references.prepare_rename(doc, position, INDEX)
    assert found is not None and found.placeholder == "my docs"
    assert doc.text(found.range) == '"my docs"'
    for text in ("@docs:n|://1", "|see @docs:x", "plain|"):
        doc, position = marked(text)
        assert references.prepare_rename(doc, position, INDEX) is None
    with pytest.raises(InvalidParams):
        references.rename_server([], "nobody", "x", INDEX)


def test_a_name_with_a_folder_keeps_its_folder() -> None:
    index = index_of({"docs@app": []}, **{"docs@app": status("docs@app", name="docs")})
    doc, position = marked("@do|cs@app:x")
    found = references.prepare_rename(doc, position, index)
    assert found is not None and found.placeholder == "docs"
    (edit,) = references.rename_server([doc], "docs@app", "notes", index)[doc.uri]
    assert edit.new_text == "notes@app"


def test_lenses_open_what_a_line_mentions() -> None:
    doc = document("plain\n@docs:note://readme @docs:note://readme @docs:n://a b\n\n@off:x @off:y")
    lenses = mention_lenses(doc, INDEX)
    assert [(lens.range.start.line, lens.command.title, lens.command.command) for lens in lenses if lens.command] == [
        (1, "Open Read me (readme) · text/markdown · 1.2 KB", "codeagent.openResource"),
        (1, "Open n://a b", "codeagent.openResource"),
        (3, "Start off", "codeagent.start"),
    ]
    assert lenses[0].command is not None
    assert lenses[0].command.arguments == [{"server": "docs", "uri": "note://readme"}]
    assert len(mention_lenses(document("@docs:n://1 " * 9 + "\n" + "@docs:n://a b\n" * 500), INDEX)) == 200


def decode(data: list[int]) -> list[tuple[int, int, int, str]]:
    line = start = 0
    out: list[tuple[int, int, int, str]] = []
    for lines, column, length, kind, _ in zip(*[iter(data)] * 5, strict=True):
        start = column if lines else start + column
        line += lines
        out.append((line, start, length, LEGEND.token_types[kind]))
    return out


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_tokens_cover_mentions_and_nothing_else(encoding: Encoding) -> None:
    doc = document("😀 @docs:x://é, @docs:note://readme\n\nplain\n @off:y", encoding)
    shown = [
        (doc.text(types.Range(types.Position(line, start), types.Position(line, start + length))), kind)
        for line, start, length, kind in decode(full_tokens(doc, INDEX))
    ]
    assert shown == [
        ("@docs:", "decorator"),
        ("x://é", "string"),
        ("@docs:", "decorator"),
        ("note://readme", "string"),
        ("@off:", "decorator"),
        ("y", "string"),
    ]
    part = types.Range(types.Position(2, 0), types.Position(3, 4))
    assert [line for line, *_ in decode(range_tokens(doc, part, INDEX))] == [3, 3]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([], []),
        ([1], []),
        ([], [1]),
        ([1, 2, 3], [1, 9, 3]),
        ([1, 1, 1], [1, 1]),
        ([1, 2], [1, 2, 1, 2]),
        ([5] * 9, [5] * 4),
    ],
)
def test_token_edits_make_the_new_tokens_of_the_old(before: list[int], after: list[int]) -> None:
    made = list(before)
    for edit in token_edits(before, after):
        made[edit.start : edit.start + edit.delete_count] = edit.data or []
    assert made == after
    assert bool(token_edits(before, after)) == (before != after)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_commonmark_parser_finds_one_code_block_in_a_hover(payload: str) -> None:
    commonmark = pytest.importorskip("markdown_it").MarkdownIt("commonmark")
    index = index_of({"d": [resource("d", "n://a", payload, title=payload, description=payload)]})
    for text in ("@d:n|://a", "@|d:n://a"):
        doc, position = marked(text)
        tokens = commonmark.parse(value(hover(doc, position, index, markdown=True, content=lambda *_: payload)))
        assert [token.type for token in tokens] == ["fence"]

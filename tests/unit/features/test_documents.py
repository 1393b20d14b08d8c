"""Open documents: incremental sync in every position encoding, and mentions found again only where lines changed."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types

from codeagent_lsp.features.documents import Document, Documents
from codeagent_lsp.features.index import MentionIndex
from codeagent_lsp.features.lines import Lines, split_lines
from codeagent_lsp.features.listing import Listing
from codeagent_lsp.features.positions import Encoding, code_points, columns, units
from mention_kit import ENCODINGS, View, document, index_of, status

INDEX = index_of({"srv": ["x://a"], "docs": ["x://1", "n://a b"]})
FAMILY = "👨‍👩‍👧"


def part(start: tuple[int, int], end: tuple[int, int], text: str) -> types.TextDocumentContentChangePartial:
    return types.TextDocumentContentChangePartial(
        text=text, range=types.Range(types.Position(*start), types.Position(*end))
    )


def ranges(doc: Document, index: MentionIndex = INDEX) -> list[tuple[int, int, int]]:
    return [(line, spot.start, spot.end) for line, spot in doc.spots(index)]


@pytest.mark.parametrize(
    ("encoding", "line", "span"),
    [
        ("utf-16", "😀😀 @srv:x://a b", (5, 15)),
        ("utf-8", "😀😀 @srv:x://a b", (9, 19)),
        ("utf-32", "😀😀 @srv:x://a b", (3, 13)),
        ("utf-16", "é @srv:x://a", (2, 12)),
        ("utf-8", "é @srv:x://a", (3, 13)),
        ("utf-32", "é @srv:x://a", (2, 12)),
        ("utf-16", f"{FAMILY} @srv:x://a", (9, 19)),
        ("utf-8", f"{FAMILY} @srv:x://a", (19, 29)),
        ("utf-32", f"{FAMILY} @srv:x://a", (6, 16)),
        ("utf-16", "@srv:x://é😀.", (0, 12)),
        ("utf-8", "@srv:x://é😀.", (0, 15)),
        ("utf-32", "@srv:x://é😀.", (0, 11)),
        ("utf-16", "\ud800 @srv:x://a", (2, 12)),
        ("utf-16", "\u2028@srv:x://a", (1, 11)),
        ("utf-8", "\u2028@srv:x://a", (3, 13)),
        ("utf-16", "\x00 @srv:x://a", (2, 12)),
    ],
)
@pytest.mark.parametrize(("before", "after", "row"), [("", "", 0), ("a\r\n", "\r\nb", 1), ("a\rb\n", "\r", 2)])
def test_ranges_count_in_the_negotiated_encoding(
    encoding: Encoding, line: str, span: tuple[int, int], before: str, after: str, row: int
) -> None:
    assert ranges(document(before + line + after, encoding)) == [(row, *span)]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_positions_outside_the_text_are_clamped(encoding: Encoding) -> None:
    doc = document("a😀b\r\nsecond", encoding)
    assert doc.offset(types.Position(0, 99)) == (0, 3)
    assert doc.offset(types.Position(1, 99)) == (1, 6)
    assert doc.offset(types.Position(2, 0)) == (1, 6)
    assert doc.offset(types.Position(2**31 - 1, 2**31 - 1)) == (1, 6)
    assert doc.line(2) == "" and doc.line(-1) == ""


def test_a_position_inside_a_character_means_the_place_before_it() -> None:
    assert [code_points("a😀b", column, "utf-16") for column in range(6)] == [0, 1, 1, 2, 3, 3]
    assert [code_points("a😀b", column, "utf-8") for column in range(8)] == [0, 1, 1, 1, 1, 2, 3, 3]
    assert [code_points("a😀b", column, "utf-32") for column in range(5)] == [0, 1, 2, 3, 3]
    assert code_points("abc", -1, "utf-16") == 0


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="aé€😀\u0301", max_size=20), st.sampled_from(ENCODINGS))
def test_columns_and_offsets_are_each_others_inverse(line: str, encoding: Encoding) -> None:
    every = range(len(line) + 1)
    there = columns(line, every, encoding)
    assert there == [units(line[:offset], encoding) for offset in every]
    assert [code_points(line, column, encoding) for column in there] == list(every)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 1),
        ("a", 1),
        ("a\n", 2),
        ("a\nb", 2),
        ("a\r\nb", 2),
        ("a\rb", 2),
        ("\r\r", 3),
        ("\n\r", 3),
        ("\r\n\r\n", 3),
        ("a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\x00h", 1),
    ],
)
def test_only_the_three_terminators_of_lsp_end_a_line(text: str, count: int) -> None:
    assert len(split_lines(text)) == len(Lines[None](text)) == count
    assert "".join(split_lines(text)) == text == Lines[None](text).text()


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    ("text", "edit", "result"),
    [
        ("see ", ((0, 4), (0, 4), "@docs:x://1"), "see @docs:x://1"),
        ("a\nb\nc", ((0, 1), (2, 0), ""), "ac"),
        ("a\nb\nc", ((1, 0), (1, 0), "x\ny\n"), "a\nx\ny\nb\nc"),
        ("a\r\nb", ((0, 1), (1, 0), ""), "ab"),
        ("a\r\nb", ((0, 1), (0, 1), "\n"), "a\n\r\nb"),
        ("a\r\nb", ((0, 5), (0, 9), "!"), "a!\r\nb"),
        ("a\rX\nb", ((1, 0), (1, 1), ""), "a\r\nb"),
        ("a\rb", ((1, 0), (1, 0), "\nc"), "a\r\ncb"),
        ("a\nb", ((0, 1), (0, 1), "\r"), "a\r\nb"),
        ("a", ((0, 1), (0, 1), "\n"), "a\n"),
        ("a\n", ((1, 0), (9, 9), "b"), "a\nb"),
        ("a\nb\n", ((0, 0), (9, 9), ""), ""),
        ("", ((0, 0), (0, 0), "a\n"), "a\n"),
        ("abc", ((0, 2), (0, 1), "X"), "aXc"),
    ],
)
def test_an_edit_changes_exactly_its_range(encoding: Encoding, text: str, edit: Any, result: str) -> None:
    doc = document(text, encoding)
    list(doc.spots(INDEX))
    doc.change(part(*edit))
    assert doc.text() == result
    assert [doc.lines[row] for row in range(len(doc.lines))] == split_lines(result)
    assert ranges(doc) == ranges(document(result, encoding))


@pytest.mark.parametrize(
    ("encoding", "start", "end"), [("utf-8", 5, 9), ("utf-16", 3, 5), ("utf-32", 2, 3), ("utf-16", 4, 5)]
)
def test_an_edit_behind_an_emoji_hits_what_the_editor_meant(encoding: Encoding, start: int, end: int) -> None:
    doc = document("😀 😀x", encoding)
    doc.change(part((0, start), (0, end), "y"))
    assert doc.text() == "😀 yx"


PIECES = st.sampled_from(
    ["a", "é", "😀", " ", "\n", "\r\n", "\r", "@docs:x://1", " @docs:n://a b ", "@", ":", "\u2028", "\ud800", "x\ny\n"]
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)


def reference_edit(text: str, start: tuple[int, int], end: tuple[int, int], new: str, encoding: Encoding) -> str:
    """The same edit on the whole text, the slow and obvious way."""

    def place(line: int, column: int) -> int:
        rows = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)
        if line >= len(rows):
            return len(text)
        row = rows[line].rstrip("\r\n")
        fits = [offset for offset in range(len(row) + 1) if units(row[:offset], encoding) <= column]
        return sum(map(len, rows[:line])) + fits[-1]

    low, high = sorted((place(*start), place(*end)))
    return text[:low] + new + text[high:]


@settings(max_examples=120, deadline=None)
@given(st.data(), TEXTS, st.sampled_from(ENCODINGS))
def test_edits_one_after_another_equal_a_document_opened_anew(data: Any, text: str, encoding: Encoding) -> None:
    text = text.replace("\ud800", "\ufffd")
    doc = document(text, encoding)
    for _ in range(data.draw(st.integers(1, 5))):
        start, end = (data.draw(st.tuples(st.integers(0, 6), st.integers(0, 20))) for _ in range(2))
        new = data.draw(TEXTS)
        text = reference_edit(text, start, end, new.replace("\ud800", "\ufffd"), encoding)
        doc.change(part(start, end, new))
        if data.draw(st.booleans()):
            assert ranges(doc) == ranges(document(text, encoding))
    assert doc.text() == text
    assert len(doc.lines) == len(split_lines(text))
    assert ranges(doc) == ranges(document(text, encoding))
    assert [doc.line(row) for row in range(len(doc.lines))] == [line.rstrip("\r\n") for line in split_lines(text)]


@settings(max_examples=25, deadline=None)
@given(st.data(), st.integers(0, 2500))
def test_blocks_of_lines_stay_in_step_with_the_text(data: Any, count: int) -> None:
    lines = [f"{row} @docs:x://{row % 3}" for row in range(count)] + [""]
    doc = document("\n".join(lines))
    for _ in range(data.draw(st.integers(1, 6))):
        if data.draw(st.booleans()):
            list(doc.spots(INDEX))
        first = data.draw(st.integers(0, len(lines) - 1))
        last = data.draw(st.integers(first, min(len(lines) - 1, first + data.draw(st.sampled_from([0, 3, 1500])))))
        new = [f"new @docs:x://{row}" for row in range(data.draw(st.sampled_from([0, 1, 5, 1100])))]
        doc.change(part((first, 0), (last, 0), "".join(f"{line}\n" for line in new)))
        lines[first:last] = new
    assert doc.text() == "\n".join(lines)
    assert ranges(doc) == ranges(document("\n".join(lines)))
    for row in data.draw(st.lists(st.integers(0, len(lines) - 1), max_size=5)):
        assert doc.line(row) == lines[row]


class Counting(MentionIndex):
    """An index that counts how often a name is looked up, which happens once per mention that is scanned."""

    looked_up = 0

    def known(self, name: str) -> Listing | None:
        self.looked_up += 1
        return super().known(name)


def test_a_keystroke_scans_one_line_only() -> None:
    index = Counting()
    index.refresh(View({"docs": ["x://1"]}))
    doc = document("\n".join(f"{row} @docs:x://1" for row in range(5000)))
    assert len(ranges(doc, index)) == index.looked_up == 5000
    doc.change(part((2500, 0), (2500, 0), "x"))
    doc.change(part((700, 0), (700, 0), "\n"))
    assert len(ranges(doc, index)) == 5000
    assert index.looked_up == 5002


def test_mentions_follow_the_catalogue() -> None:
    view = View({"docs": ["n://a"]})
    index = MentionIndex()
    index.refresh(view)
    doc = document("@docs:n://a b, @new:x")
    assert [spot.found.uri for _, spot in doc.spots(index)] == ["n://a"]
    view.items["docs"] = ["n://a", "n://a b"]
    index.refresh(view, {"docs"})
    assert [spot.found.uri for _, spot in doc.spots(index)] == ["n://a b"]
    view.items["new"], view.states["new"] = [], status("new", state="starting")
    index.refresh(view, set())
    assert [spot.found.server for _, spot in doc.spots(index)] == ["docs", "new"]
    del view.items["docs"], view.states["docs"]
    index.refresh(view, set())
    assert [spot.found.server for _, spot in doc.spots(index)] == ["new"]


@pytest.mark.parametrize(("first", "last"), [(100, 1900), (500, 1500), (0, 2047), (1000, 1100), (0, 2999)])
def test_an_edit_joins_no_old_findings_to_new_ones(first: int, last: int) -> None:
    view = View({"docs": ["n://a"]})
    index = MentionIndex()
    index.refresh(view)
    doc = document("\n".join(["@docs:n://a b"] * 3000))
    assert {spot.found.uri for _, spot in doc.spots(index)} == {"n://a"}
    view.items["docs"] = ["n://a b"]
    index.refresh(view, {"docs"})
    list(doc.spots(index, 0, 0))
    doc.change(part((first, 0), (last, 0), "x\n"))
    assert {spot.found.uri for _, spot in doc.spots(index)} == {"n://a b"}
    assert ranges(doc, index) == ranges(document(doc.text()), index)


def test_a_refresh_that_changes_nothing_moves_no_revision() -> None:
    view = View({"docs": ["n://a", "n://a"], "db": None})
    index = MentionIndex()
    index.refresh(view)
    before = (index.revision, index.names_revision)
    index.refresh(view)
    assert (index.revision, index.names_revision) == before
    view.states["docs"] = status("docs", state="failed")
    index.refresh(view)
    assert (index.revision, index.names_revision) == (before[0] + 1, before[1])


def test_documents_take_whatever_order_the_editor_sends() -> None:
    documents = Documents("utf-16")
    assert documents.get("file:///x") is None
    assert documents.change("file:///x", 1, [part((0, 0), (0, 0), "lost")]) is None
    documents.open("file:///x", "markdown", 1, "see ")
    documents.change("file:///x", 3, [part((0, 4), (0, 4), "@docs:x://2"), part((0, 14), (0, 15), "1")])
    documents.change("file:///x", 2, [part((0, 0), (0, 0), "😀 ")])
    doc = documents.get("file:///x")
    assert doc is not None and doc.text() == "😀 see @docs:x://1" and doc.version == 2
    assert ranges(doc) == [(0, 7, 18)]
    documents.change("file:///x", 4, [types.TextDocumentContentChangeWholeDocument(text="@docs:x://1\r")])
    assert ranges(doc) == [(0, 0, 11)] and len(doc.lines) == 2
    documents.open("file:///x", "python", 1, "@docs:x")
    assert [document.uri for document in documents] == ["file:///x"]
    documents.close("file:///x")
    documents.close("file:///x")
    assert documents.get("file:///x") is None


def test_a_stretch_of_text_is_cut_exactly() -> None:
    doc = document("a😀b\r\nsecond\nthird", "utf-16")
    whole = types.Range(types.Position(0, 0), types.Position(9, 0))
    assert doc.text(whole) == doc.text() == "a😀b\r\nsecond\nthird"
    assert doc.text(types.Range(types.Position(0, 3), types.Position(1, 3))) == "b\r\nsec"
    assert doc.text(types.Range(types.Position(1, 1), types.Position(1, 3))) == "ec"


@pytest.mark.parametrize(
    ("uri", "language", "code"),
    [
        ("file:///w/a.md", "js", False),
        ("file:///w/.git/COMMIT_EDITMSG", "json", False),
        ("file:///w/a.txt", "", False),
        ("file:///w/a.md.py", "python", True),
        ("file:///w/txt", "js", True),
        ("untitled:1", "markdown", False),
    ],
)
def test_prose_is_known_by_its_file_too(uri: str, language: str, code: bool) -> None:
    assert Document(uri, language, 1, "", "utf-16").code is code

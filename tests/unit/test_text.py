"""Nothing that a stranger wrote can hide, jump out of its line or break out of its fence."""

import json
import re
import sys
import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from codeagent_lsp.text import fenced, one_line, visible, well_formed, without_controls

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))
# The characters that matter to each other, so that short texts are full of them.
NASTY = st.text(
    st.sampled_from(
        "ab1#\n\t\r `·…\\u{}[]"
        "\u0301\u20e3\u200d\u200b\u200c\u202e\u2066\u00a0\u00ad\ufeff\ufe0e\ufe0f\u2764\u2642\u3164\u2028\x85\x1b\x00\x7f"
        "\U0001f468\U0001f3fd\U0001f1e9\U0001f3f4\U000e0067\U000e007f\U000e0100\U0001fa77\ud800\udc00\ue000\uffff"
    )
)


def is_seen(char: str) -> bool:
    return char in "\n\t " or unicodedata.category(char)[0] in "LMNPS"


ORDINARY = [
    "",
    "plain ASCII with `code` and a tab\tand\nlines",
    "Grüße, Ελληνικά, Русский, 日本語、한국어, العربية, हिन्दी, ไทย",
    "e\u0301 and a\u0308\u0323",
    "😀",
    "❤️ ☺️ ✈️ ©️ ™️",
    "👩‍👩‍👧‍👦 and 👨‍👩‍👧",
    "👍🏽 🧑🏿‍🚀 👩🏻‍🤝‍👨🏾 🏃🏽‍♂️ 🏃‍♀️",
    "🇩🇪🇫🇷",
    "🏳️‍🌈 🏴‍☠️ 👁️‍🗨️ ❤️‍🔥 🐦‍⬛ 🙂‍↔️ 🧑‍⚕️",
    "1️⃣ #️⃣ *️⃣",
    "C:\\path\\u0041 \\u{41}",
    "€ ½ ∑ → ■ ░",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text
    assert without_controls(text) == text


HIDDEN = {
    "NUL": "\x00",
    "C0": "\x07",
    "escape": "\x1b",
    "DEL": "\x7f",
    "C1": "\x9b",
    "CR alone": "\r",
    "NEL": "\x85",
    "line separator": "\u2028",
    "paragraph separator": "\u2029",
    "RLO": "\u202e",
    "LRO": "\u202d",
    "PDF": "\u202c",
    "LRI": "\u2066",
    "RLI": "\u2067",
    "FSI": "\u2068",
    "PDI": "\u2069",
    "ALM": "\u061c",
    "LRM": "\u200e",
    "ZWSP": "\u200b",
    "ZWNJ": "\u200c",
    "ZWJ": "\u200d",
    "WJ": "\u2060",
    "BOM": "\ufeff",
    "soft hyphen": "\u00ad",
    "tag": "\U000e0041",
    "cancel tag": "\U000e007f",
    "VS1": "\ufe00",
    "VS15": "\ufe0e",
    "VS16 without emoji": "\ufe0f",
    "VS17": "\U000e0100",
    "VS256": "\U000e01ef",
    "Hangul filler": "\u3164",
    "half-width Hangul filler": "\uffa0",
    "choseong filler": "\u115f",
    "braille blank": "\u2800",
    "Mongolian FVS": "\u180b",
    "Mongolian vowel separator": "\u180e",
    "grapheme joiner": "\u034f",
    "invisible times": "\u2062",
    "invisible plus": "\u2064",
    "interlinear": "\ufff9",
    "private": "\ue000",
    "private plane": "\U0010fffd",
    "noncharacter": "\uffff",
    "noncharacter block": "\ufdd0",
    "unassigned": "\u0378",
    "no-break space": "\u00a0",
    "thin space": "\u2009",
    "ideographic space": "\u3000",
    "lone surrogate": "\ud800",
    "low surrogate": "\udfff",
}


@pytest.mark.parametrize("char", HIDDEN.values(), ids=HIDDEN.keys())
@pytest.mark.parametrize("around", ["%s", "a%sb", "日%s本", "%s%s", "a\u0301%s"])
def test_a_hidden_character_is_shown_by_its_number(char: str, around: str) -> None:
    shown = visible(around.replace("%s", char))
    assert char not in shown
    assert shown.count(f"\\u{{{ord(char):X}}}") == around.count("%s")
    assert visible(around.replace("%s", char), newlines=False) == shown


def test_every_code_point_is_seen() -> None:
    everything = list(map(chr, range(sys.maxunicode + 1)))
    for between in ("", "x"):
        assert all(map(is_seen, set(visible(between.join(everything)))))


@settings(max_examples=300, deadline=None)
@given(st.one_of(ANY_TEXT, NASTY), st.booleans(), st.booleans())
def test_what_is_shown_hides_nothing_and_is_shown_alike_again(text: str, newlines: bool, runs: bool) -> None:
    shown = visible(text, newlines=newlines, runs=runs)
    for before, char, after in zip(" " + shown, shown, shown[1:] + " ", strict=False):
        emoji = (char == "\ufe0f" and not before.isspace()) or (char == "\u200d" and after > "\u2000")
        assert is_seen(char) or emoji
    assert newlines or not set("\n\t") & set(shown)
    assert not re.search(r"\r|[\u202a-\u202e]", shown)
    assert visible(shown, newlines=newlines, runs=runs) == shown
    shown.encode()


@settings(max_examples=200, deadline=None)
@given(st.one_of(ANY_TEXT, NASTY, NASTY.map(lambda text: text * 30)), st.integers(1, 300))
def test_a_limit_is_held_and_the_cut_is_seen(text: str, limit: int) -> None:
    whole, shown = visible(text), visible(text, limit=limit)
    assert len(shown) <= limit
    assert shown == whole if len(whole) <= limit else "…" in shown
    assert visible(shown, limit=limit) == shown


def test_the_cut_says_how_much_is_missing() -> None:
    shown = visible("x" * 2000, limit=1000)
    kept, _, note = shown.partition("… ")
    assert note == f"[{2000 - len(kept):,} more characters]"
    assert len(shown) == 1000 and set(kept) == {"x"}
    assert note.startswith("[1,0")
    assert visible("\u202e" * 2000, limit=100).endswith(f"{{202E}}… [{2000 - 9:,} more characters]")


def test_a_cut_leaves_no_half_escape_and_no_open_joiner() -> None:
    for limit in range(50, 90):
        assert re.fullmatch(r"(\\u\{202E\})+… \[.*\]", visible("\u202e" * 500, limit=limit))
        assert "\u200d…" not in visible("👨‍👩‍👧" * 100, limit=limit)


def test_subdivision_flags_cannot_carry_text() -> None:
    england = "🏴" + "".join(chr(0xE0000 + ord(char)) for char in "gbeng") + "\U000e007f"
    assert visible(england).startswith("🏴\\u{E0067}\\u{E0062}")
    assert without_controls(england) == visible(england)


@pytest.mark.parametrize("mark", ["\u0301", "\u0489", "\u0903"])
def test_at_most_four_marks_sit_on_one_letter(mark: str) -> None:
    shown = visible("Z" + mark * 50 + "a" + mark * 4)
    assert max(len(run) for run in re.findall(f"{mark}+", shown)) == 4
    assert shown.count(f"\\u{{{ord(mark):X}}}") == 46
    assert shown.endswith("a" + mark * 4)


def test_joiners_between_other_things_than_emoji_are_shown() -> None:
    for text in ("a\u200db", "😀\u200da", "a\u200d😀", "😀\u200d\u200d😀", "\u200d😀", "🇩\u200d🇪", "❤\ufe0f\ufe0f"):
        assert visible(text) != text


def test_blanks_that_push_text_away_are_counted_on_request() -> None:
    assert visible("ok" + " " * 5000 + "rm", runs=True) == "ok ·×5000 rm"
    assert visible("a" + "\t" * 200, runs=True) == "a ·×200 "
    assert visible("a" + "\n" * 10_000 + "b", runs=True) == "a ·×10000 b"
    assert visible("a" + " " * 8 + "b", runs=True) == "a" + " " * 8 + "b"
    assert visible("a" + " " * 5000) == "a" + " " * 5000


def test_line_breaks_of_windows_are_line_breaks() -> None:
    assert visible("a\r\nb\rc") == "a\nb\\u{D}c"
    assert visible("a\n\tb", newlines=False) == "a\\u{A}\\u{9}b"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  two\n\n words\t\there \r\n", "two words here"),
        ("a\n" + "\n" * 10_000 + "evil", "a evil"),
        ("a\u2028b\x85c\rd", "a\\u{2028}b\\u{85}c\\u{D}d"),
        ("", ""),
        ("\x1b[2J\x07", "\\u{1B}[2J\\u{7}"),
    ],
)
def test_one_line_is_one_line(text: str, line: str) -> None:
    assert one_line(text) == line


def test_one_line_is_short() -> None:
    assert len(one_line("x" * 500)) == 200
    assert one_line("x" * 500).endswith(" more characters]")
    assert one_line("x" * 500, limit=20) == "x" * 19 + "…"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("\x1b[31mred\x1b[0m \x1b[2K\x1b[10;20Hthere", "red there"),
        ("\x1b]8;;http://x\x07link\x1b]8;;\x07", "]8;;http://xlink]8;;"),
        ("\x1bP1$r\x1b\\", "P1$r\\"),
        ("a\x00b\x08c\x7fd\x9be\x85f\rg", "abcdefg"),
        ("a\r\nb\tc\n", "a\nb\tc\n"),
        ("\ufefftext", "text"),
        ("a\ud800b", "a\ufffdb"),
        ("\ud83d\ude00", "😀"),
        ("a\u202eb\u200bc\U000e0041", "a\\u{202E}b\\u{200B}c\\u{E0041}"),
        ("\u00a0\u3000\ue0b0\U0001fa77", "\u00a0\u3000\ue0b0\U0001fa77"),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"),
        ("\u066e\u200c\U000e0100", "\u066e\\u{200C}\\u{E0100}"),
        ("\uffff\ufdd0\u3164", "\\u{FFFF}\\u{FDD0}\\u{3164}"),
    ],
)
def test_a_result_loses_its_controls_and_hides_nothing(text: str, clean: str) -> None:
    assert without_controls(text) == clean


@settings(max_examples=200, deadline=None)
@given(st.one_of(ANY_TEXT, NASTY))
def test_no_control_character_is_left_in_a_result(text: str) -> None:
    clean = without_controls(text)
    assert not [char for char in clean if unicodedata.category(char) in ("Cc", "Cs") and char not in "\n\t"]
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\U000e0000-\U000e0fff]", clean)
    for joiner in re.finditer("\u200c", clean):  # only where Arabic, Persian or Indic words are spelled with it
        beside = clean[joiner.start() - 1 : joiner.start()], clean[joiner.end() : joiner.end() + 1]
        assert all(char and char.isprintable() and unicodedata.category(char)[0] in "LM" for char in beside)


BREAKOUTS = [
    "```\n[x](command:evil)\n```",
    "`" * 50 + "\n# out\n",
    "\n````\n<script>",
    "a\r```\r# out",
    "a\u2028```\u2028# out",
    "~~~\n# out",
    "> ```\n# out",
    "![p](http://127.0.0.1/t.png)",
    "",
    "\n",
    "`",
    " ```\n   ```\n    ```",
]


@pytest.mark.parametrize("text", BREAKOUTS)
@pytest.mark.parametrize("language", ["", "json", "json\n```\n# out", "`", "c++"])
def test_nothing_breaks_out_of_a_fence(text: str, language: str) -> None:
    tokens = MarkdownIt().parse("before\n\n" + fenced(text, language) + "\n\nafter\n")
    assert " ".join(token.type for token in tokens if token.nesting >= 0) == (
        "paragraph_open inline fence paragraph_open inline"
    )
    assert tokens[3].content.rstrip("\n") == visible(text).rstrip("\n")


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from("`~ \n\r\tab>#[]()<\x0b\x0c\x85\u2028"), max_size=60))
def test_no_text_breaks_out_of_a_fence(text: str) -> None:
    tokens = MarkdownIt().parse(fenced(text))
    assert [token.type for token in tokens] == ["fence"]


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), ANY_TEXT, NASTY),
        lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.one_of(ANY_TEXT, NASTY), inner)),
        max_leaves=20,
    )
)
def test_any_value_becomes_strict_json(value: object) -> None:
    clean = well_formed(value)
    json.dumps(clean, allow_nan=False, ensure_ascii=False).encode()
    assert well_formed(clean) == clean


def test_a_well_formed_value_stays_equal_and_in_order() -> None:
    value = {"b": [1, 1.5, None, True, {"a": "😀"}], "a": 9007199254740993, "": []}
    assert json.dumps(well_formed(value)) == json.dumps(value)
    assert well_formed({"k\ud800": ["\udc00", float("nan"), float("-inf")]}) == {"k\ufffd": ["\ufffd", None, None]}


def test_a_value_of_any_depth_is_made_well_formed() -> None:
    deep: object = "\ud800"
    for _ in range(50_000):
        deep = [deep]
    clean = well_formed(deep)
    for _ in range(50_000):
        clean = clean[0]
    assert clean == "\ufffd"


@pytest.mark.parametrize(
    "unit", ["a", "\u202e", "日", "a\u0301", "👨‍👩‍👧", "`", " ", "\x1b[", "\x1b[1;", "\r\n", "\\u{"]
)
def test_many_characters_take_linear_time(unit: str) -> None:
    text = unit * (250_000 // len(unit))
    began = time.process_time()
    visible(text, limit=1000, runs=True)
    one_line(text)
    without_controls(text)
    fenced(text)
    assert time.process_time() - began < 2

r"""Text that a stranger wrote, made safe to show: hidden characters visible, lines bounded, fences unbreakable.

`visible` is for everything that a person decides by (names, descriptions, dialogs, logs, hovers): nothing is deleted,
what cannot be seen is shown as `\u{202E}`. `without_controls` is for what a tool answered, which is long and meant to
be read or used: terminal codes go, other invisible characters are shown.

Which characters are hidden: Unicode categories Cc, Cf, Zl, Zp, Co, Cn, Cs and every space but U+0020 (`str.isprintable`
draws exactly this line), and the letters and marks that draw nothing (Default_Ignorable_Code_Point of UAX #44,
fillers, blanks). Emoji keep their joiners: UAX #29 GB11 and UTS #51. The categories are those of the running Python.
"""

import math
import re
import unicodedata
from collections.abc import Callable
from typing import Any, cast

_MAX_MARKS = 4
_ZWJ, _VS16, _KEYCAP = "\u200d", "\ufe0f", "\u20e3"

# Letters, marks and symbols that draw nothing, although their category says that they do.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U00013441\U00013442\U00016fe4"
    "\U0001d159\U000e0100-\U000e01ef]"
)
# Extended_Pictographic of emoji-data.txt (Unicode 15.1), assigned or reserved.
_PICTURE = re.compile(
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u2388\u23cf\u23e9-\u23f3"
    "\u23f8-\u23fa\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2605\u2607-\u2612\u2614-\u2685\u2690-\u2705"
    "\u2708-\u2712\u2714\u2716\u271d\u2721\u2728\u2733\u2734\u2744\u2747\u274c\u274e\u2753-\u2755\u2757\u2763-\u2767"
    "\u2795-\u2797\u27a1\u27b0\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001f0ff\U0001f10d-\U0001f10f\U0001f12f\U0001f16c-\U0001f171\U0001f17e\U0001f17f\U0001f18e"
    "\U0001f191-\U0001f19a\U0001f1ad-\U0001f1e5\U0001f201-\U0001f20f\U0001f21a\U0001f22f\U0001f232-\U0001f23a"
    "\U0001f23c-\U0001f23f\U0001f249-\U0001f3fa\U0001f400-\U0001f53d\U0001f546-\U0001f64f\U0001f680-\U0001f6ff"
    "\U0001f774-\U0001f77f\U0001f7d5-\U0001f7ff\U0001f80c-\U0001f80f\U0001f848-\U0001f84f\U0001f85a-\U0001f85f"
    "\U0001f888-\U0001f88f\U0001f8ae-\U0001f8ff\U0001f90c-\U0001f93a\U0001f93c-\U0001f945\U0001f947-\U0001faff"
    "\U0001fc00-\U0001fffd]"
)
_TONE = re.compile("[\U0001f3fb-\U0001f3ff]")
# What `without_controls` shows: ignorables, direction, blanks and noncharacters.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U00013430-\U00013442\U00016fe4"
    "\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    + "".join(chr(plane + 0xFFFE) + chr(plane + 0xFFFF) for plane in range(0x10000, 0x110000, 0x10000))
    + "]"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]+")
_ASCII_CONTROLS = dict.fromkeys((*range(9), *range(11, 32), 127))
_STRANGE = re.compile(r"[^ -~\n\t]+")
_STRANGE_OR_BREAK = re.compile(r"[^ -~]+")
_MAYBE_MARKS = re.compile(r"\W{5}")  # a combining mark is no word character
_LONG_SPACE = re.compile(r"[ \t\n]{9,}")
_ANY_SPACE = re.compile(r"(?:[ \t\n]|\r\n)+")
_ANSI = re.compile(r"\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]")  # ECMA-48 control sequences: colours, cursor moves
_NOT_A_LANGUAGE = re.compile(r"[^A-Za-z0-9_+#.-]")


def visible(text: str, *, newlines: bool = True, limit: int | None = None, runs: bool = False) -> str:
    r"""Show `text` so that nothing in it can hide: what cannot be seen becomes `\u{…}` (hexadecimal code point).

    `newlines` keeps line feeds and tabs, and reads CR LF as a line feed; without it they are shown too. `limit` is the
    greatest length of the answer in code points; a longer text ends with "… [1,234 more characters]", which counts
    what was left out of `text`. `runs` shows more than 8 blanks in a row as ` ·×N `, so that nothing is pushed out of
    sight. At most four combining marks follow one another. Emoji stay whole. Takes linear time; applying it twice
    changes nothing.
    """
    if newlines and "\r\n" in text:
        text = text.replace("\r\n", "\n")
    if runs:
        text = _LONG_SPACE.sub(lambda match: f" ·×{len(match[0])} ", text)
    if limit is None:
        return _show(text, newlines)
    shown = _show(text[:limit], newlines)
    return shown if len(text) <= limit and len(shown) <= limit else _cut(text, newlines, limit)


def one_line(text: str, limit: int = 200) -> str:
    """`text` on one line of at most `limit` code points: blanks and line breaks become one space; `visible`."""
    return visible(_ANY_SPACE.sub(" ", text).strip(" "), newlines=False, limit=limit)


def without_controls(text: str) -> str:
    r"""`text` for reading: terminal codes and control characters gone, invisible characters shown as `\u{…}`.

    Line feeds and tabs stay, CR LF is a line feed, a byte order mark in front goes, lone surrogates are U+FFFD.
    Private and unassigned characters, unusual spaces and line separators stay, and so do the joiners inside of
    Arabic, Persian and Indic words: they hide nothing, and the text may be a file's.
    """
    text = well_formed_text(text).removeprefix("\ufeff").replace("\r\n", "\n")
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if text.isascii():
        return text.translate(_ASCII_CONTROLS)  # results are long, and this is many times faster
    there = "".join(set(text))
    if _CONTROL.search(there):
        text = _CONTROL.sub("", text)
    if not _UNSEEN.search(there):
        return text
    return _UNSEEN.sub(lambda match: match[0] if _joins(match) else _escape(match[0]), text)


def fenced(text: str, language: str = "") -> str:
    """`text`, made visible, as one Markdown code block that nothing inside can end (CommonMark 4.5)."""
    shown = visible(text)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{_NOT_A_LANGUAGE.sub('', language)}\n{shown}\n{fence}"


def well_formed_text(text: str) -> str:
    """`text` without lone surrogates: each becomes U+FFFD, and two that belong together become their character."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def well_formed(value: Any) -> Any:
    """A copy of a JSON value that can be written as strict JSON, however deep: no lone surrogate, no NaN or infinity.

    Lone surrogates become U+FFFD, in keys too; numbers that JSON has no word for become null.
    """
    top: list[Any] = [None]
    work: list[tuple[Any, Callable[[Any], None]]] = [(value, lambda item: top.__setitem__(0, item))]
    while work:
        item, put = work.pop()
        if isinstance(item, str):
            put(well_formed_text(item))
        elif isinstance(item, dict):
            entries = cast(dict[str, Any], item)
            out: dict[str, Any] = {well_formed_text(key): None for key in entries}
            put(out)
            work.extend((entry, _setter(out, well_formed_text(key))) for key, entry in entries.items())
        elif isinstance(item, list | tuple):
            items = cast(list[Any], item)
            row: list[Any] = [None] * len(items)
            put(row)
            work.extend((entry, _setter(row, index)) for index, entry in enumerate(items))
        else:
            put(None if isinstance(item, float) and not math.isfinite(item) else item)
    return top[0]


def _setter(target: Any, key: str | int) -> Callable[[Any], None]:
    return lambda item: target.__setitem__(key, item)


def _escape(char: str) -> str:
    return f"\\u{{{ord(char):X}}}"


def _show(text: str, newlines: bool) -> str:
    if text.isascii() and text.isprintable():
        return text
    return (_STRANGE if newlines else _STRANGE_OR_BREAK).sub(_show_run, text)


def _show_run(match: re.Match[str]) -> str:
    run = match[0]
    if run.isprintable() and not _MAYBE_MARKS.search(run) and not _BLANK.search(run):
        return run
    out: list[str] = []
    marks = 0
    for index, char in enumerate(run):
        marks = marks + 1 if unicodedata.category(char)[0] == "M" else 0
        hidden = marks > _MAX_MARKS or not char.isprintable() or _BLANK.match(char)
        if hidden and not (marks <= _MAX_MARKS and _joins_emoji(match, index)):
            out.append(_escape(char))
        else:
            out.append(char)
    return "".join(out)


def _joins(match: re.Match[str]) -> bool:
    """Whether a character that draws nothing is one that spelling or an emoji needs."""
    return _joins_emoji(match, 0) or (match[0] in "\u200c\u200d" and _inside_a_joining_word(match))


def _inside_a_joining_word(match: re.Match[str]) -> bool:
    """Whether letters or marks of a script without capitals are on both sides: only such scripts spell with joiners."""
    around = match.string[max(0, match.start() - 1) : match.start()], match.string[match.end() : match.end() + 1]
    return all(
        char and unicodedata.category(char) in ("Lo", "Mn", "Mc") and ord(char) > 0x5FF and not _UNSEEN.match(char)
        for char in around
    )


def _joins_emoji(match: re.Match[str], index: int) -> bool:
    """Whether the character at `index` of the match is the joiner or the selector of an emoji around it."""
    text, at = match.string, match.start() + index
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    if text[at] == _VS16:
        return _is_picture(before) or (before in tuple("0123456789#*") and after == _KEYCAP)
    if text[at] != _ZWJ or not _is_picture(after):
        return False
    if before == _VS16 or _TONE.match(before):
        before = text[at - 2] if at > 1 else ""
    return _is_picture(before)


def _is_picture(char: str) -> bool:
    return bool(_PICTURE.match(char)) and char.isprintable()


def _cut(text: str, newlines: bool, limit: int) -> str:
    """As many whole characters of `text` as fit, shown, and a note of how many are missing: `limit` code points."""
    room = limit - len(f"… [{len(text):,} more characters]")
    short = room < limit // 2
    room = limit - 1 if short else room
    fits, too_many = 0, min(len(text), room) + 1
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if len(_show(text[:middle], newlines)) <= room:
            fits = middle
        else:
            too_many = middle
    kept = _show(text[:fits], newlines)
    return f"{kept}…" if short else f"{kept}… [{len(text) - fits:,} more characters]"

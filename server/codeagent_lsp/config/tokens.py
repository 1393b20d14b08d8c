"""Cuts a JSON text into tokens: comments are skipped, and nothing is so broken that it stops.

JSON as RFC 8259 has it, plus `//` and `/* */` comments. A text that is not closed ends with its line, so that one
missing quote costs one line and not the rest of the file.
"""

import json
import math
import re
from collections.abc import Iterator

from attrs import frozen

from codeagent_lsp.text import one_line

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+ | //[^\n\r]* | /\*(?s:.*?)\*/)
      | (?P<punctuation>[{}\[\]:,])
      | (?P<string>"[^"\\\n\r]*(?:\\[^\n\r][^"\\\n\r]*)*"?)
      | (?P<comment>/\*(?s:.*))
      | (?P<word>[^ \t\r\n{}\[\]:,"/]+ | /)""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_BAD_ESCAPE = re.compile(r'\\(?:[^"\\/bfnrtu]|u(?![0-9a-fA-F]{4}))')
_MAX_DIGITS = 308
_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_SPELLINGS = {"True": "true", "False": "false", "None": "null", "nil": "null", "undefined": "null"}


@frozen
class Token:
    """One token, by code points: `kind` is the character itself for punctuation, else string, word or comment."""

    kind: str
    start: int
    end: int


@frozen
class Scalar:
    """What a string or a word stands for: its JSON kind, its value, and what is wrong with it.

    `fatal` marks what no JSON reader accepts and a person may still be typing; a problem that is not fatal leaves
    the rest of the file in force.
    """

    kind: str
    value: str | int | float | bool | None = None
    problem: str | None = None
    fatal: bool = False


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a text, in order. A `/*` that is never closed is one `comment` token up to the end."""
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "space":
            continue
        yield Token(match.group() if kind == "punctuation" else str(kind), match.start(), match.end())


def read_string(source: str) -> Scalar:
    """The value of a string token, its escapes decoded as JSON does. Control characters are let pass."""
    if "\\" not in source and len(source) > 1 and source[-1] == '"':
        return Scalar("string", source[1:-1])
    escaped = len(source) - len(source[:-1].rstrip("\\")) - 1
    if len(source) < 2 or source[-1] != '"' or escaped % 2:
        return Scalar("string", source[1:], 'this text is not closed: expected `"` before the end of the line', True)
    bad = _BAD_ESCAPE.search(re.sub(r"\\\\", "··", source))
    if bad is not None:
        hint = 'write `\\\\` for a backslash, as in "C:\\\\tools"'
        return Scalar("invalid", None, f"`{one_line(bad.group())}` is not an escape of JSON: {hint}")
    return Scalar("string", json.loads(source, strict=False))


def read_word(source: str) -> Scalar:
    """The value of anything that is neither text nor punctuation: a number, a constant, or a mistake."""
    if source in _CONSTANTS:
        return Scalar("null" if source == "null" else "boolean", _CONSTANTS[source])
    if _NUMBER.fullmatch(source):
        return _number(source)
    if source.lstrip("+-") in ("NaN", "Infinity"):
        return Scalar("invalid", None, f"`{source}` is not a number of JSON")
    return Scalar("invalid", None, f"unexpected `{one_line(source, 40)}`{_hint(source)}", True)


def _number(source: str) -> Scalar:
    if sum(character.isdigit() for character in source) > _MAX_DIGITS:
        return Scalar("invalid", None, f"a number of more than {_MAX_DIGITS} digits is not read")
    if source.lstrip("-").isdigit():
        return Scalar("number", int(source))
    value = float(source)
    if not math.isfinite(value):
        return Scalar("invalid", None, f"`{one_line(source, 40)}` is too large for a number")
    return Scalar("number", value)


def _hint(source: str) -> str:
    if source in _SPELLINGS:
        return f": JSON writes `{_SPELLINGS[source]}`"
    if source[0] in "'‘’“”`":
        return ': JSON puts text in straight double quotes, "like this"'
    if source[0] == "#":
        return ": a comment begins with `//`"
    if source[0].isspace() or source[0] == "\ufeff":
        return ": this character is no white space in JSON; remove it"
    if source[0].isalpha():
        return ': text is written in double quotes, "like this"'
    return ""

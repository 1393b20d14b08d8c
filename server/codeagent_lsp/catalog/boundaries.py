"""Where a mention may begin and where its URI ends, whatever is listed. Every function is linear in what it passes."""

import re

_OPEN = "([{（［｛〈《「『【〔〖«‹“"
_CLOSE = ")]}）］｝〉》」』】〕〗»›”"
_PAIR = dict(zip(_CLOSE, _OPEN, strict=True))
_QUOTES = "\"'`‘„‚‟‛＂"
_MARKS = "*_~"
_PUNCTUATION = ".,;:!?…|’“。，、；：！？"
_IDEOGRAPHIC = frozenset("。，、；：！？")
_NEVER = '"<>`'
"""Characters that no URI has (RFC 3986, appendix C): a word ends in front of them."""

_BEFORE = rf"[\s\ufeff<{re.escape(_OPEN + _QUOTES)}]"
CANDIDATE = re.compile(rf"@(?:(?<=^@)|(?<={_BEFORE}@)|(?<=[{_MARKS}]@))")
_EMPHASIS = re.compile(rf"(?:^|{_BEFORE})[{_MARKS}]{{1,4}}\Z")
_STOPS = re.compile(rf"[\s'{_NEVER}{re.escape(_OPEN + _CLOSE)}]")
_CODE_STOPS = re.compile(rf"[\s'\\{_NEVER}{re.escape(_OPEN + _CLOSE)}]")
_SOFT = re.compile(f"[{re.escape(_PUNCTUATION + _MARKS)}']*")


def may_begin(line: str, at: int) -> bool:
    """Whether the `@` at `at`, which `CANDIDATE` found, begins a mention as far as what stands before it goes.

    Emphasis counts only where it opens: `**@docs:x**` does, `a*@docs:x` does not.
    """
    return at == 0 or line[at - 1] not in _MARKS or bool(_EMPHASIS.search(line[max(0, at - 5) : at]))


def word_end(line: str, start: int, *, before: str = "", code: bool = False) -> int:
    """The end of an unlisted URI that starts at `start`: white space ends it, and what is the sentence's is left.

    `before` is the character in front of the `@`, or "". A closing bracket that the word did not open, `"`, `<`, `>`
    and a backtick end the word; so does the quote that the mention stands in, and in code a backslash. Punctuation,
    quotes and emphasis at its end are left where they are not balanced.
    """
    return _trim(line, start, word_stop(line, start, before=before, code=code), before)


def word_stop(line: str, start: int, *, before: str = "", code: bool = False) -> int:
    """As `word_end`, with the punctuation at the end: the word may go on while someone types it."""
    open_brackets: list[str] = []
    for match in (_CODE_STOPS if code else _STOPS).finditer(line, start):
        char = match[0]
        if char in _OPEN:
            open_brackets.append(char)
        elif char in _CLOSE and open_brackets and open_brackets[-1] == _PAIR[char]:
            open_brackets.pop()
        elif char != "'" or before == "'":
            return match.start()
    return len(line)


def ends_at(line: str, end: int, before: str = "") -> bool:
    """Whether a listed URI may end at `end`: nothing follows that would belong to a longer word."""
    if before == "'" and line.startswith("'", end):
        return True
    after = _SOFT.match(line, end)
    stop = after.end() if after else end
    if stop == len(line) or line[end] in _IDEOGRAPHIC:
        return True
    char = line[stop]
    return char.isspace() or char in _NEVER or char in _CLOSE


def _trim(line: str, start: int, end: int, before: str) -> int:
    runs: dict[str, int] = {}
    while end > start:
        char = line[end - 1]
        if char in _PUNCTUATION:
            end -= 1
            continue
        if char != "'" and char not in _MARKS:
            break
        if char not in runs:
            runs[char] = len(re.findall(f"{re.escape(char)}+", line[start:end]))
        if char != before and runs[char] % 2 == 0:
            break
        runs[char] -= 1
        while end > start and line[end - 1] == char:
            end -= 1
    return end

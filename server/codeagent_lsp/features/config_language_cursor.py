"""What is being typed at a place of a JSON text: a key or a value, where, and which characters of it stand there.

It looks at the tokens before the cursor only, and so works on any beginning of a text. The grammar is that of the
config files: comments and trailing commas are fine.
"""

import re
from typing import Literal

from attrs import define, frozen

from codeagent_lsp.config.document import Path, Span
from codeagent_lsp.config.tokens import Token, read_string, tokens

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n\r]*(?=[\n\r])", re.DOTALL)
_WORD = re.compile(r"[\w$.-]*")


@frozen
class Cursor:
    """A place where something can be typed.

    `path` leads to the object that a key is wanted in, or to the value that is wanted. `replace` is the stretch that a
    completion takes the place of, `typed` what of it stands before the cursor, quote included. `quoted`: it begins
    with a quote. `colon`: a colon follows the key. `comma_before`: where a comma is missing before it. `comma_after`:
    the next thing needs a comma first.
    """

    wants: Literal["key", "value"]
    path: Path
    replace: Span
    typed: str
    quoted: bool
    colon: bool = False
    comma_before: int | None = None
    comma_after: bool = False


@define
class _Frame:
    kind: str
    key: str | None = None
    index: int = 0
    state: str = "first"


def cursor_at(text: str, offset: int) -> Cursor | None:
    """What can be typed at an offset; `None` inside a comment, or where nothing can stand."""
    stack: list[_Frame] = []
    last_end = 0
    following: list[Token] = []
    current: Token | None = None
    before: list[Token] = []
    for token in tokens(text):
        if token.end <= offset and not _is_open(text, token, offset):
            before.append(token)
        elif token.start < offset:
            current = token
        else:
            following.append(token)
            if len(following) == 2:
                break
    for index, token in enumerate(before):
        after = before[index + 1] if index + 1 < len(before) else current or (following[0] if following else None)
        _step(stack, text, token, after)
        last_end = token.end
    if current is not None and (current.kind not in ("string", "word") or text[current.start] == "/"):
        return None
    if current is None and _in_comment(text[last_end:offset]):
        return None
    return _cursor(text, offset, stack, current, following, before[-1] if before else None)


def _is_open(text: str, token: Token, offset: int) -> bool:
    """Whether a token that ends at the cursor is still being typed: a word, or a string without its end."""
    if token.end != offset:
        return False
    return token.kind == "word" or (token.kind == "string" and read_string(text[token.start : token.end]).fatal)


def _in_comment(gap: str) -> bool:
    rest = _COMMENT.sub("", gap)
    return "//" in rest or "/*" in rest


def _step(stack: list[_Frame], text: str, token: Token, after: Token | None) -> None:
    """Take one token that is complete before the cursor."""
    frame = stack[-1] if stack else None
    if token.kind in "{[":
        stack.append(_Frame(token.kind))
    elif token.kind in "}]":
        while stack and stack.pop().kind != {"}": "{", "]": "["}[token.kind]:
            pass
        if stack:
            stack[-1].state = "comma"
    elif frame is None or token.kind == "comment":
        return
    elif token.kind == ",":
        frame.index += 1
        frame.key, frame.state = None, "key"
    elif token.kind == ":":
        frame.state = "value"
    elif frame.kind == "{" and (frame.state != "value" or (after is not None and after.kind == ":")):
        scalar = read_string(text[token.start : token.end]) if token.kind == "string" else None
        frame.key, frame.state = str(scalar.value) if scalar else text[token.start : token.end], "colon"
    else:
        frame.state = "comma"


def _cursor(
    text: str, offset: int, stack: list[_Frame], current: Token | None, following: list[Token], last: Token | None
) -> Cursor | None:
    path = _path(stack[:-1])
    if not stack:
        return None
    frame = stack[-1]
    replace = _replaced(text, offset, current)
    quoted = current is not None and current.kind == "string"
    typed = text[replace.start : offset]
    missing = last.end if last is not None and frame.state == "comma" else None
    if frame.kind == "[":
        if missing is not None:
            return None
        return Cursor("value", (*path, frame.index), replace, typed, quoted)
    after = following[0] if following else None
    colon = after is not None and after.kind == ":"
    if frame.state == "value" and not colon:
        return Cursor("value", (*path, frame.key or ""), replace, typed, quoted)
    if frame.state == "colon":
        return None
    pushed = after is not None and after.kind in ("string", "word")
    return Cursor("key", path, replace, typed, quoted, colon, missing, pushed)


def _path(stack: list[_Frame]) -> Path:
    out: list[str | int] = []
    for frame in stack:
        out.append(frame.index if frame.kind == "[" else frame.key or "")
    return tuple(out)


def _replaced(text: str, offset: int, current: Token | None) -> Span:
    """The whole string or word at the cursor; of a string that is not closed, the characters of its word only."""
    if current is None:
        return Span(offset, offset)
    if current.kind == "string" and read_string(text[current.start : current.end]).fatal:
        word = _WORD.match(text, offset)
        return Span(current.start, min(current.end, word.end() if word else offset))
    return Span(current.start, current.end)

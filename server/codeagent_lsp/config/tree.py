"""Builds the tree of a document from its tokens, and goes on after every mistake.

The first mistake of the syntax is reported, its followers are not: after one missing bracket most of the rest is
noise. The tree below a mistake is a guess that is good enough for completion and hover.
"""

from typing import cast

from attrs import define, field

from codeagent_lsp.config.nodes import Kind, Member, Node, Problem, Span
from codeagent_lsp.config.tokens import Scalar, Token, read_string, read_word, tokens
from codeagent_lsp.protocol.values import Severity
from codeagent_lsp.text import one_line

MAX_DEPTH = 64
MAX_TOKENS = 200_000
_MAX_MISTAKES = 1000
_MAX_PROBLEMS = 200
_CLOSERS = {"object": "}", "array": "]"}
_KINDS: dict[str, Kind] = {"{": "object", "[": "array"}


@define
class _Frame:
    """A container that is being read. `state` says what may come next: first, key, colon, value or comma."""

    kind: Kind
    start: int
    state: str = "first"
    members: list[Member] = field(factory=list[Member])
    items: list[Node] = field(factory=list[Node])
    key: Node | None = None
    value_from: int = 0


class Builder:
    """One run over one text. `build` gives the root; `problems` and `broken` hold what was found."""

    def __init__(self, text: str) -> None:
        self.problems: list[Problem] = []
        self.broken: Problem | None = None
        self._text = text
        self._mistakes = 0
        self._stack: list[_Frame] = []
        self._root: Node | None = None
        self._skipping = 0
        self._skip_from = 0
        self._last = Span(0, 0)

    def build(self) -> Node | None:
        """Read all tokens and return the root, or `None` for a text without any value."""
        for count, token in enumerate(tokens(self._text)):
            if count >= MAX_TOKENS:
                self._mistake(Span(token.start, token.end), f"too large to be read: more than {MAX_TOKENS:,} tokens")
            if count >= MAX_TOKENS or self._mistakes > _MAX_MISTAKES:
                break
            self._take(token)
            self._last = Span(token.start, token.end)
        self._finish()
        self.problems.sort(key=lambda problem: problem is not self.broken)
        return self._root

    def _take(self, token: Token) -> None:
        if self._skipping:
            self._skip(token)
        elif token.kind in _KINDS:
            self._open(token)
        elif token.kind in "}]":
            self._close(token)
        elif token.kind == ":":
            self._colon(token)
        elif token.kind == ",":
            self._comma(token)
        elif token.kind == "comment":
            self._mistake(Span(token.start, token.start + 2), "this comment is not closed: expected `*/`")
        else:
            self._scalar(token)

    def _mistake(self, span: Span, message: str) -> None:
        self._mistakes += 1
        if self.broken is None:
            self.broken = Problem(span, "error", message)
            self.problems.append(self.broken)

    def _note(self, span: Span, severity: Severity, message: str) -> None:
        if len(self.problems) < _MAX_PROBLEMS:
            self.problems.append(Problem(span, severity, message))

    def _open(self, token: Token) -> None:
        span = Span(token.start, token.end)
        self._room_for_value(span)
        if len(self._stack) >= MAX_DEPTH:
            self._note(span, "error", f"nested deeper than {MAX_DEPTH} levels: not read")
            self._skipping, self._skip_from = 1, token.start
            return
        self._stack.append(_Frame(_KINDS[token.kind], token.start))

    def _skip(self, token: Token) -> None:
        self._skipping += (token.kind in _KINDS) - (token.kind in "}]")
        if not self._skipping:
            self._put(Node("invalid", Span(self._skip_from, token.end)))

    def _room_for_value(self, span: Span) -> bool:
        """Complain unless a value may stand here; in an object without a key the value is dropped later."""
        frame = self._stack[-1] if self._stack else None
        fits = self._root is None if frame is None else frame.state in ("first", "key", "value")
        if fits and (frame is None or frame.kind == "array" or frame.state == "value"):
            return True
        what = f"`{one_line(self._text[span.start : span.end], 40)}`"
        if frame is None:
            self._mistake(span, f"unexpected {what} after the end of the file's one value")
            return False
        self._mistake(span, f"expected {_expected(frame)} before {what}")
        return frame.kind == "array" or frame.state == "colon"

    def _scalar(self, token: Token) -> None:
        span, source = Span(token.start, token.end), self._text[token.start : token.end]
        scalar = read_string(source) if token.kind == "string" else read_word(source)
        frame = self._stack[-1] if self._stack else None
        wants_key = frame is not None and frame.kind == "object" and frame.state in ("first", "key", "comma")
        if frame is not None and wants_key and (token.kind == "string" or scalar.fatal):
            self._report(span, scalar)
            self._key(frame, Node("string", span, source.strip('"') if scalar.value is None else scalar.value))
            return
        if scalar.fatal or self._room_for_value(span):
            self._report(span, scalar)
        self._put(Node(cast(Kind, scalar.kind), span, scalar.value))

    def _report(self, span: Span, scalar: Scalar) -> None:
        if scalar.problem is None:
            return
        if scalar.fatal:
            self._mistake(span, scalar.problem)
        else:
            self._note(span, "error", scalar.problem)

    def _key(self, frame: _Frame, key: Node) -> None:
        if frame.state == "comma":
            self._mistake(key.span, f"expected `,` or `}}` before `{one_line(str(key.value), 40)}`")
        frame.key, frame.state, frame.value_from = key, "colon", key.span.end

    def _put(self, node: Node) -> None:
        if not self._stack:
            if self._root is None:
                self._root = node
            return
        frame = self._stack[-1]
        if frame.kind == "array":
            frame.items.append(node)
        elif frame.key is not None:
            frame.members.append(Member(frame.key, node))
            frame.key = None
        frame.state = "comma"

    def _colon(self, token: Token) -> None:
        frame = self._stack[-1] if self._stack else None
        span = Span(token.start, token.end)
        if frame is None or frame.kind != "object":
            self._mistake(span, "unexpected `:`")
        elif frame.state == "colon":
            frame.state, frame.value_from = "value", token.end
        elif frame.state == "comma" and frame.members and frame.members[-1].value.kind == "string":
            self._take_value_for_key(frame, token)
        else:
            self._mistake(span, f"expected {_expected(frame)} before `:`")

    def _take_value_for_key(self, frame: _Frame, colon: Token) -> None:
        """`"command": ⏎ "args": …`: the text that was taken for the value is the next key."""
        last = frame.members.pop()
        gap = Span(min(last.key.span.end + 1, last.value.span.start), last.value.span.start)
        self._mistake(last.key.span, f"expected a value after `{one_line(str(last.key.value), 40)}`")
        frame.members.append(Member(last.key, Node("missing", gap)))
        frame.key, frame.state, frame.value_from = last.value, "value", colon.end

    def _comma(self, token: Token) -> None:
        span = Span(token.start, token.end)
        frame = self._stack[-1] if self._stack else None
        if frame is None:
            self._mistake(span, "unexpected `,`")
            return
        if frame.state == "comma":
            frame.state = "key"
            return
        self._mistake(span, f"expected {_expected(frame)} before `,`")
        self._end_member(frame, token.start)
        frame.state = "key"

    def _end_member(self, frame: _Frame, end: int) -> None:
        if frame.key is not None:
            frame.members.append(Member(frame.key, Node("missing", Span(min(frame.value_from, end), end))))
            frame.key = None

    def _close(self, token: Token) -> None:
        span = Span(token.start, token.end)
        depth = next((i for i in range(len(self._stack) - 1, -1, -1) if self._closes(i, token.kind)), None)
        if depth is None:
            self._mistake(span, f"unexpected `{token.kind}`: nothing is open that it closes")
            return
        while len(self._stack) - 1 > depth:
            frame = self._stack[-1]
            opener = self._line(frame.start)
            closer = _CLOSERS[frame.kind]
            self._mistake(span, f"expected `{closer}` before `{token.kind}` (what it closes begins in line {opener})")
            self._pop(token.start)
        frame = self._stack[-1]
        if frame.state in ("colon", "value"):
            self._mistake(span, f"expected {_expected(frame)} before `{token.kind}`")
        self._pop(token.end, token.start)

    def _closes(self, index: int, closer: str) -> bool:
        return _CLOSERS[self._stack[index].kind] == closer

    def _pop(self, end: int, value_end: int | None = None) -> None:
        frame = self._stack.pop()
        self._end_member(frame, end if value_end is None else value_end)
        self._duplicates(frame)
        self._put(Node(frame.kind, Span(frame.start, end), None, tuple(frame.members), tuple(frame.items)))

    def _duplicates(self, frame: _Frame) -> None:
        seen: dict[str, Member] = {}
        for member in frame.members:
            name = str(member.key.value)
            if name in seen and len(self.problems) < _MAX_PROBLEMS:
                where = self._line(member.key.span.start)
                message = f"`{one_line(name, 60)}` is there twice; the later one in line {where} counts"
                self._note(seen[name].key.span, "warning", message)
            seen[name] = member

    def _finish(self) -> None:
        end = len(self._text)
        if self._skipping:
            self._mistake(self._last, "the file ends too early: brackets are not closed")
            self._put(Node("invalid", Span(self._skip_from, end)))
        elif self._stack:
            frame = self._stack[-1]
            opener = "{" if frame.kind == "object" else "["
            what = f"expected `{_CLOSERS[frame.kind]}` for the `{opener}` in line {self._line(frame.start)}"
            self._mistake(self._last, f"the file ends too early: {what}")
        elif self._root is None:
            self._mistake(Span(0, end), 'the file is empty: expected `{"mcpServers": {}}`')
        while self._stack:
            self._pop(end)

    def _line(self, offset: int) -> int:
        return self._text.count("\n", 0, offset) + 1


def _expected(frame: _Frame) -> str:
    if frame.kind == "array":
        return {"first": "a value or `]`", "comma": "`,` or `]`"}.get(frame.state, "a value")
    key = one_line(str(frame.key.value), 40) if frame.key else ""
    return {
        "first": "a key in double quotes or `}`",
        "key": "a key in double quotes",
        "comma": "`,` or `}`",
        "colon": f"`:` after `{key}`",
        "value": f"a value after `{key}`",
    }[frame.state]

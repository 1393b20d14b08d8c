"""What is being typed at a place in a line: the name of a server, the URI of a resource, or neither."""

import re

from attrs import frozen

from codeagent_lsp.catalog.boundaries import CANDIDATE, may_begin, word_stop
from codeagent_lsp.features.index import MentionIndex
from codeagent_lsp.features.mentions import Head, head_at, mention_at

_LOOK_BACK = 2048
_CANDIDATES = 8
_NAME_RUN = re.compile(r"[^\s:\"'<>()\[\]{}`,;]*")


@frozen
class NameTyping:
    """A server's name is typed. `start` to `end` is what a completion replaces; `rest` is the URI behind the name."""

    start: int
    end: int
    typed: str
    rest: str


@frozen
class UriTyping:
    """A URI is typed, behind the name of a known server. `start` to `end` is what a completion replaces."""

    start: int
    end: int
    typed: str
    server: str


def context_at(line: str, cursor: int, index: MentionIndex, *, code: bool) -> NameTyping | UriTyping | None:
    """What is being typed right before `cursor`. Looks at no more than the 2,048 code points before it."""
    low = max(0, cursor - _LOOK_BACK)
    at = cursor
    for _ in range(_CANDIDATES):
        at = line.rfind("@", low, at)
        if at < 0:
            return None
        if CANDIDATE.match(line, at) and may_begin(line, at):
            head = head_at(line, at, index)
            in_uri = head is not None and head.uri_start <= cursor
            found = _uri(line, cursor, head, index, code) if head and in_uri else _name(line, cursor, at, head, index)
            if found:
                return found
    return None


def _uri(line: str, cursor: int, head: Head, index: MentionIndex, code: bool) -> UriTyping | None:
    start, uri_start, known = head
    typed = line[uri_start:cursor]
    before = line[start - 1] if start else ""
    entry = index.entry(known.server)
    stop = word_stop(line[:cursor], uri_start, before=before, code=code)
    if entry is None or (stop < cursor and not entry.listing.begins(typed)):
        return None
    mention = mention_at(line, start, index, code=code)
    end = mention.end if mention and mention.end > cursor else cursor
    return UriTyping(start, end, typed, known.server)


def _name(line: str, cursor: int, at: int, head: Head | None, index: MentionIndex) -> NameTyping | None:
    typed = line[at + 1 : cursor]
    quoted = typed.startswith('"')
    if quoted:
        typed = re.sub(r"\\(.)", r"\1", typed[1:])
    if (quoted and '"' in typed) or (not quoted and re.search(r"[\s:]", typed)):
        return None
    if head:
        mention = mention_at(line, at, index, code=False)
        end = mention.end if mention else head.uri_start
        return NameTyping(at, end, typed, line[head.uri_start : end])
    run = _NAME_RUN.match(line, at + 1)
    end = run.end() if run and index.entry(run[0]) else cursor
    if quoted and line.startswith('"', cursor):
        end = cursor + 1
    return NameTyping(at, max(end, cursor), typed, "")

"""The parser of mentions, `@server:uri`: the one grammar behind every feature, linear in the line.

* The `@` begins a line or follows white space, an opening bracket, a quote or opening emphasis; never a letter, digit,
  `.`, `@` or `\\`. The server's name is compared exactly, case included, and is known; a name with white space or a
  colon stands in quotes: `@"my server":uri`.
* The URI is the longest listed one that fits, in any spelling (`spelling`); else the word that follows (`boundaries`).
* In code (`is_code`) an unlisted word must begin with `scheme:`, so that decorators and annotations stay quiet.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from codeagent_lsp.catalog.boundaries import CANDIDATE, may_begin, word_end
from codeagent_lsp.catalog.spelled import is_plain
from codeagent_lsp.features.spelling import Normal, normal_line

_QUOTED = re.compile(r'@"((?:[^"\\]|\\.){1,256})":')
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,63}:.")
_PROSE = re.compile(
    "markdown|gfm|mdx|rmd|quarto|plaintext|text|txt|git-?commit|gitrebase|git-rebase|jjdescription|hgcommit|commit|mail|email"
    "|eml|asciidoc(?:tor)?|adoc|rst|restructuredtext|latex|tex|plaintex|bibtex|context|org|norg|neorg|typst|textile|creole"
    "|mediawiki|wikitext|vimwiki|djot|pod|help|vimdoc|man|troff|groff|fountain|prompt|instructions|chatagent|skill"
    "|scminput|chatinput|log|todo|taskpaper|message|log-edit"
)


class Known(Protocol):
    """The resources of one server, as far as they are known."""

    @property
    def server(self) -> str:
        """The server's id."""
        ...

    def longest(self, line: str, view: Normal, start: int, before: str) -> tuple[str, int] | None:
        """The longest listed URI that is spelled at `start` of the line and fits, and where its spelling ends.

        `before` is the character in front of the mention, or "".
        """
        ...

    def listed(self, written: str) -> str | None:
        """The listed URI that `written` spells."""
        ...


class Names(Protocol):
    """The servers that are known."""

    @property
    def longest_name(self) -> int:
        """The length of the longest name in code points."""
        ...

    def known(self, name: str) -> Known | None:
        """What is known of a server, by the name that stands in the text."""
        ...


class Found(NamedTuple):
    """One mention in a line. All offsets count code points; `end` is exclusive.

    The server's name, with its quotes, is `start + 1` to `uri_start - 1`. `uri` is the listed URI, or the text as it
    stands where `listed` is false.
    """

    start: int
    uri_start: int
    end: int
    server: str
    uri: str
    listed: bool


class Head(NamedTuple):
    """An `@server:` in front of what may be a URI."""

    start: int
    uri_start: int
    known: Known


def is_code(language_id: str) -> bool:
    """Whether a document of this language id is code: everything that is not a language people write prose in."""
    return not _PROSE.fullmatch(language_id.lower())


def scan_line(line: str, names: Names, *, code: bool) -> tuple[Found, ...]:
    """Every mention in a line, which has no line terminator, from left to right. Never raises."""
    if "@" not in line:
        return ()
    return tuple(_scan(line, names, code))


def mention_at(line: str, start: int, names: Names, *, code: bool) -> Found | None:
    """The mention whose `@` stands at `start`."""
    head = head_at(line, start, names)
    return _mention(line, normal_line(line), head, code) if head else None


def head_at(line: str, start: int, names: Names) -> Head | None:
    """The known `@server:` whose `@` stands at `start`, whether a URI follows or not."""
    if not CANDIDATE.match(line, start) or not may_begin(line, start):
        return None
    if line.startswith('"', start + 1):
        match = _QUOTED.match(line, start)
        if match is None:
            return None
        name, colon = re.sub(r"\\(.)", r"\1", match[1]), match.end() - 1
    else:
        colon = line.find(":", start + 2, start + 2 + names.longest_name)
        if colon < 0:
            return None
        name = line[start + 1 : colon]
        if not is_plain(name):
            return None
    known = names.known(name)
    return Head(start, colon + 1, known) if known is not None else None


def _scan(line: str, names: Names, code: bool) -> Iterator[Found]:
    view: Normal | None = None
    candidate = CANDIDATE.search(line)
    while candidate:
        start = candidate.start()
        after = start + 1
        head = head_at(line, start, names)
        if head:
            view = view or normal_line(line)
            found = _mention(line, view, head, code)
            after = head.uri_start
            if found:
                yield found
                after = found.end
        candidate = CANDIDATE.search(line, after)


def _mention(line: str, view: Normal, head: Head, code: bool) -> Found | None:
    start, uri_start, known = head
    if uri_start >= len(line) or line[uri_start].isspace():
        return None
    before = line[start - 1] if start else ""
    longest = known.longest(line, view, uri_start, before)
    if longest:
        return Found(start, uri_start, longest[1], known.server, longest[0], True)
    if code and not _SCHEME.match(line, uri_start):
        return None  # before the word is looked for: many such candidates may stand in front of one long word
    end = word_end(line, uri_start, before=before, code=code)
    written = line[uri_start:end]
    listed = known.listed(written)
    if listed is None and (not written or (code and not _SCHEME.match(written))):
        return None
    return Found(start, uri_start, end, known.server, listed or written, listed is not None)

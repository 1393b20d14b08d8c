"""The real-world cases of editors that are about a text, for any client: what is opened, asked, and must be answered.

A client's test opens each case's text under the case's language, sends its request, and hands the result to `check`.
"""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

from attrs import frozen

from codeagent_lsp.catalog.addresses import parse

Encoding = Literal["utf-8", "utf-16", "utf-32"]
ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
SCRIPTED = Path(__file__).resolve().parent / "servers" / "scripted.py"

LISTED = {
    "srv": ["x://a"],
    "docs": ["x://1", "note://a/b", "note://a/bc"],
    "d": ["n://a", "n://a b", "n://a(1)", "n://a.md", "n://a?q=1&r=2", "n://é", "n://x@y:z"],
    "db": ["y://2"],
}
"""The servers that run, and what they list."""

NAMED = ("host", "github.com", "v4", "scope", "repo", "sha256", "file", "property", "get", "media", "param", "objc")
"""The servers that are only there by name."""


def declare(folder: Path) -> dict[str, Any]:
    """The entries of all these servers; `folder` takes their lists."""
    entries: dict[str, Any] = {name: {"command": "none", "disabled": True} for name in NAMED}
    for name, uris in LISTED.items():
        lists = folder / name
        lists.mkdir(parents=True)
        given = {"resources/list": {"resources": [{"uri": uri, "name": uri} for uri in uris]},
                 "resources/templates/list": {"resourceTemplates": []}}  # fmt: skip
        for method, result in given.items():
            (lists / f"{method.replace('/', '_')}.json").write_text(json.dumps(result), "utf-8")
        entries[name] = {"command": sys.executable, "args": [str(SCRIPTED), f"from={lists}"]}
    return entries


# -- places in texts -------------------------------------------------------------------------------------------------


def units(text: str, encoding: Encoding) -> int:
    """How long a text is in the units of an encoding."""
    match encoding:
        case "utf-8":
            return len(text.encode())
        case "utf-16":
            return len(text.encode("utf-16-le")) // 2
        case _:
            return len(text)


def place(text: str, offset: int, encoding: Encoding) -> dict[str, int]:
    """The position of an offset, which counts code points; lines end with `\\n` or `\\r\\n`."""
    before = text[:offset]
    return {"line": before.count("\n"), "character": units(before[before.rfind("\n") + 1 :], encoding)}


def offset_of(text: str, position: dict[str, Any], encoding: Encoding) -> int:
    """The offset of a position; fails where it is inside of a character."""
    lines = text.split("\n")
    line = lines[position["line"]]
    inside = next(at for at in range(len(line) + 1) if units(line[:at], encoding) >= position["character"])
    assert units(line[:inside], encoding) == position["character"], position
    return sum(len(line) + 1 for line in lines[: position["line"]]) + inside


def covered(text: str, where: dict[str, Any], encoding: Encoding) -> str:
    """What of a text is in a range."""
    return text[offset_of(text, where["start"], encoding) : offset_of(text, where["end"], encoding)]


def applied(text: str, edit: dict[str, Any], encoding: Encoding) -> str:
    """A text after one edit."""
    start, end = (offset_of(text, edit["range"][side], encoding) for side in ("start", "end"))
    return text[:start] + edit["newText"] + text[end:]


# -- the cases -------------------------------------------------------------------------------------------------------


@frozen
class Case:
    """One case: a document, a request about it, and what must be true of its result (JSON)."""

    name: str
    language: str
    text: str
    method: str
    params: dict[str, Any]
    check: Callable[[Any], None]


def cases(encoding: Encoding) -> list[Case]:
    """Every case, its positions in these units."""
    return [*_encodings(encoding), *_completions(encoding), *_links(encoding), *_places(encoding), *_hostile()]


def _link_case(name: str, language: str, text: str, wanted: list[tuple[str, str]], encoding: Encoding) -> Case:
    """The document links of a text are these: what each covers, and the URI that it opens."""

    def check(result: Any) -> None:
        targets = [parse(link.get("target") or link["data"]) for link in result or []]
        found = [
            (covered(text, link["range"], encoding), target) for link, target in zip(result or [], targets, strict=True)
        ]
        assert [(shown, target and target[1]) for shown, target in found] == wanted

    return Case(name, language, text, "textDocument/documentLink", {}, check)


BEFORE = {
    "plain": "",
    "emoji": "😀😀 ",
    "accent": "é ",
    "family": "👨‍👩‍👧 ",
    "windows": "a 😀\r\n",
    "lines": "a\n\n😀 ",
}


def _encodings(encoding: Encoding) -> Iterator[Case]:
    """LSP-02: the same mention behind characters of every width."""
    for name, before in BEFORE.items():
        text = f"{before}@srv:x://a b\r\nend"
        yield _link_case(f"LSP-02 {name}", "markdown", text, [("@srv:x://a", "x://a")], encoding)
        at = place(text, len(before) + 6, encoding)

        def hovered(result: Any, text: str = text) -> None:
            assert covered(text, result["range"], encoding) == "@srv:x://a"

        yield Case(f"LSP-02 hover {name}", "markdown", text, "textDocument/hover", {"position": at}, hovered)

    def exact(result: Any) -> None:
        start, end = {"utf-16": (5, 15), "utf-8": (9, 19), "utf-32": (3, 13)}[encoding]
        assert result[0]["range"] == {"start": {"line": 0, "character": start}, "end": {"line": 0, "character": end}}

    yield Case("LSP-02 exact", "markdown", "😀😀 @srv:x://a b", "textDocument/documentLink", {}, exact)


COMPLETED: dict[str, list[str] | None] = {
    "see @|": None,
    "see @do|": ["@docs:"],
    "see @docs:|": ["@docs:x://1", "@docs:note://a/b", "@docs:note://a/bc"],
    "see @docs:note://a/b|": ["@docs:note://a/b", "@docs:note://a/bc"],
    "see @docs:note://a/b|c": ["@docs:note://a/b", "@docs:note://a/bc"],
    "see @docs:no|te://a/bc and": ["@docs:note://a/b", "@docs:note://a/bc"],
    "(@docs:x|)": ["@docs:x://1"],
    "std::|": [],
    "http:|": [],
    "me@docs:|": [],
    "\\@docs:|": [],
}
"""LSP-03: what is offered at `|`, each as it is inserted; None: every server."""


TRIGGERS: tuple[dict[str, Any], ...] = (
    {"triggerKind": 1},
    {"triggerKind": 2, "triggerCharacter": ":"},
    {"triggerKind": 3},
)


def _completions(encoding: Encoding) -> Iterator[Case]:
    for name, before in BEFORE.items():
        for marked, wanted in COMPLETED.items():
            text = before + marked.replace("|", "")
            cursor = len(before) + marked.index("|")

            def check(result: Any, text: str = text, cursor: int = cursor, wanted: Any = wanted) -> None:
                items = result["items"] if isinstance(result, dict) else result or []
                edits = [item["textEdit"] for item in items]
                for item, edit in zip(items, edits, strict=True):
                    start = offset_of(text, edit["range"]["start"], encoding)
                    assert text[start] == "@" and start < cursor <= offset_of(text, edit["range"]["end"], encoding)
                    assert item["filterText"].startswith(text[start:cursor])
                    assert applied(text, edit, encoding).count("@") == text.count("@")
                every = sorted(f"@{server}:" for server in (*LISTED, *NAMED))
                assert sorted(edit["newText"] for edit in edits) == (every if wanted is None else sorted(wanted))

            for trigger in TRIGGERS if name == "plain" else TRIGGERS[:1]:
                params = {"position": place(text, cursor, encoding), "context": trigger}
                label = f"LSP-03 {name} {marked} {trigger['triggerKind']}"
                yield Case(label, "markdown", text, "textDocument/completion", params, check)


NO_MENTIONS = (
    "me@host:25", "<me@host:25>", "git@github.com:org/repo.git", "uses: a/b@v4", "img@sha256:abcd", '"@scope/pkg:build"',
    "@repo//x:y", "ssh root@db:/var", "http://u:p@docs:80/", "@@docs:x://1", "\\@docs:x://1", "a.@docs:x://1", "@docs:",
    "@ docs:x", "@docs :x", "@Docs:x://1",
)  # fmt: skip
"""LSP-04; server names are compared as they are written."""

MENTIONS: dict[str, list[tuple[str, str]]] = {
    "@docs:x://1": [("@docs:x://1", "x://1")],
    "(@docs:x://1)": [("@docs:x://1", "x://1")],
    '"@docs:x://1"': [("@docs:x://1", "x://1")],
    "- @docs:x://1, @db:y://2.": [("@docs:x://1", "x://1"), ("@db:y://2", "y://2")],
    "See @d:n://a.": [("@d:n://a", "n://a")],
    "(@d:n://a)": [("@d:n://a", "n://a")],
    "@d:n://a(1),": [("@d:n://a(1)", "n://a(1)")],
    "@d:n://a b end": [("@d:n://a b", "n://a b")],
    "@d:n://a%20b": [("@d:n://a%20b", "n://a b")],
    "@d:n://a.md.": [("@d:n://a.md", "n://a.md")],
    "@d:n://a?q=1&r=2!": [("@d:n://a?q=1&r=2", "n://a?q=1&r=2")],
    "**@d:n://a**": [("@d:n://a", "n://a")],
    "[@d:n://a](u)": [("@d:n://a", "n://a")],
    "@d:n://x@y:z": [("@d:n://x@y:z", "n://x@y:z")],
    "@d:n://é": [("@d:n://é", "n://é")],
    "@d:n://%C3%A9,": [("@d:n://%C3%A9", "n://é")],
}
"""LSP-04 and LSP-06."""

ANNOTATIONS = (
    ("python", "@property\n@app.route('/x')\n"), ("kotlin", '@file:JvmName("X")\n@get:Rule\n'), ("css", "@media screen {}"),
    ("java", "/** @param x: y */"), ("swift", "@objc(foo:)"), ("typescript", "@param x: y"),
)  # fmt: skip
"""LSP-05."""


def _links(encoding: Encoding) -> Iterator[Case]:
    for text in NO_MENTIONS:
        yield _link_case(f"LSP-04 {text}", "markdown", text, [], encoding)
    for text, wanted in MENTIONS.items():
        yield _link_case(f"LSP-06 {text}", "markdown", text, wanted, encoding)
        yield _link_case(f"LSP-06 😀 {text}", "markdown", f"😀é {text}\r\n😀", wanted, encoding)
    for language, text in ANNOTATIONS:
        yield _link_case(f"LSP-05 {text}", language, text, [], encoding)
    yield _link_case("LSP-05 listed", "python", "# 😀 @docs:x://1", [("@docs:x://1", "x://1")], encoding)


def _places(encoding: Encoding) -> Iterator[Case]:
    """LSP-02 and LSP-08: positions that the text does not have are answered, and harm nothing."""
    text = "😀 @srv:x://a\r\né"
    for line, character in ((0, 1), (0, 999), (1, 5), (7, 0), (2**31 - 1, 2**31 - 1)):
        for method in ("hover", "completion", "definition", "documentHighlight", "references", "prepareRename"):
            more = {"context": {"includeDeclaration": True}} if method == "references" else {}
            params = {"position": {"line": line, "character": character}, **more}
            name = f"LSP-08 {method} {line}:{character}"
            yield Case(name, "markdown", text, f"textDocument/{method}", params, lambda _: None)


def _hostile() -> Iterator[Case]:
    """LSP-07."""
    for name, text, count in (
        ("@", "@" * 1_000_000, 0),
        ("word", "@docs:" + "x" * 1_000_000, 1),
        ("colon", "@" * 100_000 + ":", 0),
        ("lines", "@docs:x://1\n" * 20_000, 10_000),
        ("nul", "\x00 @docs:x://1 \x00", 1),
        ("separator", "\u2028@docs:x://1\u2028", 1),
    ):

        def check(result: Any, count: int = count) -> None:
            assert len(result or []) == count

        yield Case(f"LSP-07 {name}", "markdown", text, "textDocument/documentLink", {}, check)

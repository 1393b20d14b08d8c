"""The figures of mentions: completion among 100,000 resources, a keystroke in 100,000 lines, hostile lines, memory.

    python bench/mentions.py [--json]

All in one process and at function level: an answer is made and turned into JSON text, as it is on the wire. Times are
of the processor. Ratios count, since both sides run on the same machine, one after the other; they must stay below the
bound that stands beside them.
"""

import json
import sys
import time
import tracemalloc
from collections.abc import Callable

from attrs import evolve
from lsprotocol import converters, types

from codeagent_lsp.features.completion import complete
from codeagent_lsp.features.documents import Document
from codeagent_lsp.features.index import MentionIndex
from codeagent_lsp.features.links import document_links
from codeagent_lsp.features.mention_diagnostics import mention_diagnostics
from codeagent_lsp.protocol.values import Resource, ResourceTemplate, ServerStatus

CONVERTER = converters.get_converter()


class View:
    """A catalogue of `servers` servers with `each` resources."""

    def __init__(self, servers: int, each: int) -> None:
        self.lists = {
            name: [_resource(name, number) for number in range(each)]
            for name in (f"server{number:02d}" for number in range(servers))
        }

    def servers(self) -> list[ServerStatus]:
        return [ServerStatus(name, name, "user", "file:///mcp.json", "stdio", "ready") for name in self.lists]

    def resources(self, server: str) -> list[Resource]:
        return self.lists[server]

    def templates(self, server: str) -> list[ResourceTemplate]:
        return []


def _resource(server: str, number: int) -> Resource:
    uri = f"note://folder-{number % 37}/item-{number:06d}"
    return Resource(server, uri, f"Item number {number}", f"codeagent://resource/{server}/{number}", f"@{server}:{uri}")


def wire(value: object) -> str:
    return json.dumps(CONVERTER.unstructure(value))


def p95(work: Callable[[], object], rounds: int = 100) -> float:
    """The 95th percentile of `work` in milliseconds."""
    work()
    times: list[float] = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return sorted(times)[int(0.95 * rounds)] * 1000


def completion() -> dict[str, float]:
    """Completion after `@server:` against the same 200 items made beforehand, and against a tenth of the resources."""
    index, small = MentionIndex(), MentionIndex()
    tracemalloc.start()
    view = View(100, 1000)
    held = tracemalloc.get_traced_memory()[0]
    start = time.process_time()
    index.refresh(view)
    built = time.process_time() - start
    memory = tracemalloc.get_traced_memory()[0] - held
    for server in index.servers():
        complete(Document("", "markdown", 1, f"@{server}:000999", "utf-16"), types.Position(0, 99), index)
    searched = tracemalloc.get_traced_memory()[0] - held
    tracemalloc.stop()
    small.refresh(View(1, 1000))
    document = Document("file:///a.md", "markdown", 1, "see @server00:", "utf-16")
    at = types.Position(0, 14)
    ready = complete(document, at, index)
    assert len(ready.items) == 200 and ready.is_incomplete
    typed = with_text(document, "see @server00:note://folder-1/item-000")
    words = with_text(document, "see @server00:000999")
    return {
        "items": 200,
        "p95 of 200 ready items (ms)": p95(lambda: wire(ready)),
        "p95 after @server: (ms)": p95(lambda: wire(complete(document, at, index))),
        "p95 with 1,000 resources (ms)": p95(lambda: wire(complete(document, at, small))),
        "p95 inside the URI (ms)": p95(lambda: wire(complete(typed, types.Position(0, 99), index))),
        "p95 by a word of the name (ms)": p95(lambda: wire(complete(words, types.Position(0, 99), index))),
        "index of 100,000 resources (s)": built,
        "index of 100,000 resources (MB)": memory / 1e6,
        "the same, every server searched (MB)": searched / 1e6,
        "the resources themselves (MB)": held / 1e6,
    }


def with_text(document: Document, text: str) -> Document:
    return Document(document.uri, document.language_id, 1, text, document.encoding)


def keystroke() -> dict[str, float]:
    """A keystroke, from the change to fresh diagnostics, in 100,000 lines, every tenth with a mention, and in 1,000."""
    index = MentionIndex()
    index.refresh(View(1, 1000))

    def one(lines: int, insert: str, known: bool) -> float:
        uri = "note://folder-{0}/item-{1:06d}" if known else "note://no/{1}"

        def mention(number: int) -> str:
            return f" @server00:{uri.format(number % 37, number)}"

        text = "\n".join(f"line {n}{'' if n % 10 else mention(n // 10 % 1000)}" for n in range(lines))
        document = Document("file:///a.md", "markdown", 1, text, "utf-16")
        where = types.Range(types.Position(lines // 2, 3), types.Position(lines // 2, 3))
        change = types.TextDocumentContentChangePartial(text=insert, range=where)

        def work() -> None:
            document.change(change)
            wire(mention_diagnostics(document, index))

        return p95(work)

    small, large = one(1000, "x", True), one(100_000, "x", True)
    small_line, large_line = one(1000, "\n", True), one(100_000, "\n", True)
    small_bad, large_bad = one(1000, "x", False), one(100_000, "x", False)
    return {
        "1,000 lines (ms)": small,
        "100,000 lines (ms)": large,
        "letter, ratio": large / small,
        "new line, ratio": large_line / small_line,
        "every mention unknown, ratio": large_bad / small_bad,
    }


def hostile() -> dict[str, float]:
    """Document links of hostile documents, in milliseconds, and how a line of `@` grows."""
    index = MentionIndex()
    index.refresh(one_resource())

    def links(text: str) -> float:
        document = Document("file:///a.md", "markdown", 1, text, "utf-16")
        start = time.process_time()
        document_links(document, index)
        return (time.process_time() - start) * 1000

    found = {
        "1 MB of @": links("@" * 1_000_000),
        "4 MB of @": links("@" * 4_000_000),
        "@docs: and 1 MB": links("@docs:" + "x" * 1_000_000),
        "100,000 @ and a colon": links("@" * 100_000 + ":"),
        "100,000 lines with a mention each": links("@docs:x://1\n" * 100_000),
    }
    return found | {"4 MB to 1 MB, ratio": found["4 MB of @"] / found["1 MB of @"]}


def one_resource() -> View:
    view = View(0, 0)
    view.lists["docs"] = [evolve(_resource("docs", 1), uri="x://1")]
    return view


def main() -> int:
    figures = {"completion": completion(), "keystroke": keystroke(), "hostile documents": hostile()}
    done = figures["completion"]
    bounds = {
        "completion to ready items": (done["p95 after @server: (ms)"] / done["p95 of 200 ready items (ms)"], 2.0),
        "100,000 resources to 1,000": (done["p95 after @server: (ms)"] / done["p95 with 1,000 resources (ms)"], 1.5),
        "keystroke, letter": (figures["keystroke"]["letter, ratio"], 5.0),
        "keystroke, new line": (figures["keystroke"]["new line, ratio"], 5.0),
        "keystroke, all unknown": (figures["keystroke"]["every mention unknown, ratio"], 5.0),
        "slowest document's links (ms)": (
            max(v for k, v in figures["hostile documents"].items() if k[0] != "4"),
            500.0,
        ),
        "4 MB of @ to 1 MB": (figures["hostile documents"]["4 MB to 1 MB, ratio"], 6.0),
    }
    if "--json" in sys.argv:
        print(json.dumps({"figures": figures, "bounds": bounds}))
    else:
        for name, values in figures.items():
            print(name, *(f"    {key}: {value:,.2f}" for key, value in values.items()), sep="\n")
        for name, (value, bound) in bounds.items():
            print(f"{'ok  ' if value <= bound else 'OVER'} {name}: {value:.2f} (at most {bound:g})")
    return int(any(value > bound for value, bound in bounds.values()))


if __name__ == "__main__":
    raise SystemExit(main())

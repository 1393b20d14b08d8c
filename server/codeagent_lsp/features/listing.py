"""What one server lists, made fast to look up: by spelling for the parser, by prefix and by words for completion."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from codeagent_lsp.catalog.addresses import mention
from codeagent_lsp.catalog.boundaries import ends_at
from codeagent_lsp.features.spelling import Normal, normal
from codeagent_lsp.features.templates import read_template
from codeagent_lsp.protocol.values import Resource, ResourceTemplate
from codeagent_lsp.text import one_line

_WINDOW = 2048
_TRIES = 64
_HITS = 400
MAX_TEMPLATES = 64
"""How many templates of a server are read; where there are more, any URI may come from one of them."""


class Listing:
    """The resources and templates of one server. It never changes; a new list is a new `Listing`.

    The first of several entries with the same URI counts. Looking up takes logarithmic time; only `search` by words
    passes through the names, and ends after 400 hits.
    """

    def __init__(self, server: str, resources: Sequence[Resource], templates: Sequence[ResourceTemplate]) -> None:
        self.server = server
        self.templates = tuple(templates)
        self.read_templates = tuple(read_template(item.uri_template) for item in self.templates[:MAX_TEMPLATES])
        self._given = tuple(resources)
        self.resources: dict[str, Resource] = {}
        for resource in resources:
            if resource.uri:
                self.resources.setdefault(resource.uri, resource)
        spelled: dict[str, str | tuple[str, ...]] = {}
        for uri in self.resources:
            key = normal(uri)
            same = spelled.get(key)
            spelled[key] = uri if same is None else (*((same,) if isinstance(same, str) else same), uri)
        self._spelled = spelled
        self._keys = sorted(spelled)
        self._window = min(_WINDOW, max(map(len, self._keys), default=0))
        folded = [(lower if (lower := uri.lower()) != uri else uri, uri) for uri in self.resources]
        folded.sort()
        self._folded = [lower for lower, _ in folded]
        self._by_folded = [uri for _, uri in folded]
        self._shown: dict[str, tuple[str, str, str]] = {}
        self._hay, self._starts = "", [0]

    def same(self, resources: Sequence[Resource], templates: Sequence[ResourceTemplate]) -> bool:
        """Whether it was made from equal lists."""
        return self._given == tuple(resources) and self.templates == tuple(templates)

    def listed(self, written: str) -> str | None:
        """The listed URI that `written` spells, percent-encoded or plain; the very same string before any other."""
        if written in self.resources:
            return written
        same = self._spelled.get(normal(written))
        return same if same is None or isinstance(same, str) else same[0]

    def longest(self, line: str, view: Normal, start: int, before: str = "") -> tuple[str, int] | None:
        """See `mentions.Known.longest`."""
        if not self._keys:
            return None
        here = view.to_normal(start)
        for key in self._prefixes(view.text[here : here + self._window]):
            end = view.to_line(here + len(key))
            if ends_at(line, end, before):
                return self.listed(line[start:end]) or key, end
        return None

    def begins(self, written: str) -> bool:
        """Whether some listed URI begins with `written`, in any spelling."""
        key = normal(written)
        at = bisect_left(self._keys, key)
        return at < len(self._keys) and self._keys[at].startswith(key)

    def search(self, typed: str, limit: int) -> tuple[list[tuple[str, bool]], bool]:
        """At most `limit` URIs for what was typed, and whether there are more. Letter case does not count.

        Those that begin with it come first, sorted; then those where a word of URI, name or title does, then those
        that have it anywhere. Each comes with whether it is of the first sort.
        """
        needle = normal(typed).lower()
        at = bisect_left(self._folded, needle)
        out: list[tuple[str, bool]] = []
        for place in range(at, len(self._folded)):
            if not self._folded[place].startswith(needle):
                break
            if len(out) == limit:
                return out, True
            out.append((self._by_folded[place], True))
        if not needle or any(char.isspace() for char in typed):
            return out, False
        taken = {uri for uri, _ in out}
        words, inside, cut = self._hits(needle)
        rest = [(uri, False) for uri in (*words, *inside) if uri not in taken]
        room = limit - len(out)
        return out + rest[:room], cut or len(rest) > room

    def shown(self, uri: str) -> tuple[str, str, str]:
        """How a listed resource is shown: its URI and its name on one line each, and the mention of it.

        Made once per resource, when it is first shown.
        """
        known = self._shown.get(uri)
        if known is None:
            known = one_line(uri, 120), title(self.resources[uri]), mention(self.server, uri)
            self._shown[uri] = known
        return known

    def neighbours(self, written: str, count: int) -> list[str]:
        """The URIs that stand around `written` in sorted order."""
        at = bisect_left(self._folded, written.lower())
        return self._by_folded[max(0, at - count) : at + count]

    def _prefixes(self, window: str) -> Iterator[str]:
        """The keys that `window` begins with, longest first."""
        high = len(self._keys)
        for _ in range(_TRIES):
            at = bisect_right(self._keys, window, 0, high) - 1
            if at < 0:
                return
            key = self._keys[at]
            if window.startswith(key):
                yield key
            else:
                window = window[: _shared(key, window)]
                if not window:
                    return
            high = at

    def _hits(self, needle: str) -> tuple[list[str], list[str], bool]:
        if len(self._starts) == 1:
            self._fill()
        words: list[str] = []
        inside: list[str] = []
        at = self._hay.find(needle)
        while at >= 0 and len(words) + len(inside) < _HITS:
            item = bisect_right(self._starts, at) - 1
            begins = not (needle[0].isalnum() and self._hay[at - 1].isalnum()) if at else True
            (words if begins else inside).append(self._by_folded[item])
            at = self._hay.find(needle, self._starts[item + 1])
        return words, inside, at >= 0

    def _fill(self) -> None:
        """Join what can be searched into one text; done at the first search, since most servers are never searched."""
        parts: list[str] = []
        length = 0
        for uri in self._by_folded:
            resource = self.resources[uri]
            part = f"{uri}\t{resource.name}\t{resource.title or ''}".lower()[:1023] + "\n"
            parts.append(part)
            length += len(part)
            self._starts.append(length)
        self._hay = "".join(parts)


def title(item: Resource | ResourceTemplate) -> str:
    """The best name of a resource or template, on one line."""
    name = one_line(item.name)
    shown = one_line(item.title) if item.title else name
    return shown if shown == name or not name else f"{shown} ({name})"


def _shared(one: str, other: str) -> int:
    """The length of the common beginning of two strings."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low

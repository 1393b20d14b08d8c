"""Full tool names: `mcp__<server>__<tool>`, safe for every model provider, unique, and never parsed back.

A full name matches `^[a-zA-Z0-9_-]{1,64}$`. It is a label: which tool it means is looked up in the table, because
`mcp__a__b__c` could be `b__c` of `a` or `c` of `a__b`. Who gets a name that several could have depends on who is there,
not on who came first: a tool that needs no cleaning goes before one that does, a server's own tool before one that we
made up, and the rest by the alphabet. Whoever does not get it is told apart by a hash of its own, uncleaned names.
Once given, a name keeps its tool while that tool is there.
"""

import hashlib
import itertools
import json
import re
from collections.abc import Iterable
from typing import TypeAlias

ToolKey: TypeAlias = tuple[str, str, str]
"""Server id, the tool's own name, and its kind (`protocol.values.ToolKind`)."""

MAX_NAME = 64
_PREFIX, _JOIN = "mcp__", "__"
_HASH = 8
_MIN_SERVER = 32
_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]")
_MEANING = re.compile(r"[a-zA-Z0-9]")


class NameTable:
    """Gives every tool its full name, and remembers it.

    The names of a server that is down stay its own, so that they mean the same when it is back.
    """

    def __init__(self) -> None:
        self._names: dict[str, dict[ToolKey, str]] = {}
        self._taken: set[str] = set()
        self._parts: dict[str, str] = {}

    def expect(self, servers: Iterable[str]) -> None:
        """Tell which servers there are in all, up or not: their names then do not depend on which is up first.

        What was remembered of any other server is forgotten.
        """
        wanted = set(servers)
        self._parts = {server: part for server, part in self._parts.items() if server in wanted}
        self._names = {server: names for server, names in self._names.items() if server in wanted}
        self._taken = {name for names in self._names.values() for name in names.values()}
        self._add_parts(wanted)

    def assign(self, tools: Iterable[ToolKey]) -> dict[ToolKey, str]:
        """The full name of each of `tools`, in any order: of each server among them, all the tools that it offers.

        Takes time by the number of these tools, and not by how many others there are.
        """
        wanted = list(dict.fromkeys(tools))
        servers = {server for server, _, _ in wanted}
        self._add_parts(servers)
        here = set(wanted)
        for server in servers:
            names = self._names.get(server, {})
            self._names[server] = {key: name for key, name in names.items() if key in here}
            self._taken.difference_update(name for key, name in names.items() if key not in here)
        for key in sorted((key for key in wanted if key not in self._names[key[0]]), key=self._rank):
            name = next(name for name in self._candidates(key) if name not in self._taken)
            self._names[key[0]][key] = name
            self._taken.add(name)
        return {key: self._names[key[0]][key] for key in wanted}

    def _rank(self, key: ToolKey) -> tuple[bool, bool, ToolKey]:
        server, tool, kind = key
        return self._plain(key) != f"{_PREFIX}{server}{_JOIN}{tool}", kind != "tool", key

    def _plain(self, key: ToolKey) -> str | None:
        """The name without a hash, or None where nothing readable is left or it is too long."""
        name = f"{_PREFIX}{self._parts[key[0]]}{_JOIN}{_clean(key[1])}"
        return name if len(name) <= MAX_NAME and _MEANING.search(_clean(key[1])) else None

    def _candidates(self, key: ToolKey) -> Iterable[str]:
        plain = self._plain(key)
        if plain is not None:
            yield plain
        server, tool = self._parts[key[0]], _clean(key[1])
        room = MAX_NAME - len(_PREFIX) - len(_JOIN) - 1 - _HASH
        server = server[: max(_MIN_SERVER, room - len(tool))]
        tool = tool[: room - len(server)]
        for salt in itertools.count():
            yield f"{_PREFIX}{server}{_JOIN}{tool}_{_hash(*key, salt=salt)}"

    def _add_parts(self, servers: Iterable[str]) -> None:
        """Give each new server its part of the name: its own word, or with a hash where that could be another's."""
        new = [server for server in servers if server not in self._parts]
        if not new:
            return
        given = _Parts(self._parts.values())
        for server in sorted(new, key=lambda server: (_clean(server) != server, len(server), server)):
            part = _clean(server)
            if not _MEANING.search(part) or given.confusable(part):
                part = f"{part}_{_hash(server)}"
            self._parts[server] = part
            given.add(part)


class _Parts:
    """The server parts that are given, to find those with which tools could exist that make the same name.

    Two parts can be confused where one begins with the other, and goes on with nothing, `_`, or `__` and anything.
    """

    def __init__(self, parts: Iterable[str]) -> None:
        self._given: set[str] = set()
        self._beginnings: set[str] = set()
        for part in parts:
            self.add(part)

    def add(self, part: str) -> None:
        self._given.add(part)
        self._beginnings.update(_beginnings(part))

    def confusable(self, part: str) -> bool:
        return part in self._given or part in self._beginnings or not self._given.isdisjoint(_beginnings(part))


def _beginnings(part: str) -> set[str]:
    """What could stand before a joint in this part, were its end the beginning of a tool's name."""
    found = {part[:at] for at in range(len(part)) if part.startswith(_JOIN, at)}
    return found | {part[:-1]} if part.endswith("_") else found


def _clean(word: str) -> str:
    return _UNSAFE.sub("_", word)


def _hash(*words: str, salt: int = 0) -> str:
    data = json.dumps([*words, salt] if salt else words)  # ASCII, lone surrogates included
    return hashlib.sha256(data.encode()).hexdigest()[:_HASH]


def plain_prefix(server: str) -> str:
    """How the full names of a server's tools begin where no hash is needed; only a hint, names are never parsed."""
    return f"{_PREFIX}{_clean(server)[:_MIN_SERVER]}"

"""A config file that is open in an editor: its text as a tree, which servers it has where, and what is known of them.

Everything here takes the text as it is, broken in the middle of typing or not. Offsets are code points; positions are
in the units of the encoding that was negotiated.
"""

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

from attrs import field, frozen
from lsprotocol import types

from codeagent_lsp.config.dialects import ALSO_READ, OURS, SETTINGS, Dialect
from codeagent_lsp.config.document import Document, Encoding, Node, Span, parse
from codeagent_lsp.config.entries import Origin
from codeagent_lsp.config.files import FOLDER
from codeagent_lsp.config.launch import Launch
from codeagent_lsp.config.reading import writable_by_others
from codeagent_lsp.config.variables import Lookup
from codeagent_lsp.errors import HostError
from codeagent_lsp.paths import path_of
from codeagent_lsp.protocol import Position, ServerStatus

_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)
_PAIR = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")


@frozen
class ServerView:
    """What is known of the server that one entry declares.

    `status` is the server's, `in_force` whether this very entry is what it runs by. `launch` is what would be
    started, `failure` why nothing can be; `tools` are the names of its tools, with whether each is switched on.
    `waits`: the entry is not in force because it waits for the user's approval.
    """

    server: str
    status: ServerStatus | None = None
    in_force: bool = True
    launch: Launch | None = None
    failure: HostError | None = None
    tools: tuple[tuple[str, bool], ...] = ()
    waits: bool = False


@frozen
class World:
    """What features know besides the text.

    `views` are the servers that the file declares, by their names in it. `clean` takes secrets out of a text.
    `programs` lists the commands on PATH, and is asked only where one is completed. `versioned`: the file is under
    version control, and not ignored. `client_commands` are commands that the client runs; `icons` that it shows
    `$(check)` as a picture.
    """

    lookup: Lookup
    views: Mapping[str, ServerView] = field(factory=dict[str, ServerView])
    clean: Callable[[str], str] = str
    programs: Callable[[], Sequence[str]] = tuple
    versioned: bool = False
    client_commands: Collection[str] = ()
    markdown: bool = True
    snippets: bool = True
    icons: bool = False


@frozen
class ServerNode:
    """A server in a text: its name, the key that it stands under, the node of the name, and its value."""

    name: str
    under: str
    key: Node
    value: Node

    @property
    def path(self) -> tuple[str, ...]:
        """The path of its value; the servers of a bare file stand at the top."""
        return (self.under, self.name) if self.under else (self.name,)


@frozen
class ConfigText:
    """One open config file. `uri` is the editor's own word for it."""

    uri: str
    origin: Origin
    dialect: Dialect
    document: Document
    encoding: Encoding

    @property
    def ours(self) -> bool:
        """Whether it is a file of our own, and not another tool's."""
        return self.dialect.name == "codeagent"

    def range(self, span: Span) -> types.Range:
        """The range of a stretch of the text."""
        found = self.document.range(span, self.encoding)
        return types.Range(_position(found.start), _position(found.end))

    def offset(self, position: types.Position) -> int:
        """The offset of a position; one beyond a line or the text means its end."""
        return self.document.offset(Position(position.line, position.character), self.encoding)

    def span(self, range: types.Range) -> Span:
        """The stretch of a range."""
        start, end = self.offset(range.start), self.offset(range.end)
        return Span(min(start, end), max(start, end))

    def servers(self) -> Iterator[ServerNode]:
        """The servers of the text, in the order in which they stand there; of two of one name, the one that counts."""
        root = self.document.root
        if root is None or root.kind != "object":
            return
        for key in self.dialect.server_keys(root):
            table = root if key is None else root.get(key)
            for member in table.members if table is not None else ():
                name = str(member.key.value)
                if table is not None and table.member(name) is member:
                    yield ServerNode(name, key or "", member.key, member.value)

    def server_at(self, offset: int) -> ServerNode | None:
        """The server whose name or value is at an offset."""
        for server in self.servers():
            if server.key.span.start <= offset <= max(server.key.span.end, server.value.span.end):
                return server
        return None

    def fields(self, path: tuple[str | int, ...]) -> tuple[str | int, ...] | None:
        """The rest of a path behind the server's name; `None` where it leads to no server."""
        if self._wrapped():
            return path[2:] if len(path) >= 2 and path[0] in self.dialect.keys else None
        return path[1:] if self.dialect.bare and path else None

    def _wrapped(self) -> bool:
        root = self.document.root
        return not self.dialect.bare or root is None or any(root.get(key) for key in self.dialect.keys)


def config_text(
    uri: str,
    text: str,
    *,
    home: Path,
    folders: Sequence[Path],
    also_read: Collection[str] = (),
    encoding: Encoding = "utf-16",
) -> ConfigText | None:
    """The text of an open document as a config file; `None` where the document is none.

    `home` is the user's `.codeagent` folder. Other tools' project files count where `also_read` names them.
    """
    path = path_of(uri)
    if path is None:
        return None
    found = _place(path, home, folders, also_read)
    if found is None:
        return None
    origin, dialect = found
    return ConfigText(uri, origin, dialect, parse(text), encoding)


def _place(
    path: Path, home: Path, folders: Sequence[Path], also_read: Collection[str]
) -> tuple[Origin, Dialect] | None:
    ours = {"settings.json": SETTINGS, "mcp.json": OURS}.get(path.name)
    if ours is not None and _same(path.parent, home):
        return Origin("user", None, home / path.name, unsafe=_writable_by_others(path)), ours
    for folder in folders:
        if ours is not None and _same(path.parent, folder / FOLDER):
            return Origin("project", folder, folder / FOLDER / path.name), ours
        for name in also_read:
            dialect = ALSO_READ.get(name)
            if dialect is not None and path.name == Path(name).name and _same(path, folder / name):
                return Origin("project", folder, folder / name, dialect=dialect.name), dialect
    return None


def _writable_by_others(path: Path) -> bool:
    try:
        return writable_by_others(path.stat())
    except OSError:
        return False


def _same(left: Path, right: Path) -> bool:
    return left == right or os.path.realpath(left) == os.path.realpath(right)


def _position(position: Position) -> types.Position:
    return types.Position(position.line, position.character)


def places(document: Document, node: Node) -> list[int]:
    """Where each character of a string's value stands in the text; the last item is the end of the value.

    `places(d, n)[i]` is the offset of `n.value[i]`; an escape of several characters is one of the value.
    """
    source, start = document.text[node.span.start : node.span.end], node.span.start
    end = len(source) - 1 if len(source) > 1 and source.endswith('"') else len(source)
    out: list[int] = []
    at = 1
    while at < end:
        out.append(start + at)
        escape = (_PAIR.match(source, at) or _ESCAPE.match(source, at)) if source[at] == "\\" else None
        at = escape.end() if escape else at + 1
    return [*out, start + end]


def inner(document: Document, node: Node, span: Span) -> Span:
    """The stretch of the text in which a stretch of a string's value stands."""
    at = places(document, node)
    last = len(at) - 1
    return Span(at[min(span.start, last)], at[min(span.end, last)])

"""What the tests of the mention features share: a catalogue of plain values, documents, and marked positions."""

from collections.abc import Sequence

from attrs import evolve
from lsprotocol import types

from codeagent_lsp.catalog.addresses import mention
from codeagent_lsp.features.documents import Document
from codeagent_lsp.features.index import MentionIndex
from codeagent_lsp.features.mentions import scan_line
from codeagent_lsp.features.positions import Encoding
from codeagent_lsp.protocol.values import Resource, ResourceTemplate, ServerStatus

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
Items = Sequence["str | Resource | ResourceTemplate"]


def resource(server: str, uri: str, name: str | None = None, **more: object) -> Resource:
    address = f"codeagent://resource/{(server + chr(0) + uri).encode(errors='replace').hex()}/file"
    made = Resource(server, uri, uri if name is None else name, address, mention(server, uri))
    return evolve(made, **more)


def template(server: str, text: str, name: str = "a template", **more: object) -> ResourceTemplate:
    return evolve(ResourceTemplate(server, text, name), **more)


def status(server: str, **more: object) -> ServerStatus:
    made = ServerStatus(
        server=server,
        name=server,
        scope="user",
        config_uri="file:///home/me/.codeagent/mcp.json",
        transport="stdio",
        state="ready",
        capabilities=["resources"],
    )
    return evolve(made, **more)


class View:
    """A catalogue that can be changed by hand."""

    def __init__(self, servers: "dict[str, Items | None]", **states: ServerStatus) -> None:
        self.items = dict(servers)
        self.states = {server: states.get(server, status(server)) for server in servers}

    def servers(self) -> list[ServerStatus]:
        return list(self.states.values())

    def resources(self, server: str) -> list[Resource] | None:
        items = self.items[server]
        if items is None:
            return None
        return [resource(server, item) if isinstance(item, str) else item for item in items if not is_template(item)]

    def templates(self, server: str) -> list[ResourceTemplate]:
        return [item for item in self.items[server] or () if isinstance(item, ResourceTemplate)]


def is_template(item: object) -> bool:
    return isinstance(item, ResourceTemplate)


def index_of(servers: "dict[str, Items | None]", **states: ServerStatus) -> MentionIndex:
    index = MentionIndex()
    index.refresh(View(servers, **states))
    return index


def found(line: str, index: MentionIndex, *, code: bool = False) -> list[tuple[str, str, str]]:
    """Every mention of a line: as it stands there, the server, and the URI that it means."""
    return [(line[item.start : item.end], item.server, item.uri) for item in scan_line(line, index, code=code)]


def document(
    text: str, encoding: Encoding = "utf-16", language: str = "markdown", uri: str = "file:///w/a"
) -> Document:
    return Document(uri, language, 1, text, encoding)


def marked(text: str, encoding: Encoding = "utf-16", language: str = "markdown") -> tuple[Document, types.Position]:
    """A document, and the position of the `|` in its text, which is taken out."""
    before, after = text.split("|", 1)
    doc = document(before + after, encoding, language)
    lines = before.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return doc, doc.position(len(lines) - 1, len(lines[-1]))


def applied(doc: Document, edit: types.TextEdit) -> str:
    """The document's text after an edit."""
    copy = Document(doc.uri, doc.language_id, doc.version, doc.text(), doc.encoding)
    copy.change(types.TextDocumentContentChangePartial(text=edit.new_text, range=edit.range))
    return copy.text()

"""What the language features work on: the open documents, the index of mentions, and the diagnostics shown."""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from codeagent_lsp.editor import Editor
from codeagent_lsp.errors import NotReady
from codeagent_lsp.features.documents import Document, Documents
from codeagent_lsp.features.index import MentionIndex
from codeagent_lsp.features.mention_diagnostics import mention_diagnostics
from codeagent_lsp.features.positions import Encoding
from codeagent_lsp.language.board import Board
from codeagent_lsp.protocol import Resource, ResourceTemplate, ServerStatus

if TYPE_CHECKING:
    from codeagent_lsp.operations.host import Host

CONTENT = "codeagent:"
"""The scheme of resources' documents; their text is a server's, and is not searched for mentions."""


class HostView:
    """The house, as the index of mentions looks at it (`features.index.CatalogView`)."""

    def __init__(self, host: "Host") -> None:
        self._host = host

    def servers(self) -> Sequence[ServerStatus]:
        """Every configured server, whatever its state."""
        found = (self._host.announcer.present(server) for server in self._host.manager.connections)
        return [status for status in found if status is not None]

    def resources(self, server: str) -> Sequence[Resource] | None:
        """The resources of a server; `None` while they are not known."""
        listing = self._host.catalog.listing(server)
        return listing.resources if listing is not None else None

    def templates(self, server: str) -> Sequence[ResourceTemplate]:
        """The resource templates of a server."""
        return self._host.catalog.templates(server)


class Language:
    """Made when the first document is opened; knows of servers from `attach` on."""

    def __init__(self, editor: Editor, encoding: Encoding, board: Board) -> None:
        self.documents = Documents(encoding)
        self._index = MentionIndex()
        self.board = board
        self._editor = editor
        self._view: HostView | None = None
        self._checked = 0  # the revision of the index that the diagnostics of every document are of
        self.on_refreshed: Callable[[], None] = lambda: None
        """Called when servers or their lists may be others."""
        self.host: Host | None = None

    @property
    def house(self) -> "Host":
        """The house; raises `errors.NotReady` in the moment before it stands."""
        if self.host is None:
            raise NotReady("codeagent-lsp is still starting.", hint="Try again in a moment.")
        return self.host

    @property
    def index(self) -> MentionIndex:
        """The index of mentions, as of now: a server that was just configured or listed anew is in it already."""
        if self._view is not None and self.host is not None and self.host.announcer.marked:
            self._index.refresh(self._view, self.host.announcer.marked)
        return self._index

    def attach(self, host: "Host") -> None:
        """The house stands: its servers can be mentioned from now on."""
        self.host = host
        self._view = HostView(host)
        self.refresh(None)

    def refresh(self, servers: Collection[str] | None) -> None:
        """What these servers list, or their state, may be another one (`None`: any server's)."""
        if self._view is None:
            return
        self._index.refresh(self._view, servers)
        if self._index.revision != self._checked:
            self._checked = self._index.revision
            for document in self.documents:
                self.check(document)
        self.on_refreshed()

    def tell(self, text: str) -> None:
        """Tell the user something that belongs to what was asked for."""
        self._editor.show_message("info", text)

    def check(self, document: Document) -> None:
        """Show what is wrong with the mentions of a document."""
        if not document.uri.startswith(CONTENT):
            self.board.show(document.uri, "mentions", mention_diagnostics(document, self.index))

    # -- documents, in the order of the editor's notifications -----------------------------------------------------

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """A document is open in the editor."""
        item = params.text_document
        self.check(self.documents.open(item.uri, item.language_id, item.version, item.text))

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """A document has changed."""
        document = self.documents.change(params.text_document.uri, params.text_document.version, params.content_changes)
        if document is not None:
            self.check(document)

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """A document is closed."""
        self.documents.close(params.text_document.uri)
        for part in ("mentions", "calls"):
            self.board.show(params.text_document.uri, part, [])

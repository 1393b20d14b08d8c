"""Where the editor's messages about texts arrive: the documents, the features on them, and resources as documents."""

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from codeagent_lsp.editor import Editor
from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.features.positions import Encoding
from codeagent_lsp.language.contents import Contents
from codeagent_lsp.language.mentions import MentionFeatures
from codeagent_lsp.language.state import CONTENT, Board, Language
from codeagent_lsp.language.wishes import read_wishes

if TYPE_CHECKING:
    from codeagent_lsp.operations.host import Host


class Desk:
    """One for the server process. It works from the first message on, and knows of servers once the house stands."""

    def __init__(self, editor: Editor, encoding: Encoding, capabilities: types.ClientCapabilities) -> None:
        self.board = Board(editor)
        self.language = Language(editor, encoding, self.board)
        self.contents = Contents(editor)
        self.mentions = MentionFeatures(self.language, self.contents, read_wishes(capabilities, editor.options.named))

    def attach(self, host: "Host") -> None:
        """The house stands."""
        self.language.attach(host)
        host.announcer.on_marked = self.language.refresh
        host.lists.on_resource = lambda server, uri: host.spawn(self.contents.updated(host, server, uri))

    def close(self) -> None:
        """Remove what was written for the editor."""
        self.contents.close()

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """A document is open; a resource's document is followed from now on."""
        self.language.did_open(params)

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """A document has changed."""
        self.language.did_change(params)

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """A document is closed; a resource's document is followed no longer."""
        self.language.did_close(params)
        host, uri = self.language.host, params.text_document.uri
        if host is not None and uri.startswith(CONTENT):
            host.spawn(self.contents.closed(host, uri))

    async def document(self, params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        """`workspace/textDocumentContent`."""
        return await self.contents.document(self.language.house, params)

    async def open_resource(self, host: "Host", params: dict[str, Any]) -> dict[str, Any]:
        """`codeagent.openResource {server, uri}`: show a resource's document in the editor."""
        server, uri = params.get("server"), params.get("uri")
        if not isinstance(server, str) or not isinstance(uri, str):
            raise InvalidParams("`openResource` takes `server` and `uri`.")
        return {"shown": await self.contents.show(host, server, uri)}

"""Where the editor's messages about texts arrive: the documents, the features on them, and resources as documents."""

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from codeagent_lsp.editor import Editor
from codeagent_lsp.features.completion_json import as_json
from codeagent_lsp.features.positions import Encoding
from codeagent_lsp.language.board import Board
from codeagent_lsp.language.calls import CallFeatures
from codeagent_lsp.language.config import ConfigFeatures
from codeagent_lsp.language.contents import Contents
from codeagent_lsp.language.entries import Entries
from codeagent_lsp.language.mentions import MentionFeatures
from codeagent_lsp.language.refreshing import Refreshing
from codeagent_lsp.language.state import CONTENT, Language
from codeagent_lsp.language.wishes import read_wishes
from codeagent_lsp.protocol.params import ResourceParams, RunCallParams
from codeagent_lsp.protocol.results import RanCall, ShownResource

if TYPE_CHECKING:
    from codeagent_lsp.operations.host import Host


class Desk:
    """One for the server process. It works from the first message on, and knows of servers once the house stands."""

    def __init__(
        self, editor: Editor, board: Board, encoding: Encoding, capabilities: types.ClientCapabilities
    ) -> None:
        self.language = Language(editor, encoding, board)
        self.contents = Contents(editor)
        wishes = read_wishes(capabilities, editor.options.named)
        self.mentions = MentionFeatures(self.language, self.contents, wishes)
        self.config = ConfigFeatures(self.language, wishes)
        self.entries = Entries(self.language, self.config)
        self.calls = CallFeatures(self.language, wishes)
        self._editor = editor
        self._wishes = wishes
        self._refreshing = Refreshing(editor.refresh, editor.refreshes)
        self._names = 0  # the revision of the index that semantic tokens were last asked for anew at

    def attach(self, host: "Host") -> None:
        """The house stands."""
        self.language.on_refreshed = self._refreshed
        self.language.attach(host)
        host.announcer.on_marked = self.language.refresh
        host.lists.on_resource = lambda server, uri: host.spawn(self.contents.updated(host, server, uri))

    def close(self) -> None:
        """Remove what was written for the editor."""
        self.contents.close()

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """A document is open; a resource's document is followed from now on."""
        self.language.did_open(params)
        host, uri = self.language.host, params.text_document.uri
        self._check(uri)
        if host is not None:
            host.spawn(self.contents.opened(host, uri))

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """A document has changed."""
        self.language.did_change(params)
        self._check(params.text_document.uri)

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """A document is closed; a resource's document is followed no longer."""
        self.language.did_close(params)
        host, uri = self.language.host, params.text_document.uri
        if host is not None:
            host.spawn(self.contents.closed(host, uri))

    async def document(self, params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        """`workspace/textDocumentContent`: a resource, or the result of a call."""
        result = self.calls.results.get(params.uri)
        if result is not None:
            return types.TextDocumentContentResult(text=result.text)
        return await self.contents.document(self.language.house, params)

    async def open_resource(self, host: "Host", params: ResourceParams) -> ShownResource:
        """`codeagent.openResource`: show a resource's document in the editor."""
        return ShownResource(await self.contents.show(host, params.server, params.uri))

    async def run_call(self, host: "Host", params: RunCallParams) -> RanCall:
        """`codeagent.runCall`: run a call that stands in a document, and show its result."""
        found = await self.calls.run(host, params)
        if self.contents.client_opens:
            await self._editor.show_document(found.document_uri)
        return found

    # -- features of several kinds of text -------------------------------------------------------------------------

    async def completion(self, params: types.CompletionParams) -> types.CompletionList | dict[str, Any] | None:
        """In a config file its own, in a call its own, else mentions."""
        document = self.language.documents.get(params.text_document.uri)
        if document is not None:
            own = self.config.completion(document, params.position)
            own = own if own is not None else self.calls.completion(document, params.position)
            if own is not None:
                self._wishes.suit(own.items)
                return own
        found = await self.mentions.completion(params)
        return as_json(found) if found is not None else None

    def hover(self, params: types.HoverParams) -> types.Hover | None:
        """Of a config file, a call, or a mention."""
        document = self.language.documents.get(params.text_document.uri)
        if document is None:
            return None
        own = self.config.hover(document, params.position) or self.calls.hover(document, params.position)
        return own or self.mentions.hover(params)

    def lenses(self, params: types.CodeLensParams) -> list[types.CodeLens] | None:
        """Of all kinds."""
        document = self.language.documents.get(params.text_document.uri)
        if document is None:
            return None
        return [*self.config.lenses(document), *self.calls.lenses(document), *(self.mentions.lenses(params) or ())]

    def links(self, params: types.DocumentLinkParams) -> list[types.DocumentLink] | None:
        """Of all kinds."""
        document = self.language.documents.get(params.text_document.uri)
        return [*self.config.links(document), *(self.mentions.links(params) or ())] if document is not None else None

    async def definition(self, params: types.DefinitionParams) -> Any:
        """Of a variable or file in a config file; of a mention its resource, or, at the server's name, its entry."""
        document = self.language.documents.get(params.text_document.uri)
        if document is None:
            return None
        own = self.config.definition(document, params.position)
        own = own or await self.entries.definition(document, params.position)
        return own or await self.mentions.definition(params)

    def prepare_rename(self, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        """The name of a server can be renamed, and nothing else."""
        document = self.language.documents.get(params.text_document.uri)
        return self.entries.prepare_rename(document, params.position) if document is not None else None

    async def rename(self, params: types.RenameParams) -> types.WorkspaceEdit | None:
        """A server's new name: in its config file, and in the mentions of open documents."""
        document = self.language.documents.get(params.text_document.uri)
        return await self.entries.rename(document, params.position, params.new_name) if document is not None else None

    def actions(self, params: types.CodeActionParams) -> list[types.CodeAction] | None:
        """Of all kinds."""
        document = self.language.documents.get(params.text_document.uri)
        if document is None:
            return None
        return [*self.config.actions(document, params), *(self.mentions.actions(params) or ())]

    async def resolve_action(self, action: types.CodeAction) -> types.CodeAction:
        """Whichever it is of."""
        return await self.mentions.resolve_action(self.config.resolve_action(action))

    def _check(self, uri: str) -> None:
        host, document = self.language.host, self.language.documents.get(uri)
        if host is not None and document is not None and not uri.startswith(CONTENT):
            if uri.endswith(".json"):
                host.spawn(self.config.check(document))
            host.spawn(self.calls.check(document))

    def _refreshed(self) -> None:
        """Servers, or what they list, may be others: so may what is shown over every open text."""
        for document in list(self.language.documents):
            self._check(document.uri)
        host, names = self.language.host, self.language.index.names_revision
        if host is None or not any(True for _ in self.language.documents):
            return
        self._refreshing.mark("codeLens", host.spawn)
        if names != self._names:
            self._names = names
            self._refreshing.mark("semanticTokens", host.spawn)

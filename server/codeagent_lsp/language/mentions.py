"""Mentions: each message of the editor about a text, answered by its feature."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from codeagent_lsp.catalog.addresses import parse
from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.features import (
    completion,
    hover,
    links,
    mention_actions,
    mention_lenses,
    references,
    resolving,
    semantic_tokens,
)
from codeagent_lsp.features.documents import Document
from codeagent_lsp.language.contents import Contents
from codeagent_lsp.language.state import Language
from codeagent_lsp.language.wishes import Wishes
from codeagent_lsp.operations.completing import SETTING, complete_argument
from codeagent_lsp.protocol import ResourceContents
from codeagent_lsp.protocol.params import ResolveMentionsParams
from codeagent_lsp.protocol.results import Mentions

if TYPE_CHECKING:
    from codeagent_lsp.operations.host import Host


class MentionFeatures:
    """One method per LSP method; `wishes` are what the client said of itself."""

    def __init__(self, language: Language, contents: Contents, wishes: Wishes) -> None:
        self._language = language
        self._contents = contents
        self._wishes = wishes

    def _open(self, params: Any) -> Document | None:
        return self._language.documents.get(params.text_document.uri)

    async def completion(self, params: types.CompletionParams) -> types.CompletionList | None:
        """Servers, resources, templates; values of a template's argument, where their server may be asked."""
        document, index = self._open(params), self._language.index
        if document is None:
            return None
        found = completion.complete(document, params.position, index)
        host = self._language.host
        if host is None:
            return found
        always = host.workspace.settings.get(SETTING) == "always"
        argument = completion.open_argument(document, params.position, index, project_servers=always)
        if argument is None:
            return found
        return await completion.with_values(found, argument, lambda asked: complete_argument(host, asked))

    def resolve_completion(self, item: types.CompletionItem) -> types.CompletionItem:
        """The documentation of one item."""
        found = completion.resolve(item, self._language.index, markdown=self._wishes.markdown_completion)
        self._wishes.suit([found])
        return found

    def hover(self, params: types.HoverParams) -> types.Hover | None:
        """What is known of a mention; nothing is read for it."""
        document = self._open(params)
        if document is None:
            return None
        return hover.hover(
            document,
            params.position,
            self._language.index,
            markdown=self._wishes.markdown_hover,
            content=lambda server, uri: self._contents.read_lately.get((server, uri)),
        )

    def links(self, params: types.DocumentLinkParams) -> list[types.DocumentLink] | None:
        """A link for each mention; its target comes later where the client has no documents of ours."""
        document = self._open(params)
        if document is None:
            return None
        found = links.document_links(document, self._language.index)
        for link in () if self._wishes.tooltips else found:
            link.tooltip = None
        if not self._contents.client_opens:
            for link in found:
                link.data, link.target = link.target, None
        return found

    async def resolve_link(self, link: types.DocumentLink) -> types.DocumentLink:
        """The file behind a link, for a client without documents of ours."""
        if link.target is None and isinstance(link.data, str):
            address = parse(link.data)
            if address is not None:
                link.target = (await self._contents.file(self._language.house, *address)).as_uri()
        return link

    async def definition(self, params: types.DefinitionParams) -> Any:
        """Where the resource's document is."""
        document, index = self._open(params), self._language.index
        if document is None:
            return None
        found = links.definition(document, params.position, index, link_support=self._wishes.location_links)
        spot = document.spot_at(params.position, index)
        if found is None or spot is None or self._contents.client_opens:
            return found
        path = await self._contents.file(self._language.house, spot.found.server, spot.found.uri)
        start = types.Position(0, 0)
        return types.Location(path.as_uri(), types.Range(start, start))

    def references(self, params: types.ReferenceParams) -> list[types.Location] | None:
        """Every mention, in open documents, of what is mentioned here."""
        document = self._open(params)
        documents = self._language.documents
        return references.references(documents, document, params.position, self._language.index) if document else None

    def highlights(self, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight] | None:
        """Every mention of the same in this document."""
        document = self._open(params)
        return references.highlights(document, params.position, self._language.index) if document else None

    def actions(self, params: types.CodeActionParams) -> list[types.CodeAction] | None:
        """What can be done with the mentions of a range."""
        document = self._open(params)
        if document is None:
            return None
        return mention_actions.code_actions(
            document,
            params.range,
            self._language.index,
            only=[str(getattr(kind, "value", kind)) for kind in params.context.only or []],
            resolves_edits=self._wishes.resolves_edits,
            subscribed=self._subscribed,
            client_commands=self._wishes.commands,
        )

    async def resolve_action(self, action: types.CodeAction) -> types.CodeAction:
        """The edit of an action, made from the resource's content."""
        documents, index = self._language.documents, self._language.index
        return await mention_actions.resolve_action(action, documents, index, self._read)

    def _subscribed(self, server: str, uri: str) -> bool:
        host = self._language.host
        return host is not None and uri in host.lists.subscriptions.get(server, {})

    async def _read(self, server: str, uri: str) -> Sequence[ResourceContents]:
        return await self._contents.read(self._language.house, server, uri)

    def lenses(self, params: types.CodeLensParams) -> list[types.CodeLens] | None:
        """A lens above each line that mentions something."""
        document = self._open(params)
        return mention_lenses.mention_lenses(document, self._language.index) if document else None

    def tokens(self, params: types.SemanticTokensParams) -> types.SemanticTokens:
        """Mentions look like mentions."""
        document = self._open(params)
        return types.SemanticTokens(semantic_tokens.full_tokens(document, self._language.index) if document else [])

    def tokens_in(self, params: types.SemanticTokensRangeParams) -> types.SemanticTokens:
        """The tokens of a range."""
        document, index = self._open(params), self._language.index
        return types.SemanticTokens(semantic_tokens.range_tokens(document, params.range, index) if document else [])

    async def resolve_mentions(self, _host: "Host", params: ResolveMentionsParams) -> Mentions:
        """`codeagent.resolveMentions`: the mentions of a text, or of an open document, and what they stand for."""
        if (params.text is None) == (params.text_document is None):
            raise InvalidParams("`resolveMentions` takes either `text` or `textDocument`.")
        if params.text_document is not None:
            document = self._language.documents.get(params.text_document.uri)
            if document is None:
                raise InvalidParams("this document is not open in the editor.", hint="Send its text instead.")
        else:
            document = resolving.text_document(params.text or "", self._language.documents.encoding)
        found = await resolving.resolve_mentions(document, self._language.index, self._read, params.range)
        return Mentions(found)

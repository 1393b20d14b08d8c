"""Config files in the editor: each message about one, answered by its feature on the text as it stands now."""

from pathlib import Path
from typing import TYPE_CHECKING, cast

import anyio.to_thread
from lsprotocol import types

from codeagent_lsp.features import config_language_actions as actions
from codeagent_lsp.features import config_language_completion as completion
from codeagent_lsp.features import config_language_hover as hover
from codeagent_lsp.features import config_language_lenses as lenses
from codeagent_lsp.features import config_language_links as links
from codeagent_lsp.features import config_language_outline as outline
from codeagent_lsp.features.config_language import ConfigText, World, config_text
from codeagent_lsp.features.config_language_diagnostics import config_text_diagnostics
from codeagent_lsp.features.config_language_views import world_of
from codeagent_lsp.features.documents import Document
from codeagent_lsp.language.state import Language
from codeagent_lsp.language.wishes import Wishes
from codeagent_lsp.operations.importing import import_config
from codeagent_lsp.operations.reconcile import also_read
from codeagent_lsp.protocol.params import ImportConfigParams
from codeagent_lsp.protocol.results import ImportPreview

if TYPE_CHECKING:
    from codeagent_lsp.operations.host import Host


class ConfigFeatures:
    """One method per LSP method; every one answers `None` for a document that is no config file."""

    def __init__(self, language: Language, wishes: Wishes) -> None:
        self._language = language
        self._wishes = wishes

    def text(self, document: Document) -> ConfigText | None:
        """The document as a config file, if it is one."""
        host = self._language.host
        if host is None or not document.uri.endswith(".json"):
            return None
        return config_text(
            document.uri,
            document.text(),
            home=host.home,
            folders=host.workspace.folders,
            also_read=also_read(host),
            encoding=document.encoding,
        )

    def _opened(self, document: Document | None, *, markdown: bool = False) -> tuple[ConfigText, World] | None:
        text = self.text(document) if document is not None else None
        return (text, self._world(text, markdown=markdown)) if text is not None else None

    def _world(self, text: ConfigText, *, markdown: bool = False) -> World:
        wishes = self._wishes
        return world_of(
            self._language.house,
            text,
            client_commands=wishes.commands,
            markdown=markdown,
            snippets=wishes.snippets,
            icons="icons" in wishes.commands,
        )

    async def check(self, document: Document) -> None:
        """Show what is wrong with a config file as it stands in the editor, and with the servers that run by it."""
        text = self.text(document)
        if text is None:
            return
        world, version = self._world(text), document.version
        found = await anyio.to_thread.run_sync(config_text_diagnostics, text, world)
        if self._language.documents.get(document.uri) is document and document.version == version:
            self._language.board.show(document.uri, "config", found)

    def completion(self, document: Document, position: types.Position) -> types.CompletionList | None:
        """Keys, values, commands, variables."""
        opened = self._opened(document, markdown=self._wishes.markdown_completion)
        return completion.complete(opened[0], position, opened[1]) if opened else None

    def hover(self, document: Document, position: types.Position) -> types.Hover | None:
        """What a key means, whether a variable is set, how a server is."""
        opened = self._opened(document, markdown=self._wishes.markdown_hover)
        return hover.hover(opened[0], position, opened[1]) if opened else None

    def lenses(self, document: Document) -> list[types.CodeLens]:
        """State and actions above each server."""
        opened = self._opened(document)
        return lenses.code_lenses(*opened) if opened else []

    def links(self, document: Document) -> list[types.DocumentLink]:
        """The files that entries name."""
        opened = self._opened(document)
        return links.document_links(*opened) if opened else []

    def definition(self, document: Document, position: types.Position) -> types.Location | None:
        """Where a variable is set, or a file is."""
        opened = self._opened(document)
        return links.definition(opened[0], position, opened[1]) if opened else None

    def symbols(self, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | None:
        """The servers, with what they consist of."""
        opened = self._opened(self._language.documents.get(params.text_document.uri))
        return outline.document_symbols(opened[0]) if opened else None

    def folding(self, params: types.FoldingRangeParams) -> list[types.FoldingRange] | None:
        """What can be folded."""
        opened = self._opened(self._language.documents.get(params.text_document.uri))
        return outline.folding_ranges(opened[0]) if opened else None

    def actions(self, document: Document, params: types.CodeActionParams) -> list[types.CodeAction]:
        """What can be mended, moved, imported or converted."""
        opened = self._opened(document)
        if opened is None:
            return []
        return actions.code_actions(
            opened[0],
            params.range,
            opened[1],
            only=[str(getattr(kind, "value", kind)) for kind in params.context.only or []],
            resolves_edits=self._wishes.resolves_edits,
            open_text=self._open_text,
        )

    def resolve_action(self, action: types.CodeAction) -> types.CodeAction:
        """The edit of an import or a conversion; what it could not carry is told."""
        given: object = action.data
        data = cast(dict[str, object], given) if isinstance(given, dict) else {}
        document = self._language.documents.get(str(data.get("uri")))
        found = actions.resolve_action(action, self.text(document) if document else None, self._open_text)
        if found.notes:
            self._language.tell("\n".join(found.notes))
        return found.action

    async def import_config(self, host: "Host", params: ImportConfigParams) -> ImportPreview:
        """`codeagent.importConfig`: a preview; nothing is written."""
        return await import_config(host, params, self._open_text)

    def _open_text(self, path: Path) -> str | None:
        document = self._language.documents.get(path.as_uri())
        return document.text() if document is not None else None

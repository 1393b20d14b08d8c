"""Calls as text: `*.mcp-call.json` documents and ```mcp-call blocks, completed, checked and run through the gate."""

from typing import TYPE_CHECKING

import anyio.to_thread
from lsprotocol import types

from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.features import call_documents_completion as completion
from codeagent_lsp.features import call_documents_reading as reading
from codeagent_lsp.features.call_documents import SUFFIX, CallText, CallWorld, call_at, calls_in, run_request
from codeagent_lsp.features.call_documents_diagnostics import call_diagnostics
from codeagent_lsp.features.call_documents_results import CallResults
from codeagent_lsp.features.call_documents_world import call_world_of
from codeagent_lsp.features.documents import Document
from codeagent_lsp.language.state import Language
from codeagent_lsp.language.wishes import Wishes
from codeagent_lsp.operations.tools import call_tool
from codeagent_lsp.protocol.params import RunCallParams
from codeagent_lsp.protocol.results import RanCall

if TYPE_CHECKING:
    from codeagent_lsp.operations.host import Host

MOST_LINES = 5_000
"""Lines of a document that is searched for blocks: one that is longer is no note with calls in it."""


class CallFeatures:
    """One method per LSP method; the results of calls are kept for the session, each with its own document."""

    def __init__(self, language: Language, wishes: Wishes) -> None:
        self._language = language
        self._wishes = wishes
        self.results = CallResults()

    def calls(self, document: Document | None) -> list[CallText]:
        """The calls of a document."""
        if document is None or self._language.host is None:
            return []
        if not document.uri.endswith(SUFFIX) and (document.code or len(document.lines) > MOST_LINES):
            return []
        return calls_in(document.uri, document.text(), document.encoding)

    def _world(self, *, markdown: bool = False) -> CallWorld:
        wishes = self._wishes
        return call_world_of(
            self._language.house,
            self.results,
            client_commands=wishes.commands,
            markdown=markdown,
            snippets=wishes.snippets,
        )

    async def check(self, document: Document) -> None:
        """Show what is wrong with the calls of a document."""
        calls = self.calls(document)
        if not calls:
            self._language.board.show(document.uri, "calls", [])
            return
        version = document.version
        found = await anyio.to_thread.run_sync(call_diagnostics, calls, self._world())
        if self._language.documents.get(document.uri) is document and document.version == version:
            self._language.board.show(document.uri, "calls", found)

    def completion(self, document: Document, position: types.Position) -> types.CompletionList | None:
        """Names of tools, and arguments by the tool's own schema."""
        call = call_at(self.calls(document), position)
        world = self._world(markdown=self._wishes.markdown_completion) if call is not None else None
        return completion.complete(call, position, world) if call is not None and world is not None else None

    def hover(self, document: Document, position: types.Position) -> types.Hover | None:
        """What a tool does, or an argument means."""
        call = call_at(self.calls(document), position)
        return reading.call_hover(call, position, self._world(markdown=self._wishes.markdown_hover)) if call else None

    def lenses(self, document: Document) -> list[types.CodeLens]:
        """Run, and the results so far."""
        calls = self.calls(document)
        return reading.call_lenses(calls, self._world()) if calls else []

    async def run(self, host: "Host", params: RunCallParams) -> RanCall:
        """`codeagent.runCall`: run a call of an open document; the result is a document."""
        calls = self.calls(self._language.documents.get(params.uri))
        if not 0 <= params.index < len(calls):
            raise InvalidParams("there is no such call in an open document.", hint="`runCall` takes `uri` and `index`.")
        request = run_request(calls[params.index], self._world())
        result = await call_tool(host, request)
        document = self.results.add(request.name or "", request.arguments or {}, result)
        return RanCall(document.uri, result.is_error, document.text)

"""The outgoing half: what the server tells the editor and what it asks, typed by the protocol tables."""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, cast

import attrs
from lsprotocol import types

from codeagent_lsp.editor.options import ClientOptions, read_options
from codeagent_lsp.editor.progress import Progress
from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.protocol import NOTIFICATIONS, QUESTIONS, JsonObject
from codeagent_lsp.protocol.wire import camel, dump, read
from codeagent_lsp.rpc.server import HostServer

log = logging.getLogger(__name__)

ANSWER_TIMEOUT = 120.0
_REGISTRATION_TIMEOUT = 10.0

Level = Literal["error", "warning", "info", "log"]
_LEVELS: dict[Level, int] = {"error": 1, "warning": 2, "info": 3, "log": 4}


class Editor:
    """The editor at the other end, as the rest of the product sees it. Nothing here raises because of a client."""

    def __init__(self, server: HostServer) -> None:
        self._server = server
        self.options = ClientOptions()

    def introduce(self, initialization_options: object) -> ClientOptions:
        """Take what the client says of itself at `initialize`."""
        self.options = read_options(initialization_options)
        return self.options

    @property
    def features(self) -> frozenset[str]:
        """The questions that the client can put to its user."""
        return self.options.features

    # Telling

    def notify(self, method: str, value: object) -> None:
        """Send one of `protocol.NOTIFICATIONS`; `value` is of the class that the table names."""
        if not isinstance(value, NOTIFICATIONS[method].params):
            raise TypeError(f"{method} carries {NOTIFICATIONS[method].params.__name__}, not {type(value).__name__}")
        self._server.protocol.notify(method, dump(value))

    def log_message(self, level: Level, text: str) -> None:
        """A line for the editor's own log of this server."""
        self._server.protocol.notify("window/logMessage", {"type": _LEVELS[level], "message": text})

    def show_message(self, level: Level, text: str) -> None:
        """A message that the user sees at once."""
        self._server.protocol.notify("window/showMessage", {"type": _LEVELS[level], "message": text})

    def publish_diagnostics(
        self, uri: str, diagnostics: Sequence[types.Diagnostic], version: int | None = None
    ) -> None:
        """Replace the diagnostics of one document."""
        params = {"uri": uri, "diagnostics": list(diagnostics), **({} if version is None else {"version": version})}
        self._server.protocol.notify("textDocument/publishDiagnostics", params)

    def progress(self, token: int | str | None) -> Progress:
        """The progress bar for a request's `workDoneToken`; without one it does nothing."""
        return Progress(self._server.protocol.notify, token)

    async def refresh_content(self, uri: str) -> None:
        """The text of a document of ours is another one: a client that shows such documents asks again (LSP 3.18)."""
        if self.shows_content:
            await self._request("workspace/textDocumentContent/refresh", {"uri": uri}, _REGISTRATION_TIMEOUT)

    @property
    def refreshes(self) -> frozenset[str]:
        """What of "codeLens" and "semanticTokens" the client asks for again when it is told to (LSP 3.16)."""
        workspace = self._server.client_capabilities.workspace
        kinds = {"codeLens": workspace.code_lens, "semanticTokens": workspace.semantic_tokens} if workspace else {}
        return frozenset(kind for kind, said in kinds.items() if said is not None and said.refresh_support)

    async def refresh(self, kind: str) -> None:
        """Let the client ask again for one of `refreshes`."""
        await self._request(f"workspace/{kind}/refresh", None, _REGISTRATION_TIMEOUT)

    async def show_document(self, uri: str, *, external: bool = False) -> bool:
        """`window/showDocument` (LSP 3.16), in the editor, or outside of it. Whether it was shown."""
        window = self._server.client_capabilities.window
        if window is None or window.show_document is None or not window.show_document.support:
            return False
        how = {"external": True} if external else {"takeFocus": True}
        answer = await self._request("window/showDocument", {"uri": uri, **how}, ANSWER_TIMEOUT)
        return isinstance(answer, dict) and cast(dict[str, Any], answer).get("success") is True

    @property
    def shows_content(self) -> bool:
        """Whether the client shows documents whose text it asks us for (`workspace/textDocumentContent`)."""
        workspace = self._server.client_capabilities.workspace
        return workspace is not None and workspace.text_document_content is not None

    # Asking

    async def ask(self, method: str, value: object, timeout: float = ANSWER_TIMEOUT) -> Any:
        """Put one of `protocol.QUESTIONS` to the user and return the answer as JSON.

        None means no: the client cannot ask this, answered `null`, an error or another shape, or said nothing for
        `timeout` seconds. Cancelling takes the question back.
        """
        question = QUESTIONS[method]
        if question.feature not in self.features:
            return None
        answer = await self._request(method, dump(value), timeout)
        if answer is None or question.result is None:
            return None
        try:
            return dump(read(_known_part(answer, question.result), question.result))
        except InvalidParams as error:
            log.warning("the editor's answer to %s is not usable: %s", method, error.message)
            return None

    async def show_message_request(
        self, text: str, buttons: Sequence[str], level: Level = "warning", timeout: float = ANSWER_TIMEOUT
    ) -> str | None:
        """Ask with buttons, in any client. Returns the button, or None as `ask` does."""
        params = {"type": _LEVELS[level], "message": text, "actions": [{"title": button} for button in buttons]}
        answer = await self._request("window/showMessageRequest", dump(params), timeout)
        title = cast(dict[str, Any], answer).get("title") if isinstance(answer, dict) else None
        return title if isinstance(title, str) and title in buttons else None

    async def configuration(self, scope_uri: str | None = None) -> JsonObject | None:
        """The client's settings under `codeagent`; None where it has none to give."""
        workspace = self._server.client_capabilities.workspace
        if workspace is None or not workspace.configuration:
            return None
        item = {"section": "codeagent", **({"scopeUri": scope_uri} if scope_uri else {})}
        answer = await self._request("workspace/configuration", {"items": [item]}, _REGISTRATION_TIMEOUT)
        if not isinstance(answer, list) or not isinstance(first := next(iter(cast(list[Any], answer)), None), dict):
            return None
        return cast(JsonObject, first)

    async def watch(self, user_folder: Path) -> bool:
        """Ask to be told of changes of config files and of settings. Returns whether the files are watched."""
        workspace = self._server.client_capabilities.workspace
        files = workspace.did_change_watched_files if workspace else None
        settings = workspace.did_change_configuration if workspace else None
        registrations: list[JsonObject] = []
        if files is not None and files.dynamic_registration:
            watchers: list[JsonObject] = [{"globPattern": "**/.codeagent/{mcp,settings}.json"}]
            if files.relative_pattern_support:
                base = user_folder.absolute().as_uri()
                watchers.append({"globPattern": {"baseUri": base, "pattern": "{mcp,settings}.json"}})
            registrations.append(_registration("workspace/didChangeWatchedFiles", {"watchers": watchers}))
        if settings is not None and settings.dynamic_registration:
            registrations.append(_registration("workspace/didChangeConfiguration", {"section": "codeagent"}))
        if not registrations:
            return False
        params = {"registrations": registrations}
        done = await self._request("client/registerCapability", params, _REGISTRATION_TIMEOUT, failed=False)
        return done is None and registrations[0]["method"] == "workspace/didChangeWatchedFiles"

    async def _request(self, method: str, params: Any, timeout: float, failed: Any = None) -> Any:
        """The client's result, or `failed` on an error or silence."""
        try:
            async with asyncio.timeout(timeout):
                return await self._server.protocol.send_request_async(method, params)
        except TimeoutError:
            log.warning("the editor did not answer %s within %s s", method, timeout)
        except Exception as error:  # noqa: BLE001 - whatever the client did, it is no answer
            log.debug("the editor did not answer %s: %s", method, error)
        return failed


def _known_part(answer: object, target: Any) -> object:
    """The answer without fields that a newer client may have added."""
    if not isinstance(answer, dict) or not attrs.has(target):
        return cast(object, answer)
    known = {camel(item.name) for item in attrs.fields(target)}
    return {key: value for key, value in cast(dict[str, object], answer).items() if key in known}


def _registration(method: str, options: JsonObject) -> JsonObject:
    return {"id": f"codeagent:{method}", "method": method, "registerOptions": options}

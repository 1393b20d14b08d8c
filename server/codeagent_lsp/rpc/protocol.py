"""The protocol object: LSP's life cycle and our commands, on top of the two halves of JSON-RPC."""

import asyncio
import logging
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from codeagent_lsp.protocol import COMMANDS, PROTOCOL_VERSION
from codeagent_lsp.protocol.wire import dump, read
from codeagent_lsp.rpc.commands import read_arguments, unknown_command
from codeagent_lsp.rpc.incoming import Handler, Incoming

if TYPE_CHECKING:
    from cattrs import Converter

log = logging.getLogger(__name__)

_SHUTDOWN_WAIT = 0.3


class HostProtocol(Incoming):
    """LSP as this server speaks it.

    A command's handler is called with the params as the frozen class that `protocol.COMMANDS` names, and with the
    `workDoneToken` or None; what it returns goes through `wire.dump`.
    """

    def __init__(self, server: Any, converter: "Converter") -> None:
        super().__init__(server, converter)
        self._initialize = self.builtins[types.INITIALIZE]
        ours: dict[str, Handler] = {
            types.INITIALIZE: self._introduce,
            types.SHUTDOWN: self._shut_down,
            types.WINDOW_WORK_DONE_PROGRESS_CANCEL: self._cancel_progress,
            types.WORKSPACE_EXECUTE_COMMAND: self._execute_command,
        }
        self.builtins.update(ours)
        # Documents are kept by the features, line by line: pygls' own store works on the whole text at every change.
        for method in (types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE, types.TEXT_DOCUMENT_DID_CLOSE):
            self.builtins.pop(method, None)

    def _structure(self, method: str, params: Any) -> Any:
        if method != types.INITIALIZE or not isinstance(params, dict):
            return super()._structure(method, params)
        raw = cast(dict[str, Any], params)
        try:
            structured = super()._structure(method, raw)
        except JsonRpcException as error:
            log.warning("the client's capabilities are not as LSP has them, and are passed over: %s", error)
            structured = super()._structure(method, _essence(raw))
        structured.initialization_options = raw.get("initializationOptions")
        return structured

    async def _introduce(self, params: types.InitializeParams) -> types.InitializeResult:
        """Answer with our capabilities; a handler of `initialize` runs before they are worked out."""
        pid = params.process_id
        self.parent = pid if isinstance(pid, int) and not isinstance(pid, bool) and pid > 0 else None
        result: types.InitializeResult = await self._run(self._initialize, (params,))
        names = [*COMMANDS, *(name for name in self.commands if name not in COMMANDS)]
        result.capabilities.execute_command_provider = types.ExecuteCommandOptions(names, work_done_progress=True)
        result.capabilities.experimental = {"codeagent": {"protocol": PROTOCOL_VERSION}}
        self._advertise_content(result.capabilities)
        self._compare_versions(params.capabilities.experimental)
        self._on_parent()
        return result

    async def _shut_down(self, *args: Any) -> None:
        """Cancel what runs and answer; a handler of `shutdown` has a moment, and then goes on beside it."""
        for number in list(self._running):
            self.cancel(number)
        self.expect_no_answers()
        if (handler := self.features.get(types.SHUTDOWN)) is not None:
            task = asyncio.ensure_future(self._run(handler, args))
            self._background.add(task)
            task.add_done_callback(lambda done: self._noted(types.SHUTDOWN, done))
            await asyncio.wait({task}, timeout=_SHUTDOWN_WAIT)

    def _cancel_progress(self, params: types.WorkDoneProgressCancelParams) -> None:
        self.cancel_token(params.token)

    async def _execute_command(self, raw: object) -> Any:
        """Run a command. Raises `InvalidParams` if its name or its arguments are off."""
        params = _object(raw)
        name = params.get("command")
        handler = self.commands.get(name) if isinstance(name, str) else None
        if handler is None:
            raise unknown_command(name, [*COMMANDS, *self.commands])
        arguments: Any = read_arguments(params.get("arguments"))
        if (command := COMMANDS.get(cast(str, name))) is not None:
            arguments = read(arguments, command.params)
        token = params.get("workDoneToken")
        return dump(await self._run(handler, (arguments, token if isinstance(token, int | str) else None)))

    def _advertise_content(self, capabilities: types.ServerCapabilities) -> None:
        """Advertise `workspace/textDocumentContent` (LSP 3.18), which pygls does not do by itself."""
        if types.WORKSPACE_TEXT_DOCUMENT_CONTENT in self.features:
            workspace = capabilities.workspace or types.WorkspaceOptions()
            workspace.text_document_content = types.TextDocumentContentOptions(schemes=["codeagent"])
            capabilities.workspace = workspace

    def _compare_versions(self, experimental: object) -> None:
        theirs = _object(_object(experimental).get("codeagent")).get("protocol")
        if not isinstance(theirs, int) or isinstance(theirs, bool) or theirs == PROTOCOL_VERSION:
            return
        older = "codeagent-lsp" if theirs > PROTOCOL_VERSION else "the editor's plugin"
        message = (
            f"The editor's plugin speaks version {theirs} of the codeagent protocol, and this codeagent-lsp speaks "
            f"version {PROTOCOL_VERSION}. Some things may not work: update {older}."
        )
        self.notify("window/showMessage", {"type": types.MessageType.Warning.value, "message": message})


def _essence(raw: dict[str, Any]) -> dict[str, Any]:
    """The part of `initialize` that we cannot do without, as far as it has the right shape."""
    given: object = raw.get("workspaceFolders")
    folders = [_object(item) for item in cast(list[object], given)] if isinstance(given, list) else []
    good = [
        {"uri": folder["uri"], "name": str(folder.get("name", ""))}
        for folder in folders
        if isinstance(folder.get("uri"), str)
    ]
    paths = {key: raw[key] for key in ("rootUri", "rootPath") if isinstance(raw.get(key), str)}
    return {
        "processId": raw.get("processId") if isinstance(raw.get("processId"), int) else None,
        "capabilities": _known_capabilities(raw.get("capabilities")),
        **paths,
        **({"workspaceFolders": good} if good else {}),
    }


def _known_capabilities(raw: object) -> dict[str, Any]:
    """Our own version number and the position encodings: without the latter every range would be off."""
    given = _object(raw)
    encodings = _object(given.get("general")).get("positionEncodings")
    known: dict[str, Any] = {"experimental": given.get("experimental")}
    if isinstance(encodings, list):
        known["general"] = {
            "positionEncodings": [item for item in cast(list[object], encodings) if isinstance(item, str)]
        }
    return known


def _object(value: object) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}

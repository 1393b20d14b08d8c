"""The life of the server: from `initialize` to the last process gone, in one task that runs the manager."""

import asyncio
import importlib
import logging
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, cast

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup
from lsprotocol import types

from codeagent_lsp.editor import Editor, read_trust
from codeagent_lsp.errors import NotReady
from codeagent_lsp.language.board import Board
from codeagent_lsp.paths import folders_of, path_of
from codeagent_lsp.rpc.server import HostServer

if TYPE_CHECKING:
    from codeagent_lsp.config.files import Config
    from codeagent_lsp.language.desk import Desk
    from codeagent_lsp.operations.host import Host, Workspace
    from codeagent_lsp.watching import Watcher

log = logging.getLogger(__name__)

STOP_LIMIT = 5.0
"""Seconds that stopping may take in all: editors do not wait much longer."""


class App:
    """One server process: its editor, and the house once the editor is initialized."""

    def __init__(self, server: HostServer, version: str) -> None:
        self.server = server
        self.editor = Editor(server)
        self._version = version
        self._params: types.InitializeParams | None = None
        self._main: asyncio.Task[None] | None = None
        self._tasks: TaskGroup | None = None
        self._host: asyncio.Future[Host] | None = None
        self._closing: asyncio.Event | None = None
        self._published: set[str] = set()
        self._watcher: Watcher | None = None
        self._desk: Desk | None = None
        self._house: Host | None = None
        self._board = Board(self.editor)
        self.commands: dict[str, Any] | None = None
        """The table of commands, once the first of them has come."""

    # -- the editor's side of life ---------------------------------------------------------------------------------

    def initialize(self, params: types.InitializeParams) -> None:
        """Take what the editor says of itself; nothing is read or started yet."""
        self._params = params
        self.editor.introduce(params.initialization_options)
        self._host = asyncio.get_running_loop().create_future()
        self._closing = asyncio.Event()

    def initialized(self) -> None:
        """Begin: build the house and start the servers, beside the loop's other work."""
        if self._main is None:
            self._main = asyncio.create_task(self._run(), name="codeagent")

    async def host(self) -> "Host":
        """The house; waits until it stands, which it does soon after `initialized`, whatever the MCP servers do."""
        assert self._host is not None
        return await asyncio.shield(self._host)

    @property
    def desk(self) -> "Desk":
        """The language features; made when they are first needed, since importing them takes a while."""
        if self._desk is None:
            from codeagent_lsp.language.desk import Desk

            capabilities = self._params.capabilities if self._params else types.ClientCapabilities()
            self._desk = Desk(self.editor, self._board, self.server.position_encoding, capabilities)
            if self._house is not None:
                self._desk.attach(self._house)
        return self._desk

    def close(self) -> None:
        """Begin to stop every server; `stop` waits until they are gone."""
        if self._closing is not None:
            self._closing.set()

    async def stop(self) -> None:
        """Stop every server and wait until its processes are gone, within bounds."""
        self.close()
        if self._main is not None:
            await asyncio.wait({self._main}, timeout=STOP_LIMIT)
            self._main.cancel()

    # -- the one task ----------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        assert self._host is not None and self._closing is not None
        # Everything but the wire is imported here, off the loop: `initialize` was answered before.
        compose = await anyio.to_thread.run_sync(importlib.import_module, "codeagent_lsp.compose")
        try:
            async with anyio.create_task_group() as self._tasks:
                workspace = self._workspace()
                host = compose.compose(self.editor, workspace, self._spawn, self._publish, self._version)
                self._house = host
                if self._desk is not None:
                    self._desk.attach(host)
                try:
                    self._tasks.start_soon(self._configure, host, compose.Watcher(host))
                    self._tasks.start_soon(host.manager.run)
                    await self._closing.wait()
                    host.manager.close()
                    await host.manager.closed.wait()
                finally:
                    if self._desk is not None:
                        self._desk.close()
                    host.close_reaper()
                self._tasks.cancel_scope.cancel()
        except Exception:
            log.exception("the host's task failed")
            if not self._host.done():
                hint = "Its log (standard error) says why."
                self._host.set_exception(NotReady("codeagent-lsp could not start its host.", hint=hint))

    async def _configure(self, host: "Host", watcher: "Watcher") -> None:
        """Read settings and config files for the first time, then keep watching them."""
        assert self._host is not None
        self._watcher = watcher
        try:
            await self._read_settings(host)
            await watcher.reread()
        except Exception:
            log.exception("the configuration could not be read")
        finally:
            if not self._host.done():
                self._host.set_result(host)
        await self.editor.watch(host.home)
        await watcher.run()

    # -- what the editor says later --------------------------------------------------------------------------------

    def files_changed(self) -> None:
        """Config files may have changed."""
        if self._watcher is not None:
            self._watcher.changed()

    async def settings_changed(self, given: object) -> None:
        """`workspace/didChangeConfiguration`: take what was sent, or ask for it."""
        host = await self.host()
        sent = cast(dict[str, object], given).get("codeagent") if isinstance(given, dict) else None
        if isinstance(sent, dict):
            host.workspace.settings = {**self.editor.options.settings, **cast(dict[str, Any], sent)}
        else:
            await self._read_settings(host)
        self.files_changed()

    async def trust_changed(self, params: object) -> None:
        """`codeagent/workspaceTrustChanged`: only real booleans count."""
        host = await self.host()
        word = cast(dict[str, object], params).get("workspaceTrust") if isinstance(params, dict) else None
        host.workspace.trust = read_trust(word)
        self.files_changed()

    async def folders_changed(self, event: types.WorkspaceFoldersChangeEvent) -> None:
        """`workspace/didChangeWorkspaceFolders`."""
        host = await self.host()
        gone = {path_of(folder.uri) for folder in event.removed}
        added = [path for folder in event.added if (path := path_of(folder.uri)) is not None]
        kept = [folder for folder in host.workspace.folders if folder not in gone]
        host.workspace.folders = host.store.workspaces = list(dict.fromkeys([*kept, *added]))
        for connection in host.manager.connections.values():
            if connection.session is not None:
                self._spawn(connection.session.roots_changed())
        self.files_changed()

    # -- parts -----------------------------------------------------------------------------------------------------

    async def _read_settings(self, host: "Host") -> None:
        settings = await self.editor.configuration()
        if settings is not None:
            host.workspace.settings = {**self.editor.options.settings, **settings}

    def _workspace(self) -> "Workspace":
        from codeagent_lsp.operations.host import Workspace

        options, params = self.editor.options, self._params
        workspace = Workspace(
            trust=options.workspace_trust,
            variables=options.variables,
            settings=options.settings,
            encoding=self.server.position_encoding,
        )
        if params is not None:
            given = [folder.uri for folder in params.workspace_folders] if params.workspace_folders else None
            workspace.folders = folders_of(given, params.root_uri, params.root_path)
        return workspace

    def _publish(self, config: "Config") -> None:
        """Show the problems of the config files; those of a file that is gone are taken back."""
        from codeagent_lsp.features.diagnostics import config_diagnostics

        found = {file.path.as_uri(): config_diagnostics(file, self.server.position_encoding) for file in config.files}
        for uri in self._published - found.keys():
            self._board.show(uri, "config", [])
        for uri, diagnostics in found.items():
            self._board.show(uri, "config", diagnostics)
        self._published = set(found)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something within the house's task group; its failure is its own."""

        async def contained() -> None:
            try:
                await work
            except Exception:
                log.exception("background work failed")

        if self._tasks is None:
            work.close()
        else:
            self._tasks.start_soon(contained)

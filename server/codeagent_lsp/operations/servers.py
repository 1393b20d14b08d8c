"""Servers: their status, starting and stopping them, and making the running set equal to the config files."""

import anyio

from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.operations.host import Host
from codeagent_lsp.operations.reconcile import apply, reread, settle_questions, settled
from codeagent_lsp.operations.sessions import START_WAIT, connection_of, ready_session
from codeagent_lsp.operations.status import config_files, status_of
from codeagent_lsp.operations.wants import identity, workspace_key
from codeagent_lsp.protocol import ServerStatus
from codeagent_lsp.protocol.params import (
    LogsParams,
    NoParams,
    ServerParams,
    SetEnabledParams,
    SetLogLevelParams,
)
from codeagent_lsp.protocol.results import Done, Logs, Status

MAX_LOG_LINES = 10_000


async def status(host: Host, _params: NoParams) -> Status:
    """Every server and every config file; reads memory only."""
    servers = [status_of(host, server) for server in host.manager.connections]
    return Status(host.announcer.revision, servers, config_files(host))


async def start(host: Host, params: ServerParams) -> ServerStatus:
    """Start a server and wait for it, at most 8 s; a project's server asks for approval first if it has to."""
    connection = connection_of(host, params.server)
    if connection.state in ("ready", "starting"):
        await connection.settled(START_WAIT)
        return status_of(host, params.server)
    host.stopped.discard(params.server)
    await settle_questions(host, params.server)
    await apply(host, restart=[params.server])
    return await settled(host, params.server, poke=True)


async def stop(host: Host, params: ServerParams) -> ServerStatus:
    """Stop a server; it stays so until it is started by hand. Returns when its process is gone, within bounds."""
    connection = connection_of(host, params.server)
    host.stopped.add(params.server)
    await apply(host)
    with anyio.move_on_after(START_WAIT):
        await connection.ended.wait()
    return status_of(host, params.server)


async def restart(host: Host, params: ServerParams) -> ServerStatus:
    """Stop a server if it runs, and start it, with the values of now."""
    connection_of(host, params.server)
    host.stopped.discard(params.server)
    await settle_questions(host, params.server)
    await apply(host, restart=[params.server])
    return await settled(host, params.server, poke=True)


async def set_enabled(host: Host, params: SetEnabledParams) -> ServerStatus:
    """Switch a server or a tool on or off for this workspace; remembered in the user's state folder."""
    entry = connection_of(host, params.server).wanted.entry
    if params.tool is None:
        host.store.set_enabled(workspace_key(host), identity(entry), None, params.enabled)
        await apply(host)
        if params.enabled:
            await settle_questions(host, params.server)
        return await settled(host, params.server)
    tool = host.catalog.find(params.server, params.tool)
    host.store.set_enabled(workspace_key(host), identity(entry), tool.tool, params.enabled)
    host.lists.touch(params.server, tool.name)
    host.announcer.mark(params.server)
    return status_of(host, params.server)


async def reload(host: Host, params: NoParams) -> Status:
    """Read every config file again, and make the running set equal to it; unchanged servers keep their process."""
    await reread(host, retry=True)
    await host.manager.settle(list(host.manager.connections), START_WAIT)
    return await status(host, params)


async def logs(host: Host, params: LogsParams) -> Logs:
    """The last lines of a server's log, or of all; with `follow`, later lines are told as they come."""
    if params.server is not None:
        connection_of(host, params.server)
    if not 0 <= params.lines <= MAX_LOG_LINES:
        raise InvalidParams(f"`lines` must be between 0 and {MAX_LOG_LINES}.")
    host.following.follow(params.server, params.follow)
    return Logs(host.journal.lines(params.server, params.lines))


async def set_log_level(host: Host, params: SetLogLevelParams) -> Done:
    """Ask a server for log messages from a level on."""
    session = await ready_session(host, params.server)
    await session.set_log_level(params.level)
    return Done()

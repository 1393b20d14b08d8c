"""From a server's id to its open session: waking what sleeps, waiting within bounds, and saying why not."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from codeagent_lsp.catalog.naming import plain_prefix
from codeagent_lsp.catalog.nearest import nearest
from codeagent_lsp.connection.connection import Connection
from codeagent_lsp.errors import Disabled, HostError, NeedsAuth, NotReady, SessionLost, UnknownServer, Untrusted
from codeagent_lsp.operations.host import Host

if TYPE_CHECKING:
    from codeagent_lsp.connection.session import Session

T = TypeVar("T")

START_WAIT = 8.0
"""Seconds that a call or read waits for a server that is on its way up."""


def connection_of(host: Host, server: str) -> Connection:
    """The connection of a server. Raises `errors.UnknownServer` that names the nearest one."""
    found = host.manager.connections.get(server)
    if found is None:
        raise UnknownServer(f"no server is named `{server}`.{nearest(server, host.manager.connections)}")
    return found


async def pending(host: Host, server: str | None, wait_ms: int) -> list[str]:
    """Wait for servers that are on their way up, at most `wait_ms`; returns those that still are, sorted."""
    names = [server] if server is not None else list(host.manager.connections)
    if server is not None:
        connection_of(host, server)
    await host.manager.settle(names, max(wait_ms, 0) / 1000)
    found = [(name, host.manager.connections.get(name)) for name in names]
    return sorted(name for name, connection in found if connection is not None and connection.coming_up)


async def ready_session(host: Host, server: str, *, tool: str | None = None) -> "Session":
    """The open session of a server, started if it starts on demand or waits for its next retry.

    Raises the error that says why there is none, and what to do.
    """
    connection = connection_of(host, server)
    if connection.session is None and (connection.next_retry_at or connection.sleeping):
        connection.poke()
    if connection.session is None:
        await connection.settled(START_WAIT)
    # A restart may have put another connection in its place meanwhile.
    connection = connection_of(host, server)
    if connection.state == "ready" and connection.session is not None:
        return connection.session
    raise _why_not(connection, tool)


def _why_not(connection: Connection, tool: str | None) -> HostError:
    server = connection.server
    said = connection.error.message if connection.error else connection.detail
    tail = f": {said}" if said else "."
    match connection.state:
        case "disabled":
            hint = "Enable it with `codeagent.setEnabled`, or in its config file."
            return Disabled(f"the server is disabled{tail}", server=server, tool=tool, hint=hint)
        case "untrusted":
            hint = "Approve it (command `codeagent.setTrust`, or start it and answer the question)."
            return Untrusted(f"the server is not approved{tail}", server=server, tool=tool, hint=hint)
        case "needsAuth":
            return NeedsAuth(f"the server wants you to sign in{tail}", server=server, tool=tool)
        case "starting":
            message = f"the server is still starting after {START_WAIT:g} s; it goes on in the background."
            return NotReady(message, server=server, tool=tool, setting="startTimeout", hint="Try again in a moment.")
        case "stopped":
            return NotReady("the server is stopped.", server=server, tool=tool, hint="Start it, then try again.")
        case _:
            hint = "See its log (`codeagent.logs`), mend the cause, and restart it."
            return NotReady(f"the server is not running{tail}", server=server, tool=tool, hint=hint)


async def asked(host: Host, server: str, request: "Callable[[Session], Awaitable[T]]") -> T:
    """The answer to a request that harms nobody when it is sent again, as it is where the session was forgotten."""
    session = await ready_session(host, server)
    try:
        return await request(session)
    except SessionLost:
        await connection_of(host, server).left(session, START_WAIT)
        return await request(await ready_session(host, server))


async def wake(host: Host, *, server: str | None, full_name: str | None) -> bool:
    """Start the servers that could offer a tool that is not known yet; true if there were any.

    Which server a full name means is decided by the table of names only; here its beginning only tells whom to wake.
    """
    sleeping = [
        name
        for name, connection in host.manager.connections.items()
        if (connection.sleeping or connection.state == "starting" or connection.next_retry_at)
        and (name == server or (full_name is not None and full_name.startswith(plain_prefix(name))))
    ]
    for name in sleeping:
        if host.manager.connections[name].state != "starting":
            host.manager.connections[name].poke()
    await host.manager.settle(sleeping, START_WAIT)
    return bool(sleeping)

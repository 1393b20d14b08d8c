"""What every connection shares: the journal, the reaper, the start slots, and whom it tells of changes."""

from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Literal, Protocol

import anyio
from attrs import field, frozen

from codeagent_lsp.config.launch import Launch
from codeagent_lsp.connection.signals import Flag
from codeagent_lsp.errors import HostError
from codeagent_lsp.journal import Journal
from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.transport.reaper import Reaper
from codeagent_lsp.transport.sdk import LoadedOnce

if TYPE_CHECKING:
    from codeagent_lsp.connection.connection import Connection
    from codeagent_lsp.connection.session import Session

Era = Literal["legacy", "modern"]
ListKind = Literal["tools", "resources", "prompts"]


class OpenTransport(Protocol):
    """One launch on the wire: an async context manager of a dispatcher, and what is known of it."""

    @property
    def pid(self) -> int | None:
        """The process, where there is one."""
        ...

    @property
    def kind(self) -> Literal["stdio", "http", "sse"]:
        """What is spoken."""
        ...

    @property
    def older(self) -> bool:
        """Whether the failed attempt looks like a server that only speaks the older HTTP+SSE transport."""
        ...

    async def spawn(self) -> None:
        """Start the process, if there is one; returns as soon as it runs. Raises `errors.SpawnFailed`."""

    def dispatcher(self) -> AbstractAsyncContextManager[Any]:
        """What `mcp`'s client session speaks through (`mcp.shared.dispatcher`). Ends the process at its end."""
        ...

    async def close(self) -> None:
        """End the process or the connections; does nothing twice."""

    def explain(self, error: Exception) -> HostError | None:
        """What really happened, where the transport knows better than the error that reached the session."""


class Eras(Protocol):
    """What was learned of the servers' protocol era, by fingerprint of the launch."""

    def era(self, fingerprint: str) -> Era | None:
        """The era that this launch spoke last time."""

    def learn_era(self, fingerprint: str, era: Era) -> None:
        """Remember it."""


@frozen
class Hooks:
    """Whom a connection tells. The plain functions return at once; none of them raises."""

    changed: Callable[["Connection"], None]
    """Its state is another one."""
    attend: Callable[["Connection", "Session", Flag], Coroutine[Any, Any, None]]
    """Runs beside the session as long as it lives; sets the flag when the first lists are in. Never raises."""
    list_changed: Callable[[str, ListKind], None]
    """The server says that one of its lists is another one."""
    resource_updated: Callable[[str, str], None]
    """The server says that a subscribed resource changed: server, URI."""
    roots: Callable[[str], list[JsonObject]]
    """The workspace folders, as MCP roots."""
    elicit: Callable[[str, JsonObject], Awaitable[JsonObject]] | None = None
    """Ask the user; `None` where no editor can. Not declared to the server then."""
    sample: Callable[[str, JsonObject], Awaitable[JsonObject]] | None = None
    """Ask the editor's model; `None` where there is none. Not declared to the server then."""


@frozen
class House:
    """The services that the connections of one process share."""

    journal: Journal
    reaper: Reaper
    hooks: Hooks
    eras: Eras
    open_transport: Callable[[Launch, Callable[[HostError], None], bool], OpenTransport]
    """Makes the transport of a launch, given whom to tell when it is lost, and whether to speak the older HTTP+SSE."""
    starting: anyio.Semaphore
    """Servers that may be on their way up at the same time."""
    clock: Callable[[], float]
    """Monotonic seconds."""
    now: Callable[[], float]
    """Seconds since 1970, for what people read."""
    version: str = "0"
    """Our own version, for the handshake."""
    opening: LoadedOnce = field(factory=lambda: LoadedOnce("codeagent_lsp.connection.opening"))
    """Opens sessions, with the `mcp` package."""

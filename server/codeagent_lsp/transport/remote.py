"""What both HTTP transports share: one client, the two message streams, the tasks, and how they end.

Each request runs in a task of its own, so that none waits for another, and whatever goes wrong with one ends only that
one. `on_lost` is for what ends them all.
"""

import asyncio
import copy
import logging
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any

import anyio

from codeagent_lsp.errors import HostError, NeedsAuth, Transport
from codeagent_lsp.journal import Journal
from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.transport.failures import closed, failure_of
from codeagent_lsp.transport.http_client import make_client
from codeagent_lsp.transport.http_errors import is_tls, refused, unreachable
from codeagent_lsp.transport.messages import Messages

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Auth, Request, Response

    from codeagent_lsp.config.launch import Launch

log = logging.getLogger(__name__)

READ_AHEAD = 64
WRITE_AHEAD = 256
"""Messages that may wait for the session, and for the wire."""

MAX_REDIRECTS = 5

GONE_AFTER = 1.0
"""Seconds in which no connection may succeed, before one more that fails means that an open session is lost."""

GOODBYE = 2.0
"""Seconds that leaving may take."""


class Remote:
    """One server at a URL. Enter it once: it yields the read and the write stream.

    `on_lost` is called at most once, with why, when the server is gone, or knows the session no more. `on_status` is
    told every HTTP status. `auth` signs requests in. Nothing that fails here ever ends more than it must.
    """

    older = False

    def __init__(
        self,
        launch: "Launch",
        *,
        journal: Journal,
        on_lost: Callable[[HostError], None],
        on_status: Callable[[int], None] | None = None,
        auth: "Auth | None" = None,
    ) -> None:
        self._launch = launch
        self._server = launch.server
        self.url = launch.url or ""
        self._journal = journal
        self._on_lost = on_lost
        self._on_status = on_status
        self._auth = auth
        self.lost: HostError | None = None
        self._stopping = False
        self._missing_since: float | None = None
        self._connected = False
        self._ends: tuple[Any, ...] = ()
        self._tasks: set[asyncio.Task[None]] = set()
        self.messages = Messages(self.say, server=launch.server)
        self.client: AsyncClient | None = None
        self._incoming: Any = None
        self.last_status: int | None = None

    @property
    def pid(self) -> None:
        """There is no process."""
        return

    async def spawn(self) -> None:
        """There is nothing to start; what could not be sent at all is said already here, as `errors.Transport`."""
        self.client = make_client(self._launch, self._auth)

    def explain(self, error: BaseException) -> HostError | None:
        """What really happened, where this transport knows better than the error that reached the session."""
        known = failure_of(error)
        if known is None and closed(error):
            known = self.lost
        return copy.copy(known)

    def failure(self, default: HostError) -> HostError:
        """Why the connection was lost, or `default`."""
        return copy.copy(self.lost or default)

    # -- life ------------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def dispatcher(self) -> AsyncGenerator[Any]:
        """What `mcp`'s client session speaks through. The connections end with it."""
        from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher

        async with self as (read, write):
            yield JSONRPCDispatcher(read, write)

    async def __aenter__(self) -> tuple[Any, Any]:
        if self.client is None:
            await self.spawn()
        incoming, read = anyio.create_memory_object_stream[Any](READ_AHEAD)
        write, outgoing = anyio.create_memory_object_stream[Any](WRITE_AHEAD)
        self._incoming = incoming
        self._ends = (read, write, incoming, outgoing)
        try:
            await self._open(outgoing)
        except BaseException:
            await self.close()
            raise
        return read, write

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End every request and connection. Does nothing twice."""
        self._stopping = True
        for end in self._ends:
            end.close()
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        try:
            with anyio.CancelScope(shield=True), anyio.move_on_after(GOODBYE):
                if tasks:
                    await asyncio.wait(tasks)
                await self._leave()
        finally:
            client, self.client = self.client, None
            if client is not None:
                with anyio.CancelScope(shield=True), anyio.move_on_after(GOODBYE), suppress(Exception):
                    await client.aclose()

    async def _open(self, outgoing: Any) -> None:
        """Start what reads `outgoing`."""
        raise NotImplementedError

    async def _leave(self) -> None:
        """Say goodbye, while the client still works."""

    @property
    def ended(self) -> bool:
        """Whether the connection was lost or closed."""
        return self.lost is not None or self._stopping

    def start(self, work: Coroutine[Any, Any, None], name: str) -> "asyncio.Task[None]":
        """Run something beside the rest until it ends, or the connection does."""
        task = asyncio.create_task(self._contained(work), name=f"{name}:{self._server}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _contained(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # the session is gone
        except Exception as error:
            log.exception("a task of server %s failed", self._server)
            self.lose(Transport(f"the connection failed ({type(error).__name__}); see the host's log."))

    def lose(self, error: HostError) -> None:
        """The connection is of no use any more: say so, once, and end every request that is open."""
        if self.lost is not None or self._stopping:
            return
        error.server = error.server or self._server
        self.lost = error
        if self._incoming is not None:
            self._incoming.close()  # every request that is open ends now
        self._on_lost(copy.copy(error))

    # -- messages --------------------------------------------------------------------------------------------------

    async def deliver(self, messages: list[JsonObject]) -> None:
        """Pass messages on to the session."""
        for message in messages:
            await self._incoming.send(self.messages.as_message(message))

    async def fail(self, request_id: int | str, error: HostError) -> None:
        """End one request with an error."""
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await self.deliver([self.messages.fail(request_id, copy.copy(error))])

    def say(self, text: str) -> None:
        """A line in the server's log."""
        self._journal.add(self._server, "host", "warning", text)

    # -- HTTP ------------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def request(
        self, method: str, url: str, *, headers: dict[str, str], content: bytes | None = None
    ) -> "AsyncGenerator[Response]":
        """Send one request, follow redirects within the origin, and give the answer before its body is read.

        Raises `errors.HostError` where the server cannot be reached.
        """
        if self.lost is not None:
            raise copy.copy(self.lost)
        if self.client is None:
            raise Transport("the connection was closed.")
        request = self.client.build_request(method, url, headers=headers, content=content)
        try:
            response = await self._follow(self.client, request)
        except Exception as error:
            raise self._missed(error) from error
        try:
            self._heard(response.status_code)
            yield response
        except HostError:
            raise
        except Exception as error:
            if isinstance(error, anyio.BrokenResourceError | anyio.ClosedResourceError):
                raise
            raise unreachable(error, self.url) from error
        finally:
            with anyio.CancelScope(shield=True), anyio.move_on_after(GOODBYE):
                await response.aclose()

    async def _follow(self, client: "AsyncClient", request: "Request") -> "Response":
        for left in reversed(range(MAX_REDIRECTS)):
            response = await client.send(request, stream=True, follow_redirects=False)
            onward = response.next_request
            if not left or onward is None or onward.method != request.method or not _same_origin(request, onward):
                return response
            await response.aclose()
            request = onward
        raise AssertionError("unreachable")

    def _missed(self, error: Exception) -> HostError:
        import httpx2

        failure = unreachable(error, self.url)
        if isinstance(failure, NeedsAuth):
            self.lose(copy.copy(failure))
        elif isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.ProxyError | httpx2.InvalidURL):
            now = time.monotonic()
            self._missing_since = self._missing_since if self._missing_since is not None else now
            if not self._connected or now - self._missing_since >= GONE_AFTER or is_tls(error):
                self.lose(copy.copy(failure))
        elif not isinstance(error, httpx2.TransportError | HostError):
            log.warning("a request to server %s failed", self._server, exc_info=error)
        return failure

    def _heard(self, status: int) -> None:
        self.last_status = status
        self._missing_since = None
        self._connected = self._connected or status < 300
        if self._on_status is not None:
            self._on_status(status)

    def refused(self, response: "Response") -> HostError:
        """The failure for a bad status. Without a sign-in there is no session, so 401 ends it."""
        authorized = any(name.lower() == "authorization" for name in self._launch.headers)
        failure = refused(response, self.url, authorized=authorized)
        if isinstance(failure, NeedsAuth) and response.status_code == 401:
            self.lose(copy.copy(failure))
        return failure


def _same_origin(sent: "Request", onward: "Request") -> bool:
    """Whether a redirect stays where the headers and the body were meant for, or is its upgrade to https."""
    before, after = sent.url, onward.url
    if after.userinfo and after.userinfo != before.userinfo:
        return False
    if (before.scheme, before.host, before.port) == (after.scheme, after.host, after.port):
        return True
    default = before.port is None and after.port is None
    return default and before.host == after.host and (before.scheme, after.scheme) == ("http", "https")

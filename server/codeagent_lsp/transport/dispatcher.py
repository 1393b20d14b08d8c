"""JSON-RPC straight between a client session and a transport that reads and writes whole messages.

The `mcp` package's own dispatcher stands between two streams with a task behind each; a call crosses them four times.
Here a request is written by whoever makes it, and its answer wakes whoever waits. Importing this imports `mcp`.

Source: `mcp.shared.dispatcher.Dispatcher`, the protocol that a client session takes; MCP 2025-11-25, "Cancellation"
and "Progress".
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

import anyio
import anyio.abc
import anyio.lowlevel
from attrs import define, field
from mcp.shared.dispatcher import (
    CallOptions,
    OnNotify,
    OnNotifyIntercept,
    OnRequest,
    ProgressFnT,
    as_request_id,
    coerce_request_id,
    run_notify_intercept,
)
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.jsonrpc_dispatcher import handler_exception_to_error_data, progress_token_from_params
from mcp.shared.transport_context import TransportContext
from mcp_types import CONNECTION_CLOSED, INTERNAL_ERROR, REQUEST_TIMEOUT, ErrorData, RequestId

from codeagent_lsp.protocol import JsonObject

log = logging.getLogger(__name__)

_PIPE = TransportContext(kind="stdio", can_send_request=True)
_CLOSED = ErrorData(code=CONNECTION_CLOSED, message="Connection closed")
_LATE = ErrorData(code=REQUEST_TIMEOUT, message="The request timed out")


@define(eq=False)
class _Waiting:
    """A request of ours without an answer: the future becomes its result or an `ErrorData`."""

    answer: "asyncio.Future[JsonObject | ErrorData]"
    on_progress: ProgressFnT | None


@define(eq=False)
class Context:
    """What a handler of the session is given with a message of the server (`mcp`'s `DispatchContext`)."""

    dispatcher: "Dispatcher"
    request_id: RequestId | None
    token: int | str | None
    transport: TransportContext = _PIPE
    message_metadata: None = None
    cancel_requested: anyio.Event = field(factory=anyio.Event)
    scope: anyio.CancelScope = field(factory=anyio.CancelScope)
    over: bool = False

    @property
    def can_send_request(self) -> bool:
        """Whether the server can still be asked on behalf of this message."""
        return not self.over

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> JsonObject:
        """Ask the server. Raises `NoBackChannelError` once the message is dealt with."""
        if self.over:
            raise NoBackChannelError(method)
        return await self.dispatcher.send_raw_request(method, params, opts)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        """Tell the server something, as long as the message is not dealt with."""
        if not self.over:
            await self.dispatcher.notify(method, params, opts)

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Report progress, if the server asked for it."""
        if self.token is not None:
            given = {"progressToken": self.token, "progress": progress, "total": total, "message": message}
            await self.notify("notifications/progress", {key: item for key, item in given.items() if item is not None})


class Dispatcher:
    """One connection. `write` takes a message, waits while the server does not read, and never raises.

    The transport calls `receive` for each message in good form (see `messages.Messages`), in order, from `started`
    on, and `close` when no more will come.
    """

    def __init__(self, write: Callable[[JsonObject], Awaitable[None]]) -> None:
        self.started = asyncio.Event()
        self._write = write
        self._waiting: dict[RequestId, _Waiting] = {}
        self._serving: dict[RequestId, Context] = {}
        self._count = 0
        self._ended = asyncio.Event()
        self._tasks: anyio.abc.TaskGroup | None = None
        self._on_request: OnRequest | None = None
        self._on_notify: OnNotify | None = None
        self._intercept: OnNotifyIntercept | None = None

    # -- the session's side ----------------------------------------------------------------------------------------

    async def run(
        self,
        on_request: OnRequest,
        on_notify: OnNotify,
        on_notify_intercept: OnNotifyIntercept | None = None,
        *,
        task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
    ) -> None:
        """Serve what comes in, each request and notification in a task of its own, until the connection is closed."""
        self._on_request, self._on_notify, self._intercept = on_request, on_notify, on_notify_intercept
        try:
            async with anyio.create_task_group() as self._tasks:
                self.started.set()
                task_status.started()
                try:
                    await self._ended.wait()
                finally:
                    self._tasks.cancel_scope.cancel()
        finally:
            self._tasks = None
            self.close()

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> JsonObject:
        """Send a request and wait for its result.

        Raises `MCPError`: the server's own error, `REQUEST_TIMEOUT` or `CONNECTION_CLOSED`.
        """
        if self._ended.is_set():
            raise MCPError.from_error_data(_CLOSED)
        opts = opts or {}
        number = opts["request_id"] if "request_id" in opts else self._next_id()
        key = coerce_request_id(number)
        if key in self._waiting:
            raise ValueError(f"a request with the id {number!r} is under way already")
        waiting = _Waiting(asyncio.get_running_loop().create_future(), opts.get("on_progress"))
        await anyio.lowlevel.checkpoint_if_cancelled()
        self._waiting[key] = waiting
        timer: asyncio.TimerHandle | None = None
        try:
            await self._write(_request(number, method, params, waiting.on_progress is not None))
            if (seconds := opts.get("timeout")) is not None:
                timer = asyncio.get_running_loop().call_later(seconds, _settle, waiting.answer, _LATE)
            outcome = await waiting.answer
        except asyncio.CancelledError:
            self._give_up(number, opts, "the caller gave the request up")
            raise
        finally:
            del self._waiting[key]
            if timer is not None:
                timer.cancel()
        if not isinstance(outcome, ErrorData):
            return outcome
        if outcome is _LATE:
            self._give_up(number, opts, "the request took too long")
        raise MCPError.from_error_data(outcome)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        """Send a notification; once the connection is closed it is dropped."""
        if not self._ended.is_set():
            given = {} if params is None else {"params": dict(params)}
            await self._write({"jsonrpc": "2.0", "method": method, **given})

    def _next_id(self) -> int:
        self._count += 1
        while self._count in self._waiting:
            self._count += 1
        return self._count

    def _give_up(self, number: RequestId, opts: CallOptions, reason: str) -> None:
        """Tell the server that nobody waits any more (MCP, "Cancellation"), without waiting for that ourselves."""
        if opts.get("cancel_on_abandon", True) and self._tasks is not None and not self._ended.is_set():
            params = {"requestId": number, "reason": reason}
            self._tasks.start_soon(self.notify, "notifications/cancelled", params)

    # -- the transport's side --------------------------------------------------------------------------------------

    def receive(self, message: JsonObject) -> None:
        """Take one message of the server."""
        if self._tasks is None or self._ended.is_set():
            return
        if "method" not in message:
            waiting = self._waiting.get(coerce_request_id(message["id"]))
            if waiting is not None:
                error = message.get("error")
                _settle(waiting.answer, message["result"] if error is None else _error(error))
        elif "id" in message:
            context = Context(self, message["id"], progress_token_from_params(message.get("params")))
            self._serving[coerce_request_id(message["id"])] = context
            self._tasks.start_soon(self._serve, context, message["method"], message.get("params"))
        else:
            self._notified(self._tasks, message["method"], message.get("params"))

    def close(self) -> None:
        """No more will come: every request that waits ends."""
        self._ended.set()
        for waiting in self._waiting.values():
            _settle(waiting.answer, _CLOSED)

    def _notified(self, tasks: anyio.abc.TaskGroup, method: str, params: JsonObject | None) -> None:
        given = params or {}
        if method == "notifications/cancelled":
            number = as_request_id(given.get("requestId"))
            context = self._serving.get(coerce_request_id(number)) if number is not None else None
            if context is not None:
                context.cancel_requested.set()
                context.scope.cancel()
        elif method == "notifications/progress":
            self._progressed(tasks, given)
        if self._on_notify is not None and not run_notify_intercept(self._intercept, method, params):
            tasks.start_soon(_contained, self._on_notify, Context(self, None, None), method, params)

    def _progressed(self, tasks: anyio.abc.TaskGroup, params: JsonObject) -> None:
        token, done = as_request_id(params.get("progressToken")), _number(params.get("progress"))
        waiting = self._waiting.get(coerce_request_id(token)) if token is not None else None
        if waiting is not None and waiting.on_progress is not None and done is not None:
            total, said = _number(params.get("total")), params.get("message")
            tasks.start_soon(_contained, waiting.on_progress, done, total, said if isinstance(said, str) else None)

    async def _serve(self, context: Context, method: str, params: JsonObject | None) -> None:
        """Answer one request of the server; one that it has cancelled is not answered (MCP, "Cancellation")."""
        number, on_request = cast(RequestId, context.request_id), self._on_request
        assert on_request is not None
        answer: JsonObject = {"error": {"code": INTERNAL_ERROR, "message": "Internal error"}}
        with context.scope:
            try:
                answer = {"result": await on_request(cast(Any, context), method, params)}
            except Exception as error:
                known = handler_exception_to_error_data(error)
                if known is None:
                    log.exception("the request %r of a server could not be handled", method)
                else:
                    answer = {"error": known.model_dump(by_alias=True, mode="json", exclude_none=True)}
            finally:
                context.over = True
                if self._serving.get(coerce_request_id(number)) is context:
                    del self._serving[coerce_request_id(number)]
        if not context.cancel_requested.is_set():
            await self._write({"jsonrpc": "2.0", "id": number, **answer})


def _request(number: RequestId, method: str, params: Mapping[str, Any] | None, progress: bool) -> JsonObject:
    given = dict(params or {})
    if progress:
        given["_meta"] = {**(given.get("_meta") or {}), "progressToken": number}
    return {"jsonrpc": "2.0", "id": number, "method": method, **({"params": given} if given else {})}


def _settle(answer: "asyncio.Future[JsonObject | ErrorData]", outcome: JsonObject | ErrorData) -> None:
    if not answer.done():
        answer.set_result(outcome)


def _error(error: JsonObject) -> ErrorData:
    return ErrorData.model_construct(code=error["code"], message=error["message"], data=error.get("data"))


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


async def _contained(handler: Callable[..., Awaitable[None]], *args: object) -> None:
    """A handler that fails costs the message, and not the connection."""
    try:
        await handler(*args)
    except Exception:
        log.exception("a notification of a server could not be handled")

"""What comes from the editor: every request answered once, plain data left plain, nothing lost without a word.

pygls keeps what it is good at: the registry of features, documents, capabilities. Its own JSON-RPC half turns
params into lossy named tuples, leaves invalid requests unanswered, sends tracebacks and shows pop-ups.
"""

import asyncio
import inspect
import logging
from collections.abc import Callable, Generator
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from attrs import define
from pygls.constants import ATTR_EXECUTE_IN_THREAD
from pygls.exceptions import JsonRpcException

from codeagent_lsp.errors import INVALID_PARAMS, HostError
from codeagent_lsp.rpc.failures import (
    CANCELLED,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    NOT_INITIALIZED,
    PARSE_ERROR,
    first_problem,
    told,
)
from codeagent_lsp.rpc.frames import Malformed
from codeagent_lsp.rpc.json_text import MAX_DEPTH, Unreadable, decode, too_deep
from codeagent_lsp.rpc.outbox import Outbox
from codeagent_lsp.rpc.outgoing import MessageId, Outgoing

if TYPE_CHECKING:
    from cattrs import Converter

log = logging.getLogger(__name__)

Handler = Callable[..., Any]

_PLAIN = frozenset({"workspace/executeCommand"})  # lsprotocol's class loses what a bare object holds


@define(eq=False)
class Running:
    """A request of the editor that is not answered yet."""

    id: MessageId
    method: str
    token: object
    task: asyncio.Future[Any]


class Incoming(Outgoing):
    """The incoming half: requests and notifications become tasks, one each, started in the order they came."""

    def __init__(self, server: Any, converter: "Converter") -> None:
        self.parent: int | None = None
        self._running: dict[MessageId, Running] = {}
        self._background: set[asyncio.Future[Any]] = set()
        self._listening = False
        self._introduced = False
        super().__init__(server, converter)

    @property
    def builtins(self) -> dict[str, Handler]:
        """What the protocol object does itself, by method."""
        return cast(dict[str, Handler], self.fm.builtin_features)  # pyright: ignore[reportUnknownMemberType]

    @property
    def features(self) -> dict[str, Handler]:
        """The registered features, by method."""
        return cast(dict[str, Handler], self.fm.features)  # pyright: ignore[reportUnknownMemberType]

    @property
    def commands(self) -> dict[str, Handler]:
        """The registered commands, by name."""
        return cast(dict[str, Handler], self.fm.commands)  # pyright: ignore[reportUnknownMemberType]

    @property
    def shut_down(self) -> bool:
        """Whether the editor has sent `shutdown`."""
        return self._shutdown

    def connect(self, outbox: Outbox, on_exit: Callable[[], None], on_parent: Callable[[], None]) -> None:
        """Write into `outbox`; call `on_exit` at `exit`, and `on_parent` when the editor's process is known."""
        self._outbox, self._on_exit, self._on_parent = outbox, on_exit, on_parent
        self._listening = True

    def disconnect(self) -> None:
        """Take no more messages. Answers may still be sent."""
        self._listening = False

    # From the editor

    def receive(self, body: bytes) -> bytes:
        """Take one message. Returns the bytes that belong to the next, where the framing was off. Never raises."""
        try:
            message = decode(body)
        except Unreadable as error:
            self.refuse(None, PARSE_ERROR, str(error))
            return error.rest
        if self._listening:
            try:
                self._take(message)
            except Exception:
                log.exception("a message could not be handled")
        return b""

    def skipped(self, malformed: Malformed) -> None:
        """Tell the editor that bytes were skipped."""
        log.warning("skipped %s", malformed.reason)
        self.refuse(None, PARSE_ERROR, malformed.reason)

    def _take(self, message: object) -> None:
        if not isinstance(message, dict):
            what = "batches are not part of LSP" if isinstance(message, list) else "a message is one JSON object"
            return self.refuse(None, INVALID_REQUEST, what)
        fields = cast(dict[str, Any], message)
        number = fields.get("id")
        known_id = _message_id(number)
        if fields.get("jsonrpc") != "2.0":
            return self.refuse(known_id, INVALID_REQUEST, 'a message has `"jsonrpc": "2.0"`')
        if "method" in fields:
            method, params = fields["method"], fields.get("params")
            if not isinstance(method, str) or ("id" in fields and known_id is None):
                return self.refuse(known_id, INVALID_REQUEST, "`method` is a string, `id` an integer or a string")
            if known_id is None:
                return self._notified(method, params)
            if too_deep(params):
                return self.refuse(known_id, INVALID_REQUEST, f"params nest more than {MAX_DEPTH} levels")
            return self._requested(known_id, method, params)
        if known_id is not None and (known_id in self._asked or "result" in fields or "error" in fields):
            return self.responded(known_id, fields)
        return self.refuse(known_id, INVALID_REQUEST, "neither a request, a notification nor a response")

    def _requested(self, number: MessageId, method: str, params: Any) -> None:
        try:
            self._gate(number, method)
            handler = self._handler(method)
            argument = self._structure(method, params)
        except (HostError, JsonRpcException) as error:
            self.refuse(number, *told(error))
            return
        if method == "initialize":
            self._introduced = True
        elif method == "shutdown":
            self._shutdown = True
        token = cast(dict[str, Any], params).get("workDoneToken") if isinstance(params, dict) else None
        record = Running(number, method, token, asyncio.ensure_future(self._run(handler, (argument,))))
        self._running[number] = record
        record.task.add_done_callback(partial(self._finished, record))

    def _gate(self, number: MessageId, method: str) -> None:
        if number in self._running:
            raise JsonRpcException(f"a request with the id {number} is running already", INVALID_REQUEST)
        if self._shutdown:
            raise JsonRpcException("the server is shutting down", INVALID_REQUEST)
        if method == "initialize" and self._introduced:
            raise JsonRpcException("the server is initialized already", INVALID_REQUEST)
        if method != "initialize" and not self._introduced:
            raise JsonRpcException(f"`{method}` came before `initialize`", NOT_INITIALIZED)

    def _finished(self, record: Running, task: asyncio.Future[Any]) -> None:
        error = None if task.cancelled() else task.exception()
        if self._running.get(record.id) is not record:
            return  # answered already: it was cancelled
        del self._running[record.id]
        if record.method == "initialize" and (error is not None or task.cancelled()):
            self._introduced = False
        if task.cancelled():
            self.refuse(record.id, CANCELLED, "cancelled")
        elif error is not None:
            self.refuse(record.id, *told(error, record.method))
        else:
            self.answer(record.id, task.result())

    def _notified(self, method: str, params: Any) -> None:
        if method == "exit":
            self._on_exit()
            return
        if not self._introduced or self._shutdown:
            return
        if method == "$/cancelRequest":
            number = _message_id(cast(dict[str, Any], params).get("id")) if isinstance(params, dict) else None
            if number is not None:
                self.cancel(number)
            return
        try:
            handler, argument = self._handler(method), self._structure(method, params)
        except (HostError, JsonRpcException) as error:
            log.debug("ignored a notification: %s", error)
            return
        task = asyncio.ensure_future(self._run(handler, (argument,)))
        self._background.add(task)
        task.add_done_callback(partial(self._noted, method))

    def _noted(self, method: str, task: asyncio.Future[Any]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            told(error, method)

    def cancel(self, number: MessageId) -> None:
        """Answer a running request as cancelled, at once, and cancel what it runs."""
        record = self._running.get(number)
        if record is None or record.method in ("initialize", "shutdown"):
            return
        del self._running[number]
        self.refuse(number, CANCELLED, "cancelled")
        record.task.cancel()

    def cancel_token(self, token: object) -> None:
        """Cancel the request that reports its progress under `token`."""
        for record in [item for item in self._running.values() if item.token == token]:
            self.cancel(record.id)

    # Running a handler

    def _handler(self, method: str) -> Handler:
        handler = self.builtins.get(method) or self.features.get(method)
        if handler is None:
            raise JsonRpcException(f"there is no method `{method}`", METHOD_NOT_FOUND)
        return handler

    def _structure(self, method: str, params: Any) -> Any:
        """`params` as lsprotocol's class for a method of LSP, and as they are for any other method."""
        params = {} if params is None else params
        cls = None if method in _PLAIN else self.get_message_type(method)
        if cls is None:
            if not isinstance(params, dict | list):
                raise JsonRpcException(f"the params of `{method}` must be an object", INVALID_PARAMS)
            return cast(object, params)
        message = {"jsonrpc": "2.0", "id": 0, "method": method, "params": params}
        try:
            return self._converter.structure(message, cls).params
        except Exception as error:
            raise JsonRpcException(f"invalid params of `{method}`: {first_problem(error)}", INVALID_PARAMS) from error

    async def _run(self, handler: Handler, args: tuple[Any, ...]) -> Any:
        """The result of a handler of any kind: plain, async, in a thread, or pygls's own generators."""
        try:
            if inspect.isgeneratorfunction(handler):
                return await self._run_steps(handler(*args))
            if getattr(handler, ATTR_EXECUTE_IN_THREAD, False):
                return await asyncio.to_thread(handler, *args)
            result = handler(*args)
            return await result if inspect.isawaitable(result) else result
        except SystemExit as error:
            raise RuntimeError("a handler tried to end the process") from error

    async def _run_steps(self, steps: Generator[Any, Any, Any]) -> Any:
        """Each step names a handler, whose result goes back into the generator."""
        value: Any = None
        while True:
            try:
                handler, args, _ = steps.send(value)
            except StopIteration as stop:
                return stop.value
            value = await self._run(handler, args or ())


def _message_id(value: object) -> MessageId | None:
    return value if isinstance(value, int | float | str) and not isinstance(value, bool) else None

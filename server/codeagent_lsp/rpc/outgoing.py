"""What goes to the editor: answers, notifications and requests, as strict JSON that never waits for the editor."""

import itertools
import logging
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import attrs
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol

from codeagent_lsp.rpc.failures import CANCELLED, INTERNAL_ERROR
from codeagent_lsp.rpc.frames import frame
from codeagent_lsp.rpc.json_text import encode
from codeagent_lsp.rpc.outbox import Outbox, fate

if TYPE_CHECKING:
    from cattrs import Converter

log = logging.getLogger(__name__)

MessageId = int | float | str


class Outgoing(LanguageServerProtocol):
    """pygls's protocol object with an outgoing half of our own.

    Params and results are JSON, or lsprotocol's classes; what the editor answers stays plain JSON.
    """

    def __init__(self, server: Any, converter: "Converter") -> None:
        self._outbox: Outbox | None = None
        self._asked: dict[MessageId, Future[Any]] = {}
        self._ids = itertools.count(1)
        super().__init__(server, converter)

    def notify(self, method: str, params: Any | None = None) -> None:
        """Send a notification."""
        self._send({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})})

    def send_request(
        self,
        method: str,
        params: Any | None = None,
        callback: Callable[[Any], None] | None = None,
        msg_id: str | int | None = None,
    ) -> Future[Any]:
        """Send a request. Cancelling the future cancels the request; an error is raised as `JsonRpcException`."""
        number = next(self._ids) if msg_id is None else msg_id
        future: Future[Any] = Future()
        self._asked[number] = future
        future.add_done_callback(partial(self._settled, number, callback))
        given = {} if params is None else {"params": params}
        self._send({"jsonrpc": "2.0", "id": number, "method": method, **given})
        return future

    def responded(self, number: MessageId, fields: dict[str, Any]) -> None:
        """Take the editor's response to a request of ours; a late or foreign one is ignored."""
        future = self._asked.pop(number, None)
        if future is None or future.done():
            return
        error = fields.get("error")
        if error is None:
            future.set_result(fields.get("result"))
            return
        told = cast(dict[str, Any], error) if isinstance(error, dict) else {}
        code = told.get("code")
        known = code if isinstance(code, int) else INTERNAL_ERROR
        future.set_exception(JsonRpcException(str(told.get("message", "")), known, told.get("data")))

    def answer(self, number: MessageId, result: Any) -> None:
        """Answer a request of the editor."""
        self._send({"jsonrpc": "2.0", "id": number, "result": result})

    def refuse(self, number: MessageId | None, code: int, message: str, data: Any = None) -> None:
        """Answer a request of the editor with an error; without `number`, one that could not be read."""
        error = {"code": code, "message": message, **({} if data is None else {"data": data})}
        self._send({"jsonrpc": "2.0", "id": number, "error": error})

    def expect_no_answers(self) -> None:
        """Fail every request that the editor has not answered yet."""
        for number, future in list(self._asked.items()):
            del self._asked[number]
            if not future.done():
                future.set_exception(JsonRpcException("the server is shutting down", CANCELLED))

    def _settled(self, number: MessageId, callback: Callable[[Any], None] | None, future: Future[Any]) -> None:
        if future.cancelled():
            if self._asked.pop(number, None) is not None:
                self.notify("$/cancelRequest", {"id": number})
        elif callback is not None and future.exception() is None:
            callback(future.result())

    def _send(self, message: dict[str, Any]) -> None:
        if self._outbox is None:
            return
        try:
            body = encode(message, self._serialize_message)
        except Exception:
            log.exception("a message could not be written as JSON")
            if "result" in message:
                self.refuse(message["id"], INTERNAL_ERROR, "the result could not be written as JSON")
            return
        self._outbox.put(frame(body), fate(message))

    def _send_data(self, data: Any) -> None:
        self._send(cast(dict[str, Any], self._serialize_message(data)))

    def _serialize_message(self, data: Any) -> Any:
        if isinstance(data, set | frozenset):
            return list(cast(set[object], data))
        if attrs.has(type(data)):  # pyright: ignore[reportUnknownArgumentType]
            return self._converter.unstructure(data)
        return super()._serialize_message(data)

"""One seam for every transport: what a server wrote becomes MCP messages that the SDK takes, or a warning.

The SDK is strict where servers are not: a line that it cannot read leaves the request it answered hanging until its
timeout, and one bad tool costs the whole list. So every line and every body passes here first. It is decoded
tolerantly (`decode`), its frame is set right (`envelope`), the result is repaired piece by piece by what was asked
(`repair`), and whatever cannot be saved ends the request it belongs to at once, with a named error.
"""

import gc
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from attrs import define, frozen

from codeagent_lsp.errors import HostError, Protocol, ServerError, TooLarge
from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.text import one_line
from codeagent_lsp.transport.decode import Undecodable, decode, find_id
from codeagent_lsp.transport.envelope import clean_call, clean_error, clean_id
from codeagent_lsp.transport.failures import SDK_CODES, failed
from codeagent_lsp.transport.lines import HEAD, Oversized
from codeagent_lsp.transport.repair import LISTS, MODERN, Asked, Unrepairable, repair

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

MAX_PENDING = 10_000
"""Requests that are remembered; the oldest are forgotten first, and only lose their repairs."""

MAX_WARNINGS = 500
"""Different warnings per connection; the same one is given once."""

BIG = 128 * 1024
"""Bytes of a message from which on the garbage collector is worth pausing."""

VERSION_META = "io.modelcontextprotocol/protocolVersion"
HANDSHAKE_VERSION = "2025-11-25"
"""What a session counts as until the server has named its revision."""

_UNASKED: JsonObject = {}
_EMPTY_RESULTS = ("ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe")


@frozen
class _Pending:
    """A request that has no answer yet."""

    id: int | str
    asked: Asked


@define
class Counts:
    """What has come in: messages that could be used, and bytes and lines that could not, since the last one."""

    messages: int = 0
    garbage_lines: int = 0
    garbage_bytes: int = 0


class Messages:
    """The messages of one connection. `parse` never raises.

    `on_warning` is given one sentence per repair or loss, each at most once; `on_garbage` what is no message at all
    (by default that is a warning too); `server` is the id for error messages.
    """

    def __init__(
        self,
        on_warning: Callable[[str], None],
        *,
        server: str | None = None,
        on_garbage: Callable[[bytes], None] | None = None,
    ) -> None:
        self._on_warning = on_warning
        self._on_garbage = on_garbage or self._warn_of_garbage
        self._server = server
        self._version = HANDSHAKE_VERSION
        self._pending: dict[int | str, _Pending] = {}
        self._warned: set[str] = set()
        self.counts = Counts()

    # -- what we send ----------------------------------------------------------------------------------------------

    def note_request(self, message: Any) -> None:
        """Remember a message that is about to be sent: an `mcp_types` JSON-RPC message or its JSON object."""
        plain = cast(JsonObject, message) if isinstance(message, dict) else _plain(message)
        method, request_id = plain.get("method"), clean_id(plain.get("id"))
        given = plain.get("params")
        params = cast(JsonObject, given) if isinstance(given, dict) else {}
        if method == "notifications/cancelled":
            self.forget(params.get("requestId"))
        elif isinstance(method, str) and request_id is not None:
            meta = params.get("_meta")
            version = cast(JsonObject, meta).get(VERSION_META) if isinstance(meta, dict) else None
            asked = Asked(method, version if isinstance(version, str) else self._version, params.get("uri"))
            while len(self._pending) >= MAX_PENDING:
                del self._pending[next(iter(self._pending))]
            self._pending[_key(request_id)] = _Pending(request_id, asked)

    def forget(self, request_id: Any) -> None:
        """A request was given up: a late answer is ignored."""
        known = clean_id(request_id)
        if known is not None:
            self._pending.pop(_key(known), None)

    def fail(self, request_id: int | str, error: HostError) -> JsonObject:
        """An answer that ends a request of ours with `error`."""
        self.forget(request_id)
        error.server = error.server or self._server
        return failed(request_id, error)

    # -- what they send --------------------------------------------------------------------------------------------

    def as_message(self, message: JsonObject) -> "SessionMessage":
        """A JSON object in good form as the SDK's streams take it."""
        from mcp.shared.message import SessionMessage
        from mcp_types import JSONRPCResponse, jsonrpc_message_adapter

        if "result" in message:  # put together here, and perhaps large: not copied once more by a validator
            return SessionMessage(JSONRPCResponse.model_construct(**message))
        return SessionMessage(jsonrpc_message_adapter.validate_python(message, by_name=False))

    def parse(
        self, line: bytes | Oversized, *, answering: int | str | None = None, whole: bool = True
    ) -> list[JsonObject]:
        """The messages of one line or body, repaired, as JSON objects; `answering`: the request that it belongs to.

        `whole`: it is all that comes for that request, so that it ends with it, readable or not. An error's `data` may
        be an `errors.HostError`, see `failures`.
        """
        if isinstance(line, Oversized):
            return self._too_large(line, answering)
        if not line.strip():
            return []
        with _collector_paused(len(line) > BIG):
            return self._parse(line, answering, whole)

    def _parse(self, line: bytes, answering: int | str | None, whole: bool) -> list[JsonObject]:
        decoded = decode(line)
        if isinstance(decoded, Undecodable) and decoded.too_deep and self._is_list(line, answering):
            decoded = decode(line, cut_deep=True)
        if isinstance(decoded, Undecodable):
            return self._undecodable(line, decoded, answering if whole else None)
        for note in decoded.notes:
            self._warn(f"{note}.")
        found = [
            self._message(message, decoded.salvaged, answering)
            for value in decoded.values
            for message in (cast("list[Any]", value) if isinstance(value, list) else [value])
        ]
        messages = [message for message in found if message is not None]
        if messages:
            self.counts.messages += len(messages)
            self.counts.garbage_lines = self.counts.garbage_bytes = 0
        else:
            self._garbage(line)
        return [message for message in messages if message is not _UNASKED]

    def _message(self, value: Any, salvaged: bool, answering: int | str | None) -> JsonObject | None:
        """One message in good form; `_UNASKED` for an answer that nobody waits for; None for what is no message."""
        if not isinstance(value, dict):
            return None
        message = cast(JsonObject, value)
        if "method" in message and "result" not in message and "error" not in message:
            return None if salvaged else clean_call(message)
        pending = self._answered(message, answering)
        if pending is None:
            return _UNASKED if "id" in message and ("result" in message or "error" in message) else None
        error, result = message.get("error"), message.get("result")
        if error is not None:
            return self._error(pending, clean_error(error))
        if "result" not in message:
            why = f'sent a malformed reply to {pending.asked.method}: it has neither "result" nor "error".'
            return self.fail(pending.id, Protocol(why))
        return self._result(pending, result)

    def _error(self, pending: _Pending, error: JsonObject) -> JsonObject:
        if error["code"] in SDK_CODES:
            said = one_line(error["message"], 500) or f"error {error['code']}"
            return self.fail(pending.id, ServerError(f"answered with an error: {said}", server_code=error["code"]))
        return {"jsonrpc": "2.0", "id": pending.id, "error": error}

    def _answered(self, message: JsonObject, answering: int | str | None) -> _Pending | None:
        request_id = clean_id(message.get("id"))
        if request_id is None:
            # "id": null is what a server answers that could not read the request. It can only be one if one is open.
            only = next(iter(self._pending)) if len(self._pending) == 1 and "error" in message else None
            key = _key(answering) if answering is not None else only
        else:
            key = _key(request_id)
            if key not in self._pending and answering is not None:
                key = _key(answering)
        return self._pending.pop(key, None) if key is not None else None

    def _result(self, pending: _Pending, result: Any) -> JsonObject:
        method = pending.asked.method
        if method in _EMPTY_RESULTS and not isinstance(result, dict):
            result = {"resultType": "complete"} if pending.asked.version >= MODERN else {}
        try:
            fixed = repair(pending.asked, result, self._warn)
        except Unrepairable as why:
            return self.fail(pending.id, Protocol(str(why)))
        version = fixed.get("protocolVersion")
        if method == "initialize" and isinstance(version, str):
            self._version = version
        return {"jsonrpc": "2.0", "id": pending.id, "result": fixed}

    # -- what could not be read ------------------------------------------------------------------------------------

    def _undecodable(self, line: bytes, why: Undecodable, answering: int | str | None) -> list[JsonObject]:
        request_id = answering if answering is not None else find_id(line[:HEAD], line[-HEAD:])
        pending = self._pending.get(_key(request_id)) if request_id is not None else None
        if pending is not None and why.looks_like_json:
            self.counts.messages += 1
            return [self.fail(pending.id, Protocol(f"answered {pending.asked.method}, but the answer {why.reason}."))]
        self._garbage(line)
        return []

    def _too_large(self, line: Oversized, answering: int | str | None) -> list[JsonObject]:
        request_id = answering if answering is not None else find_id(line.head, line.tail)
        pending = self._pending.get(_key(request_id)) if request_id is not None else None
        if pending is None:
            self._warn(f"a message of {line.size:,} bytes was dropped: it is too large.")
            return []
        return [self.fail(pending.id, too_large(pending.asked.method, line.size))]

    def _garbage(self, line: bytes) -> None:
        self.counts.garbage_lines += 1
        self.counts.garbage_bytes += len(line)
        self._on_garbage(line)

    def _warn_of_garbage(self, line: bytes) -> None:
        self._warn(f"not a message: {one_line(line[:1000].decode('utf-8', 'replace'), 200)}")

    def _is_list(self, line: bytes, answering: int | str | None) -> bool:
        request_id = answering if answering is not None else find_id(line[:HEAD], line[-HEAD:])
        pending = self._pending.get(_key(request_id)) if request_id is not None else None
        return pending is not None and pending.asked.method in LISTS

    def _warn(self, text: str) -> None:
        if text not in self._warned and len(self._warned) < MAX_WARNINGS:
            self._warned.add(text)
            self._on_warning(text)


@contextmanager
def _collector_paused(needed: bool) -> Generator[None]:
    """A long list makes many objects at once and no garbage; the collector would look through them again and again."""
    paused = needed and gc.isenabled()
    if paused:
        gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()


def too_large(method: str, size: int) -> TooLarge:
    """The failure of a request whose answer was larger than what is read."""
    return TooLarge(
        f"answered {method} with more than {size - 1:,} bytes, which is more than is read.",
        hint="Ask for less at once: fewer items, a smaller page, a narrower search.",
    )


def _plain(message: Any) -> JsonObject:
    """The members of a JSON-RPC model that matter here, without copying its params."""
    return {name: getattr(message, name, None) for name in ("method", "id", "params")}


def _key(request_id: int | str) -> int | str:
    """What tells ids apart: servers send `"7"` for `7`, and the session takes them for the same."""
    if isinstance(request_id, str) and request_id.isascii() and request_id.isdigit() and len(request_id) < 19:
        return int(request_id)
    return request_id

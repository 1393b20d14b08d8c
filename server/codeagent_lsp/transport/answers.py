"""Reads the answer to one POST, whatever form it comes in: JSON, a stream of events, or a refusal.

A stream that breaks is taken up again where the server gave its events ids (MCP 2025-11-25, "Resumability and
Redelivery"); without ids the request ends with a named error at once, never with a wait.
"""

import asyncio
import re
from typing import TYPE_CHECKING, Any, cast
from typing import Protocol as Shape

from codeagent_lsp.errors import HostError, Protocol, Transport
from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.transport.decode import Undecodable, decode
from codeagent_lsp.transport.http_body import MAX_BODY, decoded, read_body, too_large
from codeagent_lsp.transport.http_errors import OLD_TRANSPORT_STATUSES, wrong_kind
from codeagent_lsp.transport.sse import Event, EventSplitter

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from httpx2 import Response

    from codeagent_lsp.transport.messages import Messages

EVENTS = "text/event-stream"

RESUMES = 2
"""Attempts in a row to take up a broken stream again."""

RESUME_AFTER = 1.0
"""Seconds before such an attempt, where the server has not said how long."""

MAX_RETRY = 60.0
"""The most that a server can make us wait, in seconds."""

MAX_ERROR_BODY = 256 * 1024

_SESSION_GONE = re.compile(
    r"session.{0,40}(?:not found|expired|invalid|unknown|missing|terminated)|(?:no|unknown|invalid)\b.{0,20}session",
    re.I,
)


class Reading:
    """How far a stream of events has been read."""

    def __init__(self) -> None:
        self.last_id: str | None = None
        self.retry: float | None = None
        self.answered = False

    @property
    def pause(self) -> float:
        """Seconds to wait before the stream is opened again."""
        return min(self.retry if self.retry is not None else RESUME_AFTER, MAX_RETRY)


class Wire(Shape):
    """What an answer needs of the transport that it came over."""

    messages: "Messages"
    older: bool
    session_id: str | None

    def get(self, more: dict[str, str]) -> "AbstractAsyncContextManager[Response]":
        """Ask for a stream of events."""
        ...

    async def deliver(self, messages: list[JsonObject]) -> None:
        """Pass messages on to the session."""
        ...

    def forgotten(self, status: int) -> HostError:
        """The server does not know the session any more."""
        ...

    def refused(self, response: "Response") -> HostError:
        """What a bad status means."""
        ...

    def say(self, text: str) -> None:
        """A line for the log."""
        ...


async def read_answer(wire: Wire, response: "Response", method: str, request_id: int | str) -> None:
    """Read the answer to a request and deliver it. Raises `errors.HostError` where there is none."""
    if response.status_code >= 300:
        failure = await read_refusal(wire, response, method, request_id)
        if failure is not None:
            raise failure
        return
    if response.status_code in (202, 204):
        raise Protocol(f"took the request {method}, and gave no answer (HTTP {response.status_code}).")
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == EVENTS:
        await _by_events(wire, response, request_id)
    elif kind in ("", "text/plain", "application/octet-stream") or kind.endswith("json"):
        await _by_body(wire, response, method, request_id)
    else:
        raise wrong_kind(response, method)


async def read_refusal(
    wire: Wire, response: "Response", method: str | None, request_id: int | str | None
) -> HostError | None:
    """What a status of 300 and above means; None where the body held a JSON-RPC error, which is delivered."""
    body = await _error_body(response)
    error = _json_rpc_error(body)
    status = response.status_code
    session = wire.session_id is not None and method != "initialize"
    if session and (status == 404 or (status == 400 and _says_session_gone(body))):
        return wire.forgotten(status)
    if error and status not in (401, 403) and request_id is not None:
        messages = wire.messages.parse(body, answering=request_id)
        if any(message.get("id") == request_id for message in messages):
            await wire.deliver(messages)
            return None
    if body.strip():
        wire.say(f"HTTP {status}: {body[:300].decode('utf-8', 'replace')}")
    if method == "initialize":
        wire.older = status in OLD_TRANSPORT_STATUSES and not error
    return wire.refused(response)


async def read_events(wire: Wire, response: "Response", reading: Reading, request_id: int | str | None = None) -> None:
    """Deliver what a stream of events brings, until it ends or has answered `request_id`.

    Raises `errors.Transport` if the stream breaks, and what the answer itself makes impossible.
    """
    import httpx2

    splitter = EventSplitter(MAX_BODY)
    try:
        async for data in decoded(response):
            for event in splitter.feed(data):
                await _take(wire, event, reading, request_id)
                if reading.answered:
                    return
    except httpx2.TransportError as error:
        raise Transport(f"the stream of events broke off ({type(error).__name__}).") from None


async def _take(wire: Wire, event: Event, reading: Reading, request_id: int | str | None) -> None:
    reading.last_id = event.id or reading.last_id
    reading.retry = event.retry / 1000 if event.retry is not None else reading.retry
    if event.data is None:
        if request_id is not None:
            raise too_large(MAX_BODY)
        wire.say(f"an event of more than {MAX_BODY:,} bytes was dropped.")
    elif event.name == "endpoint" and request_id is not None:
        wire.older = True
        raise Protocol("answers like a server of the older HTTP+SSE transport.")
    elif event.data.lstrip()[:1] in (b"{", b"["):
        messages = wire.messages.parse(event.data, answering=request_id, whole=False)
        await wire.deliver(messages)
        reading.answered = request_id is not None and _answers(messages, request_id)


async def _by_body(wire: Wire, response: "Response", method: str, request_id: int | str) -> None:
    body = await read_body(response)
    session = wire.session_id is not None and method != "initialize"
    if session and len(body) < 4096 and b'"result"' not in body and _says_session_gone(body):
        raise wire.forgotten(response.status_code)
    messages = wire.messages.parse(body, answering=request_id)
    if not _answers(messages, request_id):
        if not body.strip():
            raise Protocol(f"answered {method} with nothing (HTTP {response.status_code}).")
        raise wrong_kind(response, method)
    await wire.deliver(messages)


async def _by_events(wire: Wire, response: "Response", request_id: int | str) -> None:
    reading = Reading()
    broken = await _until_broken(wire, response, reading, request_id)
    attempts = 0
    while not reading.answered:
        if reading.last_id is None or attempts >= RESUMES:
            raise broken or Transport("ended the stream of its answer before the answer had come.")
        attempts += 1
        await asyncio.sleep(reading.pause)
        before = reading.last_id
        try:
            async with wire.get({"last-event-id": before}) as resumed:
                if resumed.status_code != 200 or not resumed.headers.get("content-type", "").startswith(EVENTS):
                    broken = Transport(f"did not take up its broken answer again (HTTP {resumed.status_code}).")
                    continue
                attempts = 0
                broken = await _until_broken(wire, resumed, reading, request_id)
        except Transport as error:
            broken = error


async def _until_broken(wire: Wire, response: "Response", reading: Reading, request_id: int | str) -> Transport | None:
    try:
        await read_events(wire, response, reading, request_id)
    except Transport as error:
        return error
    return None


async def _error_body(response: "Response") -> bytes:
    try:
        return await read_body(response, MAX_ERROR_BODY, idle=5.0)
    except HostError:
        return b""


def _json_rpc_error(body: bytes) -> bool:
    """Whether a body is a JSON-RPC error, and not the error of some framework in between."""
    found = decode(body[:MAX_ERROR_BODY]) if len(body) <= MAX_ERROR_BODY else Undecodable("")
    if isinstance(found, Undecodable) or not isinstance(found.values[0], dict):
        return False
    message = cast(JsonObject, found.values[0])
    return "error" in message and ("jsonrpc" in message or isinstance(message["error"], dict) or "id" in message)


def _says_session_gone(body: bytes) -> bool:
    return _SESSION_GONE.search(body[:4096].decode("utf-8", "replace")) is not None


def _answers(messages: list[JsonObject], request_id: Any) -> bool:
    return any(message.get("id") == request_id and "method" not in message for message in messages)

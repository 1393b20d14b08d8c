"""A server over streamable HTTP: every message a POST, the answer JSON or a stream of events.

Source: MCP 2025-11-25 and 2026-07-28, "Transports / Streamable HTTP". The SDK's own transport loses the HTTP status,
ends the session when one POST fails, gives up its listening stream after two drops, and buffers without bound; this one
speaks the same protocol to the same session and does not.
"""

import asyncio
import json
from contextlib import AbstractAsyncContextManager, suppress
from typing import TYPE_CHECKING, Any, Literal, cast

from codeagent_lsp.errors import HostError, SessionLost
from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.text import well_formed_text
from codeagent_lsp.transport.answers import EVENTS, read_answer, read_refusal
from codeagent_lsp.transport.http_errors import retry_after
from codeagent_lsp.transport.listening import Listener
from codeagent_lsp.transport.remote import GOODBYE, Remote

if TYPE_CHECKING:
    from httpx2 import Response

SESSION, VERSION = "mcp-session-id", "mcp-protocol-version"
MODERN = "2026"
ACCEPT = f"application/json, {EVENTS}"

ORDERLY = 5.0
"""Seconds that later messages wait for the opening's last word to be taken."""

LINGER = 5.0
"""Seconds that an older server may still take over a request that it was told to cancel."""

IDEMPOTENT = (
    "ping",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
    "resources/read",
    "prompts/get",
    "completion/complete",
)
"""Requests that are sent again, once, when a server asks to wait. A tool call never is; nor is an opening, whose
failure is shown, and which is tried again anyway."""


class HttpTransport(Remote):
    """Streamable HTTP. See `Remote` for its life.

    `session_lost`: the server does not know the session any more, and a new one has to be opened.
    """

    kind: Literal["http"] = "http"

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.session_id: str | None = None
        self.session_lost = False
        self._version: str | None = None
        self._posts: dict[int | str, tuple[asyncio.Task[None], bool]] = {}

    async def _open(self, outgoing: Any) -> None:
        self.start(self._write(outgoing), "write")

    async def _write(self, outgoing: Any) -> None:
        async for item in outgoing:
            message = cast(JsonObject, item.message.model_dump(by_alias=True, mode="json", exclude_unset=True))
            headers: dict[str, str] = dict(getattr(item.metadata, "headers", None) or {})
            method, request_id = message.get("method"), message.get("id")
            if method == "notifications/cancelled" and self._cancel(message):
                continue
            if method == "initialize":
                self._version = None
            elif VERSION in {name.lower() for name in headers}:
                self._version = next(value for name, value in headers.items() if name.lower() == VERSION)
            self.messages.note_request(message)
            if method is not None and request_id is not None:
                task = self.start(self._exchange(message, headers), f"post {method}")
                self._posts[request_id] = (task, self._modern)
                task.add_done_callback(lambda _, key=request_id: self._posts.pop(key, None))
            else:
                task = self.start(self._notify(message, headers), f"post {method or 'answer'}")
            if method == "notifications/initialized":
                await asyncio.wait({task}, timeout=ORDERLY)
                if self.session_id is not None:
                    self.start(Listener(self).run(), "listen")

    @property
    def _modern(self) -> bool:
        return (self._version or "") >= MODERN

    @property
    def alive(self) -> bool:
        """Whether the session is open."""
        return self.session_id is not None and not self.session_lost and not self.ended

    def _cancel(self, message: JsonObject) -> bool:
        """Apply a cancellation; whether that was all: in the newer revisions, the end of the stream is the signal."""
        request_id = cast(JsonObject, message.get("params") or {}).get("requestId")
        task, modern = self._posts.get(cast("int | str", request_id), (None, self._modern))
        self.messages.forget(request_id)
        if task is not None:
            if modern:
                task.cancel()
            else:
                asyncio.get_running_loop().call_later(LINGER, task.cancel)
        return modern

    def _headers(self, more: dict[str, str]) -> dict[str, str]:
        """The protocol's headers of a request; `more` are those of one message."""
        headers = {"accept": ACCEPT, "content-type": "application/json"}
        if self.session_id is not None:
            headers[SESSION] = self.session_id
        if self._version is not None:
            headers[VERSION] = self._version
        return {**headers, **{name.lower(): value for name, value in more.items()}}

    def get(self, more: dict[str, str]) -> "AbstractAsyncContextManager[Response]":
        """Ask for a stream of events; `more` are headers."""
        headers = self._headers({**more, "accept": EVENTS})
        del headers["content-type"]
        return self.request("GET", self.url, headers={**headers, "cache-control": "no-store"})

    async def _notify(self, message: JsonObject, headers: dict[str, str]) -> None:
        with suppress(HostError):
            sent = self._headers(headers)
            async with self.request("POST", self.url, headers=sent, content=encode(message)) as response:
                if response.status_code >= 300:
                    failure = await read_refusal(self, response, None, None)
                    if failure is not None:
                        self.say(f"{message.get('method') or 'an answer'} was not taken: {failure.message}")

    async def _exchange(self, message: JsonObject, headers: dict[str, str]) -> None:
        request_id, method = cast("int | str", message["id"]), cast(str, message["method"])
        again = method in IDEMPOTENT
        try:
            while True:
                sent = self._headers(headers)
                async with self.request("POST", self.url, headers=sent, content=encode(message)) as response:
                    wait = retry_after(response) if response.status_code in (429, 503) else None
                    if not again or wait is None:
                        if method == "initialize" and response.status_code < 300:
                            self.session_id = response.headers.get(SESSION)
                        await read_answer(self, response, method, request_id)
                        return
                again = False
                await asyncio.sleep(wait)
        except HostError as error:
            await self.fail(request_id, error)

    def forgotten(self, status: int) -> HostError:
        """The server does not know the session any more: what that means for the request that found out."""
        error = SessionLost(
            "the server has forgotten the session, for instance because it was restarted; a new one is opened.",
            status=404,
            hint="Try again.",
        )
        self.session_lost = True
        self.lose(error)
        return error

    async def _leave(self) -> None:
        """End the session, as a courtesy; servers may refuse it (405)."""
        if self.session_id is None or self.session_lost or self.lost is not None or self.client is None:
            return
        headers = self._headers({})
        del headers["content-type"]
        with suppress(Exception):
            async with asyncio.timeout(GOODBYE):
                await self.client.request("DELETE", self.url, headers=headers)


def encode(message: JsonObject) -> bytes:
    """A message as it is posted: compact UTF-8 JSON, lone surrogates replaced."""
    return well_formed_text(json.dumps(message, ensure_ascii=False, separators=(",", ":"))).encode()

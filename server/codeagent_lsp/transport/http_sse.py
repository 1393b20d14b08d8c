"""A server over the older HTTP+SSE transport: one stream of events for all answers, a POST for each message.

Source: MCP 2024-11-05, "Transports / HTTP with SSE". The server names the URL to post to in its first event; it must be
of the origin that the user configured, or the messages, and the headers with them, would go to a stranger.
"""

import asyncio
from contextlib import suppress
from typing import Any, Literal, cast
from urllib.parse import urljoin, urlsplit

import anyio

from codeagent_lsp.errors import HostError, Transport
from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.transport.answers import EVENTS
from codeagent_lsp.transport.http import encode
from codeagent_lsp.transport.http_body import MAX_BODY, decoded
from codeagent_lsp.transport.http_client import shown_url
from codeagent_lsp.transport.http_errors import wrong_kind
from codeagent_lsp.transport.remote import Remote
from codeagent_lsp.transport.sse import Event, EventSplitter

ORDERLY = 5.0
"""Seconds that later messages wait for a notification to be taken."""


class SseTransport(Remote):
    """HTTP+SSE. See `Remote` for its life. The stream is the session: when it ends, the connection is lost."""

    kind: Literal["sse"] = "sse"

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._endpoint: str | None = None
        self._named = asyncio.Event()

    async def _open(self, outgoing: Any) -> None:
        self.start(self._listen(), "listen")
        await self._named.wait()
        if self._endpoint is None:
            raise self.failure(Transport("the stream of events could not be opened."))
        self.start(self._write(outgoing), "write")

    async def _listen(self) -> None:
        try:
            headers = {"accept": EVENTS, "cache-control": "no-store"}
            async with self.request("GET", self.url, headers=headers) as response:
                if response.status_code >= 300:
                    raise self.refused(response)
                if not response.headers.get("content-type", "").lower().startswith(EVENTS):
                    raise wrong_kind(response, "the request for a stream of events")
                splitter = EventSplitter(MAX_BODY)
                async for data in decoded(response):
                    for event in splitter.feed(data):
                        await self._take(event)
            raise Transport("ended its stream of events.")
        except HostError as error:
            self.lose(error)
        finally:
            self._named.set()

    async def _take(self, event: Event) -> None:
        if event.data is None:
            self.say(f"an event of more than {MAX_BODY:,} bytes was dropped.")
        elif event.name == "endpoint":
            endpoint = urljoin(self.url, event.data.decode("utf-8", "replace").strip())
            before, after = urlsplit(self.url), urlsplit(endpoint)
            if (before.scheme, before.hostname, before.port) != (after.scheme, after.hostname, after.port):
                raise Transport(
                    f"wants its messages sent to another place ({shown_url(endpoint)}), which is refused.",
                    hint="If that is the right server, put its URL into the config file.",
                    status=421,
                )
            # The user and password of the configured URL go along, as they do on a relative reference.
            self._endpoint = after._replace(netloc=before.netloc).geturl()
            self._named.set()
        elif event.data.lstrip()[:1] in (b"{", b"["):
            await self.deliver(self.messages.parse(event.data))

    async def _write(self, outgoing: Any) -> None:
        async for item in outgoing:
            message = cast(JsonObject, item.message.model_dump(by_alias=True, mode="json", exclude_unset=True))
            self.messages.note_request(message)
            method = str(message.get("method") or "answer")
            task = self.start(self._post(message, method), f"post {method}")
            if message.get("id") is None:
                await asyncio.wait({task}, timeout=ORDERLY)

    async def _post(self, message: JsonObject, method: str) -> None:
        request_id = message.get("id") if "method" in message else None
        headers = {"accept": "*/*", "content-type": "application/json"}
        try:
            assert self._endpoint is not None
            async with self.request("POST", self._endpoint, headers=headers, content=encode(message)) as response:
                if response.status_code >= 300:
                    raise self.refused(response)
        except HostError as error:
            if request_id is not None:
                await self.fail(request_id, error)
            else:
                self.say(f"{method} was not taken: {error.message}")

    async def close(self) -> None:
        """End the stream, and with it the session."""
        with suppress(anyio.ClosedResourceError):
            await super().close()

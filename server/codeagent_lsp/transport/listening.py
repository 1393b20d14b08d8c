"""The stream on which an older server says things unasked (MCP 2025-11-25, "Listening for Messages from the Server").

It is opened again as long as the session lives. What the server would have said in between is lost, unless it numbers
its events and keeps them; so after a gap the lists count as changed.
"""

import asyncio
import math
import time
from typing import TYPE_CHECKING

from codeagent_lsp.errors import HostError
from codeagent_lsp.transport.answers import EVENTS, Reading, read_events, read_refusal

if TYPE_CHECKING:
    from codeagent_lsp.transport.http import HttpTransport

SHORT = 5.0
"""Seconds; a stream that lives shorter is opened again less and less often."""

LONGEST_PAUSE = 30.0
QUIET = 30.0
"""Seconds that pass at least before a gap counts as a change again: some servers end the stream all the time."""

SHORTEST_PAUSE = 0.1

_CHANGED = [
    {"jsonrpc": "2.0", "method": f"notifications/{kind}/list_changed"} for kind in ("tools", "resources", "prompts")
]


class Listener:
    """Listens for one session until it ends. `run` never raises, short of cancellation."""

    def __init__(self, transport: "HttpTransport") -> None:
        self._transport = transport
        self._reading = Reading()
        self._missed = False
        self._told_at = -math.inf
        self._short = 0

    async def run(self) -> None:
        """Listen until the server refuses it, or the session is gone."""
        while self._transport.alive:
            started = time.monotonic()
            try:
                if not await self._listen():
                    return
            except HostError as error:
                self._missed = True
                self._transport.say(f"the listening stream broke, and is opened again: {error.message}")
            self._missed = self._missed or self._reading.last_id is None
            self._short = 0 if time.monotonic() - started >= SHORT else min(self._short + 1, 8)
            await asyncio.sleep(self._pause())

    def _pause(self) -> float:
        if self._reading.retry is not None and self._short < 5:
            return max(self._reading.pause, SHORTEST_PAUSE)
        return min(self._reading.pause * 2 ** max(0, self._short - 1), LONGEST_PAUSE)

    async def _listen(self) -> bool:
        """One stream, from its beginning to its end; false if there will be no other."""
        last = self._reading.last_id
        async with self._transport.get({"last-event-id": last} if last else {}) as response:
            if response.status_code == 404:
                await read_refusal(self._transport, response, None, None)
                return False
            if response.status_code >= 500:
                raise self._transport.refused(response)
            if response.status_code != 200 or not response.headers.get("content-type", "").startswith(EVENTS):
                return False  # it does not offer one
            if self._missed and time.monotonic() - self._told_at >= QUIET:
                self._missed, self._told_at = False, time.monotonic()
                await self._transport.deliver(list(_CHANGED))
            await read_events(self._transport, response, self._reading)
            return True

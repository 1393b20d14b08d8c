"""What is learned of servers' protocol eras: known at once, and written down together (many starts are one write)."""

from collections.abc import Callable, Coroutine
from typing import Any

import anyio

from codeagent_lsp.connection.house import Era
from codeagent_lsp.policy.store import Store

QUIET = 0.5
"""Seconds without news after which the news is written."""
GATHER = 5.0
"""Seconds over which news is gathered at most."""


class EraBook:
    """The eras of one host. `spawn` runs something in the background; when that is cancelled, the rest is written."""

    def __init__(self, store: Store, spawn: Callable[[Coroutine[Any, Any, None]], None]) -> None:
        self._store = store
        self._spawn = spawn
        self._news: dict[str, Era] = {}

    def era(self, fingerprint: str) -> Era | None:
        """The era that this launch spoke last time."""
        return self._news.get(fingerprint) or self._store.era(fingerprint)

    def learn_era(self, fingerprint: str, era: Era) -> None:
        """Remember it; costs nothing where it is known."""
        if self.era(fingerprint) == era:
            return
        self._news[fingerprint] = era
        if len(self._news) == 1:
            self._spawn(self._write_soon())

    async def _write_soon(self) -> None:
        try:
            with anyio.move_on_after(GATHER):
                known = 0
                while known < len(self._news):
                    known = len(self._news)
                    await anyio.sleep(QUIET)
        finally:
            news, self._news = self._news, {}
            self._store.learn_eras(news)

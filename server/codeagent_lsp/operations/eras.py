"""What is learned of servers' protocol eras: known at once, and written down together (many starts are one write)."""

from collections.abc import Callable, Coroutine
from typing import Any

import anyio

from codeagent_lsp.connection.house import Era
from codeagent_lsp.policy.store import Store

GATHER = 5.0
"""Seconds over which news is gathered."""


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
            await anyio.sleep(GATHER)
        finally:
            news, self._news = self._news, {}
            self._store.learn_eras(news)

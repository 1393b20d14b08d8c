"""Has the client ask again for what it shows over texts, once for many changes, and never twice at the same time."""

from collections.abc import Awaitable, Callable, Collection, Coroutine
from typing import Any

import anyio

PAUSE = 0.2
"""Seconds over which changes are gathered."""


class Refreshing:
    """`ask` sends `workspace/KIND/refresh` and returns when it was answered, or was not for long; `kinds`: those that
    the client takes."""

    def __init__(self, ask: Callable[[str], Awaitable[None]], kinds: Collection[str]) -> None:
        self._ask = ask
        self._kinds = kinds
        self._wanted: set[str] = set()
        self._busy = False

    def mark(self, kind: str, spawn: Callable[[Coroutine[Any, Any, None]], None]) -> None:
        """What the client shows of this kind is out of date."""
        if kind not in self._kinds:
            return
        self._wanted.add(kind)
        if not self._busy:
            self._busy = True
            spawn(self._run())

    async def _run(self) -> None:
        try:
            while self._wanted:
                await anyio.sleep(PAUSE)
                wanted, self._wanted = sorted(self._wanted), set[str]()
                for kind in wanted:
                    await self._ask(kind)
        finally:
            self._busy = False

"""How long a request may take: a bound that progress moves on, and that stands still while the user is asked."""

import math
from collections.abc import Generator
from contextlib import contextmanager

import anyio

HARD_LIMIT = 600.0
"""Seconds that no request outlives, whatever its progress."""


class Bound:
    """The bound of one running request. `seconds` is what it may take without a sign of life."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.scope = anyio.CancelScope(deadline=anyio.current_time() + min(seconds, HARD_LIMIT))
        self._end = anyio.current_time() + max(HARD_LIMIT, seconds)
        self._left: float | None = None

    def extend(self) -> None:
        """A sign of life: the bound begins anew, within the hard limit."""
        if self._left is None:
            self.scope.deadline = min(anyio.current_time() + self.seconds, self._end)

    def pause(self) -> None:
        """Stand still: the user is thinking."""
        if self._left is None:
            self._left = self.scope.deadline - anyio.current_time()
            self.scope.deadline = math.inf

    def resume(self) -> None:
        """Go on with the time that was left."""
        if self._left is not None:
            self.scope.deadline = anyio.current_time() + self._left
            self._left = None


class RequestClock:
    """The running requests of one session, which stand still together."""

    def __init__(self) -> None:
        self._bounds: set[Bound] = set()
        self._paused = 0

    @contextmanager
    def bound(self, seconds: float) -> Generator[Bound]:
        """Bound what runs inside; `scope.cancelled_caught` tells afterwards whether the bound was hit."""
        bound = Bound(seconds)
        self._bounds.add(bound)
        if self._paused:
            bound.pause()
        try:
            with bound.scope:
                yield bound
        finally:
            self._bounds.discard(bound)

    @contextmanager
    def paused(self) -> Generator[None]:
        """Let every running request stand still while the user is asked."""
        self._paused += 1
        for bound in self._bounds:
            bound.pause()
        try:
            yield
        finally:
            self._paused -= 1
            if not self._paused:
                for bound in self._bounds:
                    bound.resume()

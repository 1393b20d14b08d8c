"""Small things that tasks wait for: the loss of a connection, a start slot, the first of several events."""

from types import TracebackType
from typing import cast

import anyio

from codeagent_lsp.errors import HostError

EXIT_STATUS_WAIT = 1.0
"""Seconds to wait for the reason of a loss: a pipe closes before its process's exit status is there."""


class Flag:
    """An event, set once, of which several can be waited for together without a task for each (see `first_of`)."""

    def __init__(self) -> None:
        self._set = False
        self.bells: set[anyio.Event] = set()
        """What is rung when it is set: one for each that waits."""

    def set(self) -> None:
        """From now on nobody waits for it any more."""
        self._set = True
        for bell in self.bells:
            bell.set()

    def is_set(self) -> bool:
        """Whether it has been set."""
        return self._set

    async def wait(self) -> None:
        """Return as soon as it is set."""
        await first_of(self)


async def first_of(*flags: Flag) -> None:
    """Wait until one of the flags is set."""
    if any(flag.is_set() for flag in flags):
        return
    bell = anyio.Event()
    for flag in flags:
        flag.bells.add(bell)
    try:
        await bell.wait()
    finally:
        for flag in flags:
            flag.bells.discard(bell)


class Lost:
    """Set once, with the reason, when a transport is gone."""

    def __init__(self) -> None:
        self.event = Flag()
        self.failure: HostError | None = None

    def set(self, failure: HostError) -> None:
        """The first reason counts."""
        if self.failure is None:
            self.failure = failure
        self.event.set()


class StartSlot:
    """A place among the servers that may be on their way up at the same time; left early with `leave`."""

    def __init__(self, slots: anyio.Semaphore) -> None:
        self._slots = slots
        self._held = False

    async def __aenter__(self) -> "StartSlot":
        await self._slots.acquire()
        self._held = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()

    def leave(self) -> None:
        """Make room for the next server."""
        if self._held:
            self._held = False
            self._slots.release()


def unwrapped(error: Exception) -> Exception:
    """The one error inside the groups that task groups put around it; a group of several stays one."""
    found: Exception = error
    while isinstance(found, ExceptionGroup) and len(inner := cast("ExceptionGroup[Exception]", found).exceptions) == 1:
        found = inner[0]
    return cast(Exception, found)

"""The values of `${input:id}`: asked once, kept in the system keyring, or for this session where there is none."""

import logging
from collections.abc import Callable
from typing import Protocol

import anyio
import anyio.to_thread

log = logging.getLogger(__name__)

SERVICE = "codeagent-lsp"
KEYRING_LIMIT = 2.0
"""Seconds that a locked keyring may take before we go on without it."""


class Keyring(Protocol):
    """The part of the `keyring` package's interface that is used."""

    def get_password(self, service: str, username: str) -> str | None:
        """The secret, or `None`."""

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep the secret."""


class Inputs:
    """The known values by id. `keyring` opens the system's keyring, which may take long or fail."""

    def __init__(self, keyring: Callable[[], Keyring]) -> None:
        self.values: dict[str, str] = {}
        self._keyring = keyring

    async def recall(self, name: str) -> str | None:
        """A value that was kept in an earlier session."""
        found: list[str | None] = []
        await self._bounded(lambda: found.append(self._keyring().get_password(SERVICE, f"input:{name}")))
        return found[0] if found else None

    async def remember(self, name: str, value: str) -> None:
        """Keep a value beyond this session, where the system can."""
        await self._bounded(lambda: self._keyring().set_password(SERVICE, f"input:{name}", value))

    async def _bounded(self, work: Callable[[], object]) -> None:
        try:
            with anyio.move_on_after(KEYRING_LIMIT):
                await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
        except Exception as error:  # noqa: BLE001 - whatever the system's keyring does, the session goes on
            log.warning(
                "the system keyring cannot be used (%s); values are kept for this session", type(error).__name__
            )

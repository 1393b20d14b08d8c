"""When a server that went down is started again, and when not."""

import random
from collections import deque
from collections.abc import Callable

from codeagent_lsp.errors import Exited, HostError, Protocol, SpawnFailed, TooLarge, Transport
from codeagent_lsp.transport.deaths import retryable

STABLE_AFTER = 60.0
"""Seconds of life after which earlier crashes are forgotten."""
CRASH_WINDOW = 180.0
"""Seconds in which `MAX_CRASHES` crashes end the attempts."""
MAX_CRASHES = 5
FIRST_DELAY = 0.5
MAX_DELAY = 30.0
MAX_REMOTE_DELAY = 60.0
"""A remote server is tried for ever, at most this many seconds apart: an outage ends without our doing."""


class Backoff:
    """The restarts of one server: 0.5 s to 30 s apart with 20 % jitter; 5 crashes in 3 minutes end it.

    `clock` is monotonic, in seconds. `remote` servers never run out of attempts.
    """

    def __init__(
        self, *, remote: bool, clock: Callable[[], float], jitter: Callable[[], float] = random.random
    ) -> None:
        self._remote = remote
        self._clock = clock
        self._jitter = jitter
        self._crashes: deque[float] = deque()
        self._streak = 0

    def after(self, failure: HostError, lived: float, *, came_up: bool = True) -> float | None:
        """Seconds to wait before the next start after `lived` seconds of life, or `None` for no further start.

        `came_up`: it had been ready. A program that cannot be talked to at all will be no other the next time.
        """
        if not self._may_pass(failure) or (isinstance(failure, Protocol) and not came_up and not self._remote):
            return None
        if lived >= STABLE_AFTER:
            self._crashes.clear()
            self._streak = 0
        self.note_crash()
        if not self._remote and len(self._crashes) >= MAX_CRASHES:
            return None
        delay = min(FIRST_DELAY * 2**self._streak, MAX_REMOTE_DELAY if self._remote else MAX_DELAY)
        self._streak = min(self._streak + 1, 16)
        return delay * (0.8 + 0.4 * self._jitter())

    def note_crash(self) -> None:
        """Count a crash that is followed by a start at once."""
        now = self._clock()
        self._crashes.append(now)
        while self._crashes and self._crashes[0] <= now - CRASH_WINDOW:
            self._crashes.popleft()

    @property
    def exhausted(self) -> bool:
        """Whether the last `None` came from too many crashes."""
        return not self._remote and len(self._crashes) >= MAX_CRASHES

    def _may_pass(self, failure: HostError) -> bool:
        if isinstance(failure, Transport):
            if failure.final:
                return False
            return failure.status is None or failure.status in (404, 408, 425, 429) or failure.status >= 500
        if isinstance(failure, SpawnFailed):
            return retryable(failure)
        return isinstance(failure, Exited | TooLarge | Protocol) or failure.kind == "notReady"

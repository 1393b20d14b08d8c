"""No orphans: a small second process that ends the servers' process groups if this one dies without doing so.

A process that is killed with SIGKILL cannot clean up after itself, and most servers do not notice that their client
is gone. The guardian does: it holds the other end of a pipe. It is started with the first server, started again if it
dies, and costs one idle Python without imports.
"""

import asyncio
import logging
import os
import subprocess
import sys
import time
import uuid
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

log = logging.getLogger(__name__)

TOKEN_VARIABLE = "CODEAGENT_HOST_TOKEN"
"""The environment variable that every server is started with, so that its strays can be told from others."""

MAX_STARTS = 5
PER_SECONDS = 30.0
"""A guardian that dies more often than that has an enemy, and is not started again."""


class Reaper:
    """Registers process groups with the guardian. Everything here returns at once, and nothing raises."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.token = uuid.uuid4().hex
        self._clock = clock
        self._groups: set[int] = set()
        self._guardian: subprocess.Popen[bytes] | None = None
        self._starts: deque[float] = deque(maxlen=MAX_STARTS)
        self._closed = False
        self._marks = 0

    @property
    def pid(self) -> int | None:
        """The guardian's process id, while there is one."""
        return self._guardian.pid if self._guardian is not None else None

    def mark(self) -> str:
        """A value for `TOKEN_VARIABLE` that no other process has: the next server's."""
        self._marks += 1
        return f"{self.token}.{self._marks};"

    def prepare(self) -> str:
        """The mark of a server that is about to be started, by which a guardian finds it from the beginning."""
        if self._guardian is None:
            self._start()
        return self.mark()

    def add(self, pgid: int) -> None:
        """From now on this group dies with us. Call it right after the spawn, on the event loop."""
        self._groups.add(pgid)
        if self._guardian is None:
            self._start()
        else:
            self._tell(f"+{pgid}\n")

    def drop(self, pgid: int) -> None:
        """This group is gone, and its number may soon be somebody else's."""
        if pgid in self._groups:
            self._groups.discard(pgid)
            self._tell(f"-{pgid}\n")

    def close(self) -> None:
        """We are going. The guardian ends what is still registered, and then itself."""
        self._closed = True
        self._forget()

    def _start(self) -> None:
        now = self._clock()
        if self._closed or (len(self._starts) == MAX_STARTS and now - self._starts[0] < PER_SECONDS):
            return
        self._starts.append(now)
        try:
            self._guardian = subprocess.Popen(
                [sys.executable, "-I", "-S", str(Path(__file__).with_name("guardian.py")), self.token],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            log.warning("no guardian: servers may survive if this process is killed (%s)", error)
            return
        assert self._guardian.stdin is not None and self._guardian.stdout is not None
        os.set_blocking(self._guardian.stdin.fileno(), False)
        # It never writes: its standard output only ever ends, when it dies.
        asyncio.get_running_loop().add_reader(self._guardian.stdout.fileno(), self._died)
        self._tell("".join(f"+{pgid}\n" for pgid in sorted(self._groups)))

    def _died(self) -> None:
        self._forget()
        if self._groups and not self._closed:
            log.warning("the guardian of the servers was killed; another one is started")
            self._start()

    def _tell(self, text: str) -> None:
        if self._guardian is None or self._guardian.stdin is None:
            return
        try:
            os.write(self._guardian.stdin.fileno(), text.encode())
        except BlockingIOError:
            log.warning("the guardian of the servers does not listen")
        except OSError:
            self._died()

    def _forget(self) -> None:
        guardian, self._guardian = self._guardian, None
        if guardian is None:
            return
        if guardian.stdout is not None:
            with suppress(RuntimeError, OSError):
                asyncio.get_running_loop().remove_reader(guardian.stdout.fileno())
            guardian.stdout.close()
        if guardian.stdin is not None:
            with suppress(OSError):
                guardian.stdin.close()
        guardian.poll()

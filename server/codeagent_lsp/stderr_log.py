"""Logging to standard error that never waits: an editor that does not read its server's stderr loses lines, no time."""

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable

from codeagent_lsp.redaction import Redactor

_MAX_LINES = 1000


class StderrHandler(logging.Handler):
    """Writes from a thread of its own, started by the first line; drops the oldest line where too many wait.

    `clean` redacts every line that is written, tracebacks included; until it is set, by patterns alone.
    """

    def __init__(self, fd: int = 2, clean: Callable[[str], str] | None = None) -> None:
        super().__init__()
        self.clean = clean
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        self._fd = fd
        self._lines: deque[str] = deque(maxlen=_MAX_LINES)
        self._work = threading.Event()
        self._idle = threading.Event()
        self._idle.set()
        self._thread: threading.Thread | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Queue one record."""
        try:
            line = self.format(record)
        except Exception:  # noqa: BLE001 - a log line is never worth a failure
            return
        self._idle.clear()
        self._lines.append(line)
        if self._thread is None:
            self._thread = threading.Thread(target=self._write, name="stderr", daemon=True)
            self._thread.start()
        self._work.set()

    def drain(self, seconds: float) -> None:
        """Wait until every line is written, at most `seconds`."""
        deadline = time.monotonic() + seconds
        while not self._idle.wait(0.01) and time.monotonic() < deadline:
            pass

    def _write(self) -> None:
        while True:
            self._work.wait()
            self._work.clear()
            while self._lines:
                self.clean = self.clean or Redactor().clean
                try:
                    line = self.clean(self._lines.popleft())
                    os.write(self._fd, line.encode("utf-8", "replace") + b"\n")
                except OSError:
                    self._lines.clear()
                except Exception:  # noqa: BLE001 - what cannot be redacted is not written
                    continue
            if not self._work.is_set():
                self._idle.set()


def start_logging(level: str) -> StderrHandler:
    """Send all logging to standard error from `level` on.

    pygls stays at warnings: below, it writes whole messages, and they hold secrets.
    """
    handler = StderrHandler()
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    logging.getLogger("pygls").setLevel(max(logging.WARNING, logging.getLogger().level))
    logging.captureWarnings(True)
    return handler

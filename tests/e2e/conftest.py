"""What holds for every end-to-end test: the host's own log tells of no exception."""

import gc
import logging
from collections.abc import Iterator

import pytest


class _Failures(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(self.format(record))


@pytest.fixture(autouse=True)
def host_log() -> Iterator[list[str]]:
    """The errors in the log of a host in this process. A test that expects some empties the list itself."""
    handler = _Failures()
    watched = [logging.getLogger(name) for name in ("codeagent_lsp", "asyncio")]
    for logger in watched:
        logger.addHandler(handler)
    gc.freeze()  # what is there before the test need not be looked at after it
    yield handler.found
    gc.collect()  # a task whose exception nobody took says so when it goes
    for logger in watched:
        logger.removeHandler(handler)
    assert handler.found == []

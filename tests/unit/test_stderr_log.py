"""The log: whole, redacted, and never a reason to wait."""

import contextlib
import logging
import os
import time
from collections.abc import Iterator

import pytest

from codeagent_lsp.stderr_log import StderrHandler


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    read, write = os.pipe()
    yield read, write
    for fd in (read, write):
        with contextlib.suppress(OSError):
            os.close(fd)


def logger(handler: StderrHandler) -> logging.Logger:
    log = logging.Logger("test", logging.DEBUG)
    log.addHandler(handler)
    return log


def test_a_line_says_when_how_bad_and_where(pipe: tuple[int, int]) -> None:
    handler = StderrHandler(pipe[1])
    logger(handler).warning("a %s", "line")
    handler.drain(2)
    assert os.read(pipe[0], 1000).endswith(b" WARNING test: a line\n")


def test_a_log_that_nobody_reads_costs_no_time_and_loses_the_oldest_lines(pipe: tuple[int, int]) -> None:
    handler = StderrHandler(pipe[1])
    log = logger(handler)
    begun = time.monotonic()
    for number in range(5000):
        log.warning("%s %d", "x" * 100, number)
    assert time.monotonic() - begun < 2
    handler.drain(0.05)
    assert time.monotonic() - begun < 3
    assert len(handler._lines) <= 1000
    assert handler._lines[-1].endswith(" 4999")


def test_every_line_is_redacted_and_so_is_its_traceback(pipe: tuple[int, int]) -> None:
    handler = StderrHandler(pipe[1], clean=lambda text: text.replace("hunter2", "***"))
    try:
        raise ValueError("the password is hunter2")
    except ValueError:
        logger(handler).exception("failed with %s", "hunter2")
    handler.drain(2)
    written = os.read(pipe[0], 100_000)
    assert b"hunter2" not in written
    assert b"failed with ***" in written
    assert b"ValueError: the password is ***" in written
    assert b"Traceback" in written


def test_well_known_tokens_are_redacted_without_being_told(pipe: tuple[int, int]) -> None:
    handler = StderrHandler(pipe[1])
    logger(handler).error("Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789")
    handler.drain(2)
    assert b"abcdefghijklmnop" not in os.read(pipe[0], 1000)


@pytest.mark.parametrize("text", ["lone \ud800 surrogate", "\x00", "é😀", ""])
def test_any_text_can_be_logged(pipe: tuple[int, int], text: str) -> None:
    handler = StderrHandler(pipe[1])
    logger(handler).error("%s", text)
    logger(handler).error("%d", text)  # a mistake in the call itself
    logger(handler).error("after")
    handler.drain(2)
    assert os.read(pipe[0], 1000).endswith(b"after\n")


def test_a_closed_stream_is_no_failure(pipe: tuple[int, int]) -> None:
    os.close(pipe[0])
    handler = StderrHandler(pipe[1])
    logger(handler).error("x")
    logger(handler).error("y")
    handler.drain(1)
    assert not handler._lines


def test_a_line_that_cannot_be_redacted_is_not_written(pipe: tuple[int, int]) -> None:
    def clean(text: str) -> str:
        if "secret" in text:
            raise ValueError(text)
        return text

    handler = StderrHandler(pipe[1], clean)
    logger(handler).error("secret")
    logger(handler).error("after")
    handler.drain(2)
    written = os.read(pipe[0], 1000)
    assert b"secret" not in written
    assert written.endswith(b"after\n")

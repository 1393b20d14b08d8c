"""Chatter on standard output is shown, but not all of it; nothing but chatter is no MCP server."""

import pytest

from codeagent_lsp.transport.garbage import HOPELESS_BYTES, HOPELESS_LINES, PER_MINUTE, GarbageLog
from codeagent_lsp.transport.messages import Counts


class Recorder:
    def __init__(self) -> None:
        self.now = 100.0
        self.said: list[str] = []
        self.log = GarbageLog(self.said.append, clock=lambda: self.now)


def test_twenty_lines_a_minute_are_shown_and_the_others_counted() -> None:
    recorder = Recorder()
    for number in range(1000):
        recorder.log.add(b"line %d" % number)
    assert len(recorder.said) == PER_MINUTE
    recorder.now += 61
    recorder.log.add(b"later")
    assert recorder.said[PER_MINUTE:] == [
        f"{1000 - PER_MINUTE} more lines on standard output were not messages.",
        "not a message on standard output: later",
    ]


def test_the_first_line_says_where_logs_belong() -> None:
    recorder = Recorder()
    recorder.log.add(b"\x1b[1mServer ready")
    recorder.log.add(b"again")
    assert "logs belong on standard error" in recorder.said[0] and "\x1b" not in recorder.said[0]
    assert "logs belong" not in recorder.said[1]


@pytest.mark.parametrize(
    "counts", [Counts(0, HOPELESS_LINES, 5000), Counts(0, 3, HOPELESS_BYTES), Counts(0, 5 * HOPELESS_LINES, 10**7)]
)
def test_nothing_but_chatter_for_long_enough_is_hopeless(counts: Counts) -> None:
    recorder = Recorder()
    recorder.log.add(b"x")
    assert recorder.log.verdict(counts) is None
    recorder.now += 1.6
    verdict = recorder.log.verdict(counts)
    assert verdict is not None and verdict.kind == "protocol"


@pytest.mark.parametrize("counts", [Counts(1, 10**6, 10**9), Counts(0, 10, 100), Counts()])
def test_a_server_that_has_spoken_may_chatter(counts: Counts) -> None:
    recorder = Recorder()
    recorder.log.add(b"x")
    recorder.now += 1000
    assert recorder.log.verdict(counts) is None


def test_too_much_at_once_is_hopeless_at_once() -> None:
    recorder = Recorder()
    recorder.log.add(b"x")
    assert recorder.log.verdict(Counts(0, 10**6, 100 << 20)) is not None

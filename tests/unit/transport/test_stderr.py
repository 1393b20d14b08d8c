"""Standard error is shown line by line; a flood is counted, and its end is still seen."""

import time

from codeagent_lsp.transport.stderr import BURST, StderrLines


class Recorder:
    def __init__(self) -> None:
        self.now = 0.0
        self.lines: list[str] = []
        self.stderr = StderrLines(self.lines.append, clock=lambda: self.now)


def test_lines_are_shown_as_they_come() -> None:
    recorder = Recorder()
    recorder.stderr.feed(b"one\ntw")
    recorder.stderr.feed(b"o\r\ncaf\xe9\nlast")
    assert recorder.lines == ["one", "two", "caf\ufffd"]
    recorder.stderr.close()
    assert recorder.lines[-1] == "last"


def test_a_long_line_is_cut_and_says_how_long_it_was() -> None:
    recorder = Recorder()
    recorder.stderr.feed(b"x" * 1_000_000)
    assert recorder.lines == []
    recorder.stderr.close()
    (line,) = recorder.lines
    assert line.startswith("xxx") and line.endswith("… [a line of 1,000,000 bytes]") and len(line) < 20_000


def test_a_flood_is_counted_and_its_last_lines_are_shown() -> None:
    recorder = Recorder()
    recorder.stderr.feed(b"".join(b"line %d\n" % number for number in range(10_000)))
    assert len(recorder.lines) == BURST and recorder.stderr.holding
    recorder.stderr.feed(b"".join(b"more %d\n" % number for number in range(10_000)))
    recorder.stderr.feed(b"the reason\nhalf a line")
    recorder.stderr.close()
    assert recorder.lines[BURST] == f"… [{20_002 - BURST - 5:,} lines were left out]"
    assert recorder.lines[BURST + 1 :] == ["more 9997", "more 9998", "more 9999", "the reason", "half a line"]
    assert not recorder.stderr.holding


def test_after_a_flood_lines_are_shown_again() -> None:
    recorder = Recorder()
    recorder.stderr.feed(b"x\n" * 5_000)
    recorder.now = 60.0
    recorder.stderr.feed(b"calm\n")
    assert recorder.lines[-1] == "calm" and recorder.lines[BURST].startswith("… [")


def test_a_flood_costs_next_to_nothing() -> None:
    for block in (b"y\n" * 32768, b"x" * 65536, b"\n" * 65536, (b"x" * 79 + b"\n") * 800):
        recorder = Recorder()
        started = time.perf_counter()
        for _ in range(1000):
            recorder.stderr.feed(block)
        assert time.perf_counter() - started < 3, block[:10]
        assert len(recorder.lines) <= BURST + 10

"""Lines come out whole, in linear time, and too long ones leave their ends behind."""

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from codeagent_lsp.transport.lines import HEAD, LineSplitter, Oversized


def feed(splitter: LineSplitter, *chunks: bytes) -> list[bytes | Oversized]:
    return [line for chunk in chunks for line in splitter.feed(chunk)]


def test_only_a_line_feed_ends_a_line() -> None:
    text = "a\u2028b\u0085c\r\x0b\x0c\x1cd".encode()
    assert feed(LineSplitter(100), text + b"\n" + b"\n") == [text, b""]


def test_a_line_may_come_in_pieces_and_the_last_needs_no_end() -> None:
    splitter = LineSplitter(100)
    assert feed(splitter, b"a", b"b\nc", b"d") == [b"ab"]
    assert splitter.size == 2 and splitter.rest() == b"cd" and splitter.rest() is None


def test_a_line_at_the_limit_is_whole_and_one_above_is_not() -> None:
    assert feed(LineSplitter(5), b"12345\n123456\n1\n") == [b"12345", Oversized(b"123456", b"123456", 6), b"1"]


def test_both_ends_of_a_long_line_are_kept_however_it_comes() -> None:
    line = bytes(range(32, 127)) * 1000
    for size in (1000, 7919, len(line)):
        splitter = LineSplitter(10_000)
        chunks = [line[start : start + size] for start in range(0, len(line), size)]
        assert feed(splitter, *chunks, b"\n") == [Oversized(line[:HEAD], line[-HEAD:], len(line))]


def test_a_line_that_is_too_long_is_known_before_it_ends() -> None:
    splitter = LineSplitter(10)
    assert feed(splitter, b"x" * 9) == [] and splitter.over is None
    assert feed(splitter, b"x" * 9) == [] and splitter.over == Oversized(b"x" * 18, b"x" * 18, 18)


def test_memory_and_time_stay_bounded_for_a_line_without_end() -> None:
    splitter = LineSplitter(1 << 20)
    started = time.perf_counter()
    for _ in range(2000):
        assert feed(splitter, b"x" * 65536) == []
    assert time.perf_counter() - started < 2
    assert len(splitter.over.head) == len(splitter.over.tail) == HEAD  # type: ignore[union-attr]


@settings(deadline=None, max_examples=200)
@given(st.lists(st.binary(max_size=30)), st.integers(1, 40))
def test_splitting_agrees_with_bytes_split(chunks: list[bytes], limit: int) -> None:
    splitter = LineSplitter(limit, keep=1000)
    lines: list[bytes | Oversized | None] = [*feed(splitter, *chunks), splitter.rest()]
    whole = [line.tail if isinstance(line, Oversized) else line or b"" for line in lines]
    assert whole == b"".join(chunks).split(b"\n")

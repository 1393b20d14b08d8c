"""Events come out of a stream as the standard reads them, and one that is too large costs only itself."""

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from codeagent_lsp.transport.sse import Event, EventSplitter


def events(data: bytes, limit: int = 10_000, step: int | None = None) -> list[Event]:
    splitter = EventSplitter(limit)
    pieces = [data] if step is None else [data[start : start + step] for start in range(0, len(data), step)]
    return [event for piece in pieces for event in splitter.feed(piece)]


def test_an_event_has_name_data_id_and_retry() -> None:
    assert events(b"event: message\nid: 5\nretry: 100\ndata: a\ndata:b\n\n") == [Event(b"a\nb", "message", "5", 100)]


def test_line_ends_of_every_kind_end_lines_and_nothing_else_does() -> None:
    text = "data: a\u2028b\u0085c".encode()
    for end in (b"\n", b"\r\n", b"\r"):
        for step in (None, 1, 2, 3):
            assert events(text + end + end + b"data: x" + end + end, step=step) == [Event(text[6:]), Event(b"x")]


def test_comments_unknown_fields_and_a_byte_order_mark_are_ignored() -> None:
    assert events(b"\xef\xbb\xbfdata: a\n: hello\nfoo: bar\nfoo\n:\n\n\n\n: x\n\n") == [Event(b"a")]


def test_an_event_without_data_may_still_carry_an_id_or_a_retry() -> None:
    assert events(b"id: 1\ndata:\n\n") == [Event(b"", "message", "1")]
    assert events(b"retry: 50\n\nretry: no\n\nid: a\0b\n\nevent: x\n\n") == [Event(b"", "message", None, 50)]


def test_an_event_that_is_not_ended_is_not_an_event() -> None:
    assert events(b"data: a\n") == []


def test_an_event_above_the_limit_is_dropped_and_the_next_one_arrives() -> None:
    for step in (None, 7, 100):
        found = events(b"id: 1\ndata: " + b"x" * 2_000 + b"\n\ndata: ok\n\n", limit=1_000, step=step)
        assert found == [Event(None, "message", "1"), Event(b"ok")]
    many = b"data: x\n" * 2_000 + b"\ndata: ok\n\n"
    assert events(many, limit=1_000) == [Event(None), Event(b"ok")]


def test_a_stream_that_is_kept_open_by_comments_is_never_too_large() -> None:
    assert events(b": keep alive\n" * 100_000 + b"data: ok\n\n", limit=1_000, step=1_000) == [Event(b"ok")]


def test_memory_and_time_stay_bounded_without_any_line_end() -> None:
    splitter = EventSplitter(1 << 20)
    started = time.perf_counter()
    for _ in range(2_000):
        assert list(splitter.feed(b"x" * 65_536)) == []
    assert time.perf_counter() - started < 2


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.sampled_from([b"data: a", b"data", b"id: 1", b"\n", b"\r\n", b"\r", b":", b"event: e", b"\xff", b" "]))
)
def test_how_the_bytes_are_cut_makes_no_difference(parts: list[bytes]) -> None:
    data = b"".join(parts)
    whole = events(data)
    assert all(events(data, step=step) == whole for step in (1, 2, 5))

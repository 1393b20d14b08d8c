"""What waits for an editor that does not read: superseded, dropped, or kept, and never waited for."""

from typing import Any

import pytest

from codeagent_lsp.rpc.outbox import Fate, Outbox, fate


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def outbox(clock: Clock | None = None, **bounds: int) -> Outbox:
    return Outbox(lambda: None, clock=clock or Clock(), **bounds)


def drained(box: Outbox) -> list[bytes]:
    return list(iter(box.pop, None))


LOG = Fate(None, True)


def test_messages_leave_in_the_order_they_came() -> None:
    box = outbox()
    for number in range(5):
        box.put(b"%d" % number)
    assert drained(box) == [b"0", b"1", b"2", b"3", b"4"]
    assert box.empty


def test_a_superseded_message_is_replaced_and_the_later_one_keeps_its_place_in_time() -> None:
    box = outbox()
    box.put(b"progress 1", Fate("token"))
    box.put(b"response")
    box.put(b"progress 2", Fate("token"))
    box.put(b"other", Fate("other token"))
    assert drained(box) == [b"response", b"progress 2", b"other"]


def test_a_message_that_has_left_is_not_superseded() -> None:
    box = outbox()
    box.put(b"1", Fate("key"))
    assert box.pop() == b"1"
    box.put(b"2", Fate("key"))
    assert drained(box) == [b"2"]


def test_over_the_count_the_oldest_droppable_go_and_responses_stay() -> None:
    box = outbox(max_messages=3)
    for number in range(10):
        box.put(b"log %d" % number, LOG)
        box.put(b"response %d" % number)
    assert [item for item in drained(box) if item.startswith(b"response")] == [b"response %d" % n for n in range(10)]


def test_over_the_bytes_the_oldest_droppable_go_and_responses_stay() -> None:
    box = outbox(max_bytes=1000)
    box.put(b"r" * 900)
    for number in range(10):
        box.put(b"%d" % number * 60, LOG)
    box.put(b"s" * 5000)
    assert drained(box) == [b"r" * 900, b"s" * 5000]


def test_the_newest_droppable_are_the_ones_that_are_kept() -> None:
    box = outbox(max_messages=3)
    for number in range(10):
        box.put(b"%d" % number, LOG)
    assert drained(box) == [b"7", b"8", b"9"]


def test_memory_stays_bounded_under_a_flood_of_droppable_messages() -> None:
    box = outbox(max_messages=100)
    for number in range(10_000):
        box.put(b"x" * 100, Fate(("progress", number), True))
    assert len(box._waiting) == len(box._by_key) == len(box._droppable) == 100


@pytest.mark.parametrize("what", [Fate(), LOG])
def test_an_editor_that_does_not_read_is_noticed_only_when_the_queue_is_full(what: Fate) -> None:
    clock = Clock()
    box = outbox(clock, max_messages=5)
    for number in range(4):
        box.put(b"%d" % number, what)
    clock.now += 1000
    assert box.stuck_for() == 0
    for number in range(4):
        box.put(b"%d" % number, what)
    clock.now += 59
    assert box.stuck_for() == pytest.approx(59)
    box.put(b"more", what)
    clock.now += 1
    assert box.stuck_for() == pytest.approx(60)


def test_a_slow_editor_is_not_stuck() -> None:
    clock = Clock()
    box = outbox(clock, max_messages=5)
    for number in range(20):
        box.put(b"%d" % number)
    for _ in range(10):
        clock.now += 50
        box.progressed()
        clock.now += 5
        assert box.stuck_for() == pytest.approx(5)
    drained(box)
    clock.now += 1000
    assert box.stuck_for() == 0


def notification(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


REPORT = {"kind": "report", "message": "x"}


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 0, "result": None},
        {"jsonrpc": "2.0", "id": "x", "error": {"code": 1, "message": ""}},
        {"jsonrpc": "2.0", "id": 5, "method": "codeagent/approveCall", "params": {}},
        {"jsonrpc": "2.0", "id": 5, "method": "window/logMessage", "params": {}},
        notification("$/progress", token="t", value={"kind": "begin"}),
        notification("$/progress", token="t", value={"kind": "end"}),
        notification("codeagent/toolsChanged", server="s", added=["a"], removed=[], changed=[]),
        notification("codeagent/resourceUpdated", server="s", uri="u"),
        notification("window/showMessage", type=1, message="x"),
        notification("$/cancelRequest", id=1),
        {"jsonrpc": "2.0", "method": "window/logMessage"},
    ],
)
def test_a_message_that_must_arrive_has_no_other_fate(message: dict[str, Any]) -> None:
    assert fate(message) == Fate()


@pytest.mark.parametrize(
    ("first", "second", "superseded"),
    [
        (
            notification("$/progress", token="t", value=REPORT),
            notification("$/progress", token="t", value=REPORT),
            True,
        ),
        (notification("$/progress", token="t", value=REPORT), notification("$/progress", token=1, value=REPORT), False),
        (
            notification("codeagent/statusChanged", revision=1, servers=[{"server": "a"}, {"server": "b"}]),
            notification("codeagent/statusChanged", revision=2, servers=[{"server": "a"}, {"server": "b"}]),
            True,
        ),
        (
            notification("codeagent/statusChanged", revision=1, servers=[{"server": "a"}]),
            notification("codeagent/statusChanged", revision=2, servers=[{"server": "b"}]),
            False,
        ),
        (
            notification("textDocument/publishDiagnostics", uri="a", diagnostics=[1]),
            notification("textDocument/publishDiagnostics", uri="a", diagnostics=[]),
            True,
        ),
        (
            notification("textDocument/publishDiagnostics", uri="a", diagnostics=[]),
            notification("textDocument/publishDiagnostics", uri="b", diagnostics=[]),
            False,
        ),
        (
            notification("codeagent/resourcesChanged", revision=1, server="s"),
            notification("codeagent/promptsChanged", revision=1, server="s"),
            False,
        ),
    ],
)
def test_only_news_about_the_same_thing_supersedes(first: Any, second: Any, superseded: bool) -> None:
    assert (fate(first).key == fate(second).key) == superseded


def test_logs_and_answers_to_garbage_may_be_dropped() -> None:
    assert fate(notification("window/logMessage", type=4, message="x")).droppable
    assert fate(notification("codeagent/logMessage", text="x")).droppable
    assert fate({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": ""}}).droppable

"""When a server that went down is started again."""

from hypothesis import given, settings
from hypothesis import strategies as st

from codeagent_lsp.connection.backoff import CRASH_WINDOW, MAX_CRASHES, Backoff
from codeagent_lsp.errors import Exited, NeedsAuth, SpawnFailed, Timeout, Transport, Untrusted


class FakeClock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def crash_until_given_up(backoff: Backoff, clock: FakeClock, lived: float = 0.0) -> list[float]:
    delays: list[float] = []
    while len(delays) < 50:
        clock.now += lived
        delay = backoff.after(Exited("gone"), lived)
        if delay is None:
            break
        delays.append(delay)
        clock.now += delay
    return delays


def test_a_crash_loop_is_given_up_after_five_crashes() -> None:
    clock = FakeClock()
    delays = crash_until_given_up(Backoff(remote=False, clock=clock, jitter=lambda: 0.5), clock)
    assert delays == [0.5, 1.0, 2.0, 4.0]


def test_a_minute_of_life_forgets_earlier_crashes() -> None:
    clock = FakeClock()
    backoff = Backoff(remote=False, clock=clock, jitter=lambda: 0.5)
    for _ in range(20):
        clock.now += 61
        assert backoff.after(Exited("gone"), 61.0) == 0.5
        clock.now += 0.5


def test_a_remote_server_is_tried_for_ever_at_most_a_minute_apart() -> None:
    clock = FakeClock()
    backoff = Backoff(remote=True, clock=clock, jitter=lambda: 0.5)
    delays = [backoff.after(Transport("refused"), 0.0) for _ in range(40)]
    assert None not in delays
    assert delays[:4] == [0.5, 1.0, 2.0, 4.0]
    assert delays[-1] == 60.0


def test_what_will_not_get_better_by_itself_is_not_tried_again() -> None:
    clock = FakeClock()
    for failure in (
        SpawnFailed("no such command"),
        Untrusted("not approved"),
        NeedsAuth("401"),
        Timeout("not ready within 30 s"),
        Transport("refused", status=400),
        Transport("gone", status=410),
        Transport("cannot be trusted", final=True),
    ):
        assert Backoff(remote=True, clock=clock).after(failure, 0.0) is None


def test_an_overloaded_server_is_tried_again() -> None:
    for status in (404, 429, 500, 502, 503, 504):
        assert Backoff(remote=True, clock=FakeClock()).after(Transport("busy", status=status), 0.0) is not None


@settings(max_examples=300, deadline=None)
@given(lives=st.lists(st.floats(0, 59), min_size=1, max_size=60), jitter=st.floats(0, 1))
def test_no_schedule_of_crashes_starts_a_server_more_than_five_times_in_three_minutes(
    lives: list[float], jitter: float
) -> None:
    clock = FakeClock()
    backoff = Backoff(remote=False, clock=clock, jitter=lambda: jitter)
    starts = [clock.now]
    for lived in lives:
        clock.now += lived
        delay = backoff.after(Exited("gone"), lived)
        if delay is None:
            break
        assert 0.4 <= round(delay, 6) <= 36
        clock.now += delay
        starts.append(clock.now)
    for first in starts:
        assert sum(1 for start in starts if first <= start < first + CRASH_WINDOW) <= MAX_CRASHES

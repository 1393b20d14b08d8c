"""How long a request may take."""

import anyio
import pytest

from codeagent_lsp.connection.clock import HARD_LIMIT, RequestClock

pytestmark = pytest.mark.anyio


async def test_a_request_without_a_sign_of_life_ends_at_its_bound() -> None:
    with anyio.fail_after(5), RequestClock().bound(0.05) as bound:
        await anyio.sleep_forever()
    assert bound.scope.cancelled_caught


async def test_progress_moves_the_bound_on() -> None:
    clock = RequestClock()
    with clock.bound(60) as bound:
        before = bound.scope.deadline
        await anyio.sleep(0.02)
        bound.extend()
        assert bound.scope.deadline > before


async def test_progress_never_moves_the_bound_beyond_the_hard_limit() -> None:
    clock = RequestClock()
    began = anyio.current_time()
    with clock.bound(HARD_LIMIT) as bound:
        await anyio.sleep(0.02)
        bound.extend()
        assert bound.scope.deadline <= began + HARD_LIMIT + 0.01


async def test_requests_stand_still_while_the_user_is_asked() -> None:
    clock = RequestClock()
    with anyio.fail_after(5):
        with clock.bound(0.1) as bound:
            with clock.paused():
                await anyio.sleep(0.25)
            assert not bound.scope.cancel_called
            await anyio.sleep_forever()
        assert bound.scope.cancelled_caught


async def test_two_questions_at_once_let_requests_stand_still_until_both_are_answered() -> None:
    clock = RequestClock()
    with clock.bound(0.1) as bound:
        with clock.paused():
            with clock.paused():
                pass
            await anyio.sleep(0.2)
    assert not bound.scope.cancelled_caught


async def test_a_request_that_begins_during_a_question_stands_still_too() -> None:
    clock = RequestClock()
    with clock.paused(), clock.bound(0.05) as bound:
        await anyio.sleep(0.15)
    assert not bound.scope.cancelled_caught

"""Cancellation in every direction, progress tokens, and shutdown with everything still under way."""

import asyncio
import time

import pytest

from editor_client import SILENCE, EditorClient, LspError, frame
from tiny_lsp import TinyServer


@pytest.mark.parametrize("begin", ["command", "request"])
async def test_cancelling_reaches_the_handler(tiny: EditorClient, server: TinyServer, begin: str) -> None:
    await tiny.start()
    call = await (tiny.begin_command("tiny.hang") if begin == "command" else tiny.begin("tiny/hang", {}))
    await tiny.command("tiny.echo")  # by now the handler waits
    await tiny.cancel(call)
    with pytest.raises(LspError) as error:
        await call
    assert error.value.code == -32800
    await tiny.command("tiny.echo")
    assert server.cancelled == ["hang"]


async def test_a_request_that_has_not_begun_is_cancelled_too(tiny: EditorClient, server: TinyServer) -> None:
    await tiny.start()
    number = {"jsonrpc": "2.0", "id": 77}
    call = tiny._calls[77] = asyncio.get_running_loop().create_future()
    cancel = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 77}}
    await tiny.send(frame({**number, "method": "tiny/hang", "params": {}}) + frame(cancel))
    with pytest.raises(LspError) as error:
        await asyncio.wait_for(call, 1)
    assert error.value.code == -32800


async def test_a_handler_that_will_not_stop_is_answered_for_at_once_and_only_once(
    tiny: EditorClient, server: TinyServer
) -> None:
    await tiny.start()
    call = await tiny.begin_command("tiny.stubborn")
    await tiny.command("tiny.echo")
    await tiny.cancel(call)
    with pytest.raises(LspError) as error:
        await call
    assert error.value.code == -32800
    server.release.set()
    await tiny.command("tiny.echo")  # the client takes a second answer for a violation


@pytest.mark.parametrize(
    "params", [{"id": 12345}, {"id": "x"}, {"id": None}, {"id": [1]}, {"id": {}}, {}, None, [], "x"]
)
async def test_cancelling_what_is_not_there_is_ignored(tiny: EditorClient, params: object) -> None:
    await tiny.start()
    await tiny.notify("$/cancelRequest", params)
    await tiny.command("tiny.echo")
    assert tiny.unreadable == []


async def test_the_cancel_button_of_a_progress_bar_cancels_its_request(tiny: EditorClient, server: TinyServer) -> None:
    await tiny.start()
    other = await tiny.begin_command("tiny.hang", token="other")
    call = await tiny.begin_command("tiny.hang", token="bar")
    await tiny.command("tiny.echo")
    await tiny.notify("window/workDoneProgress/cancel", {"token": "bar"})
    with pytest.raises(LspError) as error:
        await call
    assert error.value.code == -32800
    await tiny.command("tiny.echo")
    assert server.cancelled == ["hang"]
    assert not other.future.done()


async def test_cancelling_a_command_takes_its_question_back_and_a_late_answer_is_ignored(tiny: EditorClient) -> None:
    await tiny.start()
    gate = asyncio.Event()

    async def late(params: object) -> str:
        await gate.wait()
        return "late"

    tiny.answer("tiny/question", late)
    call = await tiny.begin_command("tiny.ask")
    await tiny.wait_for("tiny/question")
    await tiny.cancel(call)
    with pytest.raises(LspError):
        await call
    await tiny.wait_for("$/cancelRequest")
    gate.set()
    assert await tiny.command("tiny.echo") == {"params": {}, "token": None}
    assert tiny.unreadable == []


async def test_shutdown_is_answered_at_once_whatever_is_under_way_in_either_direction(
    tiny: EditorClient, server: TinyServer
) -> None:
    await tiny.start()
    tiny.answer("tiny/question", SILENCE)
    calls = [await tiny.begin_command(name) for name in ("tiny.hang", "tiny.ask", "tiny.stubborn", "tiny.hang")]
    await tiny.wait_for("tiny/question")
    begun = time.monotonic()
    assert await tiny.request("shutdown") is None
    assert time.monotonic() - begun < 3
    for call in calls:
        with pytest.raises(LspError) as error:
            await call
        assert error.value.code == -32800
    server.release.set()
    await tiny.notify("exit")
    assert await tiny.wait_closed() == 0


async def test_shutdown_does_not_wait_for_a_slow_hook_but_the_hook_goes_on(
    tiny: EditorClient, server: TinyServer
) -> None:
    done = asyncio.Event()

    async def hook(params: object) -> None:
        await server.release.wait()
        done.set()

    server.feature("shutdown")(hook)
    await tiny.start()
    begun = time.monotonic()
    await tiny.request("shutdown")
    assert time.monotonic() - begun < 3
    server.release.set()
    await asyncio.wait_for(done.wait(), 1)


async def test_a_hook_that_fails_does_not_fail_shutdown(tiny: EditorClient, server: TinyServer) -> None:
    server.feature("shutdown")(lambda params: server.fail(params, None))
    await tiny.start()
    assert await tiny.request("shutdown") is None


async def test_a_second_request_under_a_running_id_is_refused(tiny: EditorClient, server: TinyServer) -> None:
    await tiny.start()
    call = await tiny.begin_command("tiny.hang")
    await tiny.send(frame({"jsonrpc": "2.0", "id": call.id, "method": "tiny/echo", "params": {}}))
    with pytest.raises(LspError) as error:
        await call
    assert error.value.code == -32600
    assert "already" in error.value.message
    tiny._calls[call.id] = asyncio.get_running_loop().create_future()  # the first is answered when it ends

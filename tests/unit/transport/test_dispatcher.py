"""The dispatcher between a session and whole messages: every request ends once, and nothing of a server ends it all."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT

from codeagent_lsp.errors import Protocol
from codeagent_lsp.transport.dispatcher import Dispatcher
from codeagent_lsp.transport.failures import failed, failure_of

pytestmark = pytest.mark.anyio


class Line:
    """The other end: what was written, and handlers that can be changed."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.noted: list[tuple[str, Any]] = []
        self.room = asyncio.Event()
        self.room.set()
        self.dispatcher = Dispatcher(self.write)
        self.serve: Callable[..., Awaitable[dict[str, Any]]] = self._nothing

    async def write(self, message: dict[str, Any]) -> None:
        await self.room.wait()
        self.sent.append(message)

    async def _nothing(self, context: Any, method: str, params: Any) -> dict[str, Any]:
        return {"method": method, "params": params}

    async def on_request(self, context: Any, method: str, params: Any) -> dict[str, Any]:
        return await self.serve(context, method, params)

    async def on_notify(self, _context: Any, method: str, params: Any) -> None:
        self.noted.append((method, params))
        if method == "notifications/bad":
            raise ValueError(method)

    def intercept(self, method: str, params: Any) -> bool:
        self.noted.append(("intercepted", method))
        return method == "notifications/mine"

    def comes(self, **message: Any) -> None:
        self.dispatcher.receive({"jsonrpc": "2.0", **message})

    async def written(self, count: int) -> dict[str, Any]:
        with anyio.fail_after(5):
            while len(self.sent) < count:
                await asyncio.sleep(0)
        return self.sent[count - 1]


@asynccontextmanager
async def connected() -> AsyncIterator[Line]:
    line = Line()
    async with anyio.create_task_group() as tasks:
        await tasks.start(line.dispatcher.run, line.on_request, line.on_notify, line.intercept)
        yield line
        line.dispatcher.close()


async def test_answers_find_their_requests_in_any_order_and_spelling() -> None:
    async with connected() as line:
        calls = [asyncio.ensure_future(line.dispatcher.send_raw_request("m", {"n": n})) for n in range(3)]
        await line.written(3)
        assert line.sent[0] == {"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"n": 0}}
        line.comes(id="3", result={"n": 2})
        line.comes(id=1, result={"n": 0})
        line.comes(id=1, result={"n": "twice"})
        line.comes(id=99, result={})
        line.comes(id=2, error={"code": 7, "message": "no", "data": [1]})
        assert [await calls[0], await calls[2]] == [{"n": 0}, {"n": 2}]
        with pytest.raises(MCPError) as error:
            await calls[1]
        assert (error.value.error.code, error.value.error.message, error.value.error.data) == (7, "no", [1])


async def test_a_failure_of_the_transport_arrives_as_what_it_is() -> None:
    async with connected() as line:
        call = asyncio.ensure_future(line.dispatcher.send_raw_request("m", None))
        assert "params" not in await line.written(1)
        why = Protocol("answered nonsense.")
        line.dispatcher.receive(failed(1, why))
        with pytest.raises(MCPError) as error:
            await call
        assert failure_of(error.value) is why


async def test_a_request_that_takes_too_long_is_given_up_and_the_server_told() -> None:
    async with connected() as line:
        with pytest.raises(MCPError) as error:
            await line.dispatcher.send_raw_request("m", None, {"timeout": 0.01})
        assert error.value.error.code == REQUEST_TIMEOUT
        told = await line.written(2)
        assert (told["method"], told["params"]["requestId"]) == ("notifications/cancelled", 1)
        line.comes(id=1, result={"late": True})


@pytest.mark.parametrize(("options", "told"), [({}, True), ({"cancel_on_abandon": False}, False)])
async def test_a_caller_that_gives_up_tells_the_server_where_that_may_be_told(options: Any, told: bool) -> None:
    async with connected() as line:
        with anyio.move_on_after(0.01):
            await line.dispatcher.send_raw_request("m", None, options)
        await line.dispatcher.notify("notifications/last", {})
        with anyio.fail_after(5):
            while len(line.sent) < 2 + told:
                await asyncio.sleep(0)
        assert ("notifications/cancelled" in [message["method"] for message in line.sent]) == told


async def test_the_end_of_the_connection_ends_every_request_also_one_that_is_not_written_yet() -> None:
    async with connected() as line:
        first = asyncio.ensure_future(line.dispatcher.send_raw_request("m", None))
        await line.written(1)
        line.room.clear()
        second = asyncio.ensure_future(line.dispatcher.send_raw_request("m", None))
        await asyncio.sleep(0)
        line.dispatcher.close()
        line.room.set()
        for call in (first, second, asyncio.ensure_future(line.dispatcher.send_raw_request("m", None))):
            with pytest.raises(MCPError) as error:
                await asyncio.wait_for(call, 5)
            assert error.value.error.code == CONNECTION_CLOSED
        await line.dispatcher.notify("notifications/x", None)
        assert all(message["method"] != "notifications/x" for message in line.sent)


async def test_an_id_of_the_callers_own_is_kept_and_never_used_twice_at_once() -> None:
    async with connected() as line:
        mine = asyncio.ensure_future(line.dispatcher.send_raw_request("m", None, {"request_id": "2"}))
        other = asyncio.ensure_future(line.dispatcher.send_raw_request("m", None))
        third = asyncio.ensure_future(line.dispatcher.send_raw_request("m", None))
        await line.written(3)
        assert [message["id"] for message in line.sent] == ["2", 1, 3]
        with pytest.raises(ValueError, match="under way"):
            await line.dispatcher.send_raw_request("m", None, {"request_id": 2})
        for number in (2, 1, 3):
            line.comes(id=number, result={"id": number})
        assert [await mine, await other, await third] == [{"id": 2}, {"id": 1}, {"id": 3}]


async def test_progress_reaches_the_request_it_is_about_while_it_runs() -> None:
    seen: list[Any] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        seen.append((done, total, message))
        if done == 2:
            raise ValueError("the handler's own fault")

    async with connected() as line:
        options: Any = {"on_progress": progress}
        call = asyncio.ensure_future(line.dispatcher.send_raw_request("m", {"_meta": {"x": 1}}, options))
        token = (await line.written(1))["params"]["_meta"]
        assert token == {"x": 1, "progressToken": 1}
        for value in ({"progress": 1, "total": 4}, {"progress": 2, "message": "half"}, {"progress": True}, {}):
            line.comes(method="notifications/progress", params={"progressToken": 1, **value})
        line.comes(method="notifications/progress", params={"progressToken": 5, "progress": 9})
        line.comes(method="notifications/progress", params={"progressToken": [1], "progress": 9})
        await asyncio.sleep(0.01)
        line.comes(id=1, result={})
        assert await call == {}
        assert sorted(seen) == [(1.0, 4.0, None), (2.0, None, "half")]


async def test_requests_of_the_server_are_answered_each_and_a_cancelled_one_is_not() -> None:
    async with connected() as line:

        async def serve(context: Any, method: str, params: Any) -> dict[str, Any]:
            if method == "hang":
                await asyncio.Event().wait()
            if method == "refuse":
                raise MCPError(code=5, message="not that")
            if method == "break":
                raise RuntimeError("secret detail")
            return {"method": method}

        line.serve = serve
        for number, method in enumerate(("hang", "refuse", "break", "fine")):
            line.comes(id=number, method=method)
        line.comes(method="notifications/cancelled", params={"requestId": "0"})
        line.comes(method="notifications/cancelled", params={"requestId": [0]})
        await line.written(3)
        await asyncio.sleep(0.01)
        answers = {message["id"]: message for message in line.sent}
        assert answers[1]["error"] == {"code": 5, "message": "not that"}
        assert "secret" not in str(answers[2]["error"])
        assert answers[3] == {"jsonrpc": "2.0", "id": 3, "result": {"method": "fine"}}
        assert 0 not in answers


async def test_the_server_can_be_asked_back_only_while_its_request_is_served() -> None:
    kept: list[Any] = []

    async def serve(context: Any, method: str, params: Any) -> dict[str, Any]:
        kept.append(context)
        await context.progress(1, 2, "on it")
        return await context.send_raw_request("back", None)

    async with connected() as line:
        line.serve = serve
        line.comes(id="a", method="ask", params={"_meta": {"progressToken": "t"}})
        await line.written(2)
        assert line.sent[0]["params"] == {"progressToken": "t", "progress": 1, "total": 2, "message": "on it"}
        line.comes(id=line.sent[1]["id"], result={"it": 1})
        assert (await line.written(3))["result"] == {"it": 1}
        assert not kept[0].can_send_request
        with pytest.raises(NoBackChannelError):
            await kept[0].send_raw_request("late", None)


async def test_notifications_are_looked_at_in_order_and_a_bad_one_costs_itself_only() -> None:
    async with connected() as line:
        for name in ("bad", "mine", "good"):
            line.comes(method=f"notifications/{name}")
        await asyncio.sleep(0.01)
        looked = [item[1] for item in line.noted if item[0] == "intercepted"]
        assert looked == [f"notifications/{name}" for name in ("bad", "mine", "good")]
        handed = [item[0] for item in line.noted if item[0] != "intercepted"]
        assert handed == ["notifications/bad", "notifications/good"]


async def test_leaving_ends_what_is_being_served() -> None:
    ended = asyncio.Event()

    async def serve(context: Any, method: str, params: Any) -> dict[str, Any]:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return {}

    async with connected() as line:
        line.serve = serve
        line.comes(id=1, method="hang")
        await asyncio.sleep(0.01)
    assert ended.is_set() and line.sent == []

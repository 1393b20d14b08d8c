"""What we lean on in the `mcp` package's session: one behaviour a test, which fails when a new version changes it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client, MCPError
from mcp.client import ClientRequestContext, ClientSession
from mcp.shared.message import SessionMessage
from pydantic import TypeAdapter, ValidationError

from codeagent_lsp.errors import Protocol

RAW = TypeAdapter(dict[str, Any])
MODERN = "2026-07-28"
TOOL = {"name": "t", "inputSchema": {"type": "object"}}


class Peer:
    """A server in memory: `sent` is what the session wrote, `answers` what it gets back, by method."""

    def __init__(self, answers: dict[str, Any] | None = None) -> None:
        self.sent: list[SessionMessage] = []
        opening = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "n", "version": "1"}}
        self.answers: dict[str, Any] = {"initialize": opening, **(answers or {})}
        self._in, self.read = anyio.create_memory_object_stream[Any](100)
        self.write, self._out = anyio.create_memory_object_stream[Any](100)
        self.arrived = asyncio.Event()

    async def run(self) -> None:
        async for item in self._out:
            self.sent.append(item)
            self.arrived.set()
            message = item.message
            answer = self.answers.get(getattr(message, "method", ""))
            if isinstance(message, types.JSONRPCRequest) and answer is not None:
                body = answer(message) if callable(answer) else {"result": answer}
                await self.say({"jsonrpc": "2.0", "id": message.id, **body})

    async def say(self, message: Any) -> None:
        await self._in.send(SessionMessage(types.jsonrpc_message_adapter.validate_python(message, by_name=False)))

    def close(self) -> None:
        self._in.close()

    def methods(self) -> list[str]:
        return [getattr(item.message, "method", "answer") for item in self.sent]

    async def wait_for(self, method: str) -> SessionMessage:
        """The message of this method, once it has been sent."""
        while method not in self.methods():
            await asyncio.sleep(0.001)
        return self.last(method)

    def last(self, method: str) -> SessionMessage:
        return [item for item in self.sent if getattr(item.message, "method", "") == method][-1]

    @asynccontextmanager
    async def session(self, **more: Any) -> AsyncIterator[ClientSession]:
        task = asyncio.create_task(self.run())
        try:
            async with asyncio.timeout(10):
                async with ClientSession(self.read, self.write, 5.0, **more) as session:
                    yield session
        finally:
            task.cancel()
            for stream in (self.read, self.write, self._in, self._out):
                stream.close()


def check(work: Callable[[], Any]) -> None:
    asyncio.run(work())


def call(**arguments: Any) -> types.CallToolRequest:
    return types.CallToolRequest(params=types.CallToolRequestParams(name="t", arguments=arguments))


DISCOVERED = types.DiscoverResult.model_validate(
    {"supportedVersions": [MODERN], "capabilities": {}, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
)


def test_a_raw_adapter_gives_the_result_as_it_came() -> None:
    result = {"content": [{"type": "text", "text": "x", "vendor": 1}], "structuredContent": {"a": None}, "x": [1.0]}

    async def work() -> None:
        async with Peer({"tools/call": result}).session() as session:
            await session.initialize()
            assert await session.send_request(call(), RAW) == result

    check(work)


def test_nulls_in_arguments_are_sent() -> None:
    arguments = {"a": None, "b": {"c": [None]}, "i": 9007199254740993, "f": 1.0}

    async def work() -> None:
        peer = Peer({"tools/call": {"content": []}})
        async with peer.session() as session:
            await session.initialize()
            await session.send_request(call(**arguments), RAW)
            sent = peer.last("tools/call").message.params["arguments"]  # type: ignore[union-attr,index]
            assert sent == arguments and isinstance(sent["f"], float)

    check(work)


def test_the_data_of_an_error_may_be_any_object_and_arrives_as_it_is() -> None:
    failure = Protocol("x")

    async def work() -> None:
        error = {"error": {"code": -32603, "message": "m", "data": failure}}
        async with Peer({"tools/call": lambda _: error}).session() as session:
            await session.initialize()
            with pytest.raises(MCPError) as caught:
                await session.send_request(call(), RAW)
            assert caught.value.error.data is failure and caught.value.code == -32603

    check(work)


def test_the_end_of_the_read_stream_fails_what_is_open_and_what_comes_later() -> None:
    async def work() -> None:
        peer = Peer()
        async with peer.session() as session:
            await session.initialize()
            task = asyncio.create_task(session.send_request(call(), RAW))
            await peer.wait_for("tools/call")
            peer.close()
            for pending in (task, session.send_request(call(), RAW)):
                with pytest.raises(MCPError) as caught:
                    await pending
                assert caught.value.code == types.CONNECTION_CLOSED == -32000

    check(work)


def test_ids_are_integers_from_our_side_and_text_ids_find_them() -> None:
    async def work() -> None:
        peer = Peer()
        async with peer.session() as session:
            await session.initialize()
            task = asyncio.create_task(session.send_request(call(), RAW))
            await peer.wait_for("tools/call")
            request_id = peer.last("tools/call").message.id  # type: ignore[union-attr]
            assert isinstance(request_id, int)
            await peer.say({"jsonrpc": "2.0", "id": 999, "result": {}})
            await peer.say({"jsonrpc": "2.0", "id": str(request_id), "result": {"content": []}})
            assert await task == {"content": []}

    check(work)


def test_a_caller_that_is_cancelled_cancels_its_request() -> None:
    async def work() -> None:
        peer = Peer()
        async with peer.session() as session:
            await session.initialize()
            with anyio.move_on_after(0.05):
                await session.send_request(call(), RAW)
            sent = (await peer.wait_for("notifications/cancelled")).message
            assert sent.params["requestId"] == peer.last("tools/call").message.id  # type: ignore[union-attr,index]

    check(work)


def test_progress_arrives_in_order_and_before_the_result() -> None:
    async def work() -> None:
        peer = Peer()
        seen: list[float] = []

        async def progress(done: float, total: float | None, message: str | None) -> None:
            seen.append(done)

        async with peer.session() as session:
            await session.initialize()
            task = asyncio.create_task(session.send_request(call(), RAW, progress_callback=progress))
            await peer.wait_for("tools/call")
            request: Any = peer.last("tools/call").message
            token = request.params["_meta"]["progressToken"]
            for step in range(20):
                params = {"progressToken": token, "progress": step}
                await peer.say({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
            await peer.say({"jsonrpc": "2.0", "id": request.id, "result": {"content": []}})
            await task
            assert seen == list(range(20))

    check(work)


def test_notifications_reach_the_message_handler_as_models() -> None:
    async def work() -> None:
        heard: list[Any] = []
        arrived = asyncio.Event()

        async def hear(message: Any) -> None:
            heard.append(message)
            arrived.set()

        peer = Peer()
        async with peer.session(message_handler=hear) as session:
            await session.initialize()
            await peer.say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
            await arrived.wait()
            assert isinstance(heard[0], types.ToolListChangedNotification)

    check(work)


def test_only_callbacks_that_are_given_are_declared() -> None:
    async def sample(context: Any, params: Any) -> Any: ...

    async def work() -> None:
        for callbacks, declared in (({}, set()), ({"sampling_callback": sample}, {"sampling"})):
            peer = Peer()
            async with peer.session(**callbacks) as session:
                await session.initialize()
                request: Any = peer.last("initialize").message
                assert set(request.params["capabilities"]) == declared

    check(work)


def test_an_input_request_is_given_to_the_callback() -> None:
    async def elicit(context: Any, params: Any) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"a": params.message})

    async def work() -> None:
        async with Peer().session(elicitation_callback=elicit) as session:
            request = types.ElicitRequest(
                params=types.ElicitRequestFormParams(message="m", requested_schema={"type": "object", "properties": {}})
            )
            context = ClientRequestContext(session=session, request_id="q", meta=None)
            answer = await session.dispatch_input_request(context, request)
            assert isinstance(answer, types.ElicitResult) and answer.content == {"a": "m"}

    check(work)


@pytest.mark.parametrize("version", ["1999-01-01", "2030-01-01"])
def test_an_unknown_version_is_a_runtime_error_that_names_it(version: str) -> None:
    async def work() -> None:
        peer = Peer()
        peer.answers["initialize"]["protocolVersion"] = version
        async with peer.session() as session:
            with pytest.raises(RuntimeError, match=version):
                await session.initialize()

    check(work)


def test_the_older_handshake_names_the_newest_older_version() -> None:
    async def work() -> None:
        peer = Peer()
        async with peer.session() as session:
            await session.initialize()
            request: Any = peer.last("initialize").message
            assert request.params["protocolVersion"] == "2025-11-25"
            await peer.wait_for("notifications/initialized")
            assert peer.methods() == ["initialize", "notifications/initialized"]

    check(work)


def test_one_bad_tool_still_costs_the_whole_list_without_our_repair() -> None:
    async def work() -> None:
        async with Peer({"tools/list": {"tools": [TOOL, {"name": "bad"}]}}).session() as session:
            await session.initialize()
            with pytest.raises(ValidationError):
                await session.send_request(types.ListToolsRequest(), RAW)

    check(work)


# -- the newest revision -----------------------------------------------------------------------------------------------


def test_the_probe_waits_ten_seconds() -> None:
    from mcp.client.session import DISCOVER_TIMEOUT_SECONDS

    assert DISCOVER_TIMEOUT_SECONDS == 10.0


def test_a_discovered_session_sends_its_version_in_every_request_and_in_the_headers() -> None:
    async def work() -> None:
        peer = Peer({"tools/call": {"content": [], "resultType": "complete"}})
        async with peer.session() as session:
            session.adopt(DISCOVERED)
            assert session.discover_result is not None and session.protocol_version == MODERN
            await session.send_request(call(), RAW)
            sent: Any = peer.last("tools/call")
            assert sent.message.params["_meta"]["io.modelcontextprotocol/protocolVersion"] == MODERN
            headers = {name.lower(): value for name, value in sent.metadata.headers.items()}
            assert headers["mcp-protocol-version"] == MODERN and headers["mcp-name"] == "t"
            assert headers["mcp-method"] == "tools/call"

    check(work)


def test_listing_the_tools_makes_their_marked_arguments_headers_and_drops_bad_marks() -> None:
    def marked(kind: str) -> Any:
        return {"type": "object", "properties": {"region": {"type": kind, "x-mcp-header": "Region"}}}

    listing = {
        "tools": [{"name": "t", "inputSchema": marked("string")}, {"name": "bad", "inputSchema": marked("object")}]
    }

    async def work() -> None:
        peer = Peer(
            {
                "tools/list": {**listing, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"},
                "tools/call": {"content": [], "resultType": "complete"},
            }
        )
        async with peer.session() as session:
            session.adopt(DISCOVERED)
            assert [tool.name for tool in (await session.list_tools()).tools] == ["t"]
            await session.send_request(call(region="eu"), RAW)
            headers: Any = peer.last("tools/call").metadata.headers  # type: ignore[union-attr]
            assert {name.lower(): value for name, value in headers.items()}["mcp-param-region"] == "eu"

    check(work)


def test_a_question_comes_through_the_raw_adapter() -> None:
    question = {"resultType": "input_required", "requestState": "s"}

    async def work() -> None:
        async with Peer({"tools/call": question}).session() as session:
            session.adopt(DISCOVERED)
            assert await session.send_request(call(), RAW) == question

    check(work)


def test_a_list_without_what_the_revision_demands_is_refused_without_our_repair() -> None:
    async def work() -> None:
        async with Peer({"tools/list": {"tools": [TOOL]}}).session() as session:
            session.adopt(DISCOVERED)
            with pytest.raises(ValidationError):
                await session.send_request(types.ListToolsRequest(), RAW)

    check(work)


# -- what is built on it -----------------------------------------------------------------------------------------------


def test_any_context_manager_of_two_streams_is_a_transport() -> None:
    async def work() -> None:
        peer = Peer({"tools/list": {"tools": [TOOL]}})
        task = asyncio.create_task(peer.run())

        @asynccontextmanager
        async def transport() -> AsyncIterator[Any]:
            yield peer.read, peer.write

        async with Client(transport(), mode="legacy", read_timeout_seconds=5) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == ["t"]
        task.cancel()

    check(work)


def test_there_is_a_model_for_every_result_that_is_repaired() -> None:
    from mcp_types.methods import SERVER_RESULTS
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, KNOWN_PROTOCOL_VERSIONS

    assert KNOWN_PROTOCOL_VERSIONS[-1] == MODERN and HANDSHAKE_PROTOCOL_VERSIONS[-1] == "2025-11-25"
    lists = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]
    for method in [*lists, "tools/call", "resources/read", "prompts/get", "completion/complete"]:
        assert all((method, version) in SERVER_RESULTS for version in KNOWN_PROTOCOL_VERSIONS), method
    assert ("initialize", "2025-11-25") in SERVER_RESULTS and ("server/discover", MODERN) in SERVER_RESULTS

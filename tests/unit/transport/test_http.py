"""Servers over HTTP under every fault: the status is told, one failed request costs one request, nothing hangs."""

import asyncio
import json
import resource
import time
from typing import Any

import anyio
import pytest
from wire_bench import Bench, run

from codeagent_lsp.errors import HostError, NeedsAuth, Protocol, TooLarge, Transport


async def call(client: Any, name: str = "echo", seconds: float = 5.0, **arguments: Any) -> Any:
    """The raw result of a call, or the failure as the transport explains it."""
    import mcp_types as types
    from pydantic import TypeAdapter

    request = types.CallToolRequest(params=types.CallToolRequestParams(name=name, arguments=arguments))
    with anyio.fail_after(seconds):
        try:
            return await client.session.send_request(request, TypeAdapter(dict[str, Any]))
        except Exception as error:
            return client.transport.explain(error) or error


def text(result: Any) -> str:
    assert isinstance(result, dict), repr(result)
    return result["content"][0]["text"]


async def opening_failure(bench: Bench, *words: str, mode: str = "legacy", **more: Any) -> tuple[Any, Any]:
    """What opening a session with such a server fails with, and the transport."""
    from mcp import Client
    from scripted_http import ScriptedHttp

    async with ScriptedHttp(*words) as server:
        transport = bench.remote(more.pop("url", None) or server.url, **more)
        with pytest.raises(BaseException) as caught:
            async with Client(transport, mode=mode, read_timeout_seconds=5):
                pass
        error: BaseException = caught.value
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        return transport.explain(error) or (bench.lost[0] if bench.lost else error), transport


# -- going right -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "mode"),
    [
        ((), "legacy"),
        ((), "auto"),
        (("sse",), "legacy"),
        (("sse", "noise"), "auto"),
        (("session", "listen"), "legacy"),
        (("modern",), "auto"),
        (("modern", "sse", "noise"), "2026-07-28"),
        (("redirect=307",), "legacy"),
        (("redirect=308", "sse", "session"), "legacy"),
        (("type=*:",), "legacy"),
        (("type=*:application/json; charset=utf-8",), "legacy"),
        (("type=*:text/plain",), "legacy"),
        (("encoding=*:gzip",), "legacy"),
        (("encoding=*:deflate",), "legacy"),
        (("encoding=*:raw",), "legacy"),
        (("encoding=*:members",), "legacy"),
    ],
)
def test_a_server_is_reached_whatever_it_answers_with(words: tuple[str, ...], mode: str) -> None:
    async def work(bench: Bench) -> None:
        async with bench.web(*words, mode=mode, headers={"Authorization": "Bearer t0ken"}) as (client, server):
            assert text(await call(client, text="hé\u2028😀")) == "hé\u2028😀"
            assert [tool.name for tool in (await client.list_tools()).tools] == ["echo"]
        assert bench.lost == [] and bench.statuses
        posts = [headers for method, path, headers, _ in server.requests if method == "POST" and path != "/mcp"]
        posts = posts or [headers for method, _, headers, _ in server.requests if method == "POST"]
        for headers in posts:
            assert headers["authorization"] == "Bearer t0ken"
            assert headers["accept"] == "application/json, text/event-stream"
            assert headers["content-type"] == "application/json"
        assert "mcp-protocol-version" in posts[-1]
        if "session" in words:
            assert posts[-1]["mcp-session-id"] == "session-1" and server.requests[-1][0] == "DELETE"

    run(work)


def test_the_headers_of_the_newest_revision_are_sent() -> None:
    async def work(bench: Bench) -> None:
        async with bench.web("modern", mode="2026-07-28") as (client, _):
            headers = json.loads(text(await call(client, "headers")))
            assert headers["mcp-protocol-version"] == "2026-07-28"
            assert headers["mcp-method"] == "tools/call" and headers["mcp-name"] == "headers"

    run(work)


def test_arguments_arrive_untouched() -> None:
    arguments = {"n": None, "i": 9007199254740993, "f": 1.0, "o": {"a": [{}]}, "u": "😀\u2028", "": [None]}

    async def work(bench: Bench) -> None:
        async with bench.web() as (client, _):
            assert json.loads(text(await call(client, "params", **arguments)))["arguments"] == arguments
            assert text(await call(client, text="a\ud800b")) == "a\ufffdb"

    run(work)


def test_calls_run_beside_each_other() -> None:
    async def work(bench: Bench) -> None:
        async with bench.web() as (client, _):
            started = time.monotonic()
            results = await asyncio.gather(*(call(client, "slow", text=str(n)) for n in range(50)))
            assert [text(result) for result in results] == [str(n) for n in range(50)]
            assert time.monotonic() - started < 4

    run(work)


def test_a_bad_item_in_a_list_does_not_cost_the_others() -> None:
    async def work(bench: Bench) -> None:
        for words in (("bad_tool=null_schema",), ("bad_tool=null_schema", "sse")):
            async with bench.web(*words) as (client, _):
                assert [tool.name for tool in (await client.list_tools()).tools] == ["echo", "t"]

    run(work)


@pytest.mark.parametrize("kind", ["", "sse"])
@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ('[{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"x"}]}}]', "x"),
        ('{"id":"2","result":{"content":[{"type":"text","text":"a\\ud800"}]}}', "a\ufffd"),
        ('{"id":null,"error":{"code":-5,"message":"boom"}}', "boom"),
        ('{"error":"boom"}', "boom"),
        ('{"jsonrpc":"2.0","id":2,"result":null}', "malformed reply"),
    ],
)
def test_an_answer_that_is_odd_in_form_arrives_or_fails_at_once(body: str, shown: str, kind: str) -> None:
    async def work(bench: Bench) -> None:
        words = [f"raw=tools/call:{body}"]
        if kind:
            words = [f"raw=tools/call:data: {body}\n\n", "type=tools/call:text/event-stream"]
        async with bench.web(*words) as (client, _):
            assert shown in str(await call(client))

    run(work)


# -- refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, Transport), (402, Transport), (403, NeedsAuth), (404, Transport), (405, Transport), (413, Transport),
     (429, Transport), (500, Transport), (502, Transport), (503, Transport), (599, Transport), (301, Transport)],
)  # fmt: skip
def test_a_bad_status_fails_only_its_request_and_is_told(status: int, kind: type[HostError]) -> None:
    async def work(bench: Bench) -> None:
        words = (f"status=tools/call:{status}:1", "body=p4ssw0rd in the body")
        async with bench.web(*words, headers={"X-Key": "p4ssw0rd"}) as (client, server):
            error = await call(client)
            assert isinstance(error, kind) and str(status) in error.message and "p4ssw0rd" not in error.text()
            assert text(await call(client, text="next")) == "next" and bench.lost == []
            assert client.transport.last_status == 200 and status in bench.statuses
            assert server.methods().count("tools/call") == 2

    run(work)


def test_401_means_signing_in_and_ends_the_session() -> None:
    async def work(bench: Bench) -> None:
        async with bench.web("status=tools/call:401", "body=x") as (client, _):
            error = await call(client)
            assert isinstance(error, NeedsAuth) and "sign in" in error.message
            assert isinstance(await bench.loss(1), NeedsAuth)

    run(work)


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_refused_opening_needs_a_sign_in_and_not_the_older_transport(status: int, mode: str) -> None:
    async def work(bench: Bench) -> None:
        error, transport = await opening_failure(bench, f"status=*:{status}", mode=mode)
        assert isinstance(error, NeedsAuth) and not transport.older
        bench.lost.clear()
        error, _ = await opening_failure(bench, f"status=*:{status}", headers={"authorization": "Bearer x"})
        assert isinstance(error, NeedsAuth) and ("Authorization header" in error.message or status == 403)

    run(work)


@pytest.mark.parametrize("kind", ["host", "sdk"])
def test_a_sign_in_that_is_needed_in_between_ends_the_session(kind: str) -> None:
    import httpx2
    from mcp.client.auth import OAuthFlowError

    class Auth(httpx2.Auth):
        calls = 0

        async def async_auth_flow(self, request: Any) -> Any:
            self.calls += 1
            if self.calls > 2:
                raise NeedsAuth("wants you to sign in.") if kind == "host" else OAuthFlowError("no")
            yield request

    async def work(bench: Bench) -> None:
        async with bench.web(auth=Auth()) as (client, _):
            error = await call(client)
            assert isinstance(error, NeedsAuth) and "sign" in error.message
            assert isinstance(await bench.loss(1), NeedsAuth)

    run(work)


@pytest.mark.parametrize(
    ("words", "older"),
    [
        (("status=*:400",), True),
        (("status=*:404",), True),
        (("status=*:405",), True),
        (("old",), True),
        (("old=404",), True),
        (("old=200",), True),
        (("status=*:500",), False),
        (("status=*:503",), False),
        (("status=*:302",), False),
        (("status=*:400", "rpc_error=-32602"), False),
        (("type=*:text/html",), False),
        (("close=*",), False),
    ],
)
def test_the_older_transport_is_tried_where_the_answer_looks_like_it(words: tuple[str, ...], older: bool) -> None:
    async def work(bench: Bench) -> None:
        for mode in ("legacy", "auto"):
            error, transport = await opening_failure(bench, *words, mode=mode)
            assert transport.older == older and isinstance(error, Exception)

    run(work)


@pytest.mark.parametrize(
    ("wait", "method", "sent"),
    [("0", "tools/list", 2), ("0", "tools/call", 1), ("x", "tools/list", 1), ("", "tools/list", 1)],
)
def test_only_what_may_be_repeated_is_sent_again_when_asked_to_wait(wait: str, method: str, sent: int) -> None:
    async def work(bench: Bench) -> None:
        words = (f"status={method}:429:1", f"retry_after={wait}")
        async with bench.web(*words) as (client, server):
            if method == "tools/list":
                try:
                    await client.list_tools()
                except Exception as error:
                    assert sent == 1 and "429" in str(client.transport.explain(error))
            else:
                assert "429" in str(await call(client))
            assert server.methods().count(method) == sent

    run(work)


def test_a_wait_of_a_million_seconds_is_a_minute() -> None:
    async def work(bench: Bench) -> None:
        async with bench.web("status=tools/call:503", "retry_after=999999") as (client, server):
            error = await call(client)
            assert "asks to wait 60 s" in error.message and server.methods().count("tools/call") == 1

    run(work)


def test_the_error_that_a_modern_server_sends_with_a_bad_status_arrives() -> None:
    async def work(bench: Bench) -> None:
        async with bench.web("status=tools/call:400", "rpc_error=-32022") as (client, _):
            error = await call(client)
            assert error.code == -32022 and error.error.data == {"supported": ["2026-07-28"]}

    run(work)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("type=tools/call:text/html", "answered tools/call with text/html"),
        ("type=tools/call:image/png", "image/png"),
        ("empty=tools/call:200", "with nothing (HTTP 200)"),
        ("empty=tools/call:202", "gave no answer (HTTP 202)"),
        ("empty=tools/call:204", "gave no answer (HTTP 204)"),
        ("raw=tools/call:<html>", "JSON or a stream of events was expected"),
        ("raw=tools/call:{oops", "not valid JSON"),
        ("raw=tools/call:{}", "neither"),
        ("encoding=tools/call:br", "not asked for"),
        ("encoding=tools/call:double", "not asked for"),
    ],
)
def test_what_is_not_mcp_fails_at_once_and_says_what_it_was(word: str, said: str) -> None:
    async def work(bench: Bench) -> None:
        async with bench.web(word) as (client, _):
            started = time.monotonic()
            error = await call(client)
            assert isinstance(error, Protocol) and said in error.message, repr(error)
            assert time.monotonic() - started < 1 and bench.lost == []

    run(work)


@pytest.mark.parametrize("code", [301, 302, 303])
def test_a_post_never_becomes_a_get(code: int) -> None:
    async def work(bench: Bench) -> None:
        error, _ = await opening_failure(bench, f"redirect={code}")
        assert isinstance(error, Transport) and f"HTTP {code}" in error.message

    run(work)


@pytest.mark.parametrize("code", [307, 308])
@pytest.mark.parametrize(
    "target", ["http://localhost:1/mcp?token=s", "http://u:p@127.0.0.1:1/", "//h.example/x", "ftp://x"]
)
def test_nothing_is_sent_to_another_origin(code: int, target: str) -> None:
    async def work(bench: Bench) -> None:
        error, _ = await opening_failure(bench, f"redirect={code}:{target}", headers={"Authorization": "Bearer t"})
        assert isinstance(error, Transport) and "not followed" in error.message and "token=s" not in error.message

    run(work)


# -- broken connections ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["close=tools/call:1", "half=tools/call", "drop=tools/call:1"])
def test_a_connection_that_breaks_fails_only_its_request(word: str) -> None:
    async def work(bench: Bench) -> None:
        async with bench.web(word) as (client, server):
            started = time.monotonic()
            error = await call(client)
            assert isinstance(error, Transport) and time.monotonic() - started < 2, repr(error)
            assert server.methods().count("tools/call") == 1
            assert (await client.list_tools()).tools and bench.lost == []

    run(work)


def test_a_broken_stream_is_taken_up_again_where_the_server_numbers_its_events() -> None:
    async def work(bench: Bench) -> None:
        async with bench.web("drop_id=tools/call", "retry=100") as (client, server):
            started = time.monotonic()
            assert text(await call(client, text="x")) == "x"
            assert 0.1 <= time.monotonic() - started < 1
            gets = [headers for method, _, headers, _ in server.requests if method == "GET"]
            assert [headers["last-event-id"] for headers in gets] == ["1"]
            assert server.methods().count("tools/call") == 1

    run(work)


def test_a_stream_that_cannot_be_taken_up_again_fails_within_a_bound() -> None:
    async def work(bench: Bench) -> None:
        async with bench.web("drop_id=tools/call", "retry=10", "status=GET:500") as (client, _):
            error = await call(client)
            assert isinstance(error, Transport) and "HTTP 500" in error.message

    run(work)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:1/mcp", "cannot be reached at http://127.0.0.1:1/mcp"),
        ("http://no-such-host.invalid/mcp", "cannot be reached"),
        ("https://127.0.0.1:1/mcp", "cannot be reached"),
    ],
)
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_server_that_is_not_there_is_told_at_once(url: str, said: str, mode: str) -> None:
    async def work(bench: Bench) -> None:
        started = time.monotonic()
        error, transport = await opening_failure(bench, url=url, mode=mode)
        assert isinstance(error, Transport) and said in error.message and time.monotonic() - started < 2
        assert len(bench.lost) == 1 and not transport.older

    run(work)


def test_a_server_that_does_not_speak_tls_is_told() -> None:
    async def work(bench: Bench) -> None:
        from scripted_http import ScriptedHttp

        async with ScriptedHttp() as server:
            error, _ = await opening_failure(bench, url=f"https://127.0.0.1:{server.port}/")
            assert isinstance(error, Transport)

    run(work)


def test_a_session_survives_failed_connections_and_not_the_end_of_its_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeagent_lsp.transport.remote.GONE_AFTER", 0.2)

    async def work(bench: Bench) -> None:
        from scripted_http import ScriptedHttp

        async with bench.web() as (client, server):
            port = server.port
            await (await asyncio.sleep(0.1, server)).stop()
            errors = await asyncio.gather(*(call(client) for _ in range(5)))
            assert all(isinstance(error, Transport) for error in errors) and bench.lost == []
            again = ScriptedHttp()
            await again.start(port)
            assert text(await call(client, text="back")) == "back"
            await again.stop()
            await call(client)
            await asyncio.sleep(0.25)
            assert isinstance(await call(client), Transport)
            assert isinstance(await bench.loss(1), Transport)

    run(work)


@pytest.mark.parametrize("kind", ["404", "404json", "400", "200"])
def test_a_forgotten_session_is_lost_once(kind: str) -> None:
    async def work(bench: Bench) -> None:
        async with bench.web("session", f"lost={kind}") as (client, server):
            errors = await asyncio.gather(*(call(client) for _ in range(3)))
            assert all(isinstance(error, Transport) and error.status == 404 for error in errors), errors
            assert len(bench.lost) == 1 and client.transport.session_lost
            assert server.methods().count("initialize") == 1

    run(work)


def test_404_without_a_session_loses_nothing() -> None:
    async def work(bench: Bench) -> None:
        async with bench.web("status=tools/call:404:1") as (client, _):
            assert (await call(client)).status == 404
            assert not client.transport.session_lost and text(await call(client, text="x")) == "x"

    run(work)


# -- too much, too slow ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", [("big=tools/call:17000000",), ("big=tools/call:17000000", "sse"), ("encoding=tools/call:bomb",)]
)
def test_too_large_an_answer_fails_its_request_in_bounded_memory(words: tuple[str, ...]) -> None:
    async def work(bench: Bench) -> None:
        async with bench.web(*words) as (client, _):
            await call(client, "params")
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            started = time.monotonic()
            error = await call(client)
            assert isinstance(error, TooLarge), repr(error)
            assert time.monotonic() - started < 2
            assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 90 * 1024
            assert (await client.list_tools()).tools

    run(work)


@pytest.mark.parametrize("words", [("big=tools/call:8000000",), ("big=tools/call:8000000", "sse")])
def test_a_large_answer_arrives(words: tuple[str, ...]) -> None:
    async def work(bench: Bench) -> None:
        async with bench.web(*words) as (client, _):
            assert len(text(await call(client, seconds=10))) == 8_000_000

    run(work)


@pytest.mark.parametrize("word", ["hang=tools/call", "drip=tools/call"])
def test_a_call_that_is_given_up_harms_nobody(word: str) -> None:
    async def work(bench: Bench) -> None:
        async with bench.web(word) as (client, server):
            with pytest.raises(TimeoutError):
                await call(client, seconds=0.5)
            assert (await client.list_tools()).tools and bench.lost == []
            assert "notifications/cancelled" in server.methods()

    run(work)


def test_in_the_newest_revision_the_end_of_the_stream_is_the_cancellation() -> None:
    async def work(bench: Bench) -> None:
        async with bench.web("modern", "hang=tools/call", mode="2026-07-28") as (client, server):
            with pytest.raises(TimeoutError):
                await call(client, seconds=0.5)
            assert "notifications/cancelled" not in server.methods()
            assert (await client.list_tools()).tools

    run(work)


def test_a_body_that_stops_coming_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    from codeagent_lsp.transport import answers, http_body

    async def read(response: Any, limit: int = http_body.MAX_BODY) -> bytes:
        return await http_body.read_body(response, limit, idle=0.05)

    monkeypatch.setattr(answers, "read_body", read)

    async def work(bench: Bench) -> None:
        async with bench.web("drip=tools/call") as (client, _):
            error = await call(client)
            assert isinstance(error, Transport) and "stopped in the middle" in error.message

    run(work)


# -- listening ---------------------------------------------------------------------------------------------------------


def kinds(client: Any) -> list[str]:
    return [type(message).__name__ for message in client.heard]


async def heard(client: Any, name: str, count: int = 1) -> None:
    with anyio.fail_after(5):
        while kinds(client).count(name) < count:
            await asyncio.sleep(0.01)


def test_what_a_server_says_unasked_is_heard() -> None:
    async def work(bench: Bench) -> None:
        async with bench.web("session", "listen") as (client, server):
            with anyio.fail_after(5):
                while not server.listeners:
                    await asyncio.sleep(0.01)
            await call(client, "change")
            await heard(client, "ToolListChangedNotification")
            assert kinds(client) == ["ToolListChangedNotification"]

    run(work)


@pytest.mark.parametrize("times", [1, 4])
def test_a_listening_stream_that_breaks_is_opened_again_and_the_lists_count_as_changed(times: int) -> None:
    async def work(bench: Bench) -> None:
        async with bench.web("session", "listen", f"listen_drop={times}", "retry=50") as (client, server):
            await heard(client, "ToolListChangedNotification", 1)
            await heard(client, "ResourceListChangedNotification", 1)
            await heard(client, "PromptListChangedNotification", 1)
            with anyio.fail_after(5):
                while not server.listeners:
                    await asyncio.sleep(0.01)
            await call(client, "change")
            await heard(client, "ToolListChangedNotification", 2)
            assert bench.lost == []

    run(work)


@pytest.mark.parametrize(("words", "changes"), [((), 1), (("numbered",), 0)])
def test_a_listening_stream_that_ends_is_opened_again_and_a_gap_counts_as_one_change(
    words: tuple[str, ...], changes: int
) -> None:
    async def work(bench: Bench) -> None:
        async with bench.web("session", "listen", "listen_end=3", "retry=20", *words) as (client, server):
            with anyio.fail_after(5):
                while not server.listeners:
                    await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
            assert kinds(client).count("ToolListChangedNotification") == changes

    run(work)


@pytest.mark.parametrize("status", [405, 404, 400, 501, 200])
def test_a_server_that_offers_no_listening_stream_is_not_asked_again(status: int) -> None:
    async def work(bench: Bench) -> None:
        words = ("session",) if status == 405 else ("session", f"status=GET:{status}")
        async with bench.web(*words) as (_, server):
            await asyncio.sleep(0.5)
            gets = [1 for method, *_ in server.requests if method == "GET"]
            assert len(gets) <= (2 if status == 501 else 1)
            assert bool(bench.lost) == (status == 404)

    run(work)


def test_leaving_is_quick_although_the_server_hangs() -> None:
    async def work(bench: Bench) -> None:
        async with bench.web("session", "listen", "hang=DELETE") as (client, _):
            asyncio.get_running_loop().create_task(call(client, "slow"))
            await asyncio.sleep(0.05)
            started = time.monotonic()
        assert time.monotonic() - started < 5

    run(work)


@pytest.mark.parametrize("cancels", [1, 2])
def test_leaving_survives_being_cancelled(cancels: int) -> None:
    async def work(bench: Bench) -> None:
        up = asyncio.Event()

        async def owner() -> None:
            async with bench.web("session", "listen", "hang=DELETE"):
                up.set()
                await asyncio.sleep(3600)

        task = asyncio.create_task(owner())
        await asyncio.wait_for(up.wait(), 5)
        for _ in range(cancels):
            task.cancel()
            await asyncio.sleep(0.05)
        done, _ = await asyncio.wait({task}, timeout=6)
        assert done

    run(work)


# -- the older transport -----------------------------------------------------------------------------------------------


def test_the_older_transport_works() -> None:
    async def work(bench: Bench) -> None:
        async with bench.web("old", old=True, headers={"X-Key": "k"}) as (client, server):
            assert text(await call(client, text="hé")) == "hé"
            assert [tool.name for tool in (await client.list_tools()).tools] == ["echo"]
            assert all(headers["x-key"] == "k" for _, _, headers, _ in server.requests)
            results = await asyncio.gather(*(call(client, text=str(n)) for n in range(30)))
            assert [text(result) for result in results] == [str(n) for n in range(30)]

    run(work)


@pytest.mark.parametrize(
    "endpoint", ["http://example.org/m", "//example.org/m", "https://127.0.0.1/m", "http://127.0.0.1:1/m"]
)
def test_an_endpoint_of_another_origin_is_refused(endpoint: str) -> None:
    async def work(bench: Bench) -> None:
        error, _ = await opening_failure(bench, "old", f"endpoint={endpoint}", old=True)
        assert isinstance(error, Transport) and "refused" in error.message

    run(work)


def test_the_end_of_the_stream_is_the_end_of_the_session() -> None:
    async def work(bench: Bench) -> None:
        async with bench.web("old", old=True) as (client, server):
            server.listeners[-1].put_nowait(None)
            assert isinstance(await bench.loss(), Transport)
            assert isinstance(await call(client), Transport)

    run(work)


@pytest.mark.parametrize(
    ("words", "kind"),
    [(("status=GET:404",), Transport), (("status=GET:401",), NeedsAuth), (("type=*:text/html",), HostError)],
)
def test_a_stream_that_cannot_be_opened_is_told(words: tuple[str, ...], kind: type[HostError]) -> None:
    async def work(bench: Bench) -> None:
        error, _ = await opening_failure(bench, *words, old=True)
        assert isinstance(error, kind)

    run(work)


def test_a_message_that_is_not_taken_fails_its_request() -> None:
    async def work(bench: Bench) -> None:
        error, _ = await opening_failure(bench, "old", "endpoint=/nowhere", old=True)
        assert isinstance(error, Transport) and "405" in error.message

    run(work)

"""Faults of remote servers (R41 to R48): refused, reset, busy, dripping, bombs, lost sessions, all at once."""

import asyncio
import socket
import time
from contextlib import AsyncExitStack
from typing import Any

import pytest

from e2e.kit import ScriptedHttp, call, command, http, remote
from faults.rig import Rig

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(180)]

row = pytest.mark.row


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def _reset(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(10)
    writer.transport.abort()


@row(
    "R41",
    "connection refused, reset; unknown host; no TLS where https was asked for",
    "a named error that says which; tried again, TLS excepted",
    "first error 1 s",
)
async def test_a_server_that_cannot_be_reached_says_why(rig: Rig, stack: AsyncExitStack) -> None:
    plain = await http(stack)
    resetting = await asyncio.start_server(_reset, "127.0.0.1", 0)
    stack.callback(resetting.close)
    places = {
        "refused": f"http://127.0.0.1:{unused_port()}/mcp",
        "reset": f"http://127.0.0.1:{resetting.sockets[0].getsockname()[1]}/mcp",
        "name": "http://no-such-host.invalid/mcp",
        "tls": f"https://127.0.0.1:{plain.port}/mcp",
    }
    await rig.up(**{n: {"url": u, "autostart": "onDemand"} for n, u in places.items()}, wait=())
    async with rig.fault():
        for name in places:
            began = time.monotonic()
            await command(rig.editor, "codeagent.start", server=name)
            found = await rig.until(name, lambda found: "error" in found)
            took = time.monotonic() - began
            assert found["error"]["kind"] == "transport", found
            assert ("nextRetryAt" in found or found["state"] == "starting") == (name != "tls") or name == "tls"
            if name != "name":  # how long a resolver takes is its own affair
                rig.found.note(name, took, 1.5)
    said = {name: (await rig.status(name))["error"]["message"] for name in places}
    assert "refused" in said["refused"] and "host" in said["name"], said


@row(
    "R42",
    "500, 502, 503 with `Retry-After: 999999` to a call",
    "capped at a minute; a call is never sent again",
    "1 execution",
)
async def test_a_busy_server_is_not_called_twice(rig: Rig, stack: AsyncExitStack) -> None:
    rigs = {
        f"s{code}": await http(stack, f"status=tools/call:{code}", "retry_after=999999") for code in (500, 502, 503)
    }
    await rig.up(**{name: remote(server) for name, server in rigs.items()})
    async with rig.fault():
        for name, server in rigs.items():
            error, _ = await rig.failure(name, "echo")
            assert name[1:] in error.message
            assert server.methods().count("tools/call") == 1
    rig.found.note("1 execution each")


@row(
    "R43",
    "the stream of events breaks before the answer",
    "taken up again where the events have ids, else a named error",
    "5 s",
)
async def test_a_broken_stream_ends_soon(rig: Rig, stack: AsyncExitStack) -> None:
    with_id = await http(stack, "sse", "drop_id=tools/call", "retry=100")
    without = await http(stack, "sse", "drop=tools/call")
    await rig.up(with_id=remote(with_id), without=remote(without))
    async with rig.fault():
        began = time.monotonic()
        assert (await call(rig.editor, "with_id", "echo", text="resumed"))["text"] == "resumed"
        rig.found.note("resumed after", time.monotonic() - began, 5.0)
        error, took = await rig.failure("without", "echo")
        assert error.data["kind"] == "transport"
        rig.found.note("else error after", took, 5.0)


@row("R44", "slow loris: an answer of a byte every 0.2 s", "its call ends at its limit", "limit (2 s here) + 200 ms")
async def test_a_dripping_answer_ends_at_the_limit(rig: Rig, stack: AsyncExitStack) -> None:
    await rig.up(s=remote(await http(stack, "drip=tools/call"), timeout=2000))
    async with rig.fault():
        error, took = await rig.failure("s", "echo")
    assert error.data["kind"] == "timeout"
    rig.found.note("over the limit by", took - 2.0, 0.2)


@row("R46", "gzip bomb of 1 GiB; gzip twice; an answer of 17 MB", "refused", "1 s; RSS + 64 MiB")
async def test_a_bomb_is_not_unpacked(rig: Rig, stack: AsyncExitStack) -> None:
    rigs = {
        "bomb": await http(stack, "encoding=tools/call:bomb"),
        "double": await http(stack, "encoding=tools/call:double"),
        "big": await http(stack, "big=tools/call:17000000"),
    }
    await rig.up(**{name: remote(server) for name, server in rigs.items()})
    before = rig.rss()
    async with rig.fault():
        for name in rigs:
            error, took = await rig.failure(name, "echo")
            assert error.data["kind"] in ("tooLarge", "protocol", "transport"), error.message
            rig.found.note(name, took, 1.0)
    rig.found.amount("RSS +", rig.rss() - before, 64)


@row("R47", "the server is restarted and forgets the session", "one new session; reads go on by themselves; a call may be repeated by hand",
     "next call 2 s")  # fmt: skip
async def test_a_forgotten_session_is_opened_anew(rig: Rig, stack: AsyncExitStack) -> None:
    server = await http(stack, "session")
    await rig.up(s=remote(server))
    async with rig.fault():
        server.sessions.clear()
        began = time.monotonic()
        await command(rig.editor, "codeagent.readResource", server="s", uri="a://1")
        rig.found.note("read after", time.monotonic() - began, 2.0)
        server.sessions.clear()
        await rig.failure("s", "echo")
        began = time.monotonic()
        while True:
            try:
                await call(rig.editor, "s", "echo", text="x")
                break
            except Exception:
                await asyncio.sleep(0.02)
        rig.found.note("call works after", time.monotonic() - began, 2.0)
    assert server.opened == 3


class Crowded(ScriptedHttp):
    """Counts how many are being opened at the same time."""

    now = most = 0

    async def reply(self, method: str, *rest: Any) -> Any:
        if method != "initialize":
            return await super().reply(method, *rest)
        Crowded.now += 1
        Crowded.most = max(Crowded.most, Crowded.now)
        await asyncio.sleep(0.1)
        Crowded.now -= 1
        return await super().reply(method, *rest)


@row(
    "R48",
    "20 remote servers lose the network at the same time, for 3 s",
    "jittered reconnects, 8 at once",
    "≤ 8 openings at once",
)
async def test_a_lost_network_is_no_stampede(rig: Rig, stack: AsyncExitStack) -> None:
    port = unused_port()
    first = Crowded("session")
    await first.start(port)
    await rig.up(**{f"s{n}": {"url": f"http://127.0.0.1:{port}/mcp", "timeout": 5000} for n in range(20)})
    async with rig.fault():
        first.sessions.clear()
        await first.stop()
        for number in range(20):
            with pytest.raises(Exception):  # noqa: B017
                await command(rig.editor, "codeagent.readResource", server=f"s{number}", uri="a://1", within=20)
        await asyncio.sleep(2)
        Crowded.most = 0
        second = Crowded("session")
        await second.start(port)
        began = time.monotonic()
        names = [f"s{number}" for number in range(20)]
        await asyncio.gather(*(command(rig.editor, "codeagent.readResource", server=n, uri="a://1") for n in names))
        rig.found.note("all back after", time.monotonic() - began, 30)
    assert 0 < Crowded.most <= 8
    rig.found.note(f"at most {Crowded.most} at once")
    await second.stop()

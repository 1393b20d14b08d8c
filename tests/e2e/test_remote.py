"""Servers over streamable HTTP."""

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

import real_servers
from e2e.scripts import servers
from editor_client import EditorClient

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

SDK_HTTP = Path(__file__).resolve().parent.parent / "servers" / "sdk_http.py"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@asynccontextmanager
async def listening(*argv: str, port: int, env: dict[str, str] | None = None) -> AsyncIterator[None]:
    """A process that listens on a loopback port, for as long as the block runs."""
    process = await asyncio.create_subprocess_exec(
        *argv, env={**os.environ, **(env or {})}, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        with anyio.fail_after(30):
            while True:
                try:
                    await (await anyio.connect_tcp("127.0.0.1", port)).aclose()
                    break
                except OSError:
                    await anyio.sleep(0.05)
        yield
    finally:
        process.kill()
        await process.wait()


async def test_a_header_with_a_variable_opens_a_guarded_server(editor: EditorClient, workspace: Path) -> None:
    port = free_port()
    entry = {
        "type": "http",
        "url": f"http://127.0.0.1:{port}/mcp",
        "headers": {"Authorization": "Bearer ${GUARD_TOKEN}"},
        "autoApprove": ["*"],
    }
    async with listening(sys.executable, str(SDK_HTTP), str(port), "s3cret-token", port=port):
        await editor.start(
            workspace, user_config=servers(guarded=entry), options={"variables": {"GUARD_TOKEN": "s3cret-token"}}
        )
        listed = await editor.command("codeagent.listTools", waitMs=20000)
        assert {tool["tool"] for tool in listed["tools"]} >= {"whoami", "count"}
        result = await editor.command("codeagent.callTool", name="mcp__guarded__whoami")
        assert result["text"] == "a friend"
        read = await editor.command("codeagent.readResource", server="guarded", uri="guarded://motd")
        assert read["contents"][0]["text"] == "well done"
        await editor.command("codeagent.callTool", token="t1", name="mcp__guarded__count", arguments={"to": 3})
        shown = editor.progress("t1")
        assert shown[0]["kind"] == "begin"
        assert shown[-1]["kind"] == "end"
        for command in ("codeagent.status", "codeagent.effectiveConfig", "codeagent.logs"):
            params = {"server": "guarded"} if command == "codeagent.effectiveConfig" else {}
            assert "s3cret-token" not in str(await editor.command(command, **params))
        await editor.stop()


async def test_a_wrong_token_is_needs_auth_and_never_shown(editor: EditorClient, workspace: Path) -> None:
    port = free_port()
    entry = {"url": f"http://127.0.0.1:{port}/mcp", "headers": {"Authorization": "Bearer ${GUARD_TOKEN}"}}
    async with listening(sys.executable, str(SDK_HTTP), str(port), "right", port=port):
        await editor.start(
            workspace, user_config=servers(guarded=entry), options={"variables": {"GUARD_TOKEN": "wrong-token-0"}}
        )
        seen = await editor.wait_for(
            "codeagent/statusChanged",
            lambda params: any(server["state"] == "needsAuth" for server in params["servers"]),
            within=20,
        )
        error = next(server for server in seen["servers"] if server["state"] == "needsAuth")["error"]
        assert "401" in error["message"]
        assert "wrong-token-0" not in str(await editor.command("codeagent.logs"))
        await editor.stop()


async def test_an_unset_variable_fails_that_server_before_anything_is_sent(
    editor: EditorClient, workspace: Path
) -> None:
    entry = {"url": "http://127.0.0.1:9/mcp", "headers": {"Authorization": "Bearer ${NOT_SET_ANYWHERE}"}}
    await editor.start(workspace, user_config=servers(guarded=entry))
    status = (await editor.command("codeagent.status"))["servers"][0]
    assert status["state"] == "failed"
    for word in ("NOT_SET_ANYWHERE", "headers.Authorization", "~/.env"):
        assert word in status["error"]["message"] + status["error"].get("hint", "")


async def test_server_everything_over_streamable_http(editor: EditorClient, workspace: Path) -> None:
    port = free_port()
    argv = [*real_servers.command("everything"), "streamableHttp"]
    async with listening(*argv, port=port, env={"PORT": str(port)}):
        entry = {"url": f"http://127.0.0.1:{port}/mcp", "autoApprove": ["*"]}
        await editor.start(workspace, user_config=servers(everything=entry))
        await editor.command("codeagent.listTools", waitMs=30000)
        result = await editor.command("codeagent.callTool", name="mcp__everything__echo", arguments={"message": "x"})
        assert result["text"] == "Echo: x"
        status = (await editor.command("codeagent.status"))["servers"][0]
        assert status["transport"] == "http"
        assert "pid" not in status
        resources = (await editor.command("codeagent.listResources"))["resources"]
        read = await editor.command("codeagent.readResource", server="everything", uri=resources[0]["uri"])
        assert read["contents"][0]["size"] > 0
        await editor.stop()

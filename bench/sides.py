"""The sides of the benchmark, each with the same four verbs: start some servers, call a tool, weigh, stop.

Every side runs the same MCP servers, named `s0`, `s1`, ..., from a list of argv.
"""

import asyncio
import json
import os
import socket
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Protocol

from processes import host_kib

from lsp_client import Client

ROOT = Path(__file__).resolve().parent.parent
NODE = ROOT / ".tools" / "bin" / "node"
ECHO = [str(NODE), str(ROOT / "bench" / "echo.mjs")]
SERVERS = ROOT / ".tools" / "npm" / "npm-servers" / "node_modules" / "@modelcontextprotocol"
EVERYTHING = [str(NODE), str(SERVERS / "server-everything" / "dist" / "index.js")]
HUB = ROOT / ".tools" / "npm" / "mcp-hub" / "node_modules" / "mcp-hub" / "dist" / "cli.js"
READY_SECONDS = 120


class Side(Protocol):
    """One host that runs MCP servers."""

    name: str

    async def start(self, servers: list[list[str]]) -> None:
        """Start the host with these servers; returns when all of them are ready."""
        ...

    async def call(self, text: str) -> str:
        """Call `echo` of the first server."""
        ...

    def kib(self, server_mark: str) -> int:
        """Resident memory of the host, without the servers."""
        ...

    async def stop(self) -> None:
        """Stop the host and its servers."""
        ...


def private(folder: str) -> dict[str, str]:
    """An environment in which a host finds and leaves nothing of the user's."""
    names = ("CODEAGENT_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")
    return {**os.environ, **{name: f"{folder}/{name.lower()}" for name in names}}


def entries(servers: list[list[str]]) -> dict[str, Any]:
    """A list of argv as a config file."""
    return {"mcpServers": {f"s{n}": {"command": argv[0], "args": argv[1:]} for n, argv in enumerate(servers)}}


class Ours:
    """codeagent-lsp over stdio, with the servers in the user's own config file."""

    name = "codeagent-lsp"

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="bench-ours-")
        self._client = Client()

    async def launch(self, servers: list[list[str]]) -> None:
        """Start the process and wait for the answer to `initialize` only."""
        environment = private(self._folder.name)
        config = Path(environment["CODEAGENT_HOME"], "mcp.json")
        config.parent.mkdir(parents=True)
        config.write_text(json.dumps(entries(servers)))
        workspace = Path(self._folder.name, "workspace")
        workspace.mkdir()
        null = asyncio.subprocess.DEVNULL
        await self._client.start(sys.executable, "-m", "codeagent_lsp", env=environment, stderr=null)
        await self._client.initialize(workspace, {"workspaceTrust": True})

    async def start(self, servers: list[list[str]]) -> None:
        await self.launch(servers)
        listed = await self._client.command("listTools", {"waitMs": READY_SECONDS * 1000})
        names = {tool["server"] for tool in listed["tools"]}
        if listed["pending"] or len(names) != len(servers):
            raise RuntimeError(f"only {len(names)} of {len(servers)} servers are ready: {listed['pending']}")

    async def call(self, text: str) -> str:
        result = await self._client.command("callTool", {"server": "s0", "tool": "echo", "arguments": {"text": text}})
        return result["text"]

    def kib(self, server_mark: str) -> int:
        return host_kib(self._client.process.pid, server_mark)

    async def stop(self) -> None:
        await self._client.stop()
        self._folder.cleanup()


class Hub:
    """mcp-hub over its HTTP interface on a loopback port, one kept connection for each caller at work."""

    name = "mcp-hub"

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="bench-hub-")
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def start(self, servers: list[list[str]]) -> None:
        config = Path(self._folder.name, "servers.json")
        config.write_text(json.dumps(entries(servers)))
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port: int = free.getsockname()[1]
        argv = [str(NODE), str(HUB), "--port", str(self._port), "--config", str(config)]
        null = asyncio.subprocess.DEVNULL
        self._process = await asyncio.create_subprocess_exec(
            *argv, stdin=null, stdout=null, stderr=null, env=private(self._folder.name)
        )
        async with asyncio.timeout(READY_SECONDS):
            while not await self._is_ready(len(servers)):
                await asyncio.sleep(0.02)

    async def _is_ready(self, count: int) -> bool:
        try:
            health = await self._ask("GET", "/api/health", None)
        except OSError:
            return False
        states = [server["status"] for server in health["servers"]]
        return len(states) == count and set(states) == {"connected"}

    async def _ask(self, verb: str, path: str, body: Any) -> Any:
        reader, writer = self._idle.pop() if self._idle else await asyncio.open_connection("127.0.0.1", self._port)
        data = b"" if body is None else json.dumps(body).encode()
        head = f"{verb} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)
        length = 0
        while line := (await reader.readline()).strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        answer = json.loads(await reader.readexactly(length))
        self._idle.append((reader, writer))
        return answer

    async def call(self, text: str) -> str:
        body = {"server_name": "s0", "tool": "echo", "arguments": {"text": text}}
        answer = await self._ask("POST", "/api/servers/tools", body)
        return answer["result"]["content"][0]["text"]

    def kib(self, server_mark: str) -> int:
        return host_kib(self._process.pid, server_mark)

    async def stop(self) -> None:
        for _reader, writer in self._idle:
            writer.close()
        self._process.terminate()
        try:
            async with asyncio.timeout(10):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
        self._folder.cleanup()


class Direct:
    """The `mcp` package's own client in this process, without any host between."""

    name = "mcp client"

    async def start(self, servers: list[list[str]]) -> None:
        from mcp.client import Client as McpClient
        from mcp.client.stdio import StdioServerParameters

        self._stack = AsyncExitStack()
        parameters = StdioServerParameters(command=servers[0][0], args=servers[0][1:])
        self._client = await self._stack.enter_async_context(McpClient(parameters))
        await self._client.list_tools()

    async def call(self, text: str) -> str:
        result = await self._client.call_tool("echo", {"text": text})
        return getattr(result.content[0], "text", "")

    def kib(self, server_mark: str) -> int:
        return 0

    async def stop(self) -> None:
        await self._stack.aclose()

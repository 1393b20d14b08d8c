"""The sides of the figures of mentions: codeagent-lsp with many resources, and a bare pygls server."""

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sides import ROOT, private

from lsp_client import Client

PATIENCE = 120.0


class Server:
    """A language server process with some documents open; what it publishes is kept by document."""

    def __init__(self) -> None:
        self.published: dict[str, list[dict[str, Any]]] = {}
        self.client = Client(hear=self._hear)
        self._version = 1

    def _hear(self, method: str, params: dict[str, Any]) -> None:
        if method == "textDocument/publishDiagnostics":
            self.published[params["uri"]] = params["diagnostics"]

    async def open(self, uri: str, text: str) -> None:
        """Open a document, and wait until the server has read it."""
        item = {"uri": uri, "languageId": "markdown", "version": 1, "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": item})
        await self.client.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": at(0, 0)})

    async def ask(self, method: str, uri: str, position: dict[str, int] | None = None) -> float:
        """How long a request takes, in milliseconds."""
        params = {"textDocument": {"uri": uri}, **({"position": position} if position else {})}
        began = time.perf_counter()
        await self.client.request(f"textDocument/{method}", params)
        return (time.perf_counter() - began) * 1000

    async def change(self, uri: str, where: dict[str, int], text: str, told: Callable[[str], bool]) -> float:
        """How long it takes from the change of one character to diagnostics that are of the new text."""
        self._version += 1
        change = {"range": {"start": where, "end": {**where, "character": where["character"] + 1}}, "text": text}
        document = {"uri": uri, "version": self._version}
        began = time.perf_counter()
        self.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        while not any(told(item["message"]) for item in self.published.get(uri, ())):
            await self.client.heard.wait()
        return (time.perf_counter() - began) * 1000


def at(line: int, character: int) -> dict[str, int]:
    """A position."""
    return {"line": line, "character": character}


@asynccontextmanager
async def library() -> AsyncIterator[str]:
    """The MCP servers; gives the address that they share."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, ROOT / "bench" / "library.py", stdin=pipe, stdout=pipe
    )
    assert process.stdout and process.stdin
    yield f"http://127.0.0.1:{int(await process.stdout.readline())}"
    process.stdin.close()
    await process.wait()


@asynccontextmanager
async def ours(address: str, servers: int, each: int) -> AsyncIterator[Server]:
    """codeagent-lsp, connected to `servers` servers with `each` resources, all of them listed."""
    with tempfile.TemporaryDirectory(prefix="bench-language-") as folder:
        environment = private(folder)
        config = Path(environment["CODEAGENT_HOME"], "mcp.json")
        config.parent.mkdir(parents=True)
        entry = {"type": "http", "url": f"{address}/{each}/mcp", "protocol": "legacy"}
        config.write_text(json.dumps({"mcpServers": {f"server{number:02d}": entry for number in range(servers)}}))
        server = Server()
        null = asyncio.subprocess.DEVNULL
        await server.client.start(sys.executable, "-m", "codeagent_lsp", env=environment, stderr=null)
        workspace = Path(folder, "workspace")
        workspace.mkdir()
        await server.client.initialize(workspace, {"workspaceTrust": True})
        async with asyncio.timeout(PATIENCE):
            while True:
                found = (await server.client.command("status"))["servers"]
                ready = [item for item in found if item["state"] == "ready" and item["resources"] == each]
                if len(ready) == servers:
                    break
                await asyncio.sleep(0.05)
        yield server
        await server.client.stop()


@asynccontextmanager
async def bare(items: Any) -> AsyncIterator[Server]:
    """A pygls server that always answers with this list."""
    with tempfile.TemporaryDirectory(prefix="bench-bare-") as folder:
        path = Path(folder, "list.json")
        path.write_text(json.dumps(items))
        server = Server()
        script = ROOT / "bench" / "bare_completion.py"
        null = asyncio.subprocess.DEVNULL
        await server.client.start(sys.executable, script, path, env=private(folder), stderr=null)
        await server.client.initialize(Path(folder), {})
        yield server
        await server.client.stop()

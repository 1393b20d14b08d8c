"""A small language client over stdio, as the demo and the benchmark need it: requests, notifications, answers."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

Answer = Callable[[dict[str, Any]], Awaitable[Any]]
Hear = Callable[[str, dict[str, Any]], None]


class ServerSaidNo(Exception):
    """The server answered with an error: `message` for a person, `kind` for a program."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error.get("message", "error"))
        self.message: str = error.get("message", "error")
        self.kind: str = (error.get("data") or {}).get("kind", "")


class Client:
    """One connection to a language server. `answers`: what to do with its requests; `hear`: its notifications."""

    def __init__(self, answers: dict[str, Answer] | None = None, hear: Hear | None = None) -> None:
        self._answers = answers or {}
        self._hear = hear or (lambda method, params: None)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._number = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self.heard = asyncio.Event()
        """Set, and cleared at once, whenever a notification has come: who waits looks again."""
        self.process: asyncio.subprocess.Process
        self.capabilities: dict[str, Any] = {}

    async def start(self, *argv: str | Path, env: dict[str, str], stderr: Any = None) -> None:
        """Start the server's process and the task that reads from it."""
        pipe = asyncio.subprocess.PIPE
        self.process = await asyncio.create_subprocess_exec(
            *[str(word) for word in argv], stdin=pipe, stdout=pipe, stderr=stderr, env=env
        )
        self._spawn(self._read())

    async def initialize(self, folder: Path, options: dict[str, Any]) -> None:
        """Open a workspace of one folder."""
        uri = folder.resolve().as_uri()
        capabilities = {
            "window": {"workDoneProgress": True, "showMessage": {"messageActionItem": {}}},
            "workspace": {"workspaceFolders": True, "configuration": True},
            "textDocument": {"completion": {}},
            "experimental": {"codeagent": {"protocol": 1}},
        }
        params = {
            "processId": None,
            "clientInfo": {"name": "codeagent-demo", "version": "1"},
            "rootUri": uri,
            "workspaceFolders": [{"uri": uri, "name": folder.name}],
            "capabilities": capabilities,
            "initializationOptions": options,
        }
        self.capabilities = (await self.request("initialize", params))["capabilities"]
        self.notify("initialized", {})

    async def command(self, name: str, params: dict[str, Any] | None = None, **more: Any) -> Any:
        """Run one of our workspace commands, by its short name."""
        call = {"command": f"codeagent.{name}", "arguments": [params or {}], **more}
        return await self.request("workspace/executeCommand", call)

    async def request(self, method: str, params: Any) -> Any:
        """Ask the server. Raises `ServerSaidNo` where it answers with an error."""
        self._number += 1
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[self._number] = answer
        self._send({"id": self._number, "method": method, "params": params})
        return await answer

    def notify(self, method: str, params: Any) -> None:
        """Tell the server."""
        self._send({"method": method, "params": params})

    async def stop(self) -> int:
        """Shut down as LSP says, and return the exit code; a server that does not end within 10 s is killed."""
        try:
            async with asyncio.timeout(10):
                await self.request("shutdown", None)
                self.notify("exit", None)
                return await self.process.wait()
        except (TimeoutError, ConnectionError):
            self.process.kill()
            return await self.process.wait()

    async def end(self) -> None:
        """Kill the process if it still runs, and wait until nothing of it is left here."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _read(self) -> None:
        assert self.process.stdout
        try:
            while True:
                length = 0
                while (line := (await self.process.stdout.readline()).strip()) or not length:
                    if self.process.stdout.at_eof():
                        return
                    name, _, value = line.partition(b":")
                    length = int(value) if name.lower() == b"content-length" else length
                self._take(json.loads(await self.process.stdout.readexactly(length)))
        finally:
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(ConnectionError("the language server has ended"))

    def _take(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            waiting = self._waiting.pop(message["id"], None)
            if waiting is None or waiting.done():
                return
            if "error" in message:
                waiting.set_exception(ServerSaidNo(message["error"]))
            else:
                waiting.set_result(message.get("result"))
        elif "id" in message:
            self._spawn(self._answer(message))
        else:
            self._hear(message["method"], message.get("params") or {})
            self.heard.set()
            self.heard.clear()

    async def _answer(self, message: dict[str, Any]) -> None:
        answer = self._answers.get(message["method"])
        if answer is not None:
            result = await answer(message.get("params") or {})
        elif message["method"] == "workspace/configuration":
            result = [None] * len(message["params"]["items"])
        else:
            result = None
        self._send({"id": message["id"], "result": result})

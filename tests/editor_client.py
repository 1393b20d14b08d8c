"""A scripted editor: a strict LSP client that records what it is shown and asked, and answers as it is told."""

import asyncio
import inspect
import json
import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

SILENCE = object()
"""An answer that never comes."""


class LspError(Exception):
    """The server answered with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.data: Any = error.get("data")


class Violation(AssertionError):
    """The server sent bytes that are not LSP."""


class StrictReader:
    """Frames and JSON as the specifications have them, and nothing that merely could be understood."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        self._buffer += data
        messages: list[dict[str, Any]] = []
        while (message := self._next()) is not None:
            messages.append(message)
        return messages

    def _next(self) -> dict[str, Any] | None:
        end = self._buffer.find(b"\r\n\r\n")
        head = bytes(self._buffer[: 200 if end < 0 else end])
        if not head.startswith(b"Content-Length: "[: len(head)]):
            raise Violation(f"not a header: {head[:200]!r}")
        if end < 0:
            return None
        length = head.removeprefix(b"Content-Length: ")
        if not length.isdigit():
            raise Violation(f"not a header: {head[:200]!r}")
        begin = end + 4
        if len(self._buffer) - begin < int(length):
            return None
        body = bytes(self._buffer[begin : begin + int(length)])
        del self._buffer[: begin + int(length)]
        return read_strictly(body)


def read_strictly(body: bytes) -> dict[str, Any]:
    """One JSON-RPC message: UTF-8, no NaN, no duplicate key, no lone surrogate."""

    def refuse(name: str) -> None:
        raise Violation(f"{name} is not JSON")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) != len(pairs):
            raise Violation(f"duplicate keys in {[key for key, _ in pairs]}")
        return dict(pairs)

    message = json.loads(body.decode("utf-8"), parse_constant=refuse, object_pairs_hook=unique)
    json.dumps(message, ensure_ascii=False).encode("utf-8")  # raises on lone surrogates
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise Violation(f"not JSON-RPC: {body[:200]!r}")
    if "method" not in message and ("id" not in message or ("result" in message) == ("error" in message)):
        raise Violation(f"a response has an id, and a result or an error: {body[:200]!r}")
    return message


def frame(message: object) -> bytes:
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class Call:
    """A request under way: await it for the result."""

    def __init__(self, number: int, future: "asyncio.Future[Any]", within: float) -> None:
        self.id, self.future, self._within = number, future, within

    def __await__(self) -> Any:
        return asyncio.wait_for(asyncio.shield(self.future), self._within).__await__()


class EditorClient:
    """The editor. `open_wire` starts the server and gives the two directions; `close_wire` waits for its end."""

    def __init__(
        self,
        open_wire: Callable[[], Awaitable[tuple[Callable[[bytes], Awaitable[None]], Callable[[], Awaitable[bytes]]]]],
        wait_closed: Callable[[float], Awaitable[int | None]],
        hang_up: Callable[[], None],
        home: Path,
    ) -> None:
        self.home = home
        self._open_wire, self._wait_closed, self._hang_up = open_wire, wait_closed, hang_up
        self._calls: dict[int, asyncio.Future[Any]] = {}
        self._count = 0
        self._shut_down = False
        self._answers: dict[str, Any] = {}
        self._seen: list[tuple[str, Any]] = []
        self._arrived = asyncio.Condition()
        self._reading: asyncio.Task[None] | None = None
        self._answering: set[asyncio.Task[None]] = set()
        self._workspace: Path | None = None
        self.questions: list[tuple[str, Any]] = []
        self.cancelled_questions: list[Any] = []
        self.unreadable: list[dict[str, Any]] = []
        self.registrations: list[dict[str, Any]] = []
        self.violation: BaseException | None = None
        self.sends_garbage = False  # then the server may well answer what was never asked
        self.settings: dict[str, Any] = {}
        self.initialize_result: dict[str, Any] = {}
        self.exit_code: int | None = None

    # The life of the server

    async def open(self) -> None:
        """Start the server, and say nothing to it yet."""
        if self._reading is None:
            self._send, self._receive = await self._open_wire()
            self._reading = asyncio.create_task(self._read())

    async def start(
        self,
        workspace: Path | Sequence[Path] | None = None,
        *,
        user_config: object = None,
        project_config: object = None,
        workspace_trust: Any = True,
        features: Sequence[str] = (),
        answers: dict[str, Any] | None = None,
        options: dict[str, Any] | None = None,
        capabilities: dict[str, Any] | None = None,
        initialize: dict[str, Any] | None = None,
    ) -> "EditorClient":
        """Write the config files, start the server, and introduce the editor with `workspace` open.

        `options` is added to `initializationOptions`, `initialize` to the params as a whole. What `answers` has an
        answer for counts as a feature.
        """
        folders = [] if workspace is None else [workspace] if isinstance(workspace, Path) else list(workspace)
        if user_config is not None:
            write_json(self.home / ".codeagent" / "mcp.json", user_config)
        if project_config is not None:
            write_json(folders[0] / ".codeagent" / "mcp.json", project_config)
        self._answers.update(answers or {})
        named = [name.removeprefix("codeagent/") for name in self._answers if name.startswith("codeagent/")]
        await self.open()
        self.initialize_result = await self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": folders[0].as_uri() if folders else None,
                "workspaceFolders": [{"uri": item.as_uri(), "name": item.name} for item in folders] or None,
                "capabilities": capabilities if capabilities is not None else usual_capabilities(),
                "initializationOptions": {
                    "clientFeatures": sorted({*features, *named}),
                    "workspaceTrust": workspace_trust,
                    **(options or {}),
                },
                **(initialize or {}),
            },
        )
        await self.notify("initialized", {})
        return self

    async def stop(self, within: float = 8) -> int | None:
        """`shutdown` and `exit`. Returns the exit code; raises what the server sent that was not LSP."""
        if self._reading is None or self.exit_code is not None:
            return self.exit_code
        if not self._reading.done():
            if self.initialize_result and not self._shut_down:
                await self.request("shutdown", None, within=within)
            await self.notify("exit")
        return await self.wait_closed(within)

    async def wait_closed(self, within: float = 8) -> int | None:
        """Wait for the server's end. Returns its exit code."""
        self.exit_code = await self._wait_closed(within)
        if self._reading is not None:
            await asyncio.wait({self._reading}, timeout=within)
        if self.violation is not None:
            raise self.violation
        return self.exit_code

    async def close(self) -> None:
        """Leave without a word, as an editor that crashed."""
        if self._reading is not None and self.exit_code is None:
            self._hang_up()
            await self.wait_closed()

    # Talking

    async def send(self, data: bytes) -> None:
        """Any bytes, as they are."""
        await self._send(data)

    async def notify(self, method: str, params: Any = None) -> None:
        await self._send(frame({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})}))

    async def begin(self, method: str, params: Any = None, within: float = 10) -> Call:
        """Send a request, and leave its result for later."""
        if self.violation is not None:
            raise self.violation
        self._count += 1
        self._shut_down |= method == "shutdown"
        call = Call(self._count, asyncio.get_running_loop().create_future(), within)
        self._calls[call.id] = call.future
        await self._send(frame({"jsonrpc": "2.0", "id": call.id, "method": method, "params": params}))
        return call

    async def request(self, method: str, params: Any = None, within: float = 10) -> Any:
        """The result of a request. Raises `LspError` for an error, `TimeoutError` for silence."""
        return await (await self.begin(method, params, within))

    async def begin_command(self, command: str, /, token: int | str | None = None, **params: Any) -> Call:
        """Send a command, and leave its result for later."""
        given = {"command": command, "arguments": [params]}
        return await self.begin("workspace/executeCommand", given | ({} if token is None else {"workDoneToken": token}))

    async def command(self, command: str, /, token: int | str | None = None, **params: Any) -> Any:
        """The result of a command; `token` is the `workDoneToken`."""
        return await (await self.begin_command(command, token, **params))

    async def cancel(self, call: Call) -> None:
        await self.notify("$/cancelRequest", {"id": call.id})

    def answer(self, method: str, answer: Any) -> None:
        """What to answer to a question from now on: JSON, `SILENCE`, an `LspError`, or a function of the params."""
        self._answers[method] = answer

    # What the editor was shown

    def notifications(self, method: str) -> list[Any]:
        """The params of every notification so far, in order."""
        return [params for name, params in self._seen if name == method]

    def progress(self, token: int | str) -> list[dict[str, Any]]:
        """Every step of a progress bar so far."""
        return [params["value"] for params in self.notifications("$/progress") if params["token"] == token]

    def diagnostics(self, uri: str) -> list[dict[str, Any]]:
        """The diagnostics that a document has now."""
        shown = [item for item in self.notifications("textDocument/publishDiagnostics") if item["uri"] == uri]
        return shown[-1]["diagnostics"] if shown else []

    def forget(self) -> None:
        """Forget every notification so far: `wait_for` looks only at later ones."""
        self._seen.clear()

    async def wait_for(self, method: str, predicate: Callable[[Any], bool] = lambda _: True, within: float = 5) -> Any:
        """The params of the first notification (or question) that `predicate` likes, past or to come."""

        def found() -> list[Any]:
            return [params for name, params in [*self._seen, *self.questions] if name == method and predicate(params)]

        try:
            async with asyncio.timeout(within):
                async with self._arrived:
                    await self._arrived.wait_for(lambda: found() or self.violation)
        except TimeoutError:
            raise AssertionError(
                f"no {method} as expected within {within} s; there were {self.notifications(method)}"
            ) from None
        if self.violation is not None:
            raise self.violation
        return found()[0]

    # Listening

    async def _read(self) -> None:
        reader = StrictReader()
        try:
            while data := await self._receive():
                for message in reader.feed(data):
                    self._take(message)
                async with self._arrived:
                    self._arrived.notify_all()
        except Exception as error:
            self.violation = error
        gone = self.violation or ConnectionError("the server is gone")
        for future in self._calls.values():
            if not future.done():
                future.set_exception(gone)
                future.exception()  # nobody need be waiting for it
        async with self._arrived:
            self._arrived.notify_all()

    def _take(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            self._settle(message)
        elif "id" in message:
            task = asyncio.create_task(self._reply(message))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
        else:
            if message["method"] == "$/cancelRequest":
                self.cancelled_questions.append(message["params"]["id"])
            self._seen.append((message["method"], message.get("params")))

    def _settle(self, message: dict[str, Any]) -> None:
        if message["id"] is None:
            self.unreadable.append(message["error"])
            self._seen.append(("unreadable", message["error"]))
            return
        future = self._calls.pop(message["id"], None)
        if future is None:
            if self.sends_garbage:
                return
            raise Violation(f"an answer to nothing: {message}")
        if future.done():
            return
        if "error" in message:
            future.set_exception(LspError(message["error"]))
            future.exception()
        else:
            future.set_result(message["result"])

    async def _reply(self, message: dict[str, Any]) -> None:
        method, params = message["method"], message.get("params")
        self.questions.append((method, params))
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        answer = self._default_answer(method, params) if method not in self._answers else self._answers[method]
        if callable(answer):
            answer = answer(params)
            answer = await answer if inspect.isawaitable(answer) else answer
        if answer is SILENCE:
            return
        if isinstance(answer, LspError):
            reply["error"] = {"code": answer.code, "message": answer.message}
        elif method == "window/showMessageRequest" and isinstance(answer, str):
            reply["result"] = {"title": answer}
        else:
            reply["result"] = answer
        await self._send(frame(reply))

    def _default_answer(self, method: str, params: Any) -> Any:
        if method == "workspace/configuration":
            return [self.settings if item.get("section") == "codeagent" else None for item in params["items"]]
        if method == "client/registerCapability":
            self.registrations += params["registrations"]
        return None


def usual_capabilities() -> dict[str, Any]:
    """What a present-day editor can do."""
    return {
        "workspace": {
            "configuration": True,
            "workspaceFolders": True,
            "didChangeConfiguration": {"dynamicRegistration": True},
            "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
        },
        "window": {"workDoneProgress": True},
        "general": {"positionEncodings": ["utf-16"]},
        "experimental": {"codeagent": {"protocol": 1}},
    }


def write_json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=2), encoding="utf-8")

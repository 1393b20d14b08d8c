"""A language server with nothing behind it: what the LSP floor does by itself. As a script it speaks on stdio."""

import asyncio
import os
import sys
from typing import Any

from lsprotocol import types

from codeagent_lsp.errors import Denied, Timeout
from codeagent_lsp.rpc import HostServer

SECRET = "hunter2-hunter2-hunter2"


class TinyServer(HostServer):
    """Commands that echo, wait, fail and flood; `cancelled` names the handlers that were cancelled."""

    def __init__(self) -> None:
        super().__init__("tiny", "1.0")
        self.cancelled: list[str] = []
        self.received: list[Any] = []
        self.flooded = self.reported = 0
        self.release = asyncio.Event()
        for name in (
            "echo",
            "hang",
            "stubborn",
            "fail",
            "refuse",
            "result",
            "flood",
            "progress",
            "shout",
            "ask",
            "quit",
        ):
            self.add_command(f"tiny.{name}", getattr(self, name))
        self.feature("tiny/echo")(lambda params: params)
        self.feature("tiny/hang")(lambda params: self.hang(params, None))
        self.feature("tiny/note")(lambda params: self.received.append(params))
        self.feature("tiny/failingNote")(lambda params: self.fail(params, None))
        self.feature(types.TEXT_DOCUMENT_HOVER)(self.hover)

    def echo(self, params: Any, token: Any) -> Any:
        return {"params": params, "token": token}

    async def hang(self, params: Any, token: Any) -> Any:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.append("hang")
            raise

    async def stubborn(self, params: Any, token: Any) -> Any:
        while not self.release.is_set():
            try:
                await self.release.wait()
            except asyncio.CancelledError:
                self.cancelled.append("stubborn")
        return "late"

    def fail(self, params: Any, token: Any) -> Any:
        raise RuntimeError(f"no access to {__file__} with {SECRET}")

    def refuse(self, params: dict[str, Any], token: Any) -> Any:
        if params.get("slow"):
            raise Timeout("no answer within 60 s.", server="docs", tool="t", setting="timeout", hint="Raise it.")
        raise Denied("you said no.", server="docs", tool="t")

    def result(self, params: dict[str, Any], token: Any) -> Any:
        results: dict[str, Any] = {
            "none": None,
            "nan": {"a": [float("nan"), float("inf"), -float("inf"), 1.5]},
            "surrogate": {"\ud800": "x\udc00y", "pair": "\ud83d\ude00"},
            "big": 9007199254740993,
            "huge": 2**200,
            "set": {1},
            "object": object(),
            "deep": _deep(5000),
        }
        return results[params["kind"]]

    async def flood(self, params: dict[str, Any], token: Any) -> Any:
        method = params.get("method", "window/logMessage")
        for number in range(params["count"]):
            self.protocol.notify(method, {"type": 4, "message": "x" * 1000, "number": number})
        self.flooded += 1
        return "x" * params.get("size", 0)

    async def progress(self, params: dict[str, Any], token: Any) -> None:
        for number in range(params["count"]):
            value = {"kind": "report", "message": str(number)}
            self.protocol.notify("$/progress", {"token": "t", "value": value})
            self.reported += 1

    def shout(self, params: Any, token: Any) -> Any:
        print("a stray print")
        os.write(1, b"a stray write\n")
        os.system("echo a stray child")
        return sys.stdin.read()

    async def ask(self, params: dict[str, Any], token: Any) -> Any:
        return await self.protocol.send_request_async(params.get("method", "tiny/question"), params)

    def quit(self, params: Any, token: Any) -> Any:
        sys.exit(3)

    def hover(self, params: types.HoverParams) -> types.Hover:
        return types.Hover(types.MarkupContent(types.MarkupKind.PlainText, str(params.position.character)))


def _deep(levels: int) -> Any:
    value: Any = None
    for _ in range(levels):
        value = [value]
    return value


if __name__ == "__main__":
    from types import ModuleType

    from codeagent_lsp.cli import main

    class TinyApp:
        def __init__(self) -> None:
            self.server = TinyServer()

        async def stop(self) -> None:
            print("stopped", file=sys.stderr, flush=True)
            await asyncio.sleep(float(os.environ.get("TINY_STOP", "0")))

    table = ModuleType("codeagent_lsp.handlers")
    table.build = TinyApp  # type: ignore[attr-defined]
    sys.modules[table.__name__] = table
    sys.exit(main())

#!/usr/bin/env python3
"""Shows codeagent-lsp at work, as an editor would drive it: `make demo`.

Starts the language server as a process of its own, opens examples/workspace, answers its questions (and shows what was
asked), and prints what a user would see. The user's own config and approvals are neither read nor changed.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from lsp_client import Client, ServerSaidNo
from paint import Paint, cut

ROOT = Path(__file__).resolve().parent.parent
WORKSPACE = ROOT / "examples" / "workspace"
NOTES = WORKSPACE / "notes.md"
FEATURES = ["approveServer", "approveCall", "elicit"]
DOTS = {
    "ready": ("●", "green"),
    "starting": ("◌", "yellow"),
    "untrusted": ("◌", "yellow"),
    "needsAuth": ("◌", "yellow"),
    "failed": ("✘", "red"),
    "stopped": ("○", "dim"),
    "disabled": ("○", "dim"),
}
DANGER = {"read": "green", "network": "blue", "write": "yellow", "destructive": "red", "unknown": "cyan"}


class Demo:
    """The editor's side of the demo: what it answers, what it heard, and how it shows both."""

    def __init__(self, paint: Paint) -> None:
        self.paint = paint
        answers = {
            "codeagent/approveServer": self.approve_server,
            "codeagent/approveCall": self.approve_call,
            "codeagent/elicit": self.elicit,
        }
        self.client = Client(answers, self.hear)
        self.refused = "delete_note"
        self.states: dict[str, str] = {}
        self.added: list[str] = []

    async def approve_server(self, question: dict[str, Any]) -> dict[str, str]:
        """Show what would be started, and say yes for this session."""
        paint = self.paint
        paint.line(f"{paint('?', 'yellow', 'bold')} May {paint(question['server'], 'bold')} start?")
        for index, word in enumerate(question.get("argv") or [question.get("url", "")]):
            paint.pair("command" if index == 0 else "", str(word).replace(f"{ROOT}/", ""))
        for warning in question["warnings"]:
            paint.pair("warning", warning, "yellow")
        paint.pair("", "→ yes, for this session (the demo answers; an editor asks you)", "dim")
        return {"decision": "session"}

    async def approve_call(self, question: dict[str, Any]) -> dict[str, str]:
        """Show what would be called: yes once, but no to the tool that the demo refuses."""
        paint, capability = self.paint, question["capability"]
        arguments = ", ".join(f"{name}={value!r}" for name, value in question["arguments"].items())
        call = cut(f"{question['tool']}({arguments})", paint.width - 30)
        paint.line(
            f"{paint('?', 'yellow', 'bold')} May {paint(call, 'bold')} run? {paint(capability, DANGER[capability])}"
        )
        if question["tool"] == self.refused:
            paint.pair("", "→ no", "dim")
            return {"decision": "deny"}
        paint.pair("", "→ yes, once", "dim")
        return {"decision": "once"}

    async def elicit(self, question: dict[str, Any]) -> dict[str, Any]:
        """Answer a server's form."""
        self.paint.line(f"{self.paint('?', 'yellow', 'bold')} {question['server']} asks: {question['message']}")
        self.paint.pair("", "→ Ada", "dim")
        return {"action": "accept", "content": {"name": "Ada", "excited": True}}

    def hear(self, method: str, params: dict[str, Any]) -> None:
        """Show progress where it happens; keep what becomes of servers and tools."""
        if method == "codeagent/statusChanged":
            self.states |= {server["server"]: server["state"] for server in params["servers"]}
        elif method == "codeagent/toolsChanged":
            self.added = params["added"]
        elif method == "$/progress" and params["value"]["kind"] == "report":
            value = params["value"]
            percent = value.get("percentage") or 0
            bar = "█" * (percent // 5) + "░" * (20 - percent // 5)
            self.paint.again(f"{self.paint(bar, 'cyan')} {percent:3d} %  {value.get('message', '')}")
        elif method == "window/showMessage":
            self.paint.line(self.paint(params["message"], "yellow"))

    async def until(self, seconds: float, come: Callable[[], bool]) -> bool:
        """Wait until something that `hear` keeps has come; false if it has not within the time."""
        try:
            async with asyncio.timeout(seconds):
                while not come():
                    await self.client.heard.wait()
        except TimeoutError:
            return False
        return True

    def settled(self) -> bool:
        """Whether every server is up, or will not come up by itself."""
        return bool(self.states) and not {"starting", "untrusted"} & set(self.states.values())

    async def call(self, name: str, arguments: dict[str, Any], **more: Any) -> None:
        """Call a tool, and show its answer or why there is none."""
        try:
            result = await self.client.command("callTool", {"name": name, "arguments": arguments}, **more)
        except ServerSaidNo as error:
            self.paint.marked(self.paint("✘", "red"), 1, f"{error.message} ({error.kind})")
            return
        self.paint.quote(result["text"])
        self.paint.line(self.paint(f"{result['durationMs']} ms", "dim"), 4)


async def show_servers(demo: Demo) -> None:
    """Every server, with its state and what it offers."""
    await demo.until(20, demo.settled)
    listed = await demo.client.command("listTools", {"waitMs": 8000})
    status = await demo.client.command("status")
    demo.paint.title("Servers")
    rows: list[list[tuple[str, ...]]] = []
    for server in status["servers"]:
        dot, colour = DOTS[server["state"]]
        offers = [some(server[kind], kind) for kind in ("tools", "resources", "prompts")]
        what = " · ".join([*offers, f"MCP {server.get('protocolVersion', '?')}"])
        if server["state"] != "ready":
            what = (server.get("error") or {}).get("message", server.get("detail") or "")
        rows.append([(dot, colour), (server["server"], "bold"), (server["state"], colour), (what, "dim")])
    demo.paint.table(rows)
    for name in listed["pending"]:
        demo.paint.line(f"{name} is still starting")
    show_tools(demo, listed["tools"])


def some(count: int, things: str) -> str:
    """A number of things, in English."""
    return f"{count} {things if count != 1 else things.removesuffix('s')}"


def show_tools(demo: Demo, tools: list[dict[str, Any]]) -> None:
    """Tools by server: what each may do, and whether it asks first."""
    demo.paint.title(some(len(tools), "tools"))
    rows: list[list[tuple[str, ...]]] = []
    shown = [tool for tool in tools if tool["kind"] == "tool"]
    for server in dict.fromkeys(tool["server"] for tool in shown):
        mine = [tool for tool in shown if tool["server"] == server]
        for tool in mine[: len(mine) if server == "demo" else 4]:
            capability = (tool["capability"], DANGER[tool["capability"]])
            rows.append([(tool["name"], "bold"), capability, (tool["approval"], "dim"), (tool["description"], "dim")])
    if rows:
        demo.paint.table(rows)
        demo.paint.line(demo.paint(f"... and {len(tools) - len(rows)} more", "dim"))


async def show_calls(demo: Demo) -> None:
    """A call with an answer, one with progress, one with a question of the server's own, one that is denied."""
    demo.paint.title("Call a tool")
    await demo.call("mcp__demo__get_note", {"name": "groceries"})
    demo.paint.title("Call a slow tool: its progress is the editor's")
    await demo.call("mcp__demo__count", {"steps": 8, "seconds": 0.1}, workDoneToken="demo-count")
    demo.paint.title("Call a tool that asks back")
    await demo.call("mcp__demo__ask", {})
    demo.paint.title("Call a tool, and refuse it")
    await demo.call("mcp__demo__delete_note", {"name": "readme"})


async def show_resource(demo: Demo) -> None:
    """One resource, read through its mention."""
    demo.paint.title("Read a resource")
    read = await demo.client.command("readResource", {"mention": "@demo:note://readme"})
    demo.paint.pair("mention", "@demo:note://readme", "bold")
    demo.paint.pair("document", read["documentUri"], "dim")
    for part in read["contents"]:
        demo.paint.quote(part.get("text", ""))


async def show_change(demo: Demo) -> None:
    """A server that changes its tools while it runs."""
    demo.paint.title("A server gets a new tool while it runs")
    demo.added.clear()
    await demo.call("mcp__demo__add_tool", {})
    if not await demo.until(5, lambda: bool(demo.added)):
        demo.paint.line(demo.paint("no news within 5 s", "red"))
    for name in demo.added:
        demo.paint.line(f"{demo.paint('+', 'green', 'bold')} {name} {demo.paint('(codeagent/toolsChanged)', 'dim')}")


async def show_completion(demo: Demo) -> None:
    """What an editor offers after `@demo:`, where the server completes mentions."""
    if "completionProvider" not in demo.client.capabilities:
        return
    demo.paint.title("Type @demo: in any text")
    text = "see @demo:"
    document = {"uri": NOTES.as_uri(), "languageId": "markdown", "version": 1, "text": text}
    demo.client.notify("textDocument/didOpen", {"textDocument": document})
    where = {"textDocument": {"uri": NOTES.as_uri()}, "position": {"line": 0, "character": len(text)}}
    found = await demo.client.request("textDocument/completion", where)
    items = found["items"] if isinstance(found, dict) else found or []
    for item in items[:5]:
        label = demo.paint(item["label"], "bold")
        demo.paint.line(f"{label}  {demo.paint(item.get('detail') or '', 'dim')}")


def how_to_go_on(paint: Paint) -> None:
    """What the reader can do next."""
    paint.title("Go on")
    paint.pair("your editor", "start .venv/bin/codeagent-lsp over stdio: README.md says how, for each editor")
    paint.pair("your servers", "write them into .codeagent/mcp.json of a project, or into ~/.codeagent/mcp.json")
    paint.pair("the protocol", "docs/protocol.md: everything that an editor can ask, and everything it hears")
    paint.line()


async def show(demo: Demo, environment: dict[str, str], log: IO[bytes]) -> int:
    """The whole demo, in order; the server's exit code."""
    paint, client = demo.paint, demo.client
    paint.title("codeagent-lsp: one MCP host for every editor")
    await client.start(sys.executable, "-m", "codeagent_lsp", env=environment, stderr=log)
    began = time.monotonic()
    await client.initialize(WORKSPACE, {"clientFeatures": FEATURES, "workspaceTrust": True})
    paint.pair("workspace", str(WORKSPACE.relative_to(ROOT)))
    paint.pair("its servers", ".codeagent/mcp.json")
    paint.pair("initialize", f"answered after {(time.monotonic() - began) * 1000:.0f} ms")
    paint.title("Nothing of a project starts before you say so")
    for part in (show_servers, show_calls, show_resource, show_change, show_completion):
        await part(demo)
    return await client.stop()


async def bounded(demo: Demo, environment: dict[str, str], log: IO[bytes]) -> int:
    """The demo within a minute, and no process left behind."""
    try:
        async with asyncio.timeout(60):
            return await show(demo, environment, log)
    finally:
        await demo.client.end()


def main() -> int:
    """Run the demo; 1, with what the server wrote to its log, if it could not be shown within a minute."""
    paint = Paint()
    with tempfile.TemporaryDirectory(prefix="codeagent-demo-") as home:
        private = {"CODEAGENT_HOME": "config", "XDG_STATE_HOME": "state", "XDG_DATA_HOME": "data"}
        environment = {**os.environ, **{name: f"{home}/{folder}" for name, folder in private.items()}}
        log_path = Path(home, "stderr.log")

        try:
            with log_path.open("wb") as log:
                code = asyncio.run(bounded(Demo(paint), environment, log))
        except (TimeoutError, ConnectionError, ServerSaidNo) as error:
            print(f"\ndemo: {error or 'not done within a minute'}", file=sys.stderr)
            code = 1
        if code:
            paint.quote(log_path.read_text("utf-8", "replace"), lines=30)
            return code
    how_to_go_on(paint)
    return 0


if __name__ == "__main__":
    sys.exit(main())

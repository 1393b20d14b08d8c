"""What the tests of real-world cases share: bringing servers up, calling tools, and waiting for the world outside."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

import anyio

from e2e.scripts import SCRIPTED, servers
from editor_client import EditorClient, LspError

sys.path.append(str(SCRIPTED.parent))
from scripted_http import ScriptedHttp
from scripted_items import BAD_TOOLS, UNUSABLE_TOOLS

__all__ = ["BAD_TOOLS", "UNUSABLE_TOOLS", "ScriptedHttp"]

PATIENCE = 30.0
"""Seconds that a test waits for what happens soon on a machine that is not busy."""


async def up(
    editor: EditorClient, workspace: Path, entries: dict[str, Any], *, complete: bool = True, **start: Any
) -> EditorClient:
    """Start an editor with these user servers, and wait until every one is up or has failed."""
    await editor.start(workspace, user_config=servers(**entries), **start)
    listed = await command(editor, "codeagent.listTools", waitMs=int(PATIENCE * 1000))
    assert not complete or listed["complete"], listed["pending"]
    return editor


async def command(editor: EditorClient, name: str, /, within: float = PATIENCE + 5, **params: Any) -> Any:
    """The result of a command that may take longer than an editor's client usually waits."""
    given = {"command": name, "arguments": [params]}
    return await editor.request("workspace/executeCommand", given, within)


async def http(stack: AsyncExitStack, *words: str) -> ScriptedHttp:
    """A scripted HTTP server that lives as long as `stack`."""
    return await stack.enter_async_context(ScriptedHttp(*words))


def remote(server: ScriptedHttp, **more: Any) -> dict[str, Any]:
    """An entry for it, whose tools may be called."""
    return {"url": server.url, "autoApprove": ["*"], **more}


async def status(editor: EditorClient, server: str) -> dict[str, Any]:
    """The status of one server."""
    found = {item["server"]: item for item in (await editor.command("codeagent.status"))["servers"]}
    return found[server]


async def states(editor: EditorClient) -> dict[str, str]:
    """The states of all servers."""
    return {item["server"]: item["state"] for item in (await editor.command("codeagent.status"))["servers"]}


async def until(
    editor: EditorClient, server: str, like: Callable[[dict[str, Any]], bool], within: float = PATIENCE
) -> dict[str, Any]:
    """Wait until the status of a server is as `like` wants it."""
    found: dict[str, Any] = {}
    with anyio.move_on_after(within):
        while not like(found := await status(editor, server)):
            await anyio.sleep(0.02)
        return found
    raise AssertionError(f"not within {within} s; the last status was {found}")


async def eventually(condition: Callable[[], object], within: float = PATIENCE) -> None:
    """Wait until a condition on the world outside of the editor holds."""
    with anyio.fail_after(within):
        while not condition():
            await anyio.sleep(0.02)


async def tools(editor: EditorClient, server: str | None = None, **more: Any) -> dict[str, dict[str, Any]]:
    """The server's own tools by their own names; without a server, all by their full names."""
    given = {} if server is None else {"server": server}
    listed = (await editor.command("codeagent.listTools", **given, **more))["tools"]
    key = "name" if server is None else "tool"
    return {tool[key]: tool for tool in listed if tool["kind"] == "tool"}


async def call(editor: EditorClient, server: str, tool: str, /, **arguments: Any) -> Any:
    """Call a tool by server and own name."""
    return await command(editor, "codeagent.callTool", server=server, tool=tool, arguments=arguments)


async def refusal(work: Any) -> LspError:
    """The error that something ends with."""
    try:
        result = await work
    except LspError as error:
        return error
    raise AssertionError(f"there was no error, but {result!r}")


async def log(editor: EditorClient, server: str, lines: int = 2000) -> list[dict[str, Any]]:
    """A server's log."""
    return (await editor.command("codeagent.logs", server=server, lines=lines))["lines"]


class Listed:
    """The lists of a scripted server, which a test rewrites: its word is `word`, its place a folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.word = f"from={folder}"

    def put(self, method: str, text: str | dict[str, Any]) -> None:
        """Let a method be answered with this result from now on; `silent` is no answer, {"error": ...} an error."""
        target = self.folder / f"{method.replace('/', '_')}.json"
        target.with_suffix(".new").write_text(text if isinstance(text, str) else json.dumps(text), "utf-8")
        target.with_suffix(".new").rename(target)

    def tools(self, *names_or_tools: Any, **more: Any) -> None:
        """Let the server have these tools, given as names or whole."""
        self.put("tools/list", {"tools": [plain_tool(item) for item in names_or_tools], **more})


def plain_tool(item: Any) -> Any:
    """A tool by its name, or as it was given."""
    return {"name": item, "inputSchema": {"type": "object"}} if isinstance(item, str) else item


class Table:
    """The cases of a table that went wrong, by name: a failing one does not hide the others."""

    def __init__(self) -> None:
        self.wrong: dict[str, str] = {}

    @contextmanager
    def case(self, name: object) -> Iterator[None]:
        """One case."""
        try:
            yield
        except (AssertionError, LspError, KeyError, TypeError, IndexError, TimeoutError) as error:
            self.wrong[str(name)] = f"{type(error).__name__}: {error}"

    def judge(self) -> None:
        """Fail with every case that went wrong."""
        assert not self.wrong, "\n" + "\n".join(f"{name}: {said}" for name, said in self.wrong.items())

"""Any order of starting, stopping, switching, reloading, calling and killing (CON-08): in the end, what was wanted runs."""

import asyncio
import logging
import os
import random
import uuid
from pathlib import Path
from typing import Any

import anyio
import pytest

from e2e.kit import PATIENCE, eventually, states, status, until
from e2e.scripts import MARK, marked, scripted, servers
from editor_client import EditorClient, LspError, write_json

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

STEPS = 200
NAMES = ("a", "b", "c")
EXPECTED_KINDS = {"notReady", "unknownTool", "unknownServer", "disabled", "exited", "transport", "stale", "untrusted",
                  "denied", "timeout"}  # fmt: skip


class Model:
    """What the user wants, as far as the user has said it."""

    def __init__(self, editor: EditorClient, workspace: Path, mark: str, chance: random.Random) -> None:
        self.editor, self.mark, self.chance = editor, mark, chance
        self.file = editor.home / ".codeagent" / "mcp.json"
        self.project = workspace / ".codeagent" / "mcp.json"
        self.listed = dict.fromkeys(NAMES, 0)
        self.switched_off: set[str] = set()
        self.stopped: set[str] = set()
        self.open_dialogs: dict[str, int] = {}
        self.worst_dialogs = 0
        self.pending: list[asyncio.Task[None]] = []

    def write(self) -> None:
        env = {MARK: self.mark}
        entries = {n: scripted(f"tools={1 + v}", env=env, autoApprove=["*"]) for n, v in self.listed.items()}
        write_json(self.file.with_suffix(".new"), servers(**entries))
        self.file.with_suffix(".new").rename(self.file)

    async def approve(self, params: dict[str, Any]) -> Any:
        server = params["server"]
        self.open_dialogs[server] = self.open_dialogs.get(server, 0) + 1
        self.worst_dialogs = max(self.worst_dialogs, self.open_dialogs[server])
        await asyncio.sleep(self.chance.random() / 20)
        self.open_dialogs[server] -= 1
        return {"decision": "session"}

    def ask(self, command: str, **params: Any) -> None:
        """Send a command and go on, like a user who does not wait."""

        async def run() -> None:
            try:
                given = {"command": command, "arguments": [params]}
                await self.editor.request("workspace/executeCommand", given, PATIENCE)
            except LspError as error:
                assert error.code in (-32602, -32803), error
                assert error.data["kind"] in EXPECTED_KINDS, (error.message, error.data)

        self.pending.append(asyncio.create_task(run()))

    async def step(self) -> None:
        """One thing that users and machines do."""
        name = self.chance.choice(NAMES)
        match self.chance.choice(("restart", "restart", "start", "stop", "disable", "enable", "change", "remove", "add",
                                  "reload", "call", "call", "call", "kill", "kill", "storm", "status")):  # fmt: skip
            case "restart" | "start" as word:
                self.stopped.discard(name)
                self.ask(f"codeagent.{word}", server=name)
            case "stop":
                self.stopped.add(name)
                self.ask("codeagent.stop", server=name)
            case "disable":
                self.switched_off.add(name)
                self.ask("codeagent.setEnabled", server=name, enabled=False)
            case "enable":
                self.switched_off.discard(name)
                self.ask("codeagent.setEnabled", server=name, enabled=True)
            case "change" if name in self.listed:
                self.listed[name] = self.chance.randrange(5)
                self.write()
                self.ask("codeagent.reload")
            case "remove" if len(self.listed) > 1:
                self.listed.pop(name, None)
                self.write()
                self.ask("codeagent.reload")
            case "add":
                self.listed.setdefault(name, 0)
                self.write()
                self.ask("codeagent.reload")
            case "reload":
                self.ask("codeagent.reload")
            case "call":
                self.ask("codeagent.callTool", server=name, tool="tool_0", arguments={"text": "x"})
            case "kill":
                for pid in self.chance.sample(found, 1) if (found := marked(self.mark)) else []:
                    os.kill(pid, 9)
            case "storm":
                for _ in range(5):
                    self.ask("codeagent.restart", server=name)
                self.stopped.discard(name)
            case _:
                self.ask("codeagent.status")

    async def settle(self) -> None:
        """Wait for every answer."""
        with anyio.fail_after(60):
            await asyncio.gather(*self.pending)
        self.pending.clear()


@pytest.mark.parametrize("seed", [1, 2])
async def test_any_order_leaves_one_process_for_each_wanted_server_and_none_else(
    editor: EditorClient, workspace: Path, seed: int, host_log: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    """CON-08: two hundred random steps, some of them at the same time."""
    caplog.set_level(logging.WARNING, "codeagent_lsp")
    model = Model(editor, workspace, uuid.uuid4().hex, random.Random(seed))
    model.write()
    project = {MARK: model.mark}
    await editor.start(workspace, project_config=servers(p=scripted(env=project)),
                       answers={"codeagent/approveServer": model.approve})  # fmt: skip
    await editor.command("codeagent.listTools")
    for _ in range(STEPS):
        await model.step()
        await anyio.sleep(model.chance.choice((0, 0, 0, 0.001, 0.02)))
        if len(model.pending) > 40:
            await model.settle()
    await model.settle()

    # Whatever was refused on its way (a server that was not listed then cannot be stopped) is said once more.
    for name in NAMES:
        if name in model.listed:
            await editor.command("codeagent.setEnabled", server=name, enabled=name not in model.switched_off)
            if name in model.stopped:
                await editor.command("codeagent.stop", server=name)
            elif name not in model.switched_off:
                await editor.command("codeagent.restart", server=name)
    wanted = {name for name in model.listed if name not in model.stopped | model.switched_off} | {"p"}
    await editor.command("codeagent.restart", server="p")
    for name in wanted:
        await until(editor, name, lambda found: found["state"] == "ready")
    assert set(await states(editor)) == {*model.listed, "p"}
    pids = {(await status(editor, name))["pid"] for name in wanted}
    await eventually(lambda: set(marked(model.mark)) == pids)
    assert len(pids) == len(wanted)
    for name in wanted - {"p"}:
        result = await editor.command("codeagent.callTool", server=name, tool="tool_0", arguments={"text": "here"})
        assert result["text"] == "here"
    assert model.worst_dialogs <= 1
    assert host_log == []
    await editor.stop()
    await eventually(lambda: marked(model.mark) == [], 10)

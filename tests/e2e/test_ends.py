"""However the host ends, nothing of any server is left."""

import asyncio
import os
import signal
import sys
import uuid
from pathlib import Path

import anyio
import pytest

from e2e.scripts import MARK, alive, marked, scripted, servers, wait_gone
from editor_wires import ProcessClient

pytestmark = pytest.mark.anyio

STUBBORN = ("ignore_eof", "ignore_term")


def family(mark: str, pids: Path) -> dict[str, object]:
    """A good server, one that ignores every wish to end, and one with a grandchild in its group."""
    env = {MARK: mark}
    return servers(
        good=scripted(env=env),
        stubborn=scripted(*STUBBORN, env=env),
        parent=scripted("grandchild", f"pids={pids}", env=env),
        leaver=scripted("leave_child", f"pids={pids}", env=env),
    )


@pytest.fixture
def mark() -> str:
    return uuid.uuid4().hex


async def up(editor: ProcessClient, workspace: Path, mark: str, pids: Path) -> None:
    await editor.start(workspace, user_config=family(mark, pids))
    listed = await editor.command("codeagent.listTools", waitMs=20000)
    assert listed["complete"], listed["pending"]
    assert len(marked(mark)) >= 5


async def test_shutdown_and_exit_leave_nothing(
    process_editor: ProcessClient, workspace: Path, mark: str, tmp_path: Path
) -> None:
    await up(process_editor, workspace, mark, tmp_path / "pids")
    assert await process_editor.stop() == 0
    assert wait_gone(mark, 2) == []


async def test_exit_without_shutdown_leaves_nothing(
    process_editor: ProcessClient, workspace: Path, mark: str, tmp_path: Path
) -> None:
    await up(process_editor, workspace, mark, tmp_path / "pids")
    await process_editor.notify("exit")
    assert await process_editor.wait_closed(8) == 1
    assert wait_gone(mark, 2) == []


async def test_the_end_of_standard_input_leaves_nothing(
    process_editor: ProcessClient, workspace: Path, mark: str, tmp_path: Path
) -> None:
    await up(process_editor, workspace, mark, tmp_path / "pids")
    await process_editor.close()
    assert await process_editor.wait_closed(8) == 1
    assert wait_gone(mark, 2) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_signal_leaves_nothing(
    process_editor: ProcessClient, workspace: Path, mark: str, tmp_path: Path, number: signal.Signals
) -> None:
    await up(process_editor, workspace, mark, tmp_path / "pids")
    process_editor.kill(number)
    await process_editor.wait_closed(8)
    assert wait_gone(mark, 2) == []


async def test_kill_9_of_the_language_server_leaves_nothing(
    process_editor: ProcessClient, workspace: Path, mark: str, tmp_path: Path
) -> None:
    await up(process_editor, workspace, mark, tmp_path / "pids")
    process_editor.kill(signal.SIGKILL)
    await process_editor.wait_closed(8)
    assert wait_gone(mark, 2) == []


async def test_the_death_of_the_editor_leaves_nothing(
    process_editor: ProcessClient, workspace: Path, mark: str, tmp_path: Path
) -> None:
    editor = await asyncio.create_subprocess_exec(sys.executable, "-c", "import time; time.sleep(600)")
    try:
        await process_editor.start(
            workspace, user_config=family(mark, tmp_path / "pids"), initialize={"processId": editor.pid}
        )
        await process_editor.command("codeagent.listTools", waitMs=20000)
        assert marked(mark)
    finally:
        editor.kill()
        await editor.wait()
    await process_editor.wait_closed(8)
    assert wait_gone(mark, 2) == []


async def test_stopping_one_server_takes_its_grandchildren_along(
    process_editor: ProcessClient, workspace: Path, mark: str, tmp_path: Path
) -> None:
    await up(process_editor, workspace, mark, tmp_path / "pids")
    children = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    for server in ("parent", "leaver"):
        await process_editor.command("codeagent.stop", server=server)
    children += [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    with anyio.fail_after(3):
        while any(alive(pid) for pid in children):
            await anyio.sleep(0.02)
    assert len(marked(mark)) == 2
    assert os.getpid() not in children

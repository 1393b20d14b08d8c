"""The two editors of the tests: `editor` beside the server in one process, `process_editor` over a real process."""

import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from editor_client import EditorClient, Violation
from editor_wires import CODEAGENT_LSP, ProcessClient, in_this_process, isolated_environment


def pytest_configure() -> None:
    """Under `nohup` a hang-up is ignored, by every child too: here it is what it is to a process of an editor."""
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture
def anyio_backend() -> str:
    """pygls, and so this server, runs on asyncio."""
    return "asyncio"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty home folder, which this process and its children take for the user's."""
    folder = tmp_path / "home"
    (folder / ".codeagent").mkdir(parents=True)
    for name, value in isolated_environment(folder).items():
        monkeypatch.setenv(name, value)
    yield folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty workspace folder."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    """What is entered on it is left at the end of the test."""
    async with AsyncExitStack() as stack:
        yield stack


@pytest.fixture
async def editor(home: Path) -> AsyncIterator[EditorClient]:
    """An editor whose server runs in this process. `await editor.start(workspace, ...)` begins."""

    def build():
        from codeagent_lsp.handlers import build as build_app

        app = build_app()
        return app.server, app.stop

    client = in_this_process(build, home)
    yield client
    await client.stop()


@pytest.fixture
async def process_editor(home: Path) -> AsyncIterator[ProcessClient]:
    """An editor whose server is a process on standard streams, as a user's is."""
    client = ProcessClient(CODEAGENT_LSP, {**os.environ, **isolated_environment(home)}, home)
    yield client
    await client.abandon()
    assert not isinstance(client.violation, Violation), client.violation

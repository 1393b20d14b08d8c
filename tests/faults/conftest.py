"""The fault matrix: rows by decorator, a rig for each, and the document at the end of a whole run."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from editor_wires import CODEAGENT_LSP, ProcessClient, isolated_environment
from faults import report
from faults.report import Found, Row
from faults.rig import Rig

FOUND = pytest.StashKey[dict[str, Found]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[FOUND] = {}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("row") is not None:
            item.add_marker(pytest.mark.faults)


@pytest.fixture
def found(request: pytest.FixtureRequest) -> Found:
    """The figures of this test's row."""
    marker = request.node.get_closest_marker("row")
    return request.config.stash[FOUND].setdefault(marker.args[0], Found(Row(*marker.args)))


@pytest.fixture
async def rig(home: Path, workspace: Path, found: Found, tmp_path: Path) -> AsyncIterator[Rig]:
    """A rig that is not up yet: `await rig.up(name=rig.server(...))`."""
    editor = ProcessClient(CODEAGENT_LSP, {**os.environ, **isolated_environment(home)}, home)
    rig = Rig(editor, workspace, found, tmp_path)
    try:
        yield rig
        await rig.end()
        if hasattr(editor, "process") and editor.exit_code is None and editor.process.returncode is None:
            await editor.stop(within=12)
    finally:
        await editor.abandon()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    rows = {m.args[0] for item in session.items if (m := item.get_closest_marker("row")) is not None}
    found: dict[str, Found] = session.config.stash[FOUND]
    whole = rows == found.keys() and len(rows) > 40
    if whole and exitstatus == 0 and os.environ.get("FAULTS_WRITE"):
        report.write(found, session.config)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    found: dict[str, Found] = terminalreporter.config.stash[FOUND]
    for _, item in sorted(found.items()):
        terminalreporter.write_line(f"{item.row.id}: {'; '.join(item.measured)} | {item.neighbour}")

"""Editors of the tiny server: beside it in one process, and over standard streams."""

import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import tiny_lsp
from editor_client import EditorClient
from editor_wires import ProcessClient, in_this_process, isolated_environment
from tiny_lsp import TinyServer


@pytest.fixture
def server() -> TinyServer:
    return TinyServer()


@pytest.fixture
async def tiny(server: TinyServer, home: Path) -> AsyncIterator[EditorClient]:
    client = in_this_process(lambda: (server, None), home)
    yield client
    await client.stop()


TINY = [sys.executable, str(Path(tiny_lsp.__file__))]


@pytest.fixture
async def tiny_process(home: Path) -> AsyncIterator[ProcessClient]:
    client = ProcessClient(TINY, {**os.environ, **isolated_environment(home)}, home)
    yield client
    await client.abandon()

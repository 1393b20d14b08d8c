"""An editor of the tiny server, beside it in one process."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from editor_client import EditorClient
from editor_wires import in_this_process
from tiny_lsp import TinyServer


@pytest.fixture
def server() -> TinyServer:
    return TinyServer()


@pytest.fixture
async def tiny(server: TinyServer, home: Path) -> AsyncIterator[EditorClient]:
    client = in_this_process(lambda: (server, None), home)
    yield client
    await client.stop()

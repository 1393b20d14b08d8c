"""The outgoing half, `ours`, and the editor at the other end, `theirs`."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from codeagent_lsp.editor import Editor
from codeagent_lsp.rpc import HostServer
from editor_client import EditorClient
from editor_wires import in_this_process


@pytest.fixture
def ours() -> Editor:
    server = HostServer("test", "1")
    editor = Editor(server)
    server.feature("initialize")(lambda params: editor.introduce(params.initialization_options))
    return editor


@pytest.fixture
async def theirs(ours: Editor, home: Path) -> AsyncIterator[EditorClient]:
    client = in_this_process(lambda: (ours._server, None), home)
    yield client
    await client.stop()

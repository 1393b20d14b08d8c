"""Reading lists never ends in silence: what goes wrong is a list error, is tried again, and keeps what was listed."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import anyio
import pytest

from codeagent_lsp.catalog.tools import Catalog
from codeagent_lsp.config.document import parse
from codeagent_lsp.config.entries import read_entries
from codeagent_lsp.connection.signals import Flag
from codeagent_lsp.journal import Journal
from codeagent_lsp.operations import lists
from codeagent_lsp.operations.lists import Lists
from codeagent_lsp.redaction import Redactor

pytestmark = pytest.mark.anyio


class Lister:
    """A session whose first pages go wrong in a way that nobody has foreseen."""

    modern = False
    capabilities = ("tools",)
    instructions = None

    def __init__(self, failures: int) -> None:
        self.failures = failures

    async def list_page(self, kind: str, cursor: str | None) -> tuple[list[Any], str | None]:
        self.failures -= 1
        if self.failures >= 0:
            raise TypeError("nobody has foreseen this")
        return [{"name": "t", "inputSchema": {"type": "object"}}], None


async def test_an_error_of_our_own_is_a_list_error_and_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "RETRY_AFTER", 0.01)
    monkeypatch.setattr(lists, "APART", lists.COALESCE)
    catalog = Catalog()
    catalog.expect(["s"])
    keeper = Lists(catalog, Journal(Redactor()), lambda method, value: None)
    (entry,), _ = read_entries(
        parse('{"mcpServers": {"s": {"command": "s"}}}'), "user", None, Path("mcp.json"), "mcpServers"
    )
    connection = SimpleNamespace(server="s", wanted=SimpleNamespace(entry=entry))
    lists_in = Flag()
    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(keeper.attend, cast(Any, connection), cast(Any, Lister(1)), lists_in)
            await lists_in.wait()
            listing = catalog.listing("s")
            assert listing is not None and "codeagent-lsp" in (listing.errors.get("tools") or "")
            while not await catalog.tools("s"):
                await anyio.sleep(0.01)
            assert (catalog.listing("s") or listing).errors == {}
            tasks.cancel_scope.cancel()

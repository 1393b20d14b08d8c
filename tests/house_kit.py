"""A real house for tests of what the language features see of it: composed as the product does, with an editor that is mute."""

from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio

from codeagent_lsp.compose import Workspace, compose, reread
from codeagent_lsp.operations.host import Host
from editor_client import write_json


class Nobody:
    """An editor that hears everything and answers nothing."""

    features: frozenset[str] = frozenset()

    def __init__(self) -> None:
        self.told: list[tuple[str, object]] = []

    def notify(self, method: str, value: object) -> None:
        self.told.append((method, value))

    async def ask(self, method: str, value: object) -> Any:
        return None

    async def show_message_request(self, text: str, buttons: Sequence[str]) -> str | None:
        return None


@asynccontextmanager
async def house(home: Path, entries: dict[str, Any], *folders: Path, trust: bool = True) -> AsyncIterator[Host]:
    """A house with these servers of the user, every one of which has come up, or has failed."""
    write_json(home / ".codeagent" / "mcp.json", {"mcpServers": entries})
    async with anyio.create_task_group() as tasks:

        def spawn(work: Coroutine[Any, Any, None]) -> None:
            async def run() -> None:
                await work

            tasks.start_soon(run)

        workspace = Workspace(folders=list(folders), trust=trust)
        host = compose(Nobody(), workspace, spawn, lambda config: None, "test")
        tasks.start_soon(host.manager.run)
        await reread(host)
        await host.manager.settle([*host.manager.connections], 30)
        await host.catalog.tools()
        yield host
        host.manager.close()
        await host.manager.closed.wait()
        host.close_reaper()
        tasks.cancel_scope.cancel()

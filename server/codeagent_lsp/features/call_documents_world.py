"""Gathers for calls as text what they need of the house: the tools, which are switched off, which may still come."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from codeagent_lsp.errors import UnknownTool
from codeagent_lsp.features.call_documents import CallWorld
from codeagent_lsp.features.call_documents_results import CallResults
from codeagent_lsp.operations.asking import enabled

if TYPE_CHECKING:
    from codeagent_lsp.operations.host import Host


def call_world_of(
    host: "Host",
    results: CallResults,
    *,
    client_commands: Collection[str] = (),
    markdown: bool = True,
    snippets: bool = False,
) -> CallWorld:
    """What is known of tools at this moment; a server that starts, or sleeps, may have more."""
    tools = {tool.name: tool for tool in host.catalog.known_tools()}
    connections = host.manager.connections.values()
    complete = not any(
        connection.state == "starting" or (connection.wanted.on_demand and connection.state == "stopped")
        for connection in connections
    )
    return CallWorld(
        tools=tools,
        disabled=_Disabled(host),
        complete=complete,
        client_commands=client_commands,
        markdown=markdown,
        snippets=snippets,
        results=results.of,
    )


class _Disabled:
    """The names of the tools that are switched off, found out one by one."""

    def __init__(self, host: "Host") -> None:
        self._host = host

    def __contains__(self, name: object) -> bool:
        try:
            tool = self._host.catalog.find_tool(str(name))
        except UnknownTool:
            return False
        return not enabled(self._host, tool)

"""Which transport carries a launch."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from codeagent_lsp.config.launch import Launch
from codeagent_lsp.errors import HostError
from codeagent_lsp.journal import Journal
from codeagent_lsp.transport.reaper import Reaper

if TYPE_CHECKING:
    from codeagent_lsp.transport.http import HttpTransport
    from codeagent_lsp.transport.http_sse import SseTransport
    from codeagent_lsp.transport.stdio import StdioTransport


def open_transport(
    launch: Launch, *, journal: Journal, reaper: Reaper, on_lost: Callable[[HostError], None], older: bool = False
) -> "StdioTransport | HttpTransport | SseTransport":
    """The transport of one launch, not yet spawned or connected. `older`: speak the HTTP+SSE of 2024-11-05."""
    # Imported where they are needed: a workspace without remote servers needs no HTTP.
    if launch.transport == "stdio":
        from codeagent_lsp.transport.stdio import StdioTransport

        return StdioTransport(launch, journal=journal, reaper=reaper, on_lost=on_lost)
    if launch.transport == "sse" or older:
        from codeagent_lsp.transport.http_sse import SseTransport

        return SseTransport(launch, journal=journal, on_lost=on_lost)
    from codeagent_lsp.transport.http import HttpTransport

    return HttpTransport(launch, journal=journal, on_lost=on_lost)

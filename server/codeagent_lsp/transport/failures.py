"""How a transport tells a caller why a request failed: the `errors.HostError` itself rides inside the MCP error.

A request can only be ended by an answer to its id, so the transport makes one up. What it says is not text that a
server could have sent as well: `error.data` is the Python object, which no JSON can hold.
"""

from typing import Any, cast

import anyio

from codeagent_lsp.errors import HostError
from codeagent_lsp.protocol import JsonObject

TRANSPORT_ERROR = -32603
"""JSON-RPC "internal error": the code of an answer that the transport made up. Read `data`, not this."""

CONNECTION_CLOSED = -32000
"""What the SDK calls a request that was open when the connection ended."""

SDK_CODES = (CONNECTION_CLOSED, -32001)
"""Codes that the SDK gives to its own failures (the other one: its timeout), and servers to theirs."""


def failed(request_id: int | str, error: HostError) -> JsonObject:
    """A JSON-RPC error answer to a request of ours, with `error` as its `data`."""
    return {
        "jsonrpc": "2.0",
        "id": request_id,
        "error": {"code": TRANSPORT_ERROR, "message": error.message, "data": error},
    }


def closed(error: BaseException) -> bool:
    """Whether an error says no more than that the connection is closed."""
    if isinstance(error, anyio.ClosedResourceError | anyio.BrokenResourceError | anyio.EndOfStream):
        return True
    return getattr(getattr(error, "error", None), "code", None) == CONNECTION_CLOSED


def failure_of(error: BaseException) -> HostError | None:
    """The failure inside an error that reached the session: an `mcp.MCPError`, or a group with one member."""
    while isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        if len(group.exceptions) != 1:
            return None
        error = group.exceptions[0]
    if isinstance(error, HostError):
        return error
    data: Any = getattr(getattr(error, "error", None), "data", None)
    return data if isinstance(data, HostError) else None

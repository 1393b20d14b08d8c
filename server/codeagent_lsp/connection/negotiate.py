"""Which revision of the protocol a server speaks: the newer probe, and the old handshake where it does not answer.

Source: MCP 2026-07-28, "Lifecycle" and "Transports / stdio": `server/discover` is the probe; any error that is not a
modern one, or silence, means the handshake of the older revisions.
"""

import anyio
import mcp_types as types
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from codeagent_lsp.connection.house import Era
from codeagent_lsp.errors import Protocol

PROBE_PATIENCE = 2.0
"""Seconds that an unknown server may be silent on the probe."""


async def negotiate(session: ClientSession, wanted: Era | None, *, server: str) -> Era:
    """Open the session in the era that is `wanted`, or in the one that the server turns out to speak.

    Returns the era. Raises `MCPError` where the server refuses the handshake, `errors.Protocol` where no revision
    is shared.
    """
    if wanted == "legacy":
        return await _handshake(session, server)
    with anyio.move_on_after(PROBE_PATIENCE if wanted is None else None):
        if await _discover(session, LATEST_MODERN_VERSION, must=wanted == "modern"):
            return "modern"
    return await _handshake(session, server)


async def _discover(session: ClientSession, version: str, *, must: bool, again: bool = True) -> bool:
    try:
        found = types.DiscoverResult.model_validate(await session.send_discover(version))
    except MCPError as error:
        mutual = _mutual(error)
        if mutual and again:
            return await _discover(session, mutual, must=must, again=False)
        if must:
            raise
        return False
    except ValidationError:
        return False
    if not any(known in found.supported_versions for known in MODERN_PROTOCOL_VERSIONS):
        return False
    session.adopt(found)
    return True


async def _handshake(session: ClientSession, server: str) -> Era:
    try:
        await session.initialize()
    except MCPError as error:
        # A server that took our probe for good while we had stopped waiting answers so: it is a modern one.
        mutual = _mutual(error)
        if mutual and await _discover(session, mutual, must=True):
            return "modern"
        raise
    except RuntimeError as error:
        raise Protocol(
            f"speaks a revision of MCP that this host does not know ({error}).",
            server=server,
            hint=f"This host speaks {', '.join((*HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION))}.",
        ) from None
    return "legacy"


def _mutual(error: MCPError) -> str | None:
    """The newest modern version that both sides speak, where the error names the server's versions."""
    if error.code != types.UNSUPPORTED_PROTOCOL_VERSION:
        return None
    try:
        supported = types.UnsupportedProtocolVersionErrorData.model_validate(error.data).supported
    except ValidationError:
        return None
    shared = [version for version in MODERN_PROTOCOL_VERSIONS if version in supported]
    return shared[-1] if shared else None

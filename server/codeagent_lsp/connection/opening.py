"""From a transport to an open session: streams, client session, negotiation. Importing this imports `mcp`."""

import copy
from contextlib import AsyncExitStack
from functools import partial

import anyio
import mcp_types as types
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError

from codeagent_lsp.connection.clock import HARD_LIMIT, RequestClock
from codeagent_lsp.connection.house import Era, House, OpenTransport
from codeagent_lsp.connection.inbound import Inbound
from codeagent_lsp.connection.negotiate import negotiate
from codeagent_lsp.connection.session import Session
from codeagent_lsp.connection.signals import EXIT_STATUS_WAIT, Lost
from codeagent_lsp.errors import HostError, ServerError
from codeagent_lsp.text import one_line


async def enter_session(
    stack: AsyncExitStack,
    transport: OpenTransport,
    *,
    server: str,
    house: House,
    era: Era | None,
    lost: Lost,
    timeout: float,
) -> tuple[Session, Era]:
    """Open a session that lives as long as `stack`; `timeout` is what a request may take, in seconds.

    Raises `errors.HostError` or what the library raises where the server cannot be spoken to; nothing stays open then.
    """
    clock = RequestClock()
    callbacks = Inbound(server, house, clock).callbacks()
    ourselves = types.Implementation(name="codeagent-lsp", version=house.version)

    async def explain(error: Exception) -> HostError | None:
        if isinstance(error, MCPError) and error.code == types.CONNECTION_CLOSED:
            with anyio.move_on_after(EXIT_STATUS_WAIT):
                await lost.event.wait()
        return copy.copy(lost.failure) if lost.failure else transport.explain(error)

    async with AsyncExitStack() as opening:
        dispatcher = await opening.enter_async_context(transport.dispatcher())
        raw = await opening.enter_async_context(
            ClientSession(None, None, HARD_LIMIT, client_info=ourselves, dispatcher=dispatcher, **callbacks)
        )
        try:
            spoken = await negotiate(raw, era, server=server)
        except MCPError as error:
            known = await explain(error)
            if known is not None or error.code == types.CONNECTION_CLOSED:
                raise known or error from None
            said = one_line(error.message or "") or f"error {error.code}"
            raise ServerError(f"refused the connection: {said}", server=server, server_code=error.code) from None
        await stack.enter_async_context(opening.pop_all())
    note = partial(house.journal.add, server, "host", "debug")
    return Session(server, raw, timeout=timeout, clock=clock, explain=explain, note=note), spoken

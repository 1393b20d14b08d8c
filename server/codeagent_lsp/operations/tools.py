"""Tools: list them, call one, and ask whether anything has changed. Every path to a tool goes through `call_tool`."""

from time import monotonic
from typing import TYPE_CHECKING, cast

import anyio.lowlevel

from codeagent_lsp.catalog.tools import CatalogTool
from codeagent_lsp.errors import InvalidParams, NotReady, Stale, UnknownTool
from codeagent_lsp.operations.asking import approval_of, enabled, may_call
from codeagent_lsp.operations.host import Host
from codeagent_lsp.operations.results import call_result
from codeagent_lsp.operations.sessions import connection_of, pending, ready_session, wake
from codeagent_lsp.operations.virtual import run_virtual
from codeagent_lsp.protocol import CallResult, JsonObject, Tool
from codeagent_lsp.protocol.params import CallToolParams, ListToolsParams, RefreshToolsParams
from codeagent_lsp.protocol.results import RefreshedTools, ToolList

if TYPE_CHECKING:
    from codeagent_lsp.connection.session import Progress, Session


TOOLS_PER_TURN = 200
"""Tools that are looked at before everybody else has a turn."""


async def list_tools(host: Host, params: ListToolsParams) -> ToolList:
    """The tools of one server or of all, with what calling them means.

    Waits at most `wait_ms` for servers that are on their way up; `pending` names those that were not ready by then.
    Raises `errors.UnknownServer`.
    """
    late = await pending(host, params.server, params.wait_ms)
    tools: list[Tool] = []
    for count, known in enumerate(await host.catalog.tools(params.server), 1):
        tool = _tool(host, known)
        if tool.enabled or params.include_disabled:
            tools.append(tool)
        if count % TOOLS_PER_TURN == 0:
            await anyio.lowlevel.checkpoint()
    return ToolList(host.lists.revision, not late, late, tools)


async def refresh_tools(host: Host, params: RefreshToolsParams) -> RefreshedTools:
    """The tools and instructions again if they have changed since `revision`; at no cost if they have not."""
    if params.revision == host.lists.revision:
        return RefreshedTools(False, params.revision)
    found = await list_tools(host, ListToolsParams(wait_ms=0))
    return RefreshedTools(True, found.revision, found.tools, host.catalog.instructions_text())


async def call_tool(host: Host, call: CallToolParams, on_progress: "Progress | None" = None) -> CallResult:
    """Call a tool: look it up, pass the gate, send it once, and render what came back.

    Raises `errors.UnknownTool` and `errors.InvalidParams` for wrong words; `errors.Disabled`, `Denied`, `NotReady`
    where nothing was sent; `errors.Stale` where the tool changed while the user was asked; and what the session
    raises, with `may_have_taken_effect`, where it was.
    """
    arguments = _arguments(call)
    tool = await _find(host, call)
    session = await ready_session(host, tool.server, tool=tool.tool)
    await may_call(host, tool, arguments)
    _still_the_same(host, tool, session)
    began = monotonic()
    raw = await _run(host, tool, arguments, session, call, on_progress)
    return await call_result(tool, raw, round((monotonic() - began) * 1000))


async def _run(
    host: Host,
    tool: CatalogTool,
    arguments: JsonObject,
    session: "Session",
    call: CallToolParams,
    on_progress: "Progress | None",
) -> JsonObject:
    if tool.kind != "tool":
        return await run_virtual(host, tool, arguments)
    timeout = call.timeout_ms / 1000 if call.timeout_ms else None
    return await session.call_tool(tool.tool, arguments, on_progress=on_progress, timeout=timeout)


def _arguments(call: CallToolParams) -> JsonObject:
    given: object = call.arguments
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise InvalidParams("`arguments` must be an object: the tool's arguments by name.")
    if call.timeout_ms is not None and call.timeout_ms <= 0:
        raise InvalidParams("`timeoutMs` must be a number of milliseconds above 0.")
    return cast(JsonObject, given)


async def _find(host: Host, call: CallToolParams) -> CatalogTool:
    """The tool by its full name, or by server and own name; a server that sleeps is woken before we say no."""
    by_pair = call.server is not None and call.tool is not None
    if by_pair == (call.name is not None) or (call.name is None and not by_pair):
        raise InvalidParams("name the tool by `name`, or by `server` and `tool`.")
    if call.server is not None:
        connection_of(host, call.server)
    try:
        return _look_up(host, call)
    except UnknownTool:
        if not await wake(host, server=call.server, full_name=call.name):
            raise
    return _look_up(host, call)


def _look_up(host: Host, call: CallToolParams) -> CatalogTool:
    if call.name is not None:
        return host.catalog.find_tool(call.name)
    return host.catalog.find(cast(str, call.server), cast(str, call.tool))


def _still_the_same(host: Host, tool: CatalogTool, session: "Session") -> None:
    """The user approved this tool of this process: what came in its place meanwhile, nobody has approved."""
    connection = host.manager.connections.get(tool.server)
    if connection is None or connection.session is not session:
        if connection is None or connection.session is None:
            raise NotReady("the server went down before the call was sent.", server=tool.server, tool=tool.tool)
        message = "the server was restarted while you were asked; nothing was sent."
        raise Stale(message, server=tool.server, tool=tool.tool, hint="Call again.")
    present = host.catalog.get(tool.server, tool.kind, tool.tool)
    if present is None or present.definition_hash != tool.definition_hash:
        message = "the tool's definition changed while you were asked; nothing was sent."
        raise Stale(message, server=tool.server, tool=tool.tool, hint="Look at it again, then call again.")


def _tool(host: Host, tool: CatalogTool) -> Tool:
    return Tool(
        name=tool.name,
        server=tool.server,
        tool=tool.tool,
        kind=tool.kind,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=tool.annotations,
        capability=tool.capability,
        approval=approval_of(host, tool),
        enabled=enabled(host, tool),
    )

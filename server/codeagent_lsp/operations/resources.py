"""Resources: list them, read one, subscribe to one. What goes to the server is the listed URI, byte for byte."""

from typing import TYPE_CHECKING

from codeagent_lsp.catalog.addresses import document_uri, parse_mention
from codeagent_lsp.errors import InvalidParams, ServerError, UnknownResource
from codeagent_lsp.operations.host import Host
from codeagent_lsp.operations.results import resource_contents
from codeagent_lsp.operations.sessions import asked, pending, ready_session
from codeagent_lsp.protocol.params import ListParams, ReadResourceParams, ResourceParams
from codeagent_lsp.protocol.results import Done, ReadResource, ResourceList

if TYPE_CHECKING:
    from codeagent_lsp.connection.session import Progress

NOT_FOUND = (-32002, -32602)
"""What servers answer for an unknown resource: the older revisions' code, and the newer one."""


async def list_resources(host: Host, params: ListParams) -> ResourceList:
    """The resources and templates of one server or of all, sorted by server, then in the server's own order."""
    late = await pending(host, params.server, params.wait_ms)
    resources, templates = host.catalog.resources(params.server), host.catalog.templates(params.server)
    return ResourceList(host.lists.revision, not late, late, resources, templates)


async def read_resource(host: Host, params: ReadResourceParams, on_progress: "Progress | None" = None) -> ReadResource:
    """Read a resource by server and URI, or by a mention; the user's own act, so nobody is asked.

    Raises `errors.UnknownServer`, `errors.UnknownResource` where the server says so, `errors.NotReady` and its like.
    """
    server, uri = _address(host, params)
    try:
        raw = await asked(host, server, lambda session: session.read_resource(uri, on_progress=on_progress))
    except ServerError as error:
        if error.server_code not in NOT_FOUND:
            raise
        message = f"has no resource `{uri}`.{host.catalog.nearest_resource(server, uri)}"
        raise UnknownResource(message, server=server) from None
    return ReadResource(
        server, uri, document_uri(server, uri, host.catalog.resource(server, uri)), resource_contents(raw, uri)
    )


async def subscribe_resource(host: Host, params: ResourceParams) -> Done:
    """Be told when a resource changes. Subscriptions are counted."""
    return await _subscribe(host, params, True)


async def unsubscribe_resource(host: Host, params: ResourceParams) -> Done:
    """Be told no longer; the last one to go ends the subscription."""
    return await _subscribe(host, params, False)


async def _subscribe(host: Host, params: ResourceParams, on: bool) -> Done:
    session = await ready_session(host, params.server)
    wanted = host.lists.subscriptions.setdefault(params.server, {})
    count = max(0, wanted.get(params.uri, 0) + (1 if on else -1))
    first_or_last = count == (1 if on else 0) and (on or params.uri in wanted)
    if count:
        wanted[params.uri] = count
    else:
        wanted.pop(params.uri, None)
    if first_or_last:
        if session.modern:
            host.lists.resubscribe(params.server)
        else:
            await session.subscribe(params.uri, on)
    return Done()


def _address(host: Host, params: ReadResourceParams) -> tuple[str, str]:
    by_pair = params.server is not None or params.uri is not None
    if by_pair == (params.mention is not None):
        raise InvalidParams("name the resource by `server` and `uri`, or by `mention`.")
    if params.mention is not None:
        found = parse_mention(params.mention, host.manager.connections)
        if found is None:
            raise InvalidParams(f"`{params.mention}` is no mention of a resource: it has the form @server:uri.")
        return found[0], host.catalog.listed_uri(*found)
    if params.server is None or params.uri is None:
        raise InvalidParams("`server` and `uri` belong together.")
    return params.server, params.uri

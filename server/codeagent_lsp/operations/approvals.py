"""The user's standing decisions: about launches, and about calls of tools."""

from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.operations.host import Host
from codeagent_lsp.operations.reconcile import apply, settled
from codeagent_lsp.operations.sessions import connection_of
from codeagent_lsp.protocol import ServerStatus
from codeagent_lsp.protocol.params import NoParams, RevokeApprovalParams, SetTrustParams
from codeagent_lsp.protocol.results import Approvals, Done


async def set_trust(host: Host, params: SetTrustParams) -> ServerStatus:
    """Decide about a launch that is named by its present fingerprint.

    Raises `errors.UnknownServer`, and `errors.Stale` where the launch is another one by now.
    """
    connection_of(host, params.server)
    prepared = host.plan.waiting.get(params.server) or host.plan.prepared.get(params.server)
    if prepared is None or prepared.launch is None:
        raise InvalidParams("the server cannot be launched, so there is nothing to decide.", server=params.server)
    host.trust.decide(prepared.launch, params.fingerprint, params.decision)
    if params.decision in ("session", "always"):
        host.stopped.discard(params.server)
    await apply(host)
    return await settled(host, params.server)


async def list_approvals(host: Host, _params: NoParams) -> Approvals:
    """Every standing decision of the user, about servers and about tools."""
    return Approvals(host.store.listing())


async def revoke_approval(host: Host, params: RevokeApprovalParams) -> Done:
    """Take a decision back; a server that runs by it is stopped. Raises `errors.InvalidParams` for an unknown id."""
    host.store.revoke(params.id)
    await apply(host)
    host.lists.touch_all()
    return Done()

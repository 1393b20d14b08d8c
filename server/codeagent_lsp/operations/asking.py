"""The gate in front of a call: what the policy says, and the question to the user where it says ask."""

from typing import TYPE_CHECKING, Any, Literal, cast

import anyio

from codeagent_lsp.catalog.tools import CatalogTool
from codeagent_lsp.errors import Denied, Disabled, Stale
from codeagent_lsp.operations.wants import identity, user_owned, workspace_key
from codeagent_lsp.policy.approval import CallSubject, Ruling
from codeagent_lsp.protocol import ApproveCallParams, JsonObject
from codeagent_lsp.protocol.values import ToolApproval
from codeagent_lsp.text import one_line

if TYPE_CHECKING:
    from codeagent_lsp.operations.host import Host

MAX_WAITING = 10
"""Calls of one server that may wait for the user; one more is refused, so that nobody clicks through a flood."""

BUTTONS = {
    "once": "Run once",
    "session": "Allow in this session",
    "workspace": "Always allow in this workspace",
    "always": "Always allow",
}


class Questions:
    """One open question per server at a time; the others wait for their turn."""

    def __init__(self) -> None:
        self._locks: dict[str, anyio.Lock] = {}

    def turn(self, server: str) -> anyio.Lock:
        """The lock to hold while the user is asked about this server. Raises `errors.Denied` when too many wait."""
        lock = self._locks.setdefault(server, anyio.Lock())
        if lock.statistics().tasks_waiting >= MAX_WAITING:
            hint = "Answer the open question first."
            raise Denied("too many calls wait for your approval; this one was refused.", server=server, hint=hint)
        return lock


def subject_of(host: "Host", tool: CatalogTool) -> CallSubject:
    """The tool as the policy judges it."""
    entry = host.manager.connections[tool.server].wanted.entry
    own = user_owned(host, entry)
    return CallSubject(
        server=tool.server,
        identity=identity(entry),
        user_server=own,
        trust_annotations=entry.trust_annotations,
        auto_approve=entry.auto_approve,
        tool=tool.tool,
        kind=tool.kind,
        title=tool.title,
        description=tool.description,
        definition=tool.definition,
        capability=tool.capability,
        workspace=workspace_key(host),
        enabled=enabled(host, tool),
        known_hash=tool.definition_hash if tool.kind == "tool" else "",
    )


def _present(host: "Host", tool: CatalogTool) -> CallSubject:
    """The tool as it is offered now; raises `errors.Stale` where it no longer is."""
    present = host.catalog.get(tool.server, tool.kind, tool.tool)
    if present is None or tool.server not in host.manager.connections:
        message = f"`{tool.tool}` is no longer offered; nothing was sent."
        raise Stale(message, server=tool.server, tool=tool.tool)
    return subject_of(host, present)


def enabled(host: "Host", tool: CatalogTool) -> bool:
    """Whether the user has left the tool switched on in this workspace."""
    entry = host.manager.connections[tool.server].wanted.entry
    return host.store.enabled(workspace_key(host), identity(entry), tool.tool) is not False


def approval_of(host: "Host", tool: CatalogTool) -> ToolApproval:
    """What calling the tool would mean: run at once, ask, run by an earlier grant, or be refused."""
    return host.calls.approval_of(subject_of(host, tool))


async def may_call(host: "Host", tool: CatalogTool, arguments: JsonObject) -> None:
    """Return if the call may run; else raise `errors.Disabled` or `errors.Denied`. Nothing is sent meanwhile."""
    ruling = host.calls.ruling(subject_of(host, tool), arguments)
    if ruling.action == "ask":
        async with host.questions.turn(tool.server):
            subject = subject_of(host, tool)
            ruling = host.calls.ruling(subject, arguments)  # an answer to the question before may cover this call
            if ruling.action == "ask":
                scope = await _ask(host, subject, arguments, ruling)
                if scope not in ruling.scopes:
                    raise _refusal(host, tool, scope)
                host.calls.grant(subject, arguments, scope)
                if scope != "once":
                    host.lists.touch(tool.server, tool.name)
                # The yes is bound to what was shown: whatever has changed meanwhile is judged anew.
                ruling = host.calls.ruling(_present(host, tool), arguments)
                if ruling.action == "ask":
                    message = f"`{tool.tool}` changed while you were asked; nothing was sent."
                    raise Stale(message, server=tool.server, tool=tool.tool, hint="Look at it again, then call again.")
    if ruling.action == "refuse":
        kind = Denied if enabled(host, tool) else Disabled
        raise kind(f"`{tool.tool}`: {ruling.reason}", server=tool.server, tool=tool.tool)


async def _ask(
    host: "Host", subject: CallSubject, arguments: JsonObject, ruling: Ruling
) -> Literal["once", "session", "workspace", "always", "deny"] | None:
    """The scope that the user chose, `deny`, or `None` where nobody answered."""
    params = host.calls.question(subject, arguments, ruling)
    if "approveCall" in host.editor.features:
        answer = await host.editor.ask("codeagent/approveCall", params)
        return answer["decision"] if answer is not None else None
    choices = {BUTTONS[scope]: scope for scope in ruling.scopes}
    pressed = await host.editor.show_message_request(_as_text(params), ["Deny", *choices])
    return cast(Any, choices.get(pressed, "deny")) if pressed is not None else None


def _as_text(params: ApproveCallParams) -> str:
    """The question as plain text, for editors that only have buttons."""
    lines = [f"MCP server “{params.server}” — run the tool “{params.tool}” ({params.capability})?"]
    lines += [f"{name} = {one_line(repr(value), 300)}" for name, value in params.arguments.items()]
    lines += [f"Warning: {warning}" for warning in params.warnings]
    lines += [f"Changed: {change.field}: {change.before} → {change.after}" for change in params.changed or []]
    return "\n".join(lines)


def _refusal(host: "Host", tool: CatalogTool, scope: str | None) -> Denied:
    if scope is None:
        message = f"the call of `{tool.tool}` was not approved: the question had no answer."
        hint = "Call again and answer it, or grant the tool beforehand (autoApprove in your own config file)."
        return Denied(message, server=tool.server, tool=tool.tool, hint=hint)
    return Denied(f"you did not allow the call of `{tool.tool}`.", server=tool.server, tool=tool.tool)

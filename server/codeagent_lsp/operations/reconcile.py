"""Makes the running set equal to the configuration and the user's decisions, and asks what has to be asked for it."""

from typing import TYPE_CHECKING, Any, cast

import anyio
import anyio.to_thread

from codeagent_lsp.config.files import read_config
from codeagent_lsp.errors import HostError
from codeagent_lsp.operations.question_text import as_text
from codeagent_lsp.operations.sessions import START_WAIT, connection_of
from codeagent_lsp.operations.status import status_of
from codeagent_lsp.operations.wants import Prepared, plan
from codeagent_lsp.policy.workspace import folder_trusted
from codeagent_lsp.protocol import ApproveServerParams, ServerStatus
from codeagent_lsp.protocol.events import InputParams

if TYPE_CHECKING:
    from codeagent_lsp.operations.host import Host

BUTTONS = {"Allow in this session": "session", "Always allow": "always"}


async def reread(host: "Host", *, retry: bool = False) -> None:
    """Read the config files again and apply them; a file that cannot be parsed leaves its last good set in force."""
    folders = list(host.workspace.folders)
    also = also_read(host)
    host.config = await anyio.to_thread.run_sync(
        lambda: read_config(folders, home=host.home, also_read=also, previous=host.config)
    )
    await apply(host, retry=retry)


async def apply(host: "Host", *, restart: list[str] | None = None, retry: bool = False) -> None:
    """Make the running set equal to the configuration and the user's decisions; asks what has to be asked."""
    host.plan = plan(host)
    host.catalog.expect(host.plan.wanted)
    host.redactor.add(secret for made in host.plan.prepared.values() if made.launch for secret in made.launch.secrets)
    for server in host.manager.connections.keys() - host.plan.wanted.keys():
        host.lists.forget(server)
        host.statuses.pop(server, None)
        host.announcer.mark(server)
    host.manager.apply(host.plan.wanted.values(), restart=restart or (), retry=retry)
    host.publish_config(host.config)
    ask_for_approvals(host)


async def settled(host: "Host", server: str, *, poke: bool = False) -> ServerStatus:
    """Wait for a server that is on its way up, within bounds, and give its status."""
    connection = connection_of(host, server)
    if poke and connection.sleeping:
        connection.poke()
    with anyio.move_on_after(START_WAIT):
        while not await connection.settled(START_WAIT) or connection is not host.manager.connections.get(server):
            connection = connection_of(host, server)  # another command has put a new one in its place
    return status_of(host, server)


def ask_for_approvals(host: "Host") -> None:
    """Ask about every launch that waits for the user's word, one after the other, in the background."""
    for server, prepared in host.plan.waiting.items():
        if _worth_asking(host, prepared) and prepared.fingerprint not in host.asked:
            host.asked.add(prepared.fingerprint)
            host.spawn(_ask_and_apply(host, server, prepared))


async def settle_questions(host: "Host", server: str) -> None:
    """Ask now about a server that the user wants to start: its approval, and the values of its inputs."""
    prepared = host.plan.waiting.get(server)
    if prepared is not None and _worth_asking(host, prepared):
        host.asked.add(prepared.fingerprint)
        await _ask_and_apply(host, server, prepared)
    prepared = host.plan.prepared.get(server)
    if prepared is not None and prepared.launch is not None and prepared.approved:
        await _ask_for_inputs(host, server, prepared)


def _worth_asking(host: "Host", prepared: Prepared) -> bool:
    folder = prepared.entry.folder
    return prepared.launch is not None and (folder is None or folder_trusted(host.workspace.trust, folder))


async def _ask_and_apply(host: "Host", server: str, prepared: Prepared) -> None:
    assert prepared.launch is not None and prepared.fingerprint is not None
    async with host.launch_question:
        present = host.plan.waiting.get(server)
        if present is None or present.fingerprint != prepared.fingerprint:
            return  # answered, changed or removed while it waited for its turn
        try:
            same_name = prepared.entry.scope == "project" and host.config.candidates[server].user is not None
            decision = await _ask(host, host.trust.question(prepared.launch, same_name=same_name))
        except HostError as error:
            host.journal.add(server, "host", "error", error.text())
            return
        if decision is None:
            return
        try:
            host.trust.decide(prepared.launch, prepared.fingerprint, decision)
        except HostError as error:
            host.journal.add(server, "host", "warning", error.text())
    await apply(host)


async def _ask(host: "Host", question: ApproveServerParams) -> Any:
    if "approveServer" in host.editor.features:
        answer = await host.editor.ask("codeagent/approveServer", question)
        return answer["decision"] if answer is not None else None
    pressed = await host.editor.show_message_request(as_text(question), ["Deny", *BUTTONS])
    return BUTTONS.get(pressed, "deny") if pressed is not None else None


async def _ask_for_inputs(host: "Host", server: str, prepared: Prepared) -> None:
    """Ask once for each `${input:…}` whose value is not known yet; an unanswered one leaves the server waiting."""
    assert prepared.launch is not None
    for name in prepared.launch.inputs:
        if name in host.inputs.values:
            continue
        known = await host.inputs.recall(name)
        if known is None and "input" in host.editor.features:
            text = f"The MCP server “{server}” needs a value for ${{input:{name}}}."
            answer = await host.editor.ask("codeagent/input", InputParams(name, text, password=True))
            known = answer["value"] if answer is not None else None
            if known is not None:
                await host.inputs.remember(name, known)
        if known is not None:
            host.inputs.values[name] = known


def also_read(host: "Host") -> list[str]:
    """The setting `codeagent.alsoRead`: names of other tools' project files that are read as they are."""
    given = host.workspace.settings.get("alsoRead")
    return [name for name in cast(list[Any], given) if isinstance(name, str)] if isinstance(given, list) else []

"""From the configuration to what is wanted of each server: which entry is in force, and whether it may start."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import field, frozen

from codeagent_lsp.config.commands import RealFiles
from codeagent_lsp.config.entry import BrokenEntry, Entry
from codeagent_lsp.config.files import Candidate
from codeagent_lsp.config.launch import Launch, prepare
from codeagent_lsp.config.variables import DotEnv, Lookup
from codeagent_lsp.connection.wanted import Wanted
from codeagent_lsp.errors import HostError, NotReady, SpawnFailed, Untrusted
from codeagent_lsp.policy.trust import LaunchTicket
from codeagent_lsp.protocol import ServerError, State
from codeagent_lsp.protocol.values import Trust

if TYPE_CHECKING:
    from codeagent_lsp.operations.host import Host


@frozen
class Prepared:
    """An entry that is ready to be judged: its launch, or why there is none, and what the user said about it."""

    entry: Entry
    launch: Launch | None = None
    failure: HostError | None = None
    trust: Trust | None = None
    fingerprint: str | None = None
    refusal: Untrusted | None = None

    @property
    def approved(self) -> bool:
        """Whether it could be started, as far as the user is concerned."""
        return self.launch is not None and self.refusal is None


@frozen
class Plan:
    """What is wanted, and which project launches wait for the user's word. Both by server id."""

    wanted: dict[str, Wanted] = field(factory=dict[str, Wanted])
    prepared: dict[str, Prepared] = field(factory=dict[str, Prepared])
    waiting: dict[str, Prepared] = field(factory=dict[str, Prepared])


def identity(entry: Entry) -> str:
    """What a server is to grants and choices: where it is declared, and its name there."""
    return f"{entry.scope}:{entry.path}:{entry.name}"


def user_owned(host: "Host", entry: Entry) -> bool:
    """Whether the entry is the user's own word."""
    return entry.scope == "user" and not entry.needs_approval


def workspace_key(host: "Host") -> str:
    """What tells this workspace from others in the user's state folder: the real paths of its folders."""
    folders = tuple(host.workspace.folders)
    if host.workspace.key is None or host.workspace.key[0] != folders:
        host.workspace.key = folders, "\n".join(sorted(str(folder.resolve()) for folder in folders)) or "(no folder)"
    return host.workspace.key[1]


def plan(host: "Host") -> Plan:
    """Judge every candidate of the present configuration. Starts nothing, asks nobody."""
    made, files = Plan(), RealFiles()
    for server, candidate in host.config.candidates.items():
        want, prepared, waiting = _judge(host, server, candidate, files)
        made.wanted[server] = want
        made.prepared[server] = prepared
        if waiting is not None:
            made.waiting[server] = waiting
    return made


def _judge(
    host: "Host", server: str, candidate: Candidate, files: RealFiles
) -> tuple[Wanted, Prepared, Prepared | None]:
    """What is wanted of one server, the entry that is in force, and the project's launch that waits for a word."""
    project = _prepare(host, server, candidate.project, files)
    user = _prepare(host, server, candidate.user, files)
    if project is not None and (project.approved or user is None):
        in_force, detail = project, candidate.detail
    else:
        assert user is not None, "a candidate has an entry"
        in_force, detail = user, candidate.detail or _beside(project)
    want = _want(host, server, candidate, in_force, detail)
    if want.idle == "disabled":
        return want, in_force, None  # nobody is asked about what shall not run
    waiting = next((made for made in (project, in_force) if made is not None and made.trust == "needed"), None)
    return want, in_force, waiting


def _beside(project: Prepared | None) -> str | None:
    """What to say of the project's entry while the user's own entry of the same name runs."""
    if project is None:
        return None
    why = project.failure or project.refusal
    return f"your own entry runs, and not the project's of this name: {why.message}" if why is not None else None


def _prepare(host: "Host", server: str, entry: Entry | BrokenEntry | None, files: RealFiles) -> Prepared | None:
    if entry is None:
        return None
    if isinstance(entry, BrokenEntry):
        failure = SpawnFailed(entry.message, server=server, hint=f"Mend the entry in {entry.path}.")
        return Prepared(placeholder(entry), failure=failure)
    try:
        launch = prepare(server, entry, lookup_for(host, entry, files))
        judged = host.trust.judge(launch)
        return Prepared(entry, launch, None, judged.trust, judged.fingerprint, judged.refusal)
    except HostError as failure:
        return Prepared(entry, failure=failure)


def lookup_for(host: "Host", entry: Entry, files: RealFiles | None = None) -> Lookup:
    """Where the variables of an entry are looked up; the project's own only for the project's entries.

    `files` is shared by the entries that are looked at together, and never kept: the file system changes.
    """
    folders = tuple(host.workspace.folders)
    home = Path.home()
    return Lookup(
        environment=host.environment,
        editor=host.workspace.variables,
        project_env=DotEnv.of_project(entry.folder) if entry.folder is not None else {},
        user_env=DotEnv.of_user(home),
        folder=entry.folder or next(iter(folders), None),
        home=home,
        inputs=host.inputs.values,
        workspace=folders,
        files=files or RealFiles(),
    )


def _want(host: "Host", server: str, candidate: Candidate, prepared: Prepared, detail: str | None) -> Wanted:
    entry = prepared.entry
    chosen = host.store.enabled(workspace_key(host), identity(entry))
    if chosen is False:
        return _idle(server, entry, "disabled", "switched off in this workspace")
    if candidate.off is not None and chosen is not True:
        return _idle(server, entry, "disabled", f"disabled by the {candidate.off}'s config")
    if prepared.failure is not None or prepared.launch is None:
        return _idle(server, entry, "failed", detail, prepared.failure)
    if prepared.refusal is not None:
        return _idle(server, entry, "untrusted", failure=prepared.refusal)
    if server in host.stopped:
        return _idle(server, entry, "stopped", "stopped by you")
    missing = [name for name in prepared.launch.inputs if name not in host.inputs.values]
    if missing:
        names = ", ".join(f"${{input:{name}}}" for name in missing)
        failure = NotReady(f"waits for the value of {names}.", server=server, hint="Start it to be asked for it.")
        return _idle(server, entry, "failed", failure=failure)
    return Wanted(server, entry, _key(prepared.launch), _ticket(host, server, entry), detail=detail)


def _idle(
    server: str, entry: Entry, state: State, detail: str | None = None, failure: HostError | None = None
) -> Wanted:
    error = ServerError(failure.kind, failure.message, failure.hint) if failure is not None else None
    if state == "untrusted" and failure is not None:
        detail = failure.message

    def no_ticket() -> LaunchTicket:
        raise Untrusted("this server shall not run.", server=server)

    return Wanted(server, entry, state, no_ticket, idle=state, detail=detail, error=error)


def _ticket(host: "Host", server: str, entry: Entry) -> Callable[[], LaunchTicket]:
    """Passes the gate anew at every launch, with the values of that moment."""

    def ticket() -> LaunchTicket:
        return host.trust.ticket(prepare(server, entry, lookup_for(host, entry)))

    return ticket


def placeholder(broken: BrokenEntry) -> Entry:
    """An entry that stands for a broken one where only its place and name matter."""
    return Entry(broken.name, broken.scope, broken.folder, broken.path, "stdio", key_span=broken.key_span)


def _key(launch: Launch) -> str:
    """A digest of everything that would be started: equal keys are served by the same process."""
    parts = {
        "argv": launch.argv,
        "cwd": str(launch.cwd),
        "env": launch.env,
        "url": launch.url,
        "headers": launch.headers,
        "envFile": str(launch.env_file),
        "transport": launch.transport,
        "protocol": launch.entry.protocol,
        "oauth": repr(launch.entry.oauth),
        "autostart": launch.entry.autostart,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()

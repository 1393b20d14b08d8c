"""A server's status and the config files' problems, composed from what each part of the house knows."""

from functools import lru_cache
from operator import is_
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from attrs import evolve, frozen

from codeagent_lsp.config.entry import Entry
from codeagent_lsp.config.templates import references
from codeagent_lsp.connection.connection import Connection
from codeagent_lsp.operations.asking import enabled
from codeagent_lsp.operations.sessions import connection_of
from codeagent_lsp.operations.wants import lookup_for
from codeagent_lsp.protocol import ConfigFile, ConfigProblem, JsonObject, ServerError, ServerStatus
from codeagent_lsp.protocol.params import ServerParams
from codeagent_lsp.protocol.values import ListErrors
from codeagent_lsp.text import visible

if TYPE_CHECKING:
    from codeagent_lsp.operations.host import Host


@frozen(eq=False)
class Composed:
    """A status, and what it was made of."""

    status: ServerStatus
    made_of: tuple[object, ...]
    switches: object


def status_of(host: "Host", server: str) -> ServerStatus:
    """The status of one server, made anew only where something about it is another. Raises `errors.UnknownServer`."""
    connection = connection_of(host, server)
    made_of, switches = _made_of(host, connection), host.store.switches
    known = host.statuses.get(server)
    if known is not None and all(map(is_, known.made_of, made_of)) and known.switches == switches:
        return known.status
    status = _compose(host, connection)
    host.statuses[server] = Composed(status, made_of, switches)
    return status


def _made_of(host: "Host", connection: Connection) -> tuple[object, ...]:
    """What a status is made of, beside the user's switches: each is another object once it says something else."""
    transport = connection.transport
    return (
        connection,
        connection.state,
        connection.detail,
        connection.wanted,
        connection.error,
        connection.session,
        transport.kind if transport else None,
        transport.pid if transport else None,
        connection.started_at,
        connection.restarts,
        connection.next_retry_at,
        host.catalog.listing(connection.server),
        host.plan,
    )


def _compose(host: "Host", connection: Connection) -> ServerStatus:
    server, entry = connection.server, connection.wanted.entry
    session, transport = connection.session, connection.transport
    prepared = host.plan.waiting.get(server) or host.plan.prepared.get(server)
    listing = host.catalog.listing(server)
    tools = [tool for tool in host.catalog.known_tools(server) if tool.kind == "tool"]
    return ServerStatus(
        server=server,
        name=visible(entry.name, newlines=False),
        scope=entry.scope,
        folder=_uri(entry.folder) if entry.folder else None,
        config_uri=_uri(entry.path),
        transport=transport.kind if transport else entry.transport,
        state=connection.state,
        detail=_redacted(host, connection.detail or connection.wanted.detail),
        error=_told(host, connection.error),
        protocol_version=session.protocol_version if session else None,
        server_info=_shown(session.server_info) if session else None,
        instructions=listing.instructions if session and listing else None,
        capabilities=session.capabilities if session else [],
        tools=len(tools),
        disabled_tools=sum(1 for tool in tools if not enabled(host, tool)),
        resources=len(listing.resources) if listing else 0,
        resource_templates=len(listing.templates) if listing else 0,
        prompts=len(listing.prompts) if listing else 0,
        list_errors=_list_errors(host, listing.list_errors) if listing else None,
        pid=transport.pid if transport else None,
        started_at=connection.started_at if connection.state in ("starting", "ready") else None,
        restarts=connection.restarts,
        next_retry_at=connection.next_retry_at,
        fingerprint=prepared.fingerprint if prepared else None,
        trust=prepared.trust if prepared else None,
    )


@lru_cache(maxsize=64)
def _uri(path: Path) -> str:
    return path.as_uri()


def _told(host: "Host", error: ServerError | None) -> ServerError | None:
    """An error for the editor: it may quote what a server said."""
    return evolve(error, message=host.redactor.clean(error.message)) if error is not None else None


def _list_errors(host: "Host", errors: ListErrors | None) -> ListErrors | None:
    if errors is None:
        return None
    said = (errors.tools, errors.resources, errors.prompts)
    return ListErrors(*(_redacted(host, text) for text in said))


def _shown(value: Any) -> Any:
    """What a server says of itself, hidden characters shown, at every depth."""
    if isinstance(value, str):
        return visible(value, newlines=False, limit=2_000)
    if isinstance(value, list):
        return [_shown(item) for item in cast(list[Any], value)]
    if isinstance(value, dict):
        return {visible(key): _shown(item) for key, item in cast(JsonObject, value).items()}
    return value


def config_files(host: "Host") -> list[ConfigFile]:
    """Every config file that is read, in the order of reading, with its problems."""
    files: list[ConfigFile] = []
    for file in host.config.files:
        problems: list[ConfigProblem] = []
        for problem in file.problems:
            where = file.range(problem, host.workspace.encoding)
            problems.append(ConfigProblem(where, problem.severity, problem.message))
        files.append(ConfigFile(file.path.as_uri(), file.scope, file.exists, problems))
    return files


async def effective_config(host: "Host", params: ServerParams) -> JsonObject:
    """The entry that is in force: each value as it would be started, where it came from, secrets redacted."""
    entry = connection_of(host, params.server).wanted.entry
    prepared = host.plan.prepared.get(params.server)
    launch = prepared.launch if prepared else None
    values: dict[str, Any] = {"transport": entry.transport}
    if launch is not None:
        values |= {
            "command": launch.argv[0] if launch.argv else None,
            "args": list(launch.argv[1:]) if launch.argv else None,
            "cwd": str(launch.cwd) if launch.cwd else None,
            "env": {name: launch.env.get(name, "") for name in launch.env_templates} or None,
            "url": launch.url,
            "headers": dict(launch.headers) or None,
        }
    values |= {
        "startTimeout": entry.start_timeout_ms,
        "timeout": entry.timeout_ms,
        "autostart": entry.autostart,
        "protocol": entry.protocol,
        "includeTools": list(entry.include_tools) if entry.include_tools is not None else None,
        "excludeTools": list(entry.exclude_tools) or None,
        "autoApprove": list(entry.auto_approve) or None,
        "trustAnnotations": entry.trust_annotations or None,
    }
    source = entry.path.as_uri()
    shown = {
        key: {"value": _redacted(host, value), "from": source} for key, value in values.items() if value is not None
    }
    used = [{"name": item.name, "from": item.source} for item in launch.used] if launch else _named(host, entry)
    result: JsonObject = {"server": params.server, "configUri": source, "values": shown, "variables": used}
    if prepared is not None and prepared.failure is not None:
        result["error"] = {"kind": prepared.failure.kind, "message": prepared.failure.text()}
    return result


def _named(host: "Host", entry: Entry) -> list[JsonObject]:
    """The variables that an entry names, and where each is set (`unset`: nowhere), never with its value."""
    lookup = lookup_for(host, entry)
    lookup = lookup.for_user_entry() if entry.scope == "user" else lookup
    written = (
        entry.command,
        *entry.args,
        *entry.env.values(),
        entry.cwd,
        entry.env_file,
        entry.url,
        *entry.headers.values(),
    )
    names = {item.name for text in written if text for item in references(text) if item.kind == "variable"}
    places = {name: lookup.find(name) for name in sorted(names)}
    return [{"name": name, "from": found[1] if found else "unset"} for name, found in places.items()]


def _redacted(host: "Host", value: object) -> Any:
    if isinstance(value, str):
        return host.redactor.clean(value)
    if isinstance(value, list):
        return [_redacted(host, item) for item in cast(list[object], value)]
    if isinstance(value, dict):
        return {key: _redacted(host, item) for key, item in cast(dict[str, object], value).items()}
    return value

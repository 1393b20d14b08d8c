"""Gathers for a config file what its features need of the house: its servers' state, variables, programs on PATH."""

import os
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from codeagent_lsp.config.commands import Search
from codeagent_lsp.config.document import Span
from codeagent_lsp.config.entry import BrokenEntry
from codeagent_lsp.config.environment import child_environment
from codeagent_lsp.config.variables import Lookup
from codeagent_lsp.features.config_language import ConfigText, ServerView, World
from codeagent_lsp.features.config_language_versions import is_versioned
from codeagent_lsp.operations.asking import enabled
from codeagent_lsp.operations.status import status_of
from codeagent_lsp.operations.wants import Plan, Prepared, lookup_for, placeholder
from codeagent_lsp.protocol import ServerStatus

if TYPE_CHECKING:
    from codeagent_lsp.operations.host import Host

_MAX_PROGRAMS = 10_000


def world_of(
    host: "Host",
    text: ConfigText,
    *,
    client_commands: Collection[str] = (),
    markdown: bool = True,
    snippets: bool = False,
    icons: bool = False,
) -> World:
    """Everything that features need to know about the surroundings of one config file, at this moment."""
    origin = text.origin
    stand_in = BrokenEntry("", origin.scope, origin.folder, origin.path, Span(0, 0), "")
    lookup = lookup_for(host, placeholder(stand_in))

    def status(server: str) -> ServerStatus | None:
        return status_of(host, server) if server in host.manager.connections else None

    def tools(server: str) -> list[tuple[str, bool]]:
        known = host.catalog.known_tools(server)
        return [(tool.tool, enabled(host, tool)) for tool in known if tool.kind == "tool"]

    return World(
        lookup=lookup,
        views=server_views(origin.path, host.plan, status, tools),
        clean=host.redactor.clean,
        programs=partial(programs, lookup),
        versioned=is_versioned(origin.path),
        client_commands=client_commands,
        markdown=markdown,
        snippets=snippets,
        icons=icons,
    )


def server_views(
    path: Path,
    plan: Plan,
    status: Callable[[str], ServerStatus | None],
    tools: Callable[[str], Sequence[tuple[str, bool]]],
) -> dict[str, ServerView]:
    """The servers by the names that a file at `path` has for them: its own, and those of other files."""
    views: dict[str, ServerView] = {}

    def view(server: str, prepared: Prepared, *, in_force: bool, waits: bool = False) -> ServerView:
        made = tuple(tools(server))
        return ServerView(server, status(server), in_force, prepared.launch, prepared.failure, made, waits)

    for server, prepared in plan.prepared.items():
        if prepared.entry.path == path:
            views[prepared.entry.name] = view(server, prepared, in_force=True)
    for server, prepared in plan.waiting.items():
        if prepared.entry.path == path:
            views.setdefault(prepared.entry.name, view(server, prepared, in_force=False, waits=True))
    for server, prepared in plan.prepared.items():
        if prepared.entry.path != path and prepared.entry.name not in views:
            views[prepared.entry.name] = view(server, prepared, in_force=False)
    return views


def programs(lookup: Lookup) -> list[str]:
    """The names of the programs on the PATH that a server gets, less its relative and in-workspace parts."""
    env = child_environment(lookup.environment)
    folders = tuple(str(folder) for folder in (lookup.folder, *lookup.workspace) if folder is not None)
    searched, _ = Search("", str(lookup.home), env.get("PATH", os.defpath), folders).parts()
    found: dict[str, None] = {}
    for part in searched:
        try:
            with os.scandir(part) as entries:
                for entry in entries:
                    if len(found) < _MAX_PROGRAMS and entry.is_file() and os.access(entry.path, os.X_OK):
                        found[_plain(entry.name)] = None
        except OSError:
            continue
    return sorted(found)


def _plain(name: str) -> str:
    """A program's name as it is called: on Windows without its ending."""
    return Path(name).stem if os.name == "nt" else name

"""Where things of a config file lead: a `${…}` to the line that sets it, a path to its file."""

import re
from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types

from codeagent_lsp.config.commands import is_within
from codeagent_lsp.config.document import Node
from codeagent_lsp.config.reading import read_project_file, read_user_file
from codeagent_lsp.config.templates import references
from codeagent_lsp.config.variables import DotEnv, expand
from codeagent_lsp.errors import SpawnFailed
from codeagent_lsp.features.config_language import ConfigText, ServerNode, World
from codeagent_lsp.features.config_language_variables import lookup_of, placed, settle, texts_of
from codeagent_lsp.features.positions import units

LIMIT = 200


def definition(text: ConfigText, position: types.Position, world: World) -> types.Location | None:
    """The line of a `.env` file that sets the variable at a position; the file that a path at it names."""
    offset = text.offset(position)
    server = text.server_at(offset)
    if server is None:
        return None
    for item in placed(text, server):
        if item.span.start <= offset < item.span.end and item.reference.kind == "variable":
            source = settle(item.reference, lookup_of(text, world.lookup)).source
            return _setting(text, item.reference.name, source, world)
    for node, path in _files(text, server, world):
        if node.span.holds(offset):
            start = types.Position(0, 0)
            return types.Location(path.as_uri(), types.Range(start, start))
    return None


def document_links(text: ConfigText, world: World) -> list[types.DocumentLink]:
    """Links to the files that `envFile`, `command` and `args` name, inside of the workspace; at most 200."""
    links: list[types.DocumentLink] = []
    for server in text.servers():
        for node, path in _files(text, server, world):
            if len(links) < LIMIT:
                links.append(types.DocumentLink(range=text.range(node.span), target=path.as_uri()))
    return links


def _files(text: ConfigText, server: ServerNode, world: World) -> Iterator[tuple[Node, Path]]:
    """The values of a server that name files which are there; of a project's, only files of the workspace."""
    lookup = lookup_of(text, world.lookup)
    base = lookup.folder if text.origin.scope == "project" and lookup.folder is not None else lookup.home
    for field, node in texts_of(server):
        value = str(node.value)
        named = field[0] in ("envFile", "cwd") or "/" in value or "." in value
        if field[0] not in ("envFile", "cwd", "command", "args") or not named or len(value) > 4096:
            continue
        if any(reference.kind == "input" for reference in references(value)):
            continue
        try:
            path = base / Path(expand(value, lookup, server=server.name, field=str(field[0])).text).expanduser()
            if not path.is_file() or (text.origin.scope == "project" and not _in_workspace(path, world)):
                continue
        except (OSError, ValueError, RuntimeError, SpawnFailed):
            continue
        yield node, path


def _in_workspace(path: Path, world: World) -> bool:
    folders = {folder for folder in (world.lookup.folder, *world.lookup.workspace) if folder is not None}
    return any(is_within(str(path), str(folder)) for folder in folders)


def _setting(text: ConfigText, name: str, source: str | None, world: World) -> types.Location | None:
    folder = text.origin.folder
    if source == "project" and folder is not None and isinstance(world.lookup.project_env, DotEnv):
        path, content = folder / ".env", read_project_file(folder, (".env",))
    elif source == "user":
        path, content = world.lookup.home / ".env", read_user_file(world.lookup.home / ".env")
    else:
        return None
    pattern = re.compile(rf"[ \t]*(?:export[ \t]+)?(['\"]?){re.escape(name)}\1[ \t]*=")
    found: types.Location | None = None
    for number, line in enumerate(content.text()[0].split("\n")):
        match = pattern.match(line)
        if match is not None:  # of several the last one counts
            start = match.group().index(name)
            begin = types.Position(number, units(line[:start], text.encoding))
            end = types.Position(number, units(line[: start + len(name)], text.encoding))
            found = types.Location(path.as_uri(), types.Range(begin, end))
    return found

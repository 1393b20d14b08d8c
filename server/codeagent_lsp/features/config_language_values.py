"""What is suggested for a value of a config file: by the schema, by what is on PATH, by what the server offers."""

from collections.abc import Iterator
from typing import Any

from attrs import frozen
from lsprotocol import types

from codeagent_lsp.config.templates import FIXED, references
from codeagent_lsp.features.config_language import ConfigText, World
from codeagent_lsp.features.config_language_cursor import Cursor
from codeagent_lsp.features.config_language_schema import key_info
from codeagent_lsp.features.config_language_variables import PLACES, known_names, lookup_of, texts_of
from codeagent_lsp.text import visible

LIMIT = 200
RUNNERS = ("npx", "uvx", "uv", "docker", "podman", "node", "bunx", "bun", "deno", "pnpm", "python3", "python", "pipx")
"""Programs that MCP servers are started with, the commonest first."""

_TOOL_LISTS = ("includeTools", "excludeTools", "autoApprove")
_KINDS = types.CompletionItemKind


@frozen
class Suggestion:
    """One value: `value` is what JSON has, `snippet` what is inserted instead where the client has snippets."""

    label: str
    value: Any
    detail: str = ""
    kind: types.CompletionItemKind = types.CompletionItemKind.Value
    snippet: str = ""
    documentation: str = ""


def suggestions(text: ConfigText, cursor: Cursor, world: World) -> Iterator[Suggestion]:
    """The values that can stand at a place, the likeliest first; they are not yet filtered by what is typed."""
    if not cursor.path:
        return
    if len(cursor.path) == 1 and cursor.path[0] in text.dialect.keys:
        yield Suggestion("{ }", {}, "servers by name", _KINDS.Snippet, "{\n  $1\n}")
        return
    fields = text.fields(cursor.path)
    if fields is None:
        return
    if not fields:
        yield Suggestion('{ "command" }', {"command": "", "args": []}, "a program", snippet=_PROGRAM)
        yield Suggestion('{ "url" }', {"url": "https://"}, "an address", snippet='{\n  "url": "https://$1"\n}')
        return
    yield from _special(text, cursor, world, fields)
    info = key_info(fields)
    if info is None:
        return
    for value in info.values:
        default = "the default" if info.default is not None and _json(value) == info.default else ""
        yield Suggestion(_label(value), value, default, _KINDS.EnumMember)
    if not info.values and info.default is not None:
        yield Suggestion(info.default, int(info.default), "the default")
    if not cursor.quoted and "array" in info.types:
        yield Suggestion("[ ]", [], info.description, snippet='["$1"]')
    if not cursor.quoted and "object" in info.types:
        yield Suggestion("{ }", {}, info.description, snippet="{\n  $1\n}")


_PROGRAM = '{\n  "command": "$1",\n  "args": [$2]\n}'


def _special(text: ConfigText, cursor: Cursor, world: World, fields: tuple[str | int, ...]) -> Iterator[Suggestion]:
    key, scoped = fields[0], len(fields)
    if fields == ("command",):
        yield from _programs(cursor, world)
    elif key in _TOOL_LISTS and scoped == 2:
        yield from _tools(text, cursor, world)
    elif key == "inheritEnv" and scoped == 2:
        names = (name for name, source in known_names(world.lookup) if source == "environment")
        yield from (Suggestion(name, name, kind=_KINDS.Variable) for name in names)
    elif key == "env" and scoped == 2 and isinstance(fields[1], str):
        yield Suggestion(f"${{{fields[1]}}}", f"${{{fields[1]}}}", "the variable of this name", _KINDS.Variable)
    elif key == "headers" and scoped == 2 and str(fields[1]).lower() == "authorization":
        yield Suggestion("Bearer ${…}", "Bearer ${TOKEN}", "a token from a variable", snippet=_BEARER)
    elif fields == ("cwd",):
        for name in ("workspaceFolder", "userHome"):
            yield Suggestion(f"${{{name}}}", f"${{{name}}}", _fixed(world, name), _KINDS.Folder)
    elif fields == ("envFile",):
        yield Suggestion("${workspaceFolder}/.env", "${workspaceFolder}/.env", "", _KINDS.File)
    elif key == "args" and scoped == 2:
        yield Suggestion("${workspaceFolder}", "${workspaceFolder}", _fixed(world, "workspaceFolder"), _KINDS.Folder)


_BEARER = '"Bearer \\${${1:TOKEN}\\}"'


def _programs(cursor: Cursor, world: World) -> Iterator[Suggestion]:
    begun = cursor.typed.strip('"').lower()
    there = dict.fromkeys(world.programs())
    first = [name for name in RUNNERS if name in there]
    for name in [*first, *sorted(there.keys() - set(first), key=str.lower)]:
        if name.lower().startswith(begun):
            yield Suggestion(name, name, "on PATH", _KINDS.Function)


def _tools(text: ConfigText, cursor: Cursor, world: World) -> Iterator[Suggestion]:
    server = next((item for item in text.servers() if item.path == cursor.path[: len(item.path)]), None)
    view = world.views.get(server.name) if server is not None else None
    node = text.document.at(cursor.path[:-1])
    there = {item.value for item in node.items} if node is not None else set[Any]()
    for name, on in view.tools if view is not None else ():
        if name not in there or not cursor.typed:
            yield Suggestion(visible(name, newlines=False), name, "" if on else "switched off", _KINDS.Method)


def variable_suggestions(text: ConfigText, world: World, *, plain: bool = False) -> Iterator[Suggestion]:
    """The variables that can be written, by what stands between the braces. `plain`: names of variables only."""
    lookup = lookup_of(text, world.lookup)
    if not plain:
        for name in FIXED:
            yield Suggestion(name, name, _fixed(world, name))
    for name, source in known_names(lookup):
        yield Suggestion(name, name, f"from {PLACES[source]}".replace("`", ""))
    if plain:
        return
    used = {
        reference.name
        for server in text.servers()
        for _, node in texts_of(server)
        for reference in references(str(node.value))
        if reference.kind == "input"
    }
    for name in sorted(used):
        yield Suggestion(f"input:{name}", name, "asked for once, kept in the system keyring")
    yield Suggestion("input:secret", "secret", "asked for once, kept in the system keyring")


def _fixed(world: World, name: str) -> str:
    value = world.lookup.fixed(name)
    return visible(value, newlines=False, limit=200) if value is not None else "no folder is open"


def _label(value: Any) -> str:
    return value if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else f'"{value}"'

"""Reads the servers of another tool's config file as entries of ours, and plans the edit that adds them to our file.

Nothing is written here, and nothing started. What could not be carried is told in notes, one sentence each.
"""

import json
import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import cast

from attrs import frozen

from codeagent_lsp.config.dialects import Dialect
from codeagent_lsp.config.document import Document, parse
from codeagent_lsp.config.edits import Edit, add_members, apply, formatted
from codeagent_lsp.config.foreign import OTHER, TOOLS, Tool, servers_of, switched_off, texts, tool_of
from codeagent_lsp.config.import_entry import entry_of
from codeagent_lsp.config.keys import nearest
from codeagent_lsp.config.names import name_refused
from codeagent_lsp.config.nodes import Span
from codeagent_lsp.config.reading import read_user_file
from codeagent_lsp.config.templates import references
from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.protocol.values import JsonObject
from codeagent_lsp.text import one_line

__all__ = ["OTHER", "TOOLS", "Imported", "Planned", "import_servers", "importable_files", "plan_import"]

_LISTED = 20


@frozen
class Imported:
    """The servers of one file as entries of ours, by name, and what could not be carried."""

    tool: Tool
    servers: dict[str, JsonObject]
    notes: tuple[str, ...]


@frozen
class Planned:
    """What would change in our file. `text` is the whole new text; `edits` lead there from the present one.

    `document` is the present text, or `None` for a file that is not there yet.
    """

    document: Document | None
    edits: tuple[Edit, ...]
    text: str
    added: tuple[str, ...]
    notes: tuple[str, ...]


def import_servers(
    path: Path, text: str, *, only: Collection[str] | None = None, folder: Path | None = None
) -> Imported:
    """Read the servers of another tool's file. `only` picks some by name; `folder` those of one project of a user.

    Raises `InvalidParams` where the file cannot be read as JSON (or TOML, by its name), has no servers, or has none of
    the names in `only`.
    """
    root = _root(path, text)
    tool = tool_of(path, root)
    where = str(folder) if folder is not None else None
    raw = servers_of(tool, root, where)
    if not raw:
        raise InvalidParams(f"{path} declares no MCP servers.", hint="Name a file of a tool that has some.")
    wanted = list(raw) if only is None else list(dict.fromkeys(only))
    for name in wanted:
        if name not in raw:
            near = nearest(name, raw)
            hint = f"Did you mean `{near}`?" if near else f"It has {_names(raw)}."
            raise InvalidParams(f"{path} declares no server `{one_line(name, 80)}`.", hint=hint)
    off = switched_off(tool, root, list(raw), where)
    servers: dict[str, JsonObject] = {}
    notes: list[str] = []
    for name in wanted:
        refused = name_refused(name)
        if refused is not None:
            notes.append(f"{refused}: not imported")
            continue
        entry, said = entry_of(name, raw[name], tool)
        notes += said
        if entry is not None:
            servers[name] = {**entry, "disabled": True} if name in off else entry
    notes += _about_inputs(root, servers)
    return Imported(tool, servers, tuple(dict.fromkeys(notes)))


def plan_import(servers: dict[str, JsonObject], target: Path, text: str | None, dialect: Dialect) -> Planned:
    """Plan adding servers to one of our files, whose present text is `text` (`None`: there is no such file).

    A server of a name that is there already is left alone. Raises `InvalidParams` where the present text is broken.
    """
    key = dialect.keys[0]
    if text is None or not text.strip("\ufeff \t\r\n"):
        whole = formatted({key: servers})
        document = None if text is None else parse(text)
        span = Span(0, len(document.text)) if document else Span(0, 0)
        return Planned(document, (Edit(span, whole),), whole, tuple(servers), ())
    document = parse(text)
    root = document.root
    if not document.ok or root is None or root.kind != "object":
        why = document.problems[0].message if document.problems else "it does not hold an object"
        raise InvalidParams(f"{target} cannot be added to: {why}.", hint="Mend it first, then import again.")
    present = [name for name in dialect.server_keys(root) if name is not None]
    taken = {str(member.key.value) for name in present if (node := root.get(name)) for member in node.members}
    new = {name: entry for name, entry in servers.items() if name not in taken}
    notes = tuple(f"`{one_line(name, 80)}` is there already: left as it is" for name in servers if name in taken)
    into = root.get(present[-1]) if present else None
    if into is not None and into.kind != "object":
        raise InvalidParams(f"{target} cannot be added to: `{present[-1]}` is not an object.", hint="Mend it first.")
    edits = add_members(document, into, new) if into is not None else add_members(document, root, {key: new})
    edits = edits if new else []
    return Planned(document, tuple(edits), apply(document.text, edits), tuple(new), notes)


def importable_files(folder: Path | None, home: Path) -> list[tuple[Tool, Path]]:
    """The other tools' files that are there: of a workspace folder, or (`folder` is `None`) of the user."""
    found: list[tuple[Tool, Path]] = []
    base = home if folder is None else folder
    for tool in TOOLS:
        if tool.name == "codeagent":
            continue
        for pattern in tool.user_files if folder is None else tool.project_files:
            places = sorted(base.glob(pattern))[:_LISTED] if "*" in pattern else [base / pattern]
            found += [(tool, place) for place in places if _has_servers(tool, place, follow=folder is None)]
    return found


def _has_servers(tool: Tool, place: Path, *, follow: bool) -> bool:
    """Whether a file is there and speaks of servers at all: a fast look, since most settings files do not."""
    if not place.is_file() or (place.is_symlink() and not follow):
        return False
    data = read_user_file(place).data or b""
    return tool.bare or any(wrapper[-1].encode() in data for wrapper in tool.wrappers)


def _root(path: Path, text: str) -> JsonObject:
    if path.suffix == ".toml":
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InvalidParams(f"{path} is not TOML: {error}.") from None
    if path.suffix in (".yaml", ".yml"):
        raise InvalidParams(f"{path} is YAML, which is not read here.", hint="Copy its servers by hand.")
    document = parse(text)
    if not document.ok or document.root is None:
        problem = document.problems[0]
        line = document.position(problem.span.start).line + 1
        raise InvalidParams(f"{path} cannot be read: line {line}: {problem.message}.")
    root = document.root.plain()
    if isinstance(root, list):
        return {"mcpServers": root}
    if not isinstance(root, dict):
        raise InvalidParams(f"{path} does not hold an object.")
    return cast(JsonObject, root)


def _about_inputs(root: JsonObject, servers: dict[str, JsonObject]) -> list[str]:
    """What is lost of VS Code's `inputs`, of those that are used: defaults, choices, and commands."""
    written = json.dumps(servers)
    used = {reference.name for reference in references(written) if reference.kind == "input"}
    notes: list[str] = []
    inputs = root.get("inputs")
    for item in cast(list[object], inputs) if isinstance(inputs, list) else []:
        fields = cast(JsonObject, item) if isinstance(item, dict) else {}
        name = str(fields.get("id"))
        if name not in used:
            continue
        if fields.get("type") == "command":
            notes.append(f"`${{input:{name}}}` came from a command of the editor: here you are asked for it")
        elif fields.get("type") == "pickString":
            choices = ", ".join(texts(fields.get("options"))[:_LISTED])
            notes.append(f"`${{input:{name}}}` was a choice of {one_line(choices, 200)}: here you type it")
        elif fields.get("default") not in (None, ""):
            notes.append(f"`${{input:{name}}}` had a default, which is not carried")
    return notes


def _names(raw: Collection[str]) -> str:
    shown = ", ".join(f"`{one_line(name, 60)}`" for name in list(raw)[:_LISTED])
    return shown if len(raw) <= _LISTED else f"{shown} and {len(raw) - _LISTED} more"

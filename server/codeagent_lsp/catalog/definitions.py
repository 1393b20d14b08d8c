"""One tool of a server as the catalogue keeps it: the raw definition, and what is shown of it."""

import json
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, cast

from attrs import evolve, frozen

from codeagent_lsp.catalog.schemas import Sanitised, sanitised
from codeagent_lsp.policy.capability import capability
from codeagent_lsp.policy.definition import FIELDS, definition_hash, hides
from codeagent_lsp.protocol import Capability, JsonObject
from codeagent_lsp.protocol.values import ToolKind
from codeagent_lsp.protocol.wire import dumped
from codeagent_lsp.text import one_line, visible

MAX_DESCRIPTION = 1_000
MAX_TITLE = 200


@frozen(eq=False)
class CatalogTool:
    """A tool that can be listed and called.

    `tool` is the server's own name, `name` the full one, which the catalogue gives (empty before that). `definition`
    is what the server sent, `definition_hash` what grants are bound to; the other fields are made for showing.
    """

    server: str
    tool: str
    kind: ToolKind
    title: str | None
    description: str
    input_schema: JsonObject
    output_schema: JsonObject | None
    annotations: JsonObject | None
    capability: Capability
    definition: JsonObject
    definition_hash: str
    name: str = ""


def made_from(server: str, definition: JsonObject, digest: str) -> tuple[CatalogTool, list[str]]:
    """The tool that a definition with a usable name describes, and what a person should know about it.

    `digest` is the definition's hash.
    """
    name = cast(str, definition["name"])
    raw_title, raw_description = definition.get("title"), definition.get("description")
    annotations = _object(definition.get("annotations"))
    schema = sanitised(definition.get("inputSchema"))
    output = sanitised(definition["outputSchema"], any_type=True) if _object(definition.get("outputSchema")) else None
    tool = CatalogTool(
        server=server,
        tool=name,
        kind="tool",
        title=_title(raw_title) or _title((annotations or {}).get("title")),
        description=_description(raw_description, schema.alternatives),
        input_schema=dumped(schema.schema),
        output_schema=dumped(output.schema) if output else None,
        annotations=annotations,
        capability=capability(
            name,
            raw_title if isinstance(raw_title, str) else None,
            raw_description if isinstance(raw_description, str) else None,
            annotations,
        ),
        definition=definition,
        definition_hash=digest,
    )
    notes = _notes(name, schema, "input") + _notes(name, output, "output")
    if _may_hide(definition) and hides([definition.get(field) for field in FIELDS]):
        notes.append(f"the tool `{one_line(name)}` is described with characters that cannot be seen; they are shown.")
    return tool, notes


def filtered(names: Iterable[str], include: Iterable[str] | None, exclude: Iterable[str]) -> set[str]:
    """The names that `include` (None: all) has and `exclude` has not; both are names or globs, case counts."""
    wanted, unwanted = (None if include is None else tuple(include)), tuple(exclude)
    return {
        name
        for name in names
        if (wanted is None or any(fnmatchcase(name, glob) for glob in wanted))
        and not any(fnmatchcase(name, glob) for glob in unwanted)
    }


def digest_of(definition: JsonObject) -> str:
    """The hash that grants are bound to."""
    return definition_hash(definition)


_EMPTY: JsonObject = {"type": "object", "properties": {}}
_VIRTUAL: dict[ToolKind, tuple[str, str, str, JsonObject]] = {
    "listResources": (
        "list_resources",
        "List resources",
        "Lists the resources and resource templates of the MCP server `{server}`.",
        _EMPTY,
    ),
    "readResource": (
        "read_resource",
        "Read a resource",
        "Reads a resource of the MCP server `{server}` by its URI.",
        {"type": "object", "properties": {"uri": {"type": "string"}}, "required": ["uri"]},
    ),
    "listPrompts": ("list_prompts", "List prompts", "Lists the prompts of the MCP server `{server}`.", _EMPTY),
    "getPrompt": (
        "get_prompt",
        "Get a prompt",
        "Gets a prompt of the MCP server `{server}`, filled in with arguments.",
        {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "arguments": {"type": "object", "additionalProperties": {"type": "string"}},
            },
            "required": ["name"],
        },
    ),
}
VIRTUAL_NAMES: dict[ToolKind, str] = {kind: words[0] for kind, words in _VIRTUAL.items()}


def virtual(server: str, kind: ToolKind) -> CatalogTool:
    """The tool that stands for the resources or prompts of a server, for agents that only know tools."""
    made = _template(kind)
    description = made.description.replace("{server}", one_line(server))
    definition: JsonObject = {**made.definition, "description": description}
    return evolve(
        made,
        server=server,
        description=_description(description, ""),
        definition=definition,
        definition_hash=digest_of(definition),
    )


@cache
def _template(kind: ToolKind) -> CatalogTool:
    """A virtual tool of no server: servers differ in one word of its description only."""
    name, title, description, schema = _VIRTUAL[kind]
    definition: JsonObject = {
        "name": name,
        "title": title,
        "description": description,
        "inputSchema": schema,
        "annotations": {"readOnlyHint": True},
    }
    tool, _ = made_from("", definition, "")
    return evolve(tool, kind=kind, capability="read")


def _description(raw: object, alternatives: str) -> str:
    """What the server says of the tool, cut, and after that what its schema says of alternatives among arguments."""
    said = raw if isinstance(raw, str) else ""
    if not alternatives:
        return visible(said, limit=MAX_DESCRIPTION)
    tail = f"Arguments: {alternatives}"
    return f"{visible(said, limit=MAX_DESCRIPTION - len(tail) - 2)}\n\n{tail}" if said else tail


def _may_hide(definition: JsonObject) -> bool:
    """Whether there is any character but ASCII letters, digits and signs: a fast look before the thorough one."""
    return "\\" in json.dumps([definition.get(field) for field in FIELDS])


def _title(raw: object) -> str | None:
    return one_line(raw, MAX_TITLE) or None if isinstance(raw, str) else None


def _object(value: Any) -> JsonObject | None:
    return cast(JsonObject, value) if isinstance(value, dict) else None


def _notes(name: str, schema: Sanitised | None, which: str) -> list[str]:
    notes = schema.notes if schema else ()
    return [f"the {which} schema of the tool `{one_line(name)}` is shown in part: {note}." for note in notes]

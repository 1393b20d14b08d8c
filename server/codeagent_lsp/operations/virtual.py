"""The tools that stand for resources and prompts, for agents that only know tools."""

import json
from typing import cast

from codeagent_lsp.catalog.tools import CatalogTool
from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.operations import prompts, resources
from codeagent_lsp.operations.host import Host
from codeagent_lsp.protocol import JsonObject, wire
from codeagent_lsp.protocol.params import GetPromptParams, ListParams, ReadResourceParams


async def run_virtual(host: Host, tool: CatalogTool, arguments: JsonObject) -> JsonObject:
    """Run a virtual tool of a server that is ready; returns a result in the shape of an MCP tool result."""
    listing = ListParams(server=tool.server, wait_ms=0)
    match tool.kind:
        case "listResources":
            found = await resources.list_resources(host, listing)
            return _as_json({"resources": wire.dump(found.resources), "templates": wire.dump(found.templates)})
        case "readResource":
            uri = _text(arguments, "uri")
            read = await resources.read_resource(host, ReadResourceParams(server=tool.server, uri=uri))
            blocks = [{"type": "resource", "resource": wire.dump(part)} for part in read.contents]
            return {"content": blocks}
        case "listPrompts":
            return _as_json({"prompts": wire.dump((await prompts.list_prompts(host, listing)).prompts)})
        case _:
            given = arguments.get("arguments")
            if given is not None and not isinstance(given, dict):
                raise InvalidParams("`arguments` must be an object: the prompt's arguments by name.")
            params = GetPromptParams(tool.server, _text(arguments, "name"), cast("JsonObject | None", given))
            filled = await prompts.get_prompt(host, params)
            return {"content": [{"type": "text", "text": filled.text}]}


def _text(arguments: JsonObject, name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or not value:
        raise InvalidParams(f"`{name}` must be a non-empty string.")
    return value


def _as_json(value: JsonObject) -> JsonObject:
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return {"content": [{"type": "text", "text": text}], "structuredContent": value}

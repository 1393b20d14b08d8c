"""What servers answered, as values of the wire: results of calls, contents of resources, filled prompts.

`text` is for reading: without terminal codes, hidden characters shown, one short line for what is no text, and nothing
is ever fetched. `content` is what came.
"""

import json
from typing import Any, cast

from codeagent_lsp.catalog.addresses import mention_prefix
from codeagent_lsp.catalog.definitions import CatalogTool
from codeagent_lsp.operations.blobs import blob
from codeagent_lsp.operations.validation import check
from codeagent_lsp.protocol import CallResult, ContentBlock, JsonObject, PromptMessage, ResourceContents
from codeagent_lsp.protocol.results import FilledPrompt
from codeagent_lsp.text import one_line, visible, well_formed, without_controls
from codeagent_lsp.transport.repair_content import ORIGINAL
from codeagent_lsp.transport.repair_results import STRUCTURE, WARNINGS

NOTHING = "(no output)"


async def call_result(tool: CatalogTool, raw: JsonObject, duration_ms: int) -> CallResult:
    """The result of `tools/call`. A result that does not fit the tool's output schema is one with a warning."""
    blocks = _list(raw.get("content"))
    meta = _object(raw.get("_meta"))
    structured = raw.get("structuredContent", meta.get(STRUCTURE))
    failed = raw.get("isError") is True
    warnings = [visible(text, limit=500) for text in _list(meta.get(WARNINGS)) if isinstance(text, str)]
    schema = tool.definition.get("outputSchema")
    if tool.kind == "tool" and isinstance(schema, dict) and not failed:
        if structured is None:
            warnings.append("The tool declares an output schema, but its result has no structured content.")
        else:
            wrong = await check(cast(JsonObject, schema), structured)
            warnings += [wrong] if wrong else []
    text = _joined(tool.server, blocks)
    if not text.strip() and structured is not None:
        text = without_controls(json.dumps(well_formed(structured), ensure_ascii=False, indent=2))
    return CallResult(
        server=tool.server,
        tool=tool.tool,
        is_error=failed,
        text=text if text.strip() else NOTHING,
        content=[_as_it_came(block) for block in blocks],
        duration_ms=duration_ms,
        structured_content=structured,
        warnings=warnings or None,
    )


def resource_contents(raw: JsonObject, uri: str) -> list[ResourceContents]:
    """The contents of `resources/read`; `uri` is what was asked for.

    Text in a blob is text; for data that is no base64, a note stands in its place.
    """
    return [_contents(_object(item), uri) for item in _list(raw.get("contents"))]


def filled_prompt(server: str, raw: JsonObject) -> FilledPrompt:
    """The result of `prompts/get`; `text` is all messages, each under its role where there are several roles."""
    items = [_object(item) for item in _list(raw.get("messages"))]
    shown = [(_role(item), block_text(server, item.get("content"))) for item in items]
    several = len({role for role, _ in shown}) > 1
    parts = [f"[{one_line(role, 40)}]\n{text}" if several else text for role, text in shown if text]
    description = raw.get("description")
    return FilledPrompt(
        messages=[PromptMessage(_role(item), _as_it_came(item.get("content"))) for item in items],
        text="\n\n".join(parts),
        description=visible(description, limit=1_000) or None if isinstance(description, str) else None,
    )


def block_text(server: str, block: Any) -> str:
    """One block of content for reading: its text, or one short line that says what it is."""
    given = _object(block)
    match given.get("type"):
        case "text" if isinstance(given.get("text"), str):
            return without_controls(given["text"])
        case "image" | "audio" if isinstance(given.get("data"), str):
            return blob(given["data"], given.get("mimeType")).placeholder()
        case "resource_link" if isinstance(given.get("uri"), str):
            return mention_prefix(server) + visible(given["uri"], newlines=False)
        case "resource" if isinstance(given.get("resource"), dict):
            return _embedded_text(server, given["resource"])
        case kind:
            return f"[unsupported content: {one_line(kind, 60) if isinstance(kind, str) and kind else 'no type'}]"


def _embedded_text(server: str, resource: JsonObject) -> str:
    if isinstance(resource.get("text"), str):
        return without_controls(resource["text"])
    if isinstance(resource.get("blob"), str):
        data = blob(resource["blob"], resource.get("mimeType"))
        text = data.text()
        return data.placeholder() if text is None else without_controls(text)
    uri = resource.get("uri")
    if isinstance(uri, str):
        return mention_prefix(server) + visible(uri, newlines=False)
    return "[unsupported content: resource]"


def _contents(item: JsonObject, asked: str) -> ResourceContents:
    uri = item["uri"] if isinstance(item.get("uri"), str) else asked
    kind = item.get("mimeType")
    mime = one_line(kind, 100) if isinstance(kind, str) else ""
    text, given = item.get("text"), item.get("blob")
    if not isinstance(text, str) and isinstance(given, str):
        data = blob(given, mime)
        if data.data is None:
            return ResourceContents(uri, data.mime_type, data.size, text=data.placeholder())
        text = data.text()
        if text is None:
            return ResourceContents(uri, data.mime_type, data.size, blob=data.data)
        return ResourceContents(uri, data.mime_type, data.size, text=without_controls(text))
    said = text if isinstance(text, str) else ""
    size = len(said.encode("utf-8", "replace"))
    return ResourceContents(uri, mime or "text/plain", size, text=without_controls(said))


def _joined(server: str, blocks: list[Any]) -> str:
    return "\n\n".join(text for text in (block_text(server, block) for block in blocks) if text)


def _as_it_came(block: Any) -> ContentBlock:
    """The block before the transport repaired it, if it was an object; never our own notes."""
    given = _object(block)
    meta = _object(given.get("_meta"))
    if ORIGINAL not in meta:
        return given
    original = meta[ORIGINAL]
    if isinstance(original, dict):
        return cast(JsonObject, original)
    return {key: value for key, value in given.items() if key != "_meta"}


def _role(item: JsonObject) -> str:
    """The role as the server wrote it, also where MCP does not know it."""
    original = _object(_object(item.get("_meta")).get(ORIGINAL)) or item
    role = original.get("role")
    return visible(role, newlines=False, limit=40) if isinstance(role, str) and role else "user"


def _object(value: Any) -> JsonObject:
    return cast(JsonObject, value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else []

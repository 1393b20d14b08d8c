"""Repairs one block of MCP content (text, image, audio, resource link, embedded resource), or shows it as text.

Whatever is changed keeps the block as it came under `_meta["codeagent.original"]`, so nothing is lost.
"""

import json
from typing import Any, cast

from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.text import one_line
from codeagent_lsp.transport.envelope import kind_of

ORIGINAL = "codeagent.original"
"""Key in `_meta`: the thing before it was repaired."""

BINARY = "application/octet-stream"

_MAGIC = {
    "iVBORw0KGgo": "image/png",
    "/9j/": "image/jpeg",
    "R0lGOD": "image/gif",
    "UklGR": "image/webp",
    "PHN2Zy": "image/svg+xml",
}
_OPTIONAL: dict[str, tuple[type, ...]] = {"title": (str,), "description": (str,), "mimeType": (str,), "size": (int,)}


def repair_block(block: Any) -> tuple[JsonObject, str | None]:
    """A block that the models take, and what was wrong with it; the very same block and None if nothing was."""
    if not isinstance(block, dict):
        text = block if isinstance(block, str) else json.dumps(block)
        return _instead({"type": "text", "text": text}, block), f"a block is {kind_of(block)}, not an object"
    given = cast(JsonObject, block)
    fixed, why = _decorations(given)
    kind = fixed.get("type")
    if kind is None and isinstance(fixed.get("text"), str):
        kind, why = "text", "a block has no 'type'"
    match kind:
        case "text":
            fixed, fault = _text(fixed)
        case "image" | "audio":
            fixed, fault = _media(fixed, kind)
        case "resource_link":
            fixed, fault = _link(fixed)
        case "resource":
            fixed, fault = _embedded(fixed)
        case _:
            name = one_line(kind, 60) if isinstance(kind, str) else "no type"
            fixed, fault = unsupported(name), f"a block of an unknown kind ({name}) is shown as text"
    why = fault or why
    return (given, None) if why is None else (_instead(fixed, given), why)


def unsupported(name: str) -> JsonObject:
    """The text that stands for content that cannot be shown."""
    return {"type": "text", "text": f"[unsupported content: {name}]"}


def repair_contents(item: Any, uri: Any) -> tuple[JsonObject, str | None]:
    """The contents of a resource: text or blob, with a URI (`uri` where it has none)."""
    fallback = uri if isinstance(uri, str) else ""
    if not isinstance(item, dict):
        text = item if isinstance(item, str) else json.dumps(item)
        return _instead({"uri": fallback, "text": text}, item), f"contents are {kind_of(item)}, not an object"
    given = cast(JsonObject, item)
    fixed = dict(given)
    why: str | None = None
    if not isinstance(fixed.get("uri"), str):
        fixed["uri"], why = fallback, "contents have no 'uri'"
    if not isinstance(fixed.get("mimeType", ""), str):
        del fixed["mimeType"]
        why = "'mimeType' is not text" if given["mimeType"] is not None else why
    if not isinstance(fixed.get("_meta", {}), dict):
        del fixed["_meta"]
        why = "'_meta' is not an object"
    if not isinstance(fixed.get("blob", ""), str):
        del fixed["blob"]
        why = f"'blob' is {kind_of(given['blob'])}, not text" if given["blob"] is not None else why
    text = fixed.get("text")
    if not isinstance(text, str) and ("blob" not in fixed or text is not None):
        fixed["text"] = "" if text is None else json.dumps(text)
        why = "contents have neither 'text' nor 'blob'" if text is None else f"'text' is {kind_of(text)}, not text"
    return (given if fixed == given else fixed, None) if why is None else (_instead(fixed, given), why)


def _instead(fixed: JsonObject, original: Any) -> JsonObject:
    meta = fixed.get("_meta")
    kept = cast(JsonObject, meta) if isinstance(meta, dict) else {}
    return {**fixed, "_meta": {**kept, ORIGINAL: original}}


def _decorations(given: JsonObject) -> tuple[JsonObject, str | None]:
    """The block without the optional members that have the wrong type."""
    fixed = dict(given)
    why: str | None = None
    meta = given.get("_meta")
    if meta is not None and not isinstance(meta, dict):
        del fixed["_meta"]
        why = "'_meta' is not an object"
    elif isinstance(meta, dict) and any(key.startswith("codeagent.") for key in cast(JsonObject, meta)):
        entries = cast(JsonObject, meta).items()
        fixed["_meta"] = {key: value for key, value in entries if not key.startswith("codeagent.")}
        why = "'_meta' holds keys that are ours"
    notes = given.get("annotations")
    if notes is not None and not _good_annotations(notes):
        del fixed["annotations"]
        why = "'annotations' are not as they should be"
    for member, kinds in _OPTIONAL.items():
        value = given.get(member)
        if value is not None and (not isinstance(value, kinds) or isinstance(value, bool)):
            del fixed[member]
            why = f"{member!r} is {kind_of(value)}"
    icons = given.get("icons")
    if icons is not None and given.get("type") == "resource_link" and not _good_icons(icons):
        del fixed["icons"]
        why = "'icons' are not as they should be"
    return fixed, why


def _good_annotations(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    notes = cast(JsonObject, value)
    audience, priority = notes.get("audience"), notes.get("priority")
    return (
        (audience is None or (isinstance(audience, list) and all(who in ("user", "assistant") for who in audience)))  # pyright: ignore[reportUnknownVariableType]
        and (priority is None or (isinstance(priority, int | float) and 0 <= priority <= 1))
        and isinstance(notes.get("lastModified"), str | None)
    )


def _good_icons(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(icon, dict)
        and isinstance(cast(JsonObject, icon).get("src"), str)
        and isinstance(cast(JsonObject, icon).get("mimeType"), str | None)
        and cast(JsonObject, icon).get("theme") in (None, "dark", "light")
        and cast(JsonObject, icon).get("sizes") is None
        for icon in cast("list[Any]", value)
    )


def _text(block: JsonObject) -> tuple[JsonObject, str | None]:
    text = block.get("text")
    if isinstance(text, str) and block.get("type") == "text":
        return block, None
    shown = text if isinstance(text, str) else "" if text is None else json.dumps(text)
    return {**block, "type": "text", "text": shown}, f"the 'text' of a block is {kind_of(text)}"


def _media(block: JsonObject, kind: str) -> tuple[JsonObject, str | None]:
    data = block.get("data")
    if not isinstance(data, str):
        return unsupported(f"{kind} without data"), f"the 'data' of a block of kind {kind} is {kind_of(data)}"
    if isinstance(block.get("mimeType"), str):
        return block, None
    guess = next((mime for head, mime in _MAGIC.items() if data.startswith(head)), BINARY)
    return {**block, "mimeType": guess}, f"a block of kind {kind} has no 'mimeType'"


def _link(block: JsonObject) -> tuple[JsonObject, str | None]:
    uri = block.get("uri")
    if not isinstance(uri, str):
        return unsupported("resource_link without uri"), "a resource link has no 'uri'"
    if isinstance(block.get("name"), str):
        return block, None
    return {**block, "name": uri}, "a resource link has no 'name'"


def _embedded(block: JsonObject) -> tuple[JsonObject, str | None]:
    resource = block.get("resource")
    if not isinstance(resource, dict):
        return unsupported("resource without contents"), f"the 'resource' of a block is {kind_of(resource)}"
    given = cast(JsonObject, resource)
    uri = given.get("uri")
    if isinstance(uri, str) and given.get("text") is None and given.get("blob") is None:
        link: JsonObject = {"type": "resource_link", "uri": uri, "name": uri}
        return link, "an embedded resource has no contents, and is shown as a link"
    fixed, why = repair_contents(given, "")
    return (block, None) if fixed is given else ({**block, "resource": fixed}, why or "'resource' holds null")

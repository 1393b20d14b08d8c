"""Repairs what calls, reads, prompts and completions answer: every block stays, in a form that can be shown."""

import json
from collections.abc import Callable
from typing import Any, cast

from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.transport.envelope import kind_of
from codeagent_lsp.transport.repair_content import ORIGINAL, repair_block, repair_contents

WARNINGS = "codeagent.warnings"
"""Key in the `_meta` of a result: what was repaired in it, a sentence each."""

STRUCTURE = "codeagent.structuredContent"
"""Key in the `_meta` of a result: structured content of a kind that the spoken revision has no place for."""

MAX_VALUES = 100
"""Completion values in one answer (MCP, "Completion")."""

MAX_WARNINGS = 20

Warn = Callable[[str], None]


def repair_call(result: JsonObject, warn: Warn, *, any_structure: bool) -> None:
    """Set the result of a tool call right, in place. `any_structure`: structured content need not be an object."""
    faults: list[str] = []
    _structure(result, faults, any_structure)
    _content(result, faults)
    failed = result.get("isError")
    if not isinstance(failed, bool | None):
        # It decides how the result is shown: what only looks like "yes" counts as a failure.
        result["isError"] = failed in (1, "true", "True", "yes")
        faults.append(f"'isError' is {kind_of(failed)}")
    _tell(result, faults, warn, "tools/call")


def _structure(result: JsonObject, faults: list[str], any_structure: bool) -> None:
    structured = result.get("structuredContent")
    if structured is None or any_structure or isinstance(structured, dict):
        return
    del result["structuredContent"]
    meta = result.get("_meta")
    result["_meta"] = {**(cast(JsonObject, meta) if isinstance(meta, dict) else {}), STRUCTURE: structured}
    faults.append(f"'structuredContent' is {kind_of(structured)}, not an object")
    if not result.get("content"):
        result["content"] = [{"type": "text", "text": json.dumps(structured, ensure_ascii=False)}]


def _content(result: JsonObject, faults: list[str]) -> None:
    content = result.get("content")
    if not isinstance(content, list):
        if content is None and "toolResult" in result:
            older = result["toolResult"]  # the name it had before 2024-11-05
            content = older if isinstance(older, str | list) else json.dumps(older)  # pyright: ignore[reportUnknownVariableType]
        if content is None:
            content = []
            if result.get("structuredContent") is None:
                faults.append("'content' is missing")
        elif not isinstance(content, list):
            faults.append(f"'content' is {kind_of(content)}, not a list")
            content = [content]
    blocks: list[JsonObject] = []
    for block in cast("list[Any]", content):
        fixed, why = repair_block(block)
        blocks.append(fixed)
        if why is not None:
            faults.append(why)
    result["content"] = blocks


def repair_read(result: JsonObject, warn: Warn, *, uri: Any) -> None:
    """Set the result of `resources/read` right, in place; `uri` is what was asked for."""
    faults: list[str] = []
    contents = result.get("contents", result.get("content"))
    if not isinstance(contents, list):
        faults.append(f"'contents' is {kind_of(contents) if contents is not None else 'missing'}, not a list")
        contents = [] if contents is None else [contents]
    fixed: list[JsonObject] = []
    for item in cast("list[Any]", contents):
        entry, why = repair_contents(item, uri)
        fixed.append(entry)
        if why is not None:
            faults.append(why)
    result["contents"] = fixed
    _tell(result, faults, warn, "resources/read")


def repair_prompt(result: JsonObject, warn: Warn) -> None:
    """Set the result of `prompts/get` right, in place: one message per block, every role one that MCP knows.

    A message of an unknown role is the user's; as it came, it is under its `_meta["codeagent.original"]`.
    """
    faults: list[str] = []
    if not isinstance(result.get("description"), str | None):
        del result["description"]
        faults.append("'description' is not text")
    messages = result.get("messages")
    if not isinstance(messages, list):
        faults.append(f"'messages' is {kind_of(messages) if messages is not None else 'missing'}, not a list")
        messages = [] if messages is None else [messages]
    fixed: list[JsonObject] = []
    for message in cast("list[Any]", messages):
        fixed.extend(_prompt_messages(message, faults))
    result["messages"] = fixed
    _tell(result, faults, warn, "prompts/get")


def _prompt_messages(message: Any, faults: list[str]) -> list[JsonObject]:
    entry = cast(JsonObject, message) if isinstance(message, dict) else {"role": "user", "content": message}
    if entry is not message:
        faults.append(f"a message is {kind_of(message)}, not an object")
    role = entry.get("role")
    known = role in ("user", "assistant")
    if not known:
        faults.append(f"a message has a role that MCP does not know ({str(role)[:40]})")
    content = entry.get("content")
    blocks = cast("list[Any]", content) if isinstance(content, list) else [content]
    if isinstance(content, list | str):
        faults.append(f"the 'content' of a message is {kind_of(content)}, not a block")
    out: list[JsonObject] = []
    for block in blocks:
        if isinstance(block, str):
            block = {"type": "text", "text": block}
        fixed, why = repair_block(block)
        if why is not None:
            faults.append(why)
        if known and fixed is block and entry is message and block is content:
            out.append(entry)
        else:
            out.append({"role": role if known else "user", "content": fixed, "_meta": {ORIGINAL: message}})
    return out


def repair_completion(result: JsonObject, warn: Warn) -> None:
    """Set the result of `completion/complete` right, in place."""
    completion = result.get("completion")
    if not isinstance(completion, dict):
        warn(f"completion/complete: 'completion' is {kind_of(completion)}, not an object; it counts as empty.")
        values = cast("list[Any]", completion) if isinstance(completion, list) else []
        completion = {"values": values}
    given = cast(JsonObject, completion)
    values = given.get("values")
    values = cast("list[Any]", values) if isinstance(values, list) else []
    shown = [value if isinstance(value, str) else json.dumps(value) for value in values if value is not None]
    out: JsonObject = {**given, "values": shown[:MAX_VALUES]}
    if len(shown) > MAX_VALUES:
        out["hasMore"] = True
    for member, kind in (("total", int), ("hasMore", bool)):
        value = out.get(member)
        if value is not None and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
            del out[member]
    result["completion"] = out


def _tell(result: JsonObject, faults: list[str], warn: Warn, method: str) -> None:
    if not faults:
        return
    sentences = [f"{fault}." for fault in dict.fromkeys(faults)][:MAX_WARNINGS]
    meta = result.get("_meta")
    result["_meta"] = {**(cast(JsonObject, meta) if isinstance(meta, dict) else {}), WARNINGS: sentences}
    for sentence in sentences:
        warn(f"{method}: {sentence}")

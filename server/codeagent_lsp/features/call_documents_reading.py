"""Hover on a call, and the lenses that run it and compare its results."""

import json
from collections.abc import Iterator
from typing import Any

from lsprotocol import types

from codeagent_lsp.catalog.tools import CatalogTool
from codeagent_lsp.config.document import Span
from codeagent_lsp.features.call_documents import CallText, CallWorld, original_schema, tool_of
from codeagent_lsp.features.call_documents_schema import Shape, summary_of, words_of
from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.text import fenced, one_line, visible

RUN_CALL = "codeagent.runCall"
"""`{uri, index}`: runs a call of an open document, through the gate, and shows the result as a document."""
COMPARE_RESULTS = "codeagent.compareResults"
"""`{left, right}`, of the client: shows the difference of two result documents."""


def call_hover(call: CallText, position: types.Position, world: CallWorld) -> types.Hover | None:
    """What the tool, or the argument, at a position is; as its server says it, as data."""
    offset = call.offset(position)
    document = call.document
    node, path = document.node_at(offset), document.path_at(offset)
    tool = tool_of(call, world)
    if node is None or tool is None or not path:
        return None
    if path == ("tool",):
        words = tool_words(tool, disabled=tool.name in world.disabled)
    elif path[0] == "arguments" and len(path) > 1:
        arguments = call.arguments()
        plain = arguments.plain() if arguments is not None else None
        words = argument_words(tool, path[1:], plain)
    elif path == ("arguments",) and document.on_key(offset):
        words = "\n".join(_signature(tool))
    else:
        return None
    if not words:
        return None
    kind = types.MarkupKind.Markdown if world.markdown else types.MarkupKind.PlainText
    value = fenced(words, "text") if world.markdown else visible(words)
    return types.Hover(contents=types.MarkupContent(kind, value), range=call.range(node.span))


def tool_words(tool: CatalogTool, *, disabled: bool = False) -> str:
    """What a tool is, line by line."""
    state = " · switched off" if disabled else ""
    lines = [f"{one_line(tool.title or tool.tool, 120)} ({one_line(tool.server, 60)}) · {tool.capability}{state}"]
    if tool.description:
        lines += ["", visible(tool.description, limit=1500)]
    return "\n".join([*lines, "", *_signature(tool)])


def argument_words(tool: CatalogTool, path: tuple[str | int, ...], arguments: Any) -> str:
    """What an argument is, by the tool's schema; empty where that says nothing."""
    shape = Shape(original_schema(tool))
    schemas = shape.at(path, arguments, being_typed=True)
    if not schemas:
        return ""
    last = path[-1]
    name = one_line(last, 80) if isinstance(last, str) else f"item {last + 1}"
    outer = shape.properties(shape.at(path[:-1], arguments))
    required = any(item.name == last and item.required for item in outer)
    head = f"{name}: {summary_of(schemas) or 'any value'}" + (" (required)" if required else "")
    defaults = [json.dumps(schema["default"], ensure_ascii=False) for schema in schemas if "default" in schema]
    lines = [head, *(f"default: {one_line(default, 120)}" for default in defaults[:1])]
    words = words_of(schemas)
    return "\n".join([*lines, "", words] if words else lines)


def call_lenses(calls: list[CallText], world: CallWorld) -> list[types.CodeLens]:
    """Run, above each call that names a tool; and compare, where it has run twice and the client can show that."""
    lenses: list[types.CodeLens] = []
    for call in calls:
        node = call.tool()
        if node is None or not node.value:
            continue
        root = call.document.root
        start = root.span.start if root is not None else 0
        where = call.range(Span(start, start))
        lenses += [types.CodeLens(range=where, command=command) for command in _commands(call, str(node.value), world)]
    return lenses


def _commands(call: CallText, name: str, world: CallWorld) -> Iterator[types.Command]:
    if name in world.tools or not world.complete:
        arguments = [{"uri": call.uri, "index": call.index}]
        yield types.Command(title=f"Run {one_line(name, 80)}", command=RUN_CALL, arguments=arguments)
    node = call.arguments()
    plain: JsonObject = node.plain() if node is not None and node.kind == "object" else {}
    results = world.results(name, plain) if COMPARE_RESULTS in world.client_commands else []
    if len(results) > 1:
        pair = {"left": results[-2], "right": results[-1]}
        yield types.Command(title="Compare the last two results", command=COMPARE_RESULTS, arguments=[pair])


def _signature(tool: CatalogTool) -> Iterator[str]:
    shape = Shape(original_schema(tool))
    for item in shape.properties(shape.at((), None))[:30]:
        yield f"{one_line(item.name, 60)}{'' if item.required else '?'}: {summary_of(item.schemas) or 'any'}"

"""What is wrong in a call: its text, its tool, its arguments by the tool's own schema.

The schema is a stranger's: the check is bounded in time and size, fetches nothing, and runs no regular expression.
"""

import json
from collections.abc import Iterator
from typing import Any, cast

from attrs import frozen
from lsprotocol import types

from codeagent_lsp.catalog.nearest import nearest
from codeagent_lsp.config.document import Node, Span
from codeagent_lsp.config.keys import is_remark
from codeagent_lsp.features.call_documents import KEYS, CallText, CallWorld, original_schema, tool_of
from codeagent_lsp.features.diagnostics import SEVERITIES, SOURCE
from codeagent_lsp.operations.validation import Fault, find_faults
from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.protocol.values import Severity
from codeagent_lsp.text import one_line

LIMIT = 100

_WORDS = {
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "exclusiveMinimum": "must be more than {}",
    "exclusiveMaximum": "must be less than {}",
    "multipleOf": "must be a multiple of {}",
    "minLength": "must have at least {} characters",
    "maxLength": "must have at most {} characters",
    "minItems": "must have at least {} items",
    "maxItems": "must have at most {} items",
    "minProperties": "must have at least {} properties",
    "maxProperties": "must have at most {} properties",
    "const": "must be {}",
    "not": "is not allowed to fit {}",
}


@frozen
class _Found:
    span: Span
    severity: Severity
    message: str


def call_diagnostics(calls: list[CallText], world: CallWorld) -> list[types.Diagnostic]:
    """The diagnostics of the calls of a document, at most 100. Takes at most 250 ms for each call."""
    out: list[types.Diagnostic] = []
    for call in calls:
        for found in _findings(call, world):
            if len(out) == LIMIT:
                return out
            out.append(
                types.Diagnostic(
                    range=call.range(found.span),
                    message=found.message,
                    severity=SEVERITIES[found.severity],
                    source=SOURCE,
                )
            )
    return out


def _findings(call: CallText, world: CallWorld) -> Iterator[_Found]:
    document, root = call.document, call.document.root
    if root is None and not document.text.strip():
        example = '{"tool": "mcp__server__tool", "arguments": {}}'
        yield _Found(Span(0, 0), "information", f"a call is written {example}")
        return
    yield from (_Found(problem.span, problem.severity, problem.message) for problem in document.problems)
    if root is None or not document.ok:
        return
    if root.kind != "object":
        yield _Found(root.span, "error", 'a call is an object: {"tool": "mcp__server__tool", "arguments": {}}')
        return
    for member in root.members:
        key = str(member.key.value)
        if key not in KEYS and key != "$schema" and not is_remark(key):
            message = f"`{one_line(key, 60)}` is not known in a call: it has `tool` and `arguments`"
            yield _Found(member.key.span, "warning", message)
    yield from _tool(call, root, world)
    arguments = root.get("arguments")
    if arguments is not None and arguments.kind not in ("object", "null"):
        yield _Found(arguments.span, "error", "`arguments` must be an object: the tool's arguments by name")
        return
    tool = tool_of(call, world)
    if tool is not None:
        yield from _arguments(call, root, arguments, original_schema(tool))


def _tool(call: CallText, root: Node, world: CallWorld) -> Iterator[_Found]:
    node = root.get("tool")
    if node is None:
        yield _Found(Span(root.span.start, root.span.start + 1), "error", "the call names no tool: `tool` is missing")
        return
    if node.kind != "string" or not node.value:
        yield _Found(node.span, "error", "`tool` must be the full name of a tool, such as mcp__server__tool")
        return
    name = str(node.value)
    if name not in world.tools:
        if world.complete:
            message = f"no tool is named `{one_line(name)}`.{nearest(name, world.tools)}"
            yield _Found(node.span, "error", message)
        else:
            message = f"`{one_line(name)}` is not known yet: servers are still starting"
            yield _Found(node.span, "information", message)
    elif name in world.disabled:
        yield _Found(node.span, "warning", f"`{one_line(name)}` is switched off: a call of it is refused")


def _arguments(call: CallText, root: Node, node: Node | None, schema: JsonObject) -> Iterator[_Found]:
    value: JsonObject = node.plain() if node is not None and node.kind == "object" else {}
    faults, unchecked = find_faults(schema, value, LIMIT, into_branches=True)
    key = root.member("arguments") or root.member("tool")
    fallback = key.key.span if key is not None else Span(root.span.start, root.span.start + 1)
    if unchecked is not None:
        yield _Found(fallback, "information", f"the arguments were not checked: the tool's schema {unchecked}")
    for fault in faults:
        yield from _placed(call, fault, fallback)


def _placed(call: CallText, fault: Fault, fallback: Span) -> Iterator[_Found]:
    path = ("arguments", *fault.path)
    node = call.document.at(path)
    key = call.document.key_at(path)
    span = node.span if node is not None and node.kind != "object" else key.span if key is not None else fallback
    if fault.keyword == "required" and fault.names:
        yield _Found(span, "error", f"`{one_line(fault.names[0], 80)}` is missing")
    elif fault.keyword in ("additionalProperties", "unevaluatedProperties") and fault.names:
        known = _known_names(fault, node)
        for name in fault.names:
            inner = call.document.key_at((*path, name))
            message = f"the tool has no argument `{one_line(name, 80)}`.{nearest(name, known)}"
            yield _Found(inner.span if inner is not None else span, "error", message)
    else:
        last = fault.path[-1] if fault.path else "arguments"
        what = f"`{one_line(str(last), 80)}`" if isinstance(last, str) else f"item {last + 1}"
        yield _Found(span, "error", f"{what} {_said(fault, node)}")


def _known_names(fault: Fault, node: Node | None) -> list[str]:
    return [name for name in fault.known if node is None or node.get(name) is None]


def _said(fault: Fault, node: Node | None) -> str:
    expected: Any = fault.expected
    if fault.keyword == "type":
        listed = cast(list[Any], expected) if isinstance(expected, list) else [expected]
        kinds = " or ".join(str(kind) for kind in listed)
        return f"must be {_article(kinds)}, and is {_article(node.kind) if node is not None else 'missing'}"
    if fault.keyword == "enum" and isinstance(expected, list):
        values = [json.dumps(value, ensure_ascii=False) for value in cast(list[Any], expected)]
        near = ""
        if node is not None and isinstance(node.value, str):
            near = nearest(node.value, [value for value in cast(list[Any], expected) if isinstance(value, str)])
        return f"must be one of {one_line(', '.join(values), 200)}.{near}"
    if fault.keyword is None:
        return "must not be there"
    shown = one_line(json.dumps(expected, ensure_ascii=False), 120)
    return _WORDS.get(fault.keyword, f"does not meet `{fault.keyword}: {{}}`").replace("{}", shown)


def _article(kind: str) -> str:
    if kind in ("null", "missing", "invalid"):
        return kind
    return f"{'an' if kind[0] in 'aio' else 'a'} {kind}"

"""Calls as text: a `*.mcp-call.json` document, or a block of a document that is fenced with ```` ```mcp-call ````.

    {"tool": "mcp__server__tool", "arguments": {…}}

Each is a text of its own with its own tree; lines of the document stay lines of the text, so that places are found by
adding the line that it begins on.
"""

import re
from collections.abc import Callable, Collection, Container, Iterator, Mapping
from typing import cast
from urllib.parse import unquote

from attrs import field, frozen
from lsprotocol import types

from codeagent_lsp.catalog.nearest import nearest
from codeagent_lsp.catalog.tools import CatalogTool
from codeagent_lsp.config.document import Document, Encoding, Node, Span, parse
from codeagent_lsp.errors import InvalidParams, UnknownTool
from codeagent_lsp.protocol import JsonObject, Position
from codeagent_lsp.protocol.params import CallToolParams
from codeagent_lsp.text import one_line

SUFFIX = ".mcp-call.json"
LANGUAGE = "mcp-call"
KEYS = ("tool", "arguments")
MAX_CALLS = 200

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


@frozen
class CallWorld:
    """What is known of tools: by full name, with those that are switched off.

    `complete` is false while servers are on their way up, so that a tool that is not there may come. `client_commands`
    are commands that the client runs. `results` tells the documents of earlier runs of a call, oldest first.
    """

    tools: Mapping[str, CatalogTool]
    disabled: Container[str] = ()
    complete: bool = True
    client_commands: Collection[str] = ()
    markdown: bool = True
    snippets: bool = True
    results: Callable[[str, JsonObject], list[str]] = field(default=lambda tool, arguments: list[str]())


@frozen
class CallText:
    """One call in a document: `line` is the document's line that its text begins on, `index` its number there."""

    uri: str
    index: int
    line: int
    document: Document
    encoding: Encoding

    @property
    def last_line(self) -> int:
        """The document's line that the text ends on."""
        return self.line + len(self.document.line_starts) - 1

    def range(self, span: Span) -> types.Range:
        """The document's range of a stretch of the call's text."""
        return types.Range(self._position(span.start), self._position(span.end))

    def offset(self, position: types.Position) -> int:
        """The offset in the call's text of a position in the document."""
        return self.document.offset(Position(position.line - self.line, position.character), self.encoding)

    def tool(self) -> Node | None:
        """The node of the tool's name, where it is text."""
        node = self.document.root.get("tool") if self.document.root is not None else None
        return node if node is not None and node.kind == "string" else None

    def arguments(self) -> Node | None:
        """The node of the arguments."""
        return self.document.root.get("arguments") if self.document.root is not None else None

    def _position(self, offset: int) -> types.Position:
        found = self.document.position(offset, self.encoding)
        return types.Position(found.line + self.line, found.character)


def calls_in(uri: str, text: str, encoding: Encoding = "utf-16") -> list[CallText]:
    """The calls of a document, at most 200; none in a document that has nothing to do with calls."""
    if unquote(uri).partition("?")[0].partition("#")[0].endswith(SUFFIX):
        return [CallText(uri, 0, 0, parse(text), encoding)]
    if LANGUAGE not in text:
        return []
    found: list[CallText] = []
    for line, block in _blocks(text):
        found.append(CallText(uri, len(found), line, parse(block), encoding))
        if len(found) == MAX_CALLS:
            break
    return found


def call_at(calls: list[CallText], position: types.Position) -> CallText | None:
    """The call that a position is in."""
    return next((call for call in calls if call.line <= position.line <= call.last_line), None)


def tool_of(call: CallText, world: CallWorld) -> CatalogTool | None:
    """The tool that a call names, if it is known."""
    node = call.tool()
    return world.tools.get(str(node.value)) if node is not None else None


def original_schema(tool: CatalogTool) -> JsonObject:
    """The tool's input schema as its server wrote it."""
    schema = tool.definition.get("inputSchema")
    return cast(JsonObject, schema) if isinstance(schema, dict) else {"type": "object"}


def run_request(call: CallText, world: CallWorld) -> CallToolParams:
    """What running a call asks for; it passes the gate like every call.

    Raises `errors.InvalidParams` where the text is broken or is no call, and `errors.UnknownTool`.
    """
    document, root = call.document, call.document.root
    where = call.line + 1
    if not document.ok or root is None or root.kind != "object":
        problem = next(iter(document.problems), None)
        line = document.position(problem.span.start).line + where if problem is not None else where
        why = problem.message if problem is not None else "it is not an object"
        raise InvalidParams(f"the call cannot be read: line {line}: {why}.")
    errors = [problem for problem in document.problems if problem.severity == "error"]
    if errors:
        line = document.position(errors[0].span.start).line + where
        raise InvalidParams(f"the call cannot be read: line {line}: {errors[0].message}.")
    node = call.tool()
    if node is None or not node.value:
        raise InvalidParams(f'the call in line {where} names no tool: write `"tool": "mcp__server__tool"`.')
    arguments = call.arguments()
    if arguments is not None and arguments.kind not in ("object", "null"):
        raise InvalidParams(f"the `arguments` of the call in line {where} must be an object.")
    name = str(node.value)
    if name not in world.tools and world.complete:
        raise UnknownTool(f"no tool is named `{one_line(name)}`.{nearest(name, world.tools)}")
    return CallToolParams(name=name, arguments=arguments.plain() if arguments is not None else None)


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """The fenced blocks of calls: the line that each begins on, and its text. Fences inside of others are none."""
    open_fence, ours, start = "", False, 0
    inside: list[str] = []
    for number, match in enumerate(_LINE.finditer(text)):
        line = match.group()
        fence = _FENCE.fullmatch(line.rstrip("\r\n")) if "`" in line or "~" in line else None
        if open_fence:
            if fence is not None and not fence[2] and fence[1].startswith(open_fence):
                if ours:
                    yield start, "".join(inside).removesuffix("\n").removesuffix("\r")
                open_fence, inside = "", []
            elif ours:
                inside.append(line)
        elif fence is not None:
            open_fence, ours, start = fence[1], fence[2] == LANGUAGE, number + 1
    if open_fence and ours:
        yield start, "".join(inside)

"""The grammar of `${…}` in config values: finds the references in a text, with their places, and expands nothing.

    ${NAME}   ${NAME:-default}   ${env:NAME}   ${env:NAME:-default}   ${input:id}
    ${workspaceFolder}   ${workspaceFolderBasename}   ${userHome}   ${pathSeparator}

A default may hold references again. `$HOME`, `$5`, `${`, `${}`, `${1A}` and `$${X}` are plain text; forms of other
tools and shells (`${command:x}`, `${NAME:=x}`) are references of kind `unknown`.
"""

import re
from typing import Literal

from attrs import frozen

from codeagent_lsp.config.nodes import Span

FIXED = ("workspaceFolder", "workspaceFolderBasename", "userHome", "pathSeparator")
MAX_NESTING = 20

_BRACE = re.compile(r"\$\{|\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FOREIGN = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\s*[:\-+=?#%^,@!*/\[]|/$|@")

Kind = Literal["variable", "fixed", "input", "unknown"]


@frozen
class Reference:
    """One `${…}`: where it stands, what it names, and where its default stands if it has one."""

    span: Span
    kind: Kind
    name: str
    default: Span | None = None


def references(text: str, within: Span | None = None) -> tuple[Reference, ...]:
    """The outermost references of a text (or of a stretch of it), in order. Linear in the length of the text."""
    within = within or Span(0, len(text))
    ends = _ends(text, within)
    found: list[Reference] = []
    at = within.start
    while (at := text.find("${", at, within.end)) >= 0:
        end = ends.get(at)
        escaped = at > within.start and text[at - 1] == "$"
        reference = _reference(text, at, end) if end is not None and not escaped else None
        if reference is None:
            at += 2
        else:
            found.append(reference)
            at = reference.span.end
    return tuple(found)


def plain_braces(text: str) -> tuple[str, ...]:
    """The `${…}` of a text that look like variables and are none: they reach the server as they are."""
    taken = [reference.span for reference in references(text)]
    found = (match for match in re.finditer(r"(?<!\$)\$\{[^{}\s]*\}?", text))
    return tuple(m.group() for m in found if not any(span.start <= m.start() < span.end for span in taken))


def _ends(text: str, within: Span) -> dict[int, int]:
    """Where the brace of each `${` is closed; an opening that is never closed is not in it."""
    ends: dict[int, int] = {}
    open_at: list[int] = []
    for match in _BRACE.finditer(text, within.start, within.end):
        if match.group() == "${":
            open_at.append(match.start())
        elif open_at:
            ends[open_at.pop()] = match.end()
    return ends


def _reference(text: str, start: int, end: int) -> Reference | None:
    span, inner_end = Span(start, end), end - 1
    at = start + 2
    if text.startswith("input:", at, inner_end):
        name = text[at + len("input:") : inner_end]
        known = re.fullmatch(r"[^\s${}:]+", name) is not None
        return Reference(span, "input" if known else "unknown", name if known else text[at:inner_end])
    by_env = text.startswith("env:", at, inner_end)
    name = _NAME.match(text, at + len("env:") if by_env else at, inner_end)
    if name is not None and (name.end() == inner_end or text.startswith(":-", name.end(), inner_end)):
        default = None if name.end() == inner_end else Span(name.end() + 2, inner_end)
        fixed = name.group() in FIXED and not by_env
        return Reference(span, "fixed" if fixed else "variable", name.group(), default)
    if by_env or _FOREIGN.match(text, at, inner_end):
        return Reference(span, "unknown", text[at:inner_end])
    return None

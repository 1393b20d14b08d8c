"""What is wrong with a mention: an unknown resource, a server that is not up, a template that is not filled in.

A word behind an unknown name is no mention, and says nothing. What a block of lines has is kept until it, or the
catalogue, changes: a keystroke costs one block, however long the document is.
"""

from typing import NamedTuple, cast

from lsprotocol import types

from codeagent_lsp.features.documents import Document, Spot
from codeagent_lsp.features.index import MentionIndex, ServerEntry
from codeagent_lsp.features.mentions import Found
from codeagent_lsp.text import one_line

LIMIT = 200
SOURCE = "codeagent"
UNKNOWN, NOT_UP, UNFILLED = "unknownResource", "serverNotReady", "unfilledTemplate"
_KEY = "problems"


class Problem(NamedTuple):
    """One finding; `message` is plain text."""

    code: str
    severity: types.DiagnosticSeverity
    message: str


_Found = list[tuple[int, Spot, Problem]]


def mention_diagnostics(document: Document, index: MentionIndex) -> list[types.Diagnostic]:
    """The diagnostics of a document's mentions, the first 200."""
    out: list[types.Diagnostic] = []
    for number in range(len(document.lines.blocks)):
        found = _block(document, number, index)
        if found:
            start = document.lines.start(number)
            out += [diagnostic(start + row, spot, item) for row, spot, item in found[: LIMIT - len(out)]]
            if len(out) == LIMIT:
                break
    return out


def problem(found: Found, entry: ServerEntry) -> Problem | None:
    """What is wrong with one mention of a server, if anything."""
    if entry.status.state == "starting":
        return None
    if entry.status.state != "ready":
        return _not_up(entry)
    if found.listed:
        return None
    templates = [template for template in entry.templates if template.expressions and template.produces(found.uri)]
    for template in templates:
        missing = [part.text for part in template.expressions if part.text in found.uri]
        if missing:
            message = f"Fill in {', '.join(map(one_line, missing))}: {one_line(template.text)} is a template."
            return Problem(UNFILLED, types.DiagnosticSeverity.Warning, message)
    if templates or not entry.certain:
        return None
    message = f"{one_line(entry.server)} has no resource {one_line(found.uri)}."
    return Problem(UNKNOWN, types.DiagnosticSeverity.Warning, message)


def _not_up(entry: ServerEntry) -> Problem:
    status = entry.status
    name = one_line(status.server)
    why = status.error.message if status.error else status.detail
    because = f": {one_line(why).rstrip('.')}" if why else ""
    information, warning = types.DiagnosticSeverity.Information, types.DiagnosticSeverity.Warning
    severity, message = {
        "disabled": (information, f"{name} is disabled{because}. Enable it to read its resources."),
        "untrusted": (information, f"{name} waits for your approval{because}. Start it to be asked."),
        "needsAuth": (warning, f"{name} wants you to sign in{because}."),
        "failed": (warning, f"{name} has failed{because}. Its log says more."),
    }.get(status.state, (information, f"{name} is stopped{because}. Start it to read its resources."))
    return Problem(NOT_UP, severity, message)


def _block(document: Document, number: int, index: MentionIndex) -> _Found:
    block = document.scanned(number, index)
    kept = block.derived.get(_KEY)
    if kept and kept[0] == index.revision:
        return cast(_Found, kept[1])
    found: _Found = []
    for row, slot in enumerate(block.slots):
        for spot in slot or ():
            entry = index.entry(spot.found.server)
            wrong = problem(spot.found, entry) if entry and len(found) < LIMIT else None
            if wrong:
                found.append((row, spot, wrong))
    block.derived[_KEY] = (index.revision, found)
    return found


def diagnostic(line: int, spot: Spot, found: Problem) -> types.Diagnostic:
    """A finding about the mention on a line, as LSP has it."""
    return types.Diagnostic(
        range=spot.range(line),
        message=found.message,
        severity=found.severity,
        code=found.code,
        source=SOURCE,
        data={"server": spot.found.server, "uri": spot.found.uri},
    )

"""Writes the wire as a document for people: tables of commands, notifications and questions, then every object."""

from types import NoneType
from typing import Any

import attrs

from mirroring import model

WORDS: dict[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    NoneType: "null",
    Any: "any JSON",
    "name": "{}",
}
OPENING = """\
# The wire

What an editor or plugin can ask `codeagent-lsp`, and what it hears. Commands travel in `workspace/executeCommand` with
one JSON object in `arguments`; an empty list means `{{}}`. Everything else is a notification or a request of its own.
The protocol's version is **{version}**: `experimental.codeagent.protocol` in the capabilities of both sides.

A field with `?` may be left out. Names are camelCase, and everything is strict JSON.
"""
QUESTIONS = """\
Sent only to a client whose `initializationOptions.clientFeatures` names the feature. `null`, an error, an answer that
is not understood or two minutes of silence mean no.
"""
ERRORS = """\
`error.data` is `{kind, server?, tool?, hint?, setting?, mayHaveTakenEffect?}`. A cancelled request answers -32800. A
tool's own `isError` is a result, never an error.
"""


def write(header: str) -> str:
    """The whole file."""
    known = model.aliases()
    parts = [f"<!-- {header} -->\n", OPENING.format(version=model.VERSION)]
    rows = [
        [f"`{name}`", _linked(command.params, known), _linked(command.result, known), command.doc]
        for name, command in model.COMMANDS.items()
    ]
    parts.append("## Commands: editor to server\n")
    parts.append(_table(["Command", "Takes", "Answers", ""], rows))
    rows = [[f"`{name}`", _linked(event.params, known), event.doc] for name, event in model.NOTIFICATIONS.items()]
    parts += ["## Notifications: server to editor\n", _table(["Method", "Carries", ""], rows)]
    parts.append(f"From the editor: `{model.TRUST_CHANGED}` with [WorkspaceTrustChanged](#workspacetrustchanged).\n")
    rows = [
        [f"`{name}`", f"`{q.feature}`", _linked(q.params, known), _linked(q.result, known), q.doc]
        for name, q in model.QUESTIONS.items()
    ]
    parts += ["## Questions: server to editor\n", QUESTIONS]
    parts.append(_table(["Method", "Feature", "Asks", "Answer", ""], rows))
    rows = [[f"`{error.kind}`", str(error.code), error.doc] for error in model.error_kinds()]
    parts += ["## Errors\n", ERRORS, _table(["Kind", "Code", ""], rows)]
    parts.append("## Objects\n")
    parts += [_section(shape, known) for shape in model.shapes()]
    return "\n".join(parts)


def _linked(annotation: Any, known: dict[tuple[str, ...], model.Alias]) -> str:
    if attrs.has(annotation):
        name = annotation.__name__
        return f"[{name}](#{name.lower()})" if attrs.fields(annotation) else "`{}`"
    if annotation is model.values.JsonObject:
        return "object"
    return _spelled(annotation, known)


def _spelled(annotation: Any, known: dict[tuple[str, ...], model.Alias]) -> str:
    """A type in words: sets of strings written out, objects linked."""
    text = model.spelled(annotation, WORDS, {}, "{}[]", "{{name: {}}}").replace("JsonObject", "object")
    for shape in model.shapes():
        if text.rstrip("[]") == shape.name:
            return text.replace(shape.name, f"[{shape.name}](#{shape.name.lower()})", 1)
    return " or ".join(f"`{part}`" if '"' in part else part for part in text.split(" | "))


def _section(shape: model.Shape, known: dict[tuple[str, ...], model.Alias]) -> str:
    if not shape.fields:
        return f"### {shape.name}\n\n{shape.doc} `{{}}`.\n"
    rows = []
    for field in shape.fields:
        default = f" (`{str(field.default).lower()}`)" if field.default is not None else ""
        rows.append([f"`{field.name}{'?' if field.optional else ''}`", _spelled(field.type, known) + default])
    return f"### {shape.name}\n\n{shape.doc}\n\n{_table(['Field', 'Type'], rows)}"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"

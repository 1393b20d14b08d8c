"""Writes the wire as TypeScript: an interface per object, and maps from each name to what it carries."""

from types import NoneType
from typing import Any

from mirroring import model

WORDS: dict[Any, str] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    NoneType: "null",
    Any: "unknown",
    "name": "{}",
}
ERROR_DATA = """\
/** What the `data` of an error says. */
export interface ErrorData {
  kind: ErrorKind;
  server?: string;
  tool?: string;
  hint?: string;
  setting?: string;
  mayHaveTakenEffect?: boolean;
}
"""


def write(header: str) -> str:
    """The whole file."""
    known = model.aliases()
    parts = [f"// {header}\n", f"/** `experimental.codeagent.protocol`, both ways. */\n{_const('PROTOCOL_VERSION')}"]
    parts.append(
        "/** A JSON object that passes through untouched. */\nexport type JsonObject = Record<string, unknown>;\n"
    )
    for alias in known.values():
        parts.append(f"export type {alias.name} = {_options(alias.options)};\n")
    for shape in model.shapes():
        parts.append(_interface(shape, known))
    kinds = model.error_kinds()
    parts.append(f"export type ErrorKind = {_options(tuple(error.kind for error in kinds))};\n")
    parts.append(ERROR_DATA)
    parts.append(_commands())
    parts.append(_messages("Notifications", "What the server tells, by method.", model.NOTIFICATIONS, known))
    parts.append(_messages("Questions", "What the server asks, by method.", model.QUESTIONS, known))
    parts.append(_names("Command", model.COMMANDS))
    parts.append(_names("Notification", model.NOTIFICATIONS))
    parts.append(_names("Question", model.QUESTIONS))
    parts.append(
        "/** Sent by the editor, with `WorkspaceTrustChanged`. */\n"
        f'export const WORKSPACE_TRUST_CHANGED = "{model.TRUST_CHANGED}";\n'
    )
    features = ", ".join(f'"{question.feature}"' for question in model.QUESTIONS.values())
    parts.append(f"/** What `clientFeatures` may name. */\nexport const CLIENT_FEATURES = [{features}] as const;\n")
    return "\n".join(parts)


def _const(name: str) -> str:
    return f"export const {name} = {model.VERSION};\n"


def _options(options: tuple[str, ...]) -> str:
    line = " | ".join(f'"{option}"' for option in options)
    return line if len(line) < 90 else "\n" + "\n".join(f'  | "{option}"' for option in options)


def _spelled(annotation: Any, known: dict[tuple[str, ...], model.Alias]) -> str:
    if not model.attrs.has(annotation) and isinstance(annotation, type) and annotation not in WORDS:
        raise TypeError(f"no TypeScript word for {annotation}")
    return model.spelled(annotation, WORDS, known, "{}[]", "Record<string, {}>")


def _interface(shape: model.Shape, known: dict[tuple[str, ...], model.Alias]) -> str:
    if not shape.fields:
        return f"/** {shape.doc} */\nexport type {shape.name} = Record<string, never>;\n"
    lines = [f"/** {shape.doc} */", f"export interface {shape.name} {{"]
    for field in shape.fields:
        if field.default is not None:
            lines.append(f"  /** {_json(field.default)} unless given. */")
        lines.append(f"  {field.name}{'?' if field.optional else ''}: {_spelled(field.type, known)};")
    return "\n".join([*lines, "}", ""])


def _json(value: object) -> str:
    return {True: "true", False: "false"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _commands() -> str:
    lines = ["/** What each command takes and answers. */", "export interface Commands {"]
    for command in model.COMMANDS.values():
        params, result = _type_name(command.params), _type_name(command.result)
        lines.append(f"  /** {command.doc} */")
        lines.append(f'  "{command.name}": {{ params: {params}; result: {result} }};')
    return "\n".join([*lines, "}", ""])


def _messages(name: str, doc: str, messages: dict[str, Any], known: dict[tuple[str, ...], model.Alias]) -> str:
    lines = [f"/** {doc} */", f"export interface {name} {{"]
    for message in messages.values():
        params = _spelled(message.params, known)
        carried = (
            params if message.result is None else f"{{ params: {params}; result: {_type_name(message.result)} | null }}"
        )
        lines += [f"  /** {message.doc} */", f'  "{message.method}": {carried};']
    return "\n".join([*lines, "}", ""])


def _type_name(annotation: Any) -> str:
    return _spelled(annotation, {})


def _names(name: str, messages: dict[str, Any]) -> str:
    lines = [f"export const {name} = {{"]
    lines += [f'  {model.short(full)}: "{full}",' for full in messages]
    return "\n".join([*lines, "} as const;", ""])

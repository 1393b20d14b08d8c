"""Writes the wire as a Lua module: LuaLS classes for every object, and tables of the names."""

from types import NoneType
from typing import Any

from mirroring import model

WORDS: dict[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    NoneType: "nil",
    Any: "any",
    "name": "codeagent.{}",
}


def write(header: str) -> str:
    """The whole file."""
    known = model.aliases()
    parts = [f"-- {header}\n", "---@alias codeagent.JsonObject table<string, any>\n"]
    for alias in known.values():
        parts.append("\n".join([f"---@alias codeagent.{alias.name}", *(f'---| "{o}"' for o in alias.options), ""]))
    for shape in model.shapes():
        parts.append(_class(shape, known))
    parts.append("local M = {}\n")
    parts.append(f"--- `experimental.codeagent.protocol`, both ways.\nM.version = {model.VERSION}\n")
    parts.append(_names("commands", "Workspace commands: what each takes and answers.", model.COMMANDS, known))
    parts.append(_names("notifications", "What the server tells.", model.NOTIFICATIONS, known))
    parts.append(_names("questions", "What the server asks.", model.QUESTIONS, known))
    parts.append(f'--- Sent by the editor.\nM.workspace_trust_changed = "{model.TRUST_CHANGED}"\n')
    features = ", ".join(f'"{question.feature}"' for question in model.QUESTIONS.values())
    parts.append(f"--- What `clientFeatures` may name.\nM.client_features = {{ {features} }}\n")
    lines = ["--- The code of each kind of error.", "M.errors = {"]
    lines += [f"  {error.kind} = {error.code}, -- {error.doc}" for error in model.error_kinds()]
    parts.append("\n".join([*lines, "}", "", "return M", ""]))
    return "\n".join(parts)


def _spelled(annotation: Any, known: dict[tuple[str, ...], model.Alias]) -> str:
    return model.spelled(annotation, WORDS, known, "{}[]", "table<string, {}>").replace(" | ", "|")


def _class(shape: model.Shape, known: dict[tuple[str, ...], model.Alias]) -> str:
    lines = [f"--- {shape.doc}", f"---@class codeagent.{shape.name}"]
    for field in shape.fields:
        note = f" # {str(field.default).lower()} unless given" if field.default is not None else ""
        name = field.name + ("?" if field.optional else "")
        lines.append(f"---@field {name} {_spelled(field.type, known)}{note}")
    return "\n".join([*lines, ""])


def _names(name: str, doc: str, messages: dict[str, Any], known: dict[tuple[str, ...], model.Alias]) -> str:
    lines = [f"--- {doc}", f"M.{name} = {{"]
    for full, message in messages.items():
        result = "" if message.result is None else f" -> {_spelled(message.result, known)}"
        lines.append(f"  --- {message.doc}")
        lines.append(f'  {model.short(full)} = "{full}", -- {_spelled(message.params, known)}{result}')
    return "\n".join([*lines, "}", ""])

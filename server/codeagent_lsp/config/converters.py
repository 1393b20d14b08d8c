"""Writes our entries for another tool's file, with notes on what could not be carried. Nothing is written to disk."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from attrs import frozen

from codeagent_lsp.config.document import parse
from codeagent_lsp.config.edits import Edit, add_items, add_members, formatted
from codeagent_lsp.config.foreign import TOOLS, Tool
from codeagent_lsp.config.keys import TYPES
from codeagent_lsp.config.nodes import Span
from codeagent_lsp.config.templates import references
from codeagent_lsp.config.translate import from_ours
from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.protocol.values import JsonObject
from codeagent_lsp.text import one_line

_Shape = Callable[[JsonObject, "_Notes"], JsonObject]


@frozen
class Target:
    """A file of another tool that servers can be written to: `file` is relative to a workspace folder."""

    tool: Tool
    file: str
    keys: tuple[str, ...]
    shape: _Shape
    carried: frozenset[str]


@frozen
class Converted:
    """Servers as another tool writes them, the `inputs` they need there, and what could not be carried."""

    servers: dict[str, JsonObject]
    inputs: tuple[JsonObject, ...]
    notes: tuple[str, ...]


class _Notes:
    def __init__(self, name: str) -> None:
        self._name = one_line(name, 80)
        self.texts: list[str] = []

    def __call__(self, text: str) -> None:
        self.texts.append(f"`{self._name}` {text}")


def convert(servers: Mapping[str, JsonObject], target: Target) -> Converted:
    """Write entries of ours, as they stand in our file, for another tool."""
    out: dict[str, JsonObject] = {}
    notes: list[str] = []
    asked: dict[str, None] = {}
    for name, entry in servers.items():
        note = _Notes(name)
        made = _convert_one(entry, target, note, asked)
        notes += note.texts
        if made is not None:
            out[name] = made
    inputs: list[JsonObject] = [
        {"type": "promptString", "id": name, "description": f"{name}, for an MCP server", "password": True}
        for name in asked
    ]
    return Converted(out, tuple(inputs), tuple(dict.fromkeys(notes)))


def plan_conversion(converted: Converted, target: Target, path: Path, text: str | None) -> tuple[list[Edit], list[str]]:
    """The edits that add converted servers to a file, and notes. `text` is its present text, or `None`.

    What is there already is left alone. Raises `InvalidParams` where the present text is broken.
    """
    inputs = list(converted.inputs)
    if text is None or not text.strip("\ufeff \t\r\n"):
        whole: JsonObject = dict(converted.servers)
        for key in reversed(target.keys):
            whole = {key: whole}
        if inputs:
            whole = {"inputs": inputs, **whole}
        return [Edit(Span(0, len((text or "").removeprefix("\ufeff"))), formatted(whole))], []
    document = parse(text)
    node = document.root
    if not document.ok or node is None or node.kind != "object":
        raise InvalidParams(f"{path} cannot be added to: it is broken.", hint="Mend it first.")
    edits: list[Edit] = []
    listed = node.get("inputs")
    if inputs and listed is not None and listed.kind == "array":
        known = {id_.value for item in listed.items if (id_ := item.get("id")) is not None}
        edits += add_items(document, listed, [item for item in inputs if item["id"] not in known])
        inputs = []
    more: JsonObject = {"inputs": inputs} if inputs else {}
    for depth, key in enumerate(target.keys):
        inner = node.get(key)
        if inner is None:
            value: Any = dict(converted.servers)
            for later in reversed(target.keys[depth + 1 :]):
                value = {later: value}
            return edits + add_members(document, node, {**more, key: value}), []
        if inner.kind != "object":
            raise InvalidParams(f"{path} cannot be added to: `{key}` is not an object.", hint="Mend it first.")
        if more:
            edits += add_members(document, node, more)
            more = {}
        node = inner
    present = {str(member.key.value) for member in node.members}
    notes = [f"`{one_line(name, 80)}` is there already: left as it is" for name in converted.servers if name in present]
    new = {name: entry for name, entry in converted.servers.items() if name not in present}
    return edits + add_members(document, node, new), notes


def targets() -> tuple[Target, ...]:
    """Every tool that servers can be converted for, with its file in a workspace folder."""
    tools = {tool.name: tool for tool in TOOLS}
    base = frozenset({"command", "args", "env", "url", "headers", "disabled", "type"})
    rows: tuple[tuple[str, str, tuple[str, ...], _Shape, frozenset[str]], ...] = (
        ("vscode", ".vscode/mcp.json", ("servers",), _vscode, base - {"disabled"} | {"cwd", "envFile", "oauth"}),
        ("claude", ".mcp.json", ("mcpServers",), _claude, base - {"disabled"} | {"timeout", "oauth"}),
        ("cursor", ".cursor/mcp.json", ("mcpServers",), _cursor, base - {"disabled"} | {"envFile", "oauth"}),
        (
            "gemini",
            ".gemini/settings.json",
            ("mcpServers",),
            _gemini,
            base - {"disabled"} | {"cwd", "timeout", "includeTools", "excludeTools", "oauth"},
        ),
        ("opencode", "opencode.json", ("mcp",), _opencode, base | {"cwd", "timeout", "oauth"}),
        ("zed", ".zed/settings.json", ("context_servers",), _zed, base),
        ("mcphub", ".mcphub/servers.json", ("mcpServers",), _mcphub, base | {"cwd", "excludeTools"}),
    )
    return tuple(Target(tools[name], file, keys, shape, carried) for name, file, keys, shape, carried in rows)


def _convert_one(entry: JsonObject, target: Target, note: _Notes, asked: dict[str, None]) -> JsonObject | None:
    fields = {key: value for key, value in entry.items() if value is not None}
    if not fields.get("command") and not fields.get("url"):
        note("only switches a server off: not carried")
        return None
    lost = [f"`{one_line(key, 60)}`" for key in fields if key not in target.carried and key != "protocol"]
    if fields.get("disabled") is True and "disabled" not in target.carried:
        note(f"is switched off here, and {target.tool.title} has no such switch in its file: not carried")
        return None
    lost = [key for key in lost if key != "`disabled`"]
    if lost:
        note(f"has {', '.join(lost)}, which {target.tool.title} does not have: not carried")
    kept = {key: value for key, value in fields.items() if key in target.carried and key != "type"}
    translated = cast(JsonObject, _translate(kept, target, note, asked))
    type_ = fields.get("type")
    transport = TYPES.get(type_ if isinstance(type_, str) else "", "stdio" if kept.get("command") else "http")
    return target.shape({"type": transport, **translated}, note)


def _translate(value: Any, target: Target, note: _Notes, asked: dict[str, None]) -> Any:
    if isinstance(value, dict):
        return {key: _translate(item, target, note, asked) for key, item in cast(JsonObject, value).items()}
    if isinstance(value, list):
        return [_translate(item, target, note, asked) for item in cast(list[Any], value)]
    if not isinstance(value, str):
        return value
    made = from_ours(value, target.tool.syntax)
    for form in made.lost:
        note(f"holds `{one_line(form, 80)}`, which {target.tool.title} does not put in: write its value in its place")
    for name, variable in made.inputs:
        note(f"asks for `${{input:{name}}}` here; for {target.tool.title}, set the variable {variable}")
    if target.tool.name == "vscode":
        asked.update({item.name: None for item in references(value) if item.kind == "input"})
    return made.text


def _texts_only(entry: JsonObject, note: _Notes) -> JsonObject:
    """`env` without `null`, which takes a variable away, where a tool has no such thing."""
    env = entry.get("env")
    if not isinstance(env, dict):
        return entry
    table = cast(JsonObject, env)
    for name in (name for name, value in table.items() if value is None):
        note(f"takes the variable `{one_line(name, 60)}` away from its program: not carried")
    return {**entry, "env": {name: _plain(value) for name, value in table.items() if value is not None}}


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)


def _oauth(entry: JsonObject, note: _Notes, known: Mapping[str, str]) -> JsonObject:
    """The fields of `oauth` under another tool's names; a scope list is made one text for `scopes` of Claude Code."""
    oauth = entry.get("oauth")
    out: JsonObject = {}
    for key, value in cast(JsonObject, oauth).items() if isinstance(oauth, dict) else ():
        if key in known:
            out[known[key]] = value.split() if key == "scopes" and isinstance(value, str) else value
        else:
            note(f"has `oauth.{one_line(key, 40)}`, which has no counterpart there: not carried")
    return out


def _without(entry: JsonObject, *keys: str) -> JsonObject:
    return {key: value for key, value in entry.items() if key not in keys}


def _vscode(entry: JsonObject, note: _Notes) -> JsonObject:
    oauth = _oauth(entry, note, {"clientId": "clientId"})
    return {**_without(entry, "oauth"), **({"oauth": oauth} if oauth else {})}


def _claude(entry: JsonObject, note: _Notes) -> JsonObject:
    oauth = _oauth(entry, note, {"clientId": "clientId", "scopes": "scopes", "callbackPort": "callbackPort"})
    if isinstance(oauth.get("scopes"), list):
        oauth["scopes"] = " ".join(cast(list[str], oauth["scopes"]))
    made = _texts_only({**_without(entry, "oauth"), **({"oauth": oauth} if oauth else {})}, note)
    return _without(made, "type") if made["type"] == "stdio" else made


def _cursor(entry: JsonObject, note: _Notes) -> JsonObject:
    auth = _oauth(entry, note, {"clientId": "CLIENT_ID", "clientSecret": "CLIENT_SECRET", "scopes": "scopes"})
    made = _without(_texts_only(entry, note), "oauth", *(("type",) if "url" in entry else ()))
    return {**made, **({"auth": auth} if auth else {})}


def _gemini(entry: JsonObject, note: _Notes) -> JsonObject:
    oauth = _oauth(entry, note, {"clientId": "clientId", "clientSecret": "clientSecret", "scopes": "scopes"})
    made = _without(_texts_only(entry, note), "oauth", "type")
    if entry["type"] == "http":
        made = {"httpUrl": made.pop("url"), **made}
    return {**made, **({"oauth": oauth} if oauth else {})}


def _opencode(entry: JsonObject, note: _Notes) -> JsonObject:
    made = _texts_only(entry, note)
    oauth = _oauth(entry, note, {"clientId": "clientId", "clientSecret": "clientSecret", "scopes": "scope"})
    if isinstance(oauth.get("scope"), list):
        oauth["scope"] = " ".join(cast(list[str], oauth["scope"]))
    out: JsonObject = {"type": "local" if entry["type"] == "stdio" else "remote"}
    if "command" in made:
        out["command"] = [made["command"], *made.get("args", [])]
    if made.get("env"):
        out["environment"] = made["env"]
    out |= {key: made[key] for key in ("cwd", "url", "headers", "timeout") if key in made}
    if oauth:
        out["oauth"] = oauth
    return {**out, "enabled": made.get("disabled") is not True}


def _zed(entry: JsonObject, note: _Notes) -> JsonObject:
    made = _without(_texts_only(entry, note), "type", "disabled")
    return {**made, **({"enabled": False} if entry.get("disabled") is True else {})}


def _mcphub(entry: JsonObject, note: _Notes) -> JsonObject:
    made = _without(_texts_only(entry, note), "type", "excludeTools")
    excluded = entry.get("excludeTools")
    return {**made, **({"disabled_tools": excluded} if excluded else {})}

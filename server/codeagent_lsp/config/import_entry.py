"""One server of another tool's file, made an entry of ours, with notes on what could not be carried.

State of a sign-in (tokens, verifiers, registrations) is never carried, nor a client's secret in plain text. What lets
tools run without a question is never taken over, only told.
"""

import shlex
from collections.abc import Iterable
from typing import Any, cast

from codeagent_lsp.config.entry import MAX_TIMEOUT_MS
from codeagent_lsp.config.foreign import Tool, texts
from codeagent_lsp.config.import_oauth import take_oauth
from codeagent_lsp.config.import_taken import Taken
from codeagent_lsp.config.keys import TYPES, is_remark
from codeagent_lsp.config.templates import references
from codeagent_lsp.config.translate import to_ours
from codeagent_lsp.protocol.values import JsonObject
from codeagent_lsp.text import one_line

_SILENT = (
    *("name", "description", "gallery", "version", "metadata", "remoteConfigured", "config_source", "source"),
    *("faviconUrl", "serverName", "$schema", "lastUpdated"),
)
_ENV = ("env", "environment", "envs", "envVars", "variables")
_URL = ("url", "serverUrl", "httpUrl", "sseUrl", "endpoint", "uri", "baseUrl")
_START = ("startTimeout", "connectionTimeout", "startupTimeout", "startup_timeout_ms", "initTimeout")
_TIMEOUT = ("timeout", "requestTimeout", "request_timeout_ms", "toolTimeout")
_INCLUDE = ("includeTools", "enabledTools", "enabled_tools", "allowedTools", "tools")
_EXCLUDE = ("excludeTools", "disabledTools", "disabled_tools", "excludedTools")
_SUGGESTIONS = (
    "autoApprove",
    "alwaysAllow",
    "always_allow",
    "auto_approve",
    "trust",
    "trustAnnotations",
    "permissions",
)
_OTHER_HEADERS = ("httpHeaders", "http_headers", "requestHeaders")
_ORDER = ("type", "command", "args", "env", "cwd", "envFile", "url", "headers", "oauth")


def entry_of(name: str, raw: Any, tool: Tool) -> tuple[JsonObject | None, list[str]]:
    """The entry, or `None` where there is none to make, and notes that begin with the server's name."""
    if not isinstance(raw, dict):
        return None, [f"`{one_line(name, 80)}` is not an object: not imported"]
    taken = Taken(name, cast(JsonObject, raw))
    _flatten(taken)
    stdio = _program(taken, tool)
    remote = not stdio and _address(taken, tool)
    if not stdio and not remote:
        if taken.refused is None:
            taken.note("has neither a command nor a URL: not imported")
        return None, taken.notes
    _switches(taken)
    _bounds(taken, tool)
    _filters(taken)
    _suggestions(taken)
    taken.drop(*_SILENT, *(key for key in taken.keys() if is_remark(key)))  # noqa: SIM118
    left = [f"`{one_line(key, 60)}`" for key in taken.keys()]  # noqa: SIM118
    if left:
        taken.note(f"has {', '.join(left)}, which has no counterpart here: not carried")
    _translate(taken, tool)
    ordered = {key: taken.entry[key] for key in _ORDER if key in taken.entry}
    return {**ordered, **taken.entry}, taken.notes


def _flatten(taken: Taken) -> None:
    """Lay nested forms flat: Cline's `transport`, Zed's `remote` and old `command` object, Continue's options."""
    for key in ("transport", "remote", "requestInit", "requestOptions", "command"):
        inner = taken.peek(key)
        if not isinstance(inner, dict):
            continue
        taken.drop(key)
        for inner_key, value in cast(JsonObject, inner).items():
            taken.lay("command" if key == "command" and inner_key == "path" else inner_key, value)
    if isinstance(taken.peek("remote"), bool):
        taken.drop("remote")
    for key in ("transport", "transportType", "kind"):
        value = taken.peek(key)
        if isinstance(value, str):
            taken.drop(key)
            taken.lay("type", value)


def _program(taken: Taken, tool: Tool) -> bool:
    command = taken.first("command", "cmd", "executable", "program", "path")
    args = taken.first("args", "arguments", "argv")
    words = [str(item) for item in cast(list[Any], command)] if isinstance(command, list) else None
    if words:
        command, args = words[0], [*words[1:], *_strings(args)]
    if not isinstance(command, str) or not command.strip():
        return False
    taken.first(*_URL)
    type_ = taken.first("type")
    if isinstance(type_, str) and TYPES.get(type_, "stdio") != "stdio":
        taken.note(f'has a command, and "{one_line(type_, 40)}" as its type: imported as a program')
    taken.entry["command"] = command
    if isinstance(args, str):
        args = _split(args)
        taken.note("has `args` in one text: split as a shell would")
    if _strings(args):
        taken.entry["args"] = _strings(args)
    env = _env(taken, tool)
    if env:
        taken.entry["env"] = env
    for ours, keys in {"cwd": ("cwd", "workingDirectory", "workdir"), "envFile": ("envFile", "env_file")}.items():
        value = taken.first(*keys)
        if isinstance(value, str) and value:
            taken.entry[ours] = value
    inherit = taken.first("inheritEnv")
    if texts(inherit):
        taken.entry["inheritEnv"] = texts(inherit)
    return True


def _env(taken: Taken, tool: Tool) -> JsonObject:
    env: JsonObject = {}
    given = taken.first(*_ENV)
    for name, value in cast(JsonObject, given).items() if isinstance(given, dict) else ():
        if tool.null_inherits and value in (None, ""):
            env[name] = f"${{{name}}}"
        elif value is None or isinstance(value, str):
            env[name] = value
        elif isinstance(value, bool | int | float):
            env[name] = str(value).lower() if isinstance(value, bool) else str(value)
        else:
            taken.note(f"sets `{one_line(name, 60)}` to something that is no text: not carried")
    return env


def _address(taken: Taken, tool: Tool) -> bool:
    key = next((key for key in _URL if isinstance(taken.peek(key), str) and taken.peek(key)), None)
    url = taken.first(*_URL)
    if key is None or not isinstance(url, str):
        return False
    type_ = taken.first("type")
    by_key = {"httpUrl": "http", "sseUrl": "sse"}.get(key) or tool.untyped_url
    wanted = TYPES.get(type_, "") if isinstance(type_, str) else by_key
    if isinstance(type_, str) and type_ == "ws":
        taken.refuse("speaks MCP over a web socket, which is not spoken here: not imported")
        return False
    if not url.lower().startswith(("http://", "https://", "${", "$", "{")):
        taken.refuse(f"has the address `{one_line(url, 60)}`, and only http and https are spoken here: not imported")
        return False
    if wanted == "sse":
        taken.entry["type"] = "sse"
    elif wanted != "http":
        taken.note(f'has "{one_line(str(type_), 40)}" as its type, which is not known here: imported as http')
    taken.entry["url"] = url
    headers = _headers(taken)
    if headers:
        taken.entry["headers"] = headers
    oauth = take_oauth(taken)
    if oauth:
        taken.entry["oauth"] = oauth
    return True


def _headers(taken: Taken) -> JsonObject:
    headers: JsonObject = {}
    given = taken.first("headers", *_OTHER_HEADERS)
    for name, value in cast(JsonObject, given).items() if isinstance(given, dict) else ():
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            headers[name] = str(value)
        else:
            taken.note(f"sets the header `{one_line(name, 60)}` to something that is no text: not carried")
    key = taken.peek("apiKey")
    if isinstance(key, str) and key and not any(name.lower() == "authorization" for name in headers):
        taken.drop("apiKey")
        headers["Authorization"] = f"Bearer {key}"
        taken.note("had an `apiKey`: it is sent as `Authorization: Bearer …`; look whether the server wants that")
    return headers


def _switches(taken: Taken) -> None:
    disabled = taken.first("disabled", "disable")
    enabled = taken.first("enabled", "isActive")
    if disabled is True or (enabled is False and disabled is None):
        taken.entry["disabled"] = True
    autostart = taken.first("autostart")
    if autostart == "onDemand" or taken.first("lazy") is True:
        taken.entry["autostart"] = "onDemand"
    era = taken.first("protocol", "protocolEra")
    if era in ("legacy", "modern"):
        taken.entry["protocol"] = era


def _bounds(taken: Taken, tool: Tool) -> None:
    for ours, keys, in_seconds in (
        ("startTimeout", _START, "startup_timeout_sec"),
        ("timeout", _TIMEOUT, "tool_timeout_sec"),
    ):
        key = next((key for key in (*keys, in_seconds) if taken.peek(key) is not None), None)
        value = taken.first(*keys, in_seconds)
        if key is None or isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e12:
            continue
        seconds = key == in_seconds or (tool.seconds and key == "timeout")
        milliseconds = round(value * 1000 if seconds else value)
        if tool.name == "claude" and milliseconds < 1000:
            taken.note(f"has a `{key}` below a second, which {tool.title} ignores: not carried")
            continue
        if milliseconds < 1000:
            taken.note(f"has a `{key}` of {milliseconds} milliseconds, which looks like seconds: look at it")
        taken.entry[ours] = min(max(1, milliseconds), MAX_TIMEOUT_MS)


def _filters(taken: Taken) -> None:
    include, exclude = taken.first(*_INCLUDE), taken.first(*_EXCLUDE)
    both = taken.first("toolFilter")
    if isinstance(both, dict):
        lists = cast(JsonObject, both)
        include = include or lists.get("include") or lists.get("allow")
        exclude = exclude or lists.get("exclude") or lists.get("deny")
    elif both is not None:
        include = include or both
    if texts(include) and "*" not in texts(include):
        taken.entry["includeTools"] = texts(include)
    if texts(exclude):
        taken.entry["excludeTools"] = texts(exclude)
    for what in ("prompts", "resources", "resourceTemplates"):
        if taken.first(f"disabled_{what}"):
            taken.note(f"switches single {what} off, which is not done here: not carried")


def _suggestions(taken: Taken) -> None:
    """What would let calls run unasked: told, never written."""
    for key in _SUGGESTIONS:
        value = taken.first(key)
        if not value:
            continue
        tools = ", ".join(f"`{one_line(tool, 60)}`" for tool in texts(value)[:20])
        what = f"let {tools} run without a question" if tools else "let its tools run without a question"
        taken.note(f"{what} (`{key}`): not carried. If you want that, set `autoApprove` in your own file")


def _translate(taken: Taken, tool: Tool) -> None:
    lost: dict[str, None] = {}

    def text(value: Any, field: str) -> Any:
        if not isinstance(value, str):
            return value
        made = to_ours(value, tool.syntax, field)
        lost.update(dict.fromkeys(made.lost))
        return made.text

    entry = taken.entry
    for key in ("command", "cwd", "envFile", "url"):
        if key in entry:
            entry[key] = text(entry[key], key)
    for key in ("env", "headers", "oauth"):
        if key in entry:
            entry[key] = {name: text(value, key) for name, value in cast(JsonObject, entry[key]).items()}
    if "args" in entry:
        entry["args"] = [text(value, "args") for value in cast(list[Any], entry["args"])]
    for form in lost:
        shown = one_line(form, 80)
        if tool.syntax == "none" and references(form):
            taken.note(f"holds `{shown}`, which {tool.title} passes on as it is, and which is a variable here")
        else:
            taken.note(f"holds `{shown}`, which is not known here: write a variable or a value in its place")


def _strings(value: Any) -> list[str]:
    items: Iterable[Any] = cast(list[Any], value) if isinstance(value, list) else ()
    return [item if isinstance(item, str) else str(item) for item in items if isinstance(item, str | int | float)]


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()

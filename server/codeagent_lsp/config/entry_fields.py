"""Reads the fields of a server entry that take more than a type: transport, environment, headers, OAuth, bounds."""

from typing import cast

from codeagent_lsp.config.document import Node
from codeagent_lsp.config.entry import MAX_TIMEOUT_MS, Autostart, OAuth
from codeagent_lsp.config.fields import Fields, unusable
from codeagent_lsp.config.keys import KEYS, OAUTH_KEYS, TYPES, foreign_key_for, is_remark, nearest
from codeagent_lsp.config.remote import (
    clean_header_value,
    header_name_problem,
    header_value_problem,
    is_set_by_us,
    url_problem,
)
from codeagent_lsp.config.templates import plain_braces, references
from codeagent_lsp.protocol.values import Transport
from codeagent_lsp.text import one_line


def read_disabled(fields: Fields) -> bool:
    """Whether an entry is switched off; another tool's `"enabled": false` is taken at its word."""
    if not fields.has("disabled") and (switch := fields.node.get("enabled")) is not None and switch.value is False:
        return True
    return fields.flag("disabled")


def read_transport(fields: Fields, key: Node, *, ours: bool = True) -> Transport | None:
    """Which transport an entry means, or `None` with the reason noted."""
    command, url = fields.node.get("command"), fields.node.get("url")
    has_command = command is not None and command.kind != "null" and command.value != ""
    has_url = url is not None and url.kind != "null" and url.value != ""
    if has_command and has_url:
        fields.note(key.span, "error", "both `command` and `url` are set: a server has one of them")
        return None
    if not has_command and not has_url:
        there = {str(member.key.value) for member in fields.node.members}
        found = foreign_key_for(there, "command") or foreign_key_for(there, "url") or "transport" in there
        hint = f" (`{found if isinstance(found, str) else 'transport'}` is not read)" if found else ""
        empty = "; it is empty" if command is not None or url is not None else ""
        message = f"neither `command` nor `url` is set{empty}: a server has one of them{hint}"
        fields.note(key.span, "error", message)
        return None
    transport = _type(fields, ours)
    if transport == "stdio" and has_url:
        fields.note(fields.key_span("type"), "error", '`type` is "stdio", and there is a `url` instead of a `command`')
    elif transport in ("http", "sse") and has_command:
        message = f'`type` is "{transport}", and there is a `command` instead of a `url`'
        fields.note(fields.key_span("type"), "error", message)
    resolved: Transport = transport or ("stdio" if has_command else "http")
    _check_use(fields, resolved)
    return resolved


def _type(fields: Fields, ours: bool) -> Transport | None:
    node = fields.node.get("type")
    if node is None or node.kind == "null":
        return None
    written = node.value if isinstance(node.value, str) else None
    if written is None or written not in TYPES:
        close = nearest(written, TYPES) if written else None
        hint = f': did you mean "{TYPES[close]}"?' if close else ""
        fields.note(node.span, "error", f'`type` must be "stdio", "http" or "sse"{hint}')
        return None
    transport = TYPES[written]
    if transport != written and ours:
        message = f'"{written}" is another tool\'s word: it is read as "{transport}", which is ours'
        fields.note(node.span, "warning", message)
    return cast(Transport, transport)


def _check_use(fields: Fields, transport: Transport) -> None:
    use = "stdio" if transport == "stdio" else "remote"
    for member in fields.node.members:
        key = str(member.key.value)
        if KEYS.get(key, "any") not in ("any", use) and member.value.value != "" and member.value.kind != "null":
            fields.note(member.key.span, "warning", f"`{key}` has no effect on a server of type {transport}")
    command = fields.node.get("command")
    if use == "stdio" and command is not None and isinstance(command.value, str):
        first, _, rest = command.value.strip().partition(" ")
        if rest and "/" not in first and "\\" not in first and "$" not in first:
            message = f"`command` is the program alone, `{one_line(first, 40)}`: what follows it belongs in `args`"
            fields.note(command.span, "warning", message)
    url = fields.node.get("url")
    if use == "remote" and url is not None and isinstance(url.value, str) and "${" not in url.value:
        reason = url_problem(url.value.strip())
        if reason is not None:
            fields.note(url.span, "error", f"`url` {reason}")


def read_env(fields: Fields, source: str) -> dict[str, str | None]:
    """The `env` of an entry. A number is the text that stands in the file, `null` means that the child has it not."""
    table = fields.table("env")
    env: dict[str, str | None] = {}
    for member in table.members if table else ():
        name, node = str(member.key.value), member.value
        if not name or "=" in name or unusable(name):
            fields.note(member.key.span, "error", f"`{one_line(name, 60)}` is not a name that a variable can have")
        elif node.kind in ("number", "boolean", "null"):
            env[name] = None if node.kind == "null" else source[node.span.start : node.span.end]
        elif not isinstance(node.value, str):
            fields.note(node.span, "error", f"`env.{one_line(name, 60)}` must be a string")
        elif reason := unusable(node.value):
            fields.note(node.span, "error", f"`env.{one_line(name, 60)}` {reason}")
        else:
            env[name] = node.value
    return env


def read_headers(fields: Fields) -> dict[str, str]:
    """The `headers` of an entry, without those that the transport sets itself."""
    table = fields.table("headers")
    headers: dict[str, str] = {}
    for member in table.members if table else ():
        name, node = str(member.key.value), member.value
        shown = f"header `{one_line(name, 60)}`"
        value = clean_header_value(node.value) if isinstance(node.value, str) else None
        reason = header_name_problem(name)
        if reason is not None:
            fields.note(member.key.span, "error", f"{shown} {reason}")
        elif value is None:
            fields.note(node.span, "error", f"{shown} must be a string")
        elif (bad := header_value_problem(value)) is not None:
            fields.note(node.span, "error", f"{shown} {bad}")
        elif is_set_by_us(name):
            fields.note(member.key.span, "warning", f"{shown} is set by MCP itself: this value has no effect")
        else:
            twin = next((other for other in headers if other.lower() == name.lower() and other != name), None)
            if twin is not None:
                fields.note(member.key.span, "warning", f"{shown} is there twice: this one counts")
                del headers[twin]
            headers[name] = value
    return headers


def read_oauth(fields: Fields) -> OAuth | None:
    """The `oauth` of an entry; `scopes` may be one text with blanks, as in RFC 6749."""
    table = fields.table("oauth")
    if table is None:
        return None
    inner = Fields(table, "oauth.")
    for member in table.members:
        key = str(member.key.value)
        if key not in OAUTH_KEYS and not is_remark(key):
            near = nearest(key, OAUTH_KEYS)
            hint = f": did you mean `{near}`?" if near else ""
            inner.note(member.key.span, "warning", f"`oauth.{key}` is not known and has no effect{hint}")
    scopes = table.get("scopes")
    oauth = OAuth(
        inner.text("clientId"),
        inner.text("clientSecret"),
        tuple(scopes.value.split()) if scopes and isinstance(scopes.value, str) else inner.texts("scopes"),
        inner.whole("callbackPort", None, 1, 65535),
    )
    fields.problems.extend(inner.problems)
    return oauth


def read_autostart(fields: Fields) -> Autostart:
    """When an entry is started."""
    node = fields.node.get("autostart")
    if node is None or node.kind == "null" or node.value is True:
        return True
    if node.value == "onDemand":
        return "onDemand"
    message = '`autostart` must be true or "onDemand" (to keep a server from running at all: `"disabled": true`)'
    fields.note(node.span, "error", message)
    return True


def read_timeout(fields: Fields, key: str, default: int) -> int:
    """A bound in milliseconds."""
    value = fields.whole(key, default, 1, MAX_TIMEOUT_MS, " of milliseconds") or default
    if value < 1000 and fields.has(key):
        fields.note(fields.key_span(key), "warning", f"`{key}` is in milliseconds: {value} is less than a second")
    return value


def check_variables(fields: Fields) -> None:
    """Note what looks like a variable in the fields that have variables, and is none."""
    nodes: list[Node] = []
    for key in ("command", "cwd", "envFile", "url", "args", "env", "headers"):
        node = fields.node.get(key)
        if node is not None:
            nodes += [node, *node.items, *(member.value for member in node.members)]
    for node in nodes:
        text = node.value if isinstance(node.value, str) else ""
        for reference in references(text) if "${" in text else ():
            if reference.kind == "unknown":
                message = f"`${{{one_line(reference.name, 60)}}}` is not a variable that is known here"
                fields.note(node.span, "warning", message)
        for braces in plain_braces(text) if "${" in text else ():
            fields.note(node.span, "information", f"`{one_line(braces, 60)}` is no variable and stays as it is")

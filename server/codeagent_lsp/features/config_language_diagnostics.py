"""What is wrong in a config file: with its text, with what it would start, and with the server that runs by it.

What the reader of config files finds comes first, as it says it. Added is what takes the rest of the world to see: a
variable that is set nowhere, a command that is not there, a secret that others will read, and how the server fares.
"""

import re
from collections.abc import Iterator
from typing import Literal

from attrs import frozen
from lsprotocol import types

from codeagent_lsp.config.document import Span
from codeagent_lsp.config.entry import Entry
from codeagent_lsp.config.files import read_document
from codeagent_lsp.config.launch import prepare
from codeagent_lsp.errors import SpawnFailed
from codeagent_lsp.features.config_language import ConfigText, ServerNode, ServerView, World, inner
from codeagent_lsp.features.config_language_variables import lookup_of, placed, settle
from codeagent_lsp.features.diagnostics import SEVERITIES, SOURCE
from codeagent_lsp.operations.plain_secrets import plain_secrets
from codeagent_lsp.protocol.values import Severity
from codeagent_lsp.text import one_line

Code = Literal["config", "unsetVariable", "launch", "plainSecret", "server"]

LIMIT = 200
_FIELDS = (
    (re.compile(r"the command "), ("command",)),
    (re.compile(r"the working directory "), ("cwd",)),
    (re.compile(r"`url` "), ("url",)),
    (re.compile(r"the argument "), ("args",)),
)
_NAMED = re.compile(
    r"(?:header `(?P<header>[^`]+)`|`(?P<table>env|headers|oauth)\.(?P<key>[^`]+)`|`args\[(?P<index>\d+)\])"
)


@frozen
class Found:
    """One finding. `code` says what kind it is."""

    span: Span
    severity: Severity
    message: str
    code: Code = "config"


def config_text_diagnostics(text: ConfigText, world: World) -> list[types.Diagnostic]:
    """The diagnostics of an open config file, at most 200. In a text that is broken: where, and how servers fare."""
    seen: dict[tuple[Span, str], types.Diagnostic] = {}
    for found in findings(text, world):
        if len(seen) == LIMIT:
            break
        diagnostic = types.Diagnostic(
            range=text.range(found.span),
            message=found.message,
            severity=SEVERITIES[found.severity],
            source=SOURCE,
            code=None if found.code == "config" else found.code,
        )
        seen.setdefault((found.span, found.message), diagnostic)
    return list(seen.values())


def findings(text: ConfigText, world: World) -> list[Found]:
    """Everything that is wrong, what the reader of config files says first."""
    document = text.document
    out = [Found(problem.span, problem.severity, problem.message) for problem in document.problems]
    entries: dict[str, Entry] = {}
    if document.ok:
        _, read, problems = read_document(document, text.origin, text.dialect, unsafe=text.origin.unsafe)
        out += [Found(problem.span, problem.severity, problem.message) for problem in problems]
        entries = {entry.name: entry for entry in read if isinstance(entry, Entry)}
        if text.origin.unsafe and read:
            message = f"others can write to {text.origin.path}: its servers ask before they start (chmod go-w, own it)"
            out.append(Found(Span(0, 0), "warning", message))
    for server in text.servers():
        entry = entries.get(server.name)
        launch: list[Found] = []
        if entry is not None and not entry.disabled and not entry.only_disables:
            launch = list(_launch(text, server, entry, world))
        out += launch
        if world.versioned:
            out += _secrets(text, server)
        view = world.views.get(server.name)
        if view is not None and view.in_force:
            spoilt = any(
                found.severity == "error" and server.key.span.start <= found.span.start <= server.value.span.end
                for found in out
            )
            out += _running(server, view, world, spoilt=spoilt)
    return out


# --- what would be started ---


def _launch(text: ConfigText, server: ServerNode, entry: Entry, world: World) -> Iterator[Found]:
    lookup = lookup_of(text, world.lookup)
    held_back = False
    shadowed: list[Span] = []
    for item in placed(text, server) if text.ours else ():
        settled = settle(item.reference, lookup)
        if any(span.start <= item.span.start < span.end for span in shadowed):
            continue  # inside of a default that is not taken
        if settled.state == "set" and item.reference.default is not None:
            shadowed.append(item.span)
        if settled.state == "unknown":
            held_back = True
        elif settled.state == "unset":
            held_back = True
            yield Found(item.span, "error", _unset(item.reference.kind, item.reference.name, world), "unsetVariable")
    if held_back:
        return
    try:
        prepare(server.name, entry, world.lookup)
    except SpawnFailed as failure:
        message = f"{failure.message} {failure.hint}" if failure.hint else failure.message
        yield Found(_place(server, failure.message), "error", message[:1].upper() + message[1:], "launch")


def _unset(kind: str, name: str, world: World) -> str:
    if kind == "fixed":
        return f"`${{{name}}}` needs an open folder, and none is."
    return (
        f"the variable `{one_line(name, 80)}` is not set, so this server cannot start. "
        f"Looked in: {world.lookup.looked_in()}. A default is written `${{{one_line(name, 80)}:-default}}`."
    )


def _place(server: ServerNode, message: str) -> Span:
    """The field that a failure to prepare a launch is about; else the server's name."""
    fields: tuple[str | int, ...] = next((field for head, field in _FIELDS if head.match(message)), ())
    named = _NAMED.search(message)
    if not fields and named is not None:
        if named["index"] is not None:
            fields = ("args", int(named["index"]))
        else:
            fields = ("headers", named["header"]) if named["header"] else (named["table"], named["key"])
    node = server.value
    for step in fields:
        following = node.get(step) if isinstance(step, str) else None
        if isinstance(step, int) and step < len(node.items):
            following = node.items[step]
        if following is None:
            return server.key.span
        node = following
    return node.span if fields else server.key.span


# --- secrets ---


def _secrets(text: ConfigText, server: ServerNode) -> Iterator[Found]:
    for secret in plain_secrets(server.value.plain()) if server.value.kind == "object" else ():
        node = text.document.at((*server.path, *secret.path))
        if node is None or node.kind != "string":
            continue
        span = inner(text.document, node, Span(secret.start, secret.end))
        message = (
            f"a secret in plain text (`{one_line(secret.name, 60)}`) in a file that is under version control: "
            "write `${NAME}` or `${input:id}` in its place"
        )
        yield Found(span, "warning", message, "plainSecret")


# --- how the server fares ---


def _running(server: ServerNode, view: ServerView, world: World, *, spoilt: bool) -> Iterator[Found]:
    status = view.status
    if status is None:
        return
    span = server.key.span
    error = status.error
    if status.state == "failed" and error is not None:
        if error.kind == "spawnFailed" and spoilt:
            return  # the text says why already
        parts = [error.message.rstrip(".")]
        if error.exit_code is not None and str(error.exit_code) not in error.message:
            parts.append(f"exit code {error.exit_code}")
        last = next((line.strip() for line in reversed(error.stderr_tail or []) if line.strip()), "")
        if last and last not in error.message:
            parts.append(f"its last line on stderr: {last}")
        hint = f" {error.hint}" if error.hint and error.hint not in error.message else ""
        yield Found(span, "error", world.clean(one_line("; ".join(parts), 1000) + "." + hint), "server")
    elif status.state == "needsAuth":
        why = f": {one_line(error.message, 300)}" if error is not None else ""
        yield Found(span, "warning", world.clean(f"it wants you to sign in{why}"), "server")
    elif status.state == "untrusted":
        yield Found(span, "information", "it waits for your approval: nothing of it is started before", "server")
    if status.list_errors is not None:
        for what in ("tools", "resources", "prompts"):
            said: str | None = getattr(status.list_errors, what)
            if said is not None:
                message = world.clean(f"its {what} could not be listed: {one_line(said, 400)}")
                yield Found(span, "warning", message, "server")

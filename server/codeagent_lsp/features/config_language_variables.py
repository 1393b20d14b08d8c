"""The `${…}` of a config file: where each stands, what it is set to (never its value), and which is being typed."""

import re
from collections.abc import Iterator
from typing import Literal

from attrs import frozen

from codeagent_lsp.config.document import Node, Span
from codeagent_lsp.config.templates import Reference, references
from codeagent_lsp.config.variables import Lookup, Source
from codeagent_lsp.features.config_language import ConfigText, ServerNode, places

Field = tuple[str | int, ...]

_REST = re.compile(r"[\w:.-]*\}?")
PLACES: dict[Source, str] = {
    "environment": "the environment that the editor was started with",
    "editor": "the editor's settings",
    "project": "the project's `.env`",
    "user": "`~/.env`",
    "default": "its default",
    "input": "your answer",
    "fixed": "the workspace",
}


@frozen
class Placed:
    """One reference in a text: the server, the field, and where it stands. `name_span` is the name alone."""

    server: ServerNode
    field: Field
    reference: Reference
    span: Span
    written: str


@frozen
class Settled:
    """What becomes of a reference: `set`, by `source`; its `default`; `asked` for; or `unset`."""

    state: Literal["set", "default", "asked", "unset", "unknown"]
    source: Source | None = None


def texts_of(server: ServerNode) -> Iterator[tuple[Field, Node]]:
    """The texts of a server that variables are put into, by field."""
    value = server.value
    for key in ("command", "cwd", "envFile", "url"):
        node = value.get(key)
        if node is not None and node.kind == "string":
            yield (key,), node
    args = value.get("args")
    for index, item in enumerate(args.items if args is not None else ()):
        if item.kind == "string":
            yield ("args", index), item
    for key in ("env", "headers", "oauth"):
        table = value.get(key)
        for member in table.members if table is not None else ():
            name = str(member.key.value)
            if member.value.kind == "string" and (key != "oauth" or name in ("clientId", "clientSecret")):
                yield (key, name), member.value


def placed(text: ConfigText, server: ServerNode) -> Iterator[Placed]:
    """Every reference of a server's texts, those inside of defaults after the one that they are in."""
    for field, node in texts_of(server):
        value = node.value if isinstance(node.value, str) else ""
        if "${" not in value:
            continue
        at = places(text.document, node)
        work = list(references(value))
        while work:
            reference = work.pop(0)
            span = Span(at[min(reference.span.start, len(at) - 1)], at[min(reference.span.end, len(at) - 1)])
            yield Placed(server, field, reference, span, value[reference.span.start : reference.span.end])
            if reference.default is not None:
                work = [*references(value, reference.default), *work]


def settle(reference: Reference, lookup: Lookup) -> Settled:
    """What becomes of one reference, as `variables.expand` would have it."""
    if reference.kind == "unknown":
        return Settled("unknown")
    if reference.kind == "input":
        known = lookup.inputs is not None and reference.name in lookup.inputs
        return Settled("set", "input") if known else Settled("asked")
    if reference.kind == "fixed" and lookup.fixed(reference.name) is not None:
        return Settled("set", "fixed")
    found = None if reference.kind == "fixed" and reference.default is None else lookup.find(reference.name)
    if found is not None and (found[0] or reference.default is None):
        return Settled("set", found[1])
    return Settled("default", "default") if reference.default is not None else Settled("unset")


def lookup_of(text: ConfigText, lookup: Lookup) -> Lookup:
    """The lookup as the entries of this file may use it."""
    return lookup if text.origin.scope == "project" else lookup.for_user_entry()


def known_names(lookup: Lookup) -> Iterator[tuple[str, Source]]:
    """The names of variables that are set, each once, those of `.env` files first."""
    seen: set[str] = set()
    for values in (lookup.project_env, lookup.user_env, lookup.editor, lookup.environment):
        for name in sorted(values):
            found = lookup.find(name)
            if name not in seen and found is not None and re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
                seen.add(name)
                yield name, found[1]


def open_variable(source: str, token: Span, offset: int) -> Span | None:
    """The stretch of the `${…}` (or the `$`) that is being typed at an offset inside a string's token."""
    begun = source[token.start : offset]
    start = begun.rfind("${")
    if start < 0 or "}" in begun[start:]:
        start = len(begun) - 1 if begun.endswith("$") else -1
    if start < 0 or begun[:start].endswith("$"):
        return None
    begin = token.start + start
    if ":-" in source[begin:offset]:
        return None
    rest = _REST.match(source, offset, token.end)
    after = offset + 1 if source[offset : offset + 1] == "{" and source[offset - 1] == "$" else offset
    rest = _REST.match(source, after, token.end) or rest
    end = rest.end() if rest is not None else after
    closed = source[begin:end].endswith("}")
    return Span(begin, end if closed else max(offset, after))

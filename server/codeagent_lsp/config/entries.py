"""Reads the server entries of a parsed file, each on its own: a bad one never takes its neighbours along."""

from pathlib import Path
from typing import cast

from attrs import frozen

from codeagent_lsp.config.document import Document, Node, Problem
from codeagent_lsp.config.entry import START_TIMEOUT_MS, TIMEOUT_MS, BrokenEntry, Entry, Era, OAuth
from codeagent_lsp.config.entry_fields import (
    check_variables,
    read_autostart,
    read_disabled,
    read_env,
    read_headers,
    read_oauth,
    read_timeout,
    read_transport,
)
from codeagent_lsp.config.fields import Fields
from codeagent_lsp.config.keys import KEYS, USER_ONLY, about_unknown, is_power, is_remark
from codeagent_lsp.config.names import name_refused, name_remark
from codeagent_lsp.protocol.values import Scope, Transport

Entries = tuple[Entry | BrokenEntry, ...]


@frozen
class Origin:
    """Where entries come from, and so what they may say."""

    scope: Scope
    folder: Path | None
    path: Path
    unsafe: bool = False
    dialect: str = "codeagent"

    @property
    def guarded(self) -> bool:
        """Whether the entries need approval and may not loosen anything."""
        return self.scope == "project" or self.unsafe


def read_entries(
    document: Document,
    scope: Scope,
    folder: Path | None,
    path: Path,
    key: str | None,
    *,
    unsafe: bool = False,
    dialect: str = "codeagent",
) -> tuple[Entries, tuple[Problem, ...]]:
    """Read the entries under a top-level key (`None`: the root itself is the map), and what is wrong with them.

    `unsafe` is for a user file that others can write to: its entries need approval like a project's. Every name
    gives one entry, sound or broken, except names that no server can have, which give a problem only.
    """
    table = document.root if key is None or document.root is None else document.root.get(key)
    if table is None:
        return (), ()
    if table.kind != "object":
        what = f"`{key}`" if key else "the file"
        message = f'{what} must be an object of servers by name, such as {{"docs": {{"command": "npx"}}}}'
        return (), (Problem(table.span, "error", message),)
    origin = Origin(scope, folder, path, unsafe, dialect)
    entries: dict[str, Entry | BrokenEntry] = {}
    problems: list[Problem] = []
    for member in table.members:
        name = str(member.key.value)
        refused = name_refused(name)
        if refused is not None:
            problems.append(Problem(member.key.span, "error", refused))
            continue
        remark = name_remark(name)
        if remark is not None:
            problems.append(Problem(member.key.span, "information", remark))
        entry, found = _read_entry(document, name, member.key, member.value, origin)
        entries.pop(name, None)
        entries[name] = entry
        problems.extend(found)
    return tuple(entries.values()), tuple(problems)


def _read_entry(
    document: Document, name: str, key: Node, node: Node, origin: Origin
) -> tuple[Entry | BrokenEntry, list[Problem]]:
    def broken(message: str, disabled: bool = False) -> BrokenEntry:
        return BrokenEntry(name, origin.scope, origin.folder, origin.path, key.span, message, disabled)

    unreadable = _unreadable_within(document, key.span.start, node.span.end)
    if unreadable is not None:
        return broken(unreadable), []
    if node.kind != "object":
        message = 'a server is an object, such as {"command": "npx", "args": ["-y", "some-server"]}'
        return broken(message), [Problem(node.span, "error", message)]
    fields = Fields(node)
    _check_keys(fields, origin)
    disabled = read_disabled(fields)
    if disabled and not any(other != "disabled" and fields.has(other) for other in KEYS):
        switch = Entry(name, origin.scope, origin.folder, origin.path, "stdio", disabled=True, key_span=key.span)
        return switch, fields.problems
    if origin.dialect == "codeagent":
        check_variables(fields)
    transport = read_transport(fields, key, ours=origin.dialect == "codeagent")
    entry = _build(name, key, fields, origin, transport, disabled, document.text) if transport else None
    if entry is None or fields.broken is not None:
        return broken(fields.broken or "", disabled), fields.problems
    return entry, fields.problems


def _unreadable_within(document: Document, start: int, end: int) -> str | None:
    """The parser's own complaint about something inside the entry, which the entry cannot be used with."""
    for problem in document.problems:
        if problem.severity == "error" and start <= problem.span.start < end:
            return problem.message
    return None


def _build(
    name: str, key: Node, fields: Fields, origin: Origin, transport: Transport, disabled: bool, source: str
) -> Entry:
    stdio, free = transport == "stdio", not origin.guarded
    return Entry(
        name=name,
        scope=origin.scope,
        folder=origin.folder,
        path=origin.path,
        transport=transport,
        command=fields.text("command") if stdio else None,
        args=(fields.texts("args") or ()) if stdio else (),
        env=read_env(fields, source) if stdio else {},
        cwd=fields.text("cwd") if stdio else None,
        env_file=fields.text("envFile") if stdio else None,
        url=None if stdio else fields.text("url"),
        headers={} if stdio else read_headers(fields),
        oauth=None if stdio else read_oauth(fields),
        disabled=disabled,
        autostart=read_autostart(fields),
        start_timeout_ms=read_timeout(fields, "startTimeout", START_TIMEOUT_MS),
        timeout_ms=read_timeout(fields, "timeout", TIMEOUT_MS),
        include_tools=fields.texts("includeTools"),
        exclude_tools=fields.texts("excludeTools") or (),
        trust_annotations=free and fields.flag("trustAnnotations"),
        auto_approve=(fields.texts("autoApprove") or ()) if free else (),
        inherit_env=(fields.texts("inheritEnv") or ()) if stdio else (),
        protocol=cast(Era, fields.one_of("protocol", ("auto", "legacy", "modern"), "auto")),
        needs_approval=origin.guarded,
        dialect=origin.dialect,
        key_span=key.span,
    )


def _about_power(key: str, origin: Origin) -> str:
    if key not in USER_ONLY:
        return f"`{key}` has no effect: a project cannot change approval, storage, proxies or certificates"
    if origin.scope == "project":
        return f"`{key}` has no effect in a project: only your own file (~/.codeagent/mcp.json) can set it"
    return f"`{key}` has no effect: others can write to this file (chmod go-w {origin.path})"


def _check_keys(fields: Fields, origin: Origin) -> None:
    for member in fields.node.members:
        key = str(member.key.value)
        if is_remark(key):
            continue
        if is_power(key) and origin.guarded:
            fields.note(member.key.span, "warning", _about_power(key, origin))
        elif key not in KEYS and origin.dialect == "codeagent":
            fields.note(member.key.span, "warning", about_unknown(key))


__all__ = ["BrokenEntry", "Entries", "Entry", "OAuth", "Origin", "read_entries"]

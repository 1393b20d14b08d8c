"""The fingerprint of a launch: what would be started, as a list of facts, and SHA-256 over their canonical JSON.

A fact is a field with what the user is shown of it and what it really is. The facts are made from the object that is
spawned. A value of an `env` variable or a header that comes from the user's environment is not part of it, so that a
new token does not ask again; a value from the project's own `.env` is, since the project could change it.
"""

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from codeagent_lsp.config.launch import Launch
from codeagent_lsp.policy.canonical import digest
from codeagent_lsp.policy.records import Fact
from codeagent_lsp.policy.values import Values
from codeagent_lsp.protocol import FieldChange
from codeagent_lsp.text import visible

HASHED_WHOLE = 64 * 1024 * 1024
"""Bytes. A larger file (a model, a database) is known by its size and its times instead of its content."""

ABSENT = "(absent)"
_LONGEST_SIDE = 4_000
_MOST_ARGUMENTS = 1_000  # each with a fact of its own


@frozen
class Part:
    """One field of a launch: `shown` to the user, with every hidden character visible, and `real`, any JSON."""

    field: str
    shown: str
    real: Any


def parts(launch: Launch) -> list[Part]:
    """Everything that a launch is approved for, in the order in which a person reads it."""
    entry = launch.entry
    values = Values(launch)
    workspace = None if entry.folder is None else os.path.realpath(entry.folder)
    found = [
        Part("scope", entry.scope, entry.scope),
        Part("workspace", show(workspace or ABSENT), workspace),
        Part("name", show(entry.name), entry.name),
        Part("transport", launch.transport, launch.transport),
    ]
    if launch.transport == "stdio":
        found += _stdio_parts(launch, values)
    if launch.url is not None:
        found.append(Part("url", show(values.shown_url()), values.settled(entry.url or "", launch.url)))
    found += _templates("headers", launch.header_templates, launch.headers, values)
    if launch.oauth is not None and entry.oauth is not None:
        templates, given = asdict(entry.oauth), asdict(launch.oauth)
        for key, template in templates.items():
            if template is not None:
                real = values.settled(template, given[key]) if isinstance(template, str) else given[key]
                found.append(Part(f"oauth.{key}", "(secret)" if "secret" in key else show(str(template)), real))
    found += _file_parts(launch, workspace)
    return found


def fingerprint(launch: Launch) -> str:
    """SHA-256 (hexadecimal) of the launch. Reads the files that it names; starts and connects nothing."""
    return fingerprint_of(parts(launch))


def fingerprint_of(found: list[Part]) -> str:
    """SHA-256 (hexadecimal) of these parts."""
    return digest({"format": 1, "parts": [[part.field, part.real] for part in found]})


def facts(found: list[Part]) -> dict[str, Fact]:
    """The parts as they are kept with an approval, to show the next difference: no secret is in them."""
    return {part.field: Fact(part.shown, digest(part.real)) for part in found}


def differences(before: Mapping[str, Fact], found: list[Part]) -> list[FieldChange]:
    """What differs from what was approved, one change for each field."""
    now = facts(found)
    changes: list[FieldChange] = []
    for name in dict.fromkeys((*before, *now)):
        old, new = before.get(name), now.get(name)
        if old == new:
            continue
        was, is_now = (old.shown if old else ABSENT), (new.shown if new else ABSENT)
        if was == is_now:
            is_now = f"{is_now} (with another value)"
        changes.append(FieldChange(name, visible(was, limit=_LONGEST_SIDE), visible(is_now, limit=_LONGEST_SIDE)))
    return changes


def show(text: str) -> str:
    r"""A text on one line: hidden characters as `\u{…}`, long runs of blanks as `·×N`, nothing cut."""
    return visible(text, newlines=False, runs=True)


def file_identity(path: Path) -> str:
    """The SHA-256 of a regular file's content, or why there is none. Never opens a FIFO, a device or a socket."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return "not a regular file"
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(path, flags), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                return "not a regular file"
            if found.st_size > HASHED_WHOLE:
                # The change time cannot be set by hand.
                return f"{found.st_size} bytes, inode {found.st_ino}, changed {found.st_mtime_ns} {found.st_ctime_ns}"
            return f"sha256 {hashlib.file_digest(file, 'sha256').hexdigest()}"
    except FileNotFoundError:
        return "missing"
    except (OSError, ValueError):
        return "unreadable"


def _stdio_parts(launch: Launch, values: Values) -> Iterator[Part]:
    entry = launch.entry
    argv = launch.argv or ("",)
    yield Part("command", show(values.shown_command()), entry.command)
    for field, path in (("program", argv[0] or None), ("resolvedCommand", launch.resolved)):
        yield Part(field, show(str(path or "(not known yet)")), path and str(path))
    arguments = list(values.arguments())
    if len(arguments) > _MOST_ARGUMENTS:
        yield Part("args", f"({len(arguments)} arguments)", [real for _, real in arguments])
    else:
        yield from (Part(f"args[{index}]", show(shown), real) for index, (shown, real) in enumerate(arguments))
    cwd = values.settled(entry.cwd or "", os.path.realpath(launch.cwd) if launch.cwd else "")
    yield Part("cwd", show(values.shown(entry.cwd or "", str(cwd))), cwd)
    yield from _templates("env", launch.env_templates, launch.env, values)
    if entry.inherit_env:
        yield Part("inheritEnv", show(", ".join(entry.inherit_env)), list(entry.inherit_env))


def _templates(
    kind: str, templates: Mapping[str, str | None], given: Mapping[str, str], values: Values
) -> Iterator[Part]:
    """Fields of which the template counts, and the value only where nothing of it is the user's own."""
    for name in sorted(templates):
        template = templates[name]
        if template is None:
            yield Part(f"{kind}.{show(name)}", "(taken away)", [name, None])
            continue
        value = None if values.is_private(template) else given.get(name)
        yield Part(f"{kind}.{show(name)}", show(values.masked(name, template)), [name, template, value])


def _file_parts(launch: Launch, workspace: str | None) -> Iterator[Part]:
    if launch.env_file is not None:
        identity = file_identity(launch.env_file)
        path = str(launch.env_file)
        yield Part("envFile", f"{show(path)} ({identity})", [path, identity])
    for path in launch.files:
        identity = file_identity(path)
        yield Part(f"file {show(relative(path, workspace))}", identity, [str(path), identity])


def relative(path: Path, workspace: str | None) -> str:
    """A path as the project names it."""
    for place in (path, Path(os.path.realpath(path))):
        if workspace is not None and place.is_relative_to(workspace):
            return str(place.relative_to(workspace))
    return str(path)

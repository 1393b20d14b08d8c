"""Edits that mend or better a config file: a key's right name, a default, a secret moved out, a list for a text."""

import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from attrs import frozen
from lsprotocol import types

from codeagent_lsp.config.document import Member, Node, Span
from codeagent_lsp.config.edits import Edit, add_items, add_members, set_member
from codeagent_lsp.config.keys import KEYS, TYPES, USER_ONLY, foreign_key_for, is_remark, nearest
from codeagent_lsp.config.reading import read_user_file
from codeagent_lsp.features.config_language import ConfigText, ServerNode, World, inner
from codeagent_lsp.features.config_language_schema import key_info
from codeagent_lsp.features.config_language_variables import lookup_of, placed, settle
from codeagent_lsp.operations.plain_secrets import PlainSecret, plain_secrets
from codeagent_lsp.text import one_line

_KINDS = types.CodeActionKind
_MAX_TOOLS = 20


@frozen
class Fix:
    """One action: its title, its kind, edits of the file itself, and lines to put at the end of another file."""

    title: str
    kind: types.CodeActionKind
    edits: tuple[Edit, ...]
    preferred: bool = False
    append: tuple[Path, str] | None = None


def fixes(text: ConfigText, server: ServerNode, span: Span, world: World) -> Iterator[Fix]:
    """What can be mended or bettered of a server where `span` touches it. The text must not be broken."""
    yield from _keys(text, server, span)
    yield from _values(text, server, span)
    yield from _variables(text, server, span, world)
    yield from _secrets(text, server, span, world)
    if server.value.kind == "object" and text.ours:
        yield from _switches(text, server, span, world)


def _touch(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


# --- keys and values ---


def _keys(text: ConfigText, server: ServerNode, span: Span) -> Iterator[Fix]:
    if not text.ours:
        return
    for member in server.value.members:
        key = str(member.key.value)
        if key in KEYS or is_remark(key) or not _touch(member.key.span, span):
            continue
        ours = _our_name(member)
        if ours is None or ours in USER_ONLY or server.value.get(ours) is not None:
            continue
        sse = key == "sseUrl" and server.value.get("type") is None
        edits = [Edit(member.key.span, ('"type": "sse", ' if sse else "") + json.dumps(ours))]
        if key in ("enabled", "isActive") and ours == "disabled" and member.value.kind == "boolean":
            edits.append(Edit(member.value.span, json.dumps(member.value.value is not True)))
        yield Fix(f"Change `{one_line(key, 60)}` to `{ours}`", _KINDS.QuickFix, tuple(edits), True)


def _our_name(member: Member) -> str | None:
    """What a foreign or misspelled key is called here, where its value would fit."""
    key = str(member.key.value)
    if key.endswith("_sec"):
        return None  # other units
    foreign = next((ours for ours in KEYS if foreign_key_for({key}, ours) == key), None)
    ours = foreign or nearest(key, KEYS)
    info = key_info((ours,)) if ours is not None else None
    kind = "integer" if member.value.kind == "number" else member.value.kind
    fits = info is not None and (kind in (*info.types, "missing", "null"))
    return ours if fits else None


def _values(text: ConfigText, server: ServerNode, span: Span) -> Iterator[Fix]:
    for key in ("args", "includeTools", "excludeTools", "inheritEnv"):
        node = server.value.get(key)
        if node is not None and node.kind == "string" and _touch(node.span, span):
            words = _words(str(node.value)) if key == "args" else [str(node.value)]
            edit = Edit(node.span, json.dumps(words, ensure_ascii=False))
            yield Fix(f"Make `{key}` a list", _KINDS.QuickFix, (edit,), True)
    command, args = server.value.get("command"), server.value.get("args")
    if command is not None and command.kind == "string" and _touch(command.span, span):
        words = _words(str(command.value))
        if len(words) > 1 and "/" not in words[0] and "\\" not in words[0] and (args is None or args.kind == "array"):
            edits = [Edit(command.span, json.dumps(words[0], ensure_ascii=False))]
            edits += _arguments(text, server, args, words[1:])
            yield Fix("Move the arguments of `command` into `args`", _KINDS.QuickFix, tuple(edits), True)
    type_ = server.value.get("type")
    if type_ is not None and _touch(type_.span, span) and text.ours:
        ours = TYPES.get(str(type_.value))
        if ours is not None and ours != type_.value:
            edit = Edit(type_.span, json.dumps(ours))
            yield Fix(f'Write "{ours}"', _KINDS.QuickFix, (edit,), True)


def _arguments(text: ConfigText, server: ServerNode, args: Node | None, words: list[str]) -> list[Edit]:
    if args is None:
        return add_members(text.document, server.value, {"args": words})
    if not args.items:
        return add_items(text.document, args, words)
    first = args.items[0].span.start
    return [Edit(Span(first, first), "".join(f"{json.dumps(word, ensure_ascii=False)}, " for word in words))]


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


# --- variables and secrets ---


def _variables(text: ConfigText, server: ServerNode, span: Span, world: World) -> Iterator[Fix]:
    lookup = lookup_of(text, world.lookup)
    for item in placed(text, server):
        reference = item.reference
        if not _touch(item.span, span) or reference.kind != "variable" or reference.default is not None:
            continue
        unset = settle(reference, lookup).state == "unset"
        kind = _KINDS.QuickFix if unset else _KINDS.RefactorRewrite
        end = Span(item.span.end - 1, item.span.end - 1)
        yield Fix(f"Give `{reference.name}` a default", kind, (Edit(end, ":-"),), unset)
        if unset:
            asked = reference.name.lower().replace("_", "-")
            edit = Edit(item.span, f"${{input:{asked}}}")
            yield Fix(f"Ask for it once: `${{input:{asked}}}`", kind, (edit,))


def _secrets(text: ConfigText, server: ServerNode, span: Span, world: World) -> Iterator[Fix]:
    for secret in plain_secrets(server.value.plain()) if server.value.kind == "object" else ():
        node = text.document.at((*server.path, *secret.path))
        if node is None or node.kind != "string" or not _touch(node.span, span):
            continue
        place = inner(text.document, node, Span(secret.start, secret.end))
        asked = _slug(server.name, secret)
        edit = Edit(place, f"${{input:{asked}}}")
        kind = _KINDS.QuickFix
        yield Fix(f"Ask for the secret once instead: `${{input:{asked}}}`", kind, (edit,), True)
        name = _variable_name(server.name, secret, world)
        line = _env_line(name, str(node.value)[secret.start : secret.end])
        if line is not None:
            path = world.lookup.home / ".env"
            edit = Edit(place, f"${{{name}}}")
            yield Fix(f"Move the secret to `~/.env` as `{name}`", kind, (edit,), append=(path, line))


def _slug(server: str, secret: PlainSecret) -> str:
    words = f"{server}-{secret.name}".lower()
    return re.sub(r"[^a-z0-9]+", "-", words).strip("-") or "secret"


def _variable_name(server: str, secret: PlainSecret, world: World) -> str:
    """A name that is not taken: the variable's own in `env`, else made of server and field."""
    own = secret.path[0] == "env" and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", secret.name)
    base = secret.name if own else re.sub(r"[^A-Z0-9]+", "_", f"{server}_{secret.name}".upper()).strip("_")
    base = base if base and not base[0].isdigit() else f"MCP_{base or 'SECRET'}"
    name, number = base, 2
    while world.lookup.find(name) is not None:
        name, number = f"{base}_{number}", number + 1
    return name


def _env_line(name: str, value: str) -> str | None:
    """A line for a `.env` file; `None` for a value that would not come back from one as it is."""
    if re.search(r"[\r\n'\\]", value):
        return None
    return f"{name}={value}" if re.fullmatch(r"[\w.~+/=:@%-]+", value) else f"{name}='{value}'"


# --- switches ---


def _switches(text: ConfigText, server: ServerNode, span: Span, world: World) -> Iterator[Fix]:
    document, value = text.document, server.value
    view = world.views.get(server.name)
    lists = [node for key in ("includeTools", "excludeTools") if (node := value.get(key)) is not None]
    excluded = value.get("excludeTools")
    near = _touch(server.key.span, span) or any(_touch(node.span, span) for node in lists)
    present = {str(item.value) for item in excluded.items} if excluded is not None else set[str]()
    if view is not None and near and (excluded is None or excluded.kind == "array"):
        for name in [name for name, on in view.tools if on and name not in present][:_MAX_TOOLS]:
            edits = (
                add_members(document, value, {"excludeTools": [name]})
                if excluded is None
                else add_items(document, excluded, [name])
            )
            yield Fix(f"Disable the tool {one_line(name, 80)}", _KINDS.RefactorRewrite, tuple(edits))
    if not _touch(server.key.span, span):
        return
    flag = value.get("disabled")
    off = flag is not None and flag.value is True
    change: Callable[[Any], list[Edit]] = lambda word: set_member(document, value, "disabled", word)  # noqa: E731
    title = f"{'Enable' if off else 'Disable'} the server {one_line(server.name, 80)} in this file"
    yield Fix(title, _KINDS.RefactorRewrite, tuple(change(not off)))


def appended(path: Path, line: str) -> tuple[bool, int, str]:
    """Whether a file has to be created, the line at whose start text is put, and the text that adds `line` to it."""
    content = read_user_file(path)
    if content.data is None:
        return not content.exists, 0, f"{line}\n"
    text = content.text()[0]
    at_end = text.endswith("\n")  # else the last line may be half of a value: the first line is as good
    return False, text.count("\n") if at_end else 0, f"{line}\n"

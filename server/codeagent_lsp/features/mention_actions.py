"""Code actions on mentions: open, insert or expand a resource, follow its changes, bring its server up, mend its URI.

Actions that need the content of a resource carry `data` and get their edit in `codeAction/resolve`; a client that
cannot resolve edits is not offered them. `client_commands` are commands that the client itself runs.
"""

import difflib
import re
from collections.abc import Callable, Collection, Iterator
from typing import Any, cast

from attrs import evolve
from lsprotocol import types

from codeagent_lsp.catalog.spelled import uri_text
from codeagent_lsp.errors import Stale, WorkError
from codeagent_lsp.features.content import is_binary, language_of, text_of
from codeagent_lsp.features.describe import title_of
from codeagent_lsp.features.documents import Document, Documents, Spot
from codeagent_lsp.features.index import MentionIndex, ServerEntry
from codeagent_lsp.features.mention_diagnostics import UNKNOWN, diagnostic, problem
from codeagent_lsp.features.resolving import Read, mentions_in
from codeagent_lsp.protocol.values import ResourceContents
from codeagent_lsp.text import one_line

OPEN_RESOURCE = "codeagent.openResource"
"""`{server, uri}`: shows the resource's document, in whatever way the client can."""
COPY_EXPANDED = "codeagent.copyExpanded"
"""`{textDocument, range}`, of the client: copies `resolving.expanded_text`."""

_KINDS = types.CodeActionKind
_MENTIONS = 4


def code_actions(
    document: Document,
    range: types.Range,
    index: MentionIndex,
    *,
    only: Collection[str] = (),
    resolves_edits: bool = True,
    subscribed: Callable[[str, str], bool] = lambda server, uri: False,
    client_commands: Collection[str] = (),
) -> list[types.CodeAction]:
    """The actions for the mentions that `range` touches; for no more than four of them.

    `only` are the kinds that the client wants. `subscribed` tells whether the user follows a resource already.
    """
    spots = mentions_in(document, index, range)
    actions: list[types.CodeAction] = []
    for line, spot in spots[:_MENTIONS]:
        entry = index.entry(spot.found.server)
        if entry:
            actions += _quick_fixes(document, line, spot, entry)
            actions += _commands(spot, entry, index, subscribed)
            if resolves_edits:
                actions += _edits(document, line, spot, index)
    if spots and COPY_EXPANDED in client_commands:
        arguments = {"textDocument": {"uri": document.uri}, "range": _plain(range)}
        actions.append(_command("Copy with the mentioned resources", COPY_EXPANDED, arguments))
    unique = {(action.title, str(action.data)): action for action in actions}
    return [action for action in unique.values() if _wanted(action, only)]


async def resolve_action(
    action: types.CodeAction, documents: Documents, index: MentionIndex, read: Read
) -> types.CodeAction:
    """`codeAction/resolve`: the action with its edit, made from the resource's content.

    Raises `errors.Stale` where the mention is no longer there, and whatever `read` raises. An action that is not ours
    comes back as it is.
    """
    given: object = cast(object, action.data)
    data = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    if data.get("mentionAction") not in ("insert", "replace"):
        return action
    server, uri = str(data.get("server")), str(data.get("uri"))
    contents = await read(server, uri)
    document = documents.get(str(data.get("document")))
    spots = [
        (line, spot)
        for line, spot in (document.spots(index) if document else ())
        if (spot.found.server, spot.found.uri) == (server, uri)
    ]
    if document is None or not spots:
        raise Stale(f"the text no longer mentions {one_line(uri)}; nothing was changed.", server=server)
    line, spot = min(spots, key=lambda item: abs(item[0] - int(data.get("line", 0))))
    if any(map(is_binary, contents)):
        raise WorkError(f"{one_line(uri)} is binary, and cannot stand in a text. Open it instead.", server=server)
    edit = (_insert if data["mentionAction"] == "insert" else _replace)(document, line, spot, contents)
    return evolve(action, edit=types.WorkspaceEdit(changes={document.uri: [edit]}))


def nearest(entry: ServerEntry, uri: str, count: int = 3) -> list[str]:
    """The listed URIs that are most like `uri`: of those that sort next to it or share its last word."""
    last = uri.rstrip("/").rsplit("/", 1)[-1].rsplit(":", 1)[-1]
    found, _ = entry.listing.search(last, 50) if last else ([], False)
    candidates = dict.fromkeys([*entry.listing.neighbours(uri, 50), *(known for known, _ in found)])
    return difflib.get_close_matches(uri[:500], [known for known in candidates if len(known) <= 500], count, 0.6)


def _quick_fixes(document: Document, line: int, spot: Spot, entry: ServerEntry) -> Iterator[types.CodeAction]:
    wrong = problem(spot.found, entry)
    if wrong is None:
        return
    where = spot.range(line)
    reported = [diagnostic(line, spot, wrong)]
    if wrong.code == UNKNOWN:
        span = types.Range(types.Position(line, spot.uri_start), where.end)
        for number, uri in enumerate(nearest(entry, spot.found.uri)):
            edit = types.WorkspaceEdit(changes={document.uri: [types.TextEdit(span, uri_text(uri))]})
            yield types.CodeAction(
                title=f"Change to {one_line(uri, 120)}",
                kind=_KINDS.QuickFix,
                diagnostics=reported,
                is_preferred=number == 0,
                edit=edit,
            )
    start = start_command(entry)
    if start:
        yield types.CodeAction(title=start.title, kind=_KINDS.QuickFix, diagnostics=reported, command=start)


def start_command(entry: ServerEntry) -> types.Command | None:
    """The command that brings a server up; `None` where it is up, or on its way."""
    name, server = one_line(entry.server, 80), {"server": entry.server}
    match entry.status.state:
        case "stopped" | "failed" | "untrusted":
            return types.Command(title=f"Start {name}", command="codeagent.start", arguments=[server])
        case "disabled":
            enable = {**server, "enabled": True}
            return types.Command(title=f"Enable {name}", command="codeagent.setEnabled", arguments=[enable])
        case "needsAuth":
            return types.Command(title=f"Sign in to {name}", command="codeagent.signIn", arguments=[server])
        case _:
            return None


def open_command(index: MentionIndex, server: str, uri: str) -> types.Command:
    """The command that opens a resource."""
    title = f"Open {title_of(index, server, uri)}"
    return types.Command(title=title, command=OPEN_RESOURCE, arguments=[{"server": server, "uri": uri}])


def _commands(
    spot: Spot, entry: ServerEntry, index: MentionIndex, subscribed: Callable[[str, str], bool]
) -> Iterator[types.CodeAction]:
    server, uri = spot.found.server, spot.found.uri
    opening = open_command(index, server, uri)
    yield types.CodeAction(title=opening.title, command=opening)
    name, address = title_of(index, server, uri), {"server": server, "uri": uri}
    if entry.status.state == "ready" and spot.found.listed:
        if subscribed(server, uri):
            yield _command(f"Stop following changes of {name}", "codeagent.unsubscribeResource", address)
        else:
            yield _command(f"Follow changes of {name}", "codeagent.subscribeResource", address)


def _edits(document: Document, line: int, spot: Spot, index: MentionIndex) -> Iterator[types.CodeAction]:
    server, uri = spot.found.server, spot.found.uri
    name = title_of(index, server, uri)
    data = {"server": server, "uri": uri, "document": document.uri, "line": line}
    yield types.CodeAction(
        title=f"Insert the content of {name} below", kind=_KINDS.Refactor, data={**data, "mentionAction": "insert"}
    )
    yield types.CodeAction(
        title=f"Replace the mention by the content of {name}",
        kind=_KINDS.RefactorInline,
        data={**data, "mentionAction": "replace"},
    )


def _insert(document: Document, line: int, spot: Spot, contents: "Collection[ResourceContents]") -> types.TextEdit:
    """Below the line of the mention: as a code block in prose, as it is in code; in the document's line terminators."""
    parts = list(contents)
    text = text_of(parts).rstrip("\n")
    if not document.code:
        language = language_of(parts[0].mime_type) if len(parts) == 1 else ""
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        text = f"\n{fence}{'' if language == 'plaintext' else language}\n{text}\n{fence}"
    ending = document.lines[line][len(document.line(line)) :] or "\n"
    end = document.position(line, len(document.line(line)))
    return types.TextEdit(types.Range(end, end), f"\n{text}".replace("\n", ending))


def _replace(document: Document, line: int, spot: Spot, contents: "Collection[ResourceContents]") -> types.TextEdit:
    ending = document.lines[line][len(document.line(line)) :] or "\n"
    return types.TextEdit(spot.range(line), text_of(list(contents)).rstrip("\n").replace("\n", ending))


def _command(title: str, command: str, argument: dict[str, Any]) -> types.CodeAction:
    return types.CodeAction(title=title, command=types.Command(title=title, command=command, arguments=[argument]))


def _wanted(action: types.CodeAction, only: Collection[str]) -> bool:
    kind = str(getattr(action.kind, "value", action.kind or ""))
    return not only or any(wanted == "" or kind == wanted or kind.startswith(f"{wanted}.") for wanted in only)


def _plain(range: types.Range) -> dict[str, Any]:
    return {
        "start": {"line": range.start.line, "character": range.start.character},
        "end": {"line": range.end.line, "character": range.end.character},
    }

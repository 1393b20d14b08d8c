"""Code actions of a config file: quick fixes, switches, and the exchange with other tools' files."""

from collections.abc import Collection, Iterator
from contextlib import suppress

from lsprotocol import types

from codeagent_lsp.config.document import Span
from codeagent_lsp.errors import HostError
from codeagent_lsp.features.config_language import ConfigText, World
from codeagent_lsp.features.config_language_diagnostics import config_text_diagnostics
from codeagent_lsp.features.config_language_exchange import Resolved, offers, resolve
from codeagent_lsp.features.config_language_fixes import Fix, appended, fixes
from codeagent_lsp.operations.importing import OpenText

__all__ = ["Resolved", "code_actions", "resolve_action"]

LIMIT = 60


def code_actions(
    text: ConfigText,
    range: types.Range,
    world: World,
    *,
    only: Collection[str] = (),
    resolves_edits: bool = True,
    open_text: OpenText = lambda _path: None,
) -> list[types.CodeAction]:
    """The actions for what `range` touches; none of a text that is broken, whose edits nobody could foresee.

    `only` are the kinds that the client wants. A client that cannot resolve edits (`resolves_edits`) gets them at once.
    """
    if not text.document.ok:
        return []
    span = text.span(range)
    server = text.server_at(span.start)
    actions: list[types.CodeAction] = []
    if server is not None:
        diagnostics = config_text_diagnostics(text, world)
        actions += [_action(text, fix, span, diagnostics) for fix in fixes(text, server, span, world)]
        on_name = server.key.span.start <= span.end and span.start <= server.key.span.end
    else:
        on_name = False
    if server is None or on_name:
        for offer in offers(text, server, world):
            if not _wanted(offer, only):
                continue
            if resolves_edits:
                actions.append(offer)
                continue
            with suppress(HostError):  # what cannot be done is not offered
                actions.append(resolve(offer, text, open_text).action)
    return [action for action in actions if _wanted(action, only)][:LIMIT]


def resolve_action(
    action: types.CodeAction, text: ConfigText | None, open_text: OpenText = lambda _path: None
) -> Resolved:
    """`codeAction/resolve`: the action with its edit, and notes to tell. `text` is the file that `data.uri` names.

    Raises `errors.InvalidParams` and `errors.Stale`. An action that is not ours comes back as it is.
    """
    return resolve(action, text, open_text)


def _action(text: ConfigText, fix: Fix, span: Span, diagnostics: list[types.Diagnostic]) -> types.CodeAction:
    changes = {text.uri: [types.TextEdit(text.range(edit.span), edit.text) for edit in fix.edits]}
    kind = fix.kind
    action = types.CodeAction(title=fix.title, kind=kind, edit=types.WorkspaceEdit(changes=changes))
    if fix.append is not None:
        action.edit = _with_appended(text, fix)
    if kind is types.CodeActionKind.QuickFix:
        where = text.range(span)
        action.diagnostics = list(_touching(diagnostics, where)) or None
        action.is_preferred = fix.preferred or None
    return action


def _with_appended(text: ConfigText, fix: Fix) -> types.WorkspaceEdit:
    """The fix's edits, and a line at the end of another file, which is created where it is not there."""
    assert fix.append is not None
    path, line = fix.append
    create, number, added = appended(path, line)
    own = [types.TextEdit(text.range(edit.span), edit.text) for edit in fix.edits]
    place = types.Position(number, 0)
    other = types.TextEdit(types.Range(place, place), added)
    if not create:
        return types.WorkspaceEdit(changes={text.uri: own, path.as_uri(): [other]})
    identify = types.OptionalVersionedTextDocumentIdentifier
    return types.WorkspaceEdit(
        document_changes=[
            types.CreateFile(uri=path.as_uri(), options=types.CreateFileOptions(ignore_if_exists=True)),
            types.TextDocumentEdit(text_document=identify(uri=path.as_uri()), edits=[other]),
            types.TextDocumentEdit(text_document=identify(uri=text.uri), edits=list(own)),
        ]
    )


def _touching(diagnostics: list[types.Diagnostic], where: types.Range) -> Iterator[types.Diagnostic]:
    for diagnostic in diagnostics:
        start, end = diagnostic.range.start, diagnostic.range.end
        if (start.line, start.character) <= (where.end.line, where.end.character) and (
            where.start.line,
            where.start.character,
        ) <= (end.line, end.character):
            yield diagnostic


def _wanted(action: types.CodeAction, only: Collection[str]) -> bool:
    kind = str(getattr(action.kind, "value", action.kind or ""))
    return not only or any(wanted == "" or kind == wanted or kind.startswith(f"{wanted}.") for wanted in only)

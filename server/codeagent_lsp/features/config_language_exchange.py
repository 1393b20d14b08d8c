"""Code actions that bring servers in from another tool's file, or write ours for one: offered fast, made on resolve."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from attrs import evolve, frozen
from lsprotocol import types

from codeagent_lsp.config.converters import convert, plan_conversion, targets
from codeagent_lsp.config.document import Document, parse
from codeagent_lsp.config.edits import Edit
from codeagent_lsp.config.importers import import_servers, importable_files
from codeagent_lsp.errors import InvalidParams, Stale
from codeagent_lsp.features.config_language import ConfigText, ServerNode, World
from codeagent_lsp.operations.importing import OpenText, folder_of, preview, text_of
from codeagent_lsp.paths import path_of
from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.text import one_line

_KINDS = types.CodeActionKind
_MAX_IMPORTS = 12


@frozen
class Resolved:
    """An action with its edit, and what is to be told: one sentence each."""

    action: types.CodeAction
    notes: tuple[str, ...] = ()


def offers(text: ConfigText, server: ServerNode | None, world: World) -> Iterator[types.CodeAction]:
    """Imports where no server is touched; conversions of the server that is touched, or of all."""
    if not text.ours or text.document.root is None:
        return
    if server is None:
        for tool, path in importable_files(text.origin.folder, world.lookup.home)[:_MAX_IMPORTS]:
            data = {"configAction": "import", "uri": text.uri, "from": path.as_uri()}
            title = f"Import servers from {tool.title} ({_shown(path, text.origin.folder)})"
            yield types.CodeAction(title=title, kind=_KINDS.Source, data=data)
    if text.origin.folder is None:
        return
    what = f"the server {one_line(server.name, 60)}" if server is not None else "all servers"
    for target in targets() if server is not None or any(text.servers()) else ():
        data = {
            "configAction": "convert",
            "uri": text.uri,
            "to": target.tool.name,
            "server": server.name if server is not None else None,
        }
        title = f"Write {what} for {target.tool.title} ({target.file})"
        yield types.CodeAction(title=title, kind=_KINDS.Refactor, data=data)


def resolve(action: types.CodeAction, text: ConfigText | None, open_text: OpenText) -> Resolved:
    """`codeAction/resolve` of an offer: with its edit, made from the texts of now. Another action comes back as it is.

    `text` is the config file that the action's `data.uri` names. Raises `errors.InvalidParams` where a file cannot be
    read or is broken, and `errors.Stale` where the text is no longer open.
    """
    given: object = cast(object, action.data)
    data = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    if data.get("configAction") not in ("import", "convert"):
        return Resolved(action)
    if text is None:
        raise Stale("the config file is no longer open; nothing was changed.")
    make = _import if data["configAction"] == "import" else _convert
    edit, notes = make(text, data, open_text)
    return Resolved(evolve(action, edit=edit), tuple(notes))


def _import(text: ConfigText, data: dict[str, Any], open_text: OpenText) -> tuple[types.WorkspaceEdit, list[str]]:
    source = path_of(str(data.get("from")))
    folder = text.origin.folder
    if source is None:
        raise InvalidParams("the file to import from is not named.")
    opened = open_text(source)
    content = opened if opened is not None else text_of(source, folder_of(source, [folder] if folder else []))
    if content is None:
        raise Stale(f"{source} is no longer there; nothing was changed.")
    imported = import_servers(source, content, folder=folder)
    made = preview(imported, text.origin.path, text.document.text, text.encoding)
    changes: Any = made.edit.get("changes", {})
    edits = [_edit(change) for change in changes.get(text.origin.path.as_uri(), ())]
    return types.WorkspaceEdit(changes={text.uri: edits} if edits else {}), made.notes


def _convert(text: ConfigText, data: dict[str, Any], open_text: OpenText) -> tuple[types.WorkspaceEdit, list[str]]:
    target = next((target for target in targets() if target.tool.name == data.get("to")), None)
    folder = text.origin.folder
    if target is None or folder is None:
        raise InvalidParams("the tool to write for is not known.")
    if not text.document.ok:
        raise InvalidParams(f"{text.origin.path} is broken.", hint="Mend it first.")
    servers: dict[str, JsonObject] = {
        server.name: server.value.plain()
        for server in text.servers()
        if server.value.kind == "object" and data.get("server") in (None, server.name)
    }
    converted = convert(servers, target)
    path = folder / target.file
    present = open_text(path)
    if present is None:
        present = text_of(path, folder)
    if not converted.servers:
        return types.WorkspaceEdit(changes={}), list(converted.notes)
    edits, notes = plan_conversion(converted, target, path, present)
    made = file_edit(path.as_uri(), parse(present or ""), edits, text, create=present is None)
    return made, [*converted.notes, *notes]


def file_edit(
    uri: str, document: Document, edits: list[Edit], text: ConfigText, *, create: bool
) -> types.WorkspaceEdit:
    """Edits of another file than `text`, which is created by the same edit where it is not there."""
    places = ConfigText(uri, text.origin, text.dialect, document, text.encoding)
    changes = [types.TextEdit(places.range(edit.span), edit.text) for edit in edits]
    if not create:
        return types.WorkspaceEdit(changes={uri: changes} if changes else {})
    options = types.CreateFileOptions(ignore_if_exists=True)
    versioned = types.OptionalVersionedTextDocumentIdentifier(uri=uri)
    return types.WorkspaceEdit(
        document_changes=[
            types.CreateFile(uri=uri, options=options),
            types.TextDocumentEdit(text_document=versioned, edits=list(changes)),
        ]
    )


def _edit(change: JsonObject) -> types.TextEdit:
    start, end = (types.Position(**change["range"][side]) for side in ("start", "end"))
    return types.TextEdit(types.Range(start, end), change["newText"])


def _shown(path: Path, folder: Path | None) -> str:
    shown = path.relative_to(folder) if folder is not None and folder in path.parents else path
    return one_line(str(shown), 80)

"""Import from another tool's config file: a preview of what our file would be. Nothing is written, nothing started."""

from collections.abc import Callable
from pathlib import Path

from codeagent_lsp.config.dialects import OURS
from codeagent_lsp.config.document import Document, Encoding, parse
from codeagent_lsp.config.edits import Edit
from codeagent_lsp.config.files import FOLDER
from codeagent_lsp.config.importers import Imported, import_servers, plan_import
from codeagent_lsp.config.reading import read_project_file, read_user_file
from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.operations.host import Host
from codeagent_lsp.operations.plain_secrets import plain_secrets
from codeagent_lsp.paths import path_of
from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.protocol.params import ImportConfigParams
from codeagent_lsp.protocol.results import ImportPreview
from codeagent_lsp.protocol.wire import dump
from codeagent_lsp.text import one_line

OpenText = Callable[[Path], str | None]
"""The text of a file that is open in the editor, which may differ from what is on disk; `None` for others."""


async def import_config(
    host: Host, params: ImportConfigParams, open_text: OpenText = lambda _path: None
) -> ImportPreview:
    """What importing the servers of another tool's file would write: into the project's file where the other one is in
    a workspace folder, else into the user's.

    Raises `errors.InvalidParams` where the file cannot be read, has no servers or not those that are named, and where
    our own file is broken.
    """
    source = path_of(params.uri)
    if source is None:
        raise InvalidParams("`uri` must be the `file:` URI of another tool's config file.")
    folder = folder_of(source, host.workspace.folders)
    target = (folder / FOLDER if folder is not None else host.home) / "mcp.json"
    if source == target:
        raise InvalidParams(f"{source} is our own file already.", hint="Name another tool's file.")
    text = open_text(source)
    if text is None:
        text = text_of(source, folder)
    if text is None:
        raise InvalidParams(f"{source} does not exist.")
    first = next(iter(host.workspace.folders), None)
    imported = import_servers(source, text, only=params.servers, folder=folder or first)
    present = open_text(target)
    return preview(imported, target, text_of(target, folder) if present is None else present, host.workspace.encoding)


def preview(imported: Imported, target: Path, present: str | None, encoding: Encoding) -> ImportPreview:
    """The edit of `target`, whose text is `present` (`None`: there is no such file), and the notes."""
    planned = plan_import(imported.servers, target, present, OURS)
    notes = [*imported.notes, *planned.notes]
    for name in planned.added:
        for secret in plain_secrets(imported.servers[name]):
            where = ".".join(str(part) for part in secret.path)
            notes.append(
                f"`{one_line(name, 80)}` has a secret in plain text in `{one_line(where, 80)}`: write ${{NAME}} or "
                "${input:id} in its place"
            )
    edit = workspace_edit(target, planned.document, planned.edits, encoding, create=present is None)
    return ImportPreview(edit, list(dict.fromkeys(notes)))


def workspace_edit(
    path: Path, document: Document | None, edits: tuple[Edit, ...] | list[Edit], encoding: Encoding, *, create: bool
) -> JsonObject:
    """Edits of one file as a `WorkspaceEdit` (LSP 3.18). A file that is not there is created by the same edit."""
    uri = path.as_uri()
    if not edits:
        return {"changes": {}}
    places = document or parse("")
    changes = [{"range": dump(places.range(edit.span, encoding)), "newText": edit.text} for edit in edits]
    if not create:
        return {"changes": {uri: changes}}
    creation: JsonObject = {"kind": "create", "uri": uri, "options": {"ignoreIfExists": True}}
    text_edit: JsonObject = {"textDocument": {"uri": uri, "version": None}, "edits": changes}
    return {"documentChanges": [creation, text_edit]}


def folder_of(path: Path, folders: list[Path]) -> Path | None:
    """The innermost workspace folder that a file is in."""
    inside = [folder for folder in folders if folder in path.parents]
    return max(inside, key=lambda folder: len(folder.parts)) if inside else None


def text_of(path: Path, folder: Path | None) -> str | None:
    """The text of a config file on disk, `None` where there is none; one of a project is read without following links.

    Raises `errors.InvalidParams` where it is there and cannot be read.
    """
    content = read_project_file(folder, path.relative_to(folder).parts) if folder else read_user_file(path)
    if not content.exists:
        return None
    text, undecodable = content.text()
    problem = content.problem or undecodable
    if problem is not None:
        raise InvalidParams(f"{path} {problem}.")
    return text

"""Servers by name, in config files and in mentions alike: from a mention to its entry, and both renamed at once."""

import json
from typing import TYPE_CHECKING

import anyio.to_thread
from lsprotocol import types

from codeagent_lsp.config.files import ReadFile
from codeagent_lsp.config.reading import read_project_file, read_user_file
from codeagent_lsp.errors import InvalidParams, UnknownServer
from codeagent_lsp.features import references
from codeagent_lsp.features.config_language import ConfigText
from codeagent_lsp.features.config_language_outline import name_range, server_name_at, server_range
from codeagent_lsp.features.documents import Document
from codeagent_lsp.language.config import ConfigFeatures
from codeagent_lsp.language.state import Language
from codeagent_lsp.paths import path_of

if TYPE_CHECKING:
    from codeagent_lsp.protocol import ServerStatus


class Entries:
    """What an editor asks at a server's name; files that are not open are read anew, as they are on disk."""

    def __init__(self, language: Language, config: ConfigFeatures) -> None:
        self._language = language
        self._config = config

    async def definition(self, document: Document, position: types.Position) -> types.Location | None:
        """The entry of the server whose name, in a mention, is at `position`: not at the `@`, nor in the URI."""
        spot = document.spot_at(position, self._language.index)
        _, offset = document.offset(position)
        if spot is None or not spot.found.start < offset < spot.found.uri_start - 1:
            return None
        entry = self._language.index.entry(spot.found.server)
        text = await self._text(entry.status) if entry else None
        where = server_range(text, entry.status.name) if entry and text else None
        return types.Location(text.uri, where) if text and where else None

    def prepare_rename(self, document: Document, position: types.Position) -> types.PrepareRenamePlaceholder | None:
        """The name of a server, at its key or in a mention; nothing else is ours to rename."""
        text = self._config.text(document)
        found = server_name_at(text, position) if text else None
        if found is not None:
            return types.PrepareRenamePlaceholder(range=found[1], placeholder=found[0])
        return references.prepare_rename(document, position, self._language.index)

    async def rename(self, document: Document, position: types.Position, new: str) -> types.WorkspaceEdit | None:
        """Give the server at `position` a new name: at its key, and wherever open documents mention it.

        The key of an entry that is not in force is renamed alone. Raises `errors.InvalidParams` for a name that is
        taken or cannot be one, and `errors.UnknownServer` where the entry of a mentioned server cannot be found.
        """
        text = self._config.text(document)
        found = server_name_at(text, position) if text else None
        if text is not None and found is not None:
            return self._edit(text, found[0], self._in_force(text, found[0]), new)
        if references.prepare_rename(document, position, self._language.index) is None:
            return None
        spot = document.spot_at(position, self._language.index)
        entry = self._language.index.entry(spot.found.server) if spot else None
        if entry is None:
            return None
        text = await self._text(entry.status)
        if text is None or server_range(text, entry.status.name) is None:
            raise UnknownServer(f"{entry.server}: its entry is no longer in {entry.status.config_uri}.")
        return self._edit(text, entry.status.name, entry.server, new)

    def _edit(self, text: ConfigText, name: str, server: str | None, new: str) -> types.WorkspaceEdit:
        references.check_name(new)
        if new != name and any(other.name == new for other in text.servers()):
            raise InvalidParams(f"there is an entry `{new}` in this file already; choose another name.")
        documents, index = self._language.documents, self._language.index
        edits = references.rename_server(documents, server, new, index) if server else {}
        where = name_range(text, name)
        if where is not None:
            key = types.TextEdit(where, json.dumps(new, ensure_ascii=False)[1:-1])
            edits[text.uri] = [key, *edits.get(text.uri, [])]
        return types.WorkspaceEdit(changes=edits)

    def _in_force(self, text: ConfigText, name: str) -> str | None:
        """The server that runs by the entry of this name in this file."""
        uri, index = text.origin.path.as_uri(), self._language.index
        entries = (index.entry(server) for server in index.servers())
        return next((e.server for e in entries if e and e.status.config_uri == uri and e.status.name == name), None)

    async def _text(self, status: "ServerStatus") -> ConfigText | None:
        """The config file that declares a server: as it is in the editor, or else on disk."""
        path = path_of(status.config_uri)
        for document in self._language.documents:
            if document.uri.endswith(".json") and path_of(document.uri) == path:
                return self._config.text(document)
        file = next((file for file in self._language.house.config.files if file.path == path), None)
        content = await anyio.to_thread.run_sync(_read, file) if file is not None else None
        if content is None:
            return None
        return self._config.text(Document(status.config_uri, "jsonc", 0, content, self._language.documents.encoding))


def _read(file: ReadFile) -> str | None:
    if file.scope == "project" and file.folder is not None:
        content = read_project_file(file.folder, file.path.relative_to(file.folder).parts)
    else:
        content = read_user_file(file.path)
    return content.text()[0] if content.data is not None else None

"""Resources as documents: their text, whether it is followed, and how a client gets to see it."""

import logging
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread
from lsprotocol import types

from codeagent_lsp.catalog.addresses import SCHEME, document_uri, parse
from codeagent_lsp.editor import Editor
from codeagent_lsp.errors import HostError, UnknownResource
from codeagent_lsp.features.content import document_content, image_of, is_binary, text_of
from codeagent_lsp.operations.resources import read_resource, subscribe_resource, unsubscribe_resource
from codeagent_lsp.protocol import ResourceContents
from codeagent_lsp.protocol.params import ReadResourceParams, ResourceParams

if TYPE_CHECKING:
    from codeagent_lsp.operations.host import Host

log = logging.getLogger(__name__)

OWN_DOCUMENTS = "documents"
"""In `clientFeatures`: the client opens `codeagent:` documents by itself."""


class Contents:
    """The resources that are open as documents, and those that were written to files for clients without documents."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._followed: set[tuple[str, str]] = set()
        self._files: dict[tuple[str, str], Path] = {}
        self._pictures: dict[tuple[str, str], list[Path]] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self.read_lately: dict[tuple[str, str], str] = {}
        """The text of resources that were read in this session, for hovers; the latest 100."""

    @property
    def client_opens(self) -> bool:
        """Whether the client can show a `codeagent:` document."""
        return self._editor.shows_content or OWN_DOCUMENTS in self._editor.options.named

    async def read(self, host: "Host", server: str, uri: str) -> Sequence[ResourceContents]:
        """Read a resource. Raises `errors.HostError`."""
        contents = (await read_resource(host, ReadResourceParams(server=server, uri=uri))).contents
        while len(self.read_lately) >= 100:
            self.read_lately.pop(next(iter(self.read_lately)))
        self.read_lately[server, uri] = text_of(contents)
        return contents

    async def document(self, host: "Host", params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        """`workspace/textDocumentContent`: the text of a resource's document; its changes are followed from now on."""
        found = parse(params.uri)
        if found is None:
            raise UnknownResource("this is no document of a resource.")
        contents = await self.read(host, *found)
        await self.follow(host, *found)
        return document_content(contents)

    async def follow(self, host: "Host", server: str, uri: str) -> None:
        """Subscribe to a resource that is open, where its server can tell of changes."""
        if (server, uri) in self._followed or not _can_subscribe(host, server):
            return
        self._followed.add((server, uri))
        try:
            await subscribe_resource(host, ResourceParams(server, uri))
        except HostError as error:
            self._followed.discard((server, uri))
            host.journal.add(server, "host", "info", f"no subscription to {uri}: {error.message}")

    async def closed(self, host: "Host", document: str) -> None:
        """A document, or the file that stands for it, is closed: nobody needs to be told of its changes any more."""
        found = self._shown(document)
        if found is not None and found in self._followed:
            self._followed.discard(found)
            try:
                await unsubscribe_resource(host, ResourceParams(*found))
            except HostError as error:
                log.debug("could not unsubscribe: %s", error)

    async def opened(self, host: "Host", document: str) -> None:
        """A document, or the file that stands for it, is open in the editor: its changes are followed."""
        found = self._shown(document)
        if found is not None:
            await self.follow(host, *found)

    def _shown(self, document: str) -> tuple[str, str] | None:
        """The resource that a document shows."""
        if document.startswith(f"{SCHEME}:"):
            return parse(document)
        return next((key for key, path in self._files.items() if path.as_uri() == document), None)

    async def updated(self, host: "Host", server: str, uri: str) -> None:
        """A resource has changed: let the editor ask for its text again, and write the file that shows it anew."""
        self.read_lately.pop((server, uri), None)
        address = document_uri(server, uri, host.catalog.resource(server, uri))
        await self._editor.refresh_content(address)
        if (server, uri) in self._files:
            await self.file(host, server, uri)

    async def show(self, host: "Host", server: str, uri: str) -> bool:
        """Show a resource's document, or a file with its text where the client has no documents; was it shown?

        A resource that is one picture, and nothing else, is shown by what shows pictures on this machine.
        """
        if self.client_opens:
            return await self._editor.show_document(document_uri(server, uri, host.catalog.resource(server, uri)))
        path = await self.file(host, server, uri)
        pictures = self._pictures.get((server, uri), [])
        if len(pictures) == 1 and await self._editor.show_document(pictures[0].as_uri(), external=True):
            return True
        return await self._editor.show_document(path.as_uri())

    async def file(self, host: "Host", server: str, uri: str) -> Path:
        """A private, read-only file with the text of a resource, gone when we are. Raises `errors.HostError`.

        Pictures become files beside it, which the text names.
        """
        contents = await self.read(host, server, uri)
        await self.follow(host, server, uri)
        name = document_uri(server, uri, host.catalog.resource(server, uri)).rsplit("/", 1)[1]
        key = (server, uri)
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="codeagent-")
        path = self._files.get(key) or Path(self._folder.name) / str(len(self._files)) / name
        suffix = ".txt" if any(map(is_binary, contents)) and path.suffix != ".txt" else ""
        path = path.with_name(path.name + suffix)
        pictures = _pictures(contents, path)
        for picture, data in pictures.items():
            await anyio.to_thread.run_sync(_write, picture, data)
        self._files[key], self._pictures[key] = path, list(pictures)
        text = text_of(contents) + "".join(f"\nThe picture is in {picture}\n" for picture in pictures)
        await anyio.to_thread.run_sync(_write, path, text.encode(errors="replace"))
        return path

    def close(self) -> None:
        """Remove the files."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


def _can_subscribe(host: "Host", server: str) -> bool:
    connection = host.manager.connections.get(server)
    session = connection.session if connection is not None else None
    return session is not None and (session.modern or "resources.subscribe" in session.capabilities)


def _pictures(contents: Sequence[ResourceContents], path: Path) -> dict[Path, bytes]:
    """The pictures of a resource, by the files that they go into, beside the file of its text."""
    stem = path.name.removesuffix(".txt")
    found = ((number, image_of(part)) for number, part in enumerate(contents, 1))
    return {path.with_name(f"{number}-{Path(stem).stem}{image[0]}"): image[1] for number, image in found if image}


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    if path.exists():
        path.chmod(0o600)
    path.write_bytes(data)
    path.chmod(0o400)

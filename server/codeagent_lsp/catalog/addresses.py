"""How a resource is named outside of its server: the URI of its document in an editor, and its mention in a text.

`codeagent://resource/<opaque>/<name.ext>`: the opaque part is base64url (RFC 4648, section 5, unpadded) of server and
URI and can be read back; the last part is for people, and for editors that pick a language by it. Nothing but
`[A-Za-z0-9_.-]` stands in either, so that VS Code's `Uri` and Neovim's buffer names leave it alone.
"""

import base64
import binascii
import mimetypes
import re
from collections.abc import Iterable
from functools import cache
from urllib.parse import unquote

from codeagent_lsp.catalog.spelled import server_text, uri_text
from codeagent_lsp.protocol import Resource

SCHEME = "codeagent"
_PREFIX = f"{SCHEME}://resource/"
_OPAQUE = re.compile(r"[A-Za-z0-9_-]+")
_MAX_NAME = 80
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_EXTENSION = re.compile(r"\.(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{1,10}$")
_MENTION = re.compile(r'@(?:"((?:[^"\\]|\\.)*)"|([^\s:"\\@][^\s:]*)):(.*)', re.DOTALL)

# Where Python's own table has none, or an odd one.
_EXTENSIONS = {
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/x-markdown": ".md",
    "text/html": ".html",
    "text/xml": ".xml",
    "text/yaml": ".yaml",
    "text/x-yaml": ".yaml",
    "application/yaml": ".yaml",
    "application/x-yaml": ".yaml",
    "application/toml": ".toml",
    "application/sql": ".sql",
    "text/x-sql": ".sql",
    "text/javascript": ".js",
    "application/javascript": ".js",
    "application/typescript": ".ts",
    "text/typescript": ".ts",
    "text/x-python": ".py",
    "text/x-rust": ".rs",
    "text/x-go": ".go",
    "text/x-java": ".java",
    "text/x-c": ".c",
    "text/x-c++": ".cpp",
    "text/x-sh": ".sh",
    "text/x-shellscript": ".sh",
    "application/x-sh": ".sh",
    "text/x-diff": ".diff",
    "image/jpeg": ".jpg",
    "application/octet-stream": ".bin",
}


def document_uri(server: str, uri: str, resource: Resource | None = None) -> str:
    """The URI of a resource's document. `resource`: what is listed of it, for its name and type."""
    raw = f"{server}\0{uri}".encode("utf-8", "surrogatepass")
    opaque = base64.urlsafe_b64encode(raw).decode("ascii").rstrip("=")
    name = resource.name if resource is not None and resource.name != uri else ""
    return f"{_PREFIX}{opaque}/{_file_name(name, uri, resource.mime_type if resource is not None else None)}"


def parse(document: str) -> tuple[str, str] | None:
    """The server and the resource's own URI, byte for byte, or None for a document that is no resource's."""
    if not document.startswith(_PREFIX):
        return None
    opaque = document.removeprefix(_PREFIX).split("/", 1)[0]
    if not _OPAQUE.fullmatch(opaque):
        return None
    try:
        raw = base64.urlsafe_b64decode(opaque + "=" * (-len(opaque) % 4)).decode("utf-8", "surrogatepass")
    except (binascii.Error, UnicodeDecodeError):
        return None
    server, found, uri = raw.partition("\0")
    return (server, uri) if found else None


def mention(server: str, uri: str) -> str:
    """`@server:uri` that ends where it should whatever follows it, and that can hide nothing."""
    return mention_prefix(server) + uri_text(uri)


def mention_prefix(server: str) -> str:
    """`@server:`, the name in quotes where white space or a colon would end it."""
    return f"@{server_text(server)}:"


def parse_mention(text: str, servers: Iterable[str]) -> tuple[str, str] | None:
    """The server and the URI as written of one whole mention, or None where `text` is none.

    The longest name of `servers` that fits is the one that is meant; a name that none of them has is read as it is.
    """
    for server in sorted(servers, key=len, reverse=True):
        for written in (f"@{server}:", mention_prefix(server)):
            if text.startswith(written):
                return server, text.removeprefix(written)
    match = _MENTION.fullmatch(text)
    if match is None:
        return None
    quoted, plain, uri = match.groups()
    return (re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else plain), uri


def spelling(uri: str) -> str:
    """What a URI's percent-encoded and plain spellings have in common; a key for looking up, never sent."""
    if "%" not in uri:
        return uri
    try:
        return unquote(uri, errors="strict")
    except UnicodeDecodeError:
        return uri


def _file_name(name: str, uri: str, mime_type: str | None) -> str:
    last = _clean(spelling(re.split(r"[?#]", uri, maxsplit=1)[0].rstrip("/").rsplit("/", 1)[-1].rsplit(":", 1)[-1]))
    stem = _clean(name) or last or "resource"
    extension = _extension(stem)
    if extension:
        stem = stem.removesuffix(extension)
    else:
        extension = _extension(last) or _guess(mime_type)
    return f"{stem[: _MAX_NAME - len(extension)].rstrip('.') or 'resource'}{extension}"


def _clean(name: str) -> str:
    """What of a name can stand in a file name; nothing hidden, no way up, no option."""
    return _UNSAFE.sub("_", name[: 4 * _MAX_NAME]).strip("._-")


def _extension(name: str) -> str:
    found = _EXTENSION.search(name)
    return found[0] if found and found.start() > 0 else ""


def _guess(mime_type: str | None) -> str:
    kind = (mime_type or "").split(";")[0].strip().lower()
    if kind in _EXTENSIONS:
        return _EXTENSIONS[kind]
    if kind.endswith("+json"):
        return ".json"
    if kind.endswith("+xml") and kind != "image/svg+xml":
        return ".xml"
    return (_table().guess_extension(kind) or "") if kind else ""


@cache
def _table() -> mimetypes.MimeTypes:
    """A table of our own: the machine's /etc/mime.types would give other names on other machines."""
    return mimetypes.MimeTypes()

"""The text of a resource's document (`workspace/textDocumentContent`): its parts, labelled where there are several."""

import base64
import binascii
from collections.abc import Sequence

from lsprotocol import types

from codeagent_lsp.features.describe import size
from codeagent_lsp.protocol.values import ResourceContents
from codeagent_lsp.text import one_line, without_controls

LIMIT = 1 << 20
"""The greatest length of a document in code points; what is longer is cut where one sees it."""

_TEXT_TYPES = ("json", "xml", "yaml", "toml", "javascript", "ecmascript", "x-sh", "sql", "graphql")
_LANGUAGES = {
    "application/json": "json",
    "application/xml": "xml",
    "text/xml": "xml",
    "text/csv": "csv",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
}
_IMAGES = {
    "image/png": (".png", (b"\x89PNG",)),
    "image/jpeg": (".jpg", (b"\xff\xd8\xff",)),
    "image/gif": (".gif", (b"GIF8",)),
    "image/webp": (".webp", (b"RIFF",)),
    "image/bmp": (".bmp", (b"BM",)),
}
"""Pictures that viewers open and that carry no script, with how their files begin."""


def document_content(contents: Sequence[ResourceContents]) -> types.TextDocumentContentResult:
    """The result of `workspace/textDocumentContent` for a resource that was read."""
    return types.TextDocumentContentResult(text=text_of(contents))


def text_of(contents: Sequence[ResourceContents], limit: int = LIMIT) -> str:
    """All parts of a resource as one text of about `limit` code points at most.

    One part is its text and nothing else; several stand one after the other, each under a line that names it. Binary
    parts are one line each: what they are, and how large.
    """
    if not contents:
        return "[This resource has no content.]\n"
    if len(contents) == 1:
        return _cut(part_text(contents[0]), limit)
    parts: list[str] = []
    for number, part in enumerate(contents, 1):
        facts = " · ".join(filter(None, (one_line(part.uri), one_line(part.mime_type, 100), size(part.size))))
        parts.append(f"──── {number} of {len(contents)}: {facts} ────\n\n{part_text(part).rstrip()}\n")
    return _cut("\n".join(parts), limit)


def part_text(part: ResourceContents) -> str:
    """One part as text: for reading, without control characters, lines ended by `\\n`."""
    text = part.text
    if text is None and part.blob is not None and _is_text(part.mime_type):
        text = _decode(part.blob)
    if text is None:
        kind = one_line(part.mime_type, 100) or "application/octet-stream"
        return f"[{kind}, {size(part.size)}: binary, not shown as text]\n"
    return without_controls(text.replace("\r\n", "\n").replace("\r", "\n"))


def is_binary(part: ResourceContents) -> bool:
    """Whether a part cannot be shown as text."""
    return part.text is None and (part.blob is None or not _is_text(part.mime_type) or _decode(part.blob) is None)


def image_of(part: ResourceContents) -> tuple[str, bytes] | None:
    """The file name's ending and the bytes of a part that is a picture, as its first bytes say too."""
    plain = part.mime_type.split(";")[0].strip().lower()
    if plain not in _IMAGES or part.blob is None:
        return None
    ending, begins = _IMAGES[plain]
    try:
        data = base64.b64decode(part.blob, validate=True)
    except (binascii.Error, ValueError):
        return None
    return (ending, data) if data.startswith(begins) else None


def language_of(mime_type: str | None) -> str:
    """The language id of a type that is safe to show in its own language; `plaintext` for every other."""
    plain = (mime_type or "").split(";")[0].strip().lower()
    return _LANGUAGES.get(plain) or (
        "json" if plain.endswith("+json") else "xml" if plain.endswith("+xml") else "plaintext"
    )


def _is_text(mime_type: str) -> bool:
    plain = mime_type.split(";")[0].strip().lower()
    return plain.startswith("text/") or plain.rsplit("/", 1)[-1].rsplit("+", 1)[-1] in _TEXT_TYPES


def _decode(blob: str) -> str | None:
    """The text in a blob, as far as it will be shown; `None` where it is no UTF-8."""
    try:
        data = base64.b64decode(blob[: 8 * LIMIT], validate=False)
    except (binascii.Error, ValueError):
        return None
    whole = len(blob) <= 8 * LIMIT
    try:
        return data.decode(errors="strict" if whole else "ignore")
    except UnicodeDecodeError:
        return None


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    end = text.rfind("\n", limit - 1000, limit) + 1 or limit
    return f"{text[:end]}\n… [cut here: {len(text) - end:,} more characters; save the resource to have all of it]\n"

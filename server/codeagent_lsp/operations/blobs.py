"""Binary data as servers send it: base64 in every spelling, `data:` URLs, and what is not base64 at all."""

import base64
import binascii
import re

from attrs import frozen

from codeagent_lsp.text import one_line

BINARY = "application/octet-stream"
_DATA_URL = re.compile(r"data:([^,;]{0,200})((?:;[^,;]{0,200}){0,10}),", re.IGNORECASE)
_BODY = re.compile(r"[A-Za-z0-9+/]*")
_TEXTUAL = re.compile(r"text/.*|application/(?:json|xml|javascript|yaml|x-yaml|toml|sql|x-sh)|.*\+(?:json|xml|yaml)")


@frozen
class Blob:
    """Binary data. `data` is padded standard base64, or None where what came is none; `size` counts bytes."""

    mime_type: str
    data: str | None
    size: int

    def placeholder(self) -> str:
        """The blob in one short line: `[image/png, 1.2 KB]`."""
        return f"[{self.mime_type}, {readable(self.size) if self.data is not None else 'not valid base64'}]"

    def text(self) -> str | None:
        """What it says, where its type is one of text and it is UTF-8."""
        if self.data is None or not _TEXTUAL.fullmatch(self.mime_type.split(";")[0].strip().lower()):
            return None
        try:
            return base64.b64decode(self.data).decode("utf-8")
        except (binascii.Error, UnicodeDecodeError):
            return None


def blob(given: str, mime_type: object) -> Blob:
    """Read `given`: base64, standard or URL-safe, padded or not, or a `data:` URL. Its size needs no decoding."""
    kind = one_line(mime_type, 100) if isinstance(mime_type, str) else ""
    url = _DATA_URL.match(given)
    if url is not None:
        kind = kind or one_line(url[1], 100)
        given = given[url.end() :] if ";base64" in url[2].lower() else _from_text(given[url.end() :])
    data = "".join(given.split()).translate({ord("-"): "+", ord("_"): "/"})
    body = data.rstrip("=")
    if not _BODY.fullmatch(body) or len(body) % 4 == 1 or len(data) - len(body) > min(2, len(body)):
        return Blob(kind or BINARY, None, len(given))
    data = body + "=" * (-len(body) % 4)
    return Blob(kind or BINARY, data, len(body) * 3 // 4)


def readable(size: int) -> str:
    """A number of bytes as a person reads it: `70 B`, `1.2 KB`, `3.4 MB`."""
    number = float(size)
    for unit in ("B", "KB", "MB"):
        if number < 1024:
            return f"{size} B" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1024
    return f"{number:.1f} GB"


def _from_text(text: str) -> str:
    from urllib.parse import unquote_to_bytes

    return base64.b64encode(unquote_to_bytes(text)).decode("ascii")

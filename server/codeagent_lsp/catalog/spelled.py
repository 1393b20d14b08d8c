"""How a server and a resource are spelled in a mention, so that it ends where it should and hides nothing."""

import re

from codeagent_lsp.catalog.boundaries import word_end
from codeagent_lsp.text import visible

_SAFE = re.compile(r"[A-Za-z0-9:/?#@!$&()*+,;=%._~-]*")
_PLAIN_NAME = re.compile(r'[^\s:"\\@][^\s:]*')


def server_text(server: str) -> str:
    """A server's name as it stands after the `@`: in quotes where white space or a colon would end it."""
    if is_plain(server):
        return server
    quoted = server.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}"'


def is_plain(server: str) -> bool:
    """Whether a server's name can stand after the `@` without quotes."""
    return bool(_PLAIN_NAME.fullmatch(server))


def uri_text(uri: str) -> str:
    """A listed URI as one word: what cannot stand in a mention is percent-encoded."""
    text = uri if _SAFE.fullmatch(uri) else "".join(char if _stands(char) else escape(char) for char in uri)
    return _escape_end(text)


def escape(char: str) -> str:
    """The percent-escape of one character."""
    return "".join(f"%{byte:02X}" for byte in char.encode(errors="replace"))


def _stands(char: str) -> bool:
    if char.isascii():
        return char.isprintable() and char not in " \"'<>`\\"
    return visible(char, newlines=False) == char and not char.isspace()


def _escape_end(text: str) -> str:
    """Escape what a reader would take for the punctuation of the sentence, or for a bracket around the mention."""
    for _ in range(8):
        end = word_end(text, 0)
        if end == len(text):
            return text
        text = text[:end] + escape(text[end]) + text[end + 1 :] if end else escape(text[0]) + text[1:]
    return "".join(char if char.isalnum() or char in "/:%-_" else escape(char) for char in text)

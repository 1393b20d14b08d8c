"""Which names servers may have, and which two names a person cannot tell apart."""

import re
import unicodedata

from codeagent_lsp.config.fields import unusable
from codeagent_lsp.text import visible

_PROTOTYPES = frozenset({"__proto__", "constructor", "prototype"})
_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
_LOOKALIKES = str.maketrans("аеорсхуіјѕһԁԛԝкмтвнɡιονρτυχαεκ", "aeopcxyijshdqwkmtbhgiovptuxaek")


def name_refused(name: str) -> str | None:
    """Why no server can have this name, or `None`."""
    if not name.strip():
        return "a server needs a name: this one is empty"
    if name in _PROTOTYPES:
        return f"`{name}` cannot be a server's name: JavaScript gives it a meaning of its own"
    reason = unusable(name)
    return f"a server's name {reason}" if reason else None


def name_remark(name: str) -> str | None:
    """What a person should know about a name that is allowed, or `None`."""
    if visible(name, newlines=False) != name or "\t" in name:
        return f"this name holds characters that cannot be seen: {visible(name, newlines=False)}"
    if not _TOOL_NAME.fullmatch(name):
        plain = re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:40]
        return f"tool names take letters, digits, `_` and `-` only: this server's begin like `mcp__{plain}__`"
    return None


def skeleton(name: str) -> str:
    """A name with case and look-alike letters taken away: equal for two names that look the same."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return folded.translate(_LOOKALIKES)

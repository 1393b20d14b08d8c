"""Workspace folders: from the URIs of the editor to paths, and nothing for what is no file."""

from pathlib import Path
from urllib.parse import unquote, urlsplit


def path_of(uri: str | None) -> Path | None:
    """The path of a `file:` URI, percent-decoded (RFC 8089); `None` for anything else."""
    if not uri:
        return None
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    # A `#` or `?` that the editor did not encode is part of the path: a folder has no fragment.
    rest = uri[len("file://") + len(parts.netloc) :] if uri.startswith("file://") else parts.path
    path = Path(unquote(rest))
    return path if path.is_absolute() else None


def folders_of(folders: list[str] | None, root_uri: str | None, root_path: str | None) -> list[Path]:
    """The workspace folders that an editor gave at `initialize`, newest way of saying first; each once."""
    given = [path_of(uri) for uri in folders] if folders else [path_of(root_uri)]
    found = [path for path in given if path is not None]
    if not found and not folders and root_path and Path(root_path).is_absolute():
        found = [Path(root_path)]
    return list(dict.fromkeys(found))

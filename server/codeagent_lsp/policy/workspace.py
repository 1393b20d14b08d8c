"""Reads the editor's word on workspace trust: only `true` is yes, and only for the folder that it names."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import cast
from urllib.parse import unquote, urlsplit


def folder_trusted(value: object, folder: Path) -> bool:
    """Whether `workspaceTrust` (any JSON) trusts this folder.

    `true` trusts every folder; an object trusts the folders whose URI it maps to `true`. Anything else, a missing
    value included, is a no: a string, a number, a list or an object in its place is an error, and no consent.
    """
    if value is True:
        return True
    if not isinstance(value, Mapping):
        return False
    real = os.path.normcase(os.path.realpath(folder))
    answers = [answer for uri, answer in cast(Mapping[object, object], value).items() if _path(uri) == real]
    return bool(answers) and all(answer is True for answer in answers)


def _path(uri: object) -> str | None:
    """The real path of a `file:` URI, percent-encoded or not, with or without a slash at its end."""
    if not isinstance(uri, str):
        return None
    try:
        if urlsplit(uri).scheme.lower() != "file":
            return None
        return os.path.normcase(os.path.realpath(file_path(uri)))
    except ValueError:
        return None


def file_path(uri: str) -> str:
    """The path that a `file:` URI names, percent-encoded or not. Raises `ValueError` where it is no URI."""
    path = urlsplit(uri).path
    if os.name != "nt":
        return unquote(path)
    from urllib.request import url2pathname  # late: it brings a web client with it

    return url2pathname(path)

"""Whether a file is under version control, as far as that can be told cheaply: a repository around it, not ignored.

No program is run: a repository that a stranger wrote can make `git` run others. Patterns as in gitignore(5), without
the user's global excludes.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath

from codeagent_lsp.config.reading import read_user_file

_MAX_LEVELS = 40


def is_versioned(path: Path) -> bool:
    """Whether `path` is in a repository and would not be ignored by it."""
    folders = path.parents[:_MAX_LEVELS]
    root = next((folder for folder in folders if (folder / ".git").exists()), None)
    if root is None:
        return False
    ignored = False
    relative = PurePosixPath(path.relative_to(root).as_posix())
    places = [relative, *relative.parents][:-1]
    for place in reversed(places):  # a file inside an ignored folder is ignored, whatever its own patterns say
        ignored = _is_ignored(root, place, is_folder=place != relative)
        if ignored:
            break
    return not ignored


def _is_ignored(root: Path, place: PurePosixPath, *, is_folder: bool) -> bool:
    ignored = False
    bases = [root / parent for parent in reversed(place.parents)]
    for base, lines in [
        (root, _lines(root / ".git" / "info" / "exclude")),
        *((b, _lines(b / ".gitignore")) for b in bases),
    ]:
        relative = (root / place).relative_to(base).as_posix()
        for line in lines:
            pattern, negated, folders_only = _pattern(line)
            if (is_folder or not folders_only) and pattern.fullmatch(relative):
                ignored = not negated
    return ignored


def _lines(path: Path) -> Iterator[str]:
    content = read_user_file(path)
    for line in content.text()[0].splitlines() if content.data is not None else ():
        stripped = line.rstrip()
        if stripped and not stripped.startswith("#") and len(stripped) <= 200 and stripped.count("*") <= 8:
            yield stripped


@lru_cache(maxsize=512)
def _pattern(line: str) -> tuple[re.Pattern[str], bool, bool]:
    """One line of a .gitignore: its pattern, whether it takes back, and whether it is for folders only."""
    negated, line = line.startswith("!"), line.removeprefix("!").removeprefix("\\")
    folders_only, line = line.endswith("/"), line.rstrip("/")
    anchored, line = "/" in line, line.removeprefix("/")
    parts: list[str] = [] if anchored else ["(?:.*/)?"]
    for piece in re.findall(r"\*\*/|/\*\*$|\*+|\?|\[!?[^\]]+\]|\\?.", line):
        if piece == "**/":
            parts.append("(?:.*/)?")
        elif piece == "/**":
            parts.append("/.*")
        elif piece.startswith("*"):
            parts.append("[^/]*")
        elif piece == "?":
            parts.append("[^/]")
        elif piece.startswith("[") and len(piece) > 1:
            parts.append(piece.replace("[!", "[^", 1).replace("\\", "\\\\"))
        else:
            parts.append(re.escape(piece[-1]))
    try:
        return re.compile("".join(parts)), negated, folders_only
    except re.error:
        return re.compile("(?!)"), negated, folders_only

"""Reads the config files of a user and of workspace folders, and says which servers they declare.

    ReadFile …  one per file, existing or not, with its entries and problems
    Candidate …  one per server id: the user's entry, the project's entry, or both

Which of a candidate's entries is in force is a question of trust, and not answered here.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from attrs import evolve, frozen

from codeagent_lsp.config.candidates import Candidate, find_candidates
from codeagent_lsp.config.dialects import ALSO_READ, OURS, SETTINGS, Dialect, top_level_remarks
from codeagent_lsp.config.document import Document, Encoding, Problem, Span, parse
from codeagent_lsp.config.entries import BrokenEntry, Entries, Entry, Origin, read_entries
from codeagent_lsp.config.names import skeleton
from codeagent_lsp.config.reading import Content, read_project_file, read_user_file
from codeagent_lsp.protocol import Position, Range
from codeagent_lsp.protocol.values import Scope
from codeagent_lsp.text import one_line

FOLDER = ".codeagent"
NAMES: tuple[tuple[str, Dialect], ...] = (("settings.json", SETTINGS), ("mcp.json", OURS))
"""The files in a `.codeagent` folder, the stronger last."""


@frozen
class ReadFile:
    """One config file as it was read.

    `document` is `None` where there was no text to parse. `stale`: the file cannot be used as it is, and `entries`
    are those of the last time it could. `unsafe`: a user file that others can write to.
    """

    path: Path
    scope: Scope
    folder: Path | None
    exists: bool
    document: Document | None = None
    entries: Entries = ()
    problems: tuple[Problem, ...] = ()
    stale: bool = False
    unsafe: bool = False

    def range(self, problem: Problem, encoding: Encoding = "utf-16") -> Range:
        """Where a problem is; the start of the file where it has no text."""
        if self.document is None:
            return Range(Position(0, 0), Position(0, 0))
        return self.document.range(problem.span, encoding)


@frozen
class Config:
    """Everything that the config files say: the files in the order they were read, and the candidates by id."""

    files: tuple[ReadFile, ...]
    candidates: dict[str, Candidate]


_Before = Mapping[tuple[Path, Scope], ReadFile]


def user_folder(environment: Mapping[str, str] | None = None) -> Path:
    """The user's `.codeagent` folder: `$CODEAGENT_HOME` if it is set, else `~/.codeagent`.

    A relative `$CODEAGENT_HOME` starts at the home folder, never at the directory that we happen to run in.
    """
    moved = (os.environ if environment is None else environment).get("CODEAGENT_HOME", "")
    return Path.home() / os.path.expanduser(moved) if moved.strip() else Path.home() / FOLDER  # noqa: PTH111


def read_config(
    folders: Sequence[Path],
    *,
    home: Path,
    also_read: Iterable[str] = (),
    previous: Config | None = None,
) -> Config:
    """Read the user's files in `home` and the files of each workspace folder.

    `also_read` names other tools' files (see `dialects.ALSO_READ`). Of a file that cannot be used the entries of
    `previous` stay in force. Raises nothing: whatever is wrong is a problem of a file.
    """
    before: _Before = {(file.path, file.scope): file for file in previous.files} if previous else {}
    wanted = tuple(dict.fromkeys(also_read))
    files = _read_user_files(home, folders, before)
    for folder in dict.fromkeys(folders):
        files += _read_project_files(folder, home, wanted, before)
    candidates = find_candidates((file.scope, file.folder, file.entries) for file in files)
    return Config(_with_lookalikes(files), candidates)


def _read_user_files(home: Path, folders: Sequence[Path], before: _Before) -> list[ReadFile]:
    inside = next((folder for folder in folders if _moved_into(home, folder)), None)
    files: list[ReadFile] = []
    for name, dialect in NAMES:
        origin = Origin("user", None, home / name)
        if inside is not None:
            message = f"is not read: CODEAGENT_HOME leads into the workspace folder {inside}; move it out"
            content = Content(problem=message) if (home / name).exists() else Content(exists=False)
        else:
            content = read_user_file(home / name)
        files.append(_read(origin, content, dialect, before))
    return files


def _moved_into(home: Path, folder: Path) -> bool:
    """Whether the user's folder was moved (by `$CODEAGENT_HOME`) into a workspace, where others may write it."""
    if not os.environ.get("CODEAGENT_HOME", "").strip() or home != user_folder():
        return False
    if _same(home, Path.home() / FOLDER):
        return False
    return _real(folder) == _real(home) or _real(folder) in _real(home).parents


def _read_project_files(folder: Path, home: Path, also_read: Sequence[str], before: _Before) -> list[ReadFile]:
    files: list[ReadFile] = []
    for name in also_read:
        path = folder / name
        dialect = ALSO_READ.get(name)
        if dialect is None:
            message = f"alsoRead: `{one_line(name, 80)}` is not known; known are {', '.join(ALSO_READ)}"
            problem = Problem(Span(0, 0), "warning", message)
            files.append(ReadFile(path, "project", folder, False, problems=(problem,)))
            continue
        content = read_project_file(folder, tuple(name.split("/")))
        files.append(_read(Origin("project", folder, path, dialect=dialect.name), content, dialect, before))
    if _is_home(folder, home):
        return files
    for name, dialect in NAMES:
        content = read_project_file(folder, (FOLDER, name))
        if content.parent_at_fault and name != "mcp.json":
            content = Content(exists=False)  # the problem is the folder's: once is enough
        files.append(_read(Origin("project", folder, folder / FOLDER / name), content, dialect, before))
    return files


def _is_home(folder: Path, home: Path) -> bool:
    return _same(folder / FOLDER, home) or (home.name == FOLDER and _same(folder, home.parent))


def _same(left: Path, right: Path) -> bool:
    """Whether two paths are one place, by what is there and not by how it is spelled."""
    try:
        return left.samefile(right)
    except (OSError, ValueError):
        return _real(left) == _real(right)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _read(origin: Origin, content: Content, dialect: Dialect, before: _Before) -> ReadFile:
    path = origin.path
    old = before.get((path, origin.scope))
    if content.data is None:
        problems = (Problem(Span(0, 0), "error", f"{path} {content.problem}."),) if content.problem else ()
        keep = old is not None and content.exists
        entries = old.entries if old is not None and keep else ()
        return ReadFile(path, origin.scope, origin.folder, content.exists, None, entries, problems, keep)
    text, undecodable = content.text()
    document = parse(text)
    unsafe = origin.scope == "user" and content.writable_by_others
    problems = list(document.problems)
    if undecodable:
        problems.insert(0, Problem(Span(0, 0), "error", f"{path} {undecodable}."))
    usable, entries = document.ok and not undecodable, ()
    if usable:
        usable, entries, found = read_document(document, origin, dialect, unsafe=unsafe)
        problems += found
    if unsafe and entries:
        message = f"others can write to {path}: its servers ask before they start (chmod go-w, and own it yourself)"
        problems.append(Problem(Span(0, 0), "warning", message))
    if not usable:
        entries = old.entries if old is not None else ()
    stale = not usable and old is not None
    return ReadFile(path, origin.scope, origin.folder, True, document, entries, tuple(problems), stale, unsafe)


def read_document(
    document: Document, origin: Origin, dialect: Dialect, *, unsafe: bool = False
) -> tuple[bool, Entries, list[Problem]]:
    """Read the servers of a parsed file: whether it has the shape of one, its entries, and what is wrong."""
    root = document.root
    if root is None or root.kind != "object":
        span = root.span if root else Span(0, 0)
        example = f'{{"{dialect.keys[0]}": {{}}}}'
        return False, (), [Problem(span, "error", f"{origin.path} must hold an object, such as {example}.")]
    problems = [Problem(key.span, "warning", text) for key, text in top_level_remarks(document, dialect)]
    found: dict[str, Entry | BrokenEntry] = {}
    usable = True
    keys = dialect.server_keys(root)
    if len(keys) > 1 and (weaker := root.member(str(keys[0]))):
        text = f"both `{keys[0]}` and `{keys[1]}` are read here; of a name in both, the one in `{keys[1]}` counts"
        problems.append(Problem(weaker.key.span, "warning", text))
    for key in keys:
        table = root if key is None else root.get(key)
        usable = usable and table is not None and table.kind == "object"
        entries, wrong = read_entries(
            document, origin.scope, origin.folder, origin.path, key, unsafe=unsafe, dialect=dialect.name
        )
        problems += wrong
        found.update({entry.name: dialect.translate(entry) for entry in entries})
    return usable, tuple(found.values()), problems


def _with_lookalikes(files: Sequence[ReadFile]) -> tuple[ReadFile, ...]:
    """The files, with a warning on each name that a person cannot tell from an earlier, other one."""
    first: dict[str, str] = {}
    out: list[ReadFile] = []
    for file in files:
        problems: list[Problem] = []
        for entry in file.entries:
            other = first.setdefault(skeleton(entry.name), entry.name)
            if other != entry.name and not file.stale:
                text = f"this name looks like that of another server, `{one_line(other, 80)}`: give one another name"
                problems.append(Problem(entry.key_span, "warning", text))
        out.append(evolve(file, problems=(*file.problems, *problems)) if problems else file)
    return tuple(out)


__all__ = ["BrokenEntry", "Candidate", "Config", "Entry", "ReadFile", "read_config", "read_document", "user_folder"]

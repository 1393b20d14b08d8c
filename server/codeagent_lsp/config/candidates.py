"""Lays the entries of all files over each other: which servers there are, and which entry could run each of them.

A later file's entry replaces an earlier one whole, within the user's files and within one folder's. User and project
are kept side by side, because the project's does not count until it is approved.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from attrs import evolve, frozen

from codeagent_lsp.config.entry import BrokenEntry, Entry
from codeagent_lsp.protocol.values import Scope

Off = Literal["user", "project"]
AnyEntry = Entry | BrokenEntry
Layer = tuple[Scope, Path | None, tuple[AnyEntry, ...]]


@frozen
class Candidate:
    """One server by its id, with the entries that declare it.

    `off` says who has switched it off, whatever else is declared, and `detail` names the file. A project entry that
    only disables stays in `project`, where it may stand alone.
    """

    id: str
    user: AnyEntry | None = None
    project: AnyEntry | None = None
    off: Off | None = None
    detail: str | None = None

    def in_force(self, project_approved: bool) -> AnyEntry | None:
        """The entry that counts: the project's if it is sound and approved, else the user's, else the project's.

        So neither an unapproved nor a broken entry of a project takes a sound server of the user's away.
        """
        project = self.project
        if isinstance(project, Entry) and not project.only_disables and (project_approved or self.user is None):
            return project
        return self.user or project


def find_candidates(layers: Iterable[Layer]) -> dict[str, Candidate]:
    """The candidates by id, sorted, from the entries of each file in the order of precedence.

    A server's id is its name. Where a second folder declares a name again, its server is `name@folder`.
    """
    users: dict[str, AnyEntry] = {}
    projects: dict[Path, dict[str, AnyEntry]] = {}
    for scope, folder, entries in layers:
        target = users if scope == "user" or folder is None else projects.setdefault(folder, {})
        for entry in entries:
            target[entry.name] = _laid_over(target.get(entry.name), entry)
    taken = set(users).union(*projects.values())
    found: dict[str, Candidate] = {}
    for name in sorted(taken):
        of_folders = [(folder, entries[name]) for folder, entries in projects.items() if name in entries]
        for candidate in _candidates(name, users.get(name), of_folders, taken):
            found[candidate.id] = candidate
    return dict(sorted(found.items()))


def _laid_over(below: AnyEntry | None, above: AnyEntry) -> AnyEntry:
    """The later entry whole; one that only disables lets the earlier one say what it disables."""
    if isinstance(below, Entry) and isinstance(above, Entry) and above.only_disables:
        return evolve(below, disabled=True)
    return above


def _candidates(
    name: str, user: AnyEntry | None, projects: list[tuple[Path, AnyEntry]], taken: set[str]
) -> list[Candidate]:
    first = projects[0][1] if projects else None
    off_by_user = user if _off(user) else None
    if isinstance(user, Entry) and any(_only_disables(entry) for _, entry in projects[1:]):
        user = evolve(user, disabled=True)  # a later folder switches the user's server off, and not the first folder's
    candidates = [_candidate(name, user, first, off_by_user)]
    for folder, entry in projects[1:]:
        if not _only_disables(entry):
            candidates.append(_candidate(_second_id(name, folder, taken), None, entry, off_by_user))
            taken.add(candidates[-1].id)
    return candidates


def _candidate(id: str, user: AnyEntry | None, project: AnyEntry | None, off_by_user: AnyEntry | None) -> Candidate:
    if off_by_user is not None:
        return Candidate(id, user, project, "user", f"disabled by user config ({off_by_user.path})")
    if project is not None and _off(project):
        lone = "; no user file declares this server" if _only_disables(project) and user is None else ""
        return Candidate(id, user, project, "project", f"disabled by project config ({project.path}){lone}")
    return Candidate(id, user, project)


def _off(entry: AnyEntry | None) -> bool:
    return entry is not None and entry.disabled


def _only_disables(entry: AnyEntry) -> bool:
    return isinstance(entry, Entry) and entry.only_disables


def _second_id(name: str, folder: Path, taken: set[str]) -> str:
    plain = f"{name}@{folder.name or 'folder'}"
    id, count = plain, 2
    while id in taken:
        id, count = f"{plain}-{count}", count + 1
    return id

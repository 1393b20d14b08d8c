"""Expands `${…}` once, when a server is started, and remembers which variables were used and from where.

Looked up in this order: the process environment, variables from the editor, the project's `.env` (for entries of the
project only), `~/.env`. A value is never expanded again, never split into words, and never put into our environment.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from attrs import evolve, field, frozen

from codeagent_lsp.config.commands import RealFiles
from codeagent_lsp.config.nodes import Span
from codeagent_lsp.config.reading import Content, read_project_file, read_user_file
from codeagent_lsp.config.templates import MAX_NESTING, Reference, references
from codeagent_lsp.errors import SpawnFailed
from codeagent_lsp.text import one_line

Source = Literal["environment", "editor", "project", "user", "default", "input", "fixed"]

_NOTHING: Mapping[str, str] = MappingProxyType({})
_HARMLESS = re.compile(
    r"HOME|PATH|PWD|OLDPWD|USER|USERNAME|USERPROFILE|LOGNAME|SHELL|TERM|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|HOSTNAME"
    r"|EDITOR|VISUAL|DISPLAY|XDG_\w+|APPDATA|LOCALAPPDATA|SystemRoot"
)
"""Variables whose values stand in every other path and message: no secrets, and redacting them would blot the logs."""


@frozen
class Used:
    """A variable that an expansion used, and where its value came from."""

    name: str
    source: Source


@frozen
class Expanded:
    """A text with its variables put in.

    `values` are the values of variables and inputs, for redaction (without the likes of HOME and PATH). `inputs` are
    the ids of `${input:id}` that nobody has answered yet: they stand in the text as written.
    """

    text: str
    used: tuple[Used, ...] = ()
    values: frozenset[str] = frozenset()
    inputs: tuple[str, ...] = ()


class DotEnv(Mapping[str, str]):
    """The variables of a `.env` file, read when one is first asked for. Nothing of it reaches `os.environ`.

    `place` is how a message names the file; `problem` says why it could not be read.
    """

    def __init__(self, place: str, read: Callable[[], Content]) -> None:
        self.place = place
        self._read = read

    @classmethod
    def of_project(cls, folder: Path) -> "DotEnv":
        """The `.env` of a workspace folder, read as carefully as the project's other files."""
        return cls(str(folder / ".env"), lambda: read_project_file(folder, (".env",)))

    @classmethod
    def of_user(cls, home: Path) -> "DotEnv":
        """`~/.env`."""
        return cls("~/.env", lambda: read_user_file(home / ".env"))

    @cached_property
    def _content(self) -> tuple[dict[str, str], str | None]:
        content = self._read()
        if content.data is None:
            return {}, content.problem
        text, problem = content.text()
        return parse_dotenv(text), problem

    @property
    def problem(self) -> str | None:
        """Why the file could not be read, or `None`."""
        return self._content[1]

    def __getitem__(self, name: str) -> str:
        return self._content[0][name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._content[0])

    def __len__(self) -> int:
        return len(self._content[0])


def parse_dotenv(text: str) -> dict[str, str]:
    """The variables of a `.env` text, by python-dotenv's grammar, with `$` and `${…}` in values left alone."""
    from io import StringIO

    from dotenv import dotenv_values

    values = dotenv_values(stream=StringIO(text), interpolate=False)
    return {name: value for name, value in values.items() if value is not None}


@frozen
class Lookup:
    """Where variables are looked up for one entry.

    `folder` is the workspace folder (`None`: no folder is open), `home` the user's home folder, `inputs` the answers
    to `${input:id}` that are known. `workspace` lists all workspace folders where there are several. `files` is shared
    by the lookups of one pass over the config files.
    """

    environment: Mapping[str, str]
    editor: Mapping[str, str] = _NOTHING
    project_env: Mapping[str, str] = _NOTHING
    user_env: Mapping[str, str] = _NOTHING
    folder: Path | None = None
    home: Path = field(factory=Path.home)
    inputs: Mapping[str, str] | None = None
    workspace: tuple[Path, ...] = ()
    files: RealFiles = field(factory=RealFiles, eq=False)

    def for_user_entry(self) -> "Lookup":
        """The same without the project's `.env`, which an entry of the user's never sees."""
        return evolve(self, project_env=_NOTHING)

    def find(self, name: str) -> tuple[str, Source] | None:
        """The value of a variable and its source, or `None` if it is set nowhere. An empty value is a value."""
        places: tuple[tuple[Mapping[str, str], Source], ...] = (
            (self.environment, "environment"),
            (self.editor, "editor"),
            (self.project_env, "project"),
            (self.user_env, "user"),
        )
        for values, source in places:
            value = values.get(name)
            if value is not None:
                return value, source
        return None

    def fixed(self, name: str) -> str | None:
        """The value of `workspaceFolder` and its like; `None` where no folder is open."""
        if name == "pathSeparator":
            return os.sep
        if name == "userHome":
            return str(self.home)
        if self.folder is None:
            return None
        return str(self.folder) if name == "workspaceFolder" else self.folder.name

    def looked_in(self) -> str:
        """The places that `find` looks in, as a message names them."""
        places = ["the environment of this process", "the editor's variables"]
        for values, missing in ((self.project_env, None), (self.user_env, "~/.env")):
            if isinstance(values, DotEnv):
                places.append(values.place + (f" (which {values.problem})" if values.problem else ""))
            elif missing:
                places.append(missing)
        return ", ".join(places)


def expand(template: str, lookup: Lookup, *, server: str, field: str) -> Expanded:
    """Put the variables into one text.

    Raises `SpawnFailed` that names variable, server, field and the places looked in where a variable is set nowhere
    and has no default, or where a `${…}` is of a form that is not known. Values never appear in its message.
    """
    return _Expansion(template, lookup, server, field).run()


class _Expansion:
    def __init__(self, template: str, lookup: Lookup, server: str, where: str) -> None:
        self._template = template
        self._lookup = lookup
        self._server = server
        self._where = where
        self._used: dict[Used, None] = {}
        self._values: set[str] = set()
        self._inputs: dict[str, None] = {}

    def run(self) -> Expanded:
        text = self._stretch(Span(0, len(self._template)), 0)
        return Expanded(text, tuple(self._used), frozenset(self._values), tuple(self._inputs))

    def _stretch(self, span: Span, depth: int) -> str:
        if depth > MAX_NESTING:
            raise self._failure(f"`{self._where}` nests defaults deeper than {MAX_NESTING} levels.")
        parts: list[str] = []
        at = span.start
        for reference in references(self._template, span):
            parts += self._template[at : reference.span.start], self._value(reference, depth)
            at = reference.span.end
        parts.append(self._template[at : span.end])
        return "".join(parts)

    def _value(self, reference: Reference, depth: int) -> str:
        if reference.kind == "variable":
            return self._variable(reference, depth)
        if reference.kind == "input":
            return self._input(reference)
        if reference.kind == "fixed":
            value = self._lookup.fixed(reference.name)
            if value is None and reference.default is not None:
                return self._variable(reference, depth)
            if value is None:
                raise self._failure(f"`${{{reference.name}}}` in `{self._where}` needs an open folder, and none is.")
            self._used[Used(reference.name, "fixed")] = None
            return value
        token = one_line(self._template[reference.span.start : reference.span.end], 80)
        raise self._failure(
            f"`{token}` in `{self._where}` is not a variable that is known here.",
            hint="Known are ${NAME}, ${NAME:-default}, ${env:NAME}, ${input:id}, ${workspaceFolder}, "
            "${workspaceFolderBasename}, ${userHome} and ${pathSeparator}.",
        )

    def _variable(self, reference: Reference, depth: int) -> str:
        found = self._lookup.find(reference.name)
        if found is not None and (found[0] or reference.default is None):
            self._used[Used(reference.name, found[1])] = None
            if not _HARMLESS.fullmatch(reference.name):
                self._values.add(found[0])
            return found[0]
        if reference.default is not None:
            self._used[Used(reference.name, "default")] = None
            return self._stretch(reference.default, depth + 1)
        raise self._failure(
            f"variable `{reference.name}` (in `{self._where}`) is not set. Looked in: {self._lookup.looked_in()}.",
            hint=f"Set it in one of these, or write ${{{reference.name}:-default}}. An editor started from the desktop "
            "does not see what your shell's start-up files set.",
        )

    def _input(self, reference: Reference) -> str:
        value = (self._lookup.inputs or {}).get(reference.name)
        if value is None:
            self._inputs[reference.name] = None
            return self._template[reference.span.start : reference.span.end]
        self._used[Used(reference.name, "input")] = None
        self._values.add(value)
        return value

    def _failure(self, message: str, hint: str | None = None) -> SpawnFailed:
        return SpawnFailed(message, server=self._server, hint=hint)

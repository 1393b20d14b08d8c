"""Makes a launch of an entry: variables put in, command found, environment built. Starts nothing, connects nothing.

A launch is the whole of what would be started. Everything about it can be shown, hashed and approved before
`with_env_file` opens the one file that is read only after approval.
"""

import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from attrs import evolve, field, frozen

from codeagent_lsp.config.commands import RealFiles, Search, batch_problem
from codeagent_lsp.config.entry import Entry, OAuth
from codeagent_lsp.config.environment import child_environment
from codeagent_lsp.config.reading import read_user_file
from codeagent_lsp.config.remote import clean_header_value, clean_url, header_value_problem, url_problem
from codeagent_lsp.config.variables import Expanded, Lookup, Used, expand, parse_dotenv
from codeagent_lsp.errors import SpawnFailed
from codeagent_lsp.protocol.values import Transport
from codeagent_lsp.text import one_line

_SECRET_NAME = re.compile(
    r"token|secret|passw|pwd|credential|cookie|session|bearer|signature|auth|(?:^|[_-])(?:api)?_?key|apikey|pat$", re.I
)
_MIN_SECRET = 6


@frozen
class Launch:
    """What would be started for one server.

    `command` is as written; `argv[0]` is the absolute path that it was found at, `resolved` the same without symbolic
    links. Both are `None` while an unanswered `${input:id}` (see `inputs`) stands in the command. `env` is the whole
    environment of the child; the `…_templates` are as written. `files` are the regular files in the workspace that
    the command or an argument names. `secrets` are the values that no log may show.
    """

    server: str
    entry: Entry
    transport: Transport
    command: str | None = None
    argv: tuple[str, ...] | None = None
    resolved: Path | None = None
    cwd: Path | None = None
    env: dict[str, str] = field(factory=dict[str, str])
    env_templates: dict[str, str | None] = field(factory=dict[str, str | None])
    url: str | None = None
    headers: dict[str, str] = field(factory=dict[str, str])
    header_templates: dict[str, str] = field(factory=dict[str, str])
    oauth: OAuth | None = None
    env_file: Path | None = None
    inputs: tuple[str, ...] = ()
    secrets: frozenset[str] = frozenset()
    files: tuple[Path, ...] = ()
    used: tuple[Used, ...] = ()


class _Texts:
    """Expands one text after the other, and gathers what they used."""

    def __init__(self, server: str, lookup: Lookup) -> None:
        self.server = server
        self.lookup = lookup
        self.used: dict[Used, None] = {}
        self.inputs: dict[str, None] = {}
        self.secrets: set[str] = set()

    def expand(self, template: str, where: str) -> Expanded:
        result = expand(template, self.lookup, server=self.server, field=where)
        self.used.update(dict.fromkeys(result.used))
        self.inputs.update(dict.fromkeys(result.inputs))
        self.secrets.update(result.values)
        if "\0" in result.text:
            raise SpawnFailed(f"`{where}` holds a NUL character once its variables are put in.", server=self.server)
        return result

    def optional(self, template: str | None, where: str) -> str | None:
        return None if template is None else self.expand(template, where).text


def prepare(server: str, entry: Entry, lookup: Lookup) -> Launch:
    """Make the launch of an entry. Reads no `envFile`, starts nothing, and makes no connection.

    Raises `SpawnFailed` with the reason where a variable is set nowhere, the command or `cwd` is no good, or a URL or
    header is not valid once its variables are put in.
    """
    if entry.only_disables:
        raise SpawnFailed("there is nothing to start: the entry only disables a server.", server=server)
    texts = _Texts(server, _lookup_of(entry, lookup))
    if entry.transport == "stdio":
        launch = _prepare_stdio(server, entry, texts)
    else:
        launch = _prepare_remote(server, entry, texts)
    return evolve(
        launch,
        inputs=tuple(texts.inputs),
        used=tuple(texts.used),
        secrets=_redactable({*texts.secrets, *launch.secrets}),
    )


def _lookup_of(entry: Entry, lookup: Lookup) -> Lookup:
    """The lookup as this entry may use it: a project's with its own folder, a user's without the project's `.env`."""
    if entry.scope == "user":
        return lookup.for_user_entry()
    others = tuple(folder for folder in (lookup.folder, *lookup.workspace) if folder is not None)
    return evolve(lookup, folder=entry.folder or lookup.folder, workspace=others)


def _prepare_stdio(server: str, entry: Entry, texts: _Texts) -> Launch:
    lookup = texts.lookup
    base = (lookup.folder or lookup.home) if entry.scope == "project" else lookup.home
    literal = {name: None if value is None else texts.expand(value, f"env.{name}") for name, value in entry.env.items()}
    env = child_environment(lookup.environment, entry.inherit_env)
    for name, value in literal.items():
        if value is None:
            env.pop(name, None)
        else:
            env[name] = value.text
    cwd = _working_directory(entry, texts, base)
    args = tuple(texts.expand(value, f"args[{index}]").text for index, value in enumerate(entry.args))
    command = texts.expand(entry.command or "", "command")
    folders = tuple(str(folder) for folder in _guarded_folders(lookup))
    argv = resolved = None
    if not command.inputs:
        ours = os.path.join(sys.prefix, "bin")  # noqa: PTH118
        search = Search(
            server,
            str(cwd),
            env.get("PATH", os.defpath),
            folders,
            pathext=env.get("PATHEXT", ""),
            ours=ours,
            files=lookup.files,
        )
        program = _without_detours(search.find(_untilde(command.text, lookup.home)))
        batch = batch_problem(program, args) if os.name == "nt" and entry.needs_approval else None
        if batch is not None:
            raise SpawnFailed(batch, server=server, hint="Start the program behind the batch file instead.")
        argv, resolved = (program, *args), Path(os.path.realpath(program))
    env_file = texts.optional(entry.env_file, "envFile")
    return Launch(
        server,
        entry,
        "stdio",
        command=entry.command,
        argv=argv,
        resolved=resolved,
        cwd=cwd,
        env=env,
        env_templates=entry.env,
        env_file=None if env_file is None else base / _untilde(env_file, lookup.home),
        files=_workspace_files(((argv or ("",))[0], *args), cwd, lookup),
        secrets=frozenset(v.text for name, v in literal.items() if v is not None and _SECRET_NAME.search(name)),
    )


def _working_directory(entry: Entry, texts: _Texts, base: Path) -> Path:
    if entry.cwd is None:
        cwd, pending = base, False
    else:
        expanded = texts.expand(entry.cwd, "cwd")
        cwd, pending = base / _untilde(expanded.text, texts.lookup.home), bool(expanded.inputs)
    if not pending and not cwd.is_dir():
        what = "is not a folder" if cwd.exists() else "does not exist"
        raise SpawnFailed(
            f"the working directory `{one_line(str(cwd), 1000)}` {what}.",
            server=texts.server,
            hint="Correct `cwd`, or leave it out.",
        )
    return cwd


def _prepare_remote(server: str, entry: Entry, texts: _Texts) -> Launch:
    url = texts.expand((entry.url or "").strip(), "url")
    if not url.inputs and (reason := url_problem(url.text)) is not None:
        raise SpawnFailed(f"`url` {reason}.", server=server)
    secrets: set[str] = set()
    headers: dict[str, str] = {}
    for name, template in entry.headers.items():
        value = clean_header_value(texts.expand(template, f"headers.{name}").text)
        if (reason := header_value_problem(value)) is not None:
            raise SpawnFailed(f"header `{name}` {reason} once its variables are put in.", server=server)
        headers[name] = value
        if "${" in template or _SECRET_NAME.search(name):
            secrets |= {value, value.partition(" ")[2]}
    oauth = entry.oauth
    if oauth is not None:
        client_id = texts.optional(oauth.client_id, "oauth.clientId")
        client_secret = texts.optional(oauth.client_secret, "oauth.clientSecret")
        oauth = evolve(oauth, client_id=client_id, client_secret=client_secret)
        secrets.add(client_secret or "")
    return Launch(
        server,
        entry,
        entry.transport,
        url=url.text if url.inputs else clean_url(url.text),
        headers=headers,
        header_templates=entry.headers,
        oauth=oauth,
        secrets=frozenset(secrets | _url_secrets(url.text)),
    )


def with_env_file(launch: Launch) -> Launch:
    """Read the launch's `envFile`, after approval, and lay its variables under the entry's `env`.

    Raises `SpawnFailed` where the file is not there or cannot be read.
    """
    if launch.env_file is None:
        return launch
    content = read_user_file(launch.env_file)
    text, problem = content.text()
    problem = content.problem or problem or (None if content.exists else "does not exist")
    if problem is not None:
        shown = one_line(str(launch.env_file), 1000)
        raise SpawnFailed(f"the envFile `{shown}` {problem}.", server=launch.server)
    values = {name: value for name, value in parse_dotenv(text).items() if name not in launch.env_templates}
    secrets = _redactable(value for name, value in values.items() if _SECRET_NAME.search(name) or len(value) >= 16)
    return evolve(launch, env={**launch.env, **values}, secrets=launch.secrets | secrets)


def _without_detours(program: str) -> str:
    """The same program without `..` on the way to it, so that everybody sees where it lies; its own name is kept."""
    if ".." not in Path(program).parts:
        return program
    folder, name = os.path.split(program)
    return os.path.join(os.path.realpath(folder), name)  # noqa: PTH118


def _untilde(path: str, home: Path) -> str:
    if path == "~":
        return str(home)
    return str(home / path[2:]) if path.startswith("~/") else path


def _guarded_folders(lookup: Lookup) -> list[Path]:
    """The workspace folders, without any that holds the user's home: all programs of the user would be inside it."""
    folders = {folder for folder in (lookup.folder, *lookup.workspace) if folder is not None}
    return sorted(folder for folder in folders if not lookup.files.within(str(lookup.home), str(folder)))


def _workspace_files(words: Iterable[str], cwd: Path, lookup: Lookup) -> tuple[Path, ...]:
    """The regular files in the workspace that words of a command line name: `x.py`, `--config=x.json`, `@x.rsp`."""
    folders = list(dict.fromkeys(str(folder) for folder in (lookup.folder, *lookup.workspace) if folder is not None))
    base, found = str(cwd), dict[Path, None]()
    for word in words:
        for name in {word, word.partition("=")[2], word.removeprefix("@")}:
            if name and len(name) < 4096:
                path = os.path.join(base, name.removeprefix("file://"))  # noqa: PTH118 - for each word of each server
                if _is_file_within(path, folders, lookup.files):
                    found[Path(os.path.abspath(path))] = None  # noqa: PTH100
    return tuple(sorted(found))


def _is_file_within(path: str, folders: list[str], files: RealFiles) -> bool:
    if files.kind(path) != "file":
        return False
    # where it stands and where it leads to
    places = (os.path.dirname(path), path) if os.path.islink(path) else (path,)  # noqa: PTH114, PTH120
    return any(files.within(place, folder) for folder in folders for place in places)


def _url_secrets(url: str) -> set[str]:
    try:
        parts = urlsplit(url)
        secrets = {parts.password or "", unquote(parts.password or "")}
    except ValueError:
        return set()
    return secrets | {value for name, value in parse_qsl(parts.query) if _SECRET_NAME.search(name)}


def _redactable(values: Iterable[str]) -> frozenset[str]:
    """The values that are long enough to be redacted, and of those with several lines also each line."""
    lines = {line.strip() for value in values for line in (value, *value.splitlines())}
    return frozenset(line for line in lines if len(line) >= _MIN_SECRET)


__all__ = ["Launch", "Lookup", "prepare", "with_env_file"]

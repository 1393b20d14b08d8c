"""Which texts of a launch may be shown and hashed with their variables put in, and which only as they are written."""

import re
from collections.abc import Iterable, Iterator

from codeagent_lsp.config.launch import Launch
from codeagent_lsp.config.nodes import Span
from codeagent_lsp.config.templates import Reference, references
from codeagent_lsp.config.variables import Source
from codeagent_lsp.policy.loaders import is_loader
from codeagent_lsp.redaction import MARK, Redactor

# A variable of the user's, whose value is nobody else's business unless it is one of these.
_PRIVATE: frozenset[Source] = frozenset({"environment", "editor", "user"})
_HARMLESS = re.compile(
    r"HOME|PATH|PWD|OLDPWD|USER|USERNAME|USERPROFILE|LOGNAME|SHELL|TERM|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|HOST|HOSTNAME"
    r"|PORT|DISPLAY|XDG_\w+|APPDATA|LOCALAPPDATA|SYSTEMROOT|OS|PROCESSOR_\w+|EDITOR|VISUAL|PYTHON|NODE_ENV",
    re.IGNORECASE,
)
_SECRET = re.compile(
    r"token|secret|passw|passphrase|pwd|credential|cookie|bearer|signature|auth|private|(?:^|[_-])(?:api)?_?keys?(?:$|[_-])"
    r"|apikey|(?:^|[_-])pat$|(?:^|[_-])pass(?:$|[_-])",
    re.IGNORECASE,
)

# The password of a URL that stands there in plain text.
_PASSWORD = re.compile(r"(://[^\s/@:]{0,256}:)(?!\$\{)[^\s/@]{1,1024}(?=@)")


def is_harmless(name: str) -> bool:
    """Whether a variable stands in every other path and message anyway, like HOME and PORT."""
    return _HARMLESS.fullmatch(name) is not None


def looks_secret(name: str) -> bool:
    """Whether a variable, header or field is named as secrets are: `*TOKEN*`, `*_KEY`, `*SECRET*`, `*PASS*`, …"""
    return _SECRET.search(name) is not None and re.search(r"monkey|keyboard|author(?!iz)", name, re.I) is None


class Values:
    """Answers for one launch. A *template* is a text as written; a *settled* text has its variables put in."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._sources: dict[str, set[Source]] = {}
        for used in launch.used:
            if used.source != "input":
                self._sources.setdefault(used.name, set()).add(used.source)

    def variables(self, template: str) -> Iterator[tuple[str, Source]]:
        """The variables of a text that got a value, each with where from; answers to `${input:id}` too."""
        for reference in _all(template):
            if reference.kind == "input":
                yield f"input:{reference.name}", "input"
            for source in sorted(self._sources.get(reference.name, ()) if reference.kind != "input" else ()):
                yield reference.name, source

    def settled(self, template: str, text: str) -> str:
        """What of a text counts: itself, but with `${input:id}` in it as it was written.

        The answer to an input comes after the approval, and must not void it. A text that also takes a value from the
        project's `.env` counts as it is: that value could change.
        """
        if "${" not in template:
            return text
        sources = {source for _, source in self.variables(template)}
        return template if "input" in sources and "project" not in sources else text

    def is_private(self, template: str) -> bool:
        """Whether a value has something of the user's in it, and nothing that the project could change."""
        sources = {source for _, source in self.variables(template)}
        return bool(sources & (_PRIVATE | {"input"})) and "project" not in sources

    def shown(self, template: str, text: str) -> str:
        """A text for the user's eyes: as it will be, unless a secret could be in it; then as it is written."""
        for name, source in self.variables(template) if "${" in template else ():
            private = source in _PRIVATE and not is_harmless(name)
            if source == "input" or private or (source == "project" and looks_secret(name)):
                return template
        return text

    def arguments(self) -> Iterator[tuple[str, str]]:
        """Each argument, as it is shown and as it counts."""
        templates = self._launch.entry.args
        given = self._launch.argv[1:] if self._launch.argv else templates
        for index, text in enumerate(given):
            template = templates[index] if index < len(templates) else text
            settled = self.settled(template, text)
            yield self.shown(template, settled), settled

    def shown_command(self) -> str:
        """The command as it was written, with its variables put in where they may be shown."""
        written = self._launch.command or ""
        return self.shown(written, self._launch.argv[0]) if self._launch.argv and _all(written) else written

    def shown_url(self) -> str:
        """The URL without passwords and tokens."""
        template, text = self._launch.entry.url or "", self._launch.url or ""
        shown = self.shown(template, text)
        return _PASSWORD.sub(rf"\1{MARK}", shown) if shown == template and _all(template) else Redactor().clean(shown)

    def masked(self, name: str, template: str) -> str:
        """A value of `env` or `headers` as it is written, or a mark where it is a secret in plain text."""
        if is_loader(name):
            return template  # what it says decides what runs
        if looks_secret(name) and not _all(template):
            return MARK
        return _PASSWORD.sub(rf"\1{MARK}", template)


def _all(template: str) -> list[Reference]:
    """Every reference of a text, those inside of defaults too."""
    found: list[Reference] = []
    work: list[Span | None] = [None] if "${" in template else []
    while work:
        for reference in references(template, work.pop()):
            found.append(reference)
            if reference.default is not None:
                work.append(reference.default)
    return found


def show_names(names: Iterable[str]) -> str:
    """Names in a sentence: `A`, `B` and `C`."""
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"

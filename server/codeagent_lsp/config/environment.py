"""The environment that a server's process gets: the user's own, without what belongs to our process."""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from fnmatch import translate
from functools import cache
from pathlib import Path

EDITOR_VARIABLES: tuple[str, ...] = (
    "VSCODE_*",
    "ELECTRON_*",
    "CHROME_DESKTOP",
    "ORIGINAL_XDG_CURRENT_DESKTOP",
    "APPLICATION_INSIGHTS_NO_DIAGNOSTIC_CHANNEL",
    "NVIM",
    "NVIM_*",
    "VIM",
    "VIMRUNTIME",
    "VIMINIT",
    "MYVIMRC",
    "MYGVIMRC",
    "INSIDE_EMACS",
    "EMACSLOADPATH",
    "HELIX_*",
    "ZED_*",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
)
"""What editors tell the processes that they start about themselves."""

OUR_VARIABLES = ("CODEAGENT_*", "PYTHON*", "__PYVENV_LAUNCHER__", "_OLD_VIRTUAL_*")
"""What steers our own interpreter and server."""

VENV_VARIABLES = ("VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT")
"""Dropped where they name the virtual environment that we run in; one that the user activated stays."""


def child_environment(
    environment: Mapping[str, str],
    inherit: Sequence[str] = (),
    *,
    prefix: str | None = None,
    base_prefix: str | None = None,
) -> dict[str, str]:
    """The environment of a child, before the entry's `env` is laid over it.

    `inherit` names variables (or globs of names) that would be dropped and shall stay. `prefix` and `base_prefix`
    are those of our interpreter (`sys.prefix`); where they differ we run in a virtual environment, whose variables
    and whose part of PATH are dropped.
    """
    prefix = sys.prefix if prefix is None else prefix
    base_prefix = sys.base_prefix if base_prefix is None else base_prefix
    venv = prefix if prefix != base_prefix else None
    dropped: tuple[str, ...] = EDITOR_VARIABLES + OUR_VARIABLES
    if venv is not None and _same(environment.get("VIRTUAL_ENV", venv), venv):
        dropped += VENV_VARIABLES
    child = {
        name: value for name, value in environment.items() if not _matches(name, dropped) or _matches(name, inherit)
    }
    if "VSCODE_GIT_ASKPASS_NODE" in environment and not _matches("GIT_ASKPASS", inherit):
        child.pop("GIT_ASKPASS", None)  # it is the editor's helper, and useless without the variables above
    if venv is not None and "PATH" in child and not _matches("VIRTUAL_ENV", inherit):
        parts = child["PATH"].split(os.pathsep)
        child["PATH"] = os.pathsep.join(part for part in parts if not _is_bin_of(part, venv))
    return child


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return bool(patterns) and _any_of(tuple(patterns)).match(name) is not None


@cache
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(translate(pattern) for pattern in patterns))


@cache
def _is_bin_of(part: str, venv: str) -> bool:
    return bool(part) and any(_same(part, str(Path(venv, folder))) for folder in ("bin", "Scripts"))


@cache
def _same(left: str, right: str) -> bool:
    """Looked at once: the same for every server, and a walk through the file system for each."""
    return os.path.normcase(os.path.realpath(left)) == os.path.normcase(os.path.realpath(right))

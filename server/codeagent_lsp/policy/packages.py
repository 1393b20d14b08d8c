"""Which packages a command line fetches from a registry when it runs, and which of them are not pinned.

What is not pinned to one version can change without notice: the next start runs what was published meanwhile.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

_NPM_PIN = re.compile(r"(?:npm:)?(?:@[^/@\s]+/)?[^/@\s]+@v?\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?")
_PYPI_PIN = re.compile(r"[A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?\s*(?:===?|@)\s*v?\d+(?:\.\d+)*[0-9A-Za-z.!+-]*")
_COMMIT = re.compile(r"[#@][0-9a-f]{40}(?:[#&].*)?$")
_GO_PIN = re.compile(r"[^@\s]+@v\d+\.\d+\.\d+\S*")
_LOCAL = re.compile(r"(?:\.{1,2}(?:[/\\]|$)|[/\\~]|file:|link:|[A-Za-z]:[/\\])")

# Options of each runner that take a value, and those whose value is a package.
_NPM_VALUES = {
    "-c",
    "--call",
    "--registry",
    "-w",
    "--workspace",
    "--prefix",
    "--node-options",
    "--userconfig",
    "--cache",
}
_NPM_PACKAGES = {"-p", "--package"}
_UV_VALUES = {
    "-p", "--python", "--index", "--index-url", "-i", "--extra-index-url", "--default-index", "-f", "--find-links",
    "--directory", "--project", "--config-file", "--cache-dir", "--env-file", "--with-requirements", "-C",
    "--config-setting", "--refresh-package", "--python-preference", "--resolution", "--prerelease", "--link-mode",
    "--color", "--constraints", "--overrides", "--keyring-provider", "--index-strategy", "--exclude-newer",
    "--extra", "--group",
}  # fmt: skip
_UV_PACKAGES = {"--from", "--with", "-w", "--with-editable"}
_PIPX_VALUES = {"--python", "--pip-args", "--index-url", "-i", "--suffix", "--backend"}


def unpinned(program: str, args: Sequence[str]) -> list[str]:
    """The packages that this command line would fetch in whatever version there is then.

    `program` is a bare name (`npx`, `uvx`, `pipx`, `npm`, `pnpm`, `yarn`, `bun`, `bunx`, `uv`, `deno`, `go`).
    """
    runner = _RUNNERS.get(program)
    return list(runner(args)) if runner else []


def is_npm_pinned(spec: str) -> bool:
    """Whether `foo@1.2.3`, a local path or a repository at a full commit."""
    return bool(_NPM_PIN.fullmatch(spec) or _LOCAL.match(spec) or _COMMIT.search(spec))


def is_pypi_pinned(spec: str) -> bool:
    """Whether `foo==1.2.3`, `foo@1.2.3`, a local path or a repository at a full commit."""
    if "*" in spec or "," in spec:
        return False
    return bool(_PYPI_PIN.fullmatch(spec.split(";")[0].strip()) or _LOCAL.match(spec) or _COMMIT.search(spec))


def _npm(args: Sequence[str]) -> Iterator[str]:
    return _fetched(args, _NPM_VALUES, _NPM_PACKAGES, {"-c", "--call"}, is_npm_pinned)


def _pypi(args: Sequence[str]) -> Iterator[str]:
    return _fetched(args, _UV_VALUES, _UV_PACKAGES, {"--from"}, is_pypi_pinned)


def _npm_exec(args: Sequence[str]) -> Iterator[str]:
    return _behind(args, ({"exec", "x", "dlx"},), _npm)


def _uv(args: Sequence[str]) -> Iterator[str]:
    found = list(_behind(args, ({"tool"}, {"run"}), _pypi))
    if found:
        return iter(found)
    # `uv run` runs the project itself; what `--with` adds comes from the registry.
    return _behind(args, ({"run"},), lambda rest: _fetched(rest, _UV_VALUES, {"--with", "-w"}, {""}, is_pypi_pinned))


def _pipx(args: Sequence[str]) -> Iterator[str]:
    return _behind(args, ({"run"},), lambda rest: _fetched(rest, _PIPX_VALUES, {"--spec"}, {"--spec"}, is_pypi_pinned))


def _deno(args: Sequence[str]) -> Iterator[str]:
    for arg in args:
        package = arg.startswith(("npm:", "jsr:")) and not is_npm_pinned(arg.split(":", 1)[1])
        if package or (arg.startswith(("http://", "https://")) and not re.search(r"@v?\d+\.\d+", arg)):
            yield arg
        if not arg.startswith("-") and arg not in ("run", "x"):
            return


def _go(args: Sequence[str]) -> Iterator[str]:
    if args[:1] == ["run"]:
        first = next((arg for arg in args[1:] if not arg.startswith("-")), "")
        if "@" in first and not _GO_PIN.fullmatch(first):
            yield first


def _behind(
    args: Sequence[str], words: Sequence[set[str]], runner: Callable[[Sequence[str]], Iterator[str]]
) -> Iterator[str]:
    """Run `runner` on what follows these subcommands; options may stand between them."""
    rest = list(args)
    for word in words:
        at = next((index for index, arg in enumerate(rest) if not arg.startswith("-")), len(rest))
        if at == len(rest) or rest[at] not in word:
            return iter(())
        rest = rest[at + 1 :]
    return runner(rest)


def _fetched(
    args: Sequence[str],
    values: set[str],
    packages: set[str],
    instead: set[str],
    pinned: Callable[[str], bool],
) -> Iterator[str]:
    """Packages of options and, unless one of `packages` ∩ `instead` names it already, the first plain argument.

    For npm every package option is instead of the plain argument; `instead` then only lists options like `-c`.
    """
    named = "" in instead
    rest = iter(args)
    for arg in rest:
        name, _, attached = arg.partition("=")
        if arg == "--" or not arg.startswith("-"):
            spec = next(rest, "") if arg == "--" else arg
            if spec and not named and not pinned(spec):
                yield spec
            return
        if name in packages:
            spec = attached or next(rest, "")
            named = named or name in instead or name in _NPM_PACKAGES
            if spec and not pinned(spec):
                yield spec
        elif name in values:
            named = named or name in instead
            if not attached:
                next(rest, None)


_RUNNERS: Mapping[str, Callable[[Sequence[str]], Iterator[str]]] = {
    "npx": _npm,
    "bunx": _npm,
    "pnpx": _npm,
    "npm": _npm_exec,
    "pnpm": _npm_exec,
    "yarn": _npm_exec,
    "bun": _npm_exec,
    "uvx": _pypi,
    "uv": _uv,
    "pipx": _pipx,
    "deno": _deno,
    "go": _go,
}

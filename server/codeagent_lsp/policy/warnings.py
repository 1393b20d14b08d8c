"""What a person should know before a launch is approved, in whole sentences. A harmless launch gives none."""

import ipaddress
import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from codeagent_lsp.config.launch import Launch
from codeagent_lsp.policy.capability import disguised
from codeagent_lsp.policy.commands import Finding, command_findings, program_name
from codeagent_lsp.policy.fingerprint import relative, show
from codeagent_lsp.policy.loaders import is_loader
from codeagent_lsp.policy.values import Values, is_harmless, looks_secret, show_names


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Programs that run what the project says, whatever their arguments are, and those that do with one of these.
_RECIPES = _names("make gmake just task rake gradle gradlew mvn ant tox nox")
_SCRIPTS = {
    "npm": _names("start run run-script test restart"),
    "pnpm": _names("start run test exec"),
    "yarn": _names("start run test exec"),
    "uv": _names("run"),
    "poetry": _names("run"),
    "pdm": _names("run"),
    "hatch": _names("run"),
    "pipenv": _names("run"),
    "cargo": _names("run xtask"),
    "go": _names("run"),
    "dotnet": _names("run"),
    "bundle": _names("exec"),
    "composer": _names("run exec run-script"),
}


def launch_warnings(launch: Launch, *, same_name: bool = False) -> list[Finding]:
    """Everything to warn of, most telling first. `same_name`: a file of the user declares a server of this name."""
    values = Values(launch)
    found: list[Finding] = []
    if launch.transport == "stdio":
        found += _project_files(launch)
        found += _unlisted_code(launch)
        found += command_findings(launch.command or "", launch.argv or (launch.command or "", *launch.entry.args))
        found += _environment(launch, values)
        found += _secret_arguments(launch, values)
    else:
        found += _remote(launch, values)
    found += _project_variables(launch, values)
    if disguised(launch.entry.name):
        found.append(Finding("look-alike", "Its name mixes letters of different alphabets that look alike."))
    if same_name:
        found.append(
            Finding("same-name", f"Your own config has a server `{show(launch.entry.name)}` too; this one is another.")
        )
    return list({finding.text: finding for finding in found}.values())


def _project_files(launch: Launch) -> Iterator[Finding]:
    folder = launch.entry.folder
    workspace = None if folder is None else os.path.realpath(folder)
    if launch.argv and workspace and any(_within(path, workspace) for path in (launch.argv[0], launch.resolved)):
        yield Finding(
            "project-command", "The program itself lies in this project: whoever changes the project changes it."
        )
    names = [show(relative(path, workspace)) for path in launch.files]
    if names:
        what = "a file" if len(names) == 1 else "files"
        yield Finding(
            "project-file",
            f"It runs or reads {what} of this project: {show_names(names)}. A change of that asks again.",
        )


def _unlisted_code(launch: Launch) -> Iterator[Finding]:
    """A recipe, a package or a folder of the project is run: more than the files that are named and hashed."""
    folder = launch.entry.folder
    if folder is None or launch.cwd is None or not _within(os.path.realpath(launch.cwd), os.path.realpath(folder)):
        return
    program = re.sub(r"[\d.]+$", "", program_name(launch.command or ""))
    args = list(launch.argv[1:] if launch.argv else launch.entry.args)
    first = next((arg for arg in args if not arg.startswith("-")), "")
    runs = program in _RECIPES or (program in _SCRIPTS and first in _SCRIPTS[program])
    if program in ("node", "python", "bun", "deno", "ruby"):
        module = args[args.index("-m") + 1] if "-m" in args[:-1] else None
        package = launch.cwd / (module or "").partition(".")[0]
        runs = (first != "" and module is None and (launch.cwd / first).is_dir()) or (
            module is not None and (package.is_dir() or package.with_suffix(".py").is_file())
        )
    if runs:
        yield Finding(
            "project-code",
            f"It runs code of this project that is not listed here (`{show(program)}`). A change of that code does not"
            " ask again.",
        )


def _within(path: Path | str | None, folder: str) -> bool:
    return path is not None and Path(path).is_relative_to(folder)


def _environment(launch: Launch, values: Values) -> Iterator[Finding]:
    for name, template in sorted((*launch.env_templates.items(), *_assignments(launch))):
        if template is None:
            continue
        if name.upper() == "PATH":
            yield _path(launch, template)
        elif is_loader(name):
            yield Finding(
                "loader",
                f"The variable `{show(name)}` can make a program load or run more than its command line says, or lead"
                " it elsewhere.",
            )
    if launch.env_file is not None:
        yield Finding(
            "env-file", f"It takes more variables from `{show(str(launch.env_file))}`; they are not shown here."
        )
    if launch.entry.inherit_env:
        names = show_names(map(show, launch.entry.inherit_env))
        yield Finding("inherit-env", f"It is given variables that are otherwise kept from servers: {names}.")


def _assignments(launch: Launch) -> Iterator[tuple[str, str]]:
    """`env NAME=value program`: variables that are set on the command line."""
    if program_name(launch.command or "") in ("env", "cross-env"):
        for arg in (launch.argv or ("", *launch.entry.args))[1:]:
            name, equals, value = arg.partition("=")
            if not equals and not arg.startswith("-"):
                return
            if equals and re.fullmatch(r"[A-Za-z_]\w*", name):
                yield name, value


def _path(launch: Launch, template: str) -> Finding:
    folder = launch.entry.folder
    workspace = None if folder is None else os.path.realpath(folder)
    odd: list[str] = []
    for part in template.split(os.pathsep):
        inside = "${workspaceFolder" in part or (workspace is not None and _within(part, workspace))
        if inside or not (Path(part).is_absolute() or part.startswith(("${", "~", "$"))):
            odd.append(show(part) or "(empty)")
    text = "It sets `PATH`, so that the programs that it starts may be others than yours."
    if odd:
        text += f" Parts of it are relative or in this project: {show_names(odd)}."
    return Finding("path", text)


def _secret_arguments(launch: Launch, values: Values) -> Iterator[Finding]:
    names = [
        _plain(name)
        for template in launch.entry.args
        for name, source in values.variables(template)
        if source not in ("fixed", "default") and looks_secret(name)
    ]
    if names:
        yield Finding(
            "secret-in-arguments",
            f"The value of {show_names(dict.fromkeys(names))} stands in the arguments, where other programs of this"
            " machine can read it.",
        )


def _remote(launch: Launch, values: Values) -> Iterator[Finding]:
    host = _host(launch.url or "")
    texts = [launch.entry.url or "", *launch.header_templates.values()]
    names = [
        _plain(name)
        for template in texts
        for name, source in values.variables(template)
        if source not in ("fixed", "default") and not is_harmless(name)
    ]
    if names:
        yield Finding(
            "secret-to-url", f"The value of {show_names(dict.fromkeys(names))} is sent to `{show(host) or 'the URL'}`."
        )
    if (launch.url or "").lower().startswith("http://") and not is_loopback(host):
        yield Finding(
            "plain-http", f"The connection to `{show(host)}` is not encrypted: others can read and change it."
        )
    if not host.isascii() or "xn--" in host.lower():
        yield Finding("look-alike-host", f"The host name has letters that may look like others: `{_ascii(host)}`.")


def _project_variables(launch: Launch, values: Values) -> Iterator[Finding]:
    entry = launch.entry
    texts = [*entry.args, *launch.env_templates.values(), *launch.header_templates.values()]
    texts += [entry.command, entry.url, entry.cwd, entry.env_file]
    names = {name for text in texts if text for name, source in values.variables(text) if source == "project" and name}
    if names:
        yield Finding(
            "project-env", f"The value of {show_names(sorted(names))} comes from the `.env` file of this project."
        )


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine: 127.0.0.0/8, ::1, `localhost` (RFC 6761)."""
    name = host.lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _ascii(host: str) -> str:
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return show(host.encode("unicode_escape").decode("ascii"))


def _plain(name: str) -> str:
    return f"${{{name}}}" if name.startswith("input:") else name

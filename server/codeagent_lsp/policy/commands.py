"""What is dangerous in a command line although it looks ordinary: shells, privileges, downloads, inline code.

Each finding has an id, which tests and documentation use, and a sentence for the user. Wrappers (`env`, `timeout`,
`sudo`, …) and the text behind `sh -c` are looked into. This is advice: what runs is shown whole in any case.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import PurePosixPath, PureWindowsPath

from attrs import frozen

from codeagent_lsp.policy.packages import unpinned
from codeagent_lsp.text import one_line

_PRIVILEGE = {"sudo", "doas", "su", "pkexec", "runas", "gsudo", "run0"}
_WRAPPERS = {
    "env", "nohup", "nice", "ionice", "timeout", "gtimeout", "time", "stdbuf", "setsid", "xargs", "command", "exec",
    "dotenv", "dotenvx", "cross-env", "chroot", "unbuffer", "caffeinate", "wsl", "start", "op", "direnv", "mise",
    "busybox", "script", "strace",
}  # fmt: skip
_SHELLS = {"sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "nu", "rbash", "xonsh", "elvish"}
_POWERSHELLS = {"powershell", "pwsh"}
_CONTAINERS = {"docker", "podman", "nerdctl"}
_RM = {"rimraf", "rm-rf", "trash"}

# Interpreters: options that run their value as code, and options that take another value.
_INLINE: tuple[tuple[re.Pattern[str], re.Pattern[str], set[str]], ...] = tuple(
    (re.compile(program), re.compile(option), values)
    for program, option, values in (
        (r"(?:python|pypy|ipython)[\d.]*w?|py", r"-[bBdEiIOPqRsSuvx]*c.*", {"-W", "-X"}),
        (
            r"node(?:js)?\d*|bun|electron|tsx|ts-node",
            r"-e|-p|-pe|-ep|--eval(?:=.*)?|--print(?:=.*)?",
            {"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file"},
        ),
        (r"deno", r"eval", set[str]()),
        (r"perl[\d.]*", r"-[0alnpswiTt]*[eE].*", {"-I"}),
        (
            r"ruby[\d.]*|raku|lua[\d.]*|luajit|osascript|swift|ghc|groovy|elixir|racket|scala",
            r"-[lnpsw]*e",
            {"-I", "-r"},
        ),
        (r"php[\d.]*", r"-[rBER]", {"-d", "-c"}),
        (r"r|rscript|julia", r"-e|-E|--eval(?:=.*)?", set[str]()),
        (r"guile|vim|nvim|ex", r"-c|\+.+|--cmd", set[str]()),
        (r"emacs|sbcl|erl", r"--?eval(?:=.*)?", set[str]()),
    )
)

# All of these are bounded: the text is a stranger's, and may be long.
_SUDO = re.compile(r"(?:^|[\s;&|(`])(?:sudo|doas|pkexec|su\s+-c)\s")
_OPTIONS = r"(?:-\S{1,40}\s{1,9}){0,9}"
_RM_RF = re.compile(
    rf"(?:^|[\s;&|(`/])(?:rm\s{{1,9}}{_OPTIONS}-(?:[a-zA-Z]{{0,9}}[rR][a-zA-Z]{{0,9}}f|[a-zA-Z]{{0,9}}f[a-zA-Z]{{0,9}}[rR])"
    rf"|rm\s{{1,9}}{_OPTIONS}-(?:[rR]|-recursive)\s{{1,9}}{_OPTIONS}-(?:f|-force)\b"
    rf"|rm\s{{1,9}}{_OPTIONS}-(?:f|-force)\s{{1,9}}{_OPTIONS}-(?:[rR]|-recursive)\b"
    r"|rimraf\s|find\s[^;|]{0,200}\s-delete\b"
    r"|(?i:remove-item\s[^;|]{0,200}-recurse|rd\s{1,9}/s|rmdir\s{1,9}/s|del\s{1,9}(?:/\S{1,9}\s{1,9}){0,9}/s))"
)
_FETCH = r"(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod)\b"
_RUN = (
    r"(?:(?:sudo|env|exec|command)\s{1,9}){0,3}(?:[^\s|;&]{1,200}/)?"
    r"(?:(?:ba|z|da|k|fi|c|tc|a)?sh|python[\d.]{0,9}|node|perl|ruby|php|iex|invoke-expression)\b"
)
_DOWNLOAD_RUN = re.compile(
    rf"(?i)\b{_FETCH}[^;&]{{0,200}}\|\s{{0,9}}(?:tee\s[^|]{{0,200}}\|\s{{0,9}})?{_RUN}"
    rf"|<\(\s{{0,9}}{_FETCH}|\b(?:eval|exec|ba?sh|z?sh|python[\d.]{{0,9}}|-c)\s{{1,9}}[\"']?(?:\$\(|`)\s{{0,9}}{_FETCH}"
    rf"|\b(?:iex|invoke-expression)\b[^;]{{0,200}}{_FETCH}|downloadstring\("
    rf"|\b{_FETCH}[^;|]{{0,200}}(?:;|&&)\s{{0,9}}(?:chmod\s[^;&]{{0,200}}(?:;|&&)\s{{0,9}})?(?:{_RUN}\s|\./)"
)
_REVERSE = re.compile(r"/dev/(?:tcp|udp)/|\b(?:nc|ncat|netcat)\b[^;|]{0,200}\s-[a-z]{0,9}[ec]\b")
_SEPARATOR = re.compile(r"&&|\|\||[;|&\n]")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)


@frozen
class Finding:
    """One thing to warn of: a stable id, and a whole sentence."""

    id: str
    text: str


def command_findings(command: str, argv: Sequence[str]) -> list[Finding]:
    """What is dangerous in `argv`; `command` is the program as it was written (argv[0] may be its real path)."""
    found: dict[str, Finding] = {}
    for first in dict.fromkeys((command, argv[0])):
        for finding in _look([first, *argv[1:]], 0):
            found.setdefault(finding.text, finding)
    if any("docker.sock" in arg or "podman.sock" in arg for arg in argv):
        found["docker-socket"] = Finding(
            "docker-socket", "It is given the Docker socket, and with it control over this whole machine."
        )
    return list(found.values())


def program_name(path: str) -> str:
    """The bare name of a program: `C:\\\\bin\\\\Npx.CMD`, `/usr/lib/npm/bin/npx-cli.js` and `npx` are `npx`."""
    name = PurePosixPath(PureWindowsPath(path).name).name.lower()
    return re.sub(r"(?:-cli)?\.(?:exe|cmd|bat|ps1|com|js|mjs|cjs)$", "", name)


def _look(words: Sequence[str], depth: int) -> Iterator[Finding]:
    if not words or depth > 8:
        return
    program, args = program_name(words[0]), list(words[1:])
    if program in _PRIVILEGE:
        yield Finding("sudo", f"It asks for the rights of another user, such as the administrator (`{program}`).")
    if program in _PRIVILEGE or program in _WRAPPERS:
        yield from _look(_wrapped(args), depth + 1)
    yield from _shell(program, args, depth)
    yield from _inline(program, args)
    if program in _CONTAINERS:
        yield from _container(args)
    if _RM_RF.search(" ".join(words)) and program in {"rm", "rimraf", "find", "rd", "rmdir", "del", "remove-item"}:
        yield _deletes()
    for package in unpinned(program, args):
        yield Finding(
            "unpinned",
            f"It fetches `{one_line(package)}` in whatever version is newest when it starts: what runs can change"
            " without notice. A version pins it.",
        )


def _wrapped(args: list[str]) -> list[str]:
    """The command inside a wrapper: behind its options, its `NAME=value` and its numbers."""
    for index, arg in enumerate(args):
        if arg in ("-S", "--split-string", "-c") and index + 1 < len(args):
            return _split(args[index + 1])
        if not (arg.startswith(("-", "/")) and "/" not in arg[1:]) and not _ASSIGNMENT.fullmatch(arg):
            if re.fullmatch(r"[\d.]+[smhd]?|run|exec|x", arg):
                continue
            return args[index:]
    return []


def _shell(program: str, args: list[str], depth: int) -> Iterator[Finding]:
    text = None
    if program in _SHELLS:
        text = next(
            (args[i + 1] for i, arg in enumerate(args[:-1]) if re.fullmatch(r"-[a-zA-Z]*c|--command", arg)), None
        )
    elif program == "cmd":
        at = next((i for i, arg in enumerate(args) if arg.lower() in ("/c", "/k")), None)
        text = None if at is None else " ".join(args[at + 1 :])
    elif program in _POWERSHELLS:
        option = re.compile(r"(?i)-(?:c(?:ommand)?|e(?:nc?|ncodedcommand)?)")
        at = next((i for i, arg in enumerate(args) if option.fullmatch(arg)), None)
        text = None if at is None else " ".join(args[at + 1 :])
    elif program in ("npx", "npm") and ("-c" in args[:-1] or "--call" in args[:-1]):
        text = args[args.index("-c" if "-c" in args else "--call") + 1]
    if text is None:
        return
    yield Finding("shell", f"It hands a text to a shell (`{program}`), which may run any number of programs.")
    yield from _scan(text)
    for part in _SEPARATOR.split(text):
        yield from _look(_unassigned(_split(part)), depth + 1)


def _scan(text: str) -> Iterator[Finding]:
    if _SUDO.search(f" {text} "):
        yield Finding("sudo", "It asks for the rights of another user, such as the administrator.")
    if _RM_RF.search(text):
        yield _deletes()
    if _DOWNLOAD_RUN.search(text):
        yield Finding("download-run", "It downloads something and runs it at once.")
    if _REVERSE.search(text):
        yield Finding("remote-shell", "It opens a network connection in the way of a remote shell.")


def _inline(program: str, args: list[str]) -> Iterator[Finding]:
    """Inline code: an option of the interpreter, which ends at the first plain argument."""
    for programs, option, values in _INLINE:
        if not programs.fullmatch(program):
            continue
        rest = iter(args)
        for arg in rest:
            if option.fullmatch(arg):
                yield Finding("inline-code", f"It runs code that stands in an argument (`{program} {arg[:12]}`).")
                return
            if not arg.startswith("-"):
                return
            if arg in values:
                next(rest, None)


def _container(args: list[str]) -> Iterator[Finding]:
    joined = re.compile(
        r"--privileged(?:=true)?|--(?:pid|userns|ipc)[= ]host|--security-opt[= ]\S*unconfined"
        r"|--cap-add[= ](?:CAP_)?(?:ALL|SYS_ADMIN|SYS_PTRACE|SYS_MODULE)",
        re.IGNORECASE,
    )
    pairs = [*args, *(f"{one} {other}" for one, other in pairwise(args))]
    if any(joined.fullmatch(pair) for pair in pairs):
        yield Finding("container-privileged", "The container is given rights over this whole machine.")
    root = re.compile(
        r"(?:-v|--volume)[= ]?(?:/+|[A-Za-z]:[/\\]*):/.*|--mount[= ](?:.*,)?(?:source|src)=/+(?:,.*)?", re.DOTALL
    )
    if any(root.fullmatch(pair) for pair in pairs):
        yield Finding("container-root", "The container can reach every file of this machine.")


def _deletes() -> Finding:
    return Finding("deletes", "It deletes whole folders without asking.")


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _unassigned(words: list[str]) -> list[str]:
    index = 0
    while index < len(words) and _ASSIGNMENT.fullmatch(words[index]):
        index += 1
    return words[index:]

"""Code lenses above each server of a config file: how it fares, and what can be done about it now."""

from collections.abc import Iterator

from lsprotocol import types

from codeagent_lsp.features.config_language import ConfigText, ServerView, World
from codeagent_lsp.protocol import ServerStatus
from codeagent_lsp.text import one_line

SHOW_LOG = "codeagent.showLog"
"""`{server}`, of the client: shows the log of a server. Offered where the client says that it has it."""
LIMIT = 100

_ICONS = {
    "ready": ("$(check)", "✓"),
    "starting": ("$(sync~spin)", "…"),
    "failed": ("$(error)", "✗"),
    "untrusted": ("$(shield)", "?"),
    "needsAuth": ("$(key)", "?"),
    "disabled": ("$(circle-slash)", "–"),
    "stopped": ("$(debug-stop)", "–"),
}
_WORDS = {"untrusted": "not approved", "needsAuth": "signed out"}


def code_lenses(text: ConfigText, world: World) -> list[types.CodeLens]:
    """The lenses of every server that is known, in a text that may be broken; of the first 100 servers."""
    lenses: list[types.CodeLens] = []
    for number, server in enumerate(text.servers()):
        view = world.views.get(server.name)
        if number >= LIMIT:
            break
        if view is None or view.status is None:
            continue
        where = text.range(server.key.span)
        lenses += [types.CodeLens(range=where, command=command) for command in _commands(view, view.status, world)]
    return lenses


def state_title(status: ServerStatus, *, icons: bool) -> str:
    """How a server fares, in a few words: `✓ ready · 12 tools`."""
    parts = [f"{_icon(status.state, icons)}{_WORDS.get(status.state, status.state)}"]
    if status.state == "ready":
        counts = ((status.tools, "tool"), (status.resources, "resource"), (status.prompts, "prompt"))
        parts += [f"{count:,} {word}{'' if count == 1 else 's'}" for count, word in counts if count]
        if status.disabled_tools:
            parts.append(f"{status.disabled_tools:,} off")
    elif status.state == "failed" and status.error is not None:
        parts.append(one_line(status.error.message.split(". ")[0].removesuffix("."), 80))  # the squiggle says it all
    return " · ".join(parts)


def _icon(state: str, pictures: bool) -> str:
    """The sign of a state and a gap; VS Code swallows an ordinary blank beside a picture."""
    picture, sign = _ICONS[state]
    return f"{picture}\u00a0" if pictures else f"{sign} "


def _commands(view: ServerView, status: ServerStatus, world: World) -> Iterator[types.Command]:
    logs = SHOW_LOG in world.client_commands
    if not view.in_force:
        icon = _icon("untrusted" if view.waits else "disabled", world.icons)
        if view.waits:
            yield _command(f"{icon}not approved · your own entry of this name runs", "codeagent.start", view)
            yield _command("Approve…", "codeagent.start", view)
        else:
            yield _command(f"{icon}not in force · another entry of this name is", "codeagent.effectiveConfig", view)
        return
    main = {
        "ready": SHOW_LOG if logs else "codeagent.effectiveConfig",
        "starting": SHOW_LOG if logs else "codeagent.effectiveConfig",
        "failed": SHOW_LOG if logs else "codeagent.restart",
        "needsAuth": "codeagent.signIn",
    }.get(status.state, "codeagent.start")
    if status.state == "disabled":
        yield types.Command(
            title=state_title(status, icons=world.icons),
            command="codeagent.setEnabled",
            arguments=[{"server": view.server, "enabled": True}],
        )
    else:
        yield _command(world.clean(state_title(status, icons=world.icons)), main, view)
    match status.state:
        case "ready" | "starting":
            yield _command("Restart", "codeagent.restart", view)
            yield _command("Stop", "codeagent.stop", view)
        case "failed":
            yield _command("Restart", "codeagent.restart", view)
        case "stopped":
            yield _command("Start", "codeagent.start", view)
        case "untrusted":
            yield _command("Approve…", "codeagent.start", view)
        case "needsAuth":
            yield _command("Sign in", "codeagent.signIn", view)
        case "disabled":
            yield types.Command("Enable", "codeagent.setEnabled", arguments=[{"server": view.server, "enabled": True}])
    if logs:
        yield _command("Show log", SHOW_LOG, view)


def _command(title: str, command: str, view: ServerView) -> types.Command:
    return types.Command(title=title, command=command, arguments=[{"server": view.server}])

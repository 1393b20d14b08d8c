"""Values for an argument of a prompt or a resource template, as the server proposes them."""

from typing import Any, cast

from codeagent_lsp.errors import Disabled, InvalidParams
from codeagent_lsp.operations.host import Host
from codeagent_lsp.operations.sessions import asked, connection_of, ready_session
from codeagent_lsp.operations.wants import user_owned
from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.protocol.params import CompleteArgumentParams
from codeagent_lsp.protocol.results import Completion
from codeagent_lsp.text import visible

SETTING = "completeArguments"
"""`user` (default): ask the user's own servers only; `always`: a project's too; `never`."""

MAX_VALUES = 100
"""Values that one answer holds at most (MCP, "Completion")."""


async def complete_argument(host: Host, params: CompleteArgumentParams) -> Completion:
    """Ask a server for values of an argument. What the user has typed is sent to it: hence the setting.

    Raises `errors.Disabled` where the setting forbids it, `errors.InvalidParams` for a `ref` that names nothing.
    """
    connection = connection_of(host, params.server)
    ref = _ref(params)
    wish = host.workspace.settings.get(SETTING, "user")
    if wish == "never" or (wish != "always" and not user_owned(host, connection.wanted.entry)):
        hint = f'Set `codeagent.{SETTING}` to "always" to send what you type to servers of a project too.'
        raise Disabled("argument completion is off for this server.", server=params.server, hint=hint)
    session = await ready_session(host, params.server)
    if "completions" not in session.capabilities:
        return Completion([], False)
    argument = {"name": params.argument.name, "value": params.argument.value}
    known = {name: value for name, value in _others(params).items() if isinstance(value, str)}
    raw = await asked(host, params.server, lambda session: session.complete(ref, argument, known or None))
    found = raw.get("completion")
    given = cast(JsonObject, found) if isinstance(found, dict) else {}
    values = [visible(item, newlines=False) for item in _list(given.get("values")) if isinstance(item, str)]
    total = given.get("total")
    return Completion(
        values=values[:MAX_VALUES],
        has_more=given.get("hasMore") is True or len(values) > MAX_VALUES,
        total=total if isinstance(total, int) and not isinstance(total, bool) else None,
    )


def _others(params: CompleteArgumentParams) -> JsonObject:
    """The values of the other arguments: MCP's `context` has them under `arguments`."""
    given = params.context or {}
    inner: object = given.get("arguments")
    return cast(JsonObject, inner) if isinstance(inner, dict) else given


def _ref(params: CompleteArgumentParams) -> JsonObject:
    prompt, template = params.ref.prompt, params.ref.template
    if (prompt is None) == (template is None):
        raise InvalidParams("`ref` must have either `prompt` or `template`.")
    if prompt is not None:
        return {"type": "ref/prompt", "name": prompt}
    return {"type": "ref/resource", "uri": template}


def _list(value: object) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else []

"""Prompts: list them, and fill one in."""

from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.operations.host import Host
from codeagent_lsp.operations.results import filled_prompt
from codeagent_lsp.operations.sessions import asked, pending, ready_session
from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.protocol.params import GetPromptParams, ListParams
from codeagent_lsp.protocol.results import FilledPrompt, PromptList


async def list_prompts(host: Host, params: ListParams) -> PromptList:
    """The prompts of one server or of all, sorted by server, then in the server's own order."""
    late = await pending(host, params.server, params.wait_ms)
    return PromptList(host.lists.revision, not late, late, host.catalog.prompts(params.server))


async def get_prompt(host: Host, params: GetPromptParams) -> FilledPrompt:
    """Fill a prompt in. Raises `errors.UnknownPrompt` and, for a missing argument, `errors.InvalidParams`."""
    await ready_session(host, params.server)
    prompt = host.catalog.find_prompt(params.server, params.name)
    arguments = _strings(params.arguments or {})
    missing = [argument.name for argument in prompt.arguments if argument.required and argument.name not in arguments]
    if missing:
        names = ", ".join(f"`{name}`" for name in missing)
        raise InvalidParams(f"the prompt `{params.name}` needs {names}.", server=params.server)
    raw = await asked(host, params.server, lambda session: session.get_prompt(params.name, arguments))
    return filled_prompt(params.server, raw)


def _strings(arguments: JsonObject) -> dict[str, str]:
    """Prompt arguments are strings in MCP: numbers and booleans become theirs, null is left out."""
    out: dict[str, str] = {}
    for name, value in arguments.items():
        if isinstance(value, bool):
            out[name] = "true" if value else "false"
        elif isinstance(value, str | int | float):
            out[name] = str(value)
        elif value is not None:
            raise InvalidParams(f"the prompt's argument `{name}` must be a string.")
    return out

"""Hover in a config file: what a key means, what a `${…}` is set to, and what a server really is and would start.

No value of a variable is shown, and every text about a server is redacted. What a server wrote is data: it stands in
a code block.
"""

from collections.abc import Iterator, Mapping

from lsprotocol import types

from codeagent_lsp.config.document import Span
from codeagent_lsp.config.launch import Launch
from codeagent_lsp.features.config_language import ConfigText, ServerNode, ServerView, World
from codeagent_lsp.features.config_language_schema import key_info, server_description, top_keys
from codeagent_lsp.features.config_language_variables import PLACES, Placed, lookup_of, placed, settle
from codeagent_lsp.policy.question import launch_question
from codeagent_lsp.text import fenced, one_line, visible

_TOOLS = 30
_NAMES = 60
_STATES = {
    "untrusted": "waits for your approval",
    "needsAuth": "waits for you to sign in",
}


def hover(text: ConfigText, position: types.Position, world: World) -> types.Hover | None:
    """What is known of what stands at a position."""
    offset = text.offset(position)
    server = text.server_at(offset)
    if server is not None:
        found = _variable(text, server, offset, world)
        if found is not None:
            return found
    document = text.document
    node, path = document.node_at(offset), document.path_at(offset)
    if node is None or not path:
        return None
    on_key = document.on_key(offset)
    if server is not None and on_key and node.span == server.key.span:
        return _made(text, node.span, server_words(server, world), world)
    fields = text.fields(path)
    info = key_info(fields) if fields else None
    if not fields and len(path) == 1 and on_key:
        info = next((found for found in top_keys(text.dialect) if found.name == path[0]), None)
    if info is not None:
        default = f"\n\nDefault: {_code(info.default, world)}" if info.default is not None else ""
        return _made(text, node.span, f"{_mark(info.description, world)}{default}", world)
    if fields and server is not None and len(fields) == 2 and on_key:
        outer = key_info(fields[:1])
        return _made(text, node.span, _mark(outer.description, world), world) if outer is not None else None
    return None


def _variable(text: ConfigText, server: ServerNode, offset: int, world: World) -> types.Hover | None:
    inside = [item for item in placed(text, server) if item.span.holds(offset) and offset < item.span.end]
    if not inside:
        return None
    item = min(inside, key=lambda found: found.span.end - found.span.start)
    return _made(text, item.span, variable_words(item, text, world), world)


def variable_words(item: Placed, text: ConfigText, world: World) -> str:
    """What becomes of one `${…}`: from where, and never its value, which may be a secret."""
    lookup = lookup_of(text, world.lookup)
    settled = settle(item.reference, lookup)
    name = _code(item.written, world)
    if settled.state == "set" and settled.source == "fixed":
        value = lookup.fixed(item.reference.name) or ""
        return f"{name} is {_code(visible(value, newlines=False, limit=400), world)}"
    if settled.state == "set" and settled.source is not None:
        return f"{name} is set, from {_mark(PLACES[settled.source], world)}"
    if settled.state == "default":
        return f"{name} is set nowhere: its default is taken. Looked in: {lookup.looked_in()}"
    if settled.state == "asked":
        return f"{name} is asked for when the server starts, once, and kept in the system keyring"
    if settled.state == "unknown":
        return f"{name} is not a variable that is known here"
    return f"{name} is not set, so this server cannot start. Looked in: {lookup.looked_in()}"


def server_words(server: ServerNode, world: World) -> str:
    """Everything about one server: state, tools, and what would be started, redacted."""
    view = world.views.get(server.name)
    if view is None:
        return f"{_mark(server_description(), world)}\n\nIt is not known yet: save the file."
    blocks = [world.clean("\n".join(_state(view)))]
    launched = list(_launch(view.launch)) if view.launch is not None else []
    if launched:
        blocks.append(world.clean("\n".join(launched)))
    if view.failure is not None and (view.status is None or view.status.error is None):
        blocks.append(world.clean(visible(view.failure.text(), limit=1500)))
    if view.tools:
        blocks.append("\n".join(_tools(view.tools)))
    return "\n\n".join(fenced(block, "text") if world.markdown else visible(block) for block in blocks)


def _state(view: ServerView) -> Iterator[str]:
    status = view.status
    if status is None:
        yield f"{one_line(view.server)}: not known yet"
        return
    counts = [
        f"{count} {word if count != 1 else word[:-1]}"
        for count, word in ((status.tools, "tools"), (status.resources, "resources"), (status.prompts, "prompts"))
        if count
    ]
    if status.disabled_tools:
        counts.append(f"{status.disabled_tools} switched off")
    state = _STATES.get(status.state, status.state)
    yield " · ".join([f"{one_line(status.server)}: {state} ({status.transport})", *counts])
    if not view.in_force:
        yield (
            "This entry waits for your approval; your own entry of this name runs."
            if view.waits
            else "This entry is not in force: another entry of this name is."
        )
    if status.detail:
        yield one_line(status.detail, 400)
    if status.error is not None:
        yield visible(status.error.message, limit=800)
        yield from (f"  {one_line(line, 200)}" for line in (status.error.stderr_tail or [])[-3:])
        if status.error.hint:
            yield visible(status.error.hint, limit=400)
    info = status.server_info
    if info is not None:
        name, version = one_line(str(info.get("name", "")), 80), one_line(str(info.get("version", "")), 40)
        yield f"{name} {version}, MCP {one_line(status.protocol_version or '', 40)}".strip()
    if status.pid is not None:
        restarts = f", restarted {status.restarts} ×" if status.restarts else ""
        yield f"process {status.pid}{restarts}"


def _launch(launch: Launch) -> Iterator[str]:
    """The command line and environment as the user may see them, line by line."""
    question = launch_question(launch)
    if question.argv:
        yield "command:"
        yield from (f"  {argument}" for argument in question.argv)
        if question.resolved_command:
            yield f"program: {question.resolved_command}"
        yield f"cwd: {question.cwd or ''}"
        yield from _table("env", {item.name: item.value for item in question.env or []})
        if launch.env_file is not None:
            yield f"envFile: {one_line(str(launch.env_file), 400)}"
        others = sorted(launch.env.keys() - launch.env_templates.keys())
        shown = ", ".join(one_line(name, 60) for name in others[:_NAMES])
        more = f", and {len(others) - _NAMES} more" if len(others) > _NAMES else ""
        yield f"from your environment: {shown}{more}"
    elif question.url:
        yield f"url: {question.url}"
        yield from _table("headers", {item.name: item.value for item in question.headers or []})
    sources = [f"{used.name} ({used.source})" for used in launch.used if used.source != "fixed"]
    if sources:
        yield f"variables: {', '.join(sources)}"
    if launch.inputs:
        yield f"asked for: {', '.join(one_line(name, 60) for name in launch.inputs)}"


def _table(title: str, values: Mapping[str, str]) -> Iterator[str]:
    if values:
        yield f"{title}:"
        yield from (f"  {name}={value}" for name, value in values.items())


def _tools(tools: tuple[tuple[str, bool], ...]) -> Iterator[str]:
    yield f"tools ({len(tools)}):"
    for name, on in tools[:_TOOLS]:
        yield f"  {one_line(name, 80)}" + ("" if on else " (switched off)")
    if len(tools) > _TOOLS:
        yield f"  and {len(tools) - _TOOLS} more"


def _made(text: ConfigText, span: Span, words: str, world: World) -> types.Hover:
    kind = types.MarkupKind.Markdown if world.markdown else types.MarkupKind.PlainText
    return types.Hover(contents=types.MarkupContent(kind, words), range=text.range(span))


def _code(words: str, world: World) -> str:
    """Words in a code span; a backtick inside cannot end it."""
    shown = one_line(words, 400)
    if not world.markdown:
        return shown
    return f"`` {shown.replace('``', '` `')} ``" if "`" in shown else f"`{shown}`"


def _mark(words: str, world: World) -> str:
    """Words of our own, which may have code spans in them."""
    return words if world.markdown else words.replace("`", "")

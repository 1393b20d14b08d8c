"""The table: which message is answered by which function."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from attrs import frozen
from lsprotocol import types

from codeagent_lsp import __version__
from codeagent_lsp.app import App
from codeagent_lsp.errors import HostError, WorkError
from codeagent_lsp.protocol import COMMANDS
from codeagent_lsp.protocol.table import WORKSPACE_TRUST_CHANGED
from codeagent_lsp.rpc.server import HostServer

if TYPE_CHECKING:
    from codeagent_lsp.language.desk import Desk
    from codeagent_lsp.operations.host import Host


Operation = Callable[["Host", Any], Awaitable[Any]]


@frozen
class Row:
    """One command: the operation `(host, params)`, and what its progress is called, if it shows any.

    With `reports`, the operation takes a third argument: `(done, total, message)`, called as the work goes on.
    """

    operation: Callable[..., Any]
    progress: str | None = None
    reports: bool = False


def command_table(app: App) -> dict[str, Row]:
    """Every command that is answered. Importing the operations takes a while: not before the house stands."""
    from codeagent_lsp.operations import agent, approvals, completing, prompts, resources, servers, status, tools

    return {
        "codeagent.status": Row(servers.status),
        "codeagent.start": Row(servers.start, "Starting {server}"),
        "codeagent.stop": Row(servers.stop),
        "codeagent.restart": Row(servers.restart, "Restarting {server}"),
        "codeagent.setEnabled": Row(servers.set_enabled),
        "codeagent.reload": Row(servers.reload),
        "codeagent.logs": Row(servers.logs),
        "codeagent.setLogLevel": Row(servers.set_log_level),
        "codeagent.listTools": Row(tools.list_tools),
        "codeagent.callTool": Row(tools.call_tool, "Calling {name}{tool}", reports=True),
        "codeagent.refreshTools": Row(tools.refresh_tools),
        "codeagent.listResources": Row(resources.list_resources),
        "codeagent.readResource": Row(resources.read_resource, "Reading {mention}{uri}", reports=True),
        "codeagent.subscribeResource": Row(resources.subscribe_resource),
        "codeagent.unsubscribeResource": Row(resources.unsubscribe_resource),
        "codeagent.listPrompts": Row(prompts.list_prompts),
        "codeagent.getPrompt": Row(prompts.get_prompt),
        "codeagent.instructions": Row(agent.instructions),
        "codeagent.promptSection": Row(agent.prompt_section),
        "codeagent.setTrust": Row(approvals.set_trust),
        "codeagent.listApprovals": Row(approvals.list_approvals),
        "codeagent.revokeApproval": Row(approvals.revoke_approval),
        "codeagent.completeArgument": Row(completing.complete_argument),
        "codeagent.effectiveConfig": Row(status.effective_config),
        "codeagent.resolveMentions": Row(_on_desk(app, lambda desk: desk.mentions.resolve_mentions)),
        "codeagent.importConfig": Row(_on_desk(app, lambda desk: desk.config.import_config)),
        "codeagent.openResource": Row(_on_desk(app, lambda desk: desk.open_resource)),
        "codeagent.runCall": Row(_on_desk(app, lambda desk: desk.run_call)),
    }


def build() -> App:
    """A server that is ready to be served: `app.server`, and `app.stop` for its end."""
    server = HostServer("codeagent-lsp", __version__)
    app = App(server, __version__)
    register(server, app)
    return app


def register(server: HostServer, app: App) -> None:
    """Register every command and every message of the editor that is not pygls' own business."""
    for name in COMMANDS:
        server.add_command(name, _command(app, name))

    features: dict[str, Callable[[Any], Any]] = {
        types.INITIALIZE: app.initialize,
        types.INITIALIZED: lambda _: app.initialized(),
        types.SHUTDOWN: lambda _=None: app.close(),
        types.WORKSPACE_DID_CHANGE_WATCHED_FILES: lambda _: app.files_changed(),
        types.TEXT_DOCUMENT_DID_SAVE: lambda _: app.files_changed(),
        types.WORKSPACE_DID_CHANGE_CONFIGURATION: lambda params: app.settings_changed(params.settings),
        types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: lambda params: app.folders_changed(params.event),
        WORKSPACE_TRUST_CHANGED: lambda params: app.trust_changed(params),
    }
    for method, handler in features.items():
        server.feature(method)(handler)
    for method, options, function in LANGUAGE_FEATURES:
        server.feature(method, options)(_language(app, function))


LANGUAGE_FEATURES: tuple[tuple[str, Any, Callable[["Desk", Any], Any]], ...] = (
    (types.TEXT_DOCUMENT_DID_OPEN, None, lambda desk, params: desk.did_open(params)),
    (types.TEXT_DOCUMENT_DID_CHANGE, None, lambda desk, params: desk.did_change(params)),
    (types.TEXT_DOCUMENT_DID_CLOSE, None, lambda desk, params: desk.did_close(params)),
    (
        types.TEXT_DOCUMENT_COMPLETION,
        types.CompletionOptions(trigger_characters=["@", ":", "/", '"', "$", "{", ","], resolve_provider=True),
        lambda desk, params: desk.completion(params),
    ),
    (types.COMPLETION_ITEM_RESOLVE, None, lambda desk, item: desk.mentions.resolve_completion(item)),
    (types.TEXT_DOCUMENT_HOVER, None, lambda desk, params: desk.hover(params)),
    (
        types.TEXT_DOCUMENT_DOCUMENT_LINK,
        types.DocumentLinkOptions(resolve_provider=True),
        lambda desk, params: desk.links(params),
    ),
    (types.DOCUMENT_LINK_RESOLVE, None, lambda desk, link: desk.mentions.resolve_link(link)),
    (types.TEXT_DOCUMENT_DEFINITION, None, lambda desk, params: desk.definition(params)),
    (types.TEXT_DOCUMENT_REFERENCES, None, lambda desk, params: desk.mentions.references(params)),
    (types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, None, lambda desk, params: desk.mentions.highlights(params)),
    (types.TEXT_DOCUMENT_PREPARE_RENAME, None, lambda desk, params: desk.prepare_rename(params)),
    (
        types.TEXT_DOCUMENT_RENAME,
        types.RenameOptions(prepare_provider=True),
        lambda desk, params: desk.rename(params),
    ),
    (
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(resolve_provider=True),
        lambda desk, params: desk.actions(params),
    ),
    (types.CODE_ACTION_RESOLVE, None, lambda desk, action: desk.resolve_action(action)),
    (types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(), lambda desk, params: desk.lenses(params)),
    (
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
        types.SemanticTokensLegend(token_types=["decorator", "string"], token_modifiers=[]),
        lambda desk, params: desk.mentions.tokens(params),
    ),
    (
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE,
        types.SemanticTokensLegend(token_types=["decorator", "string"], token_modifiers=[]),
        lambda desk, params: desk.mentions.tokens_in(params),
    ),
    (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, None, lambda desk, params: desk.config.symbols(params)),
    (types.TEXT_DOCUMENT_FOLDING_RANGE, None, lambda desk, params: desk.config.folding(params)),
    (types.WORKSPACE_TEXT_DOCUMENT_CONTENT, None, lambda desk, params: desk.document(params)),
)
"""What is answered about texts. The functions are on the desk, which is made when the first of them is needed."""


def _on_desk(app: App, method: "Callable[[Desk], Operation]") -> Operation:
    """An operation of the desk, which is made only when it is needed."""
    return lambda host, params: method(app.desk)(host, params)


def _language(app: App, function: Callable[["Desk", Any], Any]) -> Callable[[Any], Any]:
    return lambda params: function(app.desk, params)


def _command(app: App, name: str) -> Callable[[Any, int | str | None], Any]:
    async def run(params: Any, token: int | str | None) -> Any:
        host = await app.host()
        row = _table_of(app).get(name)
        if row is None:
            raise WorkError(f"`{name}` is not there yet: a later version of codeagent-lsp will answer it.")
        try:
            if row.progress is None or (token is None and not row.reports):
                return await row.operation(host, params)
            return await _with_progress(app, host, row, params, token)
        except HostError as error:
            error.message = host.redactor.clean(error.message)  # it may quote what a server said
            raise

    return run


def _table_of(app: App) -> dict[str, Row]:
    """The table of commands, made once: on the first command."""
    if app.commands is None:
        app.commands = command_table(app)
    return app.commands


async def _with_progress(app: App, host: "Host", row: Row, params: Any, token: int | str | None) -> Any:
    with app.editor.progress(token) as bar:
        names = ("server", "name", "tool", "mention", "uri")
        assert row.progress is not None
        bar.begin(row.progress.format(**{name: getattr(params, name, None) or "" for name in names}))

        def report(done: float, total: float | None, message: str | None) -> None:
            bar.report(message, 100 * done / total if total else None)

        return await (row.operation(host, params, report) if row.reports else row.operation(host, params))

"""Which name carries which message: the commands, the notifications and the questions, in the order of the docs."""

from typing import Any

from attrs import frozen

from codeagent_lsp.protocol import events, params, results, values

PROTOCOL_VERSION = 1
"""`experimental.codeagent.protocol`, both ways."""


@frozen
class Command:
    """One workspace command: its full name, what it takes, what it answers, and one sentence about it."""

    name: str
    params: type[Any]
    result: type[Any]
    doc: str


@frozen
class Message:
    """One notification or question. `feature`: what the client must have named to be asked."""

    method: str
    params: type[Any]
    doc: str
    result: type[Any] | None = None
    feature: str | None = None


COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command("codeagent.status", params.NoParams, results.Status, "Every server and every config file."),
        Command("codeagent.start", params.ServerParams, values.ServerStatus, "Start a server."),
        Command("codeagent.stop", params.ServerParams, values.ServerStatus, "Stop a server."),
        Command("codeagent.restart", params.ServerParams, values.ServerStatus, "Stop and start a server."),
        Command(
            "codeagent.setEnabled",
            params.SetEnabledParams,
            values.ServerStatus,
            "Switch a server or a tool on or off for this workspace; the config file is not touched.",
        ),
        Command(
            "codeagent.reload",
            params.NoParams,
            results.Status,
            "Read every config file again; unchanged servers keep their process.",
        ),
        Command("codeagent.logs", params.LogsParams, results.Logs, "The last lines of a server's log, or of all."),
        Command("codeagent.setLogLevel", params.SetLogLevelParams, results.Done, "How much a server shall log."),
        Command("codeagent.listTools", params.ListToolsParams, results.ToolList, "The tools."),
        Command("codeagent.callTool", params.CallToolParams, values.CallResult, "Call a tool."),
        Command(
            "codeagent.runCall",
            params.RunCallParams,
            results.RanCall,
            "Run a call that stands in an open document, and show its result.",
        ),
        Command(
            "codeagent.refreshTools",
            params.RefreshToolsParams,
            results.RefreshedTools,
            "The tools again, if anything has changed since a revision.",
        ),
        Command("codeagent.listResources", params.ListParams, results.ResourceList, "The resources and templates."),
        Command("codeagent.readResource", params.ReadResourceParams, results.ReadResource, "Read a resource."),
        Command(
            "codeagent.subscribeResource",
            params.ResourceParams,
            results.Done,
            "Be told when a resource changes.",
        ),
        Command(
            "codeagent.unsubscribeResource",
            params.ResourceParams,
            results.Done,
            "Be told no longer when a resource changes.",
        ),
        Command(
            "codeagent.openResource",
            params.ResourceParams,
            results.ShownResource,
            "Show a resource's document in the editor, or a file with its text where the editor has no such documents.",
        ),
        Command("codeagent.listPrompts", params.ListParams, results.PromptList, "The prompts."),
        Command("codeagent.getPrompt", params.GetPromptParams, results.FilledPrompt, "Fill in a prompt."),
        Command(
            "codeagent.completeArgument",
            params.CompleteArgumentParams,
            results.Completion,
            "Values for an argument of a prompt or a resource template.",
        ),
        Command(
            "codeagent.instructions",
            params.NoParams,
            results.Instructions,
            "What the servers say about their own use.",
        ),
        Command(
            "codeagent.promptSection",
            params.NoParams,
            results.PromptSection,
            "Tool catalogue and instructions, as a block for a system prompt.",
        ),
        Command(
            "codeagent.resolveMentions",
            params.ResolveMentionsParams,
            results.Mentions,
            "The mentions in a text, with what they stand for.",
        ),
        Command(
            "codeagent.setTrust",
            params.SetTrustParams,
            values.ServerStatus,
            "Decide whether a project's server may start.",
        ),
        Command(
            "codeagent.listApprovals",
            params.NoParams,
            results.Approvals,
            "Every standing decision of the user.",
        ),
        Command("codeagent.revokeApproval", params.RevokeApprovalParams, results.Done, "Take a decision back."),
        Command("codeagent.signIn", params.ServerParams, values.ServerStatus, "Sign in to a server."),
        Command("codeagent.signOut", params.ServerParams, values.ServerStatus, "Sign out of a server."),
        Command(
            "codeagent.effectiveConfig",
            params.ServerParams,
            values.JsonObject,
            "The entry that is in force: each value, its file, secrets redacted.",
        ),
        Command(
            "codeagent.importConfig",
            params.ImportConfigParams,
            results.ImportPreview,
            "Preview an import from another tool's config file.",
        ),
    )
}

NOTIFICATIONS: dict[str, Message] = {
    message.method: message
    for message in (
        Message("codeagent/statusChanged", events.StatusChanged, "The status of servers has changed."),
        Message("codeagent/toolsChanged", events.ToolsChanged, "A server's tools have changed."),
        Message("codeagent/resourcesChanged", events.ResourcesChanged, "A server's resources have changed."),
        Message("codeagent/promptsChanged", events.PromptsChanged, "A server's prompts have changed."),
        Message("codeagent/resourceUpdated", events.ResourceUpdated, "A subscribed resource has changed."),
        Message("codeagent/logMessage", values.LogLine, "A log line, after `logs` with `follow`."),
    )
}

QUESTIONS: dict[str, Message] = {
    message.method: message
    for message in (
        Message(
            "codeagent/approveServer",
            events.ApproveServerParams,
            "May this server start?",
            events.ServerDecision,
            "approveServer",
        ),
        Message(
            "codeagent/approveCall",
            events.ApproveCallParams,
            "May this call run?",
            events.CallDecision,
            "approveCall",
        ),
        Message("codeagent/elicit", events.ElicitParams, "A server asks the user.", events.ElicitAnswer, "elicit"),
        Message(
            "codeagent/sample",
            values.JsonObject,
            "A server asks the editor's model.",
            values.JsonObject,
            "sample",
        ),
        Message("codeagent/input", events.InputParams, "A value for the config.", events.InputAnswer, "input"),
    )
}

WORKSPACE_TRUST_CHANGED = "codeagent/workspaceTrustChanged"
"""From the editor, with `events.WorkspaceTrustChanged`."""

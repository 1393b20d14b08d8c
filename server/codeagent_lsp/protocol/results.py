"""What each workspace command answers."""

from attrs import frozen

from codeagent_lsp.protocol.values import (
    Approval,
    ConfigFile,
    JsonObject,
    LogLine,
    Mention,
    Prompt,
    PromptMessage,
    Resource,
    ResourceContents,
    ResourceTemplate,
    ServerStatus,
    Tool,
)


@frozen
class Done:
    """Nothing to say: it is done."""


@frozen
class Status:
    """Every server, and every config file."""

    revision: int
    servers: list[ServerStatus]
    files: list[ConfigFile]


@frozen
class Logs:
    """Log lines, oldest first."""

    lines: list[LogLine]


@frozen
class ToolList:
    """Tools; `pending` names the servers that had not come up in time."""

    revision: int
    complete: bool
    pending: list[str]
    tools: list[Tool]


@frozen
class RefreshedTools:
    """The tools again, if they have changed; else only that they have not."""

    changed: bool
    revision: int
    tools: list[Tool] | None = None
    instructions: str | None = None


@frozen
class ResourceList:
    """Resources and templates; `pending` names the servers that had not come up in time."""

    revision: int
    complete: bool
    pending: list[str]
    resources: list[Resource]
    templates: list[ResourceTemplate]


@frozen
class ReadResource:
    """A resource that was read; `document_uri` opens it in the editor."""

    server: str
    uri: str
    document_uri: str
    contents: list[ResourceContents]


@frozen
class PromptList:
    """Prompts; `pending` names the servers that had not come up in time."""

    revision: int
    complete: bool
    pending: list[str]
    prompts: list[Prompt]


@frozen
class FilledPrompt:
    """A prompt, filled in: its messages, and all of them as one text."""

    messages: list[PromptMessage]
    text: str
    description: str | None = None


@frozen
class Completion:
    """Values for an argument."""

    values: list[str]
    has_more: bool
    total: int | None = None


@frozen
class Instructions:
    """What the servers say about their own use: one text, and each server's part."""

    text: str
    servers: dict[str, str]


@frozen
class PromptSection:
    """The block that an agent puts into the uncached part of its system prompt."""

    revision: int
    text: str


@frozen
class Mentions:
    """The mentions of a text."""

    mentions: list[Mention]


@frozen
class ShownResource:
    """Whether the editor showed a resource's document."""

    shown: bool


@frozen
class RanCall:
    """The result of a call that stood in a document: the document that shows it, and its text."""

    document_uri: str
    is_error: bool
    text: str


@frozen
class Approvals:
    """Every standing decision."""

    approvals: list[Approval]


@frozen
class ImportPreview:
    """What an import would write, as an LSP WorkspaceEdit, and what it could not carry."""

    edit: JsonObject
    notes: list[str]

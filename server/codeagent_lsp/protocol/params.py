"""What each workspace command takes, as one frozen value per command."""

from typing import Any, Literal

from attrs import frozen

from codeagent_lsp.protocol.values import JsonObject, Position, Range

LogLevel = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]


@frozen
class NoParams:
    """A command that takes nothing."""


@frozen
class ServerParams:
    """A command about one server."""

    server: str


@frozen
class SetEnabledParams:
    """Switch a server, or one of its tools, on or off for this workspace."""

    server: str
    enabled: bool
    tool: str | None = None


@frozen
class LogsParams:
    """Read the log of one server, or of all; `lines` at most, and later ones too with `follow`."""

    server: str | None = None
    lines: int = 200
    follow: bool = False


@frozen
class SetLogLevelParams:
    """Ask a server for log messages from this level on."""

    server: str
    level: LogLevel


@frozen
class ListToolsParams:
    """List tools, of one server or of all. `wait_ms`: how long to wait for servers that are still starting."""

    server: str | None = None
    wait_ms: int = 8000
    include_disabled: bool = False


@frozen
class CallToolParams:
    """Call a tool, by its full name or by server and tool. `arguments` reach the server untouched."""

    name: str | None = None
    server: str | None = None
    tool: str | None = None
    arguments: Any = None
    timeout_ms: int | None = None


@frozen
class RefreshToolsParams:
    """Ask for the tools again if anything has changed since `revision`."""

    revision: int


@frozen
class ListParams:
    """List resources or prompts, of one server or of all."""

    server: str | None = None
    wait_ms: int = 8000


@frozen
class ReadResourceParams:
    """Read a resource, by server and URI or by a mention `@server:uri`."""

    server: str | None = None
    uri: str | None = None
    mention: str | None = None


@frozen
class ResourceParams:
    """A command about one resource."""

    server: str
    uri: str


@frozen
class RunCallParams:
    """Run a call that stands in an open document; `index` counts the calls of the document from 0."""

    uri: str
    index: int = 0


@frozen
class GetPromptParams:
    """Get a prompt, filled with arguments."""

    server: str
    name: str
    arguments: JsonObject | None = None


@frozen
class CompletionRef:
    """What an argument belongs to: a prompt by name, or a resource template by its URI template."""

    prompt: str | None = None
    template: str | None = None


@frozen
class ArgumentValue:
    """An argument and what the user has typed of it."""

    name: str
    value: str


@frozen
class CompleteArgumentParams:
    """Ask a server for values of an argument."""

    server: str
    ref: CompletionRef
    argument: ArgumentValue
    context: JsonObject | None = None


@frozen
class TextDocumentId:
    """A document that is open in the editor."""

    uri: str
    version: int | None = None


@frozen
class ResolveMentionsParams:
    """Find the mentions in a text, or in a stretch of an open document, and read what they stand for."""

    text: str | None = None
    text_document: TextDocumentId | None = None
    range: Range | None = None


@frozen
class SetTrustParams:
    """Decide about one launch of a server, named by its fingerprint."""

    server: str
    fingerprint: str
    decision: Literal["session", "always", "deny", "reset"]


@frozen
class RevokeApprovalParams:
    """Take one standing decision back."""

    id: str


@frozen
class ImportConfigParams:
    """Preview what importing servers from another tool's file would write."""

    uri: str
    servers: list[str] | None = None


__all__ = [
    "ArgumentValue",
    "CallToolParams",
    "CompleteArgumentParams",
    "CompletionRef",
    "GetPromptParams",
    "ImportConfigParams",
    "ListParams",
    "ListToolsParams",
    "LogLevel",
    "LogsParams",
    "NoParams",
    "Position",
    "ReadResourceParams",
    "RefreshToolsParams",
    "ResolveMentionsParams",
    "ResourceParams",
    "RevokeApprovalParams",
    "RunCallParams",
    "ServerParams",
    "SetEnabledParams",
    "SetLogLevelParams",
    "SetTrustParams",
    "TextDocumentId",
]

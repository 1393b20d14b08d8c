"""What the server tells an editor without being asked, and what it asks."""

from typing import Literal

from attrs import frozen

from codeagent_lsp.protocol.values import Capability, JsonObject, ServerStatus


@frozen
class StatusChanged:
    """Servers whose status is no longer what it was."""

    revision: int
    servers: list[ServerStatus]


@frozen
class ToolsChanged:
    """A server's tools are others now; names are full tool names (`mcp__server__tool`)."""

    revision: int
    server: str
    added: list[str]
    removed: list[str]
    changed: list[str]


@frozen
class ResourcesChanged:
    """A server's resources or templates are others now."""

    revision: int
    server: str


@frozen
class PromptsChanged:
    """A server's prompts are others now."""

    revision: int
    server: str


@frozen
class ResourceUpdated:
    """A subscribed resource has new content."""

    server: str
    uri: str
    document_uri: str


@frozen
class WorkspaceTrustChanged:
    """From the editor: whether the user trusts the workspace, as a whole or by folder URI."""

    workspace_trust: bool | dict[str, bool]


@frozen
class NamedValue:
    """A name and its value as it is shown: hidden characters visible, secrets redacted."""

    name: str
    value: str


@frozen
class FieldChange:
    """What differs from what the user had approved."""

    field: str
    before: str
    after: str


@frozen
class ApproveServerParams:
    """May this server start? Every text is plain, whole, and has its hidden characters visible."""

    server: str
    name: str
    config_uri: str
    fingerprint: str
    transport: Literal["stdio", "http", "sse"]
    warnings: list[str]
    folder: str | None = None
    argv: list[str] | None = None
    resolved_command: str | None = None
    cwd: str | None = None
    env: list[NamedValue] | None = None
    url: str | None = None
    headers: list[NamedValue] | None = None
    files: list[str] | None = None
    changed: list[FieldChange] | None = None


@frozen
class ApproveCallParams:
    """May this call run? `scopes` are the answers, besides `deny`, that the policy would take."""

    server: str
    tool: str
    description: str
    arguments: JsonObject
    capability: Capability
    warnings: list[str]
    scopes: list[str]
    title: str | None = None
    changed: list[FieldChange] | None = None


@frozen
class ElicitParams:
    """A server asks the user for something: a form by JSON Schema, or a visit to a URL."""

    server: str
    mode: Literal["form", "url"]
    message: str
    schema: JsonObject | None = None
    url: str | None = None


@frozen
class InputParams:
    """A value for `${input:id}` in a config file."""

    id: str
    description: str
    password: bool
    default: str | None = None
    options: list[str] | None = None


@frozen
class ServerDecision:
    """The answer to `approveServer`."""

    decision: Literal["session", "always", "deny"]


@frozen
class CallDecision:
    """The answer to `approveCall`."""

    decision: Literal["once", "session", "workspace", "always", "deny"]


@frozen
class ElicitAnswer:
    """The answer to `elicit`."""

    action: Literal["accept", "decline", "cancel"]
    content: JsonObject | None = None


@frozen
class InputAnswer:
    """The answer to `input`."""

    value: str

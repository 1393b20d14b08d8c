"""The things that travel on the wire: servers, tools, resources, prompts, results, log lines.

Field names are written in snake_case here and travel in camelCase. A field whose default is `None` is left out of
the JSON while it is `None`; every other field is always there.
"""

from typing import Any, Literal

from attrs import field, frozen

JsonObject = dict[str, Any]
"""A JSON object that passes through untouched: keys, order, nulls and big integers included."""

ContentBlock = JsonObject
"""One block of MCP content (`{"type": "text", ...}`), as the server sent it."""

State = Literal["disabled", "untrusted", "starting", "ready", "needsAuth", "failed", "stopped"]
Scope = Literal["user", "project"]
Transport = Literal["stdio", "http", "sse"]
Trust = Literal["session", "always", "denied", "needed"]
Capability = Literal["read", "network", "write", "destructive", "unknown"]
ToolKind = Literal["tool", "listResources", "readResource", "listPrompts", "getPrompt"]
ToolApproval = Literal["auto", "ask", "granted", "denied"]
Severity = Literal["error", "warning", "information", "hint"]
LogSource = Literal["stderr", "server", "host"]


@frozen
class Position:
    """A place in a text document: zero-based line, and character in the negotiated position encoding."""

    line: int
    character: int


@frozen
class Range:
    """A stretch of a text document; `end` is exclusive."""

    start: Position
    end: Position


@frozen
class ServerError:
    """Why a server is not usable: a kind from the error table, a message, and what is known of the process."""

    kind: str
    message: str
    hint: str | None = None
    exit_code: int | None = None
    stderr_tail: list[str] | None = None


@frozen
class ListErrors:
    """Which of a server's lists could not be read, and why."""

    tools: str | None = None
    resources: str | None = None
    prompts: str | None = None


@frozen
class ServerStatus:
    """One MCP server as an editor shows it. `server` is its id: the name in the config file."""

    server: str
    name: str
    scope: Scope
    config_uri: str
    transport: Transport
    state: State
    folder: str | None = None
    detail: str | None = None
    error: ServerError | None = None
    protocol_version: str | None = None
    server_info: JsonObject | None = None
    instructions: str | None = None
    capabilities: list[str] = field(factory=list[str])
    tools: int = 0
    disabled_tools: int = 0
    resources: int = 0
    resource_templates: int = 0
    prompts: int = 0
    list_errors: ListErrors | None = None
    pid: int | None = None
    started_at: str | None = None
    restarts: int = 0
    next_retry_at: str | None = None
    fingerprint: str | None = None
    trust: Trust | None = None


@frozen
class ConfigProblem:
    """One thing that is wrong in a config file, with its place."""

    range: Range
    severity: Severity
    message: str


@frozen
class ConfigFile:
    """One of the config files that are read, whether it exists or not."""

    uri: str
    scope: Scope
    exists: bool
    problems: list[ConfigProblem]


@frozen
class Tool:
    """A tool as an agent or editor sees it: a safe name, a sanitised schema, and what calling it means."""

    name: str
    server: str
    tool: str
    kind: ToolKind
    description: str
    input_schema: JsonObject
    capability: Capability
    approval: ToolApproval
    enabled: bool
    title: str | None = None
    output_schema: JsonObject | None = None
    annotations: JsonObject | None = None


@frozen
class CallResult:
    """What a tool answered. `is_error` is the tool's own word, and no failure of the call."""

    server: str
    tool: str
    is_error: bool
    text: str
    content: list[ContentBlock]
    duration_ms: int
    structured_content: Any = None
    warnings: list[str] | None = None


@frozen
class Resource:
    """A resource of a server. `uri` is the server's own string, byte for byte."""

    server: str
    uri: str
    name: str
    document_uri: str
    mention: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None
    annotations: JsonObject | None = None


@frozen
class ResourceTemplate:
    """A template of resource URIs (RFC 6570)."""

    server: str
    uri_template: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    annotations: JsonObject | None = None


@frozen
class ResourceContents:
    """One part of a resource that was read: text, or a blob in base64. `size` counts bytes."""

    uri: str
    mime_type: str
    size: int
    text: str | None = None
    blob: str | None = None


@frozen
class PromptArgument:
    """One argument that a prompt takes."""

    name: str
    required: bool
    description: str | None = None


@frozen
class Prompt:
    """A prompt of a server."""

    server: str
    name: str
    arguments: list[PromptArgument]
    title: str | None = None
    description: str | None = None


@frozen
class PromptMessage:
    """One message of a prompt."""

    role: str
    content: ContentBlock


@frozen
class LogLine:
    """One line of a log. `time` is RFC 3339 in UTC; `server` is missing on lines of the host itself."""

    time: str
    source: LogSource
    level: str
    text: str
    server: str | None = None


@frozen
class Approval:
    """A standing decision of the user: a server's launch, or calls of one tool."""

    id: str
    kind: Literal["server", "tool"]
    server: str
    scope: str
    since: str
    tool: str | None = None


@frozen
class Mention:
    """One `@server:uri` in a text, with what it stands for."""

    range: Range
    server: str
    uri: str
    contents: list[ResourceContents] | None = None
    error: str | None = None

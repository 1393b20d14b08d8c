"""What is remembered of the user's decisions, as frozen values with the JSON shape of the state files."""

from typing import Literal

from attrs import field, frozen

from codeagent_lsp.protocol import JsonObject

VERSION = 1


@frozen
class Fact:
    """One field of a launch: as the user saw it, and the digest of what it really was (SHA-256, hex).

    The digest also covers what is not shown, such as the value of a variable in an argument.
    """

    shown: str
    digest: str


@frozen
class LaunchDecision:
    """The user's decision about one launch, named by its fingerprint. `session` is never written to a file."""

    id: str
    fingerprint: str
    decision: Literal["session", "always", "denied"]
    server: str
    scope: Literal["user", "project"]
    since: str
    workspace: str | None = None
    facts: dict[str, Fact] = field(factory=dict[str, Fact])


@frozen
class ToolGrant:
    """A standing yes to calls of one tool, bound to the hash of its definition.

    `autoApprove` records which definition a glob of the user's config file was first used for. `void` is what is left
    of a grant whose tool has changed: it covers nothing, and shows what the change is.
    """

    id: str
    identity: str
    server: str
    tool: str
    scope: Literal["session", "workspace", "always", "autoApprove", "void"]
    definition_hash: str
    since: str
    workspace: str | None = None
    definition: JsonObject | None = None


@frozen
class Approvals:
    """The content of `approvals.json`."""

    version: int = VERSION
    launches: list[LaunchDecision] = field(factory=list[LaunchDecision])
    grants: list[ToolGrant] = field(factory=list[ToolGrant])


@frozen
class Switch:
    """A server, or one of its tools, switched on or off in one workspace."""

    workspace: str
    identity: str
    enabled: bool
    tool: str | None = None


@frozen
class Choices:
    """The content of `choices.json`: switches, and the protocol era that each launch spoke last, oldest first."""

    version: int = VERSION
    switches: list[Switch] = field(factory=list[Switch])
    eras: dict[str, Literal["legacy", "modern"]] = field(factory=dict[str, Literal["legacy", "modern"]])

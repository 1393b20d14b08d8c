"""One server as a config file declares it: sound (`Entry`) or not (`BrokenEntry`)."""

from pathlib import Path
from typing import Literal

from attrs import field, frozen

from codeagent_lsp.config.nodes import Span
from codeagent_lsp.protocol.values import Scope, Transport

START_TIMEOUT_MS = 30_000
TIMEOUT_MS = 60_000
MAX_TIMEOUT_MS = 86_400_000

Autostart = Literal[True, "onDemand"]
Era = Literal["auto", "legacy", "modern"]


@frozen
class OAuth:
    """What the user knows of the OAuth client; everything may be left out."""

    client_id: str | None = None
    client_secret: str | None = None
    scopes: tuple[str, ...] | None = None
    callback_port: int | None = None


@frozen
class Entry:
    """A server entry that can be used. Texts are as written: variables are expanded when the server is started.

    `folder` is the workspace folder of a project entry, `path` the file. `env` maps to `None` what the child shall
    not have. `needs_approval` is true for a project's entry, and for a user's whose file others can write to.
    Where an entry stands in its file is no part of its identity: two entries that say the same are equal.
    """

    name: str
    scope: Scope
    folder: Path | None
    path: Path
    transport: Transport
    command: str | None = None
    args: tuple[str, ...] = ()
    env: dict[str, str | None] = field(factory=dict[str, str | None])
    cwd: str | None = None
    env_file: str | None = None
    url: str | None = None
    headers: dict[str, str] = field(factory=dict[str, str])
    oauth: OAuth | None = None
    disabled: bool = False
    autostart: Autostart = True
    start_timeout_ms: int = START_TIMEOUT_MS
    timeout_ms: int = TIMEOUT_MS
    include_tools: tuple[str, ...] | None = None
    exclude_tools: tuple[str, ...] = ()
    trust_annotations: bool = False
    auto_approve: tuple[str, ...] = ()
    inherit_env: tuple[str, ...] = ()
    protocol: Era = "auto"
    needs_approval: bool = False
    dialect: str = "codeagent"
    key_span: Span = field(default=Span(0, 0), eq=False)

    @property
    def only_disables(self) -> bool:
        """Whether this is `{"disabled": true}` alone: no server, but a switch for one of the same name."""
        return self.command is None and self.url is None

    def texts(self) -> dict[str, str]:
        """Every text that variables are put into, by the name of its field as messages have it (`args[0]`)."""
        fields = {"command": self.command, "cwd": self.cwd, "envFile": self.env_file, "url": self.url}
        if self.oauth is not None:
            fields |= {"oauth.clientId": self.oauth.client_id, "oauth.clientSecret": self.oauth.client_secret}
        fields |= {f"args[{index}]": value for index, value in enumerate(self.args)}
        fields |= {f"env.{name}": value for name, value in self.env.items()}
        fields |= {f"headers.{name}": value for name, value in self.headers.items()}
        return {name: value for name, value in fields.items() if value is not None}


@frozen
class BrokenEntry:
    """A server entry that cannot be used, and why. `disabled`: it says at least that much."""

    name: str
    scope: Scope
    folder: Path | None
    path: Path
    key_span: Span = field(eq=False)
    message: str
    disabled: bool = False

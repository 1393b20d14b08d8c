"""The parts of the house, introduced to each other: what every operation works with."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import anyio
from attrs import define, field

from codeagent_lsp.catalog.tools import Catalog
from codeagent_lsp.config.document import Encoding
from codeagent_lsp.config.files import Config
from codeagent_lsp.journal import Journal
from codeagent_lsp.manager import Manager
from codeagent_lsp.operations.announce import Announcer
from codeagent_lsp.operations.asking import Questions
from codeagent_lsp.operations.following import Following
from codeagent_lsp.operations.inputs import Inputs
from codeagent_lsp.operations.lists import Lists
from codeagent_lsp.operations.wants import Plan
from codeagent_lsp.policy.approval import CallGate
from codeagent_lsp.policy.store import Store
from codeagent_lsp.policy.trust import TrustGate
from codeagent_lsp.redaction import Redactor

if TYPE_CHECKING:
    from codeagent_lsp.operations.status import Composed


class EditorLine(Protocol):
    """The outgoing half of the editor, as operations need it."""

    def notify(self, method: str, value: object) -> None:
        """Tell the editor; never waits."""

    async def ask(self, method: str, value: object) -> Any:
        """Ask the editor: the answer as JSON of the right shape, `None` where there is no usable one in time."""

    async def show_message_request(self, text: str, buttons: Sequence[str]) -> str | None:
        """Ask with buttons: the one that was pressed, or `None`."""

    @property
    def features(self) -> frozenset[str]:
        """The questions that the editor can put to its user."""
        ...


@define
class Workspace:
    """What the editor said about itself and the workspace."""

    folders: list[Path] = field(factory=list[Path])
    trust: bool | dict[str, bool] = False
    variables: Mapping[str, str] = field(factory=dict[str, str])
    settings: Mapping[str, Any] = field(factory=dict[str, Any])
    encoding: Encoding = "utf-16"
    key: tuple[tuple[Path, ...], str] | None = None
    """What tells this workspace from others, for the folders that it was made from."""


@define(eq=False)
class Host:
    """Everything that an operation may need; made once, by the composition root."""

    home: Path
    """The user's `.codeagent` folder."""
    environment: Mapping[str, str]
    workspace: Workspace
    config: Config
    store: Store
    trust: TrustGate
    calls: CallGate
    manager: Manager
    catalog: Catalog
    lists: Lists
    announcer: Announcer
    following: Following
    journal: Journal
    redactor: Redactor
    editor: EditorLine
    inputs: Inputs
    spawn: Callable[[Coroutine[Any, Any, None]], None]
    """Run something in the background, within the house's own task group."""
    publish_config: Callable[[Config], None]
    """Show the problems of the config files."""
    close_reaper: Callable[[], None]
    """Let the guardian of our processes go, at the very end."""
    plan: Plan = field(factory=Plan)
    statuses: "dict[str, Composed]" = field(factory=dict[str, "Composed"])
    """The status of each server as it was composed last."""
    questions: Questions = field(factory=Questions)
    launch_question: anyio.Lock = field(factory=anyio.Lock)
    """Held while the user is asked about a launch: one such question at a time."""
    stopped: set[str] = field(factory=set[str])
    """Servers that the user has stopped by hand."""
    asked: set[str | None] = field(factory=set[str | None])
    """Fingerprints that the user was asked about in this session: silence is a no, and no is not asked twice."""

"""What the user has decided, kept in the user's state folder: approvals of servers and tools, switches, eras.

Two files, `approvals.json` and `choices.json`; see `statefile` for how they are read and written. What cannot be
written holds for this session, and `problem` says so. Several processes may share a folder: every change is merged
into what the others have written, and a denial that this process has not seen wins over a yes.
"""

import secrets
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from attrs import evolve

from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.policy.records import Approvals, Choices, LaunchDecision, Switch, ToolGrant
from codeagent_lsp.policy.statefile import StateFile
from codeagent_lsp.protocol import Approval

_KEPT_LAUNCHES = 10
_KEPT_ERAS = 500

Era = Literal["legacy", "modern"]


class Store:
    """The decisions of one user.

    `folder` is the state folder; it need not exist. `workspaces` are the folders that are open: set the attribute anew
    when they change. `clock` gives seconds since the epoch.
    """

    def __init__(
        self, folder: Path, *, workspaces: Sequence[Path] = (), clock: Callable[[], float] = time.time
    ) -> None:
        self.workspaces = list(workspaces)
        self._clock = clock
        self._approvals = StateFile(folder / "approvals.json", Approvals, lambda: self.workspaces)
        self._choices = StateFile(folder / "choices.json", Choices, lambda: self.workspaces)
        self._session = Approvals()
        self._session_choices = Choices()
        self._forgotten: set[str] = set()

    @property
    def problem(self) -> str | None:
        """Why decisions are not read or not kept, as a message to the user; `None` while all is well."""
        return self._approvals.problem or self._choices.problem

    def load(self) -> str | None:
        """Read both files now; returns `problem`."""
        self._approvals.read()
        self._choices.read()
        return self.problem

    def update(self, change: Callable[[Approvals], Approvals]) -> bool:
        """Merge a change into `approvals.json`; whether it has been written."""
        return self._approvals.update(change)

    def launches(self) -> list[LaunchDecision]:
        """Every decision about launches, those of this session last."""
        kept = self._approvals.read().launches
        return [*self._remembered(kept), *self._session.launches]

    def known_launches(self) -> list[LaunchDecision]:
        """As `launches`, but as of the last reading: what the user can have been shown."""
        return [*self._remembered(self._approvals.known.launches), *self._session.launches]

    def grants(self) -> list[ToolGrant]:
        """Every standing yes to calls, those of this session last."""
        kept = self._approvals.read().grants
        return [*(grant for grant in kept if grant.id not in self._forgotten), *self._session.grants]

    def add_launch(self, record: LaunchDecision, *, replacing: Collection[str] = ()) -> None:
        """Remember a decision, and forget those whose ids are in `replacing`.

        A `session` decision stays in memory. Where the file cannot be written, the decision holds for this session.
        """
        self.forget(replacing)
        if record.decision != "session" and self.update(lambda old: _with_launch(old, record)):
            return
        if record.decision == "always":
            record = evolve(record, decision="session")
        self._session = _with_launch(self._session, record)

    def add_grant(self, record: ToolGrant) -> None:
        """Remember a grant in place of any other of the same scope; in memory where it cannot be written."""
        if record.scope != "session" and self.update(lambda old: _with_grant(old, record)):
            return
        self._session = _with_grant(self._session, record)

    def forget(self, ids: Collection[str]) -> None:
        """Forget decisions by id. Where the file cannot be written, they stay forgotten for this session."""
        self._change(frozenset(ids), _without)

    def void(self, grants: Collection[ToolGrant]) -> None:
        """Take grants back, and keep what they covered, so that the change can be shown."""
        standing = [item for item in grants if item.scope != "void"]
        self._change(frozenset(item.id for item in standing), _voided)
        lost = [evolve(item, scope="void", workspace=None) for item in standing if item.id in self._forgotten]
        self._session = evolve(self._session, grants=[*self._session.grants, *lost])

    def _change(self, ids: frozenset[str], change: Callable[[Approvals, frozenset[str]], Approvals]) -> None:
        known = self._approvals.known
        on_disk = ids & {item.id for item in (*known.launches, *known.grants)}
        self._session = change(self._session, ids)
        if on_disk and not self.update(lambda old: change(old, ids)):
            self._forgotten |= on_disk

    def listing(self) -> list[Approval]:
        """Every standing decision, oldest first, for `codeagent.listApprovals`."""
        servers = [Approval(item.id, "server", item.server, item.decision, item.since) for item in self.launches()]
        tools = [
            Approval(item.id, "tool", item.server, item.scope, item.since, tool=item.tool)
            for item in self.grants()
            if item.scope != "void"
        ]
        return sorted([*servers, *tools], key=lambda item: (item.since, item.kind, item.server, item.tool or ""))

    def revoke(self, approval_id: str) -> None:
        """Take one standing decision back. Raises `InvalidParams` where there is none with this id."""
        if not any(item.id == approval_id for item in self.listing()):
            raise InvalidParams(f"there is no approval with the id {approval_id!r}; list them anew")
        self.forget([approval_id])

    @property
    def switches(self) -> tuple[list[Switch], list[Switch]]:
        """Everything that the user has switched on or off: in this session alone, and as it is kept."""
        return self._session_choices.switches, self._choices.read().switches

    def enabled(self, workspace: str, identity: str, tool: str | None = None) -> bool | None:
        """Whether the user switched this server or tool on or off in this workspace; `None` if neither."""
        for switches in self.switches:
            for switch in switches:
                if (switch.workspace, switch.identity, switch.tool) == (workspace, identity, tool):
                    return switch.enabled
        return None

    def set_enabled(self, workspace: str, identity: str, tool: str | None, enabled: bool) -> None:
        """Remember a switch; `tool` is the server's own name, or `None` for the whole server."""
        switch = Switch(workspace, identity, enabled, tool)

        def change(old: Choices) -> Choices:
            return evolve(old, switches=[*(item for item in old.switches if not _same(item, switch)), switch])

        written = self._choices.update(change)
        others = [item for item in self._session_choices.switches if not _same(item, switch)]
        self._session_choices = evolve(self._session_choices, switches=others if written else [*others, switch])

    def era(self, fingerprint: str) -> Era | None:
        """The protocol era that this launch spoke last time."""
        return self._session_choices.eras.get(fingerprint) or self._choices.read().eras.get(fingerprint)

    def learn_era(self, fingerprint: str, era: Era) -> None:
        """Remember the era of a launch; nothing is written where it is known."""
        self.learn_eras({fingerprint: era})

    def learn_eras(self, learned: Mapping[str, Era]) -> None:
        """The same for many launches, in one write."""
        news = {fingerprint: era for fingerprint, era in learned.items() if self.era(fingerprint) != era}
        if not news:
            return

        def change(old: Choices) -> Choices:
            eras = {**{key: value for key, value in old.eras.items() if key not in news}, **news}
            return evolve(old, eras=dict(list(eras.items())[-_KEPT_ERAS:]))

        if not self._choices.update(change):
            self._session_choices = change(self._session_choices)

    def now(self) -> str:
        """The time as it stands in records: RFC 3339, UTC, whole seconds."""
        return datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

    def _remembered(self, launches: list[LaunchDecision]) -> list[LaunchDecision]:
        return [item for item in launches if item.id not in self._forgotten and item.decision != "session"]


def new_id() -> str:
    """A fresh id for a record."""
    return secrets.token_hex(8)


def _with_launch(old: Approvals, record: LaunchDecision) -> Approvals:
    """Add a decision. A denial replaces what was said of this fingerprint; a yes leaves denials where they are.

    Of each server the newest approvals are kept, and only the newest keeps its facts: it is what later launches are
    compared with.
    """
    others = [
        item
        for item in old.launches
        if item.fingerprint != record.fingerprint or (record.decision != "denied" and item.decision == "denied")
    ]
    place = (record.scope, record.workspace, record.server)
    mine = [item for item in others if (item.scope, item.workspace, item.server) == place]
    surplus = {item.id for item in mine[: max(0, len(mine) - _KEPT_LAUNCHES + 1)]}
    if record.facts:
        others = [evolve(item, facts={}) if item in mine else item for item in others]
    return evolve(old, launches=[*(item for item in others if item.id not in surplus), record])


def _with_grant(old: Approvals, record: ToolGrant) -> Approvals:
    def same(item: ToolGrant) -> bool:
        return (item.identity, item.tool, item.scope) == (record.identity, record.tool, record.scope) and (
            item.workspace == record.workspace
        )

    return evolve(old, grants=[*(item for item in old.grants if not same(item)), record])


def _without(old: Approvals, ids: frozenset[str]) -> Approvals:
    return evolve(
        old,
        launches=[item for item in old.launches if item.id not in ids],
        grants=[item for item in old.grants if item.id not in ids],
    )


def _voided(old: Approvals, ids: frozenset[str]) -> Approvals:
    grants = [evolve(item, scope="void", workspace=None) if item.id in ids else item for item in old.grants]
    return evolve(old, grants=grants)


def _same(one: Switch, other: Switch) -> bool:
    return (one.workspace, one.identity, one.tool) == (other.workspace, other.identity, other.tool)

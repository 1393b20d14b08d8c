"""May this server start? The one gate that makes launch tickets; nothing is spawned or connected without one."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NoReturn, cast

from attrs import frozen

from codeagent_lsp.config.launch import Launch
from codeagent_lsp.errors import InvalidParams, Stale, Untrusted
from codeagent_lsp.policy.fingerprint import Part, differences, facts, fingerprint_of, parts, show
from codeagent_lsp.policy.question import is_readable, is_too_long, launch_question
from codeagent_lsp.policy.records import Fact, LaunchDecision
from codeagent_lsp.policy.store import Store, new_id
from codeagent_lsp.policy.values import show_names
from codeagent_lsp.protocol import ApproveServerParams
from codeagent_lsp.protocol.values import Trust

_GATE_ONLY = object()


class LaunchTicket:
    """The right to start one launch once. Only `TrustGate` makes tickets, and a ticket cannot be copied."""

    __slots__ = ("_check", "_launch", "_used", "fingerprint")

    def __init__(self, maker: object, launch: Launch, fingerprint: str, check: Callable[[], None]) -> None:
        if maker is not _GATE_ONLY:
            raise TypeError("launch tickets are made by TrustGate.ticket only")
        self.fingerprint = fingerprint
        self._launch = launch
        self._check = check
        self._used = False

    def redeem(self) -> Launch:
        """The launch, to be started at once.

        Raises `Untrusted` if the ticket has been used, if the approval was taken back meanwhile, or if a file that
        was approved is another now.
        """
        if self._used:
            raise Untrusted("this launch ticket has been used; every start needs its own", server=self._launch.server)
        self._used = True
        self._check()
        return self._launch

    def __reduce__(self) -> NoReturn:
        raise TypeError("a launch ticket cannot be copied")


@frozen
class Judgement:
    """What the gate says of a launch now: its fingerprint, the user's decision, and why it may not start."""

    fingerprint: str
    trust: Trust | None = None
    refusal: Untrusted | None = None


class TrustGate:
    """Says which launches may start.

    A launch of the user's own file may. A launch of a project, or of a user file that others can write to
    (`entry.needs_approval`), may if the editor trusts its folder (`folder_trusted`, only `True` counts) and the user
    has approved exactly this launch. `user_file_safe` may say of a user's config file that it is not safe after all.
    """

    def __init__(
        self,
        store: Store,
        *,
        folder_trusted: Callable[[Path], bool],
        user_file_safe: Callable[[Path], bool] | None = None,
    ) -> None:
        self._store = store
        self._folder_trusted = folder_trusted
        self._user_file_safe = user_file_safe

    def fingerprint(self, launch: Launch) -> str:
        """SHA-256 (hexadecimal) of what would be started; see `policy.fingerprint`. Reads files, starts nothing."""
        return fingerprint_of(parts(launch))

    def trust(self, launch: Launch) -> Trust | None:
        """The user's decision about exactly this launch; `None` where none is needed."""
        return self._decided(self.fingerprint(launch)) if self._asks(launch) else None

    def refusal(self, launch: Launch) -> Untrusted | None:
        """Why this launch may not start now, and what to do; `None` if it may."""
        return self._refusal(launch, parts(launch)) if self._asks(launch) else None

    def judge(self, launch: Launch) -> Judgement:
        """`fingerprint`, `trust` and `refusal` at once, from one look at the files."""
        found = parts(launch)
        fingerprint = fingerprint_of(found)
        if not self._asks(launch):
            return Judgement(fingerprint)
        return Judgement(fingerprint, self._decided(fingerprint), self._refusal(launch, found))

    def ticket(self, launch: Launch) -> LaunchTicket:
        """A ticket for one start. Raises `Untrusted` with the reason where there is none."""
        found = parts(launch)
        if self._asks(launch) and (refusal := self._refusal(launch, found)):
            raise refusal
        return LaunchTicket(_GATE_ONLY, launch, fingerprint_of(found), lambda: self._check_again(launch, found))

    def question(self, launch: Launch, *, same_name: bool = False) -> ApproveServerParams:
        """What the user is asked about this launch, with the difference to what they approved last.

        `same_name`: a file of the user declares a server of this name too. Raises `Untrusted` where the launch is too
        long to be read by a person.
        """
        if not is_too_long(launch):
            question = launch_question(launch, self._approved_last(launch), same_name=same_name)
            if is_readable(question):
                return question
        raise self._unreadable(launch)

    def decide(self, launch: Launch, fingerprint: str, decision: str) -> Trust | None:
        """Remember the user's decision (`session`, `always`, `deny`, `reset`); the trust that holds from now on.

        Raises `Stale` where `fingerprint` is not that of this launch: what the user saw is not what would start.
        Raises `InvalidParams` for another decision, or a server that needs none; `Untrusted` for a yes to a launch
        that is too long to be read.
        """
        if decision not in ("session", "always", "deny", "reset"):
            raise InvalidParams(f"`decision` must be session, always, deny or reset, not {show(decision)}")
        if not self._asks(launch):
            raise InvalidParams(
                "this server is declared in your own config and needs no approval", server=launch.server
            )
        # As of before this: a denial that the user cannot have been shown is not overruled.
        known = [item.id for item in self._store.known_launches() if item.fingerprint == fingerprint]
        found = parts(launch)
        if fingerprint != fingerprint_of(found):
            raise Stale(
                "the server is not what it was when you were asked",
                server=launch.server,
                hint="Look at it again, and decide about what it is now.",
            )
        if decision in ("session", "always"):
            self.question(launch)
        if decision == "reset":
            self._store.forget(known)
        else:
            self._store.add_launch(self._record(launch, found, decision), replacing=known)
        return self._decided(fingerprint)

    def _asks(self, launch: Launch) -> bool:
        entry = launch.entry
        if entry.scope != "user" or entry.needs_approval:
            return True
        return self._user_file_safe is not None and self._user_file_safe(entry.path) is not True

    def _decided(self, fingerprint: str) -> Trust:
        decisions = {item.decision for item in self._store.launches() if item.fingerprint == fingerprint}
        for decision in ("denied", "always", "session"):  # deny wins
            if decision in decisions:
                return cast(Trust, decision)
        return "needed"

    def _refusal(self, launch: Launch, found: list[Part]) -> Untrusted | None:
        server, folder = launch.server, launch.entry.folder
        if folder is not None and self._folder_trusted(folder) is not True:
            return Untrusted(
                f"the editor has not been told that the workspace {show(str(folder))} is trusted, so nothing that it"
                " declares is started",
                server=server,
                hint="Trust the workspace in the editor; the server is then still asked about on its own.",
            )
        fingerprint = fingerprint_of(found)
        decided = self._decided(fingerprint)
        if decided in ("session", "always"):
            return None
        if decided == "denied":
            return Untrusted(
                "you denied this launch",
                server=server,
                hint="Reset the decision (codeagent.setTrust with `reset`) to be asked again.",
            )
        if is_too_long(launch):
            return self._unreadable(launch)
        how = f"Look at it and approve it; its fingerprint is {fingerprint}."
        if self._store.problem:
            how += f" Earlier approvals do not count: {self._store.problem}"
        approved = self._approved_last(launch)
        changed = differences(approved, found) if approved else []
        if changed:
            fields = show_names(item.field for item in changed)
            return Untrusted(f"it has changed since you approved it: {fields}", server=server, hint=how)
        return Untrusted("it waits for your approval", server=server, hint=how)

    def _check_again(self, launch: Launch, then: list[Part]) -> None:
        if not self._asks(launch):
            return
        now = parts(launch)
        if changed := differences(facts(then), now):
            fields = show_names(item.field for item in changed)
            raise Untrusted(
                f"{fields} changed at the moment of the start",
                server=launch.server,
                hint="Nothing was started. Look at it and approve it anew.",
            )
        if refusal := self._refusal(launch, now):
            raise refusal

    def _approved_last(self, launch: Launch) -> dict[str, Fact] | None:
        place = (launch.entry.scope, _workspace(launch), launch.server)
        approved = [
            item
            for item in self._store.launches()
            if (item.scope, item.workspace, item.server) == place and item.facts and item.decision != "denied"
        ]
        return max(approved, key=lambda item: item.since).facts if approved else None

    def _record(self, launch: Launch, found: list[Part], decision: str) -> LaunchDecision:
        return LaunchDecision(
            id=new_id(),
            fingerprint=fingerprint_of(found),
            decision="denied" if decision == "deny" else cast(Literal["session", "always"], decision),
            server=launch.server,
            scope=launch.entry.scope,
            since=self._store.now(),
            workspace=_workspace(launch),
            facts={} if decision == "deny" else facts(found),
        )

    def _unreadable(self, launch: Launch) -> Untrusted:
        return Untrusted(
            "its command line, environment and headers are longer than a person can read (64 KiB), so it cannot be"
            " approved",
            server=launch.server,
            hint=f"Shorten the entry in {show(str(launch.entry.path))}.",
        )


def _workspace(launch: Launch) -> str | None:
    return None if launch.entry.folder is None else os.path.realpath(launch.entry.folder)

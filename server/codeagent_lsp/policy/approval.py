"""May this call run? Five rules in order, in one function that every call passes."""

import time
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Literal, cast

from attrs import field, frozen

from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.policy.canonical import digest
from codeagent_lsp.policy.capability import contradicts, hint
from codeagent_lsp.policy.definition import changes, definition_hash, hides, keepable
from codeagent_lsp.policy.records import ToolGrant
from codeagent_lsp.policy.store import Store, new_id
from codeagent_lsp.protocol import ApproveCallParams, Capability, FieldChange, JsonObject
from codeagent_lsp.protocol.values import ToolApproval, ToolKind
from codeagent_lsp.text import one_line, visible

CallScope = Literal["once", "session", "workspace", "always"]

ONCE_HOLDS = 120.0
"""Seconds for which a yes to one call waits for that call."""

_LONGEST_NAME = 200
_LONGEST_DESCRIPTION = 4_000


@frozen
class CallSubject:
    """A tool, as the gate judges it.

    `identity` is stable: scope, config path and name of the server. `user_server`: the entry stands in a file of the
    user that only the user can write to. `tool` is the server's own name for it, `definition` its raw JSON.
    `workspace` is the real path of the folder in which the call is made. `kind` is `tool`, or one of the virtual tools
    that read a ready server.
    """

    server: str
    identity: str
    user_server: bool
    trust_annotations: bool
    auto_approve: tuple[str, ...]
    tool: str
    title: str | None
    description: str | None
    definition: JsonObject
    capability: Capability
    workspace: str
    enabled: bool
    kind: ToolKind = "tool"
    known_hash: str = ""

    @property
    def definition_hash(self) -> str:
        """The hash of the definition; `known_hash` saves making it anew for each call."""
        return self.known_hash or definition_hash(self.definition)


@frozen
class Ruling:
    """What the gate says: run, ask (with the scopes that an answer may have), or refuse; and why."""

    action: Literal["run", "ask", "refuse"]
    reason: str
    scopes: list[str] = field(factory=list[str])
    changed: list[FieldChange] = field(factory=list[FieldChange])
    warnings: list[str] = field(factory=list[str])


class CallGate:
    """Judges calls, and remembers what the user answered. `clock` is monotonic, in seconds."""

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._once: dict[tuple[str, str, str, str], list[float]] = {}

    def ruling(self, subject: CallSubject, arguments: Mapping[str, Any] | None) -> Ruling:
        """The first rule that decides, decides. A `once` that covers the call is used up by this."""
        if not subject.enabled:
            return Ruling("refuse", "the tool is switched off")
        if subject.kind != "tool":
            return Ruling("run", "it only reads a server that is ready")
        vouching, outdated = self._standing(subject)
        if self._use_once(subject, arguments):
            return Ruling("run", "you allowed this call")
        if outdated:
            self._store.void(self._records(subject))
            changed = changes(outdated.definition, subject.definition)
            return _ask(subject, arguments, "the tool has changed since you allowed it", changed)
        if grant := _covering(vouching, subject):
            return Ruling("run", f"you allowed this tool ({grant.scope})")
        if _auto_approved(subject):
            self._pin(subject)
            return Ruling("run", "autoApprove in your config allows this tool")
        if _reads(subject):
            return Ruling("run", "it only reads")
        return _ask(subject, arguments, _why_not(subject), [])

    def grant(self, subject: CallSubject, arguments: Mapping[str, Any] | None, scope: str) -> None:
        """Remember a yes. Raises `InvalidParams` for a scope that `scopes` does not offer for this tool.

        The yes is bound to this subject's definition: if the tool changes while the question is open, it covers
        nothing.
        """
        offered = scopes(subject)
        if scope not in offered:
            raise InvalidParams(
                f"the tool `{one_line(subject.tool)}` can be allowed for {', '.join(offered)}; not for {scope!r}",
                server=subject.server,
                tool=subject.tool,
            )
        if scope == "once":
            self._once.setdefault(_call_key(subject, arguments), []).append(self._clock() + ONCE_HOLDS)
            return
        current = subject.definition_hash
        self._store.forget(
            [item.id for item in self._records(subject) if item.scope == "void" or item.definition_hash != current]
        )
        self._store.add_grant(self._record(subject, cast(CallScope, scope)))
        if _auto_approved(subject):
            self._pin(subject)

    def approval_of(self, subject: CallSubject) -> ToolApproval:
        """What a call of this tool would meet now, for showing; changes nothing."""
        if not subject.enabled:
            return "denied"
        if subject.kind != "tool":
            return "auto"
        vouching, outdated = self._standing(subject)
        if outdated:
            return "ask"
        if _covering(vouching, subject) or _auto_approved(subject):
            return "granted"
        return "auto" if _reads(subject) else "ask"

    def question(self, subject: CallSubject, arguments: Mapping[str, Any] | None, ruling: Ruling) -> ApproveCallParams:
        """What the user is asked after an `ask`; hidden characters of the server's text are visible, cuts are too."""
        return ApproveCallParams(
            server=subject.server,
            tool=visible(subject.tool, newlines=False, limit=_LONGEST_NAME, runs=True),
            title=visible(subject.title, newlines=False, limit=_LONGEST_NAME, runs=True) if subject.title else None,
            description=visible(subject.description or "", limit=_LONGEST_DESCRIPTION, runs=True),
            arguments=dict(arguments or {}),
            capability=subject.capability,
            warnings=ruling.warnings,
            scopes=ruling.scopes,
            changed=ruling.changed or None,
        )

    def _records(self, subject: CallSubject) -> list[ToolGrant]:
        key = (subject.identity, subject.tool)
        return [item for item in self._store.grants() if (item.identity, item.tool) == key]

    def _standing(self, subject: CallSubject) -> tuple[list[ToolGrant], ToolGrant | None]:
        """The records of exactly this definition; or else the newest record of another one, which is void."""
        records = self._records(subject)
        if not records:
            return [], None
        current = subject.definition_hash
        vouching = [item for item in records if item.definition_hash == current and item.scope != "void"]
        return vouching, None if vouching else records[-1]

    def _use_once(self, subject: CallSubject, arguments: Mapping[str, Any] | None) -> bool:
        if not self._once:
            return False
        now = self._clock()
        waiting = {key: [end for end in ends if end > now] for key, ends in self._once.items()}
        self._once = {key: ends for key, ends in waiting.items() if ends}
        ends = self._once.get(_call_key(subject, arguments))
        if not ends:
            return False
        ends.pop(0)
        return True

    def _pin(self, subject: CallSubject) -> None:
        """Remember which definition `autoApprove` lets through, so that another one asks."""
        current = subject.definition_hash
        if not any(item.scope == "autoApprove" and item.definition_hash == current for item in self._records(subject)):
            self._store.add_grant(self._record(subject, "autoApprove"))

    def _record(self, subject: CallSubject, scope: CallScope | Literal["autoApprove"]) -> ToolGrant:
        return ToolGrant(
            id=new_id(),
            identity=subject.identity,
            server=subject.server,
            tool=subject.tool,
            scope=cast(Any, scope),
            definition_hash=subject.definition_hash,
            since=self._store.now(),
            workspace=subject.workspace if scope == "workspace" else None,
            definition=keepable(subject.definition),
        )


def scopes(subject: CallSubject) -> list[str]:
    """The scopes in which this tool can be allowed: a destructive one never beyond the session."""
    if subject.capability == "destructive":
        return ["once", "session"]
    return ["once", "session", "workspace", *(["always"] if subject.user_server else [])]


def _ask(subject: CallSubject, arguments: Mapping[str, Any] | None, reason: str, changed: list[FieldChange]) -> Ruling:
    return Ruling("ask", reason, scopes(subject), changed, _warnings(subject, arguments, reason if changed else None))


def _covering(vouching: list[ToolGrant], subject: CallSubject) -> ToolGrant | None:
    offered = scopes(subject)
    for item in vouching:
        if item.scope in offered and item.workspace in (None, subject.workspace):
            return item
    return None


def _auto_approved(subject: CallSubject) -> bool:
    return subject.user_server and any(fnmatchcase(subject.tool, pattern) for pattern in subject.auto_approve)


def _annotations(subject: CallSubject) -> Mapping[str, object] | None:
    found: object = subject.definition.get("annotations")
    return cast(Mapping[str, object], found) if isinstance(found, dict) else None


def _reads(subject: CallSubject) -> bool:
    """Whether the tool is a reader by its server's word, and that word counts."""
    return (
        subject.capability == "read"
        and (subject.user_server or subject.trust_annotations)
        and hint(_annotations(subject), "readOnlyHint") is True
        and not contradicts(subject.tool, _annotations(subject))
    )


def _why_not(subject: CallSubject) -> str:
    if subject.capability != "read":
        return f"its capability is {subject.capability}"
    if hint(_annotations(subject), "readOnlyHint") is True:
        return "its server says that it only reads, and the server is not one of your own"
    return "its name says that it reads, and its server does not"


def _warnings(subject: CallSubject, arguments: Mapping[str, Any] | None, changed: str | None) -> list[str]:
    found: list[str] = []
    if changed:
        found.append("The tool has changed since you allowed it.")
    if contradicts(subject.tool, _annotations(subject)):
        found.append("Its server calls it read-only, but its name says that it changes something.")
    for label, text in (("name", subject.tool), ("title", subject.title), ("description", subject.description)):
        if text and visible(text) != text.replace("\r\n", "\n"):
            found.append(f"Its {label} contains hidden characters; they are shown as \\u{{…}}.")
    if arguments and hides(arguments):
        found.append("The arguments contain hidden characters.")
    return found


def _call_key(subject: CallSubject, arguments: Mapping[str, Any] | None) -> tuple[str, str, str, str]:
    return subject.identity, subject.tool, subject.definition_hash, digest(dict(arguments or {}))

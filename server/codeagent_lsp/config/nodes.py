"""The words of a parsed config file: spans, problems, and the nodes of its tree."""

from typing import Any, Literal

from attrs import frozen

from codeagent_lsp.protocol.values import Severity

Kind = Literal["object", "array", "string", "number", "boolean", "null", "invalid", "missing"]


@frozen
class Span:
    """A stretch of a text in code points; `end` is exclusive."""

    start: int
    end: int

    def holds(self, offset: int) -> bool:
        """Whether a cursor at `offset` is in or at the edge of the stretch."""
        return self.start <= offset <= self.end


@frozen
class Problem:
    """One thing that is wrong, and where."""

    span: Span
    severity: Severity
    message: str


@frozen
class Node:
    """One value of the tree.

    `value` is what JSON says for strings, numbers, booleans and null. Kind `missing` stands where a value should be
    (`"a": ,`), kind `invalid` for one that cannot be used (`NaN`, a bad escape, deeper than 64 levels).
    """

    kind: Kind
    span: Span
    value: str | int | float | bool | None = None
    members: tuple["Member", ...] = ()
    items: tuple["Node", ...] = ()

    def get(self, key: str) -> "Node | None":
        """The value of a key of an object. Of two equal keys the last one counts."""
        member = self.member(key)
        return member.value if member else None

    def member(self, key: str) -> "Member | None":
        """Key and value of an object's member. Of two equal keys the last one counts."""
        return next((member for member in reversed(self.members) if member.key.value == key), None)

    def plain(self) -> Any:
        """The value as Python has it; `None` for what is missing or invalid."""
        if self.kind == "object":
            return {str(member.key.value): member.value.plain() for member in self.members}
        if self.kind == "array":
            return [item.plain() for item in self.items]
        return self.value


@frozen
class Member:
    """A key of an object with its value."""

    key: Node
    value: Node

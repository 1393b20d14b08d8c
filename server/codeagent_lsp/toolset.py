"""For agents written in Python: a set of tools in which the MCP tools can be swapped without touching the others."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")

MCP_PREFIX = "mcp__"


def is_mcp_tool(name: str) -> bool:
    """Whether a tool of this name came from an MCP server."""
    return name.startswith(MCP_PREFIX)


def name_of(tool: object) -> str:
    """The name of a tool that is a mapping with a `name`, an object with a `name`, or the name itself.

    Raises `TypeError` for anything else.
    """
    found: object = tool
    if isinstance(tool, Mapping):
        found = cast(Mapping[str, Any], tool).get("name")
    elif not isinstance(tool, str):
        found = cast(object, getattr(tool, "name", None))
    if isinstance(found, str):
        return found
    raise TypeError(f"a tool needs a name, and {type(cast(object, tool)).__name__} has none: pass `name=` to ToolSet")


class ToolSet(Generic[T]):
    """All tools that an agent knows (`all`), and those that it offers to its model (`active`): two ordered lists.

    Both lists are changed in place, so whoever holds one sees the change. `T` is whatever the agent calls a tool;
    `name` gives a tool's name. Without `active`, every tool is active.

    >>> tools = ToolSet([{"name": "edit"}])
    >>> tools.replace_mcp_tools([{"name": "mcp__time__now"}])
    >>> [tool["name"] for tool in tools.active]
    ['edit', 'mcp__time__now']
    """

    def __init__(
        self, tools: Iterable[T] = (), active: Iterable[T] | None = None, *, name: Callable[[T], str] = name_of
    ) -> None:
        self._name = name
        self.all: list[T] = list(tools)
        self.active: list[T] = list(self.all if active is None else active)

    @property
    def mirrors_all(self) -> bool:
        """Whether every tool is active."""
        return self._names(self.active) == self._names(self.all)

    def get(self, name: str) -> T | None:
        """The tool of this name, active or not."""
        return next((tool for tool in self.all if self._name(tool) == name), None)

    def replace_mcp_tools(self, tools: Iterable[T]) -> None:
        """Swap the MCP layer for `tools`: local tools keep their place and standing, MCP tools come after them.

        Where active mirrors all, it goes on doing so. Where it holds some MCP tools, they are swapped for the new
        ones. Where it deliberately holds none, it stays so. Raises `ValueError` for a tool that is no MCP tool, and
        changes nothing then.
        """
        fresh = list(tools)
        for tool in fresh:
            if not is_mcp_tool(self._name(tool)):
                raise ValueError(f"`{self._name(tool)}` is no MCP tool: its name does not begin with `{MCP_PREFIX}`")
        swap_active = self.mirrors_all or any(is_mcp_tool(self._name(tool)) for tool in self.active)
        self.all[:] = [*self._local(self.all), *fresh]
        self.active[:] = [*self._local(self.active), *(fresh if swap_active else ())]

    def is_mcp_tool(self, name: str) -> bool:
        """Whether a tool of this name came from an MCP server."""
        return is_mcp_tool(name)

    def _names(self, tools: list[T]) -> set[str]:
        return {self._name(tool) for tool in tools}

    def _local(self, tools: list[T]) -> list[T]:
        return [tool for tool in tools if not is_mcp_tool(self._name(tool))]

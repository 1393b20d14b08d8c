"""The set of tools of an agent written in Python."""

import pytest

from codeagent_lsp.toolset import ToolSet, is_mcp_tool

LOCAL = [{"name": "edit"}, {"name": "search"}]
OLD = [{"name": "mcp__a__x"}, {"name": "mcp__a__y"}]
NEW = [{"name": "mcp__a__y", "v": 2}, {"name": "mcp__b__z"}]


def names(tools: list[dict[str, object]]) -> list[object]:
    return [tool["name"] for tool in tools]


def test_replacing_swaps_the_mcp_layer_and_leaves_local_tools_alone() -> None:
    tools = ToolSet([*LOCAL, *OLD])
    tools.replace_mcp_tools(NEW)
    assert tools.all == [*LOCAL, *NEW]
    assert tools.get("mcp__a__x") is None
    assert tools.get("mcp__a__y") == {"name": "mcp__a__y", "v": 2}


def test_active_that_mirrors_all_goes_on_mirroring() -> None:
    tools = ToolSet(LOCAL)
    tools.replace_mcp_tools(OLD)
    assert names(tools.active) == ["edit", "search", "mcp__a__x", "mcp__a__y"]
    tools.replace_mcp_tools([])
    assert names(tools.active) == ["edit", "search"]
    tools.replace_mcp_tools(NEW)
    assert tools.mirrors_all


def test_active_that_holds_some_mcp_tools_gets_the_new_ones() -> None:
    tools = ToolSet([*LOCAL, *OLD], [LOCAL[0], OLD[1]])
    tools.replace_mcp_tools(NEW)
    assert tools.active == [LOCAL[0], *NEW]


def test_active_that_deliberately_holds_no_mcp_tools_stays_so() -> None:
    tools = ToolSet([*LOCAL, *OLD], LOCAL)
    tools.replace_mcp_tools(NEW)
    assert tools.active == LOCAL
    assert tools.all == [*LOCAL, *NEW]


def test_whoever_holds_a_list_sees_the_change() -> None:
    tools = ToolSet([*LOCAL, *OLD])
    held_all, held_active = tools.all, tools.active
    tools.replace_mcp_tools(NEW)
    assert held_all == held_active == [*LOCAL, *NEW]


def test_a_local_tool_in_the_mcp_layer_is_refused_and_changes_nothing() -> None:
    tools = ToolSet([*LOCAL, *OLD])
    with pytest.raises(ValueError, match="`sneaky` is no MCP tool"):
        tools.replace_mcp_tools([*NEW, {"name": "sneaky"}])
    assert tools.all == [*LOCAL, *OLD]


def test_tools_may_be_objects_or_plain_names() -> None:
    class Thing:
        def __init__(self, name: str) -> None:
            self.name = name

    tools = ToolSet([Thing("edit")])
    tools.replace_mcp_tools([Thing("mcp__a__x")])
    assert [tool.name for tool in tools.active] == ["edit", "mcp__a__x"]
    plain = ToolSet(["edit"])
    plain.replace_mcp_tools(["mcp__a__x"])
    assert plain.active == ["edit", "mcp__a__x"]
    with pytest.raises(TypeError, match="a tool needs a name"):
        ToolSet([7])._names([7])


@pytest.mark.parametrize(
    ("name", "expected"), [("mcp__a__x", True), ("mcp_a", False), ("edit", False), ("xmcp__a__b", False), ("", False)]
)
def test_mcp_tools_are_told_by_their_prefix(name: str, expected: bool) -> None:
    assert is_mcp_tool(name) is expected
    assert ToolSet(()).is_mcp_tool(name) is expected

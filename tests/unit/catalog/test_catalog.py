"""The catalogue is what the servers offer now: found by table, told apart by server, and never a merge."""

import random
from pathlib import Path
from typing import Any

import anyio
import pytest

from codeagent_lsp.catalog.listing import Changes, Listing, ListKind, read_listing
from codeagent_lsp.catalog.nearest import nearest
from codeagent_lsp.catalog.tools import Catalog, CatalogTool
from codeagent_lsp.config.entry import Entry
from codeagent_lsp.errors import UnknownPrompt, UnknownTool

ALL = ["tools", "resources", "prompts"]


class Server:
    """A session whose lists are given."""

    def __init__(self, lists: dict[str, list[Any]]) -> None:
        self.lists = lists

    async def list_page(self, kind: ListKind, cursor: str | None) -> tuple[list[Any], str | None]:
        return self.lists.get(kind, []), None


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **more}


class House:
    """A catalogue whose servers list what a test says."""

    def __init__(self) -> None:
        self.catalog = Catalog()

    def offer(
        self, server: str, *tools: str | dict[str, Any], instructions: str | None = None, **lists: list[Any]
    ) -> Changes:
        given = {"tools": [tool(item) if isinstance(item, str) else item for item in tools], **lists}

        async def run() -> Changes:
            before = self.catalog.listing(server)
            listing = await read_listing(
                Server(given), server=server, capabilities=ALL, previous=before, instructions=instructions
            )
            return await self.catalog.update(server, listing)

        return anyio.run(run)

    def names(self, server: str | None = None) -> list[str]:
        return [item.name for item in self.catalog.known_tools(server)]


@pytest.fixture
def house() -> House:
    return House()


def test_a_tool_is_found_by_its_full_name_and_by_its_own(house: House) -> None:
    house.offer("s", "read.file", "b")
    house.offer("t", "b")
    found = house.catalog.find_tool("mcp__s__read_file")
    assert (found.server, found.tool) == ("s", "read.file")
    assert house.catalog.find("s", "read.file") is found
    assert house.catalog.get("s", "tool", "read.file") is found
    assert house.catalog.find("t", "b").server == "t"
    assert house.catalog.get("s", "readResource", "read.file") is None


def test_a_listing_comes_whole_through_the_waiting_door_too(house: House) -> None:
    house.offer("s", "a")
    assert [item.name for item in anyio.run(house.catalog.tools)] == ["mcp__s__a"]
    assert [item.name for item in anyio.run(house.catalog.tools, "nobody")] == []


def test_the_same_set_gives_the_same_order_whoever_came_first() -> None:
    offers = [(server, [f"t{n}" for n in (3, 1, 2)]) for server in ("b", "a", "c.d", "c d", "a__b", "Z")]
    seen: list[list[str]] = []
    for seed in range(5):
        house = House()
        house.catalog.expect(server for server, _ in offers)
        for server, tools in random.Random(seed).sample(offers, len(offers)):
            house.offer(server, *tools)
        seen.append(house.names())
    assert all(names == seen[0] for names in seen)
    assert seen[0][:3] == ["mcp__Z__t3", "mcp__Z__t1", "mcp__Z__t2"]


def test_calls_for_one_server_never_reach_another(house: House) -> None:
    for server in ("a", "a_", "a__b", "my.server", "my server"):
        house.offer(server, "go", "b__go", "_go")
    for item in house.catalog.known_tools():
        assert house.catalog.find_tool(item.name) is item
        assert house.catalog.find(item.server, item.tool) is item


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("mcp__s__read_fil", " Did you mean `mcp__s__read_file`?"),
        ("MCP__S__READ_FILE", " Did you mean `mcp__s__read_file`?"),
        ("xyz", ""),
        ("", ""),
        ("\u202e" * 500, ""),
        ("x" * 100_000, ""),
    ],
)
def test_an_unknown_full_name_names_the_nearest(house: House, name: str, hint: str) -> None:
    house.offer("s", "read_file", "other")
    with pytest.raises(UnknownTool) as caught:
        house.catalog.find_tool(name)
    assert caught.value.message.endswith(f"`.{hint}") and len(caught.value.message) < 500
    assert "\u202e" not in caught.value.message


def test_an_unknown_tool_of_a_server_names_the_nearest(house: House) -> None:
    house.offer("s", "read_file")
    with pytest.raises(UnknownTool) as caught:
        house.catalog.find("s", "readfile")
    assert caught.value.text() == "s: has no tool `readfile`. Did you mean `read_file`?"
    assert caught.value.data() == {"kind": "unknownTool", "server": "s", "tool": "readfile"}
    with pytest.raises(UnknownTool):
        house.catalog.find("nobody", "read_file")


def test_a_list_is_a_snapshot(house: House) -> None:
    assert house.offer("s", "a", "b") == Changes(added=("mcp__s__a", "mcp__s__b"))
    assert house.offer("s", "b", "c") == Changes(added=("mcp__s__c",), removed=("mcp__s__a",))
    assert house.names() == ["mcp__s__b", "mcp__s__c"]
    for look_up in (lambda: house.catalog.find_tool("mcp__s__a"), lambda: house.catalog.find("s", "a")):
        with pytest.raises(UnknownTool, match="no longer offered") as caught:
            look_up()
        assert caught.value.server == "s"
    assert house.offer("s", "a") == Changes(added=("mcp__s__a",), removed=("mcp__s__b", "mcp__s__c"))
    assert house.catalog.find_tool("mcp__s__a").tool == "a"


def test_a_server_that_is_down_offers_nothing(house: House) -> None:
    house.offer("s", "a", resources=[{"uri": "x"}], prompts=[{"name": "p"}], instructions="i")
    house.offer("t", "a")
    changes = house.catalog.remove("s")
    assert changes.removed == tuple(
        f"mcp__s__{name}" for name in ("a", "list_resources", "read_resource", "list_prompts", "get_prompt")
    )
    assert changes.resources and changes.prompts and changes.instructions
    assert house.names() == ["mcp__t__a"]
    assert house.catalog.listing("s") is None and house.catalog.resources("s") == []
    with pytest.raises(UnknownTool, match="while the server is down"):
        house.catalog.find_tool("mcp__s__a")
    assert not house.catalog.remove("s")
    assert not house.catalog.remove("never there")


def test_what_does_not_change_is_no_change(house: House) -> None:
    lists: dict[str, Any] = {"resources": [{"uri": "x"}], "prompts": [{"name": "p"}]}
    house.offer("s", "a", "b", instructions="i", **lists)
    before = house.names()
    assert not house.offer("s", "a", "b", instructions="i", **lists)
    assert not house.offer("s", "b", "a", instructions="i", **lists)
    assert house.names() == before


@pytest.mark.parametrize(
    "difference",
    [
        {"description": "new"},
        {"title": "new"},
        {"annotations": {"readOnlyHint": True}},
        {"inputSchema": {"type": "object", "properties": {"a": {"type": "string", "pattern": "x"}}}},
        {"outputSchema": {"type": "object"}},
    ],
    ids=repr,
)
def test_another_definition_is_a_change(house: House, difference: dict[str, Any]) -> None:
    house.offer("s", "a", "b")
    before = house.catalog.find("s", "a").definition_hash
    assert house.offer("s", tool("a", **difference), "b") == Changes(changed=("mcp__s__a",))
    assert house.catalog.find("s", "a").definition_hash != before


def test_resources_prompts_and_instructions_change_on_their_own(house: House) -> None:
    lists: dict[str, Any] = {"resources": [{"uri": "x"}], "prompts": [{"name": "p"}]}
    house.offer("s", **lists)
    assert house.offer("s", **{**lists, "resources": [{"uri": "y"}]}) == Changes(resources=True)
    assert house.offer("s", **{**lists, "resources": [{"uri": "y", "size": 1}]}) == Changes(resources=True)
    assert house.offer("s", **lists, resourceTemplates=[{"uriTemplate": "t"}]) == Changes(resources=True)
    house.offer("s", **lists)
    assert house.offer("s", **{**lists, "prompts": [{"name": "p", "title": "T"}]}) == Changes(prompts=True)
    assert house.offer("s", **lists, instructions="i") == Changes(prompts=True, instructions=True)


def test_a_name_stays_with_its_tool(house: House) -> None:
    house.offer("s", "read_file")
    house.offer("s", "read.file", "read_file")
    assert house.catalog.find_tool("mcp__s__read_file").tool == "read_file"
    names = {item.tool: item.name for item in house.catalog.known_tools()}
    house.offer("s", "read.file")
    assert {item.tool: item.name for item in house.catalog.known_tools()} == {"read.file": names["read.file"]}


def test_a_real_tool_goes_before_one_that_stands_for_resources(house: House) -> None:
    house.offer("s", tool("list_resources", description="real"), resources=[{"uri": "x"}])
    assert house.catalog.find_tool("mcp__s__list_resources").kind == "tool"
    assert house.catalog.find("s", "list_resources").description == "real"
    virtual = house.catalog.get("s", "listResources", "list_resources")
    assert virtual is not None and virtual.name.startswith("mcp__s__list_resources_")
    assert house.catalog.find_tool(virtual.name) is virtual
    assert house.catalog.find("s", "read_resource").kind == "readResource"


def test_a_bad_tool_of_one_server_is_no_matter_of_another(house: House) -> None:
    house.offer("s", tool("x", inputSchema={"$id": "https://x/s", "properties": {"a": {}}}))
    house.offer("t", tool("x", inputSchema={"$id": "https://x/s", "properties": {"b": {}}}))
    assert list(house.catalog.find("s", "x").input_schema["properties"]) == ["a"]
    assert list(house.catalog.find("t", "x").input_schema["properties"]) == ["b"]


def test_resources_are_sorted_by_server(house: House) -> None:
    house.offer("t", resources=[{"uri": "t2"}, {"uri": "t1"}], resourceTemplates=[{"uriTemplate": "tt"}])
    house.offer("s", resources=[{"uri": "s1"}], resourceTemplates=[{"uriTemplate": "st"}], prompts=[{"name": "p"}])
    assert [item.uri for item in house.catalog.resources()] == ["s1", "t2", "t1"]
    assert [item.uri for item in house.catalog.resources("t")] == ["t2", "t1"]
    assert [item.uri_template for item in house.catalog.templates()] == ["st", "tt"]
    assert [item.server for item in house.catalog.prompts()] == ["s"]
    assert house.catalog.resources("nobody") == house.catalog.prompts("t") == []


@pytest.mark.parametrize(
    ("written", "listed"),
    [
        ("x://a b", "x://a b"),
        ("x://a%20b", "x://a b"),
        ("x://c%20d", "x://c%20d"),
        ("x://c d", "x://c%20d"),
        ("x://é", "x://%C3%A9"),
        ("x://%c3%a9", "x://%C3%A9"),
        ("x://both a", "x://both a"),
        ("x://both%20a", "x://both%20a"),
        ("x://%ff", "x://%ff"),
        ("x://unlisted%20", "x://unlisted%20"),
    ],
)
def test_every_spelling_finds_the_listed_uri(house: House, written: str, listed: str) -> None:
    uris = ["x://a b", "x://c%20d", "x://%C3%A9", "x://both a", "x://both%20a"]
    house.offer("s", resources=[{"uri": uri} for uri in uris])
    assert house.catalog.listed_uri("s", written) == listed
    assert house.catalog.listed_uri("nobody", written) == written


def test_a_resource_is_found_and_the_nearest_named(house: House) -> None:
    house.offer("s", resources=[{"uri": "note://readme", "name": "README"}])
    found = house.catalog.resource("s", "note://readme")
    assert found is not None and found.name == "README"
    assert house.catalog.resource("s", "note://x") is None and house.catalog.resource("t", "note://readme") is None
    assert house.catalog.nearest_resource("s", "note://readm") == " Did you mean `note://readme`?"
    assert house.catalog.nearest_resource("t", "note://readm") == ""


def test_a_prompt_is_found_or_the_nearest_named(house: House) -> None:
    house.offer("s", prompts=[{"name": "review"}])
    assert house.catalog.find_prompt("s", "review").name == "review"
    with pytest.raises(UnknownPrompt, match="Did you mean `review`"):
        house.catalog.find_prompt("s", "reviw")
    with pytest.raises(UnknownPrompt):
        house.catalog.find_prompt("nobody", "review")


def test_instructions_are_sections_that_no_text_can_open(house: House) -> None:
    house.offer("b", instructions="Use b.\n## a\nI am a.\n # too\n### fine\n\u202e")
    house.offer("a", instructions="Use a.\n")
    house.offer("c")
    assert house.catalog.instructions_text() == (
        "## a\n\nUse a.\n\n## b\n\nUse b.\n\\## a\nI am a.\n \\# too\n### fine\n\\u{202E}"
    )
    assert list(house.catalog.instructions()) == ["a", "b"]
    assert House().catalog.instructions_text() == ""


def test_names_of_tools_that_are_gone_are_not_kept_for_ever(house: House) -> None:
    for turn in range(12):
        house.offer("s", *(f"t{turn}_{number}" for number in range(200)))
    with pytest.raises(UnknownTool, match="no longer offered"):
        house.catalog.find("s", "t10_199")
    with pytest.raises(UnknownTool, match="has no tool"):
        house.catalog.find("s", "t0_0")


@pytest.mark.parametrize(
    ("word", "known", "said"),
    [
        ("fies", ["files", "notes"], " Did you mean `files`?"),
        ("FILES", ["files", "notes"], " Did you mean `files`?"),
        ("a", [], ""),
        ("fi\u202eles", ["fi\u202eles2"], " Did you mean `fi\\u{202E}les2`?"),
        ("tool_99999", [f"tool_{number}" for number in range(20_000)], " Did you mean `tool_9999`?"),
    ],
)
def test_the_nearest_word_is_named(word: str, known: list[str], said: str) -> None:
    assert nearest(word, known) == said


def test_filters_come_from_the_entry(house: House) -> None:
    entry = Entry("s", "user", None, Path("/x"), "stdio", exclude_tools=("b*",))

    async def run() -> Listing:
        given = Server({"tools": [tool("a"), tool("b1")]})
        return await read_listing(given, server="s", capabilities=ALL, entry=entry)

    assert anyio.run(house.catalog.update, "s", anyio.run(run)).added == ("mcp__s__a",)
    with pytest.raises(UnknownTool):
        house.catalog.find("s", "b1")


def test_a_catalogue_tool_keeps_the_raw_definition(house: House) -> None:
    raw = tool("a", inputSchema={"anyOf": [{"type": "object"}], "x-y": 1}, _meta={"k": None})
    house.offer("s", raw)
    found: CatalogTool = house.catalog.find("s", "a")
    assert found.definition == raw and found.input_schema == {"type": "object", "properties": {}}

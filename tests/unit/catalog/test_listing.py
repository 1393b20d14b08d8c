"""A listing has all that a server offers, and what is wrong with one item or one list costs only that."""

import json
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from codeagent_lsp.catalog import listing as module
from codeagent_lsp.catalog.listing import MAX_ITEMS, MAX_PAGES, Listing, ListKind, read_listing
from codeagent_lsp.config.entry import Entry
from codeagent_lsp.errors import HostError, Protocol, ServerError, Timeout

ALL = ["prompts", "resources", "resources.subscribe", "tools"]
KINDS: list[ListKind] = ["tools", "resources", "resourceTemplates", "prompts"]
NOT_FOUND = ServerError("answered with an error: Method not found", server="s", server_code=-32601)

Page = list[Any] | HostError


class Server:
    """A session whose lists are given: for each kind, its pages in order."""

    def __init__(self, **pages: list[Page] | Page) -> None:
        self.pages = {
            kind: list(given) if isinstance(given, list) and given and isinstance(given[0], list) else [given]
            for kind, given in pages.items()
        }
        self.asked: list[tuple[str, str | None]] = []

    async def list_page(self, kind: ListKind, cursor: str | None) -> tuple[list[Any], str | None]:
        self.asked.append((kind, cursor))
        await anyio.lowlevel.checkpoint()
        pages = self.pages.get(kind, [[]])
        number = int(cursor[1:]) - 1 if cursor else 0
        page = pages[number]
        if isinstance(page, HostError):
            raise page
        return page, f"p{number + 2}" if number + 1 < len(pages) else None


def read(server: Any, capabilities: list[str] | None = None, **more: Any) -> Listing:
    async def run() -> Listing:
        return await read_listing(
            server, server="s", capabilities=ALL if capabilities is None else capabilities, **more
        )

    return anyio.run(run)


def tool(name: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **more}


def names(found: Listing) -> list[str]:
    return [item.tool for item in found.tools if item.kind == "tool"]


def entry(include: tuple[str, ...] | None = None, exclude: tuple[str, ...] = ()) -> Entry:
    return Entry("s", "user", None, Path("/x"), "stdio", include_tools=include, exclude_tools=exclude)


# --- pages


def test_every_page_of_every_list_is_read_in_order() -> None:
    server = Server(
        tools=[[tool("a")], [tool("b")], [tool("c")]],
        resources=[[{"uri": "x:a"}], [{"uri": "x:b"}], [{"uri": "x:c"}]],
        resourceTemplates=[[{"uriTemplate": "a"}], [{"uriTemplate": "b"}], [{"uriTemplate": "c"}]],
        prompts=[[{"name": "a"}], [{"name": "b"}], [{"name": "c"}]],
    )
    found = read(server)
    assert names(found) == ["a", "b", "c"]
    assert [item.uri for item in found.resources] == ["x:a", "x:b", "x:c"]
    assert [item.uri_template for item in found.templates] == ["a", "b", "c"]
    assert [item.name for item in found.prompts] == ["a", "b", "c"]
    assert not found.errors and not found.warnings and found.list_errors is None


class Cursors:
    """A server that gives these cursors, one page after the other, and one tool with each."""

    def __init__(self, *cursors: str | None) -> None:
        self.cursors = list(cursors)
        self.asked: list[str | None] = []

    async def list_page(self, kind: ListKind, cursor: str | None) -> tuple[list[Any], str | None]:
        self.asked.append(cursor)
        page = len(self.asked) - 1
        return [tool(f"t{page}")], self.cursors[min(page, len(self.cursors) - 1)]


def test_the_empty_string_is_a_cursor() -> None:
    server = Cursors("", None)
    assert names(read(server, ["tools"])) == ["t0", "t1"]
    assert server.asked == [None, ""]


@pytest.mark.parametrize("cursors", [("a",), ("a", "b", "a"), ("",)])
def test_a_cursor_that_comes_again_ends_the_list(cursors: tuple[str, ...]) -> None:
    found = read(Cursors(*cursors), ["tools"])
    assert len(names(found)) == len(set(cursors)) + 1
    assert len(found.warnings) == 1 and "same cursor" in found.warnings[0]


class Endless:
    """A server whose lists never end."""

    def __init__(self, size: int) -> None:
        self.size, self.pages = size, 0

    async def list_page(self, kind: ListKind, cursor: str | None) -> tuple[list[Any], str | None]:
        self.pages += 1
        return [{"uri": f"x:{self.pages}/{number}"} for number in range(self.size)], f"c{self.pages}"


def test_an_endless_list_is_cut_and_says_so() -> None:
    server = Endless(1)
    found = read(server, ["resources"])
    assert len(found.resources) == MAX_PAGES
    assert any(f"{MAX_PAGES} pages" in warning for warning in found.warnings)
    found = read(Endless(3_000), ["resources"])
    assert len(found.resources) == MAX_ITEMS
    assert any("10,000" in warning for warning in found.warnings)


# --- each list alone


@pytest.mark.parametrize(
    ("capabilities", "asked"),
    [
        ([], set()),
        (["tools"], {"tools"}),
        (["prompts", "logging"], {"prompts"}),
        (["resources"], {"resources", "resourceTemplates"}),
        (ALL, set(KINDS)),
    ],
)
def test_only_what_the_server_can_do_is_asked_for(capabilities: list[str], asked: set[str]) -> None:
    server = Server()
    read(server, capabilities)
    assert {kind for kind, _ in server.asked} == asked


FULL: dict[str, Any] = {
    "tools": [tool("a")],
    "resources": [{"uri": "x:a"}],
    "resourceTemplates": [{"uriTemplate": "t"}],
    "prompts": [{"name": "p"}],
}


def sizes(found: Listing) -> dict[str, int]:
    return {
        "tools": len(names(found)),
        "resources": len(found.resources),
        "resourceTemplates": len(found.templates),
        "prompts": len(found.prompts),
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("previous", [False, True])
def test_a_list_that_the_server_does_not_know_is_empty_and_no_error(kind: ListKind, previous: bool) -> None:
    before = read(Server(**FULL)) if previous else None
    found = read(Server(**{**FULL, kind: NOT_FOUND}), previous=before)
    assert sizes(found) == {**dict.fromkeys(KINDS, 1), kind: 0}
    assert not found.errors


FAILURES = [
    ServerError("answered with an error: no", server="s", server_code=-32602),
    ServerError("answered with an error: no", server="s", server_code=-32603),
    Timeout("did not answer within 60 s.", server="s", setting="timeout"),
    Protocol("answered something that is not MCP.", server="s"),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.message)
def test_a_list_that_fails_stays_what_it_was_and_says_why(kind: ListKind, failure: HostError) -> None:
    before = read(Server(**FULL))
    broken: dict[str, Any] = {
        **{
            other: [*items, {**items[0], **dict.fromkeys(("name", "uri", "uriTemplate"), "x:n")}]
            for other, items in FULL.items()
        },
        kind: failure,
    }  # fmt: skip
    found = read(Server(**broken), previous=before)
    assert sizes(found) == {**dict.fromkeys(KINDS, 2), kind: 1}
    assert set(found.errors) == {kind} and failure.message in found.errors[kind]
    shown = found.list_errors
    assert shown is not None
    place = {"resourceTemplates": "resources"}.get(kind, kind)
    assert failure.message in (getattr(shown, place) or "")
    again = read(Server(**broken), previous=found)
    assert sizes(again) == sizes(found)


@pytest.mark.parametrize("kind", KINDS)
def test_a_first_list_that_fails_halfway_shows_what_came(kind: ListKind) -> None:
    found = read(Server(**{**FULL, kind: [FULL[kind], FAILURES[0]]}))
    assert sizes(found) == dict.fromkeys(KINDS, 1)
    assert set(found.errors) == {kind}


@pytest.mark.parametrize("kind", KINDS)
def test_a_later_list_that_fails_halfway_changes_nothing(kind: ListKind) -> None:
    before = read(Server(**{kind: [*FULL[kind], {"name": "z", "uri": "x:z", "uriTemplate": "z"}]}))
    found = read(Server(**{kind: [FULL[kind], FAILURES[0]]}), previous=before)
    assert sizes(found)[kind] == 2


class Slow(Server):
    """A server that never answers one of the lists."""

    async def list_page(self, kind: ListKind, cursor: str | None) -> tuple[list[Any], str | None]:
        if kind == "resources":
            await anyio.sleep_forever()
        return await super().list_page(kind, cursor)


def test_a_list_that_never_comes_does_not_hold_the_others_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "OTHER_LISTS", 0.05)
    found = read(Slow(**FULL))
    assert sizes(found) == {**dict.fromkeys(KINDS, 1), "resources": 0}
    assert "0.05 s" in found.errors["resources"]


# --- items


@pytest.mark.parametrize(
    "bad",
    [None, 7, "x", [], {}, {"name": 7}, {"name": None}, {"name": ""}, {"name": ["x"]}, {"title": "no name"}],
    ids=repr,
)
def test_a_tool_without_a_name_is_left_out_by_number_and_the_others_stay(bad: Any) -> None:
    found = read(Server(tools=[tool("good"), bad, tool("also")]))
    assert names(found) == ["good", "also"]
    assert len(found.warnings) == 1 and "tool number 2" in found.warnings[0]


SCHEMAS: list[Any] = [
    *(None, {}, True, [], "x", 7, {"properties": {"x": {"type": "string"}}}, {"type": ["object", "null"]}),
    *({"anyOf": [{"properties": {}}, {"required": ["a"]}]}, {"required": "x"}, {"properties": []}, {"$ref": "#"}),
    *({"$id": "x"}, {"type": "string"}),
]


@pytest.mark.parametrize("key", ["inputSchema", "outputSchema"])
@pytest.mark.parametrize("schema", SCHEMAS, ids=repr)
def test_a_malformed_schema_costs_no_tool(key: str, schema: Any) -> None:
    found = read(Server(tools=[tool("good"), {"name": "t", key: schema}]))
    assert names(found) == ["good", "t"]
    shown = found.tools[1].input_schema
    assert shown["type"] == "object" and isinstance(shown["properties"], dict)


@pytest.mark.parametrize("levels", [100, 250, 2_000, 50_000])
def test_a_schema_of_any_depth_costs_no_other_tool(levels: int) -> None:
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    found = read(Server(tools=[tool("good"), tool("deep", inputSchema={"properties": {"x": schema}})]))
    assert names(found)[0] == "good"
    assert names(found) == ["good", "deep"] or "`deep`" in found.warnings[0]


@pytest.mark.parametrize("value", [None, 7, [], {"a": 1}, True])
def test_fields_of_the_wrong_kind_are_as_if_they_were_not_there(value: Any) -> None:
    found = read(Server(tools=[tool("t", title=value, description=value, annotations=value, icons=value, _meta=value)]))
    assert (found.tools[0].title, found.tools[0].description) == (None, "")
    assert found.tools[0].annotations in (None, {"a": 1})


def test_a_second_tool_of_the_same_name_is_left_out_by_name() -> None:
    found = read(Server(tools=[tool("a", description="first"), tool("b"), tool("a", description="second")]))
    assert names(found) == ["a", "b"]
    assert found.tools[0].description == "first"
    assert found.warnings == ("the tool `a` is listed twice; the first one counts.",)


def test_names_that_differ_only_in_case_are_two_tools() -> None:
    assert names(read(Server(tools=[tool("getUser"), tool("getuser")]))) == ["getUser", "getuser"]


def test_many_faults_are_counted() -> None:
    found = read(Server(tools=[tool("a")] * 1_000))
    assert len(found.warnings) == 21 and "979 more" in found.warnings[-1]


def test_what_a_server_says_is_shown_and_what_it_sent_is_kept() -> None:
    raw = tool(
        "delete\x1b_all",
        title="\u202eTitle\n",
        description="ok\u200b\U000e0049\x1b[2J" + "x" * 2_000,
        annotations={"readOnlyHint": True, "title": "Other"},
        outputSchema={"type": "object", "properties": {"n": {"type": ["integer", "null"]}}},
        _meta={"a": 1},
    )
    before = json.dumps(raw)
    found = read(Server(tools=[raw]))
    item = found.tools[0]
    assert item.tool == "delete\x1b_all" and item.definition == raw and json.dumps(raw) == before
    assert item.title == "\\u{202E}Title"
    assert item.description.startswith("ok\\u{200B}\\u{E0049}\\u{1B}[2J") and len(item.description) == 1000
    assert item.output_schema == {"type": "object", "properties": {"n": {"type": "integer"}}}
    assert item.annotations == raw["annotations"]
    assert item.capability == "destructive"
    assert any("cannot be seen" in warning and "\x1b" not in warning for warning in found.warnings)


def test_the_alternatives_of_the_arguments_are_told_in_the_description() -> None:
    schema = {"anyOf": [{"properties": {"a": {}}, "required": ["a"]}, {"properties": {"b": {}}, "required": ["b"]}]}
    found = read(Server(tools=[tool("t", description="Does.", inputSchema=schema), tool("u", inputSchema=schema)]))
    told = "Arguments: One of: an object with `a`; an object with `b`."
    assert [item.description for item in found.tools] == [f"Does.\n\n{told}", told]
    assert found.tools[0].input_schema == {"type": "object", "properties": {"a": {}, "b": {}}}
    long = read(Server(tools=[tool("t", description="x" * 5_000, inputSchema=schema)])).tools[0].description
    assert len(long) <= 1000 and long.endswith(told) and "more characters]" in long


def test_a_title_may_stand_in_the_annotations() -> None:
    found = read(
        Server(
            tools=[tool("t", annotations={"title": "From there"}), tool("u", title="Own", annotations={"title": "x"})]
        )
    )
    assert [item.title for item in found.tools] == ["From there", "Own"]


def test_incomplete_resources_cost_no_others() -> None:
    items = [
        *({"uri": "a://1", "name": "ok"}, {"uri": "a://2"}, {"name": "x"}, {"uri": 7, "name": "y"}, None, "z"),
        *({"uri": "a://3", "name": 7, "title": [], "description": 5, "mimeType": 1, "size": -1, "annotations": []},),
        *({"uri": "a://4", "size": True}, {"uri": "a://5", "size": 1.5}),
        {"uri": "a://6", "size": 6, "mimeType": "text/x"},
        {"uri": "", "name": "empty"},
    ]  # fmt: skip
    found = read(Server(resources=items))
    assert [(item.uri, item.name, item.size, item.mime_type) for item in found.resources] == [
        ("a://1", "ok", None, None),
        ("a://2", "a://2", None, None),
        ("a://3", "a://3", None, None),
        ("a://4", "a://4", None, None),
        ("a://5", "a://5", None, None),
        ("a://6", "a://6", 6, "text/x"),
        ("", "empty", None, None),
    ]
    assert len(found.warnings) == 4
    assert "(`x`)" in found.warnings[0] and "(`y`)" in found.warnings[1]


URIS = [
    "users/me",
    "HTTP://EXAMPLE.com",
    "x://A B(1)@é?q=1#f",
    "f:///a%2Fb",
    "f:///a%2fb",
    "x://é",
    "x://e\u0301",
    "a\u202eb",
    "",
]


def test_uris_are_kept_byte_for_byte() -> None:
    assert [item.uri for item in read(Server(resources=[{"uri": uri} for uri in URIS])).resources] == URIS


def test_there_is_one_resource_for_each_uri() -> None:
    items = [{"uri": "a", "name": "1"}, {"uri": "a", "name": "2"}, {"uri": "b", "name": "1"}]
    found = read(Server(resources=items, resourceTemplates=[{"uriTemplate": "t"}, {"uriTemplate": "t"}]))
    assert [(item.uri, item.name) for item in found.resources] == [("a", "1"), ("b", "1")]
    assert len(found.templates) == 1 and len(found.warnings) == 2


def test_a_resource_has_a_document_and_a_mention() -> None:
    item = read(Server(resources=[{"uri": "note://readme", "name": "README", "mimeType": "text/markdown"}])).resources[
        0
    ]
    assert item.mention == "@s:note://readme"
    assert item.document_uri.startswith("codeagent://resource/") and item.document_uri.endswith("/README.md")


def test_texts_of_resources_templates_and_prompts_are_shown() -> None:
    evil = {"name": "n\u202e\n", "title": "t\x1b", "description": "d\u200b\n" + "x" * 5_000, "mimeType": "m\x00"}
    found = read(
        Server(
            resources=[{"uri": "x", **evil}],
            resourceTemplates=[{"uriTemplate": "x", **evil}],
            prompts=[{**evil, "name": "p", "arguments": [{"name": "a", "description": "\u202e"}]}],
        )
    )
    for item in (*found.resources, *found.templates, *found.prompts):
        assert item.title == "t\\u{1B}" and item.description is not None
        assert item.description.startswith("d\\u{200B}\n") and len(item.description) == 1000
    assert found.resources[0].name == found.templates[0].name == "n\\u{202E}"
    assert found.resources[0].mime_type == "m\\u{0}"
    assert found.prompts[0].arguments[0].description == "\\u{202E}"


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        (None, []),
        ("x", []),
        ({"a": 1}, []),
        ([{"name": "a", "required": True}], [("a", True)]),
        (
            [{"name": "a", "required": "yes"}, {"name": "b"}, {"name": "a"}, {"name": 7}, None, {}],
            [("a", False), ("b", False)],
        ),
    ],
)
def test_arguments_of_prompts_are_what_can_be_used_of_them(arguments: Any, kept: list[tuple[str, bool]]) -> None:
    found = read(Server(prompts=[{"name": "p", "arguments": arguments}, {"name": ""}, {"name": "p"}]))
    assert len(found.prompts) == 1
    assert [(item.name, item.required) for item in found.prompts[0].arguments] == kept


def test_instructions_are_shown() -> None:
    assert read(Server(), instructions="Use\u202e me").instructions == "Use\\u{202E} me"
    assert 9_900 < len(read(Server(), instructions="x" * 100_000).instructions or "") <= 10_000
    assert read(Server(), instructions="").instructions is None


# --- tools that stand for others, and filters


def kinds(found: Listing) -> list[str]:
    return [f"{item.kind}:{item.tool}" for item in found.tools]


def test_resources_and_prompts_have_tools_of_their_own() -> None:
    resources, prompts = (
        ["listResources:list_resources", "readResource:read_resource"],
        ["listPrompts:list_prompts", "getPrompt:get_prompt"],
    )
    assert kinds(read(Server(**FULL))) == ["tool:a", *resources, *prompts]
    assert kinds(read(Server(resourceTemplates=FULL["resourceTemplates"]))) == resources
    assert kinds(read(Server(prompts=FULL["prompts"]))) == prompts
    assert kinds(read(Server(tools=FULL["tools"]))) == ["tool:a"]
    made = {item.kind: item for item in read(Server(**FULL)).tools}
    assert made["readResource"].input_schema == {
        "type": "object",
        "properties": {"uri": {"type": "string"}},
        "required": ["uri"],
    }
    assert made["getPrompt"].input_schema["required"] == ["name"]
    assert all(item.capability == "read" and "`s`" in item.description for kind, item in made.items() if kind != "tool")


def test_they_stay_when_the_lists_are_read_again() -> None:
    found = read(Server(**FULL))
    assert kinds(read(Server(**FULL), previous=found)) == kinds(found)
    assert kinds(read(Server(**{**FULL, "tools": FAILURES[0]}), previous=found)) == kinds(found)
    assert kinds(read(Server(**{**FULL, "prompts": NOT_FOUND}), previous=found)) == kinds(found)[:3]


@pytest.mark.parametrize(
    ("include", "exclude", "left"),
    [
        (None, (), ["read_a", "read_b", "write_a", "Read_c", "list_resources", "read_resource"]),
        (("read_*",), (), ["read_a", "read_b", "read_resource"]),
        (("read_*",), ("*_b",), ["read_a", "read_resource"]),
        (None, ("*_a", "*resource*"), ["read_b", "Read_c"]),
        (("write_a", "nothing"), (), ["write_a"]),
        (("READ_A",), (), []),
        (("read_[ab]",), (), ["read_a", "read_b"]),
        ((), (), []),
        (None, ("*",), []),
    ],
)
def test_filters_are_names_or_globs(include: Any, exclude: tuple[str, ...], left: list[str]) -> None:
    tools = [tool(name) for name in ("read_a", "read_b", "write_a", "Read_c")]
    server = Server(tools=tools, resources=[{"uri": "x"}])
    assert [item.tool for item in read(server, entry=entry(include, exclude)).tools] == left
    again = Server(tools=FAILURES[0], resources=[{"uri": "x"}])
    assert [item.tool for item in read(again, entry=entry(include, exclude), previous=read(server)).tools] == left


# --- cost


def test_a_definition_that_stays_is_not_made_again() -> None:
    found = read(Server(tools=[tool("a", _meta={"v": 1}), tool("b")]))
    later = read(Server(tools=[tool("a", _meta={"v": 2}), tool("b", description="new")]), previous=found)
    assert later.tools[0].input_schema is found.tools[0].input_schema
    assert later.tools[0].definition["_meta"] == {"v": 2}
    assert later.tools[1].description == "new"
    assert later.tools[1].definition_hash != found.tools[1].definition_hash


def test_a_long_list_leaves_the_loop_its_turns() -> None:
    schema = {"type": "object", "properties": {f"p{n}": {"type": "string", "description": "x" * 20} for n in range(40)}}
    server = Server(tools=[tool(f"t{n}", inputSchema=schema) for n in range(300)])
    turns = 0

    async def run() -> int:
        nonlocal turns

        async def turn() -> None:
            nonlocal turns
            while True:
                await anyio.lowlevel.checkpoint()
                turns += 1

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(turn)
            found = await read_listing(server, server="s", capabilities=["tools"])
            tasks.cancel_scope.cancel()
        return len(found.tools)

    assert anyio.run(run) == 300
    assert turns > 20

"""Every tool has one safe name, every name one tool, whatever the servers call themselves and whenever they come."""

import itertools
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeagent_lsp.catalog.naming import NameTable, ToolKey

SAFE = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def keys(**servers: str | list[str]) -> list[ToolKey]:
    return [(server, tool, "tool") for server, tools in servers.items() for tool in tools]


def names(tools: list[ToolKey]) -> dict[tuple[str, str], str]:
    return {key[:2]: name for key, name in check(NameTable().assign(tools), tools).items()}


def check(table: dict[ToolKey, str], tools: list[ToolKey]) -> dict[ToolKey, str]:
    assert set(table) == set(tools)
    assert len(set(table.values())) == len(table)
    assert all(SAFE.fullmatch(name) and name.startswith("mcp__") for name in table.values())
    return table


def test_a_clean_name_is_used_as_it_is() -> None:
    assert names(keys(files=["read_file", "getUser", "x-1"])) == {
        ("files", "read_file"): "mcp__files__read_file",
        ("files", "getUser"): "mcp__files__getUser",
        ("files", "x-1"): "mcp__files__x-1",
    }


@pytest.mark.parametrize(
    ("server", "tool", "name"),
    [
        ("s", "read.file", "mcp__s__read_file"),
        ("s", "read/file", "mcp__s__read_file"),
        ("s", "naïve", "mcp__s__na_ve"),
        ("s", "a b", "mcp__s__a_b"),
        ("my.server", "go", "mcp__my_server__go"),
        ("my server", "go", "mcp__my_server__go"),
        ("api@web", "go", "mcp__api_web__go"),
        ("mcp", "mcp__x", "mcp__mcp__mcp__x"),
    ],
)
def test_a_name_that_nobody_else_wants_is_only_cleaned(server: str, tool: str, name: str) -> None:
    assert names([(server, tool, "tool")]) == {(server, tool): name}


LONG = [
    ("enterprise-database-management", "synchronize-all-customer-data-across-multiple-systems"),
    ("s", "A" * 70 + "_one"),
    ("s", "A" * 70 + "_two"),
    ("s", "x" * 40 + "MID1" + "y" * 40),
    ("s", "x" * 40 + "MID2" + "y" * 40),
    ("s" * 64, "t" * 64),
    ("s" * 64, "t" * 63 + "u"),
    ("s" * 63 + "u", "t" * 64),
    ("s" * 10_000, "t"),
    ("s", "t" * 10_000),
    ("搜" * 100, "索" * 100),
]


def test_long_names_are_cut_and_stay_apart() -> None:
    tools = [(server, tool, "tool") for server, tool in LONG]
    table = names(tools)
    assert names(list(reversed(tools))) == table
    assert all(len(name) <= 64 for name in table.values())
    assert table[LONG[0]].startswith("mcp__enterprise-database-management__synchronize")


def test_a_name_of_exactly_64_is_whole_and_65_is_not() -> None:
    assert names(keys(s=["t" * 56]))[("s", "t" * 56)] == "mcp__s__" + "t" * 56
    assert len(names(keys(s=["t" * 57]))[("s", "t" * 57)]) == 64
    assert names(keys(s=["t" * 57]))[("s", "t" * 57)] != "mcp__s__" + "t" * 56


@pytest.mark.parametrize(
    "tools",
    [
        ["搜索", "查找", "naïve", "０１", "e\u0301", "é", "İ", "i̇", "ß", "数", "٣", "𝐚"],
        ["。", "…", " ", "_", "__", "-", "\t", "\n", "\x00", "\u200b", "\u202e", "\ud800", "\ud801"],
        ["read.file", "read/file", "read_file", "read file", "read:file", "read-file", "read\u200bfile"],
        ["getUser", "getuser", "GETUSER"],
        ["x", "x_", "_x", "__x", "x__", "x__y", "mcp__s__x"],
        ["$(rm -rf /)", "../../etc/passwd", "<script>", "`x`", "${1:x}", "%s{0}", "constructor", "__proto__"],
    ],
)
@pytest.mark.parametrize("server", ["s", "s__t", "_", "。", "", "s\ud800"])
def test_all_names_of_a_server_are_safe_and_different(tools: list[str], server: str) -> None:
    assert len(names([(server, tool, "tool") for tool in tools])) == len(tools)


def test_names_without_a_letter_are_told_apart_by_their_own_hash() -> None:
    alone, both = names(keys(s=["搜索"])), names(keys(s=["查找", "搜索"]))
    assert alone[("s", "搜索")] == both[("s", "搜索")] != "mcp__s____"


def test_the_exact_tool_has_the_plain_name_in_any_order() -> None:
    for order in itertools.permutations(keys(files=["read.file", "read/file", "read_file"])):
        table = names(list(order))
        assert table[("files", "read_file")] == "mcp__files__read_file"
        assert table == names(keys(files=["read.file", "read/file", "read_file"]))


@pytest.mark.parametrize(
    "servers", [("my.server", "my server"), ("my_server", "my.server"), ("a", "a__b"), ("a", "a_"), ("搜", "索")]
)
def test_servers_that_sound_alike_do_not_depend_on_who_is_up_first(servers: tuple[str, str]) -> None:
    tools = ["go", "b__go", "_go"]
    seen: list[dict[ToolKey, str]] = []
    for first, second in (servers, servers[::-1]):
        table = NameTable()
        table.expect(servers)
        early = table.assign((first, tool, "tool") for tool in tools)
        both = table.assign((server, tool, "tool") for server in (second, first) for tool in tools)
        assert early.items() <= check(both, list(both)).items()
        seen.append(both)
    assert seen[0] == seen[1]


def test_underscores_make_nobody_else_s_name() -> None:
    tools = [("a", "b__c", "tool"), ("a__b", "c", "tool"), ("a", "_c", "tool"), ("a_", "c", "tool")]
    tools += [("mcp", "a__c", "tool"), ("a", "c", "tool")]
    for order in itertools.permutations(tools):
        assert names(list(order)) == names(tools)
    assert names(tools)[("a", "b__c")] == "mcp__a__b__c"


def test_a_name_stays_with_its_tool_when_a_better_one_comes() -> None:
    table = NameTable()
    assert table.assign(keys(s=["read.file"])) == {("s", "read.file", "tool"): "mcp__s__read_file"}
    later = check(table.assign(keys(s=["read_file", "read.file"])), keys(s=["read_file", "read.file"]))
    assert later[("s", "read.file", "tool")] == "mcp__s__read_file"


def test_the_exact_tool_keeps_its_name_when_another_comes() -> None:
    table = NameTable()
    table.assign(keys(s=["read_file"]))
    assert table.assign(keys(s=["read.file", "read_file"]))[("s", "read_file", "tool")] == "mcp__s__read_file"


def test_the_name_of_a_tool_that_is_gone_is_free() -> None:
    table = NameTable()
    table.assign(keys(s=["read.file"]))
    assert table.assign(keys(s=["read_file"])) == {("s", "read_file", "tool"): "mcp__s__read_file"}


def test_a_server_that_comes_back_has_its_names_again() -> None:
    table = NameTable()
    both = keys(s=["read.file"]) + keys(other=["x"])
    first = table.assign(both)
    table.assign(keys(other=["x"]))
    later = table.assign(both + keys(s=["read_file"]))
    assert first.items() <= later.items()


def test_a_server_that_left_the_config_is_forgotten() -> None:
    table = NameTable()
    table.assign(keys(s=["read.file"]))
    table.expect(["other"])
    table.expect(["other", "s"])
    assert table.assign(keys(s=["read.file", "read_file"]))[("s", "read_file", "tool")] == "mcp__s__read_file"


@pytest.mark.parametrize(
    ("kind", "tool"),
    [
        ("listResources", "list_resources"),
        ("readResource", "read_resource"),
        ("listPrompts", "list_prompts"),
        ("getPrompt", "get_prompt"),
    ],
)
def test_a_real_tool_goes_before_one_of_ours(kind: str, tool: str) -> None:
    for order in itertools.permutations([("s", tool, kind), ("s", tool, "tool")]):
        table = check(NameTable().assign(order), list(order))
        assert table[("s", tool, "tool")] == f"mcp__s__{tool}"


def test_even_a_forged_hash_takes_nobody_s_name() -> None:
    tools = keys(s=["read_file", "read.file"])
    forged = names(tools)[("s", "read.file")].removeprefix("mcp__s__")
    for order in itertools.permutations([*tools, ("s", forged, "tool")]):
        table = names(list(order))
        assert table[("s", forged)] == f"mcp__s__{forged}"


WORD = st.one_of(
    st.text(st.sampled_from("ab_-.é搜 \ud800"), max_size=6),
    st.text(st.characters(codec=None, exclude_categories=()), max_size=80),
    st.text(st.sampled_from("ab"), min_size=50, max_size=70),
)
KEY = st.tuples(WORD, WORD, st.sampled_from(["tool", "tool", "readResource"]))


@settings(max_examples=150, deadline=None)
@given(st.lists(KEY, max_size=12), st.randoms())
def test_any_names_become_safe_names_in_any_order(tools: list[ToolKey], shuffle: random.Random) -> None:
    first = check(NameTable().assign(tools), tools)
    again = list(tools)
    shuffle.shuffle(again)
    assert NameTable().assign(again) == first


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(KEY, max_size=6), max_size=6))
def test_no_name_changes_hands_while_its_tool_is_there(refreshes: list[list[ToolKey]]) -> None:
    table = NameTable()
    before: dict[ToolKey, str] = {}
    for tools in refreshes:
        now = check(table.assign(tools), tools)
        assert all(now[key] == before[key] for key in now.keys() & before.keys())
        before = now


@settings(max_examples=60, deadline=None)
@given(st.lists(WORD, unique=True, max_size=5), st.lists(WORD, unique=True, max_size=3), st.randoms())
def test_expected_servers_may_come_up_in_any_order(
    servers: list[str], tools: list[str], shuffle: random.Random
) -> None:
    seen: list[dict[ToolKey, str]] = []
    for _ in range(2):
        shuffle.shuffle(servers)
        table, here, now = NameTable(), list[ToolKey](), dict[ToolKey, str]()
        table.expect(servers)
        for server in servers:
            here += [(server, tool, "tool") for tool in tools]
            now = check(table.assign(here), here)
        seen.append(now)
    assert seen[0] == seen[1]

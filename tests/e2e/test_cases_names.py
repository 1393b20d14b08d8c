"""Real-world cases of names (NAM): what agents call a tool, and what its server is sent."""

import re
from pathlib import Path

import pytest

from e2e.kit import Listed, call, log, tools, until, up
from e2e.scripts import calls, scripted
from editor_client import EditorClient, LspError

pytestmark = pytest.mark.anyio

SAFE = re.compile(r"[a-zA-Z0-9_-]{1,64}")

ODD = (
    "synchronize-all-customer-data-across-multiple-systems-and-regions-of-the-enterprise",
    "A" * 70 + "_one",
    "A" * 70 + "_two",
    "x" * 40 + "MID1" + "y" * 40,
    "x" * 40 + "MID2" + "y" * 40,
    "B" * 500,
    "搜索",
    "查找",
    "naïve",
    "naive",
    "０１",
    "01",
    "e\u0301",
    "é",
    "İ",
    "i",
    "I",
    "。",
    "…",
    " ",
    "_",
    "__",
    "read.file",
    "read/file",
    "read_file",
    "read-file",
    "read file",
    "read:file",
    "getUser",
    "getuser",
    "GETUSER",
    "b__c",
    "_c",
    "tool\nname",
    "tool\u202ename",
    "tool\x1b[31m",
    "😀",
    "👨‍👩‍👧",
    "a" * 64,
    "a" * 65,
    "__proto__",
    "constructor",
    "mcp__other__tool",
    "'; drop table",
    "${HOME}",
    "-",
    "1",
    "%s",
)


async def test_every_tool_has_a_safe_name_of_its_own_and_its_server_hears_the_original(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """NAM-01, NAM-02, NAM-04, NAM-05, NAM-06, NAM-08, NAM-10: called by the clean name and by server and tool."""
    listed, seen = Listed(tmp_path / "lists"), tmp_path / "log"
    listed.tools(*ODD, "")
    name = "enterprise-database-management"
    await up(editor, workspace, {name: scripted(listed.word, f"log={seen}", autoApprove=["*"])})
    found = await tools(editor)
    assert len(found) == len(ODD)
    assert all(SAFE.fullmatch(clean) for clean in found)
    by_tool = {tool["tool"]: clean for clean, tool in found.items()}
    assert set(by_tool) == set(ODD)
    assert any("name" in line["text"] for line in await log(editor, name) if line["level"] == "warning")
    for raw, clean in by_tool.items():
        await editor.command("codeagent.callTool", name=clean, arguments={})
        await call(editor, name, raw)
    assert [item["name"] for item in calls(seen)] == [raw for raw in by_tool for _ in range(2)]


async def test_servers_that_sound_alike_keep_their_tools_apart(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """NAM-06 and NAM-07: routing is by table; no name belongs to two tools, whatever the underscores."""
    offers = {
        "a": ["b__c", "_c", "go"],
        "a__b": ["c", "go"],
        "a_": ["c", "go", "_c"],
        "mcp": ["c", "a__go"],
        "mcp__a": ["c"],
        "my.server": ["go"],
        "my server": ["go"],
        "my_server": ["go"],
        "my-server": ["go"],
        "acme/tool": ["go"],
        "数据": ["go"],
        "资料": ["go"],
        "A": ["go"],
    }
    entries = {}
    for number, (server, names) in enumerate(offers.items()):
        listed = Listed(tmp_path / f"lists{number}")
        listed.tools(*names)
        entries[server] = scripted(listed.word, f"log={tmp_path / f'log{number}'}", autoApprove=["*"])
    await up(editor, workspace, entries)
    found = await tools(editor)
    assert len(found) == sum(map(len, offers.values()))
    assert all(SAFE.fullmatch(clean) for clean in found)
    for clean in found:
        await editor.command("codeagent.callTool", name=clean, arguments={})
    for number, (server, names) in enumerate(offers.items()):
        assert [item["name"] for item in calls(tmp_path / f"log{number}")] == names, server
    exact = {clean: tool for clean, tool in found.items() if clean == f"mcp__{tool['server']}__{tool['tool']}"}
    assert "mcp__my_server__go" in exact and "mcp__A__go" in exact and "mcp__a__go" in exact
    with pytest.raises(LspError):
        await editor.command("codeagent.callTool", name="mcp__my__server__go")


async def test_names_do_not_depend_on_who_is_up_first(editor: EditorClient, workspace: Path, tmp_path: Path) -> None:
    """NAM-06: the order of the list and the order of arrival change nothing."""
    offers = {"my.server": ["read.file", "read/file", "read_file"], "my server": ["read_file", "read.file"]}
    seen = []
    lists = {server: Listed(tmp_path / server) for server in offers}
    for server, names in offers.items():
        lists[server].tools(*names)
    late = [scripted(lists[server].word, f"sleep={0.4 * (server == 'my server')}") for server in offers]
    await up(editor, workspace, dict(zip(offers, late, strict=True)))
    seen.append({clean: (tool["server"], tool["tool"]) for clean, tool in (await tools(editor)).items()})
    for server, names in offers.items():
        lists[server].tools(*reversed(names))
    for server in ("my server", "my.server", "my server"):
        await editor.command("codeagent.restart", server=server)
        seen.append({clean: (tool["server"], tool["tool"]) for clean, tool in (await tools(editor)).items()})
    assert all(names == seen[0] for names in seen), seen


async def test_a_name_stays_with_its_tool_when_the_list_changes(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """NAM-11: a better claimant that comes later takes no name away."""
    listed, seen = Listed(tmp_path / "lists"), tmp_path / "log"
    listed.tools("changed", "read_file", "get.user")
    await up(editor, workspace, {"s": scripted(listed.word, f"log={seen}", autoApprove=["*"])})
    before = {tool["tool"]: clean for clean, tool in (await tools(editor)).items()}
    listed.tools("changed", "read.file", "read/file", "get.user", "get_user", "read_file")
    await call(editor, "s", "changed")
    await until(editor, "s", lambda found: found["tools"] == 6)
    after = {tool["tool"]: clean for clean, tool in (await tools(editor)).items()}
    assert {raw: after[raw] for raw in before} == before
    assert len(set(after.values())) == 6
    await editor.command("codeagent.callTool", name="mcp__s__read_file", arguments={})
    await editor.command("codeagent.callTool", name=before["get.user"], arguments={})
    assert [item["name"] for item in calls(seen)] == ["changed", "read_file", "get.user"]

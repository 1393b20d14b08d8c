"""Real MCP servers, from npm and PyPI, through the language server."""

import json
from pathlib import Path

import anyio
import pytest

import real_servers
from e2e.scripts import servers
from editor_client import EditorClient

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

WAIT = 60_000


async def up(editor: EditorClient, workspace: Path, **entries: object) -> dict[str, dict[str, object]]:
    """Start these servers and wait until all are ready; returns the tools by full name."""
    await editor.start(workspace, user_config=servers(**entries))
    listed = await editor.command("codeagent.listTools", waitMs=WAIT)
    states = (await editor.command("codeagent.status"))["servers"]
    assert {item["server"]: item["state"] for item in states} == dict.fromkeys(entries, "ready"), states
    return {tool["name"]: tool for tool in listed["tools"]}


async def call(editor: EditorClient, name: str, **arguments: object) -> dict[str, object]:
    result = await editor.command("codeagent.callTool", name=name, arguments=arguments)
    assert result["isError"] is False, result["text"]
    return result


async def test_server_everything_is_listed_called_and_read(editor: EditorClient, workspace: Path) -> None:
    tools = await up(editor, workspace, everything=real_servers.entry("everything", autoApprove=["*"]))
    assert "mcp__everything__echo" in tools
    result = await call(editor, "mcp__everything__echo", message="héllo 😀")
    assert result["text"] == "Echo: héllo 😀"
    total = await call(editor, "mcp__everything__get-sum", a=2, b=40)
    assert "42" in total["text"]
    resources = (await editor.command("codeagent.listResources"))["resources"]
    first = resources[0]
    read = await editor.command("codeagent.readResource", server="everything", uri=first["uri"])
    assert read["contents"][0]["uri"] == first["uri"]
    assert read["contents"][0]["size"] > 0
    by_mention = await editor.command("codeagent.readResource", mention=first["mention"])
    assert by_mention["uri"] == first["uri"]
    prompts = {prompt["name"] for prompt in (await editor.command("codeagent.listPrompts"))["prompts"]}
    assert prompts
    filled = await editor.command("codeagent.getPrompt", server="everything", name="simple-prompt")
    assert filled["messages"][0]["role"] == "user"
    assert filled["text"]


async def test_server_filesystem_writes_only_after_approval(editor: EditorClient, workspace: Path) -> None:
    folder = workspace  # the server takes our roots, the workspace's folders, for what it may touch
    (folder / "a.txt").write_text("eins")
    asked: list[dict[str, object]] = []

    def approve(params: dict[str, object]) -> dict[str, str]:
        asked.append(params)
        return {"decision": "once"}

    editor.answer("codeagent/approveCall", approve)
    tools = await up(editor, workspace, files=real_servers.entry("filesystem", str(folder)))
    assert tools["mcp__files__write_file"]["capability"] == "destructive"
    assert tools["mcp__files__read_text_file"]["approval"] == "auto"
    read = await call(editor, "mcp__files__read_text_file", path=str(folder / "a.txt"))
    assert "eins" in read["text"]
    assert asked == []
    await call(editor, "mcp__files__write_file", path=str(folder / "b.txt"), content="zwei")
    assert (folder / "b.txt").read_text() == "zwei"
    assert [question["tool"] for question in asked] == ["write_file"]
    assert asked[0]["arguments"]["content"] == "zwei"
    assert "always" not in asked[0]["scopes"]


async def test_server_memory_keeps_its_state_between_calls(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    entry = real_servers.entry("memory", autoApprove=["*"], env={"MEMORY_FILE_PATH": str(tmp_path / "memory.jsonl")})
    await up(editor, workspace, memory=entry)
    entities = [{"name": "Ada", "entityType": "person", "observations": ["counts"]}]
    await call(editor, "mcp__memory__create_entities", entities=entities)
    graph = await call(editor, "mcp__memory__read_graph")
    assert json.loads(graph["text"])["entities"][0]["name"] == "Ada"


async def test_mcp_server_time_tells_the_time(editor: EditorClient, workspace: Path) -> None:
    await up(editor, workspace, time=real_servers.entry("time", autoApprove=["*"]))
    result = await call(
        editor, "mcp__time__convert_time", source_timezone="UTC", time="12:00", target_timezone="Asia/Tokyo"
    )
    assert "21:00" in result["text"]


async def test_mcp_server_git_reads_a_repository(editor: EditorClient, workspace: Path, tmp_path: Path) -> None:
    repository = tmp_path / "repo"
    await anyio.run_process(["git", "init", "-q", "-b", "main", str(repository)])
    (repository / "new.txt").write_text("x")
    await up(editor, workspace, git=real_servers.entry("git", "--repository", str(repository), autoApprove=["*"]))
    result = await call(editor, "mcp__git__git_status", repo_path=str(repository))
    assert "new.txt" in result["text"]


async def test_the_bundled_demo_server_has_tools_of_every_capability(editor: EditorClient, workspace: Path) -> None:
    tools = await up(editor, workspace, demo=real_servers.entry("demo"))
    assert {tool["capability"] for tool in tools.values()} == {"read", "network", "write", "destructive", "unknown"}
    read = await editor.command("codeagent.readResource", mention="@demo:note://readme")
    assert read["contents"][0]["text"]

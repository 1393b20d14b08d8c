"""Real-world cases of editors (LSP) that concern the host itself: arguments, errors, roots, requests that come early."""

import json
import os
from pathlib import Path
from typing import Any

import anyio
import pytest

from e2e.kit import PATIENCE, Table, call, command, refusal, states, status, tools, until, up
from e2e.scripts import calls, scripted, servers
from editor_client import EditorClient, write_json
from editor_wires import CODEAGENT_LSP, ProcessClient, isolated_environment

pytestmark = pytest.mark.anyio


async def execute(editor: EditorClient, name: str, *given: Any) -> Any:
    """`workspace/executeCommand` with these `arguments`, or without."""
    params = {"command": name, **({"arguments": given[0]} if given else {})}
    return await editor.request("workspace/executeCommand", params, PATIENCE)


EMPTY: tuple[tuple[Any, ...], ...] = ((), (None,), ([],), ([None],), ([[]],), ([{}],), ({},))


async def test_nothing_in_any_spelling_is_an_empty_object(editor: EditorClient, workspace: Path) -> None:
    """LSP-01: what editors send for no arguments."""
    await up(editor, workspace, {"s": scripted()})
    for given in EMPTY:
        assert (await execute(editor, "codeagent.status", *given))["servers"], given
        failed = await refusal(execute(editor, "codeagent.restart", *given))
        assert failed.code == -32602
        assert "server" in failed.message, given


WRONG: tuple[Any, ...] = (["s"], ["s", "echo", {}], [{}, "extra"], [{"server": "s"}, {}], "s", 7, True, [7], [True], [["s"]],
                          [{"server": 7}], [{"server": None}], [{"server": ["s"]}], [{"server": "s", "bogus": 1}], [{"Server": "s"}])  # fmt: skip


async def test_arguments_of_another_shape_are_refused_with_what_is_missing(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """LSP-01; a bare object instead of a list is taken for the object."""
    seen = tmp_path / "log"
    await up(editor, workspace, {"s": scripted(f"log={seen}", autoApprove=["*"])})
    table = Table()
    for given in WRONG:
        with table.case(json.dumps(given)):
            failed = await refusal(execute(editor, "codeagent.restart", given))
            assert failed.code == -32602
            assert len(failed.message) > 10
    table.judge()
    assert "bogus" in (await refusal(execute(editor, "codeagent.restart", [{"server": "s", "bogus": 1}]))).message
    same = {
        "server": "s",
        "tool": "echo",
        "arguments": {"text": "x", "class": 1, "id": 2, "method": "m", "jsonrpc": "1"},
    }
    for given in ([same], same):
        assert (await execute(editor, "codeagent.callTool", given))["text"] == "x"
    assert [item["arguments"] for item in calls(seen)] == [same["arguments"]] * 2


async def test_unknown_commands_and_methods_are_named(editor: EditorClient, workspace: Path) -> None:
    """LSP-11 and R56."""
    await up(editor, workspace, {"s": scripted()})
    failed = await refusal(execute(editor, "codeagent.restrat", [{"server": "s"}]))
    assert failed.code == -32602 and "codeagent.restart" in failed.message
    for method in ("textDocument/nope", "codeagent/unknown", "$/unknown", ""):
        failed = await refusal(editor.request(method, {}))
        assert failed.code in (-32601, -32600)
        assert "Traceback" not in json.dumps([failed.message, failed.data])
    await editor.notify("$/unknown", {})
    await editor.notify("codeagent/unknown", [1])
    assert (await status(editor, "s"))["state"] == "ready"


async def test_an_exception_of_ours_is_one_clean_sentence(
    editor: EditorClient, workspace: Path, monkeypatch: pytest.MonkeyPatch, host_log: list[str]
) -> None:
    """LSP-11: no traceback, no path, no secret; the log has it."""
    from codeagent_lsp.operations import agent

    async def broken(*_: Any) -> Any:
        raise RuntimeError("token=s3cret-value in /home/me/x.py")

    monkeypatch.setattr(agent, "instructions", broken)
    await up(editor, workspace, {"s": scripted()})
    failed = await refusal(editor.command("codeagent.instructions"))
    assert failed.code == -32603
    assert "s3cret" not in json.dumps([failed.message, failed.data])
    assert failed.data is None or "traceback" not in failed.data
    assert len(host_log) == 1
    host_log.clear()
    assert (await editor.command("codeagent.status"))["servers"]


ROOTS: dict[str, tuple[dict[str, Any], bool]] = {
    "nothing": ({"rootUri": None, "workspaceFolders": None}, False),
    "no_keys": ({}, False),
    "empty_folders": ({"rootUri": None, "workspaceFolders": []}, False),
    "root_uri": ({"rootUri": "URI", "workspaceFolders": None}, True),
    "root_path": ({"rootPath": "PATH", "rootUri": None}, True),
    "folders": ({"rootUri": None, "workspaceFolders": [{"uri": "URI", "name": "x"}]}, True),
    "folders_win": ({"rootUri": "file:///elsewhere", "workspaceFolders": [{"uri": "URI", "name": "x"}]}, True),
    "twice": ({"rootUri": "URI", "workspaceFolders": [{"uri": "URI", "name": "x"}, {"uri": "URI/", "name": "y"}]}, True),
    "not_a_file": ({"rootUri": "vscode-userdata:/x", "workspaceFolders": None}, False),
    "untitled": ({"rootUri": "untitled:1", "workspaceFolders": None}, False),
    "remote": ({"rootUri": None, "workspaceFolders": [{"uri": "vscode-remote://ssh/x", "name": "x"}, {"uri": "URI", "name": "y"}]}, True),
    "gone": ({"rootUri": "file:///does/not/exist"}, False),
}  # fmt: skip


@pytest.mark.parametrize("name", ROOTS)
async def test_the_projects_file_is_found_however_the_editor_names_its_folders(
    editor: EditorClient, tmp_path: Path, name: str
) -> None:
    """LSP-13: spaces and `#` in paths; no folder at all; other schemes."""
    folder = tmp_path / "a b#c"
    write_json(folder / ".codeagent" / "mcp.json", servers(project=scripted()))
    given, found = ROOTS[name]
    text = json.dumps(given).replace("URI", folder.as_uri()).replace("PATH", str(folder))
    write_json(editor.home / ".codeagent" / "mcp.json", servers(user=scripted()))
    await editor.open()
    initialize = {"processId": os.getpid(), "capabilities": {}, **json.loads(text),
                  "initializationOptions": {"workspaceTrust": True}}  # fmt: skip
    editor.initialize_result = await editor.request("initialize", initialize)
    await editor.notify("initialized", {})
    for uri in ("untitled:1", "vscode-userdata:/x", "file:///c%3A/x", "", "no uri at all"):
        document = {"uri": uri, "languageId": "plaintext", "version": 1, "text": "@user:a://1"}
        await editor.notify("textDocument/didOpen", {"textDocument": document})
        await editor.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    await until(editor, "user", lambda found: found["state"] == "ready")
    assert ("project" in await states(editor)) == found


async def test_a_slow_server_delays_nobody_and_its_tools_are_told_when_they_come(
    editor: EditorClient, workspace: Path
) -> None:
    """LSP-14: the first list says that it is not complete."""
    began = anyio.current_time()
    await editor.start(workspace, user_config=servers(slow=scripted("sleep=2"), quick=scripted()))
    assert anyio.current_time() - began < 2
    first = await editor.command("codeagent.listTools", waitMs=0)
    assert first["complete"] is False
    assert "slow" in first["pending"]
    section = await editor.command("codeagent.promptSection")
    assert isinstance(section["text"], str)
    await editor.wait_for("codeagent/toolsChanged", lambda params: params["server"] == "slow", within=20)
    second = await editor.command("codeagent.listTools", waitMs=0)
    assert second["complete"] is True and second["pending"] == []
    assert set(await tools(editor)) == {"mcp__slow__echo", "mcp__quick__echo"}
    assert second["revision"] > first["revision"]


async def test_early_and_late_requests_are_refused_and_harm_nothing(home: Path, workspace: Path) -> None:
    """LSP-14 and R56: before `initialize`, before `initialized`, after `shutdown`."""
    editor = ProcessClient(CODEAGENT_LSP, {**os.environ, **isolated_environment(home)}, home)
    try:
        await editor.open()
        assert (
            await refusal(editor.request("workspace/executeCommand", {"command": "codeagent.status"}))
        ).code == -32002
        await editor.notify("textDocument/didOpen", {})
        write_json(home / ".codeagent" / "mcp.json", servers(s=scripted()))
        params = {"processId": os.getpid(), "rootUri": workspace.as_uri(), "capabilities": {}}
        editor.initialize_result = await editor.request("initialize", params)
        early = await editor.begin("workspace/executeCommand", {"command": "codeagent.status"}, PATIENCE)
        assert (await refusal(editor.request("initialize", params))).code == -32600
        await editor.notify("initialized", {})
        assert "servers" in await early
        await until(editor, "s", lambda found: found["state"] == "ready")
        await editor.request("shutdown")
        assert (
            await refusal(editor.request("workspace/executeCommand", {"command": "codeagent.status"}))
        ).code == -32600
        await editor.notify("exit")
        assert await editor.wait_closed() == 0
    finally:
        await editor.abandon()


async def test_folders_and_trust_may_change_later(editor: EditorClient, tmp_path: Path) -> None:
    """LSP-13: a folder is added, trusted and removed; its servers come and go."""
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        write_json(folder / ".codeagent" / "mcp.json", servers(**{folder.name: scripted()}))
    await editor.start(one, workspace_trust=False, answers={"codeagent/approveServer": {"decision": "session"}})
    assert await states(editor) == {"one": "untrusted"}
    await editor.notify("codeagent/workspaceTrustChanged", {"workspaceTrust": "yes"})
    await editor.command("codeagent.reload")
    assert await states(editor) == {"one": "untrusted"}
    await editor.notify("codeagent/workspaceTrustChanged", {"workspaceTrust": True})
    await until(editor, "one", lambda found: found["state"] == "ready")
    added = {"added": [{"uri": two.as_uri(), "name": "two"}], "removed": [{"uri": one.as_uri(), "name": "one"}]}
    await editor.notify("workspace/didChangeWorkspaceFolders", {"event": added})
    await editor.wait_for("codeagent/toolsChanged", lambda params: params["server"] == "two", within=20)
    assert await states(editor) == {"two": "ready"}
    await editor.notify("codeagent/workspaceTrustChanged", {"workspaceTrust": False})
    await editor.command("codeagent.reload")
    assert await states(editor) == {"two": "untrusted"}
    assert (await refusal(call(editor, "two", "echo"))).data["kind"] in ("untrusted", "unknownTool")
    await command(editor, "codeagent.listTools")

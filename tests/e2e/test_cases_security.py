"""Real-world cases of security (SEC), and those threats (T) that need no particular editor: nothing runs unasked."""

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from e2e.kit import (
    Listed,
    ScriptedHttp,
    Table,
    call,
    command,
    eventually,
    log,
    refusal,
    states,
    status,
    tools,
    until,
    up,
)
from e2e.scripts import SCRIPTED, alive, calls, requests, scripted, servers
from editor_client import SILENCE, EditorClient, LspError, write_json
from editor_wires import ProcessClient

pytestmark = pytest.mark.anyio

SPAWNS: list[tuple[str, Any]] = []
_WATCHED = {"subprocess.Popen", "os.exec", "os.posix_spawn", "socket.connect", "socket.getaddrinfo", "webbrowser.open",
            "os.fork", "os.system"}  # fmt: skip
_WATCHING: list[bool] = []


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if _WATCHING and event in _WATCHED:
        SPAWNS.append((event, arguments))


sys.addaudithook(_audit)


@pytest.fixture
def nothing_runs() -> Iterator[list[tuple[str, Any]]]:
    """What this process spawns and connects to during the test, the guardian of our processes aside."""
    SPAWNS.clear()
    _WATCHING.append(True)
    yield SPAWNS
    _WATCHING.clear()


def canary(path: Path) -> dict[str, Any]:
    return {"command": "/bin/sh", "args": ["-c", f"touch {path}"]}


READ_ONLY = (
    ("codeagent.status", {}), ("codeagent.listTools", {"waitMs": 0}), ("codeagent.listResources", {"waitMs": 0}),
    ("codeagent.listPrompts", {"waitMs": 0}), ("codeagent.instructions", {}), ("codeagent.promptSection", {}),
    ("codeagent.logs", {}), ("codeagent.listApprovals", {}), ("codeagent.effectiveConfig", {"server": "x"}),
    ("codeagent.refreshTools", {"revision": 0}),
)  # fmt: skip


@pytest.mark.parametrize("trust", [True, False, None, {}, "yes", 1, [], "false", {"x": True}])
async def test_opening_a_folder_runs_and_connects_nothing_of_it(
    editor: EditorClient, workspace: Path, tmp_path: Path, nothing_runs: list[Any], trust: Any
) -> None:
    """SEC-01, T01, T14, T16 and T17: whatever is asked of us; programs, URLs, envFiles and headers alike."""
    pwned, fifo = tmp_path / "PWNED", tmp_path / "fifo"
    os.mkfifo(fifo)
    project = {
        "x": canary(pwned),
        "url": {"url": "http://127.0.0.1:9/${HOME}", "headers": {"A": "${PATH}"}},
        "name": {"url": "http://canary.invalid/"},
        "envfile": {"command": "true", "envFile": str(fifo)},
        "lazy": {**canary(pwned), "autostart": "onDemand"},
    }
    await editor.start(workspace, project_config=servers(**project), workspace_trust=trust)
    for _ in range(5):
        for name, params in READ_ONLY:
            await editor.command(name, **params)
    for name in project:
        failed = await refusal(editor.command("codeagent.callTool", server=name, tool="t"))
        assert failed.data["kind"] in ("untrusted", "unknownTool")
        await editor.command("codeagent.restart", server=name)
        await editor.command("codeagent.start", server=name)
        await editor.command("codeagent.setEnabled", server=name, enabled=True)
        await refusal(editor.command("codeagent.readResource", server=name, uri="a://1"))
    await editor.command("codeagent.reload")
    assert set((await states(editor)).values()) == {"untrusted"}
    assert not pwned.exists()
    assert nothing_runs == []
    shown = await status(editor, "x")
    assert shown["trust"] == "needed" and shown["fingerprint"]


async def test_the_question_shows_the_command_and_the_users_servers_run_meanwhile(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """SEC-01: every argument of its own; silence, null, an error and an unknown word are a no."""
    pwned = tmp_path / "PWNED"
    answers: list[Any] = [None, {"decision": "yes"}, "session", LspError({"code": -1, "message": "x"}), {}]
    entries = {f"x{n}": canary(pwned) for n in range(len(answers))}
    entries = {name: {**entry, "args": [*entry["args"], name]} for name, entry in entries.items()}

    def answer(params: dict[str, Any]) -> Any:
        return answers[int(params["server"][1:])]

    async def reply(params: dict[str, Any]) -> Any:
        value = answer(params)
        if isinstance(value, LspError):
            return {"decision": 7}
        return value

    await editor.start(workspace, user_config=servers(good=scripted(autoApprove=["*"])),
                       project_config=servers(**entries), answers={"codeagent/approveServer": reply})  # fmt: skip
    await command(editor, "codeagent.listTools")
    assert (await call(editor, "good", "echo", text="meanwhile"))["text"] == "meanwhile"
    await editor.wait_for("codeagent/approveServer", lambda params: params["server"] == "x4", within=15)
    asked = [params for method, params in editor.questions if method == "codeagent/approveServer"]
    assert [params["server"] for params in asked] == sorted(entries)
    for params in asked:
        assert params["argv"][-3:] == ["-c", f"touch {pwned}", params["server"]]
        assert params["resolvedCommand"].startswith("/") and params["warnings"]
    await editor.command("codeagent.reload")
    assert {name: state for name, state in (await states(editor)).items() if name != "good"} == dict.fromkeys(
        entries, "untrusted"
    )
    assert not pwned.exists()


def changes(entry: dict[str, Any], folder: Path) -> dict[str, dict[str, Any]]:
    """One change each of what would be started."""
    return {
        "command": {**entry, "command": shutil.which("env") or "env", "args": [entry["command"], *entry["args"]]},
        "args": {**entry, "args": [*entry["args"], "tools=2"]},
        "order": {**entry, "args": [entry["args"][0], *reversed(entry["args"][1:])]},
        "env": {**entry, "env": {**entry["env"], "K": "other"}},
        "new_env": {**entry, "env": {**entry["env"], "L": "new"}},
        "cwd": {**entry, "cwd": str(folder)},
        "envFile": {**entry, "envFile": "${workspaceFolder}/.env"},
        "transport": {"url": "http://127.0.0.1:9/mcp"},
    }


async def test_an_approval_is_for_what_was_shown_and_for_nothing_else(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """SEC-02 and T02: each change stops the server and asks, with the difference; cosmetic changes do not."""
    shutil.copy(SCRIPTED, workspace / "server.py")
    for name in SCRIPTED.parent.glob("scripted_*.py"):
        shutil.copy(name, workspace / name.name)
    entry = {
        "command": sys.executable,
        "args": ["${workspaceFolder}/server.py", "list=echo", "page=5"],
        "env": {"K": "v"},
    }
    file = workspace / ".codeagent" / "mcp.json"
    (workspace / ".env").write_text("EXTRA=1\n")
    decisions: list[Any] = [{"decision": "always"}]
    asked: list[dict[str, Any]] = []

    def answer(params: dict[str, Any]) -> Any:
        asked.append(params)
        return decisions.pop(0) if decisions else None

    await editor.start(workspace, project_config=servers(x=entry), answers={"codeagent/approveServer": answer})
    found = await until(editor, "x", lambda found: found["state"] == "ready")
    file.write_text("// a comment\n" + json.dumps(servers(x={**entry, "timeout": 5000, "disabled": False}), indent=7))
    await editor.command("codeagent.reload")
    assert (await status(editor, "x"))["pid"] == found["pid"]
    assert len(asked) == 1
    table = Table()
    for name, changed in changes(entry, tmp_path).items():
        with table.case(name):
            write_json(file, servers(x=entry))
            await editor.command("codeagent.reload")
            found = await until(editor, "x", lambda found: found["state"] == "ready")
            before = len(asked)
            write_json(file, servers(x=changed))
            await editor.command("codeagent.reload")
            now = await until(editor, "x", lambda found: found["state"] != "ready", 5)
            assert now["state"] == "untrusted"
            await eventually(lambda found=found: not alive(found["pid"]), 5)
            await eventually(lambda before=before: len(asked) == before + 1, 5)
            assert asked[-1]["changed"], asked[-1]
            assert (await editor.command("codeagent.restart", server="x"))["state"] == "untrusted"
    table.judge()
    write_json(file, servers(x=entry))
    (workspace / "server.py").write_text((workspace / "server.py").read_text() + "\n# swapped\n")
    await editor.command("codeagent.reload")
    assert (await editor.command("codeagent.restart", server="x"))["state"] == "untrusted"
    await eventually(lambda: any("server.py" in json.dumps(params.get("changed")) for params in asked), 5)


async def test_an_approval_lives_outside_the_workspace_for_the_user_alone_and_for_one_place(
    home: Path, workspace: Path, tmp_path: Path, process_editor: ProcessClient
) -> None:
    """SEC-02, T04, T13 and R54: kept over a restart of ours; another folder, or a store that others can write to, asks."""
    entry = servers(x=scripted())
    await process_editor.start(
        workspace, project_config=entry, answers={"codeagent/approveServer": {"decision": "always"}}
    )
    await until(process_editor, "x", lambda found: found["state"] == "ready")
    await process_editor.stop()
    stored = [
        path for path in home.rglob("*") if path.is_file() and "codeagent" in str(path) and path.name != "mcp.json"
    ]
    assert stored
    for path in stored:
        assert path.stat().st_mode & 0o077 == 0, path
        assert path.parent.stat().st_mode & 0o077 == 0, path
    assert not any(workspace in path.parents for path in stored)
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(workspace, elsewhere)
    for place, expected, mode in (
        (workspace, "ready", None),
        (elsewhere, "untrusted", None),
        (workspace, "untrusted", 0o666),
    ):
        if mode is not None:
            for path in stored:
                path.chmod(mode)
        other = ProcessClient(process_editor._argv, process_editor._env, home)
        try:
            await other.start(place)
            await until(other, "x", lambda found, expected=expected: found["state"] == expected)
        finally:
            await other.stop()
            await other.abandon()


async def test_a_project_file_that_comes_later_is_asked_about_too(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """T12; and T09: nothing is read from a parent or a nested folder."""
    pwned = tmp_path / "PWNED"
    write_json(tmp_path / ".codeagent" / "mcp.json", servers(parent=canary(pwned)))
    write_json(workspace / "inner" / ".codeagent" / "mcp.json", servers(nested=canary(pwned)))
    await editor.start(workspace, features=["approveServer"], answers={"codeagent/approveServer": SILENCE})
    assert await states(editor) == {}
    write_json(workspace / ".codeagent" / "mcp.json", servers(late=canary(pwned)))
    await editor.wait_for("codeagent/approveServer", within=15)
    assert await states(editor) == {"late": "untrusted"}
    assert not pwned.exists()


async def test_links_pipes_and_devices_in_a_project_are_no_config(
    editor: EditorClient, tmp_path: Path, nothing_runs: list[Any]
) -> None:
    """T11: answered without waiting for a writer."""
    evil = tmp_path / "evil"
    write_json(evil / "mcp.json", servers(x=canary(tmp_path / "PWNED")))
    folders = [tmp_path / f"w{n}" for n in range(5)]
    for folder in folders:
        folder.mkdir()
    (folders[0] / ".codeagent").symlink_to(evil)
    for folder in folders[1:]:
        (folder / ".codeagent").mkdir()
    (folders[1] / ".codeagent" / "mcp.json").symlink_to(evil / "mcp.json")
    os.mkfifo(folders[2] / ".codeagent" / "mcp.json")
    (folders[3] / ".codeagent" / "mcp.json").symlink_to("/dev/zero")
    (folders[4] / ".codeagent" / "mcp.json").write_text(" " * 2_000_000)
    await editor.start(folders)
    with anyio.fail_after(10):
        found = await editor.command("codeagent.status")
    assert found["servers"] == []
    assert len([file for file in found["files"] if file["problems"]]) >= 5
    assert nothing_runs == []


async def test_trust_is_for_each_folder(editor: EditorClient, tmp_path: Path) -> None:
    """T32: two folders, one trusted; the same name in both is two servers."""
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        write_json(folder / ".codeagent" / "mcp.json", servers(same=scripted()))
    await editor.start([one, two], workspace_trust={one.as_uri(): True},
                       answers={"codeagent/approveServer": {"decision": "session"}})  # fmt: skip
    await until(editor, "same", lambda found: found["state"] == "ready")
    found = await states(editor)
    assert found == {"same": "ready", "same@two": "untrusted"}
    assert len([method for method, _ in editor.questions if method == "codeagent/approveServer"]) == 1


async def test_a_project_cannot_grant_itself_rights(editor: EditorClient, workspace: Path) -> None:
    """T07: a diagnostic on the key, and no effect."""
    entries = {
        "auto": scripted("list=t", autoApprove=["*"]),
        "trust": scripted("list=t", trustAnnotations=True),
    }
    await editor.start(workspace, project_config=servers(**entries),
                       answers={"codeagent/approveServer": {"decision": "session"}, "codeagent/approveCall": None})  # fmt: skip
    file = workspace / ".codeagent" / "mcp.json"
    for name in entries:
        await until(editor, name, lambda found: found["state"] in ("ready", "failed"))
    said = [item["message"] for item in editor.diagnostics(file.as_uri())]
    assert any("autoApprove" in message for message in said) and any("trustAnnotations" in message for message in said)
    for name in entries:
        if (await status(editor, name))["state"] == "ready":
            assert (await refusal(call(editor, name, "t"))).data["kind"] == "denied"


async def test_a_user_file_that_others_can_write_to_is_asked_about(editor: EditorClient, workspace: Path) -> None:
    """T29."""
    file = editor.home / ".codeagent" / "mcp.json"
    write_json(file, servers(x=scripted()))
    file.chmod(0o666)
    await editor.start(workspace)
    assert (await states(editor)) == {"x": "untrusted"}
    file.chmod(0o600)
    await editor.command("codeagent.reload")
    assert (await states(editor)) == {"x": "ready"}


async def test_programs_of_the_workspace_are_not_found_by_a_bare_name(
    editor: EditorClient, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T21: a PATH with empty, relative and in-workspace parts."""
    pwned = tmp_path / "PWNED"
    for place in (workspace, workspace / "bin"):
        place.mkdir(exist_ok=True)
        (place / "python3").write_text(f"#!/bin/sh\ntouch {pwned}\n")
        (place / "python3").chmod(0o755)
    monkeypatch.chdir(workspace)
    monkeypatch.setenv("PATH", f":.:./bin:{workspace}/bin:{os.environ['PATH']}")
    await up(editor, workspace, {"x": {"command": "python3", "args": [str(SCRIPTED)], "cwd": str(workspace)}})
    assert (await states(editor)) == {"x": "ready"}
    assert not pwned.exists()


async def test_a_child_sees_no_variable_of_the_editor_or_of_ours(
    editor: EditorClient, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T25 and T74, as config.md has it: the user's own environment, and nothing of our process."""
    for name in ("VSCODE_IPC_HOOK", "ELECTRON_RUN_AS_NODE", "NVIM_LISTEN_ADDRESS", "PYTHONPATH", "PYTHONHOME_X"):
        monkeypatch.setenv(name, "/tmp")
    await up(editor, workspace, {"s": scripted("list=environment,descriptors", autoApprove=["*"])})
    found = json.loads((await call(editor, "s", "environment"))["text"])
    for name in ("VSCODE_IPC_HOOK", "ELECTRON_RUN_AS_NODE", "NVIM_LISTEN_ADDRESS", "PYTHONPATH"):
        assert name not in found
    assert json.loads((await call(editor, "s", "descriptors"))["text"])[:3] == [0, 1, 2]


HINTED: dict[str, tuple[str, Any]] = {
    "delete_all": ("delete_all", {"readOnlyHint": True}),
    "read_x": ("read_x", {"readOnlyHint": True, "destructiveHint": True}),
    "text": ("read_text", {"readOnlyHint": "true"}),
    "number": ("read_number", {"readOnlyHint": 1}),
    "null": ("read_null", {"readOnlyHint": None}),
    "list": ("read_list", []),
    "none": ("read_none", None),
    "words_only": ("get_user", {}),
    "unknown": ("frobnicate", {}),
    "foreign": ("搜索", {}),
    "run": ("execute_sql", {"readOnlyHint": True}),
}


async def test_no_hint_of_a_server_skips_the_gate_where_it_may_not(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """SEC-04 and SEC-05: hints of the wrong kind are none, and a name that contradicts a hint asks; nothing is sent."""
    listed, seen = Listed(tmp_path / "lists"), tmp_path / "log"
    listed.tools(*({"name": name, "inputSchema": {"type": "object"}, "annotations": given} for name, given in HINTED.values()),
                 {"name": "get_note", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}})  # fmt: skip
    project = Listed(tmp_path / "project")
    project.tools({"name": "get_note", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}})
    await editor.start(workspace, user_config=servers(s=scripted(listed.word, f"log={seen}")),
                       project_config=servers(p=scripted(project.word, f"log={seen}")),
                       answers={"codeagent/approveServer": {"decision": "session"}, "codeagent/approveCall": {"decision": "deny"}})  # fmt: skip
    await until(editor, "p", lambda found: found["state"] == "ready")
    await until(editor, "s", lambda found: found["state"] == "ready")
    table = Table()
    for name, (tool, _) in HINTED.items():
        with table.case(name):
            assert (await refusal(call(editor, "s", tool))).data["kind"] == "denied"
    table.judge()
    assert (await refusal(call(editor, "p", "get_note"))).data["kind"] == "denied"
    assert calls(seen) == []
    await call(editor, "s", "get_note")  # the user's own server, a real boolean, a name that agrees
    assert len(calls(seen)) == 1


@pytest.mark.parametrize("answer", [None, {}, {"decision": "yes"}, {"decision": "always"}, SILENCE, [], "once"])
async def test_no_way_to_a_tool_leads_past_the_gate(
    editor: EditorClient, workspace: Path, tmp_path: Path, answer: Any
) -> None:
    """SEC-07: every way of naming a tool, also after a restart, also twice at once; a scope that was not offered."""
    seen = tmp_path / "log"
    await up(editor, workspace, {"s": scripted("list=delete.it,slow", f"log={seen}")},
             answers={"codeagent/approveCall": answer, "codeagent/approveServer": None})  # fmt: skip
    clean = next(name for name, tool in (await tools(editor)).items() if tool["tool"] == "delete.it")
    ways: list[dict[str, Any]] = [
        {"name": clean},
        {"server": "s", "tool": "delete.it"},
        {"name": clean, "arguments": {"a": 1}},
    ]
    for _ in range(2):
        begun = [await editor.begin_command("codeagent.callTool", **way) for way in [*ways, ways[0]]]
        if answer is SILENCE:
            await anyio.sleep(0.3)
            for one in begun:
                assert not one.future.done()
                await editor.cancel(one)
        for one in begun:
            failed = await refusal(one)
            assert failed.code in (-32803, -32800)
        await editor.command("codeagent.restart", server="s")
    assert calls(seen) == []
    failed = await refusal(editor.command("codeagent.callTool", name="delete.it"))
    assert failed.data["kind"] == "unknownTool"


async def test_a_flood_of_questions_is_one_question_and_many_refusals(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """T40 and SEC-07: at most one open dialog of a server."""
    seen, open_now, most = tmp_path / "log", [0], [0]

    async def answer(_: Any) -> Any:
        open_now[0] += 1
        most[0] = max(most[0], open_now[0])
        await asyncio.sleep(0.05)
        open_now[0] -= 1
        return {"decision": "deny"}

    await up(
        editor, workspace, {"s": scripted("list=delete_it", f"log={seen}")}, answers={"codeagent/approveCall": answer}
    )
    found = await asyncio.gather(*(refusal(call(editor, "s", "delete_it", n=n)) for n in range(60)))
    assert {failed.data["kind"] for failed in found} == {"denied"}
    assert most[0] == 1
    assert len([method for method, _ in editor.questions if method == "codeagent/approveCall"]) <= 12
    assert calls(seen) == []


async def test_a_tool_that_changes_while_the_user_looks_is_not_called(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """R38, R39 and T35: another definition, another process, another process of another definition."""
    listed, seen = Listed(tmp_path / "lists"), tmp_path / "log"

    def offer(description: str) -> None:
        listed.tools("changed", {"name": "delete_it", "description": description, "inputSchema": {"type": "object"}})

    offer("one")
    happens: list[Any] = []

    async def answer(_: Any) -> Any:
        await happens[0]()
        return {"decision": "once"}

    async def another_definition() -> None:
        offer("two")
        await call(editor, "s", "changed")
        await editor.wait_for("codeagent/toolsChanged", lambda params: params["changed"], within=10)

    async def another_process() -> None:
        before = (await status(editor, "s"))["pid"]
        os.kill(before, 9)
        await until(editor, "s", lambda found: found["state"] == "ready" and found["pid"] != before)

    async def no_server() -> None:
        await editor.command("codeagent.stop", server="s")

    await up(editor, workspace, {"s": scripted(listed.word, f"log={seen}", autoApprove=["changed"])},
             answers={"codeagent/approveCall": answer})  # fmt: skip
    for happening, kinds in (
        (another_definition, ("stale",)),
        (another_process, ("stale",)),
        (no_server, ("stale", "notReady")),
    ):
        happens[:] = [happening]
        editor.forget()
        failed = await refusal(call(editor, "s", "delete_it"))
        assert failed.data["kind"] in kinds, failed.message
    assert [item["name"] for item in calls(seen)] == ["changed"]


HIDDEN = ("\u200b", "\u202e", "\u2066", "\u2069", "\U000e0041", "\U000e007f", "\x1b", "\x9b", "\u00ad", "\ufeff", "\u2028",
          "\u061c", "\u180e", "\u3164", "\u115f", "\ue000", "\ufff9", "\u2060", "\x07", "\x7f", "\u200e")  # fmt: skip


async def test_hidden_characters_are_seen_wherever_a_server_or_a_file_can_put_them(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """SEC-08, T19, T42 and T43: in questions, lists, status, logs and errors; ordinary emoji are left alone."""
    evil = "ok" + "".join(HIDDEN) + "end 👨‍👩‍👧 é"
    listed = Listed(tmp_path / "lists")
    listed.tools({"name": "delete_it", "title": evil, "description": evil, "inputSchema": {"type": "object"}}, "raw")
    listed.put("resources/list", {"resources": [{"uri": "a://1", "name": evil, "title": evil, "description": evil}]})
    listed.put("prompts/list", {"prompts": [{"name": "p", "title": evil, "description": evil,
                                             "arguments": [{"name": "a", "description": evil}]}]})  # fmt: skip
    entry = scripted(listed.word, f"stderr={evil}", f"instructions={evil}",
                     f"init={json.dumps({'serverInfo': {'name': evil, 'version': evil}})}", autoApprove=["raw"])  # fmt: skip
    project = {"command": "/bin/echo", "args": [evil], "env": {"E": evil}}
    await editor.start(workspace, user_config=servers(s=entry), project_config=servers(p=project),
                       answers={"codeagent/approveServer": None, "codeagent/approveCall": None})  # fmt: skip
    await until(editor, "s", lambda found: found["state"] == "ready")
    await refusal(call(editor, "s", "delete_it", x=evil))
    error = json.dumps({"jsonrpc": "2.0", "id": "ID", "error": {"code": 1, "message": evil}}).replace('"ID"', "ID")
    failed = await refusal(call(editor, "s", "raw", text=error))
    await editor.wait_for("codeagent/approveServer", within=10)
    views: dict[str, Any] = {
        "tools": [(t["title"], t["description"]) for t in (await tools(editor, "s")).values() if "title" in t],
        "resources": [(r["name"], r.get("title"), r.get("description"))
                      for r in (await editor.command("codeagent.listResources"))["resources"]],
        "prompts": (await editor.command("codeagent.listPrompts"))["prompts"],
        "instructions": await editor.command("codeagent.instructions"),
        "section": await editor.command("codeagent.promptSection"),
        "log": await log(editor, "s"),
        "error": failed.message,
        "questions": [(p["description"], p.get("title"), p["warnings"]) for m, p in editor.questions if "approveCall" in m],
        "launch": [(p["argv"], p["env"], p["warnings"]) for m, p in editor.questions if "approveServer" in m],
        "info": (await status(editor, "s")),
    }  # fmt: skip
    table = Table()
    for name, view in views.items():
        with table.case(name):
            text = json.dumps(view, ensure_ascii=False)
            assert "end" in text, text[:500]
            left = {f"U+{ord(character):04X}" for character in HIDDEN if character in text}
            assert not left, left
            assert name == "info" or "👨‍👩‍👧 é" in text or name == "log", text[:800]
    table.judge()


async def test_long_text_before_the_dangerous_part_is_cut_where_one_sees_it(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """SEC-08: ten thousand line ends; and nothing of a launch is ever cut."""
    listed = Listed(tmp_path / "lists")
    listed.tools(
        {
            "name": "delete_it",
            "description": "harmless" + "\n" * 10_000 + "dangerous",
            "inputSchema": {"type": "object"},
        }
    )
    long = "x" * 5_000 + " rm -rf /"
    await editor.start(workspace, user_config=servers(s=scripted(listed.word)), project_config=servers(p={"command": "/bin/echo", "args": [long]}),
                       answers={"codeagent/approveServer": None, "codeagent/approveCall": None})  # fmt: skip
    await until(editor, "s", lambda found: found["state"] == "ready")
    await refusal(call(editor, "s", "delete_it"))
    question = next(params for method, params in editor.questions if method == "codeagent/approveCall")
    assert len(question["description"]) < 6_000
    assert "dangerous" in question["description"] or "more characters" in question["description"]
    launch = await editor.wait_for("codeagent/approveServer", within=10)
    assert launch["argv"][-1] == long


async def test_secrets_are_in_no_log_status_or_error(
    editor: EditorClient, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SEC-09's kind, T65 and T66: from variables, headers, URLs, standard error and answers."""
    secrets = {"FROM_ENV": "canary-env-8d1f", "FROM_HEADER": "canary-header-77aa", "IN_URL": "canary-url-90cc"}
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    said = " ".join(secrets.values())
    patterns = "Authorization: Bearer abcdef0123456789abcdef ghp_0123456789abcdefghij0123456789abcdef sk-abcdefghijklmnop0123456789"
    async with ScriptedHttp("status=tools/call:500", f"body={said}") as server:
        await up(editor, workspace, {
            "s": scripted(f"stderr={said} {patterns}", "list=raw,die", env={"T": "${FROM_ENV}", "U": "${IN_URL}"}, autoApprove=["*"]),
            "dies": {"command": "/bin/sh", "args": ["-c", 'echo "$T" >&2; exit 3'], "env": {"T": "${FROM_ENV}"}},
            "h": {"url": f"http://127.0.0.1:{server.port}/mcp?key=${{IN_URL}}", "headers": {"X-Api": "${FROM_HEADER}"}, "autoApprove": ["*"]},
        }, complete=False)  # fmt: skip
        await until(editor, "dies", lambda found: "error" in found)
        failures = [await refusal(call(editor, "h", "echo"))]
    error = json.dumps({"jsonrpc": "2.0", "id": "ID", "error": {"code": 1, "message": f"bad {said}"}}).replace(
        '"ID"', "ID"
    )
    failures.append(await refusal(call(editor, "s", "raw", text=error)))
    failures.append(await refusal(call(editor, "s", "die")))
    everything = json.dumps([
        [(failed.message, failed.data) for failed in failures],
        await editor.command("codeagent.status"),
        await editor.command("codeagent.logs", lines=2000),
        [await editor.command("codeagent.effectiveConfig", server=name) for name in ("s", "h", "dies")],
        editor.notifications("codeagent/statusChanged"),
    ])  # fmt: skip
    for secret in secrets.values():
        assert secret not in everything, everything[everything.index(secret) - 300 :][:400]
    for secret in ("abcdef0123456789abcdef", "ghp_0123456789", "sk-abcdefghij"):
        assert secret not in everything


async def test_what_a_result_links_to_is_not_fetched(
    editor: EditorClient, workspace: Path, nothing_runs: list[Any], tmp_path: Path
) -> None:
    """RES-08, T47, T48 and T50: links in results, resources, icons and questions."""
    async with ScriptedHttp() as canary_server:
        url = canary_server.url
        listed = Listed(tmp_path / "lists")
        listed.tools({"name": "reply", "inputSchema": {"type": "object", "$ref": url}, "icons": [{"src": url}],
                      "outputSchema": {"$ref": url}}, "elicit")  # fmt: skip
        listed.put("resources/list", {"resources": [{"uri": url, "name": "n", "icons": [{"src": url}]}]})
        await up(editor, workspace, {"s": scripted(listed.word, autoApprove=["*"])}, answers={"codeagent/elicit": None})
        blocks = [{"type": "resource_link", "uri": uri, "name": "n"}
                  for uri in (url, "http://169.254.169.254/", "file:///etc/passwd", "//host/share", "\\\\host\\share")]  # fmt: skip
        result = await call(editor, "s", "reply", result={"content": blocks, "structuredContent": {"a": url}})
        assert url in result["text"]
        params = {"mode": "url", "message": "m", "url": url, "elicitationId": "1"}
        await call(editor, "s", "elicit", params=params)
        assert canary_server.requests == []
    assert not [event for event, _ in nothing_runs if event.startswith(("socket", "webbrowser"))]


async def test_sampling_that_no_editor_offers_is_refused_a_hundred_times_without_a_word(
    editor: EditorClient, workspace: Path
) -> None:
    """T51."""
    await up(editor, workspace, {"s": scripted("list=sample", autoApprove=["*"])})
    found = await asyncio.gather(*(call(editor, "s", "sample") for _ in range(100)))
    assert all('"error"' in item["text"] for item in found)
    assert not [method for method, _ in editor.questions if "sample" in method or "showMessage" in method]


async def test_we_listen_on_no_socket(process_editor: ProcessClient, workspace: Path) -> None:
    """T41 and T64."""
    await up(process_editor, workspace, {"s": scripted()})
    inodes = {link.readlink().name for link in Path(f"/proc/{process_editor.pid}/fd").iterdir() if link.is_symlink()}
    listening = [
        line.split() for table in ("tcp", "tcp6") for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
    ]
    ours = [row for row in listening if row[3] == "0A" and f"socket:[{row[9]}]" in inodes]
    assert ours == []


async def test_an_editor_without_our_questions_still_decides_with_buttons(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """SEC-01 and SEC-07 for editors that only have buttons: deny comes first, and a closed dialog is a no."""
    pwned = tmp_path / "PWNED"
    await editor.start(workspace, project_config=servers(x=canary(pwned)), answers={"window/showMessageRequest": None})
    asked = await editor.wait_for("window/showMessageRequest", within=10)
    assert asked["actions"][0]["title"] == "Deny"
    assert f"touch {pwned}" in asked["message"]
    await editor.command("codeagent.reload")
    assert not pwned.exists()
    assert (await states(editor)) == {"x": "untrusted"}
    assert list(requests(tmp_path / "none")) == []

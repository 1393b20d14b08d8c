"""Real-world cases of config files (CFG) and of the environment (ENV): what is read, merged, expanded and reloaded."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from e2e.kit import PATIENCE, ScriptedHttp, Table, call, command, eventually, refusal, states, status, tools, until, up
from e2e.scripts import SCRIPTED, alive, scripted, servers
from editor_client import EditorClient, write_json
from editor_wires import CODEAGENT_LSP, ProcessClient, isolated_environment

pytestmark = pytest.mark.anyio

RUN = json.dumps(scripted())
"""An entry that starts, as text."""


def user_file(editor: EditorClient) -> Path:
    return editor.home / ".codeagent" / "mcp.json"


async def with_text(editor: EditorClient, workspace: Path, text: str | bytes, **start: Any) -> dict[str, str]:
    """Start with this text as the user's file. Returns the states of the servers."""
    if isinstance(text, str):
        text = text.encode()
    user_file(editor).write_bytes(text)
    await editor.start(workspace, **start)
    await command(editor, "codeagent.listTools", waitMs=int(PATIENCE * 1000))
    return await states(editor)


TEXTS: dict[str, tuple[str | bytes, set[str]]] = {
    # CFG-01 and CFG-02: what people write, and which servers it declares
    "comments": ('{"mcpServers":{ // off for now\n "a":%s /* b */ }}' % RUN, {"a"}),
    "comment_at_the_end": ('{"mcpServers":{"a":%s}} // the end' % RUN, {"a"}),
    "comment_before": ('// mine\n/* * / */{"mcpServers":{"a":%s}}' % RUN, {"a"}),
    "commented_server": ('{"mcpServers":{"a":%s\n//, "b": {"command": "x"}\n}}' % RUN, {"a"}),
    "trailing_commas": ('{"mcpServers":{"a":%s,},}' % RUN.replace("]", ",]", 1), {"a"}),
    "byte_order_mark": (b"\xef\xbb\xbf" + ('{"mcpServers":{"a":%s}}' % RUN).encode(), {"a"}),
    "crlf": (('{\r\n"mcpServers":{\r\n"a":%s}\r\n}\r\n' % RUN), {"a"}),
    "tabs": ('\t{\t"mcpServers"\t:\t{"a":%s}}' % RUN, {"a"}),
    "servers": ('{"servers":{"a":%s}}' % RUN, {"a"}),
    "both_maps": ('{"servers":{"a":%s},"mcpServers":{"b":%s}}' % (RUN, RUN), {"a", "b"}),
    "other_keys": ('{"$schema":"x","inputs":[],"mcpServers":{"a":%s}}' % RUN, {"a"}),
    "empty_map": ('{"mcpServers":{}}', set()),
    "empty_object": ("{}", set()),
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
async def test_a_file_is_read_as_it_was_meant(editor: EditorClient, workspace: Path, name: str) -> None:
    """CFG-01, CFG-02 and CFG-07."""
    text, expected = TEXTS[name]
    assert await with_text(editor, workspace, text) == dict.fromkeys(expected, "ready")
    errors = [item for item in editor.diagnostics(user_file(editor).as_uri()) if item["severity"] == 1]
    assert errors == []


async def test_text_inside_strings_is_no_comment_and_no_comma(editor: EditorClient, workspace: Path) -> None:
    """CFG-01 and CFG-02: `http://`, `/*`, `,}` and `//` in values reach the server as they are."""
    values = ["http://h/mcp", "/* x */", ",}", "// x", "a,]", '\\"//', "\u2028"]
    entry = scripted("list=environment", autoApprove=["*"], env={f"V{n}": value for n, value in enumerate(values)})
    assert await with_text(editor, workspace, json.dumps(servers(a=entry))) == {"a": "ready"}
    environment = json.loads((await call(editor, "a", "environment"))["text"])
    assert [environment[f"V{n}"] for n in range(len(values))] == values


BROKEN = ("", " ", "[]", "null", "7", '"x"', "{", '{"mcpServers":{"a":{"command":"true"}', '{"mcpServers":[]}',
          '{"mcpServers":null}', '{"mcpServers":7}', '{"mcpServers" {}}', "{'mcpServers':{}}", "{mcpServers:{}}", "\x00",
          '{"mcpServers":{"a":{"command":"true"}}} x', "<html>", "mcpServers:\n  a:\n", "[" * 50)  # fmt: skip


@pytest.mark.parametrize("text", BROKEN)
async def test_a_broken_file_is_one_problem_that_names_it_and_is_never_written_to(
    editor: EditorClient, workspace: Path, text: str
) -> None:
    """CFG-04 and CFG-14: the other file's servers start; the bytes stay."""
    file = workspace / ".codeagent" / "mcp.json"
    file.parent.mkdir()
    file.write_text(text)
    await up(editor, workspace, {"good": scripted()})
    assert (await status(editor, "good"))["state"] == "ready"
    found = next(item for item in (await editor.command("codeagent.status"))["files"] if item["uri"] == file.as_uri())
    assert len(found["problems"]) == 1, found
    assert editor.diagnostics(file.as_uri())
    await editor.command("codeagent.setEnabled", server="good", enabled=False)
    await editor.command("codeagent.reload")
    await editor.stop()
    assert file.read_text() == text


async def test_a_file_that_cannot_be_read_is_told_and_one_that_is_not_there_is_not(
    editor: EditorClient, workspace: Path
) -> None:
    """CFG-14: a directory, a pipe, a dangling link; the user's servers start."""
    folders = [workspace / name for name in ("directory", "pipe", "link", "absent")]
    for folder in folders:
        (folder / ".codeagent").mkdir(parents=True)
    (folders[0] / ".codeagent" / "mcp.json").mkdir()
    os.mkfifo(folders[1] / ".codeagent" / "mcp.json")
    (folders[2] / ".codeagent" / "mcp.json").symlink_to("/nowhere")
    await editor.start(folders, user_config=servers(good=scripted()))
    await command(editor, "codeagent.listTools")
    assert await states(editor) == {"good": "ready"}
    files = {item["uri"]: item for item in (await editor.command("codeagent.status"))["files"]}
    for folder in folders:
        problems = files[(folder / ".codeagent" / "mcp.json").as_uri()]["problems"]
        assert bool(problems) == (folder.name != "absent"), folder


async def test_each_bad_entry_is_told_by_itself_and_the_good_one_runs(editor: EditorClient, workspace: Path) -> None:
    """CFG-05 and CFG-08."""
    bad: dict[str, Any] = {
        "b1": {"args": ["x"]}, "b2": 7, "b3": {"command": 1}, "b4": {"command": ""}, "b5": {"url": 5},
        "b6": {"command": "x", "args": "a b"}, "both": {"command": "true", "url": "http://h"}, "neither": {},
        "null": None, "list": [], "text": "npx server", "env": {"command": "true", "env": ["A=1"]},
        "cwd": {"command": "true", "cwd": 7}, "type": {"command": "true", "type": "carrier-pigeon"},
        "timeout": {"command": "true", "timeout": "soon"}, "negative": {"command": "true", "timeout": -1},
        "disabled": {"command": "true", "disabled": "yes"}, "args": {"command": "true", "args": [["x"]]},
        "url_type": {"url": "http://h", "type": "stdio"}, "spaces": {"command": "   "},
    }  # fmt: skip
    await up(editor, workspace, {"ok": scripted(), **bad})
    table = Table()
    for name in bad:
        with table.case(name):
            found = await status(editor, name)
            assert found["state"] == "failed", found
            assert found["error"]["message"]
            assert "nextRetryAt" not in found
    table.judge()
    assert (await status(editor, "ok"))["state"] == "ready"
    shown = editor.diagnostics(user_file(editor).as_uri())
    assert len({item["range"]["start"]["line"] for item in shown}) >= len(bad) - 1


async def test_an_empty_command_beside_a_url_is_no_command(editor: EditorClient, workspace: Path) -> None:
    """CFG-08."""
    async with ScriptedHttp() as server:
        await up(editor, workspace, {"y": {"command": "", "url": server.url}})
        assert (await status(editor, "y"))["state"] == "ready"


FOREIGN: dict[str, tuple[dict[str, Any], str, str]] = {
    "environment": ({"command": "true", "environment": {"K": "v"}}, "environment", "env"),
    "httpUrl": ({"httpUrl": "http://h"}, "httpUrl", "url"),
    "serverUrl": ({"serverUrl": "http://h"}, "serverUrl", "url"),
    "transport": ({"command": "true", "transport": {"type": "stdio"}}, "transport", "type"),
    "alwaysAllow": ({"command": "true", "alwaysAllow": ["x"]}, "alwaysAllow", "autoApprove"),
    "enabled": ({"command": "true", "enabled": False}, "enabled", "disabled"),
    "typo": ({"command": "true", "arguments": ["x"]}, "arguments", "args"),
    "case": ({"command": "true", "Env": {}}, "Env", "env"),
    "workingDirectory": ({"command": "true", "workingDirectory": "/"}, "workingDirectory", "cwd"),
}


async def test_keys_of_other_tools_are_warned_of_with_ours(editor: EditorClient, workspace: Path) -> None:
    """CFG-07: never in silence."""
    await editor.start(workspace, user_config=servers(**{name: entry for name, (entry, _, _) in FOREIGN.items()}))
    await editor.command("codeagent.status")
    text = user_file(editor).read_text()
    shown = editor.diagnostics(user_file(editor).as_uri())
    table = Table()
    for name, (_, key, ours) in FOREIGN.items():
        with table.case(name):
            lines = [n for n, line in enumerate(text.splitlines()) if f'"{key}"' in line and n]
            here = [item["message"] for item in shown if item["range"]["start"]["line"] in lines]
            assert any(f"`{ours}`" in said or f'"{ours}"' in said for said in here), here
    table.judge()


async def test_a_project_entry_replaces_the_users_whole_and_nothing_of_it_leaks(
    editor: EditorClient, workspace: Path
) -> None:
    """CFG-09 and T06: no env, no header, no approval of the user's entry; until then the user's runs."""
    user = servers(a=scripted("list=environment", env={"TOKEN": "s3cret"}, autoApprove=["*"]), b=scripted())
    project = servers(a=scripted("list=environment"))
    asked: list[Any] = []
    await editor.start(workspace, user_config=user, project_config=project, answers={
        "codeagent/approveServer": lambda params: asked.append(params),
        "codeagent/approveCall": {"decision": "once"},
    })  # fmt: skip
    await command(editor, "codeagent.listTools")
    found = await until(editor, "a", lambda found: found["state"] == "ready")
    assert found["scope"] == "user"
    assert json.loads((await call(editor, "a", "environment"))["text"])["TOKEN"] == "s3cret"
    await eventually(lambda: asked)
    await editor.command("codeagent.setTrust", server="a", fingerprint=asked[0]["fingerprint"], decision="session")
    found = await until(editor, "a", lambda found: found["state"] == "ready" and found["scope"] == "project")
    assert "TOKEN" not in json.loads((await call(editor, "a", "environment"))["text"])
    assert (await status(editor, "b"))["scope"] == "user"
    assert "codeagent/approveCall" in {method for method, _ in editor.questions}


@pytest.mark.parametrize("project", [{"command": "true", "disabled": False}, {"disabled": False}, {"command": "true"}])
async def test_a_project_cannot_switch_on_what_the_user_switched_off(
    editor: EditorClient, workspace: Path, project: dict[str, Any]
) -> None:
    """CFG-10."""
    await editor.start(workspace, user_config=servers(a=scripted(disabled=True)), project_config=servers(a=project),
                       answers={"codeagent/approveServer": {"decision": "always"}})  # fmt: skip
    await editor.command("codeagent.listTools")
    found = await status(editor, "a")
    assert found["state"] == "disabled"
    assert "user" in found["detail"]


async def test_disabled_alone_in_a_project_switches_the_users_server_off(editor: EditorClient, workspace: Path) -> None:
    """CFG-11."""
    await editor.start(workspace, user_config=servers(a=scripted(), b=scripted()),
                       project_config=servers(a={"disabled": True}))  # fmt: skip
    await command(editor, "codeagent.listTools")
    assert await states(editor) == {"a": "disabled", "b": "ready"}
    assert not [item for file in (await editor.command("codeagent.status"))["files"] for item in file["problems"]
                if item["severity"] == "error"]  # fmt: skip


NAMES = ("my server", "acme/tool", "a.b", "数据", "a:b", "@scope/x", "UPPER", "ünï", "a b  c", "x" * 100, "server", "1",
         "a\"b", "a'b", "a$b", "__proto__x", "😀", "a#b", "a%20b", "a\\b")  # fmt: skip


async def test_odd_names_are_names_everywhere(editor: EditorClient, workspace: Path) -> None:
    """CFG-13: each command takes the exact key; the empty one is refused."""
    await up(editor, workspace, {**{name: scripted(autoApprove=["*"]) for name in NAMES}, "": scripted()})
    found = await states(editor)
    table = Table()
    for name in NAMES:
        with table.case(name):
            assert found[name] == "ready"
            assert (await call(editor, name, "echo", text=name))["text"] == name
            assert (await editor.command("codeagent.stop", server=name))["state"] == "stopped"
            assert (await editor.command("codeagent.start", server=name))["state"] == "ready"
            assert (await editor.command("codeagent.effectiveConfig", server=name))["server"] == name
            await editor.command("codeagent.logs", server=name)
            assert name in await tools_by_server(editor)
    table.judge()
    assert found.get("") != "ready"
    assert editor.diagnostics(user_file(editor).as_uri())


async def tools_by_server(editor: EditorClient) -> set[str]:
    return {tool["server"] for tool in (await tools(editor)).values()}


async def test_a_rename_over_and_half_written_saves_restart_nothing_that_has_not_changed(
    editor: EditorClient, workspace: Path
) -> None:
    """CFG-16 and CFG-17: also without the editor's file watching; never a moment without servers."""
    file = user_file(editor)
    first = servers(a=scripted(), b=scripted())
    await up(editor, workspace, first["mcpServers"])
    pids = {name: (await status(editor, name))["pid"] for name in "ab"}
    editor.forget()
    for text in ('{"mcpServers": {', "", json.dumps(first)):
        write_json(file.with_suffix(".tmp"), text)
        file.with_suffix(".tmp").rename(file)
        await editor.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": file.as_uri(), "type": 2}]})
        await anyio.sleep(0.02)
    await editor.command("codeagent.reload")
    (file.parent / "mcp.json.backup.1").write_text('{"mcpServers":{"evil":{"command":"true"}}}')
    write_json(file.with_suffix(".tmp"), servers(a=scripted(), b=scripted("tools=3"), c=scripted()))
    file.with_suffix(".tmp").rename(file)  # and nobody says so
    await until(editor, "b", lambda found: found["tools"] == 3)
    assert (await status(editor, "a"))["pid"] == pids["a"]
    await eventually(lambda: not alive(pids["b"]))
    assert set(await states(editor)) == {"a", "b", "c"}
    assert all(note["servers"] for note in editor.notifications("codeagent/statusChanged"))
    changed = editor.notifications("codeagent/toolsChanged")
    assert not [note for note in changed if note["server"] == "a"]


async def test_deleting_the_file_stops_its_servers_and_writing_it_again_starts_them(
    editor: EditorClient, workspace: Path
) -> None:
    """R58: delete and recreate."""
    await up(editor, workspace, {"a": scripted()})
    pid = (await status(editor, "a"))["pid"]
    user_file(editor).unlink()
    await editor.command("codeagent.reload")
    assert await states(editor) == {}
    await eventually(lambda: not alive(pid))
    write_json(user_file(editor), servers(a=scripted()))
    await editor.command("codeagent.reload")
    assert await states(editor) == {"a": "ready"}


# -- ENV ---------------------------------------------------------------------------------------------------------------


async def environment(editor: EditorClient, server: str) -> dict[str, str]:
    return json.loads((await call(editor, server, "environment"))["text"])


async def test_variables_are_expanded_in_every_field_that_has_them(
    editor: EditorClient, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ENV-01, ENV-02, ENV-08 and ENV-11; keys are not expanded, and our own environment is left alone."""
    for name, value in {
        "X": "val",
        "TOKEN": "t1-token",
        "W": "w-secret",
        "H": "h-secret",
        "PY": sys.executable,
    }.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "val").mkdir()
    (editor.home / "bin").mkdir()
    (editor.home / "bin" / "s").symlink_to(sys.executable)
    shown = [str(SCRIPTED), "list=environment,arguments,params", "log=${X}"]
    before = dict(os.environ)
    async with ScriptedHttp("list=headers") as server:
        monkeypatch.setenv("PORT", str(server.port))
        await up(editor, workspace, {
            "all": {"command": "${PY}", "args": [*shown, "--k=${X}", "a${X}b${X}", "${X}"], "env": {"E": "${X}", "${X}": "key"},
                    "cwd": f"{tmp_path}/${{X}}", "autoApprove": ["*"]},
            "tilde": {"command": "~/bin/s", "args": [str(SCRIPTED), "list=environment", "~/x", "a~b", "${workspaceFolder}",
                      "${env:X}", "${userHome}", "${workspaceFolderBasename}", "${NOPE:-${X}}"], "cwd": "~", "autoApprove": ["*"]},
            "remote": {"type": "http", "url": "http://127.0.0.1:${PORT}/mcp",
                       "headers": {"Authorization": "Bearer ${TOKEN}"}, "autoApprove": ["*"]},
            "a": scripted("list=environment", env={"GH_TOKEN": "${W}"}, autoApprove=["*"]),
            "b": scripted("list=environment", env={"GH_TOKEN": "${H}"}, autoApprove=["*"]),
        })  # fmt: skip
        assert set((await states(editor)).values()) == {"ready"}
        headers = json.loads((await call(editor, "remote", "headers"))["text"])
        assert headers["authorization"] == "Bearer t1-token"
    found = await environment(editor, "all")
    assert (found["E"], found["${X}"], found.get("PWD", ""))[:2] == ("val", "key")
    pid = (await status(editor, "all"))["pid"]
    argv = Path(f"/proc/{pid}/cmdline").read_text().split("\0")[:-1]
    assert argv[3:] == ["log=val", "--k=val", "avalbval", "val"]
    assert Path(f"/proc/{pid}/cwd").readlink() == tmp_path / "val"
    pid = (await status(editor, "tilde"))["pid"]
    argv = Path(f"/proc/{pid}/cmdline").read_text().split("\0")[:-1]
    assert argv[3:] == ["~/x", "a~b", str(workspace), "val", str(editor.home), workspace.name, "val"]
    assert Path(f"/proc/{pid}/cwd").readlink() == editor.home
    assert (await environment(editor, "a"))["GH_TOKEN"] == "w-secret"
    assert (await environment(editor, "b"))["GH_TOKEN"] == "h-secret"
    assert {**before, "PORT": os.environ["PORT"]} == dict(os.environ)
    everything = json.dumps(
        [
            await editor.command("codeagent.status"),
            *[await editor.command("codeagent.effectiveConfig", server=n) for n in ("a", "b", "remote")],
        ]
    )
    for secret in ("t1-token", "w-secret", "h-secret"):
        assert secret not in everything


LITERAL = ("S3cret$USER!", "a$HOME/b", "$1$xyz$ab", "cost $5", "${", "${}", "${1A}", "$", "$$", "a$", "%PATH%", "`id`",
           "$(id)", "$ {X}", "}", "{X}", "\\${1}", "${ X }", "${X", "a;b|c>d", "'q'", '"dq"', "*", "~", "é 😀")  # fmt: skip


async def test_literal_dollar_signs_and_shell_words_reach_the_child_unchanged(
    editor: EditorClient, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ENV-05: in env and in arguments; there is no shell."""
    monkeypatch.setenv("USER", "bob")
    monkeypatch.setenv("X", "expanded")
    env = {f"V{n}": value for n, value in enumerate(LITERAL)}
    await up(editor, workspace, {"s": scripted("list=environment", *LITERAL, env=env, autoApprove=["*"])})
    found = await environment(editor, "s")
    assert [found[name] for name in env] == list(LITERAL)
    pid = (await status(editor, "s"))["pid"]
    assert Path(f"/proc/{pid}/cmdline").read_text().split("\0")[3:-1] == list(LITERAL)


async def test_an_unset_variable_fails_its_server_and_is_named_with_the_field(
    editor: EditorClient, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ENV-04 and ENV-10: nothing is started, no other value is shown, and where we looked is said."""
    monkeypatch.setenv("OTHER_SECRET", "do-not-show-me")
    fields: dict[str, dict[str, Any]] = {
        "env.K": {"command": "true", "env": {"K": "${NOPE}"}},
        "args": {"command": "true", "args": ["x", "${OTHER_SECRET}${NOPE}"]},
        "command": {"command": "${NOPE}/bin"},
        "cwd": {"command": "true", "cwd": "${NOPE}"},
        "url": {"url": "http://${NOPE}/mcp"},
        "headers": {"url": "http://h/mcp", "headers": {"Authorization": "Bearer ${NOPE}"}},
        "env.E": {"command": "true", "env": {"E": "${env:NOPE}"}},
        "foreign": {"command": "true", "args": ["${command:NOPE}"]},
    }
    await editor.start(workspace, user_config=servers(**fields, good=scripted()))
    await command(editor, "codeagent.listTools")
    for field in fields:
        found = await status(editor, field)
        assert found["state"] == "failed", found
        message = found["error"]["message"] + found["error"].get("hint", "")
        assert "NOPE" in message
        if field != "foreign":
            assert field.split(".")[0] in message
            assert "environment" in message
    assert "do-not-show-me" not in json.dumps(await editor.command("codeagent.status"))
    assert (await status(editor, "good"))["state"] == "ready"
    failed = await refusal(editor.command("codeagent.callTool", server="env.K", tool="x"))
    assert failed.data["kind"] in ("notReady", "unknownTool")


async def test_values_of_env_that_are_no_text_become_text_or_take_away(
    editor: EditorClient, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ENV-07."""
    monkeypatch.setenv("A", "1")
    env = {"A": None, "B": "", "C": 8080, "D": True, "E": False, "F": 1.5, "G": 0}
    await up(editor, workspace, {"s": scripted("list=environment", env=env, autoApprove=["*"])})
    found = await environment(editor, "s")
    assert "A" not in found
    assert {name: found[name] for name in "BCDEFG"} == {
        "B": "", "C": "8080", "D": "true", "E": "false", "F": "1.5", "G": "0",
    }  # fmt: skip


async def test_a_variable_of_the_shell_that_a_desktop_editor_lacks_is_explained(home: Path, workspace: Path) -> None:
    """ENV-10: with an almost empty environment; which variables are set is seen without their values."""
    bare = {"HOME": str(home), "PATH": "/usr/bin:/bin", **isolated_environment(home), "PRESENT": "its-secret-value"}
    editor = ProcessClient(CODEAGENT_LSP, bare, home)
    try:
        await editor.start(workspace, user_config=servers(
            s={"command": sys.executable, "args": [str(SCRIPTED)], "env": {"T": "${TOKEN}"}},
            t={"command": sys.executable, "args": [str(SCRIPTED)], "env": {"T": "${PRESENT}"}},
            npx={"command": "npx-that-is-not-there"},
        ))  # fmt: skip
        found = await until(editor, "s", lambda found: "error" in found)
        assert "TOKEN" in found["error"]["message"]
        said = found["error"]["message"] + found["error"].get("hint", "")
        assert "environment" in said
        shown = await editor.command("codeagent.effectiveConfig", server="s")
        assert shown["variables"] == [{"name": "TOKEN", "from": "unset"}]
        shown = await editor.command("codeagent.effectiveConfig", server="t")
        assert {"name": "PRESENT", "from": "environment"} in shown["variables"]
        assert "its-secret-value" not in json.dumps(shown)
        assert "/usr/bin" in (await status(editor, "npx"))["error"]["message"]
    finally:
        await editor.stop()
        await editor.abandon()

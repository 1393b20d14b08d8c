"""Real-world cases of server processes (PRC): commands that cannot start, odd output, last words, descriptors."""

import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from e2e.kit import call, log, refusal, status, tools, until, up
from e2e.scripts import scripted
from editor_client import EditorClient
from editor_wires import ProcessClient

pytestmark = pytest.mark.anyio


def program(path: Path, text: str, mode: int = 0o755) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return str(path)


async def test_what_cannot_be_started_says_which_part_is_wrong_and_is_not_tried_again(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """PRC-01, PRC-16 and R04: the message names the command or the cwd; the neighbour is up all the same."""
    wrong: dict[str, tuple[dict[str, Any], str]] = {
        "missing": ({"command": "no-such-cmd"}, "no-such-cmd"),
        "missing_path": ({"command": str(tmp_path / "nowhere/x")}, "nowhere/x"),
        "not_executable": ({"command": "/etc/hostname"}, "/etc/hostname"),
        "mode": ({"command": program(tmp_path / "noexec", "#!/bin/sh\n", 0o644)}, "noexec"),
        "directory": ({"command": str(tmp_path)}, str(tmp_path)),
        "no_format": ({"command": program(tmp_path / "binary", "\x00\x01\x02 nothing\n")}, "binary"),
        "no_interpreter": ({"command": program(tmp_path / "script", "#!/no/such/interpreter\n")}, "script"),
        "cwd": ({"command": "true", "cwd": "/nonexistent"}, "/nonexistent"),
        "cwd_is_a_file": ({"command": "true", "cwd": "/etc/hostname"}, "/etc/hostname"),
        "cwd_forbidden": ({"command": "true", "cwd": str(tmp_path / "a" / "b")}, "a/b"),
        "words": ({"command": "npx -y some-server"}, "npx"),
        "windows": ({"command": "C:\\Program Files\\x.cmd"}, "x.cmd"),
        "tilde": ({"command": "~/bin/nothing-here"}, "nothing-here"),
        "no_path": ({"command": "ls", "env": {"PATH": ""}}, "ls"),
        "nul": ({"command": "true", "args": ["a\u0000b"]}, ""),
    }
    entries = {name: entry for name, (entry, _) in wrong.items()}
    await up(editor, workspace, {**entries, "good": scripted(autoApprove=["*"])})
    assert (await call(editor, "good", "echo", text="up"))["text"] == "up"
    for name, (_, named) in wrong.items():
        found = await status(editor, name)
        assert found["state"] == "failed", found
        assert found["error"]["kind"] == "spawnFailed", found
        assert named in found["error"]["message"], found
        assert "nextRetryAt" not in found, found
        assert found["restarts"] == 0
        if "cwd" in name:
            assert "cwd" in found["error"]["message"] or "working directory" in found["error"]["message"], found
    assert "PATH" in (await status(editor, "missing"))["error"]["message"]
    assert (await refusal(call(editor, "missing", "x"))).data["kind"] in ("notReady", "unknownTool")


async def test_a_path_in_the_servers_own_env_finds_its_command(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """PRC-02."""
    from e2e.scripts import SCRIPTED

    program(tmp_path / "b" / "foo", f'#!/bin/sh\nexec {sys.executable} {SCRIPTED} "$@"\n')
    entry = {"command": "foo", "args": ["list=echo"], "env": {"PATH": f"{tmp_path / 'b'}:/usr/bin:/bin"}}
    await up(editor, workspace, {"s": entry})
    assert (await status(editor, "s"))["state"] == "ready"


CHATTER = (
    "Server ready",
    "",
    "{oops",
    "42",
    "[1,2]",
    "null",
    "true",
    '"text"',
    "{}",
    "╭──────╮\n│ hello │\n╰──────╯",
    '{"level":"info","msg":"started"}',
    '{"jsonrpc":"2.0"}',
    "\x1b[32mINFO\x1b[0m listening",
    "Content-Length: 12\r\n\r",
    "> my-server@1.0.0 start\n> node index.js\n",
    '{"jsonrpc":"2.0","method":',
    "\u2028",
    "x" * 200_000,
    "   \t ",
    "[" * 500,
)


async def test_chatter_on_standard_output_harms_nothing_and_is_in_the_log(
    editor: EditorClient, workspace: Path
) -> None:
    """PRC-04 and R12: before the handshake, in it and between answers; counted, and not shown without end."""
    entries = {
        "opening": scripted("banner=50", "init_garbage", "list=raw", autoApprove=["*"]),
        "many": scripted("banner=10000", autoApprove=["*"]),
    }
    await up(editor, workspace, entries)
    assert "echo" in await tools(editor, "opening")
    for text in CHATTER:
        answer = '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"here"}]}}'
        assert (await call(editor, "opening", "raw", text=f"{text}\n{answer}"))["text"] == "here", text
    assert (await call(editor, "many", "echo", text="up"))["text"] == "up"
    told = [line for line in await log(editor, "many") if line["source"] != "stderr"]
    assert any(line["level"] == "warning" and "banner" in line["text"] for line in told)
    assert len(told) < 40
    assert any("standard error" in line["text"] or "stderr" in line["text"] for line in told)


async def test_bytes_that_are_no_utf_8_cost_at_most_their_own_call(editor: EditorClient, workspace: Path) -> None:
    """PRC-05 and R11."""
    await up(editor, workspace, {"s": scripted("list=raw,invalid_utf8,invalid_utf8_noise", autoApprove=["*"])})
    assert "caf" in (await call(editor, "s", "invalid_utf8"))["text"]
    assert (await call(editor, "s", "invalid_utf8_noise"))["text"] == "ok"
    answer = '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"%s"}]}}'
    for encoding in ("latin-1", "cp1252", "iso8859-15"):
        result = await call(editor, "s", "raw", text=answer % "café", encoding=encoding)
        assert result["text"] == "caf\ufffd"
    broken = await refusal(call(editor, "s", "raw", text='{"jsonrpc":"2.0","id":ID,"result":ÿ}', encoding="latin-1"))
    assert broken.data["kind"] == "protocol"
    assert broken.message.startswith("s: ")
    assert (await call(editor, "s", "echo", text="later"))["text"] == "later"
    assert (await status(editor, "s"))["restarts"] == 0


async def test_characters_that_some_take_for_line_ends_stay_inside_their_line(
    editor: EditorClient, workspace: Path
) -> None:
    """PRC-07: in results, and in standard error."""
    await up(
        editor, workspace, {"s": scripted("stderr=a\u2028b\u0085c\u2029d\x0be", "list=separators", autoApprove=["*"])}
    )
    result = await call(editor, "s", "separators")
    assert result["content"] == [{"type": "text", "text": "a\u2028b\u0085c\u2029d"}]
    written = [line["text"] for line in await log(editor, "s") if line["source"] == "stderr"]
    assert len(written) == 1
    assert written[0].startswith("a") and written[0].endswith("e")


async def test_large_messages_arrive_whole(editor: EditorClient, workspace: Path) -> None:
    """PRC-08: a list of over 300 KiB, a result of 8 MB on one line, a megabyte of standard error without an end."""
    entries = {
        "list": scripted("tools=3000"),
        "big": scripted("list=big,stderr", autoApprove=["*"]),
    }
    await up(editor, workspace, entries)
    assert len(await tools(editor, "list")) == 3000
    assert len((await call(editor, "big", "big", bytes=8_000_000))["text"]) > 7_999_000
    assert (await call(editor, "big", "stderr", bytes=1_000_000, line=0))["text"] == "ok"
    assert (await call(editor, "big", "echo", text="later"))["text"] == "later"


LAST_WORDS = {
    "code": ("echo missing API key >&2; exit 3", 3, "missing API key"),
    "zero": ("echo nothing to do >&2; exit 0", 0, "nothing to do"),
    "no_line_end": ("printf 'no line end' >&2; exit 4", 4, "no line end"),
    "many": ("for i in 1 2 3 4 5 6 7 8 9; do echo line $i >&2; done; echo the cause >&2; exit 5", 5, "the cause"),
    "stdout": ("echo told on stdout; exit 6", 6, None),
    "signal": ("echo before the end >&2; kill -9 $$", None, "before the end"),
    "term": ("echo before the end >&2; kill -TERM $$", None, "before the end"),
    "silent": ("exit 7", 7, None),
    "latin": (r"printf 'caf\351\n' >&2; exit 8", 8, "caf"),
    "colour": (r"printf '\033[31mred error\033[0m\n' >&2; exit 9", 9, "red error"),
    "slow": ("cat > /dev/null & sleep 0.3; echo late words >&2; exit 10", 10, "late words"),
}


async def test_a_server_that_dies_at_its_start_says_why(editor: EditorClient, workspace: Path) -> None:
    """PRC-10 and R03: exit code or signal, and the end of standard error, in the status and in a call's error."""
    await editor.start(workspace, user_config={"mcpServers": {
        name: {"command": "sh", "args": ["-c", script]} for name, (script, _, _) in LAST_WORDS.items()
    }})  # fmt: skip
    for name, (_, code, words) in LAST_WORDS.items():
        found = await until(editor, name, lambda found: "error" in found)
        assert found["error"]["kind"] == "exited", found
        if code is not None:
            assert found["error"]["exitCode"] == code
            assert str(code) in found["error"]["message"]
        else:
            assert "signal" in found["error"]["message"]
        if words is not None:
            assert any(words in line for line in found["error"]["stderrTail"]), found
            assert words in found["error"]["message"], found
        assert "\x1b" not in str(found)


async def test_servers_see_three_descriptors_and_no_terminal(
    process_editor: ProcessClient, workspace: Path, tmp_path: Path
) -> None:
    """PRC-14 and T74: whatever a server writes to descriptors or a terminal, the editor reads LSP only."""
    noisy = program(
        tmp_path / "noisy",
        "#!/bin/sh\n( echo to the terminal > /dev/tty ) 2>/dev/null\n"
        f'for n in 3 4 5 6 7 8 9; do ( eval "echo x >&$n" ) 2>/dev/null; done\nexec {sys.executable} "$@"\n',
    )
    good = scripted("list=descriptors")
    entry = {"command": noisy, "args": good["args"], "autoApprove": ["*"]}
    await up(process_editor, workspace, {"s": entry})
    descriptors = (await call(process_editor, "s", "descriptors"))["text"]
    assert descriptors in ("[0, 1, 2]", "[0, 1, 2, 3]")  # 3: the folder that is being read
    assert await process_editor.stop() == 0


async def test_a_program_that_everybody_may_write_is_started_like_any_other(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    """PRC-01's harmless twins: odd names and places of programs that do start."""
    good = scripted()
    shim = f'#!/bin/sh\nexec {sys.executable} "$@"\n'
    entries = {
        "space": {"command": program(tmp_path / "with space" / "my prog", shim), "args": good["args"]},
        "unicode": {"command": program(tmp_path / "größe" / "数据", shim), "args": good["args"]},
        "dash": {"command": program(tmp_path / "-dash", shim), "args": good["args"]},
        "link": {"command": str(tmp_path / "link"), "args": good["args"]},
        "cwd": {"command": sys.executable, "args": good["args"], "cwd": str(tmp_path / "with space")},
        "empty": {"command": sys.executable, "args": [*good["args"], ""]},
    }
    (tmp_path / "link").symlink_to(tmp_path / "with space" / "my prog")
    os.chmod(tmp_path / "-dash", stat.S_IRWXU | stat.S_IRWXG | stat.S_IRWXO)
    await up(editor, workspace, entries)
    for name in entries:
        found = await status(editor, name)
        assert found["state"] == "ready", found

"""The process: its streams, whatever they are, and every way in which it ends."""

import asyncio
import contextlib
import os
import pty
import resource
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tiny_lsp
from editor_client import StrictReader, frame
from editor_wires import ProcessClient

TINY = [sys.executable, str(Path(tiny_lsp.__file__))]
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": None, "capabilities": {}}}
SESSION = b"".join(
    frame(message)
    for message in (
        INITIALIZE,
        {"jsonrpc": "2.0", "id": 2, "method": "shutdown"},
        {"jsonrpc": "2.0", "method": "exit"},
    )
)


def spawn(*argv: str, piped: bool = False) -> "subprocess.Popen[bytes]":
    pipe = subprocess.PIPE if piped else None
    return subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe)


async def test_shutdown_and_exit_end_it_with_zero_after_the_clean_up(tiny_process: ProcessClient) -> None:
    await tiny_process.start()
    begun = time.monotonic()
    assert await tiny_process.stop() == 0
    assert time.monotonic() - begun < 2
    assert b"stopped" in tiny_process.stderr


@pytest.mark.parametrize("how", ["exit", "end of input", "SIGTERM", "SIGINT", "SIGHUP"])
async def test_any_other_end_is_orderly_too_and_its_code_is_one(tiny_process: ProcessClient, how: str) -> None:
    await tiny_process.start()
    await tiny_process.begin_command("tiny.hang")
    await tiny_process.command("tiny.echo")
    if how == "exit":
        await tiny_process.notify("exit")
    elif how == "end of input":
        tiny_process._hang_up()
    else:
        tiny_process.kill(signal.Signals[how])
    assert await tiny_process.wait_closed(within=3) == 1
    assert b"stopped" in tiny_process.stderr
    assert b"Traceback" not in tiny_process.stderr


async def test_end_of_input_after_shutdown_alone_is_not_a_good_end(tiny_process: ProcessClient) -> None:
    await tiny_process.start()
    await tiny_process.request("shutdown")
    tiny_process._hang_up()
    assert await tiny_process.wait_closed(within=3) == 1


async def test_a_signal_before_initialize_ends_it(tiny_process: ProcessClient) -> None:
    await tiny_process.open()
    await tiny_process.wait_started()
    tiny_process.kill(signal.SIGTERM)
    assert await tiny_process.wait_closed(within=3) == 1


async def test_a_clean_up_without_end_is_given_up(tiny_process: ProcessClient) -> None:
    tiny_process._env = {**tiny_process._env, "TINY_STOP": "60"}
    await tiny_process.start()
    begun = time.monotonic()
    assert await tiny_process.stop() == 0
    assert time.monotonic() - begun < 6


async def test_an_editor_that_is_gone_already_ends_it_at_once(tiny_process: ProcessClient) -> None:
    gone = spawn("true")
    gone.wait()
    with contextlib.suppress(ConnectionError):
        await tiny_process.start(initialize={"processId": gone.pid})
    assert await tiny_process.wait_closed(within=2) == 1


@pytest.mark.parametrize("reaped", [True, False])
async def test_the_death_of_the_editor_ends_it_while_input_stays_open(
    tiny_process: ProcessClient, reaped: bool
) -> None:
    other = spawn("sleep", "60")
    await tiny_process.start(initialize={"processId": other.pid})
    other.kill()
    if reaped:
        other.wait()
    assert await tiny_process.wait_closed(within=5) == 1
    other.wait()


async def test_a_closed_output_ends_it_quietly(home: Path) -> None:
    process = spawn(*TINY, piped=True)
    assert process.stdin and process.stdout and process.stderr
    flood = {"command": "tiny.flood", "arguments": [{"count": 2000, "method": "tiny/news"}]}
    process.stdin.write(frame(INITIALIZE))
    process.stdin.flush()
    process.stdout.read(20)
    process.stdout.close()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process.stdin.write(frame({"jsonrpc": "2.0", "id": 2, "method": "workspace/executeCommand", "params": flood}))
    process.stdin.flush()
    begun = time.monotonic()
    assert await asyncio.to_thread(process.wait, 5) == 1
    assert time.monotonic() - begun < 5
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime - before.ru_utime < 2  # its start included
    assert b"Traceback" not in process.stderr.read()


async def test_stray_output_never_reaches_the_editor(tiny_process: ProcessClient) -> None:
    await tiny_process.start()
    assert await tiny_process.command("tiny.shout") == ""  # its own standard input is empty
    assert await tiny_process.command("tiny.echo") == {"params": {}, "token": None}
    assert await tiny_process.stop() == 0  # the client refuses anything that is not a frame
    for stray in (b"a stray print", b"a stray write", b"a stray child"):
        assert stray in tiny_process.stderr


def answers(data: bytes) -> list[object]:
    """The ids of a recorded session."""
    return [message.get("id") for message in StrictReader().feed(data)]


async def run(stdin: object, stdout: object, **more: object) -> int:
    process = await asyncio.create_subprocess_exec(*TINY, stdin=stdin, stdout=stdout, **more)  # type: ignore[arg-type]
    try:
        return await asyncio.wait_for(process.wait(), 8)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()


async def test_files_serve_as_streams(home: Path, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(SESSION)
    with (tmp_path / "in").open("rb") as stdin, (tmp_path / "out").open("wb") as stdout:
        assert await run(stdin, stdout) == 0
    assert answers((tmp_path / "out").read_bytes()) == [1, 2]


@pytest.mark.parametrize("blocking", [True, False])
async def test_one_socket_serves_as_both_streams(home: Path, blocking: bool) -> None:
    ours, theirs = socket.socketpair()
    ours.settimeout(8)
    with ours, theirs:
        theirs.setblocking(blocking)
        ours.sendall(SESSION)
        assert await run(theirs, theirs) == 0
        assert answers(ours.recv(1 << 20)) == [1, 2]


async def test_large_messages_pass_through_a_socket_that_does_not_block(home: Path) -> None:
    ours, theirs = socket.socketpair()
    ours.settimeout(8)
    flood = {"command": "tiny.flood", "arguments": [{"count": 0, "size": 3_000_000}]}
    command = {"jsonrpc": "2.0", "id": 2, "method": "workspace/executeCommand", "params": flood}
    with ours, theirs:
        theirs.setblocking(False)
        running = asyncio.create_task(run(theirs, theirs))
        ours.sendall(frame(INITIALIZE) + frame(command))
        reader, seen = StrictReader(), []
        while 2 not in seen:
            seen += [message["id"] for message in reader.feed(await asyncio.to_thread(ours.recv, 1 << 20))]
        ours.sendall(frame({"jsonrpc": "2.0", "method": "exit"}))
        assert await running == 1


async def test_a_person_at_a_terminal_is_told_what_this_is(home: Path) -> None:
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(*TINY, stdin=theirs, stdout=theirs, stderr=asyncio.subprocess.PIPE)
    assert process.stderr
    hint = await asyncio.wait_for(process.stderr.readuntil(b"\n"), 8)
    assert b"an editor starts it" in hint
    os.write(ours, b"\x04")  # Ctrl+D
    assert await asyncio.wait_for(process.wait(), 8) == 1
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
async def test_streams_that_are_closed_from_the_start_do_not_hang_it(home: Path, closed: str) -> None:
    command = f"exec {sys.executable} {TINY[1]} {closed}"
    process = await asyncio.create_subprocess_exec(
        "sh", "-c", command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE
    )
    await asyncio.wait_for(process.communicate(), 8)
    assert process.returncode == 1


def test_a_log_that_nobody_reads_does_not_stop_it(home: Path) -> None:
    with spawn(*TINY, piped=True) as process:
        assert process.stdin and process.stdout
        process.stdin.write(frame(INITIALIZE) + b"garbage\r\n\r\n" * 5000)  # a warning each
        process.stdin.write(frame({"jsonrpc": "2.0", "id": 2, "method": "tiny/echo", "params": {}}))
        process.stdin.flush()
        reader, seen = StrictReader(), []
        while 2 not in seen and (data := os.read(process.stdout.fileno(), 1 << 16)):
            seen += [message["id"] for message in reader.feed(data)]
        process.kill()
    assert 2 in seen

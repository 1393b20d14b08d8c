"""How the program behind a command is found, and what is said when it is not."""

import os
from pathlib import Path, PureWindowsPath
from typing import Any, Literal

import pytest

from codeagent_lsp.config.commands import Search, batch_problem, is_within
from codeagent_lsp.errors import SpawnFailed


def program(path: Path, mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return path


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    (tmp_path / "ws").mkdir()
    return tmp_path / "ws"


def search(ws: Path, *parts: object, cwd: Path | None = None) -> Search:
    return Search("srv", str(cwd or ws), ":".join(map(str, parts)), (str(ws),))


def failure(searched: Search, command: str) -> SpawnFailed:
    with pytest.raises(SpawnFailed) as caught:
        searched.find(command)
    assert caught.value.server == "srv"
    return caught.value


def test_a_bare_name_is_the_first_program_on_the_path(ws: Path, tmp_path: Path) -> None:
    first, second = program(tmp_path / "a" / "foo"), program(tmp_path / "b" / "foo")
    assert search(ws, first.parent, second.parent).find("foo") == str(first)
    assert search(ws, tmp_path / "nowhere", second.parent).find("foo") == str(second)


@pytest.mark.parametrize(
    "bad", ["", ".", "./bin", "bin", "..", "../ws/bin", "WS", "WS/bin", "WS/../ws/bin", "LINK", "~/bin"]
)
def test_no_part_of_path_that_is_relative_or_in_the_workspace_is_searched(
    ws: Path, tmp_path: Path, bad: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in (ws, ws / "bin"):
        program(place / "npx")
    (tmp_path / "link").symlink_to(ws / "bin")
    monkeypatch.chdir(ws)
    good = program(tmp_path / "good" / "npx")
    part = bad.replace("WS", str(ws)).replace("LINK", str(tmp_path / "link"))
    assert search(ws, part, good.parent, part).find("npx") == str(good)
    assert "was not found" in failure(search(ws, part), "npx").message


def test_a_symbolic_link_keeps_its_name(ws: Path, tmp_path: Path) -> None:
    busybox = program(tmp_path / "real" / "busybox")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "ls").symlink_to(busybox)
    assert search(ws, tmp_path / "bin").find("ls") == str(tmp_path / "bin" / "ls")


def test_what_cannot_be_run_is_passed_over_for_what_can(ws: Path, tmp_path: Path) -> None:
    program(tmp_path / "a" / "foo", 0o644)
    (tmp_path / "b" / "foo").mkdir(parents=True)
    good = program(tmp_path / "c" / "foo")
    assert search(ws, tmp_path / "a", tmp_path / "b", good.parent).find("foo") == str(good)


def test_a_command_that_is_not_found_says_where_it_was_searched_and_why_that_may_differ(ws: Path) -> None:
    told = failure(search(ws, "/usr/bin", "/bin", ws / "node_modules/.bin", "."), "no-such-cmd")
    assert "`no-such-cmd` was not found" in told.message
    assert "/usr/bin:/bin" in told.message
    assert f"Not searched, because relative or inside the workspace: {ws}/node_modules/.bin, ." in told.message
    assert "desktop" in told.text()


def test_a_program_that_may_not_be_run_says_so(ws: Path, tmp_path: Path) -> None:
    plain = program(tmp_path / "a" / "foo", 0o644)
    assert f"`{plain}`, which is not executable" in failure(search(ws, plain.parent), "foo").message
    assert "is not executable" in failure(search(ws), str(plain)).message
    assert "is not executable" in failure(search(ws), "/etc/passwd").message


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("/nonexistent/x", "`/nonexistent/x` does not exist"),
        ("./nope", "/nope` does not exist"),
        ("/usr", "is a folder"),
        ("./", "is a folder"),
        ("", "is empty"),
        ("  ", "is empty"),
        ("npx -y server", "put the rest into `args`"),
        ("/nonexistent/x -y", "put the rest into `args`"),
        ("C:\\Program Files\\x.cmd", "path of Windows"),
        ("..", "was not found"),
        (".", "was not found"),
    ],
)
def test_every_other_failure_says_what_it_is(ws: Path, command: str, words: str) -> None:
    assert words in failure(search(ws, "/usr/bin"), command).text()


def test_a_command_in_our_own_environment_says_so(ws: Path, tmp_path: Path) -> None:
    ours = program(tmp_path / "venv" / "bin" / "foo").parent
    told = failure(Search("srv", str(ws), "/usr/bin", (), ours=str(ours)), "foo")
    assert f"It is in {ours}" in told.text()


def test_a_path_of_the_workspace_works_when_it_is_spelled_out(ws: Path) -> None:
    path = program(ws / "bin" / "server")
    for command in ("./bin/server", "bin/server", str(path), f"{ws}/bin/../bin/server"):
        assert Path(search(ws, "/usr/bin").find(command)).samefile(path)
        assert Path(search(ws, "/usr/bin").find(command)).is_absolute()
    assert search(ws, cwd=ws / "bin").find("./server") == str(path)
    assert "does not exist" in failure(search(ws, ws / "bin"), "./server").message


def test_within_is_by_whole_names(tmp_path: Path) -> None:
    assert is_within("/a/b", "/a")
    assert is_within("/a", "/a")
    assert not is_within("/ab", "/a")
    assert not is_within("/", "/a")


def test_within_is_by_what_is_there_and_not_by_spelling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that takes `WS` for `ws`, as on macOS and Windows: one inode under two names."""
    (tmp_path / "ws").mkdir()
    (tmp_path / "WS").mkdir()
    real_stat = os.stat

    def folding_stat(path: Any, **more: Any) -> object:
        return real_stat(path.replace("/WS", "/ws") if isinstance(path, str) else path, **more)

    assert not is_within(str(tmp_path / "WS" / "bin"), str(tmp_path / "ws"))
    monkeypatch.setattr(os, "stat", folding_stat)
    assert is_within(str(tmp_path / "WS" / "bin"), str(tmp_path / "ws"))


# --- Windows, with a file system of its own --------------------------------------------------------------------------


class WindowsFiles:
    """A file system as Windows has it, from a list of paths."""

    def __init__(self, *paths: str) -> None:
        self.paths = {path.lower() for path in paths}

    def kind(self, path: str) -> Literal["file", "folder"] | None:
        return "file" if path.lower() in self.paths else None

    def executable(self, path: str) -> bool:
        return True

    def within(self, path: str, folder: str) -> bool:
        inner, outer = PureWindowsPath(path), PureWindowsPath(folder)
        return inner == outer or outer in inner.parents


def windows(*paths: str, path: str = r"C:\node;C:\bin", pathext: str = ".COM;.EXE;.BAT;.CMD") -> Search:
    return Search("srv", r"C:\ws", path, (r"C:\ws",), True, pathext, files=WindowsFiles(*paths))


@pytest.mark.parametrize(
    ("command", "there", "found"),
    [
        ("npx", [r"C:\node\npx.cmd"], r"C:\node\npx.cmd"),
        ("npx", [r"C:\node\npx", r"C:\node\npx.cmd"], r"C:\node\npx.cmd"),
        ("npx.cmd", [r"C:\node\npx.cmd"], r"C:\node\npx.cmd"),
        ("NPX.CMD", [r"C:\node\npx.cmd"], r"C:\node\NPX.CMD"),
        ("uvx", [r"C:\bin\uvx.exe", r"C:\bin\uvx.bat"], r"C:\bin\uvx.exe"),
        ("uvx", [r"C:\node\uvx.cmd", r"C:\bin\uvx.exe"], r"C:\node\uvx.cmd"),
        ("python3.11", [r"C:\bin\python3.11.exe"], r"C:\bin\python3.11.exe"),
        (r"C:\Program Files\x.cmd", [r"C:\Program Files\x.cmd"], r"C:\Program Files\x.cmd"),
        (r"C:\Program Files\x", [r"C:\Program Files\x.exe"], r"C:\Program Files\x.exe"),
        (r".\x", [r"C:\ws\.\x.exe"], r"C:\ws\.\x.exe"),
        ("./x.exe", [r"C:\ws\x.exe"], r"C:\ws\x.exe"),
    ],
)
def test_windows_finds_programs_by_pathext(command: str, there: list[str], found: str) -> None:
    assert windows(*there).find(command) == found


def test_windows_does_not_search_the_working_directory_nor_the_workspace() -> None:
    for path in (r"C:\bin", r";C:\bin", r".;C:\bin", r"C:\ws\bin;C:\bin", r'"C:\ws";C:\bin', r"\bin;C:\bin"):
        searched = windows(r"C:\ws\npx.cmd", r"C:\ws\bin\npx.cmd", r"C:\bin\npx.cmd", path=path)
        assert searched.find("npx") == r"C:\bin\npx.cmd"


@pytest.mark.parametrize("argument", ["&calc", "a b", "%PATH%", '"', "a|b", "^", "a;b", "$(x)", "\n", "ü", "!x!"])
def test_a_batch_file_gets_no_argument_that_cmd_would_read_again(argument: str) -> None:
    problem = batch_problem(r"C:\node\npx.CMD", ["-y", argument])
    assert problem is not None
    assert "batch file" in problem
    assert batch_problem(r"C:\node\node.exe", [argument]) is None


def test_a_batch_file_gets_ordinary_arguments() -> None:
    assert batch_problem(r"C:\node\npx.cmd", ["-y", "@scope/pkg@1.2.3", "--root=C:\\x", "http://h:80/"]) is None

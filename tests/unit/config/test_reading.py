"""Files that strangers laid out: what is refused, what is followed, and that nothing hangs."""

import os
import socket
import stat
import time
from pathlib import Path

import pytest

from codeagent_lsp.config.reading import MAX_BYTES, Content, read_project_file, read_user_file, writable_by_others

PARTS = (".codeagent", "mcp.json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".codeagent").mkdir()
    return tmp_path


@pytest.fixture(params=[True, False], ids=["by handle", "by path"])
def by_handle(request: pytest.FixtureRequest) -> bool:
    return request.param


def project(folder: Path, by_handle: bool, parts: tuple[str, ...] = PARTS) -> Content:
    start = time.monotonic()
    content = read_project_file(folder, parts, by_handle=by_handle)
    assert time.monotonic() - start < 2
    return content


def test_a_regular_file_is_read(folder: Path, by_handle: bool) -> None:
    folder.joinpath(*PARTS).write_bytes(b"{}")
    assert project(folder, by_handle).data == b"{}"


def test_what_is_not_there_is_no_problem(folder: Path, by_handle: bool) -> None:
    assert project(folder, by_handle) == Content(exists=False)
    assert project(folder / "nowhere", by_handle) == Content(exists=False)
    assert project(folder, by_handle, (".vscode", "mcp.json")) == Content(exists=False)
    assert read_user_file(folder / "nowhere" / "mcp.json") == Content(exists=False)


def test_a_symbolic_link_in_a_project_is_refused(folder: Path, by_handle: bool, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.json"
    target.write_text("{}")
    folder.joinpath(*PARTS).symlink_to(target)
    content = project(folder, by_handle)
    assert content.data is None
    assert "symbolic link" in str(content.problem)


def test_a_dangling_symbolic_link_in_a_project_is_refused_too(folder: Path, by_handle: bool) -> None:
    folder.joinpath(*PARTS).symlink_to(folder / "nowhere")
    assert "symbolic link" in str(project(folder, by_handle).problem)


def test_a_folder_that_is_a_symbolic_link_is_refused(tmp_path: Path, by_handle: bool) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "mcp.json").write_text("{}")
    workspace = tmp_path / "ws"
    workspace.mkdir()
    (workspace / ".codeagent").symlink_to(real)
    content = project(workspace, by_handle)
    assert "`.codeagent` is a symbolic link" in str(content.problem)
    assert content.parent_at_fault


def test_the_workspace_folder_itself_may_be_a_symbolic_link(folder: Path, by_handle: bool, tmp_path: Path) -> None:
    folder.joinpath(*PARTS).write_bytes(b"{}")
    link = tmp_path / "link"
    link.symlink_to(folder)
    assert project(link, by_handle).data == b"{}"


def test_a_file_where_the_folder_should_be_is_told(tmp_path: Path, by_handle: bool) -> None:
    (tmp_path / ".codeagent").write_text("")
    assert "is not a folder" in str(project(tmp_path, by_handle).problem)


def test_a_pipe_is_refused_without_waiting_for_a_writer(folder: Path, by_handle: bool) -> None:
    os.mkfifo(folder.joinpath(*PARTS))
    assert "pipe" in str(project(folder, by_handle).problem)
    assert "pipe" in str(read_user_file(folder.joinpath(*PARTS)).problem)


def test_a_socket_is_refused(folder: Path, by_handle: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("/".join(PARTS))
        assert "socket" in str(project(folder, by_handle).problem)


def test_a_device_is_refused(folder: Path) -> None:
    assert "device" in str(read_project_file(Path("/dev"), ("zero",)).problem)
    assert "device" in str(read_user_file(Path("/dev/zero")).problem)
    link = folder / "link"
    link.symlink_to("/dev/zero")
    assert "device" in str(read_user_file(link).problem)


def test_a_folder_of_the_files_name_is_refused(folder: Path, by_handle: bool) -> None:
    folder.joinpath(*PARTS).mkdir()
    assert "it is a folder" in str(project(folder, by_handle).problem)
    assert "it is a folder" in str(read_user_file(folder.joinpath(*PARTS)).problem)


def test_a_file_over_one_mebibyte_is_refused(folder: Path, by_handle: bool) -> None:
    path = folder.joinpath(*PARTS)
    path.write_bytes(b" " * MAX_BYTES)
    assert project(folder, by_handle).problem is None
    path.write_bytes(b" " * (MAX_BYTES + 1))
    assert "larger than 1 MiB" in str(project(folder, by_handle).problem)
    assert "larger than 1 MiB" in str(read_user_file(path).problem)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_told(folder: Path, by_handle: bool) -> None:
    folder.joinpath(*PARTS).write_text("{}")
    folder.joinpath(*PARTS).chmod(0)
    assert "permission denied" in str(project(folder, by_handle).problem)


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), OSError(5, "Input/output error")])
def test_a_read_that_fails_is_a_problem_and_no_exception(
    folder: Path, error: OSError, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise error

    folder.joinpath(*PARTS).write_text("{}")
    monkeypatch.setattr(os, "open", refuse)
    assert "cannot be read" in str(read_user_file(folder.joinpath(*PARTS)).problem)


def test_a_path_that_no_system_has_is_a_problem_and_no_exception(tmp_path: Path) -> None:
    assert read_user_file(tmp_path / "a\0b").problem is not None
    assert read_project_file(tmp_path, ("x" * 5000, "mcp.json")).problem is not None


def test_a_users_symbolic_links_are_followed(folder: Path) -> None:
    (folder / "dotfiles").mkdir()
    (folder / "dotfiles" / "mcp.json").write_text("{}")
    (folder / "link").symlink_to(folder / "dotfiles")
    (folder / "mcp.json").symlink_to(folder / "link" / "mcp.json")
    assert read_user_file(folder / "mcp.json").data == b"{}"


def test_a_loop_of_symbolic_links_is_a_problem(folder: Path) -> None:
    (folder / "a").symlink_to(folder / "b")
    (folder / "b").symlink_to(folder / "a")
    assert "cannot be read" in str(read_user_file(folder / "a").problem)


def test_a_hard_link_is_a_file_like_any_other(folder: Path, by_handle: bool) -> None:
    (folder / "x").write_bytes(b"{}")
    folder.joinpath(*PARTS).hardlink_to(folder / "x")
    assert project(folder, by_handle).data == b"{}"


@pytest.mark.parametrize(
    ("mode", "flagged"),
    [(0o600, False), (0o644, False), (0o444, False), (0o755, False), (0o664, True), (0o666, True), (0o602, True),
     (0o620, True), (0o777, True)],
)  # fmt: skip
def test_a_users_file_that_others_can_write_to_is_flagged(folder: Path, mode: int, flagged: bool) -> None:
    path = folder / "mcp.json"
    path.write_text("{}")
    path.chmod(mode)
    assert read_user_file(path).writable_by_others is flagged


def test_a_file_of_somebody_else_is_flagged_and_one_of_root_is_not() -> None:
    def of(owner: int) -> os.stat_result:
        return os.stat_result((stat.S_IFREG | 0o644, 1, 1, 1, owner, owner, 2, 0, 0, 0))

    assert writable_by_others(of(1001), user=1000)
    assert not writable_by_others(of(1000), user=1000)
    assert not writable_by_others(of(0), user=1000)


@pytest.mark.parametrize(
    ("data", "text", "words"),
    [
        (b"{}", "{}", None),
        (b"\xef\xbb\xbf{}", "{}", None),
        (b'"\xc3\xbc"', '"ü"', None),
        (b'{\n"\xfc"}', '{\n"\ufffd"}', "line 2"),
        ("{}".encode("utf-16"), None, "UTF-16"),
        (b"\xed\xa0\x80", None, "UTF-8"),
    ],
)
def test_text_is_utf_8_and_anything_else_is_told(data: bytes, text: str | None, words: str | None) -> None:
    read, problem = Content(data).text()
    assert text is None or read == text
    assert (problem is None) == (words is None)
    assert words is None or words in str(problem)

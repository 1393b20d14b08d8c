"""Decisions are kept whole or not at all, are believed only if the file is ours, and a no is never lost."""

import errno
import json
import multiprocessing
import os
import signal
import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.policy.records import Fact, LaunchDecision, ToolGrant
from codeagent_lsp.policy.store import Store, new_id

OpenStore = Callable[..., Store]
POSIX = pytest.mark.skipif(os.name != "posix", reason="owners and modes are POSIX's")


def decision(fingerprint: str = "f", what: Any = "always", **more: Any) -> LaunchDecision:
    values: dict[str, Any] = {
        "id": new_id(),
        "fingerprint": fingerprint,
        "decision": what,
        "server": "s",
        "scope": "project",
        "since": "2026-01-01T00:00:00Z",
        "workspace": "/ws",
        "facts": {"args[0]": Fact("a", "0")},
    }
    return LaunchDecision(**(values | more))


def grant(tool: str = "t", scope: Any = "always", **more: Any) -> ToolGrant:
    values: dict[str, Any] = {
        "id": new_id(),
        "identity": "i",
        "server": "s",
        "tool": tool,
        "scope": scope,
        "definition_hash": "h",
        "since": "2026-01-01T00:00:01Z",
        "definition": {"name": tool, "inputSchema": {"default": None, "class": 1}},
    }
    return ToolGrant(**(values | more))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "approvals.json"


def test_what_is_decided_is_there_after_a_restart(store: Store, open_store: OpenStore) -> None:
    one, two = decision(), grant()
    store.add_launch(one)
    store.add_grant(two)
    store.set_enabled("/ws", "i", None, False)
    store.set_enabled("/ws", "i", "t", False)
    store.learn_era("f", "legacy")
    later = open_store()
    assert later.launches() == [one]
    assert later.grants() == [two]
    assert later.enabled("/ws", "i") is False
    assert later.enabled("/ws", "i", "t") is False
    assert later.era("f") == "legacy"
    assert later.problem is None


def test_an_empty_store_says_nothing(store: Store) -> None:
    assert store.load() is None
    assert (store.launches(), store.grants(), store.listing()) == ([], [], [])
    assert store.enabled("/ws", "i") is None
    assert store.era("f") is None


def test_reading_writes_nothing(store: Store, tmp_path: Path) -> None:
    store.load()
    store.launches()
    store.forget(["x"])
    assert not (tmp_path / "state").exists()


@POSIX
def test_files_are_for_the_user_alone(store: Store, file: Path) -> None:
    old = os.umask(0)
    try:
        store.add_launch(decision())
        store.set_enabled("/ws", "i", None, False)
    finally:
        os.umask(old)
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()} == {0o600}
    assert {path.name for path in file.parent.iterdir()} <= {
        "approvals.json", "approvals.json.lock", "choices.json", "choices.json.lock",
    }  # fmt: skip


@POSIX
def test_an_existing_folder_is_closed_to_others(open_store: OpenStore, tmp_path: Path) -> None:
    tmp_path.joinpath("old").mkdir(mode=0o755)
    open_store(tmp_path / "old").add_launch(decision())
    assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o700


# What must not be believed.


BAD: dict[str, Callable[[Path], object]] = {
    "mode 0666": lambda path: path.chmod(0o666),
    "mode 0644": lambda path: path.chmod(0o644),
    "mode 0620": lambda path: path.chmod(0o620),
    "not JSON": lambda path: path.write_text("{"),
    "empty": lambda path: path.write_text(""),
    "not UTF-8": lambda path: path.write_bytes(b'{"version": "\xff"}'),
    "another shape": lambda path: path.write_text("[]"),
    "another type": lambda path: path.write_text('{"version": 1, "launches": {}}'),
    "an unknown field": lambda path: path.write_text('{"version": 1, "trustEverything": true}'),
    "an unknown decision": lambda path: path.write_text(path.read_text().replace('"always"', '"yes"')),
    "a truthy decision": lambda path: path.write_text(path.read_text().replace('"always"', "true")),
    "another version": lambda path: path.write_text(path.read_text().replace('"version": 1', '"version": 2')),
    "deep": lambda path: path.write_text("[" * 100_000),
    "too large": lambda path: path.write_text(" " * (8 * 1024 * 1024 + 1)),
    "a link": lambda path: (path.rename(path.with_suffix(".x")), path.symlink_to(path.with_suffix(".x"))),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path, 0o600)),
    "a folder others can write to": lambda path: path.parent.chmod(0o777),
}


@POSIX
@pytest.mark.parametrize("how", BAD)
def test_a_store_that_is_not_ours_is_ignored_whole_and_loudly(
    store: Store, open_store: OpenStore, file: Path, how: str
) -> None:
    store.add_launch(decision("old"))
    store.add_grant(grant())
    BAD[how](file)
    for bad in (open_store(), store):
        assert bad.launches() == []
        assert bad.grants() == []
        assert bad.problem is not None
        assert str(file if "folder others" not in how else file.parent) in bad.problem
        assert "this session" in bad.problem
    before = file.read_bytes() if file.is_file() else None
    later = open_store()
    later.add_launch(decision("new"))
    later.add_launch(decision("bad", "denied"))
    assert [(item.fingerprint, item.decision) for item in later.launches()] == [("new", "session"), ("bad", "denied")]
    assert before is None or file.read_bytes() == before
    assert open_store().launches() == []


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="giving a file away takes root")
@pytest.mark.parametrize("which", ["file", "folder"])
def test_a_store_of_another_user_is_ignored(store: Store, open_store: OpenStore, file: Path, which: str) -> None:
    store.add_launch(decision())
    os.chown(file if which == "file" else file.parent, 12345, 12345)
    later = open_store()
    assert later.launches() == []
    assert "another user" in (later.problem or "")


@POSIX
def test_a_store_that_was_repaired_counts_again(store: Store, open_store: OpenStore, file: Path) -> None:
    store.add_launch(decision())
    file.chmod(0o666)
    later = open_store()
    assert later.launches() == []
    file.chmod(0o600)
    assert [item.fingerprint for item in later.launches()] == ["f"]
    assert later.problem is None


@pytest.mark.parametrize("where", [".", "a/b", "link"])
def test_a_state_folder_in_a_workspace_is_ignored(open_store: OpenStore, tmp_path: Path, where: str) -> None:
    workspace = tmp_path / "ws"
    (workspace / "a" / "b").mkdir(parents=True)
    (tmp_path / "link").symlink_to(workspace / "a")
    folder = tmp_path / "link" if where == "link" else workspace / where / "state"
    open_store(folder).add_launch(decision())
    inside = open_store(folder, workspaces=(workspace,))
    assert inside.launches() == []
    assert str(workspace) in (inside.problem or "")
    inside.add_launch(decision("new"))
    assert [item.decision for item in inside.launches()] == ["session"]
    assert [item.fingerprint for item in open_store(folder).launches()] == ["f"]


def test_a_workspace_that_is_opened_later_counts_too(open_store: OpenStore, tmp_path: Path) -> None:
    store = open_store(tmp_path / "ws" / "state")
    store.add_launch(decision())
    store.workspaces = [tmp_path / "ws"]
    assert store.launches() == []
    store.workspaces = [tmp_path / "ws" / "other", tmp_path / "nowhere"]
    assert len(store.launches()) == 1


def test_a_session_decision_written_by_another_program_is_no_decision(
    store: Store, open_store: OpenStore, file: Path
) -> None:
    store.add_launch(decision())
    file.write_text(file.read_text().replace('"always"', '"session"'))
    assert open_store().launches() == []


# Two processes.


def test_what_two_processes_decide_is_merged(open_store: OpenStore) -> None:
    one, two = open_store(), open_store()
    one.load()
    two.load()
    one.add_launch(decision("a"))
    two.add_launch(decision("b"))
    one.add_grant(grant("t"))
    two.add_grant(grant("u"))
    for store in (one, two, open_store()):
        assert {item.fingerprint for item in store.launches()} == {"a", "b"}
        assert {item.tool for item in store.grants()} == {"t", "u"}


def test_a_no_that_this_process_has_not_seen_wins_over_its_yes(open_store: OpenStore) -> None:
    one, two = open_store(), open_store()
    one.load()
    two.add_launch(decision("a", "denied"))
    one.add_launch(decision("a", "always"), replacing=[item.id for item in one.known_launches()])
    assert "denied" in {item.decision for item in one.launches()}
    one.add_launch(decision("a", "always"), replacing=[item.id for item in one.known_launches()])
    assert {item.decision for item in open_store().launches()} == {"always"}


def test_a_no_replaces_every_yes(open_store: OpenStore) -> None:
    one, two = open_store(), open_store()
    one.add_launch(decision("a"))
    two.add_launch(decision("a", "denied"))
    assert [item.decision for item in open_store().launches()] == ["denied"]


def _add(folder: Path, first: int) -> None:
    store = Store(folder)
    for index in range(first, first + 10):
        store.add_grant(grant(f"t{index}"))
        store.set_enabled("/ws", "i", f"t{index}", False)


def test_nothing_is_lost_when_processes_write_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_add, args=(tmp_path / "state", 10 * number)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(30)
        assert worker.exitcode == 0
    store = Store(tmp_path / "state")
    assert {item.tool for item in store.grants()} == {f"t{index}" for index in range(40)}
    assert all(store.enabled("/ws", "i", f"t{index}") is False for index in range(40))


def test_a_writer_that_is_killed_leaves_the_old_file_or_the_new_one(store: Store, file: Path) -> None:
    store.add_launch(decision())
    script = textwrap.dedent(
        f"""
        from pathlib import Path
        from codeagent_lsp.policy.records import ToolGrant
        from codeagent_lsp.policy.store import Store
        store = Store(Path({str(file.parent)!r}))
        print("ready", flush=True)
        for index in range(100_000):
            store.add_grant(ToolGrant(str(index), "i", "s", f"t{{index % 50}}", "always", "h" * 1000, "2026"))
        """
    )
    for _ in range(3):
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            child.stdout.readline()
            size = file.stat().st_size
            for _ in range(20_000):
                if file.exists() and file.stat().st_size != size:
                    break
            child.send_signal(signal.SIGKILL)
            child.wait(10)
        json.loads(file.read_text())
    assert [item.fingerprint for item in Store(file.parent).launches()] == ["f"]


def test_a_lock_that_another_process_holds_does_not_stop_the_work(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from filelock import FileLock

    store.add_launch(decision("old"))
    monkeypatch.setattr("codeagent_lsp.policy.statefile.LOCK_TIMEOUT", 0.05)
    with FileLock(f"{file}.lock", is_singleton=False):
        store.add_launch(decision("new"))
    assert "locked" in (store.problem or "")
    assert [(i.fingerprint, i.decision) for i in store.launches()] == [("old", "always"), ("new", "session")]
    store.add_launch(decision("third"))
    assert store.problem is None


# A disk that does not take it.


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EIO])
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_or_read_only_disk_leaves_the_old_file_and_the_decision_for_this_session(
    store: Store, open_store: OpenStore, file: Path, monkeypatch: pytest.MonkeyPatch, code: int, call: str
) -> None:
    store.add_launch(decision("old"))
    before = file.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(*((os, "fsync", fail) if call == "fsync" else (Path, "replace", fail)))
    store.add_launch(decision("new"))
    store.add_launch(decision("no", "denied"))
    store.add_grant(grant())
    store.set_enabled("/ws", "i", None, False)
    store.learn_era("f", "modern")
    assert os.strerror(code) in (store.problem or "")
    assert file.read_bytes() == before
    assert sorted(path.name for path in file.parent.iterdir() if path.name.startswith(".")) == []
    assert [(item.fingerprint, item.decision) for item in store.launches()] == [
        ("old", "always"),
        ("new", "session"),
        ("no", "denied"),
    ]
    assert len(store.grants()) == 1
    assert store.enabled("/ws", "i") is False
    assert store.era("f") == "modern"
    store.forget([store.launches()[0].id])
    assert [item.fingerprint for item in store.launches()] == ["new", "no"]
    monkeypatch.undo()
    assert [item.fingerprint for item in open_store().launches()] == ["old"]
    store.set_enabled("/ws", "i", None, True)
    assert open_store().enabled("/ws", "i") is True
    assert store.enabled("/ws", "i") is True


@POSIX
def test_a_file_size_limit_leaves_the_old_file(store: Store, file: Path) -> None:
    store.add_launch(decision())
    before = file.read_bytes()
    script = textwrap.dedent(
        f"""
        import resource, signal
        from pathlib import Path
        from codeagent_lsp.policy.records import ToolGrant
        from codeagent_lsp.policy.store import Store
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len({before!r}) + 50, resource.RLIM_INFINITY))
        store = Store(Path({str(file.parent)!r}))
        store.add_grant(ToolGrant("1", "i", "s", "t", "always", "h" * 1000, "2026"))
        print(store.problem, len(store.grants()))
        """
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=True)
    assert "cannot be written" in result.stdout
    assert result.stdout.strip().endswith(" 1")
    assert file.read_bytes() == before


# Listing, revoking, switching.


def test_every_standing_decision_is_listed_and_can_be_taken_back(store: Store, open_store: OpenStore) -> None:
    store.add_launch(decision("a"))
    store.add_launch(decision("b", "session"))
    store.add_launch(decision("c", "denied"))
    for scope in ("session", "workspace", "always", "autoApprove"):
        store.add_grant(grant(f"t-{scope}", scope))
    store.add_grant(grant("t-void", "void"))
    listed = store.listing()
    assert {(item.kind, item.server, item.tool, item.scope) for item in listed} == {
        ("server", "s", None, "always"),
        ("server", "s", None, "session"),
        ("server", "s", None, "denied"),
        *(("tool", "s", f"t-{scope}", scope) for scope in ("session", "workspace", "always", "autoApprove")),
    }
    assert len({item.id for item in listed}) == len(listed)
    for item in listed:
        store.revoke(item.id)
    assert store.listing() == []
    assert open_store().listing() == []
    with pytest.raises(InvalidParams):
        store.revoke(listed[0].id)


def test_a_switch_is_for_one_workspace_server_and_tool(store: Store) -> None:
    store.set_enabled("/ws", "i", "t", False)
    assert store.enabled("/ws", "i", "t") is False
    for other in (("/other", "i", "t"), ("/ws", "j", "t"), ("/ws", "i", "u"), ("/ws", "i", None)):
        assert store.enabled(*other) is None
    store.set_enabled("/ws", "i", "t", True)
    assert store.enabled("/ws", "i", "t") is True


def test_an_era_is_written_only_when_it_is_news(store: Store, file: Path) -> None:
    store.learn_era("f", "legacy")
    written = file.with_name("choices.json")
    before = written.stat().st_mtime_ns, written.stat().st_ino
    store.learn_era("f", "legacy")
    assert before == (written.stat().st_mtime_ns, written.stat().st_ino)
    store.learn_era("f", "modern")
    assert store.era("f") == "modern"


def test_what_is_remembered_does_not_grow_without_bound(store: Store, open_store: OpenStore) -> None:
    for index in range(15):
        store.add_launch(decision(f"f{index}"))
    store.add_launch(decision("other", server="t"))
    kept = open_store().launches()
    assert [item.fingerprint for item in kept] == [*(f"f{index}" for index in range(5, 15)), "other"]
    assert [item.fingerprint for item in kept if item.facts] == ["f14", "other"]
    store.update(lambda old: old)
    assert len(store.launches()) == 11


def test_names_that_no_file_can_hold_do_not_break_the_store(store: Store, open_store: OpenStore) -> None:
    store.add_grant(grant("\ud800\u202e"))
    store.add_grant(grant("u"))
    assert open_store().problem is None
    assert len(open_store().grants()) == 2

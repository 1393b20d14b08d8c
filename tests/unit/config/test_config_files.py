"""Which servers the files of a user and of the open folders declare together."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from codeagent_lsp.config.entries import BrokenEntry, Entry
from codeagent_lsp.config.files import Candidate, Config, ReadFile, read_config, user_folder
from codeagent_lsp.protocol import Position, Range


class World:
    """A user's home and workspace folders on disk."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home" / ".codeagent"
        self.folders: list[Path] = []
        self.last: Config | None = None

    def folder(self, name: str = "ws") -> Path:
        path = self.root / name
        path.mkdir(parents=True, exist_ok=True)
        if path not in self.folders:
            self.folders.append(path)
        return path

    def write(self, path: Path, content: Any) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def user(self, servers: Any, name: str = "mcp.json") -> Path:
        return self.write(self.home / name, self.wrapped(servers, name))

    def project(self, servers: Any, name: str = "mcp.json", folder: str = "ws") -> Path:
        return self.write(self.folder(folder) / ".codeagent" / name, self.wrapped(servers, name))

    def wrapped(self, servers: Any, name: str) -> Any:
        if isinstance(servers, str):
            return servers
        return {"mcpServers" if name == "mcp.json" else "mcp_servers": servers}

    def read(self, **more: Any) -> Config:
        self.last = read_config(self.folders, home=self.home, previous=self.last, **more)
        return self.last

    def file(self, path: Path) -> ReadFile:
        assert self.last is not None
        return next(file for file in self.last.files if file.path == path)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CODEAGENT_HOME", raising=False)
    (tmp_path / "home").mkdir()
    return World(tmp_path)


def sound(entry: Any) -> Entry:
    assert isinstance(entry, Entry), entry
    return entry


def commands(config: Config, *, approved: bool) -> dict[str, str | None]:
    forced = {id: candidate.in_force(approved) for id, candidate in config.candidates.items()}
    return {id: entry.command for id, entry in forced.items() if isinstance(entry, Entry)}


def messages(file: ReadFile) -> list[str]:
    return [problem.message for problem in file.problems]


# --- the four files --------------------------------------------------------------------------------------------------


def test_all_four_files_are_read_and_a_later_one_replaces_an_earlier_one(world: World) -> None:
    world.user({"a": {"command": "us"}, "b": {"command": "us"}, "c": {"command": "us"}, "d": {"command": "us"}},
               "settings.json")  # fmt: skip
    world.user({"b": {"command": "um"}, "c": {"command": "um"}, "d": {"command": "um"}})
    world.project({"c": {"command": "ps"}, "d": {"command": "ps"}}, "settings.json")
    world.project({"d": {"command": "pm"}})
    config = world.read()
    assert commands(config, approved=True) == {"a": "us", "b": "um", "c": "ps", "d": "pm"}
    assert commands(config, approved=False) == {"a": "us", "b": "um", "c": "um", "d": "um"}
    assert [file.path.name for file in config.files] == ["settings.json", "mcp.json"] * 2
    assert all(file.problems == () for file in config.files)


def test_a_project_entry_replaces_the_users_whole(world: World) -> None:
    world.user({"a": {"command": "u", "env": {"TOKEN": "s"}, "args": ["x"]}, "b": {"command": "b"}})
    world.project({"a": {"command": "p"}})
    config = world.read()
    project = sound(config.candidates["a"].in_force(True))
    assert (project.command, project.env, project.args, project.scope) == ("p", {}, (), "project")
    assert sound(config.candidates["b"].in_force(True)).command == "b"


@pytest.mark.parametrize(
    "project",
    [{"url": "http://127.0.0.1:9"}, {"env": {"A": "b"}}, {"headers": {"A": "b"}}, {"args": ["x"]}, {"timeout": 5000}],
)
def test_a_project_entry_inherits_nothing_and_the_users_runs_until_it_is_approved(
    world: World, project: dict[str, Any]
) -> None:
    user = {
        "url": "https://u",
        "headers": {"Authorization": "Bearer t"},
        "autoApprove": ["*"],
        "trustAnnotations": True,
    }
    world.user({"github": user})
    world.project({"github": project})
    candidate = world.read().candidates["github"]
    assert sound(candidate.in_force(False)).url == "https://u"
    if isinstance(candidate.project, Entry):
        entry = sound(candidate.in_force(True))
        assert (entry.headers, entry.auto_approve, entry.trust_annotations) == ({}, (), False)


def test_a_broken_project_entry_hides_no_sound_server_of_the_users(world: World) -> None:
    world.user({"a": {"command": "u"}})
    world.project({"a": {"command": 1}, "b": {"args": []}})
    config = world.read()
    candidate = config.candidates["a"]
    assert isinstance(candidate.project, BrokenEntry)
    assert sound(candidate.in_force(True)).command == "u"
    assert isinstance(config.candidates["b"].in_force(True), BrokenEntry)


def test_a_broken_user_entry_does_not_hide_a_projects(world: World) -> None:
    world.user({"a": {"command": 1}})
    world.project({"a": {"command": "p"}})
    candidate = world.read().candidates["a"]
    assert isinstance(candidate.in_force(False), BrokenEntry)
    assert sound(candidate.in_force(True)).command == "p"


def test_without_files_there_are_no_servers_and_no_words(world: World) -> None:
    world.folder()
    config = world.read()
    assert config.candidates == {}
    assert [(file.exists, file.problems) for file in config.files] == [(False, ())] * 4


def test_nothing_is_read_from_a_parent_or_a_nested_folder(world: World) -> None:
    world.folder("outer/ws")
    world.write(world.root / "outer" / ".codeagent" / "mcp.json", {"mcpServers": {"up": {"command": "x"}}})
    world.write(
        world.root / "outer" / "ws" / "sub" / ".codeagent" / "mcp.json", {"mcpServers": {"in": {"command": "x"}}}
    )
    world.write(world.root / "outer" / "ws" / "mcp.json", {"mcpServers": {"bare": {"command": "x"}}})
    assert world.read().candidates == {}


def test_a_folder_that_is_the_home_is_read_once_as_the_users(world: World) -> None:
    world.user({"a": {"command": "x"}})
    world.folders.append(world.root / "home")
    config = world.read()
    assert [file.scope for file in config.files] == ["user", "user"]
    assert sound(config.candidates["a"].in_force(False)).scope == "user"
    assert config.candidates["a"].project is None


def test_a_folder_that_leads_to_the_home_is_the_home(world: World) -> None:
    world.user({"a": {"command": "x"}})
    (world.root / "link").symlink_to(world.root / "home")
    world.folders.append(world.root / "link")
    world.folders.append(world.root / "home" / "." / ".." / "home")
    config = world.read()
    assert {file.scope for file in config.files} == {"user"}
    assert len(config.candidates) == 1


def test_a_folder_that_is_given_twice_is_read_once(world: World) -> None:
    world.project({"a": {"command": "x"}})
    world.folders.append(world.folders[0])
    assert list(world.read().candidates) == ["a"]


# --- switched off ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("project", [{"command": "p", "disabled": False}, {"command": "p"}, {"url": "http://h"}])
def test_a_project_cannot_switch_on_what_the_user_switched_off(world: World, project: dict[str, Any]) -> None:
    world.user({"a": {"command": "u", "disabled": True}})
    world.project({"a": project})
    candidate = world.read().candidates["a"]
    assert candidate.off == "user"
    assert "disabled by user config" in str(candidate.detail)


@pytest.mark.parametrize("user", [{"disabled": True}, {"command": 1, "disabled": True}, {"url": "x", "disabled": True}])
def test_off_is_off_even_where_the_users_entry_is_no_good(world: World, user: dict[str, Any]) -> None:
    world.user({"a": user})
    world.project({"a": {"command": "p"}})
    assert world.read().candidates["a"].off == "user"


def test_disabled_alone_in_a_project_switches_the_users_server_off(world: World) -> None:
    world.user({"a": {"command": "true"}, "b": {"command": "true"}})
    path = world.project({"a": {"disabled": True}})
    config = world.read()
    candidate = config.candidates["a"]
    assert candidate.off == "project"
    assert str(path) in str(candidate.detail)
    assert sound(candidate.in_force(True)).command == "true"
    assert config.candidates["b"].off is None
    assert world.file(path).problems == ()


def test_disabled_alone_for_no_server_is_a_disabled_server_and_no_error(world: World) -> None:
    path = world.project({"a": {"disabled": True}})
    candidate = world.read().candidates["a"]
    assert candidate.off == "project"
    assert "no user file declares" in str(candidate.detail)
    assert world.file(path).problems == ()


def test_a_project_entry_that_is_disabled_needs_no_approval_for_that(world: World) -> None:
    world.user({"a": {"command": "u"}})
    world.project({"a": {"command": "p", "disabled": True}})
    assert world.read().candidates["a"].off == "project"


def test_a_later_file_of_the_same_scope_can_switch_an_earlier_entry_off(world: World) -> None:
    world.user({"a": {"command": "u"}}, "settings.json")
    world.user({"a": {"disabled": True}})
    world.project({"b": {"command": "p"}}, "settings.json")
    world.project({"b": {"disabled": True}})
    config = world.read()
    assert (config.candidates["a"].off, config.candidates["b"].off) == ("user", "project")
    assert sound(config.candidates["a"].user).command == "u"
    assert sound(config.candidates["b"].project).command == "p"


# --- several folders -------------------------------------------------------------------------------------------------


def test_a_name_in_two_folders_makes_two_servers(world: World) -> None:
    world.project({"a": {"command": "one"}}, folder="one")
    world.project({"a": {"command": "two"}, "b": {"command": "b"}}, folder="two")
    config = world.read()
    assert commands(config, approved=True) == {"a": "one", "a@two": "two", "b": "b"}
    assert sound(config.candidates["a@two"].project).folder == world.root / "two"
    assert sound(config.candidates["a@two"].project).name == "a"


def test_ids_stay_unique_whatever_names_there_are(world: World) -> None:
    world.project({"a": {"command": "1"}, "a@two": {"command": "2"}}, folder="one")
    world.project({"a": {"command": "3"}}, folder="x/two")
    world.project({"a": {"command": "4"}}, folder="y/two")
    config = world.read()
    assert commands(config, approved=True) == {"a": "1", "a@two": "2", "a@two-2": "3", "a@two-3": "4"}
    assert list(config.candidates) == sorted(config.candidates)


def test_what_the_user_switched_off_is_off_in_every_folder(world: World) -> None:
    world.user({"a": {"command": "u", "disabled": True}})
    world.project({"a": {"command": "1"}}, folder="one")
    world.project({"a": {"command": "2"}}, folder="two")
    config = world.read()
    assert {id: candidate.off for id, candidate in config.candidates.items()} == {"a": "user", "a@two": "user"}


def test_a_second_folder_can_switch_the_users_server_off_and_not_the_first_folders(world: World) -> None:
    world.user({"a": {"command": "u"}})
    world.project({"a": {"command": "1"}}, folder="one")
    world.project({"a": {"disabled": True}}, folder="two")
    candidates = world.read().candidates
    assert list(candidates) == ["a"]
    assert sound(candidates["a"].in_force(False)).disabled
    assert not sound(candidates["a"].in_force(True)).disabled


# --- files that are no good ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["", " ", "[]", "null", "7", '"x"', '{"mcpServers":[]}', '{"mcpServers":null}', '{"mcpServers":7}',
     '{"servers":[]}', '{"mcpServers":{"a":{"command":"true"}', "not json", "// nothing"],
)  # fmt: skip
def test_a_file_of_the_wrong_shape_is_one_problem_and_other_files_servers_are_there(world: World, text: str) -> None:
    world.user({"u": {"command": "x"}})
    path = world.project(text)
    config = world.read()
    assert list(config.candidates) == ["u"]
    file = world.file(path)
    assert len(file.problems) == 1
    assert file.problems[0].severity == "error"
    assert path.read_text() == text


@pytest.mark.parametrize("kind", ["folder", "link", "pipe", "large"])
def test_a_file_that_is_not_read_is_one_problem_that_names_it(world: World, kind: str) -> None:
    world.user({"u": {"command": "x"}})
    path = world.folder() / ".codeagent" / "mcp.json"
    path.parent.mkdir()
    if kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to(world.user({"stolen": {"command": "x"}}, "settings.json"))
        world.user({}, "settings.json")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.write_bytes(b" " * (2 * 1024 * 1024))
    config = world.read()
    assert list(config.candidates) == ["u"]
    file = world.file(path)
    assert (file.exists, file.document) == (True, None)
    assert [str(path) in message for message in messages(file)] == [True]
    assert file.range(file.problems[0]) == Range(Position(0, 0), Position(0, 0))


def test_a_linked_codeagent_folder_is_told_once(world: World) -> None:
    real = world.root / "real"
    world.write(real / "mcp.json", {"mcpServers": {"evil": {"command": "x"}}})
    world.write(real / "settings.json", {"mcp_servers": {"evil": {"command": "x"}}})
    (world.folder() / ".codeagent").symlink_to(real)
    config = world.read()
    assert config.candidates == {}
    assert [len(file.problems) for file in config.files if file.scope == "project"] == [0, 1]


def test_a_file_that_is_not_utf_8_is_told(world: World) -> None:
    path = world.project({})
    path.write_bytes('{"mcpServers":{"a":{"command":"ü"}}}'.encode("latin-1"))
    assert world.read().candidates == {}
    assert "UTF-8" in messages(world.file(path))[0]


@pytest.mark.parametrize(
    "broken",
    [
        "",
        "{",
        '{"mcpServers":',
        '{"mcpServers":{"a":{"command":"new"}',
        "[]",
        '{"mcpServers":null}',
        '{"mcpServers":[]}',
    ],
)
def test_while_a_file_is_broken_its_last_good_entries_stay(world: World, broken: str) -> None:
    path = world.project({"a": {"command": "old"}, "b": {"command": "b"}})
    before = world.read()
    for _ in range(2):
        path.write_text(broken)
        config = world.read()
        assert config.candidates == before.candidates
        assert world.file(path).stale
        assert len(world.file(path).problems) == 1
    world.project({"a": {"command": "new"}})
    assert commands(world.read(), approved=True) == {"a": "new"}
    assert not world.file(path).stale


def test_a_file_that_turns_into_something_that_is_not_read_keeps_its_last_good_entries(world: World) -> None:
    path = world.project({"a": {"command": "old"}})
    before = world.read()
    path.unlink()
    os.mkfifo(path)
    assert world.read().candidates == before.candidates


def test_a_file_that_is_removed_or_emptied_of_servers_takes_them_along(world: World) -> None:
    path = world.project({"a": {"command": "x"}})
    world.read()
    path.write_text("{}")
    assert world.read().candidates == {}
    world.project({"a": {"command": "x"}})
    world.read()
    path.unlink()
    assert world.read().candidates == {}


def test_reading_again_what_has_not_changed_gives_equal_candidates(world: World) -> None:
    world.user({"a": {"command": "x"}})
    path = world.project({"b": {"command": "y", "env": {"A": "b"}}})
    before = world.read().candidates
    path.write_text("// a remark\n" + path.read_text())
    world.write(path.with_name("mcp.json.backup.1"), {"mcpServers": {"c": {"command": "z"}}})
    assert world.read().candidates == before


# --- keys at the top -------------------------------------------------------------------------------------------------


def test_servers_is_as_good_as_mcp_servers(world: World) -> None:
    path = world.project('{"servers":{"a":{"command":"true"}}}')
    assert list(world.read().candidates) == ["a"]
    assert world.file(path).problems == ()


def test_of_both_maps_in_one_file_the_stronger_wins_by_name_and_it_is_told(world: World) -> None:
    path = world.project('{"mcpServers":{"a":{"command":"m"}},"servers":{"a":{"command":"s"},"b":{"command":"s"}}}')
    assert commands(world.read(), approved=True) == {"a": "m", "b": "s"}
    file = world.file(path)
    assert file.document is not None
    assert [file.document.text[p.span.start : p.span.end] for p in file.problems] == ['"servers"']
    assert file.problems[0].severity == "warning"


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ('{"mcp_servers":{"a":{"command":"x"}}}', '"mcp_servers"', "`mcpServers`"),
        ('{"mcp":{"a":{"command":"x"}}}', '"mcp"', "`mcpServers`"),
        ('{"context_servers":{}}', '"context_servers"', "`mcpServers`"),
        ('{"a":{"command":"x"}}', '"a"', "looks like a server"),
        ('{"mcpServers":{},"a":{"url":"http://h"}}', '"a"', "looks like a server"),
        ('{"mcpServers":{},"other":1}', '"other"', "no effect"),
    ],
)
def test_servers_in_the_wrong_place_are_never_lost_in_silence(world: World, text: str, place: str, words: str) -> None:
    path = world.project(text)
    assert world.read().candidates == {}
    file = world.file(path)
    assert file.document is not None
    assert [file.document.text[p.span.start : p.span.end] for p in file.problems] == [place]
    assert words in file.problems[0].message


def test_known_keys_at_the_top_are_let_be(world: World) -> None:
    path = world.project('{"$schema":"https://x","inputs":[],"//":"why","mcpServers":{}}')
    world.read()
    assert world.file(path).problems == ()


def test_only_mcp_servers_of_the_settings_is_ours(world: World) -> None:
    path = world.project('{"editor":{"command":"x"},"theme":[1],"servers":{},"mcp_servers":{"a":{"command":"x"}}}',
                         "settings.json")  # fmt: skip
    assert list(world.read().candidates) == ["a"]
    assert world.file(path).problems == ()
    world.project('{"mcpServers":{"a":{"command":"x"}}}', "settings.json")
    assert world.read().candidates == {}
    assert "`mcp_servers`" in messages(world.file(path))[0]


# --- who can write ---------------------------------------------------------------------------------------------------


def test_a_user_file_that_others_can_write_to_needs_approval_like_a_project(world: World) -> None:
    path = world.user({"a": {"command": "x", "autoApprove": ["*"]}})
    path.chmod(0o666)
    entry = sound(world.read().candidates["a"].in_force(False))
    assert (entry.scope, entry.needs_approval, entry.auto_approve) == ("user", True, ())
    assert world.file(path).unsafe
    assert any("chmod go-w" in message for message in messages(world.file(path)))
    path.chmod(0o600)
    entry = sound(world.read().candidates["a"].in_force(False))
    assert (entry.needs_approval, entry.auto_approve) == (False, ("*",))
    assert not world.file(path).unsafe


def test_a_users_file_may_be_a_symbolic_link(world: World) -> None:
    target = world.write(world.root / "dotfiles" / "mcp.json", {"mcpServers": {"a": {"command": "x"}}})
    world.home.mkdir()
    (world.home / "mcp.json").symlink_to(target)
    assert list(world.read().candidates) == ["a"]


def test_a_project_reached_through_any_spelling_needs_approval(world: World) -> None:
    world.project({"a": {"command": "x"}})
    (world.root / "link").symlink_to(world.root / "ws")
    for folder in (world.root / "ws", world.root / "link", world.root / "ws" / ".codeagent" / ".."):
        config = read_config([folder], home=world.home)
        assert sound(config.candidates["a"].project).needs_approval


# --- where the user's folder is --------------------------------------------------------------------------------------


def test_the_users_folder_is_in_the_home_unless_it_is_moved(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    home = world.root / "home"
    assert user_folder() == home / ".codeagent"
    assert user_folder({"CODEAGENT_HOME": "/elsewhere"}) == Path("/elsewhere")
    assert user_folder({"CODEAGENT_HOME": "~/x"}) == home / "x"
    assert user_folder({"CODEAGENT_HOME": "x"}) == home / "x"
    assert user_folder({"CODEAGENT_HOME": "~nobody-of-that-name/x"}) == home / "~nobody-of-that-name" / "x"
    assert user_folder({"CODEAGENT_HOME": ""}) == home / ".codeagent"
    monkeypatch.setenv("CODEAGENT_HOME", str(world.root / "moved"))
    assert user_folder() == world.root / "moved"


@pytest.mark.parametrize("inside", [".", ".codeagent", "deep/er"])
def test_a_users_folder_that_was_moved_into_a_workspace_is_not_read(
    world: World, monkeypatch: pytest.MonkeyPatch, inside: str
) -> None:
    moved = world.folder() / inside
    world.write(moved / "mcp.json", {"mcpServers": {"evil": {"command": "x"}}})
    monkeypatch.setenv("CODEAGENT_HOME", str(moved))
    world.home = user_folder()
    config = world.read()
    assert all(entry.scope != "user" for file in config.files for entry in file.entries)
    assert "CODEAGENT_HOME" in messages(world.file(moved / "mcp.json"))[0]


def test_a_moved_users_folder_elsewhere_is_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.folder()
    world.home = world.root / "moved"
    monkeypatch.setenv("CODEAGENT_HOME", str(world.home))
    world.user({"a": {"command": "x"}})
    assert list(world.read().candidates) == ["a"]


# --- names that look alike -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("other", ["GitHub", "GITHUB", "gіthub", "ｇｉｔｈｕｂ"])
def test_a_name_that_looks_like_another_is_a_warning_and_still_a_server_of_its_own(world: World, other: str) -> None:
    world.user({"github": {"command": "x"}})
    path = world.project({other: {"command": "y"}})
    assert set(world.read().candidates) == {"github", other}
    warnings = [problem for problem in world.file(path).problems if problem.severity == "warning"]
    assert "`github`" in warnings[0].message


def test_the_same_name_in_two_files_is_no_lookalike(world: World) -> None:
    world.user({"github": {"command": "x"}})
    path = world.project({"github": {"command": "y"}})
    world.read()
    assert world.file(path).problems == ()


# --- other tools' files ----------------------------------------------------------------------------------------------


def test_other_tools_files_are_read_only_when_asked_for(world: World) -> None:
    world.write(world.folder() / ".mcp.json", {"mcpServers": {"a": {"command": "x"}}})
    assert world.read().candidates == {}
    config = world.read(also_read=[".mcp.json"])
    entry = sound(config.candidates["a"].project)
    assert (entry.scope, entry.needs_approval, entry.dialect) == ("project", True, "claude")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".mcp.json", '{"mcpServers":{"a":{"command":"x"}}}'),
        (".mcp.json", '{"servers":{"a":{"command":"x"}}}'),
        (".mcp.json", '{"a":{"command":"x"}}'),
        (".vscode/mcp.json", '{"inputs":[],"servers":{"a":{"command":"x","gallery":true,"dev":{}}},}'),
        (".cursor/mcp.json", '{"mcpServers":{"a":{"command":"x"}}}'),
    ],
)
def test_each_tools_file_is_read_in_its_own_shape(world: World, name: str, text: str) -> None:
    path = world.write(world.folder() / name, text)
    assert commands(world.read(also_read=[name]), approved=True) == {"a": "x"}
    assert world.file(path).problems == ()


def test_editors_own_variables_are_understood(world: World) -> None:
    entry = {
        "command": "${workspaceFolder:ws}${/}x",
        "args": ["${env:A}", "${cwd}"],
        "env": {"B": "${env:B}", "C": None},
        "envFile": "${workspaceFolder}/.env",
    }
    world.write(world.folder() / ".vscode/mcp.json", {"servers": {"a": entry}})
    read = sound(world.read(also_read=[".vscode/mcp.json"]).candidates["a"].project)
    assert read.command == "${workspaceFolder}${pathSeparator}x"
    assert read.args == ("${env:A:-}", "${workspaceFolder}")
    assert read.env == {"B": "${env:B:-}", "C": None}
    assert read.env_file == "${workspaceFolder}/.env"


def test_our_own_files_win_over_other_tools(world: World) -> None:
    world.write(world.folder() / ".mcp.json", {"mcpServers": {"a": {"command": "c"}, "b": {"command": "c"}}})
    world.write(world.folder() / ".cursor/mcp.json", {"mcpServers": {"b": {"command": "k"}}})
    world.project({"a": {"command": "ours"}})
    config = world.read(also_read=[".mcp.json", ".cursor/mcp.json"])
    assert commands(config, approved=True) == {"a": "ours", "b": "k"}


@pytest.mark.parametrize("name", ["../x.json", "/etc/passwd", "", ".zed/settings.json", "a\0b"])
def test_a_file_that_also_read_does_not_know_is_told_and_not_opened(world: World, name: str) -> None:
    world.folder()
    config = world.read(also_read=[name])
    assert [len(file.problems) for file in config.files] == [0, 0, 1, 0, 0]
    assert config.candidates == {}


def test_other_tools_powers_have_no_effect(world: World) -> None:
    entry = {"command": "x", "autoApprove": ["*"], "trust": True, "alwaysAllow": ["*"], "sandboxEnabled": False}
    path = world.write(world.folder() / ".cursor/mcp.json", {"mcpServers": {"a": entry}})
    read = sound(world.read(also_read=[".cursor/mcp.json"]).candidates["a"].project)
    assert (read.auto_approve, read.trust_annotations, read.needs_approval) == ((), False, True)
    assert len(world.file(path).problems) == 4


def test_a_candidate_alone_is_in_force_by_itself() -> None:
    assert Candidate("a").in_force(True) is None

"""The fingerprint changes with whatever would be started, and with nothing else."""

import copy
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codeagent_lsp.config.entry import OAuth
from codeagent_lsp.policy.fingerprint import HASHED_WHOLE, differences, facts, file_identity, fingerprint, parts

FIELDS: dict[str, Any] = {
    "command": "/bin/sh",
    "args": ("run.sh", "${workspaceFolder}", "b"),
    "env": {"A": "1", "B": "${TOKEN}", "C": None},
    "cwd": ".",
    "inherit_env": ("VSCODE_X",),
    "env_file": "vars",
}
REMOTE: dict[str, Any] = {
    "url": "https://a.example/mcp?x=1",
    "headers": {"X-A": "1", "Authorization": "Bearer ${TOKEN}"},
    "oauth": OAuth(client_id="c", client_secret="s", scopes=("a",), callback_port=9),
}


@pytest.fixture
def project(project: Any) -> Any:
    project.environment["TOKEN"] = "t0ken-of-the-user"
    project.write("run.sh", "echo one\n")
    project.write("vars", "X=1\n")
    project.folder.joinpath("sub").mkdir()
    return project


CHANGES: dict[str, tuple[dict[str, Any], set[str]]] = {
    "command": ({"command": "/bin/cat"}, {"command", "program", "resolvedCommand"}),
    "an argument": ({"args": ("run.sh", "${workspaceFolder}", "c")}, {"args[2]"}),
    "the order of arguments": ({"args": ("run.sh", "b", "${workspaceFolder}")}, {"args[1]", "args[2]"}),
    "one argument more": ({"args": ("run.sh", "${workspaceFolder}", "b", "")}, {"args[3]"}),
    "one argument less": ({"args": ("run.sh", "${workspaceFolder}")}, {"args[2]"}),
    "an argument that looks the same": ({"args": ("run.sh", "${workspaceFolder}", "b\u200b")}, {"args[2]"}),
    "cwd": ({"cwd": "sub", "args": ("../run.sh", "${workspaceFolder}", "b")}, {"cwd", "args[0]"}),
    "a value of env": ({"env": {"A": "2", "B": "${TOKEN}", "C": None}}, {"env.A"}),
    "a name of env": ({"env": {"a": "1", "B": "${TOKEN}", "C": None}}, {"env.A", "env.a"}),
    "a template of env": ({"env": {"A": "1", "B": "x${TOKEN}", "C": None}}, {"env.B"}),
    "what env takes away": ({"env": {"A": "1", "B": "${TOKEN}", "C": ""}}, {"env.C"}),
    "env gone": ({"env": {}}, {"env.A", "env.B", "env.C"}),
    "inheritEnv": ({"inherit_env": ("VSCODE_*",)}, {"inheritEnv"}),
    "envFile": ({"env_file": "run.sh"}, {"envFile"}),
    "no envFile": ({"env_file": None}, {"envFile"}),
    "name": ({"name": "y"}, {"name"}),
    "scope": ({"scope": "user", "folder": None, "cwd": None}, {"scope", "workspace", "cwd", "envFile"}),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_of_what_is_spawned_changes_the_fingerprint_and_is_named(project: Any, what: str) -> None:
    change, fields = CHANGES[what]
    before, after = project.launch(**FIELDS), project.launch(**(FIELDS | change))
    assert fingerprint(before) != fingerprint(after)
    named = {item.field for item in differences(facts(parts(before)), parts(after))}
    assert {name for name in named if not name.startswith("file ")} == fields


REMOTE_CHANGES: dict[str, tuple[dict[str, Any], set[str]]] = {
    "url": ({"url": "https://b.example/mcp?x=1"}, {"url"}),
    "scheme": ({"url": "http://a.example/mcp?x=1"}, {"url"}),
    "query": ({"url": "https://a.example/mcp?x=2"}, {"url"}),
    "header": ({"headers": {"X-A": "2", "Authorization": "Bearer ${TOKEN}"}}, {"headers.X-A"}),
    "header template": ({"headers": {"X-A": "1", "Authorization": "${TOKEN}"}}, {"headers.Authorization"}),
    "one header more": ({"headers": REMOTE["headers"] | {"X-B": "1"}}, {"headers.X-B"}),
    "transport": ({"transport": "sse"}, {"transport"}),
    "client id": ({"oauth": evolve(REMOTE["oauth"], client_id="d")}, {"oauth.client_id"}),
    "client secret": ({"oauth": evolve(REMOTE["oauth"], client_secret="t")}, {"oauth.client_secret"}),
    "scopes": ({"oauth": evolve(REMOTE["oauth"], scopes=("a", "b"))}, {"oauth.scopes"}),
    "callback port": ({"oauth": evolve(REMOTE["oauth"], callback_port=10)}, {"oauth.callback_port"}),
    "oauth gone": (
        {"oauth": None},
        {"oauth.client_id", "oauth.client_secret", "oauth.scopes", "oauth.callback_port"},
    ),
}


@pytest.mark.parametrize("what", REMOTE_CHANGES)
def test_a_change_of_what_is_connected_changes_the_fingerprint_and_is_named(project: Any, what: str) -> None:
    change, fields = REMOTE_CHANGES[what]
    before, after = project.launch(**REMOTE), project.launch(**(REMOTE | change))
    assert fingerprint(before) != fingerprint(after)
    assert {item.field for item in differences(facts(parts(before)), parts(after))} == fields


@pytest.mark.parametrize(
    "change",
    [
        {"timeout_ms": 1},
        {"start_timeout_ms": 1},
        {"disabled": True},
        {"autostart": "onDemand"},
        {"include_tools": ("a",)},
        {"exclude_tools": ("a",)},
        {"env": {"C": None, "B": "${TOKEN}", "A": "1"}},
    ],
)
def test_timeouts_switches_filters_and_key_order_are_not_part_of_it(project: Any, change: dict[str, Any]) -> None:
    assert fingerprint(project.launch(**FIELDS)) == fingerprint(project.launch(**(FIELDS | change)))


def test_a_new_token_of_the_user_does_not_ask_again(project: Any) -> None:
    before = fingerprint(project.launch(**FIELDS)), fingerprint(project.launch(**REMOTE))
    project.environment["TOKEN"] = "another-token"
    project.environment["UNRELATED"] = "x"
    assert before == (fingerprint(project.launch(**FIELDS)), fingerprint(project.launch(**REMOTE)))


def test_a_value_that_reaches_the_arguments_or_the_url_is_part_of_it(project: Any) -> None:
    keys = {"command": "/bin/sh", "args": ("--key=${TOKEN}",)}, {"url": "https://a.example/${TOKEN}"}
    before = [fingerprint(project.launch(**key)) for key in keys]
    shown = [facts(parts(project.launch(**key))) for key in keys]
    project.environment["TOKEN"] = "another-token"
    assert all(old != fingerprint(project.launch(**key)) for old, key in zip(before, keys, strict=True))
    for old, key in zip(shown, keys, strict=True):
        (change,) = differences(old, parts(project.launch(**key)))
        assert "token" not in f"{change.before}{change.after}".replace("TOKEN", "")
        assert change.after.endswith("(with another value)")


@pytest.mark.parametrize(
    "keys",
    [
        {"env": {"NODE_OPTIONS": "${OPTIONS}"}},
        {"env": {"NODE_OPTIONS": "${NOT_SET:-${OPTIONS}}"}},
        {"env": {"NODE_OPTIONS": "${TOKEN}${OPTIONS}"}},
        {"args": ("run.sh", "${OPTIONS}")},
        {"args": ("run.sh", "${OPTIONS}${input:q}")},
        {"env": {"NODE_OPTIONS": "${OPTIONS}${input:q}"}},
        {"cwd": "${OPTIONS}"},
        {"env_file": "${OPTIONS}"},
        {"url": "https://a.example/${OPTIONS}"},
        {"url": "https://a.example/", "headers": {"X": "${OPTIONS}"}},
        {"url": "https://a.example/", "oauth": OAuth(client_id="${OPTIONS}")},
    ],
)
def test_a_value_from_the_projects_own_env_file_is_part_of_it(project: Any, keys: dict[str, Any]) -> None:
    project.write(".env", "OPTIONS=sub\n")
    before = fingerprint(project.launch(**keys))
    assert before == fingerprint(project.launch(**keys))
    project.folder.joinpath("other").mkdir()
    project.write(".env", "OPTIONS=other\n")
    assert before != fingerprint(project.launch(**keys))


def test_a_variable_that_moves_from_the_user_to_the_project_asks_again(project: Any) -> None:
    project.write(".env", "TOKEN=t0ken-of-the-user\n")
    before = fingerprint(project.launch(**FIELDS))
    del project.environment["TOKEN"]
    assert before != fingerprint(project.launch(**FIELDS))


@pytest.mark.parametrize(
    "keys",
    [
        {"args": ("run.sh", "--name=${input:who}")},
        {"env": {"WHO": "${input:who}"}},
        {"url": "https://a.example/${input:who}"},
        {"url": "https://a.example/", "headers": {"X": "${input:who}"}},
        {"url": "https://a.example/", "oauth": OAuth(client_id="${input:who}")},
        {"cwd": "${input:who}", "args": ("/bin/true",)},
    ],
)
def test_the_answer_to_an_input_does_not_void_the_approval(project: Any, keys: dict[str, Any]) -> None:
    before = fingerprint(project.launch(**keys))
    for answer in ("sub", str(project.folder)):
        project.inputs["who"] = answer
        assert fingerprint(project.launch(**keys)) == before


def test_the_content_of_a_file_that_is_named_is_part_of_it(project: Any) -> None:
    before = project.launch(**FIELDS)
    then = parts(before)
    project.write("run.sh", "echo two\n")
    (change,) = differences(facts(then), parts(before))
    assert change.field == "file run.sh"
    assert change.before.startswith("sha256 ")
    assert change.before != change.after


@pytest.mark.parametrize("change", ["touch", "chmod", "rewrite"])
def test_a_file_that_stays_the_same_does_not_ask_again(project: Any, change: str) -> None:
    before = fingerprint(project.launch(**FIELDS))
    if change == "touch":
        os.utime(project.folder / "run.sh", (1, 1))
    elif change == "chmod":
        project.folder.joinpath("run.sh").chmod(0o755)
    else:
        project.folder.joinpath("run.sh").unlink()
        project.write("run.sh", "echo one\n")
    assert fingerprint(project.launch(**FIELDS)) == before


def test_the_content_of_the_env_file_is_part_of_it(project: Any) -> None:
    launch = project.launch(**FIELDS)
    before = fingerprint(launch)
    project.write("vars", "X=2\n")
    assert fingerprint(launch) != before


def test_a_file_that_is_deleted_or_replaced_by_a_link_is_noticed(project: Any) -> None:
    launch = project.launch(**FIELDS)
    before = fingerprint(launch)
    project.write("other.sh", "echo other\n")
    project.folder.joinpath("run.sh").unlink()
    gone = fingerprint(launch)
    project.folder.joinpath("run.sh").symlink_to("other.sh")
    assert len({before, gone, fingerprint(launch)}) == 3


def test_a_command_behind_a_link_is_known_by_where_it_leads(project: Any) -> None:
    link = project.folder / "tool"
    link.symlink_to("/bin/sh")
    before = fingerprint(project.launch(command="./tool"))
    link.unlink()
    link.symlink_to("/bin/cat")
    assert fingerprint(project.launch(command="./tool")) != before


def test_the_same_content_in_another_folder_is_another_launch(project: Any, tmp_path: Path) -> None:
    other = copy.copy(project)
    other.folder = tmp_path / "copy"
    other.folder.mkdir()
    other.write("run.sh", "echo one\n")
    assert fingerprint(project.launch()) != fingerprint(other.launch())


def test_a_folder_behind_a_link_is_the_same_workspace(project: Any, tmp_path: Path) -> None:
    linked = copy.copy(project)
    linked.folder = tmp_path / "link"
    linked.folder.symlink_to(project.folder)
    keys = {"command": "/bin/true"}
    assert fingerprint(project.launch(**keys)) == fingerprint(linked.launch(**keys))


@pytest.mark.parametrize("make", [lambda path: os.mkfifo(path), lambda path: path.mkdir()])
def test_what_is_no_regular_file_is_not_opened(project: Any, make: Callable[[Path], object]) -> None:
    make(project.folder / "pipe")
    launch = project.launch(command="/bin/true", env_file="pipe")
    assert parts(launch)[-1].real[1] == "not a regular file"


def test_a_device_is_not_read() -> None:
    assert file_identity(Path("/dev/zero")) == "not a regular file"
    assert file_identity(Path("/nowhere/at/all")) == "missing"
    assert file_identity(Path("a\0b")) == "unreadable"


def test_a_huge_file_is_known_by_size_and_times(tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    with path.open("wb") as file:
        file.truncate(HASHED_WHOLE + 1)
    before = file_identity(path)
    assert before.startswith(f"{HASHED_WHOLE + 1} bytes")
    with path.open("r+b") as file:
        file.write(b"x")
    os.utime(path, ns=(path.stat().st_atime_ns, 0))
    assert file_identity(path) != before


def test_no_secret_is_kept_with_an_approval(project: Any) -> None:
    project.environment["TOKEN"] = "s3cret-value"
    kept = [
        facts(parts(project.launch(command="/bin/sh", args=("-x", "${TOKEN}"), env={"T": "${TOKEN}"}))),
        facts(
            parts(project.launch(url="https://u:p4ssword@a.example/${TOKEN}", headers={"Authorization": "${TOKEN}"}))
        ),
        facts(parts(project.launch(url="https://a.example", headers={"X-Api-Key": "s3cret-value"}))),
    ]
    assert "s3cret" not in repr(kept)
    assert "p4ssword" not in repr(kept)


TEXT = st.text(st.characters(exclude_characters="\0$", exclude_categories=["Cs"]), max_size=6)


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_other_leaf_of_the_spawned_object_is_another_fingerprint(project: Any, data: st.DataObject) -> None:
    args = tuple(data.draw(st.lists(TEXT, min_size=1, max_size=3)))
    env = data.draw(st.dictionaries(TEXT.filter(bool), TEXT, min_size=1, max_size=3))
    launch = project.launch(command="/bin/true", args=args, env=env)
    which = data.draw(st.sampled_from(["argv", "argv[0]", "env", "cwd", "resolved", "transport", "env_file", "files"]))
    other = data.draw(TEXT.filter(bool))
    index = data.draw(st.integers(1, len(args)))
    name = data.draw(st.sampled_from(sorted(env)))
    changed = {
        "argv": {"argv": (*launch.argv[:index], launch.argv[index] + other, *launch.argv[index + 1 :])},
        "argv[0]": {"argv": (launch.argv[0] + other, *launch.argv[1:])},
        "env": {"env": launch.env | {name: env[name] + other}},
        "cwd": {"cwd": project.folder / "sub"},
        "resolved": {"resolved": Path("/bin/false")},
        "transport": {"transport": "sse"},
        "env_file": {"env_file": project.folder / "vars"},
        "files": {"files": (project.folder / "vars",)},
    }[which]
    assert fingerprint(evolve(launch, **changed)) != fingerprint(launch)

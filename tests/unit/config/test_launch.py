"""What would be started for an entry: the whole of it, and nothing started yet."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from codeagent_lsp.config.document import parse
from codeagent_lsp.config.entries import Entry, read_entries
from codeagent_lsp.config.launch import Launch, prepare, with_env_file
from codeagent_lsp.config.variables import DotEnv, Lookup, Used
from codeagent_lsp.errors import SpawnFailed


class Place:
    """A home, a workspace and a folder of programs on disk."""

    def __init__(self, root: Path) -> None:
        self.home, self.ws, self.bin = root / "home", root / "my ws", root / "bin"
        for folder in (self.home, self.ws, self.bin):
            folder.mkdir()
        self.program("server")
        self.environment = {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.home), "X": "value-of-x"}

    def program(self, name: str, folder: Path | None = None) -> Path:
        path = (folder or self.bin) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        return path

    def entry(self, entry: dict[str, Any], scope: Any = "project") -> Entry:
        document = parse(json.dumps({"mcpServers": {"srv": entry}}))
        folder = self.ws if scope == "project" else None
        entries, problems = read_entries(document, scope, folder, self.ws / ".codeagent" / "mcp.json", "mcpServers")
        assert isinstance(entries[0], Entry), problems
        return entries[0]

    def lookup(self, **more: Any) -> Lookup:
        return Lookup(**{"environment": self.environment, "folder": self.ws, "home": self.home, **more})

    def prepare(self, entry: dict[str, Any], scope: Any = "project", **more: Any) -> Launch:
        return prepare("srv", self.entry(entry, scope), self.lookup(**more))

    def failure(self, entry: dict[str, Any], scope: Any = "project", **more: Any) -> SpawnFailed:
        with pytest.raises(SpawnFailed) as caught:
            self.prepare(entry, scope, **more)
        assert caught.value.server == "srv"
        return caught.value


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


# --- fields ----------------------------------------------------------------------------------------------------------


def test_every_field_of_a_program_is_expanded_and_no_key_is(place: Place) -> None:
    place.program("value-of-x")
    (place.ws / "value-of-x").mkdir()
    launch = place.prepare(
        {
            "command": "${X}",
            "args": ["--k=${X}", "a${X}b${X}", "${workspaceFolder}", "${env:X}", "~/x", "a~b", "$X;$(id)"],
            "env": {"E": "${X}", "${X}": "key"},
            "cwd": "${X}",
            "envFile": "${X}.env",
        }
    )
    assert launch.argv is not None
    assert launch.argv == (
        str(place.bin / "value-of-x"),
        "--k=value-of-x",
        "avalue-of-xbvalue-of-x",
        str(place.ws),
        "value-of-x",
        "~/x",
        "a~b",
        "$X;$(id)",
    )
    assert (launch.env["E"], launch.env["${X}"]) == ("value-of-x", "key")
    assert launch.cwd == place.ws / "value-of-x"
    assert launch.env_file == place.ws / "value-of-x.env"
    assert (launch.command, launch.env_templates) == ("${X}", {"E": "${X}", "${X}": "key"})
    assert launch.used == (Used("X", "environment"), Used("workspaceFolder", "fixed"))


def test_url_and_header_values_are_expanded(place: Place) -> None:
    launch = place.prepare(
        {"url": "http://127.0.0.1:${PORT}/mcp?a=b#x", "headers": {"Authorization": "Bearer ${TOKEN}"}},
        environment={"PORT": "8080", "TOKEN": "t1-secret"},
    )
    assert launch.url == "http://127.0.0.1:8080/mcp?a=b"
    assert launch.headers == {"Authorization": "Bearer t1-secret"}
    assert launch.header_templates == {"Authorization": "Bearer ${TOKEN}"}
    assert (launch.argv, launch.cwd, launch.env) == (None, None, {})


def test_two_servers_can_have_different_values_under_one_name(place: Place) -> None:
    place.environment |= {"W": "work", "H": "home"}
    before = dict(os.environ)
    a = place.prepare({"command": "server", "env": {"GH_TOKEN": "${W}"}})
    b = place.prepare({"command": "server", "env": {"GH_TOKEN": "${H}"}})
    assert (a.env["GH_TOKEN"], b.env["GH_TOKEN"]) == ("work", "home")
    assert dict(os.environ) == before
    assert "GH_TOKEN" not in place.environment


@pytest.mark.parametrize(
    ("entry", "field"),
    [
        ({"command": "${NOPE}"}, "command"),
        ({"command": "server", "args": ["x", "${NOPE}"]}, "args[1]"),
        ({"command": "server", "env": {"K": "${NOPE}"}}, "env.K"),
        ({"command": "server", "cwd": "${NOPE}"}, "cwd"),
        ({"command": "server", "envFile": "${NOPE}"}, "envFile"),
        ({"url": "http://h/${NOPE}"}, "url"),
        ({"url": "http://h", "headers": {"A": "${NOPE}"}}, "headers.A"),
        ({"url": "http://h", "oauth": {"clientSecret": "${NOPE}"}}, "oauth.clientSecret"),
    ],
)
def test_an_unset_variable_fails_the_server_and_names_the_field(
    place: Place, entry: dict[str, Any], field: str
) -> None:
    told = place.failure(entry).text()
    assert told.startswith("srv: ")
    assert "`NOPE`" in told
    assert f"`{field}`" in told
    assert "value-of-x" not in told


def test_env_is_laid_over_the_users_own_and_null_takes_away(place: Place) -> None:
    place.environment |= {"A": "1", "KEEP": "k", "VSCODE_PID": "1", "PYTHONPATH": "/x", "NVIM": "y"}
    launch = place.prepare(
        {"command": "server", "env": {"A": None, "B": "", "C": 8080, "D": True}, "inheritEnv": ["NV*"]}
    )
    assert "A" not in launch.env
    assert (launch.env["B"], launch.env["C"], launch.env["D"], launch.env["KEEP"]) == ("", "8080", "true", "k")
    assert "VSCODE_PID" not in launch.env
    assert "PYTHONPATH" not in launch.env
    assert launch.env["NVIM"] == "y"


# --- command ---------------------------------------------------------------------------------------------------------


def test_the_command_is_looked_up_on_the_path_that_the_child_gets(place: Place, tmp_path: Path) -> None:
    foo = place.program("foo", tmp_path / "b")
    launch = place.prepare({"command": "foo", "env": {"PATH": f"{tmp_path}/b:/usr/bin"}})
    assert launch.argv == (str(foo),)
    assert "foo" in place.failure({"command": "foo"}).message
    assert place.prepare({"command": "foo", "env": {"PATH": f"{tmp_path}/b:${{PATH}}"}}).argv == (str(foo),)


def test_a_program_of_the_workspace_is_never_found_by_its_bare_name(place: Place) -> None:
    place.program("npx", place.ws)
    place.program("npx", place.ws / "node_modules" / ".bin")
    real = place.program("npx")
    for first in ("", ".", f"{place.ws}/node_modules/.bin", f"{place.ws}"):
        path = f"{first}:{place.bin}"
        for scope in ("project", "user"):
            entry = {"command": "npx", "env": {"PATH": path}}
            assert place.prepare(entry, scope).argv == (str(real),)
            assert place.prepare({"command": "npx"}, scope, environment={"PATH": path}).argv == (str(real),)


def test_other_open_folders_are_workspace_too(place: Place, tmp_path: Path) -> None:
    evil = place.program("npx", tmp_path / "other")
    entry = {"command": "npx", "env": {"PATH": f"{evil.parent}"}}
    assert place.prepare(entry).argv == (str(evil),)
    assert "npx" in place.failure(entry, workspace=(tmp_path / "other",)).message


def test_with_the_home_open_as_a_folder_the_users_programs_are_still_found(place: Place) -> None:
    mine = place.program("tool", place.home / ".local" / "bin")
    environment = {"PATH": str(mine.parent)}
    launch = place.prepare({"command": "tool"}, "user", folder=place.home, environment=environment)
    assert launch.argv == (str(mine),)


def test_a_program_of_the_workspace_can_be_named_by_its_path(place: Place) -> None:
    path = place.program("run", place.ws / "bin")
    for command in ("./bin/run", "bin/run", "${workspaceFolder}/bin/run", str(path)):
        launch = place.prepare({"command": command})
        assert launch.argv == (str(path),)
        assert launch.files == (path,)
    launch = place.prepare({"command": "./run", "cwd": "${workspaceFolder}/bin"})
    assert launch.argv == (str(path),)


def test_argv_keeps_the_link_and_resolved_has_the_program(place: Place) -> None:
    busybox = place.program("busybox")
    (place.bin / "ls").symlink_to(busybox)
    launch = place.prepare({"command": "ls"})
    assert launch.argv == (str(place.bin / "ls"),)
    assert launch.resolved == busybox


def test_the_home_is_put_in_for_a_tilde_at_the_start_of_command_and_cwd(place: Place) -> None:
    path = place.program("s", place.home / "bin")
    launch = place.prepare({"command": "~/bin/s", "cwd": "~", "args": ["~/x", "~"]})
    assert launch.argv == (str(path), "~/x", "~")
    assert launch.cwd == place.home
    assert place.prepare({"command": "~/bin/s", "cwd": "~/bin"}).cwd == place.home / "bin"
    assert "~root" in place.failure({"command": "~root/x"}).message


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"command": "no-such-cmd"}, ["`no-such-cmd` was not found", "Searched PATH", "/usr/bin", "desktop"]),
        ({"command": "/nonexistent/x"}, ["`/nonexistent/x` does not exist"]),
        ({"command": "/etc/passwd"}, ["`/etc/passwd` is not executable"]),
        ({"command": "/usr"}, ["`/usr` is a folder"]),
        ({"command": "server", "cwd": "/nonexistent"}, ["working directory `/nonexistent` does not exist", "`cwd`"]),
        ({"command": "server", "cwd": "/etc/passwd"}, ["working directory `/etc/passwd` is not a folder"]),
        ({"command": "no-such-cmd", "cwd": "/nonexistent"}, ["working directory"]),
        ({"command": "${EMPTY:-}"}, ["the command is empty"]),
        ({"command": "C:\\Program Files\\x.cmd"}, ["was not found", "path of Windows"]),
        ({"command": "server", "args": ["${NUL}"]}, ["`args[0]` holds a NUL"]),
    ],
)
def test_what_cannot_be_started_says_which_part_of_it_is_wrong(
    place: Place, entry: dict[str, Any], words: list[str]
) -> None:
    place.environment["NUL"] = "a\0b"
    told = place.failure(entry).text()
    assert all(word in told for word in words), told


def test_without_path_the_systems_default_is_searched(place: Place) -> None:
    assert place.prepare({"command": "sh"}, environment={}).argv is not None
    assert place.prepare({"command": "sh", "env": {"PATH": None}}).argv is not None


def test_a_switch_is_nothing_to_start(place: Place) -> None:
    assert "only disables" in place.failure({"disabled": True}).message


# --- working directory, files ----------------------------------------------------------------------------------------


def test_the_working_directory_is_the_folder_or_the_home(place: Place) -> None:
    (place.ws / "sub").mkdir()
    (place.home / "sub").mkdir()
    assert place.prepare({"command": "server"}).cwd == place.ws
    assert place.prepare({"command": "server"}, "user").cwd == place.home
    assert place.prepare({"command": "server", "cwd": "sub"}).cwd == place.ws / "sub"
    assert place.prepare({"command": "server", "cwd": "sub"}, "user").cwd == place.home / "sub"


def test_files_of_the_workspace_that_the_command_line_names_are_listed(place: Place, tmp_path: Path) -> None:
    for name in ("s.py", "conf.json", "deep/x.js", "rsp", "named=1", "with space.txt"):
        (place.ws / name).parent.mkdir(exist_ok=True)
        (place.ws / name).write_text("x")
    (tmp_path / "outside.py").write_text("x")
    (place.ws / "out").symlink_to(tmp_path / "outside.py")
    (tmp_path / "in").symlink_to(place.ws / "s.py")
    (place.ws / "dir").mkdir()
    os.mkfifo(place.ws / "pipe")
    args = ["s.py", "--config=conf.json", "./deep/../deep/x.js", "@rsp", "named=1", "with space.txt", "dir", "pipe",
            "missing.py", str(tmp_path / "outside.py"), "out", str(tmp_path / "in"), "-", "", "s.py", "x" * 5000,
            f"{place.ws}/conf.json", "a\nb", "--", "file://" + str(place.ws / "s.py")]  # fmt: skip
    launch = place.prepare({"command": "server", "args": args})
    names = ("s.py", "conf.json", "deep/x.js", "rsp", "named=1", "with space.txt", "out")
    expected = {place.ws / name for name in names}
    assert set(launch.files) == expected | {tmp_path / "in"}
    assert len(launch.files) == len(set(launch.files))


def test_relative_files_are_those_of_the_working_directory(place: Place) -> None:
    (place.ws / "sub").mkdir()
    (place.ws / "s.py").write_text("x")
    (place.ws / "sub" / "s.py").write_text("x")
    launch = place.prepare({"command": "server", "args": ["s.py"], "cwd": "sub"})
    assert launch.files == (place.ws / "sub" / "s.py",)


def test_a_users_server_lists_files_of_the_open_workspace_too(place: Place) -> None:
    (place.ws / "s.py").write_text("x")
    launch = place.prepare({"command": "server", "args": ["${workspaceFolder}/s.py"]}, "user")
    assert launch.files == (place.ws / "s.py",)


# --- inputs ----------------------------------------------------------------------------------------------------------


def test_unanswered_inputs_are_collected_from_every_field(place: Place) -> None:
    entry = {"command": "server", "args": ["${input:a}"], "env": {"B": "${input:b}"}, "cwd": "${input:c}"}
    launch = place.prepare(entry)
    assert set(launch.inputs) == {"a", "b", "c"}
    assert launch.argv == (str(place.bin / "server"), "${input:a}")
    launch = place.prepare({"command": "${input:cmd}"})
    assert (launch.inputs, launch.argv, launch.resolved) == (("cmd",), None, None)
    launch = place.prepare({"url": "${input:url}", "headers": {"A": "${input:t}"}})
    assert launch.inputs == ("url", "t")


def test_answered_inputs_are_put_in_and_are_secrets(place: Place) -> None:
    launch = place.prepare({"url": "http://h", "headers": {"A": "Bearer ${input:t}"}}, inputs={"t": "answer-secret\n"})
    assert (launch.inputs, launch.headers) == ((), {"A": "Bearer answer-secret"})
    assert "answer-secret" in launch.secrets


# --- remote ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "words"),
    [("a\nsecret", "line break"), ("a\r\nX: secret", "line break"), ("é-secret", "ASCII"), ("\x01secret", "control")],
)
def test_a_header_that_is_spoilt_by_its_variable_fails_by_name(place: Place, value: str, words: str) -> None:
    told = place.failure({"url": "http://h", "headers": {"A": "Bearer ${T}"}}, environment={"T": value}).text()
    assert "`A`" in told
    assert words in told
    assert "secret" not in told


def test_the_line_end_of_a_pasted_secret_is_trimmed(place: Place) -> None:
    launch = place.prepare({"url": "http://h", "headers": {"A": "Bearer ${T}"}}, environment={"T": "token-1\r\n"})
    assert launch.headers == {"A": "Bearer token-1"}


@pytest.mark.parametrize("url", ["ftp://h", "${E}", "http://", "nothing", "http://h o", "http://h/\\x", "http://h:x"])
def test_a_url_that_is_no_good_once_expanded_fails_without_being_repeated(place: Place, url: str) -> None:
    told = place.failure({"url": "${URL}"}, environment={"URL": url, "E": ""})
    assert "`url`" in told.message
    assert url not in told.message.replace("http://", "", 1) or len(url) < 8


def test_oauth_values_are_expanded(place: Place) -> None:
    launch = place.prepare(
        {"url": "http://h", "oauth": {"clientId": "${ID}", "clientSecret": "${S}", "scopes": ["a"]}},
        environment={"ID": "client-1", "S": "secret-1"},
    )
    assert launch.oauth is not None
    assert (launch.oauth.client_id, launch.oauth.client_secret) == ("client-1", "secret-1")
    assert "secret-1" in launch.secrets


# --- secrets ---------------------------------------------------------------------------------------------------------


def test_values_that_no_log_may_show_are_gathered(place: Place) -> None:
    place.environment |= {"TOKEN": "token-of-env", "SHORT": "abc", "LINES": "-----BEGIN\nline-two-of-key\n"}
    stdio = place.prepare(
        {
            "command": "server",
            "args": ["${workspaceFolder}", "${TOKEN}", "${SHORT}", "${NOPE:-default-value}"],
            "env": {"API_KEY": "literal-key-1", "DEBUG": "literal-plain", "L": "${LINES}", "P": "${HOME}"},
        }
    )
    assert {"token-of-env", "literal-key-1", "line-two-of-key"} <= stdio.secrets
    for plain in ("abc", str(place.ws), str(place.home), "default-value", "literal-plain"):
        assert plain not in stdio.secrets
    remote = place.prepare(
        {
            "url": "https://user:p%40ssword@h/mcp?api_key=query-secret&page=second-page",
            "headers": {"Authorization": "Bearer literal-token", "X-Plain": "plain-header", "X-Var": "v ${TOKEN}"},
        }
    )
    assert {"p%40ssword", "p@ssword", "query-secret", "literal-token", "Bearer literal-token"} <= remote.secrets
    assert {"v token-of-env", "token-of-env"} <= remote.secrets
    for plain in ("plain-header", "second-page", "user"):
        assert plain not in remote.secrets
    assert all(len(secret) >= 6 for secret in stdio.secrets | remote.secrets)


# --- who sees what ---------------------------------------------------------------------------------------------------


def test_only_a_projects_entry_sees_the_projects_dotenv(place: Place) -> None:
    (place.ws / ".env").write_text("V=from-project\n")
    (place.home / ".env").write_text("V=from-home\n")
    more = {"project_env": DotEnv.of_project(place.ws), "user_env": DotEnv.of_user(place.home)}
    entry = {"command": "server", "env": {"V": "${V}"}}
    assert place.prepare(entry, "project", **more).env["V"] == "from-project"
    assert place.prepare(entry, "user", **more).env["V"] == "from-home"
    assert "V" not in place.prepare({"command": "server"}, **more).env


def test_nothing_is_opened_run_or_connected_while_a_launch_is_made(place: Place) -> None:
    os.mkfifo(place.ws / "pipe.env")
    (place.ws / "s.py").write_text("x")
    seen: list[str] = []
    active = True

    def audit(event: str, _: object) -> None:
        if active and event in {"open", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.fork", "socket.connect",
                                "socket.getaddrinfo", "webbrowser.open"}:  # fmt: skip
            seen.append(event)

    sys.addaudithook(audit)
    stdio = place.prepare({"command": "server", "args": ["s.py"], "envFile": "pipe.env"})
    place.prepare({"url": "http://user:pass@127.0.0.1:9/${X}", "oauth": {}})
    active = False
    assert seen == []
    assert stdio.env_file == place.ws / "pipe.env"


# --- envFile ---------------------------------------------------------------------------------------------------------


def test_env_file_is_read_on_demand_and_env_wins_over_it(place: Place) -> None:
    (place.ws / "x.env").write_text("A=file\nB=file\nX=file\nC=${X}\nGONE=file\nAPI_TOKEN=file-token\nMODE=long-mode\n")
    entry = {"command": "server", "envFile": "x.env", "env": {"A": "env", "GONE": None}}
    launch = place.prepare(entry)
    assert "B" not in launch.env
    full = with_env_file(launch)
    assert {name: full.env.get(name) for name in ("A", "B", "X", "C", "GONE")} == {
        "A": "env",
        "B": "file",
        "X": "file",
        "C": "${X}",
        "GONE": None,
    }
    assert "file-token" in full.secrets
    assert "long-mode" not in full.secrets
    assert "B" not in launch.env


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "does not exist"),
        (lambda path: path.mkdir(), "is a folder"),
        (os.mkfifo, "pipe"),
        (lambda path: path.write_bytes(b"A=\xff"), "UTF-8"),
        (lambda path: path.write_bytes(b"A" * (2 * 1024 * 1024)), "1 MiB"),
    ],
    ids=["missing", "folder", "pipe", "latin-1", "large"],
)
def test_an_env_file_that_cannot_be_read_fails_the_server_by_name(place: Place, make: Any, words: str) -> None:
    make(place.ws / "x.env")
    with pytest.raises(SpawnFailed) as caught:
        with_env_file(place.prepare({"command": "server", "envFile": "x.env"}))
    assert words in caught.value.text()
    assert str(place.ws / "x.env") in caught.value.text()


def test_a_launch_without_env_file_stays_what_it_is(place: Place) -> None:
    launch = place.prepare({"command": "server"})
    assert with_env_file(launch) is launch


def test_env_file_is_found_from_the_home_too(place: Place) -> None:
    launch = place.prepare({"command": "server", "envFile": "~/x.env"})
    assert launch.env_file == place.home / "x.env"
    assert place.prepare({"command": "server", "envFile": "x.env"}, "user").env_file == place.home / "x.env"


def test_equal_entries_and_surroundings_give_equal_launches(place: Place) -> None:
    entry = {"command": "server", "args": ["${X}"], "env": {"A": "b"}}
    assert place.prepare(entry) == place.prepare(entry)
    before = place.prepare(entry)
    place.environment["X"] = "other"
    assert place.prepare(entry) != before


def test_a_projects_entry_is_expanded_for_its_own_folder(place: Place, tmp_path: Path) -> None:
    launch = place.prepare({"command": "server", "args": ["${workspaceFolder}"]}, folder=tmp_path / "first")
    assert launch.argv == (str(place.bin / "server"), str(place.ws))
    assert launch.cwd == place.ws


def test_every_text_with_variables_has_the_name_that_messages_use(place: Place) -> None:
    entry = place.entry({"command": "a", "args": ["b"], "env": {"C": "c", "N": None}, "cwd": "d", "envFile": "e"})
    assert entry.texts() == {"command": "a", "args[0]": "b", "env.C": "c", "cwd": "d", "envFile": "e"}
    entry = place.entry({"url": "http://h", "headers": {"A": "b"}, "oauth": {"clientSecret": "s"}})
    assert entry.texts() == {"url": "http://h", "headers.A": "b", "oauth.clientSecret": "s"}

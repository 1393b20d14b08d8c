"""Variables: every form, where they are looked up, and what is plain text."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeagent_lsp.config.document import Span
from codeagent_lsp.config.templates import plain_braces, references
from codeagent_lsp.config.variables import DotEnv, Expanded, Lookup, Used, expand, parse_dotenv
from codeagent_lsp.errors import SpawnFailed

ENVIRONMENT = {"X": "val", "USER": "bob", "HOME": "/home/bob", "A": "${B}", "B": "b", "EMPTY": "", "S": "a b;$(id)"}


def lookup(**more: Any) -> Lookup:
    return Lookup(**{"environment": ENVIRONMENT, "folder": Path("/my ws"), "home": Path("/home/bob"), **more})


def expanded(template: str, **more: Any) -> Expanded:
    return expand(template, lookup(**more), server="srv", field="env.K")


def text(template: str, **more: Any) -> str:
    return expanded(template, **more).text


@pytest.mark.parametrize(
    ("template", "result"),
    [
        ("${X}", "val"),
        ("--k=${X}", "--k=val"),
        ("a${X}b${X}", "avalbval"),
        ("${env:X}", "val"),
        ("${X:-no}", "val"),
        ("${NOPE:-yes}", "yes"),
        ("${env:NOPE:-yes}", "yes"),
        ("${NOPE:-}", ""),
        ("${NOPE:-a b:-c}", "a b:-c"),
        ("${NOPE:-${X}}", "val"),
        ("${NOPE:-<${X}>${B}}", "<val>b"),
        ("${NOPE:-${NADA:-${X}}}", "val"),
        ("${NOPE:-${NADA:-${NIX:-deep}}}", "deep"),
        ("${NOPE:-{}", "{"),
        ("${NOPE:-$HOME}", "$HOME"),
        ("${X:-${NADA}}", "val"),
        ("${EMPTY}", ""),
        ("${EMPTY:-full}", "full"),
        ("${A}", "${B}"),
        ("${NOPE:-${A}}", "${B}"),
        ("${S}", "a b;$(id)"),
        ("${workspaceFolder}", "/my ws"),
        ("${workspaceFolder}/x;$(id)", "/my ws/x;$(id)"),
        ("${workspaceFolderBasename}", "my ws"),
        ("${userHome}${pathSeparator}x", f"/home/bob{os.sep}x"),
        ("${X}${pathSeparator}${X}", f"val{os.sep}val"),
        ("ü${X}😀", "üval😀"),
    ],
)
def test_every_form_is_expanded_once(template: str, result: str) -> None:
    assert text(template) == result


@pytest.mark.parametrize(
    "template",
    ["", "S3cret$USER!", "a$HOME/b", "$1$xyz$ab", "cost $5", "$", "$$", "${", "${}", "${ }", "${1A}", "${1}", "$${X}",
     "$$${X}", "$$", "${X", "${X:-", "a}b", "}{", "$(id)", "`id`", "%USER%", "{env:X}", "$X", "${ X }", "${a b}",
     "${ä}", "$ {X}", "${\n}", "a\\${", "${'X'}", "~/x", "$env:X", "{{X}}", "<X>", "$USER$", "${$", "$}", "${.}"],
)  # fmt: skip
def test_what_is_no_variable_stays_as_it_is(template: str) -> None:
    result = expanded(template)
    assert (result.text, result.used) == (template, ())


@pytest.mark.parametrize(
    "form",
    ["${command:pick}", "${config:a.b}", "${cmd: date}", "${file:/etc/passwd}", "${keyring:x}", "${X:=y}", "${X:?y}",
     "${X:+y}", "${X-y}", "${X=y}", "${X%y}", "${X#y}", "${X/y/z}", "${X@Q}", "${env:}", "${env:1A}", "${env:A B}",
     "${input:}", "${input:a b}", "${workspaceFolder:other}", "${/}", "${env:X:y}", "${X[0]}", "${X!}", "${NOPE:y}",
     "${selectedText:x}", "${netrc:h}"],
)  # fmt: skip
def test_another_tools_form_fails_by_name_and_is_never_passed_on(form: str) -> None:
    with pytest.raises(SpawnFailed) as caught:
        text(f"a{form}b")
    assert form in caught.value.message
    assert caught.value.server == "srv"
    assert "env.K" in caught.value.message


def test_an_unset_variable_fails_with_its_name_server_field_and_where_we_looked(tmp_path: Path) -> None:
    project = DotEnv.of_project(tmp_path)
    with pytest.raises(SpawnFailed) as caught:
        expand("${SECRET}${NOPE}", lookup(environment={"SECRET": "hunter22"}, project_env=project), server="srv",
               field="env.K")  # fmt: skip
    told = caught.value.text()
    for word in ("`NOPE`", "srv", "env.K", "environment of this process", "editor", f"{tmp_path}/.env", "~/.env",
                 "${NOPE:-", "desktop"):  # fmt: skip
        assert word in told
    assert "hunter22" not in told


def test_lookup_goes_from_the_process_to_the_editor_to_the_project_to_the_user() -> None:
    layers = {"environment": {}, "editor": {}, "project_env": {}, "user_env": {}}
    found: list[tuple[str, Used]] = []
    for place in reversed(layers):
        layers[place] = {"V": place}
        result = expanded("${V}", **layers)
        found.append((result.text, result.used[0]))
    assert found == [
        ("user_env", Used("V", "user")),
        ("project_env", Used("V", "project")),
        ("editor", Used("V", "editor")),
        ("environment", Used("V", "environment")),
    ]


def test_an_empty_value_is_a_value_and_hides_the_later_ones() -> None:
    assert text("<${V}>", environment={"V": ""}, user_env={"V": "x"}) == "<>"


def test_a_users_entry_does_not_see_the_projects_variables() -> None:
    wide = lookup(project_env={"V": "theirs"})
    assert expand("${V}", wide, server="s", field="f").text == "theirs"
    with pytest.raises(SpawnFailed):
        expand("${V}", wide.for_user_entry(), server="s", field="f")


def test_what_was_used_is_told_in_order_and_once() -> None:
    result = expanded("${X}${workspaceFolder}${NOPE:-${B}}${X}${input:t}", inputs={"t": "tok"})
    assert result.used == (
        Used("X", "environment"),
        Used("workspaceFolder", "fixed"),
        Used("NOPE", "default"),
        Used("B", "environment"),
        Used("t", "input"),
    )
    assert result.values == {"val", "b", "tok"}


def test_paths_that_everything_begins_with_are_no_secrets() -> None:
    assert expanded("${HOME}/${USER}/${PATH:-x}").values == frozenset()


def test_an_input_that_nobody_answered_is_collected_and_left_in_place() -> None:
    result = expanded("Bearer ${input:tok}, ${input:other}, ${input:tok}", inputs={"other": "o"})
    assert result.text == "Bearer ${input:tok}, o, ${input:tok}"
    assert result.inputs == ("tok",)
    assert expanded("${input:a-b.c_1}").inputs == ("a-b.c_1",)


def test_without_a_folder_its_variables_fail_and_their_default_counts() -> None:
    with pytest.raises(SpawnFailed, match="open folder"):
        text("${workspaceFolder}", folder=None)
    with pytest.raises(SpawnFailed, match="open folder"):
        text("${workspaceFolderBasename}", folder=None)
    assert text("${userHome}", folder=None) == "/home/bob"
    assert text("${workspaceFolder:-/x}", folder=None) == "/x"
    assert text("${workspaceFolder:-/x}") == "/my ws"


def test_a_variable_that_is_called_like_a_fixed_one_is_reached_by_env() -> None:
    assert text("${env:userHome}", environment={"userHome": "mine"}) == "mine"
    assert text("${userHome}", environment={"userHome": "mine"}) == "/home/bob"


def test_defaults_nest_twenty_levels_and_no_further() -> None:
    assert text("${N:-" * 20 + "x" + "}" * 20) == "x"
    with pytest.raises(SpawnFailed, match="deeper than 20"):
        text("${N:-" * 5000 + "x" + "}" * 5000)


@pytest.mark.parametrize("template", ["${X:-" * 100_000, "${" * 300_000, "}" * 500_000, "${X}" * 20_000, "$" * 500_000])
def test_a_long_text_takes_time_that_grows_with_its_length_only(template: str) -> None:
    start = time.monotonic()
    text(template)
    assert time.monotonic() - start < 8


pieces = st.lists(
    st.sampled_from(["${", "}", "$", "X", "NOPE", ":-", "env:", "input:", "a", " ", "{", "1"]), max_size=14
)


@settings(max_examples=200, deadline=None)
@given(pieces.map("".join))
def test_any_text_expands_or_fails_by_name(template: str) -> None:
    try:
        result = expanded(template)
    except SpawnFailed as failure:
        assert failure.server == "srv"
    else:
        assert "$" in template or result.text == template


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=30))
def test_values_are_never_expanded_again(value: str) -> None:
    assert text("<${V}>", environment={"V": value}) == f"<{value}>"
    assert text("<${NOPE:-${V}}>", environment={"V": value}) == f"<{value}>"


# --- references, for the editor --------------------------------------------------------------------------------------


def test_references_have_their_places() -> None:
    template = "a ${X} $${Y} ${Z:-${W}} ${command:c}"
    found = references(template)
    assert [template[r.span.start : r.span.end] for r in found] == ["${X}", "${Z:-${W}}", "${command:c}"]
    assert [(r.kind, r.name) for r in found] == [("variable", "X"), ("variable", "Z"), ("unknown", "command:c")]
    default = found[1].default
    assert default is not None
    assert [r.name for r in references(template, default)] == ["W"]
    assert references("${A}${B}", Span(4, 8))[0].name == "B"


def test_braces_that_look_like_a_variable_and_are_none_are_found() -> None:
    assert plain_braces("${} ${1A} ${X} $${Y} ${NOPE:-${2}} ${") == ("${}", "${1A}", "${")


# --- .env files ------------------------------------------------------------------------------------------------------


def test_dotenv_values_are_read_as_written() -> None:
    read = parse_dotenv(
        'A=1\nexport B = two words \nC=\'$HOME ${X}\'\nD="a\\nb"\nE=${A}\n# F=1\nG\nH=\nI=a # b\nJ="unclosed\nK=k\n'
    )
    assert {name: read[name] for name in "ABCDEHI"} == {
        "A": "1",
        "B": "two words",
        "C": "$HOME ${X}",
        "D": "a\nb",
        "E": "${A}",
        "H": "",
        "I": "a",
    }
    assert "F" not in read
    assert "G" not in read


def test_a_dotenv_file_is_read_when_it_is_needed_and_never_into_our_process(tmp_path: Path) -> None:
    before = dict(os.environ)
    project, user = DotEnv.of_project(tmp_path), DotEnv.of_user(tmp_path)
    (tmp_path / ".env").write_text("ONLY_HERE=${ONLY_HERE}x\nCODEAGENT_HOME=/evil\nPATH=/evil\n")
    assert text("${X}", project_env=project) == "val"
    assert expanded("${ONLY_HERE}", project_env=project).used == (Used("ONLY_HERE", "project"),)
    assert expanded("${ONLY_HERE}", user_env=user).used == (Used("ONLY_HERE", "user"),)
    assert text("${ONLY_HERE}", user_env=user) == "${ONLY_HERE}x"
    assert dict(os.environ) == before
    assert len(user) == len(list(user)) == 3


def test_a_projects_dotenv_is_read_as_carefully_as_its_config(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("T=t")
    folder = tmp_path / "ws"
    folder.mkdir()
    (folder / ".env").symlink_to(secret)
    with pytest.raises(SpawnFailed, match="symbolic link"):
        text("${T}", project_env=DotEnv.of_project(folder))
    (folder / ".env").unlink()
    os.mkfifo(folder / ".env")
    with pytest.raises(SpawnFailed, match="pipe"):
        text("${T}", project_env=DotEnv.of_project(folder))
    (tmp_path / ".env").symlink_to(secret)
    assert text("${T}", user_env=DotEnv.of_user(tmp_path)) == "t"


def test_the_process_wins_over_a_projects_dotenv() -> None:
    assert text("${X}", project_env={"X": "theirs"}) == "val"

"""The question shows what would run: whole, one argument a line, nothing hidden, no secret."""

import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codeagent_lsp.config.entry import OAuth
from codeagent_lsp.errors import Untrusted
from codeagent_lsp.policy.question import MAX_QUESTION, launch_question, question_text
from codeagent_lsp.policy.store import Store
from codeagent_lsp.policy.trust import TrustGate
from codeagent_lsp.protocol import NamedValue
from codeagent_lsp.protocol.wire import dump, read


@pytest.fixture
def gate(store: Store) -> TrustGate:
    return TrustGate(store, folder_trusted=lambda _: True)


def test_everything_that_would_run_is_shown(project: Any, gate: TrustGate) -> None:
    project.environment["TOKEN"] = "t0ken!"
    project.write("run.sh", "echo\n")
    project.write("vars", "A=1\n")
    launch = project.launch(
        command="/bin/sh",
        args=("run.sh", "two words", "", "'quoted'", "${workspaceFolder}", "${TOKEN}"),
        env={"A": "1", "T": "Bearer ${TOKEN}", "GONE": None},
        env_file="vars",
    )
    question = gate.question(launch)
    folder = str(project.folder)
    assert question.argv == ["/bin/sh", "run.sh", "two words", "", "'quoted'", folder, "${TOKEN}"]
    assert question.resolved_command == str(Path("/bin/sh").resolve())
    assert question.cwd == question.folder == folder
    assert question.env == [
        NamedValue("A", "1"),
        NamedValue("T", "Bearer ${TOKEN}"),
        NamedValue("GONE", "(taken away)"),
    ]
    assert question.files == [f"{folder}/run.sh", f"{folder}/vars"]
    assert question.config_uri == f"file://{folder}/.codeagent/mcp.json"
    assert (question.server, question.name, question.transport) == ("x", "x", "stdio")
    assert question.fingerprint == gate.fingerprint(launch)
    assert (question.url, question.headers, question.changed) == (None, None, None)
    assert read(dump(question), type(question)) == question


def test_everything_that_would_be_connected_is_shown(project: Any, gate: TrustGate) -> None:
    project.environment |= {"TOKEN": "t0ken!", "PORT": "99"}
    launch = project.launch(
        url="https://u:p4ss@a.example:${PORT}/mcp",
        headers={"Authorization": "Bearer ${TOKEN}", "X-Api-Key": "pl41n", "X-A": "1"},
    )
    question = gate.question(launch)
    assert question.url == "https://u:[redacted]@a.example:99/mcp"
    assert question.headers == [
        NamedValue("Authorization", "Bearer ${TOKEN}"),
        NamedValue("X-Api-Key", "[redacted]"),
        NamedValue("X-A", "1"),
    ]
    assert (question.argv, question.env, question.resolved_command, question.cwd) == (None, None, None, None)


@pytest.mark.parametrize(
    "keys",
    [
        {"command": "/bin/sh", "args": ("--key=${TOKEN}",)},
        {"command": "/bin/sh", "args": ("--key=${NOT_SET:-${TOKEN}}",)},
        {"command": "/bin/sh", "env": {"A": "${TOKEN}", "B": "x${TOKEN}y"}},
        {"command": "/bin/sh", "env": {"API_KEY": "s3cret"}},
        {"command": "/bin/sh", "env": {"DB": "postgres://u:s3cret@h/d"}},
        {"command": "/bin/sh", "args": ("${input:key}",)},
        {"url": "https://a.example/${TOKEN}"},
        {"url": "https://a.example/?api_key=s3cret"},
        {"url": "https://u:${TOKEN}@a.example/"},
        {"url": "https://u:s3cret@a.example/${TOKEN}"},
        {"url": "https://a.example/", "headers": {"Cookie": "s3cret"}},
        {"url": "https://a.example/", "oauth": OAuth(client_id="a", client_secret="s3cret")},
    ],
)
def test_no_secret_is_in_the_question_or_its_difference(project: Any, gate: TrustGate, keys: dict[str, Any]) -> None:
    project.environment["TOKEN"] = "s3cret"
    project.inputs["key"] = "s3cret"
    launch = project.launch(**keys)
    gate.decide(launch, gate.fingerprint(launch), "session")
    question = gate.question(evolve(launch, argv=("/bin/cat",), url="https://b.example"))
    assert question.changed
    for text in (repr(gate.question(launch)), repr(question), question_text(question)):
        assert "s3cret" not in text


def test_what_a_loader_variable_says_is_shown_whole(project: Any, gate: TrustGate) -> None:
    env = {"GIT_CONFIG_KEY_0": "core.sshCommand", "NODE_OPTIONS": "--require ./token.js"}
    shown = {item.name: item.value for item in gate.question(project.launch(command="/bin/sh", env=env)).env or []}
    assert shown == env


def test_a_value_of_the_projects_own_env_file_is_shown_where_it_runs(project: Any, gate: TrustGate) -> None:
    project.write(".env", "WHAT=-c evil\n")
    question = gate.question(project.launch(command="/bin/sh", args=("${WHAT}",)))
    assert question.argv == ["/bin/sh", "-c evil"]
    assert any("`WHAT`" in warning and ".env" in warning for warning in question.warnings)


HOSTILE = {
    "override": ("a\u202eb", r"a\u{202E}b"),
    "isolate": ("a\u2066b\u2069", r"a\u{2066}b\u{2069}"),
    "zero width": ("a\u200bb\u200c\u200d\u2060\ufeff", r"a\u{200B}b\u{200C}\u{200D}\u{2060}\u{FEFF}"),
    "soft hyphen": ("a\u00adb", r"a\u{AD}b"),
    "tags": ("\U000e0041\U000e007f", r"\u{E0041}\u{E007F}"),
    "flag with tags": ("🏴\U000e0067\U000e007f", r"🏴\u{E0067}\u{E007F}"),
    "escape": ("\x1b[8m", r"\u{1B}[8m"),
    "8-bit CSI": ("\x9b8m", r"\u{9B}8m"),
    "OSC 52": ("\x1b]52;c;x\x07", r"\u{1B}]52;c;x\u{7}"),
    "newline": ("a\nb", r"a\u{A}b"),
    "carriage return": ("a\rb", r"a\u{D}b"),
    "tab": ("a\tb", r"a\u{9}b"),
    "NEL": ("a\x85b", r"a\u{85}b"),
    "line separator": ("a\u2028b\u2029", r"a\u{2028}b\u{2029}"),
    "no-break space": ("a\u00a0b", r"a\u{A0}b"),
    "wide space": ("a\u3000b", r"a\u{3000}b"),
    "Hangul filler": ("a\u3164b\u115f\uffa0", r"a\u{3164}b\u{115F}\u{FFA0}"),
    "Braille blank": ("a\u2800b", r"a\u{2800}b"),
    "variation selector": ("a\ufe00b\U000e0100", r"a\u{FE00}b\u{E0100}"),
    "Mongolian selector": ("a\u180bb", r"a\u{180B}b"),
    "grapheme joiner": ("a\u034fb", r"a\u{34F}b"),
    "invisible plus": ("a\u2064b", r"a\u{2064}b"),
    "private use": ("\ue000", r"\u{E000}"),
    "noncharacter": ("\ufffe", r"\u{FFFE}"),
    "unassigned": ("\u0378", r"\u{378}"),
    "lone surrogate": ("\ud800", r"\u{D800}"),
    "DEL": ("\x7f", r"\u{7F}"),
    "many blanks": ("a" + " " * 5_000 + "b", "a ·×5000 b"),
    "many tabs": ("a" + "\t" * 200 + "b", "a ·×200 b"),
    "many lines": ("a" + "\n" * 10_000 + "b", "a ·×10000 b"),
    "eight blanks": ("a" + " " * 8 + "b", "a" + " " * 8 + "b"),
    "format strings": ("%s{0}${1:x}$(sync)", "%s{0}${1:x}$(sync)"),
    "Markdown": ("](command:x)<img src>" + "`" * 50, "](command:x)<img src>" + "`" * 50),
    "our own words": ("Approved ✓\nFingerprint: 0", r"Approved ✓\u{A}Fingerprint: 0"),
    "emoji": ("👩‍👩‍👧 ❤️ 👍🏽", "👩‍👩‍👧 ❤️ 👍🏽"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hidden_characters_are_visible_wherever_they_stand(project: Any, gate: TrustGate, what: str) -> None:
    text, shown = HOSTILE[what]
    launch = project.launch(command="/bin/true", args=("x",), env={"A": "x"})
    argv, url = ("/bin/true", text), f"https://a.example/{text}"
    entry = evolve(launch.entry, name=text, args=(text,))
    hostile = evolve(launch, entry=entry, argv=argv, cwd=None, resolved=None, env_templates={text: text}, url=url)
    question = gate.question(hostile)
    assert question.argv == ["/bin/true", shown]
    assert question.name == shown
    assert question.env == [NamedValue(shown, shown)]
    assert (question.url or "").endswith(shown)
    lines = question_text(question).split("\n")
    assert f"  [1] {shown}" in lines
    assert sum(line.startswith("Fingerprint:") for line in lines) == 1


def test_paths_with_hidden_characters_are_visible(project: Any, gate: TrustGate) -> None:
    project.folder = project.folder / "a\u202eb"
    project.write("t\u200bool", "#!/bin/sh\n", 0o755)
    question = gate.question(project.launch(command="./t\u200bool"))
    shown = [question.folder, question.cwd, question.resolved_command, *(question.files or []), *(question.argv or [])]
    for text in shown:
        assert text
        assert text.isprintable()
    assert r"t\u{200B}ool" in (question.resolved_command or "")
    (declared,) = [line for line in question_text(question).split("\n") if line.startswith("Declared in: ")]
    assert declared.isprintable() and declared.endswith("/a\\u{202E}b/.codeagent/mcp.json")


@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(exclude_characters="\0"), max_size=40))
def test_nothing_in_a_question_is_unprintable(project: Any, text: str) -> None:
    launch = project.launch(command="/bin/true", args=("x",))
    entry = evolve(launch.entry, name=text, args=(text,))
    question = launch_question(evolve(launch, argv=("/bin/true", text), env_templates={text: text}, entry=entry))
    variables = [value for item in question.env or [] for value in (item.name, item.value)]
    for shown in [question.name, *(question.argv or []), *variables]:
        for char in re.sub("[\u200d\ufe0f]", "", shown):
            assert unicodedata.category(char)[0] in "LMNPS" or char == " "


@pytest.mark.parametrize("size", [MAX_QUESTION, 3 * MAX_QUESTION])
@pytest.mark.parametrize("where", ["args", "many args", "env", "headers"])
def test_what_nobody_can_read_cannot_be_approved(project: Any, gate: TrustGate, where: str, size: int) -> None:
    big = {
        "args": {"command": "/bin/true", "args": ("x" * size,)},
        "env": {"command": "/bin/true", "env": {"A": "x" * size}},
        "many args": {"command": "/bin/true", "args": ("xx",) * (size // 4)},
        "headers": {"url": "https://a.example/", "headers": {"A": "x" * size}},
    }[where]
    launch = project.launch(**big)
    with pytest.raises(Untrusted, match="64 KiB"):
        gate.question(launch)
    for decision in ("session", "always"):
        with pytest.raises(Untrusted, match="64 KiB"):
            gate.decide(launch, gate.fingerprint(launch), decision)
    with pytest.raises(Untrusted, match="64 KiB"):
        gate.ticket(launch)
    assert gate.decide(launch, gate.fingerprint(launch), "deny") == "denied"


def test_a_long_argument_is_shown_whole(project: Any, gate: TrustGate) -> None:
    question = gate.question(project.launch(command="/bin/true", args=("x" * 60_000,)))
    assert question.argv == ["/bin/true", "x" * 60_000]


def test_the_difference_is_to_what_was_approved_last(project: Any, gate: TrustGate, clock: Any) -> None:
    def launch(*args: str) -> Any:
        return project.launch(command="/bin/true", args=args)

    for index, how in enumerate(("always", "session", "always", "deny")):
        clock.now += 60
        approved = launch("a", str(index))
        gate.decide(approved, gate.fingerprint(approved), how)
    (change,) = gate.question(launch("a", "9\u202e")).changed or []
    assert (change.field, change.before, change.after) == ("args[1]", "2", "9\\u{202E}")
    assert gate.question(launch("a", "2")).changed is None


def test_the_difference_is_within_one_server_and_folder(project: Any, gate: TrustGate) -> None:
    approved = project.launch(command="/bin/true", args=("a",))
    gate.decide(approved, gate.fingerprint(approved), "always")
    assert gate.question(project.launch(server="y", command="/bin/true", args=("b",))).changed is None
    assert gate.question(project.launch(command="/bin/true", args=("b",))).changed


def test_a_command_that_waits_for_an_input_can_be_asked_about(project: Any, gate: TrustGate) -> None:
    question = gate.question(project.launch(command="${input:program}", args=("a", "${input:x}")))
    assert question.argv == ["${input:program}", "a", "${input:x}"]
    assert question.resolved_command is None


def test_the_text_for_a_terminal_has_a_line_for_everything(project: Any, gate: TrustGate) -> None:
    project.write("run.sh", "echo\n")
    launch = project.launch(env={"A": "1"})
    gate.decide(launch, gate.fingerprint(launch), "always")
    project.write("run.sh", "echo other\n")
    text = question_text(gate.question(launch, same_name=True))
    parts = ("`x`", "[0] /bin/sh", "[1] run.sh", "A=1", "Take care:", "file run.sh: sha256", "→", "mcp.json")
    for part in parts:
        assert part in text
    assert gate.fingerprint(launch) in text
    remote = question_text(gate.question(project.launch(url="https://a.example/", headers={"A": "1"})))
    assert "URL: https://a.example/" in remote
    assert "A: 1" in remote

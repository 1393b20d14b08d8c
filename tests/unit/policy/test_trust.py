"""Nothing of a project starts without the editor's trust and the user's approval of exactly this launch."""

import copy
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from codeagent_lsp.config.launch import with_env_file
from codeagent_lsp.errors import InvalidParams, Stale, Untrusted
from codeagent_lsp.policy.store import Store
from codeagent_lsp.policy.trust import LaunchTicket, TrustGate
from codeagent_lsp.policy.workspace import folder_trusted

OpenStore = Callable[..., Store]


@pytest.fixture(autouse=True)
def script(project: Any) -> Path:
    return project.write("run.sh", "echo one\n")


@pytest.fixture
def gate(store: Store) -> TrustGate:
    return TrustGate(store, folder_trusted=lambda _: True)


def approve(gate: TrustGate, launch: Any, how: str = "always") -> None:
    gate.decide(launch, gate.fingerprint(launch), how)


def refused(gate: TrustGate, launch: Any) -> str:
    with pytest.raises(Untrusted) as caught:
        gate.ticket(launch)
    return caught.value.text()


# Who may start.


def test_a_server_of_the_users_own_file_starts_without_a_question(project: Any, store: Store) -> None:
    gate = TrustGate(store, folder_trusted=lambda _: False)
    launch = project.launch(scope="user", command="/bin/sh")
    assert gate.trust(launch) is None
    assert gate.refusal(launch) is None
    assert gate.ticket(launch).redeem() is launch


def test_a_server_of_a_project_waits_for_approval(project: Any, gate: TrustGate) -> None:
    launch = project.launch()
    assert gate.trust(launch) == "needed"
    message = refused(gate, launch)
    assert message.startswith("x: ")
    assert "waits for your approval" in message
    assert gate.fingerprint(launch) in message


@pytest.mark.parametrize("how", ["session", "always"])
def test_an_approved_server_starts(project: Any, gate: TrustGate, how: str) -> None:
    launch = project.launch()
    assert gate.decide(launch, gate.fingerprint(launch), how) == how
    assert gate.trust(launch) == how
    ticket = gate.ticket(launch)
    assert ticket.fingerprint == gate.fingerprint(launch)
    assert ticket.redeem() is launch


@pytest.mark.parametrize("answer", [False, None, 1, "true", "yes", [], {}, {"a": 1}, "false", 0, object()])
def test_an_approved_server_does_not_start_in_a_workspace_that_the_editor_does_not_trust(
    project: Any, store: Store, answer: Any
) -> None:
    gate = TrustGate(store, folder_trusted=lambda _: answer)
    launch = project.launch()
    approve(gate, launch)
    assert "trusted" in refused(gate, launch)
    assert str(project.folder) in refused(gate, launch)


def test_trust_in_one_folder_is_none_for_another(project: Any, store: Store, tmp_path: Path) -> None:
    other = copy.copy(project)
    other.folder = tmp_path / "other"
    other.folder.mkdir()
    other.write("run.sh", "echo one\n")
    gate = TrustGate(store, folder_trusted=lambda folder: folder == project.folder)
    for launch in (project.launch(), other.launch()):
        approve(gate, launch)
    gate.ticket(project.launch()).redeem()
    assert "trusted" in refused(gate, other.launch())


@pytest.mark.parametrize(
    ("keys", "safe"),
    [({"needs_approval": True}, None), ({}, lambda path: False), ({}, lambda path: None), ({}, lambda path: "yes")],
)
def test_a_user_file_that_others_can_write_to_needs_approval(
    project: Any, store: Store, keys: dict[str, Any], safe: Any
) -> None:
    gate = TrustGate(store, folder_trusted=lambda _: False, user_file_safe=safe)
    launch = project.launch(scope="user", command="/bin/sh", **keys)
    assert gate.trust(launch) == "needed"
    assert "approval" in refused(gate, launch)
    approve(gate, launch)
    gate.ticket(launch).redeem()


def test_the_same_name_in_the_users_file_gives_no_trust(project: Any, gate: TrustGate) -> None:
    gate.ticket(project.launch(scope="user", command="/bin/sh"))
    assert "approval" in refused(gate, project.launch(command="/bin/sh"))


def test_one_judgement_says_what_the_single_questions_say(project: Any, gate: TrustGate) -> None:
    denied = project.launch(command="/bin/sh")
    approve(gate, denied, "deny")
    for launch in (project.launch(), denied, project.launch(scope="user", command="/bin/sh")):
        found = gate.judge(launch)
        assert (found.fingerprint, found.trust) == (gate.fingerprint(launch), gate.trust(launch))
        assert str(found.refusal) == str(gate.refusal(launch))


# What an approval is bound to.

SWAPS: dict[str, Any] = {
    "command": {"command": "/bin/cat"},
    "args": {"args": ("run.sh", "--evil")},
    "env": {"env": {"A": "1"}},
    "cwd": {"cwd": "..", "args": ("ws/run.sh",)},
    "url": {"url": "https://evil.example/"},
}


@pytest.mark.parametrize("how", ["session", "always"])
@pytest.mark.parametrize("what", SWAPS)
def test_a_server_that_changed_since_its_approval_does_not_start(
    project: Any, gate: TrustGate, what: str, how: str
) -> None:
    approve(gate, project.launch(), how)
    changed = project.launch(**({"command": "/bin/sh", "args": ("run.sh",)} | SWAPS[what]))
    assert gate.trust(changed) == "needed"
    message = refused(gate, changed)
    assert "has changed since you approved it" in message
    assert f"`{what}" in message or what in ("url",)
    assert gate.question(changed).changed
    gate.ticket(project.launch()).redeem()


def test_a_script_that_changed_since_the_approval_does_not_start(project: Any, gate: TrustGate) -> None:
    launch = project.launch()
    approve(gate, launch)
    project.write("run.sh", "echo evil\n")
    assert "`file run.sh`" in refused(gate, launch)
    assert [change.field for change in gate.question(launch).changed or []] == ["file run.sh"]


def test_another_folder_with_the_same_content_asks(project: Any, gate: TrustGate, tmp_path: Path) -> None:
    approve(gate, project.launch())
    project.folder.rename(tmp_path / "moved")
    project.folder = tmp_path / "moved"
    assert "waits for your approval" in refused(gate, project.launch())


def test_an_approval_outlives_the_process_only_if_it_is_for_always(
    project: Any, gate: TrustGate, open_store: OpenStore
) -> None:
    launch = project.launch()
    approve(gate, launch, "session")
    assert TrustGate(open_store(), folder_trusted=lambda _: True).trust(launch) == "needed"
    approve(gate, launch, "always")
    assert TrustGate(open_store(), folder_trusted=lambda _: True).trust(launch) == "always"


def test_a_store_that_cannot_be_believed_starts_nothing_and_says_so(
    project: Any, gate: TrustGate, open_store: OpenStore, tmp_path: Path
) -> None:
    approve(gate, project.launch())
    path = tmp_path / "state" / "approvals.json"
    path.chmod(0o666)
    later = TrustGate(open_store(), folder_trusted=lambda _: True)
    message = refused(later, project.launch())
    assert str(path) in message
    assert "0666" in message
    assert later.decide(project.launch(), later.fingerprint(project.launch()), "always") == "session"
    later.ticket(project.launch()).redeem()


# Decisions.


def test_a_denied_launch_stays_denied_and_another_one_is_asked_about(
    project: Any, gate: TrustGate, open_store: OpenStore
) -> None:
    launch = project.launch()
    assert gate.decide(launch, gate.fingerprint(launch), "deny") == "denied"
    assert "denied" in refused(gate, launch)
    later = TrustGate(open_store(), folder_trusted=lambda _: True)
    assert later.trust(launch) == "denied"
    assert later.trust(project.launch(args=("run.sh", "b"), command="/bin/sh")) == "needed"


@pytest.mark.parametrize("before", ["session", "always", "deny"])
@pytest.mark.parametrize("after", ["session", "always", "deny", "reset"])
def test_the_users_last_decision_holds(
    project: Any, gate: TrustGate, open_store: OpenStore, before: str, after: str
) -> None:
    launch = project.launch()
    approve(gate, launch, before)
    approve(gate, launch, after)
    expected = {"deny": "denied", "reset": "needed"}.get(after, after)
    assert gate.trust(launch) == expected
    later = TrustGate(open_store(), folder_trusted=lambda _: True)
    assert later.trust(launch) == ("needed" if after == "session" else expected)


def test_a_denial_of_another_window_wins_until_it_was_seen(project: Any, open_store: OpenStore) -> None:
    one, two = (TrustGate(open_store(), folder_trusted=lambda _: True) for _ in range(2))
    launch = project.launch()
    assert one.trust(launch) == "needed"
    approve(two, launch, "deny")
    assert one.decide(launch, one.fingerprint(launch), "always") == "denied"
    assert one.trust(launch) == two.trust(launch) == "denied"
    assert one.decide(launch, one.fingerprint(launch), "always") == "always"
    assert two.trust(launch) == "always"


def test_a_denial_of_another_window_takes_back_a_yes_for_the_session(project: Any, open_store: OpenStore) -> None:
    one, two = (TrustGate(open_store(), folder_trusted=lambda _: True) for _ in range(2))
    launch = project.launch()
    approve(one, launch, "session")
    ticket = one.ticket(launch)
    approve(two, launch, "deny")
    with pytest.raises(Untrusted, match="denied"):
        ticket.redeem()
    assert one.trust(launch) == "denied"


@pytest.mark.parametrize("decision", ["session", "always", "deny", "reset"])
def test_a_decision_about_another_fingerprint_is_stale(project: Any, gate: TrustGate, decision: str) -> None:
    launch = project.launch()
    shown = gate.question(launch).fingerprint
    project.write("run.sh", "echo evil\n")
    for fingerprint in (shown, "", shown.upper(), gate.fingerprint(launch)[:-1]):
        with pytest.raises(Stale):
            gate.decide(launch, fingerprint, decision)
    assert gate.trust(launch) == "needed"


@pytest.mark.parametrize("decision", ["yes", "ALWAYS", "", "true", "once"])
def test_another_word_is_no_decision(project: Any, gate: TrustGate, decision: str) -> None:
    launch = project.launch()
    with pytest.raises(InvalidParams):
        approve(gate, launch, decision)
    assert gate.trust(launch) == "needed"


def test_a_server_that_needs_no_approval_cannot_be_decided_about(project: Any, gate: TrustGate) -> None:
    with pytest.raises(InvalidParams, match="needs no approval"):
        approve(gate, project.launch(scope="user", command="/bin/sh"))


def test_a_revoked_approval_is_gone(project: Any, gate: TrustGate, store: Store) -> None:
    for how in ("session", "always"):
        approve(gate, project.launch(), how)
        ticket = gate.ticket(project.launch())
        (listed,) = store.listing()
        assert (listed.kind, listed.server, listed.scope) == ("server", "x", how)
        store.revoke(listed.id)
        assert gate.trust(project.launch()) == "needed"
        with pytest.raises(Untrusted):
            ticket.redeem()


# Tickets.


def test_a_ticket_is_good_for_one_start(project: Any, gate: TrustGate) -> None:
    for launch in (project.launch(scope="user", command="/bin/sh"), project.launch()):
        if launch.entry.scope == "project":
            approve(gate, launch)
        ticket = gate.ticket(launch)
        ticket.redeem()
        with pytest.raises(Untrusted, match="used"):
            ticket.redeem()
        gate.ticket(launch).redeem()


def test_nobody_but_the_gate_makes_a_ticket(project: Any, gate: TrustGate) -> None:
    launch = project.launch(scope="user", command="/bin/sh")
    for maker in (None, object(), gate, True):
        with pytest.raises(TypeError):
            LaunchTicket(maker, launch, "f", lambda: None)
    ticket = gate.ticket(launch)
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            duplicate(ticket)


@pytest.mark.parametrize("file", ["run.sh", "vars", "tool"])
@pytest.mark.parametrize("how", ["rewrite", "delete", "link", "fifo"])
def test_a_file_that_is_swapped_between_consent_and_start_is_refused(
    project: Any, gate: TrustGate, file: str, how: str
) -> None:
    project.write("vars", "A=1\n")
    project.write("tool", "#!/bin/sh\n", 0o755)
    launch = project.launch(command="./tool", args=("run.sh",), env_file="vars")
    approve(gate, launch)
    ticket = gate.ticket(launch)
    path = project.folder / file
    if how == "rewrite":
        project.write(file, "evil")
    else:
        path.unlink()
    if how == "link":
        path.symlink_to("/bin/cat")
    elif how == "fifo":
        os.mkfifo(path)
    with pytest.raises(Untrusted, match="at the moment of the start"):
        ticket.redeem()
    with pytest.raises(Untrusted):
        ticket.redeem()


def test_trust_that_is_taken_back_after_the_ticket_was_made_counts(project: Any, store: Store) -> None:
    trusted = [True]
    gate = TrustGate(store, folder_trusted=lambda _: trusted[0])
    approve(gate, project.launch())
    ticket = gate.ticket(project.launch())
    trusted[0] = False
    with pytest.raises(Untrusted, match="trusted"):
        ticket.redeem()


# Looking starts nothing.

_events: list[str] = []
_watching = [False]
_hooked = [False]


@pytest.fixture
def nothing_runs() -> Iterator[list[str]]:
    """Records whatever would start a program, or reach the network."""
    watched = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "os.fork", "socket.", "webbrowser.open")

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if _watching[0] and event.startswith(watched):
            _events.append(event)

    if not _hooked[0]:
        sys.addaudithook(hook)
        _hooked[0] = True
    _events.clear()
    _watching[0] = True
    yield _events
    _watching[0] = False


def test_looking_at_a_server_of_a_project_runs_and_connects_nothing(
    project: Any, gate: TrustGate, nothing_runs: list[str]
) -> None:
    os.mkfifo(project.folder / "pipe")
    launches = [
        project.launch(args=("-c", f"touch {project.folder}/PWNED"), command="/bin/sh"),
        project.launch(command="/bin/sh", env_file="pipe"),
        project.launch(url="http://127.0.0.1:9/${HOME}", headers={"A": "${HOME}"}),
    ]
    for launch in launches:
        for _ in range(20):
            gate.trust(launch)
            gate.fingerprint(launch)
            gate.question(launch)
            refused(gate, launch)
    assert nothing_runs == []
    assert not (project.folder / "PWNED").exists()


def test_what_was_approved_is_what_the_env_file_then_gives(project: Any, gate: TrustGate) -> None:
    project.write("vars", "A=1\n")
    launch = project.launch(env_file="vars")
    approve(gate, launch)
    assert with_env_file(gate.ticket(launch).redeem()).env["A"] == "1"


# The editor's word.


@pytest.mark.parametrize(
    "value",
    [{}, "yes", 1, [], "false", None, False, 0, "true", [True], {"file:///ws": "true"}, {"file:///ws": 1}, object()],
)
def test_only_true_is_trust(value: object) -> None:
    assert folder_trusted(value, Path("/ws")) is False


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("file:///{ws}", True),
        ("file:///{ws}/", True),
        ("file://{ws}", True),
        ("FILE://{ws}", True),
        ("{ws}", False),
        ("file://{ws}/sub", False),
        ("file://{ws}/..", False),
        ("https://{ws}", False),
        ("untitled:{ws}", False),
        ("", False),
    ],
)
def test_an_object_trusts_the_folders_that_it_names(tmp_path: Path, uri: str, expected: bool) -> None:
    folder = tmp_path / "a b é#"
    folder.mkdir()
    plain = uri.format(ws=folder.as_uri().removeprefix("file://"))
    if uri.startswith("file:///{"):
        plain = plain.replace("file:////", "file:///")
    assert folder_trusted({plain: True}, folder) is expected
    assert folder_trusted({plain: False}, folder) is False
    assert folder_trusted({plain: True, folder.as_uri(): False}, folder) is False
    assert folder_trusted({5: True}, folder) is False

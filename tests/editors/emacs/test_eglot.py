"""Emacs with eglot, and no plugin of ours: mentions, config files, calls and commands, as docs/editors.md sets it up."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from emacs_kit import DEMO, SCRIPTED, Emacs, quoted

Start = Callable[..., Emacs]

BEFORE = ["", "😀😀 ", "é ", "👨‍👩‍👧 ", "(", "\t- "]
"""What stands before a mention: its place is counted in other units by everybody."""

RESOURCES = {"note://readme", "note://groceries", "note://ideas", "note://{name}"}


# -- mentions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", BEFORE)
def test_a_mention_is_completed(emacs: Emacs, before: str) -> None:
    """LSP-02, LSP-03."""
    emacs.type(f"a\n{before}@demo:note://rea")
    emacs.eval("(completion-at-point)")
    assert emacs.text() == f"a\n{before}@demo:note://readme"


@pytest.mark.parametrize("before", BEFORE)
def test_a_mention_is_completed_in_front_of_more_text(emacs: Emacs, before: str) -> None:
    emacs.type(f"{before}@de and more")
    emacs.eval('(progn (goto-char (point-min)) (search-forward "@de") (completion-at-point))')
    assert emacs.text() == f"{before}@demo: and more"


def test_what_can_be_mentioned_is_offered(emacs: Emacs) -> None:
    """LSP-03."""
    emacs.type("see @demo:")
    offered = {item.removeprefix("@demo:") for item in emacs.offered()}
    assert {"note://readme", "note://groceries", "note://ideas"} <= offered
    emacs.type("see @", clear=True)
    assert emacs.offered() == ["@demo:"]
    for text in ("std::", "http:", "me@de", "a.@de", "\\@de"):
        emacs.type(text, clear=True)
        assert not emacs.offered(), text


@pytest.mark.parametrize("before", BEFORE)
def test_hover_says_what_a_mention_is(emacs: Emacs, before: str) -> None:
    emacs.type(f"{before}@demo:note://readme and more")
    emacs.go("note://readme")
    assert "readme" in emacs.hover()
    emacs.go("and more")
    assert not emacs.hover()


@pytest.mark.parametrize("before", BEFORE)
def test_definition_opens_the_resource_as_a_file_that_cannot_be_written(emacs: Emacs, before: str) -> None:
    emacs.type(f"{before}@demo:note://readme and more")
    emacs.go("note://readme")
    emacs.jump()
    assert emacs.text().startswith("# Notebook")
    path = Path(emacs.eval("buffer-file-name"))
    assert path.suffix == ".md" and path.stat().st_mode & 0o777 == 0o400
    assert emacs.eval("buffer-read-only") is True


def test_the_name_of_a_server_leads_to_its_entry(emacs: Emacs) -> None:
    emacs.type("@demo:note://readme")
    emacs.go("@demo")
    emacs.jump()
    assert emacs.eval("buffer-file-name") == str(emacs.config)
    assert '"demo"' in emacs.eval("(thing-at-point 'line t)")


@pytest.mark.parametrize("before", BEFORE)
def test_an_unknown_resource_is_marked_and_can_be_changed_to_the_nearest(emacs: Emacs, before: str) -> None:
    emacs.type(f"{before}@demo:notes://readme and more")
    (mark,) = emacs.marks("notes://readme")
    assert mark["on"] == "@demo:notes://readme"
    emacs.go("notes://readme")
    emacs.act("Change to note://readme")
    assert emacs.text() == f"{before}@demo:note://readme and more"
    emacs.until("(not (flymake-diagnostics))")


def test_every_mention_of_a_resource_is_found(emacs: Emacs) -> None:
    emacs.open(emacs.work / "other.txt", "there @demo:note://readme\n")
    emacs.open(emacs.work / "notes.txt", "😀 @demo:note://readme\n@demo:note://ideas\n@demo:note://readme\n")
    emacs.go("note://readme")
    found = emacs.eval(
        "(vconcat (mapcar #'xref-item-summary (xref-backend-references 'eglot (xref-backend-identifier-at-point 'eglot))))"
    )
    assert [line.strip() for line in found].count("there @demo:note://readme") == 1
    assert len(found) == 3


# -- the config file -------------------------------------------------------------------------------------------------


def test_a_config_file_is_completed_explained_and_checked(start: Start) -> None:
    emacs = start({"demo": DEMO})
    emacs.open(emacs.config)
    emacs.eval('(progn (goto-char (point-min)) (search-forward "\\"command\\"") (replace-match "\\"comand\\""))')
    marks = emacs.marks("comand")
    assert any("command" in mark["text"] for mark in marks)
    emacs.eval('(progn (goto-char (point-min)) (search-forward "comand") (replace-match "command"))')
    emacs.until("(not (flymake-diagnostics))")
    emacs.go('"demo"')
    assert "demo" in emacs.hover()
    emacs.go('"args"')
    assert "argument" in emacs.hover().lower()
    emacs.eval('(progn (goto-char (point-min)) (search-forward "\\"demo\\": {") (insert "\\n\\"start"))')
    assert any("startTimeout" in item for item in emacs.offered())


def test_a_server_that_fails_is_marked_at_its_name(start: Start) -> None:
    emacs = start({"broken": {"command": "no-such-program"}, "demo": DEMO})
    emacs.open(emacs.config)
    assert any("no-such-program" in mark["text"] for mark in emacs.marks("no-such-program"))


def test_renaming_a_server_changes_its_entry_and_its_mentions(start: Start) -> None:
    emacs = start({"demo": DEMO}, {"notes.txt": "😀 @demo:note://readme\n", "other.txt": "(@demo:note://ideas)\n"})
    emacs.open(emacs.work / "other.txt")
    emacs.open(emacs.work / "notes.txt")
    emacs.ready("demo")
    emacs.go("@demo")
    done = emacs.eval('(drive-answering "" (lambda () (eglot-rename "notebook") nil))')
    assert "mcp.json" in done["asked"]["prompt"], "Emacs asks before it changes a file that is not open"
    assert emacs.text() == "😀 @notebook:note://readme\n"
    emacs.eval("(save-some-buffers t)")
    assert (emacs.work / "other.txt").read_text("utf-8") == "(@notebook:note://ideas)\n"
    assert list(json.loads(emacs.config.read_text("utf-8"))["mcpServers"]) == ["notebook"]
    emacs.command("codeagent.reload")
    emacs.ready("notebook")


# -- commands --------------------------------------------------------------------------------------------------------


def test_commands_are_executed(emacs: Emacs) -> None:
    """LSP-01."""
    tools = emacs.command("codeagent.listTools", server="demo")["tools"]
    assert "mcp__demo__get_note" in [tool["name"] for tool in tools]
    result = emacs.command("codeagent.callTool", name="mcp__demo__get_note", arguments={"name": "readme"})
    assert result["text"].startswith("# Notebook")
    found = emacs.command("codeagent.resolveMentions", text="😀 @demo:note://readme")["mentions"]
    assert found[0]["range"]["start"]["character"] == 3


@pytest.mark.parametrize("yes", [True, False])
def test_a_call_that_needs_a_yes_asks_with_buttons(emacs: Emacs, yes: bool) -> None:
    call = '(eglot-execute-command (eglot-current-server) \'codeagent.callTool [(:name "mcp__demo__delete_note" :arguments (:name "none"))])'
    answer = "Run once" if yes else "Deny"
    done = emacs.eval(
        f"(drive-answering {quoted(answer)} (lambda () (condition-case e {call} (error (list :refused (error-message-string e))))))"
    )
    assert "delete_note" in done["asked"]["prompt"]
    assert answer in done["asked"]["choices"]
    assert ("refused" in done["value"]) != yes, done


def test_an_action_of_a_mention_is_a_command_that_eglot_runs(start: Start) -> None:
    emacs = start({"demo": {**DEMO, "disabled": True}}, {"notes.txt": "@demo:note://readme\n"})
    emacs.open(emacs.work / "notes.txt")
    emacs.marks("demo")
    emacs.go("note://readme")
    emacs.act("Enable demo")
    emacs.until("(not (flymake-diagnostics))")


def test_a_call_that_stands_in_a_file_is_checked(start: Start) -> None:
    emacs = start({"demo": DEMO}, {"one.mcp-call.json": '{"tool": "mcp__demo__count", "arguments": {"steps": 5}}'})
    emacs.open(emacs.work / "one.mcp-call.json")
    emacs.ready("demo")
    emacs.eval('(progn (goto-char (point-min)) (search-forward ": 5") (insert "000"))')
    emacs.marks("steps")


def test_the_end_of_emacs_is_the_end_of_the_server(start: Start) -> None:
    emacs = start({"demo": DEMO, "more": {"command": DEMO["command"], "args": [SCRIPTED]}}, {"notes.txt": ""})
    emacs.open(emacs.work / "notes.txt")
    emacs.ready("demo")
    pid = emacs.eval("(process-id (jsonrpc--process (eglot-current-server)))")
    emacs.eval("(eglot-shutdown (eglot-current-server))")
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)

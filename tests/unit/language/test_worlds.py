"""From the house's state to what the features are given: servers, tools, resources, variables, diagnostics."""

from pathlib import Path
from typing import Any

import anyio
import pytest
from lsprotocol import types

from codeagent_lsp.config.variables import expand
from codeagent_lsp.errors import NotReady, SpawnFailed
from codeagent_lsp.features.call_documents_results import CallResults
from codeagent_lsp.features.call_documents_world import call_world_of
from codeagent_lsp.features.config_language import ConfigText, config_text
from codeagent_lsp.features.config_language_views import world_of
from codeagent_lsp.language.board import Board
from codeagent_lsp.language.state import HostView, Language
from codeagent_lsp.language.wishes import Wishes, read_wishes
from codeagent_lsp.operations.servers import set_enabled, stop
from codeagent_lsp.protocol.params import ServerParams, SetEnabledParams
from e2e.scripts import scripted
from editor_client import write_json
from house_kit import house

pytestmark = pytest.mark.anyio


def config_of(host: Any, path: Path) -> ConfigText:
    """A config file on disk, as if it were open."""
    found = config_text(path.as_uri(), path.read_text("utf-8"), home=host.home, folders=host.workspace.folders)
    assert found is not None
    return found


async def until(condition: Any) -> None:
    with anyio.fail_after(20):
        while not condition():
            await anyio.sleep(0.02)


# -- the config file -------------------------------------------------------------------------------------------------


async def test_the_world_of_a_config_file_has_its_servers_with_state_tools_and_failures(
    home: Path, workspace: Path
) -> None:
    write_json(workspace / ".codeagent" / "mcp.json", {"mcpServers": {"docs": scripted(), "own": scripted()}})
    write_json(workspace / ".env", "")
    entries = {
        "docs": scripted("list=also"),
        "broken": {"command": "no-such-program"},
        "off": scripted(disabled=True),
        "unset": {"command": "x", "env": {"KEY": "${NOBODY_SETS_THIS}"}},
    }
    async with house(home, entries, workspace) as host:
        await set_enabled(host, SetEnabledParams("docs", False, "also"))
        world = world_of(host, config_of(host, home / ".codeagent" / "mcp.json"), client_commands=["codeagent.showLog"])
        views = world.views
        assert {name: view.in_force for name, view in views.items()} == {
            "docs": True, "broken": True, "off": True, "unset": True, "own": False,
        }  # fmt: skip
        states = {name: view.status.state for name, view in views.items() if view.status}
        assert states == {"docs": "ready", "broken": "failed", "off": "disabled", "unset": "failed", "own": "untrusted"}
        assert views["docs"].tools == (("echo", True), ("also", False))
        assert views["docs"].launch is not None and views["docs"].launch.argv is not None
        assert views["unset"].failure is not None and "NOBODY_SETS_THIS" in views["unset"].failure.message
        assert world.client_commands == ["codeagent.showLog"] and not world.snippets and not world.icons
        project = world_of(host, config_of(host, workspace / ".codeagent" / "mcp.json")).views
        assert (project["docs"].in_force, project["docs"].waits) == (False, True)
        assert (project["own"].in_force, project["own"].waits) == (True, False)
        assert "broken" in project and not project["broken"].in_force


async def test_variables_of_a_file_are_looked_up_where_its_servers_would(home: Path, workspace: Path) -> None:
    write_json(workspace / ".codeagent" / "mcp.json", {"mcpServers": {}})
    write_json(workspace / ".env", "FROM_PROJECT=1\n")
    write_json(home / ".env", "FROM_USER=2\n")
    async with house(home, {}, workspace) as host:
        host.redactor.add(["a-secret-value"])
        mine = world_of(host, config_of(host, home / ".codeagent" / "mcp.json"))
        theirs = world_of(host, config_of(host, workspace / ".codeagent" / "mcp.json"))

        def value(world: Any, text: str) -> str:
            return expand(text, world.lookup, server="s", field="env").text

        assert value(mine, "${FROM_USER}") == value(theirs, "${FROM_USER}") == "2"
        assert value(theirs, "${FROM_PROJECT} ${workspaceFolder}") == f"1 {workspace}"
        with pytest.raises(SpawnFailed):
            value(mine, "${FROM_PROJECT}")
        assert "a-secret-value" not in mine.clean("it is a-secret-value")
        assert mine.versioned is False


# -- calls -----------------------------------------------------------------------------------------------------------


async def test_the_world_of_calls_has_the_tools_and_knows_which_are_off_or_may_come(home: Path) -> None:
    entries = {"docs": scripted("list=also"), "lazy": scripted(autostart="onDemand")}
    async with house(home, entries) as host:
        await set_enabled(host, SetEnabledParams("docs", False, "also"))
        results = CallResults()
        world = call_world_of(host, results, markdown=False, snippets=True)
        assert {"mcp__docs__echo", "mcp__docs__also"} <= set(world.tools)
        assert "mcp__docs__also" in world.disabled
        assert "mcp__docs__echo" not in world.disabled and "mcp__docs__nothing" not in world.disabled
        assert not world.complete, "a server that sleeps may have more"
        assert (world.markdown, world.snippets) == (False, True)
        assert list(world.results("mcp__docs__echo", {})) == []


async def test_the_world_of_calls_is_complete_when_every_server_has_said_what_it_has(home: Path) -> None:
    async with house(home, {"docs": scripted(), "broken": {"command": "no-such-program"}}) as host:
        assert call_world_of(host, CallResults()).complete
        await stop(host, ServerParams("docs"))
        assert call_world_of(host, CallResults()).tools == {}


# -- mentions --------------------------------------------------------------------------------------------------------


class Published:
    """An editor to which diagnostics are published."""

    def __init__(self) -> None:
        self.shown: list[tuple[str, list[str]]] = []

    def publish_diagnostics(self, uri: str, diagnostics: list[types.Diagnostic]) -> None:
        self.shown.append((uri, [item.message for item in diagnostics]))


def opened(text: str, uri: str = "file:///w/a.md") -> types.DidOpenTextDocumentParams:
    return types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "markdown", 1, text))


async def test_the_index_sees_every_configured_server_whatever_its_state(home: Path) -> None:
    entries = {"docs": scripted(), "off": scripted(disabled=True), "broken": {"command": "no-such-program"}}
    async with house(home, entries) as host:
        await until(lambda: host.catalog.resources("docs"))
        view = HostView(host)
        assert [status.server for status in view.servers()] == ["broken", "docs", "off"]
        assert [item.uri for item in view.resources("docs") or ()] == ["a://1"]
        assert view.resources("off") is None, "what is not listed is not known, and not none"
        assert [item.uri_template for item in view.templates("docs")] == ["a://{id}"]


async def test_open_documents_are_checked_anew_when_servers_change(home: Path) -> None:
    editor: Any = Published()
    language = Language(editor, "utf-16", Board(editor))
    with pytest.raises(NotReady):
        _ = language.house
    language.did_open(opened("@docs:b://gone"))
    assert editor.shown == [], "nothing is known yet, and so nothing is wrong"
    async with house(home, {"docs": scripted()}) as host:
        await until(lambda: host.catalog.resources("docs"))
        refreshed: list[int] = []
        language.on_refreshed = lambda: refreshed.append(1)
        language.attach(host)
        host.announcer.on_marked = language.refresh
        assert language.house is host and refreshed
        await until(lambda: editor.shown)
        assert "b://gone" in editor.shown[-1][1][0]
        await stop(host, ServerParams("docs"))
        await until(lambda: language.index.entry("docs").status.state == "stopped")  # type: ignore[union-attr]
        await until(lambda: "b://gone" not in " ".join(editor.shown[-1][1]))
        language.did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier("file:///w/a.md")))
        assert editor.shown[-1] == ("file:///w/a.md", [])


def test_the_parts_of_a_documents_diagnostics_do_not_disturb_each_other() -> None:
    editor: Any = Published()
    board = Board(editor)

    def mark(text: str) -> list[types.Diagnostic]:
        zero = types.Position(0, 0)
        return [types.Diagnostic(types.Range(zero, zero), text)]

    board.show("u", "mentions", mark("m"))
    board.show("u", "config", mark("c"))
    board.show("u", "config", mark("c"))
    board.show("v", "config", [])
    board.show("u", "mentions", [])
    board.show("u", "config", [])
    assert editor.shown == [("u", ["m"]), ("u", ["c", "m"]), ("u", ["c"]), ("u", [])]


# -- the client ------------------------------------------------------------------------------------------------------


def test_a_client_that_says_nothing_of_itself_gets_the_plainest() -> None:
    assert read_wishes(types.ClientCapabilities()) == Wishes()
    item = types.CompletionItem("x", documentation=types.MarkupContent(types.MarkupKind.PlainText, "text"))
    item.insert_text_mode = types.InsertTextMode.AdjustIndentation
    Wishes().suit([item])
    assert (item.documentation, item.insert_text_mode) == ("text", None)


def test_what_a_client_says_is_read() -> None:
    markdown, plain = types.MarkupKind.Markdown, types.MarkupKind.PlainText
    adjust = types.ClientCompletionItemInsertTextModeOptions([types.InsertTextMode.AdjustIndentation])
    item = types.ClientCompletionItemOptions(
        snippet_support=True, documentation_format=[markdown, plain], insert_text_mode_support=adjust
    )
    text = types.TextDocumentClientCapabilities(
        completion=types.CompletionClientCapabilities(completion_item=item),
        hover=types.HoverClientCapabilities(content_format=[plain, markdown]),
        definition=types.DefinitionClientCapabilities(link_support=True),
        document_link=types.DocumentLinkClientCapabilities(tooltip_support=True),
        code_action=types.CodeActionClientCapabilities(resolve_support=types.ClientCodeActionResolveOptions(["edit"])),
    )
    found = read_wishes(types.ClientCapabilities(text_document=text), frozenset({"icons"}))
    assert found == Wishes(
        markdown_hover=False, markdown_completion=True, location_links=True, resolves_edits=True, snippets=True,
        markup=True, adjusts=True, tooltips=True, commands=frozenset({"icons"}),
    )  # fmt: skip
    kept = types.CompletionItem("x", documentation=types.MarkupContent(markdown, "text"))
    found.suit([kept])
    assert isinstance(kept.documentation, types.MarkupContent)

"""Notifications, diagnostics, progress bars, watched files and settings."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from codeagent_lsp.editor import Editor
from codeagent_lsp.protocol import LogLine, ResourcesChanged, ServerStatus, StatusChanged
from editor_client import EditorClient, LspError, usual_capabilities


async def test_a_notification_travels_as_the_table_has_it(ours: Editor, theirs: EditorClient) -> None:
    await theirs.start()
    status = ServerStatus("s", "s", "user", "file:///x", "stdio", "ready", server_info={"class": float("nan")})
    ours.notify("codeagent/statusChanged", StatusChanged(3, [status]))
    told = await theirs.wait_for("codeagent/statusChanged")
    assert told["revision"] == 3
    assert told["servers"][0]["configUri"] == "file:///x"
    assert told["servers"][0]["serverInfo"] == {"class": None}


def test_a_notification_with_another_value_is_our_own_mistake(ours: Editor) -> None:
    with pytest.raises(TypeError):
        ours.notify("codeagent/statusChanged", ResourcesChanged(1, "s"))
    with pytest.raises(KeyError):
        ours.notify("codeagent/zap", ResourcesChanged(1, "s"))


async def test_text_of_strangers_is_strict_json_on_the_wire(ours: Editor, theirs: EditorClient) -> None:
    await theirs.start()
    ours.notify("codeagent/logMessage", LogLine("2026-01-01T00:00:00Z", "stderr", "info", "a\ud800b\x00\u2028"))
    ours.log_message("warning", "\udfff")
    ours.show_message("error", "\ud83d\ude00")
    assert (await theirs.wait_for("codeagent/logMessage"))["text"] == "a�b\x00\u2028"
    assert await theirs.wait_for("window/logMessage") == {"type": 2, "message": "�"}
    assert await theirs.wait_for("window/showMessage") == {"type": 1, "message": "😀"}


async def test_diagnostics_are_replaced_as_a_whole(ours: Editor, theirs: EditorClient) -> None:
    await theirs.start()
    place = types.Range(types.Position(0, 1), types.Position(0, 2))
    ours.publish_diagnostics(
        "file:///a", [types.Diagnostic(place, "wrong", types.DiagnosticSeverity.Warning)], version=4
    )
    told = await theirs.wait_for("textDocument/publishDiagnostics")
    assert told["version"] == 4
    [diagnostic] = theirs.diagnostics("file:///a")
    assert (diagnostic["message"], diagnostic["severity"], diagnostic["range"]["end"]["character"]) == ("wrong", 2, 2)
    ours.publish_diagnostics("file:///a", [])
    await theirs.wait_for("textDocument/publishDiagnostics", lambda params: params["diagnostics"] == [])
    assert theirs.diagnostics("file:///a") == []


async def test_a_progress_bar_begins_moves_and_ends(ours: Editor, theirs: EditorClient) -> None:
    await theirs.start()
    with ours.progress("t") as bar:
        bar.begin("Calling x", "…", 0)
        bar.report("half", 50.4)
    await theirs.wait_for("$/progress", lambda params: params["value"]["kind"] == "end")
    assert theirs.progress("t") == [
        {"kind": "begin", "title": "Calling x", "cancellable": True, "message": "…", "percentage": 0},
        {"kind": "report", "message": "half", "percentage": 50},
        {"kind": "end"},
    ]


async def test_at_most_ten_reports_a_second_and_the_last_one_arrives(ours: Editor, theirs: EditorClient) -> None:
    await theirs.start()
    bar = ours.progress(7)
    bar.begin("x")
    clock = asyncio.get_running_loop().time
    begun = clock()
    number = 0
    while clock() - begun < 0.35:
        number += 1
        bar.report(str(number))
        await asyncio.sleep(0.001)
    await theirs.wait_for("$/progress", lambda params: params["value"].get("message") == str(number), within=0.5)
    assert len(theirs.progress(7)) <= 1 + 1 + 10 * (clock() - begun)
    bar.end("done")
    await theirs.wait_for("$/progress", lambda params: params["value"] == {"kind": "end", "message": "done"})


async def test_the_last_report_arrives_before_the_end(ours: Editor, theirs: EditorClient) -> None:
    await theirs.start()
    with ours.progress(0) as bar:
        bar.begin("x")
        for number in range(100):
            bar.report(str(number))
    await theirs.wait_for("$/progress", lambda params: params["value"]["kind"] == "end")
    assert theirs.progress(0)[-2] == {"kind": "report", "message": "99"}


async def test_two_bars_do_not_share_their_limit(ours: Editor, theirs: EditorClient) -> None:
    await theirs.start()
    for token in ("a", "b"):
        bar = ours.progress(token)
        bar.begin("x")
        bar.report("now")
    await theirs.wait_for("$/progress", lambda params: params == {
        "token": "b", "value": {"kind": "report", "message": "now"}}, within=0.09)  # fmt: skip


async def test_a_bar_out_of_order_sends_nothing_wrong(ours: Editor, theirs: EditorClient) -> None:
    await theirs.start()
    bar = ours.progress("t")
    bar.report("too early")
    bar.end()
    bar.begin("x")
    bar.begin("again")
    bar.end()
    bar.end()
    bar.report("too late")
    ours.log_message("log", "after")
    await theirs.wait_for("window/logMessage")
    assert [step["kind"] for step in theirs.progress("t")] == ["begin", "end"]


async def test_without_a_token_there_is_no_bar(ours: Editor, theirs: EditorClient) -> None:
    await theirs.start()
    with ours.progress(None) as bar:
        bar.begin("x")
        bar.report("y", 5)
    ours.log_message("log", "after")
    await theirs.wait_for("window/logMessage")
    assert theirs.notifications("$/progress") == []


@pytest.mark.parametrize(
    ("given", "shown"),
    [(None, None), (0, 0), (33.4, 33), (100, 100), (250, 100), (-5, 0), (float("nan"), None), (float("inf"), 100)],
)
async def test_a_percentage_is_an_integer_between_0_and_100(
    ours: Editor, theirs: EditorClient, given: Any, shown: Any
) -> None:
    await theirs.start()
    ours.progress("t").begin("x", percentage=given)
    value = (await theirs.wait_for("$/progress"))["value"]
    assert value.get("percentage") == shown


async def test_files_and_settings_are_watched_where_the_client_can(
    ours: Editor, theirs: EditorClient, tmp_path: Path
) -> None:
    await theirs.start()
    assert await ours.watch(tmp_path / "a b") is True
    files, settings = theirs.registrations
    assert (files["method"], settings["method"]) == (
        "workspace/didChangeWatchedFiles",
        "workspace/didChangeConfiguration",
    )
    watchers = files["registerOptions"]["watchers"]
    assert watchers[0] == {"globPattern": "**/.codeagent/{mcp,settings}.json"}
    assert watchers[1]["globPattern"] == {"baseUri": (tmp_path / "a b").as_uri(), "pattern": "{mcp,settings}.json"}
    assert settings["registerOptions"] == {"section": "codeagent"}


def without(capability: str) -> dict[str, Any]:
    capabilities = usual_capabilities()
    match capability:
        case "relative":
            del capabilities["workspace"]["didChangeWatchedFiles"]["relativePatternSupport"]
        case "everything":
            return {}
        case name:
            del capabilities["workspace"][name]
    return capabilities


@pytest.mark.parametrize(
    ("capability", "watched", "count"),
    [
        ("relative", True, 2),
        ("didChangeConfiguration", True, 1),
        ("didChangeWatchedFiles", False, 1),
        ("everything", False, 0),
    ],
)
async def test_only_what_the_client_can_is_registered(
    ours: Editor, theirs: EditorClient, tmp_path: Path, capability: str, watched: bool, count: int
) -> None:
    await theirs.start(capabilities=without(capability))
    assert await ours.watch(tmp_path) is watched
    assert len(theirs.registrations) == count
    if capability == "relative":
        assert len(theirs.registrations[0]["registerOptions"]["watchers"]) == 1


async def test_a_client_that_refuses_to_watch_is_believed(ours: Editor, theirs: EditorClient, tmp_path: Path) -> None:
    await theirs.start()
    theirs.answer("client/registerCapability", LspError({"code": -32601, "message": "no"}))
    assert await ours.watch(tmp_path) is False


async def test_settings_are_read_from_the_client(ours: Editor, theirs: EditorClient) -> None:
    await theirs.start()
    theirs.settings = {"alsoRead": [".mcp.json"], "class": None}
    assert await ours.configuration("file:///w") == {"alsoRead": [".mcp.json"], "class": None}
    [(_, params)] = theirs.questions
    assert params == {"items": [{"section": "codeagent", "scopeUri": "file:///w"}]}


@pytest.mark.parametrize("answer", [None, [], [None], ["x"], [5], {}, "x", [[]], LspError({"code": 1, "message": ""})])
async def test_settings_of_another_shape_are_none(ours: Editor, theirs: EditorClient, answer: Any) -> None:
    await theirs.start()
    theirs.answer("workspace/configuration", answer)
    assert await ours.configuration() is None


async def test_a_client_without_settings_is_not_asked(ours: Editor, theirs: EditorClient) -> None:
    await theirs.start(capabilities={})
    assert await ours.configuration() is None
    assert theirs.questions == []

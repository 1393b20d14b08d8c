"""`initialize`: what the server says of itself, and clients that are not quite as LSP has them."""

from typing import Any

import pytest

from codeagent_lsp.protocol import COMMANDS, PROTOCOL_VERSION
from editor_client import EditorClient
from tiny_lsp import TinyServer


async def test_every_command_of_the_protocol_is_announced(tiny: EditorClient) -> None:
    await tiny.start()
    capabilities = tiny.initialize_result["capabilities"]
    assert set(COMMANDS) <= set(capabilities["executeCommandProvider"]["commands"])
    assert capabilities["executeCommandProvider"]["workDoneProgress"] is True
    assert capabilities["experimental"] == {"codeagent": {"protocol": PROTOCOL_VERSION}}
    assert tiny.initialize_result["serverInfo"] == {"name": "tiny", "version": "1.0"}


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, "utf-16"),
        ([], "utf-16"),
        (["utf-16"], "utf-16"),
        (["utf-8", "utf-16"], "utf-8"),
        (["utf-32", "utf-16"], "utf-32"),
        (["utf-7", "utf-32", "utf-8"], "utf-32"),
        (["latin-1"], "utf-16"),
    ],
)
async def test_positions_are_in_the_first_encoding_of_the_client_that_is_known(
    tiny: EditorClient, server: TinyServer, offered: Any, chosen: str
) -> None:
    await tiny.start(capabilities={} if offered is None else {"general": {"positionEncodings": offered}})
    assert tiny.initialize_result["capabilities"]["positionEncoding"] == chosen
    assert server.position_encoding == chosen


@pytest.mark.parametrize(
    ("theirs", "update"), [(PROTOCOL_VERSION + 1, "update codeagent-lsp"), (0, "update the editor's plugin")]
)
async def test_another_protocol_version_is_one_clear_message(tiny: EditorClient, theirs: int, update: str) -> None:
    await tiny.start(capabilities={"experimental": {"codeagent": {"protocol": theirs}}})
    [message] = tiny.notifications("window/showMessage")
    assert f"version {theirs}" in message["message"]
    assert f"version {PROTOCOL_VERSION}" in message["message"]
    assert update in message["message"]


@pytest.mark.parametrize(
    "experimental",
    [None, {}, 5, [], "x", {"codeagent": None}, {"codeagent": 1}, {"codeagent": {}}, {"codeagent": {"protocol": "2"}},
     {"codeagent": {"protocol": True}}, {"codeagent": {"protocol": PROTOCOL_VERSION}}, {"other": 1}],
)  # fmt: skip
async def test_no_version_or_the_same_is_no_message(tiny: EditorClient, experimental: Any) -> None:
    await tiny.start(capabilities={"experimental": experimental})
    assert tiny.notifications("window/showMessage") == []


ODD_CAPABILITIES = [
    {"workspace": 5},
    {"workspace": {"workspaceEdit": {"resourceOperations": ["zap"]}}},
    {"textDocument": {"completion": {"completionItem": {"tagSupport": {"valueSet": [99]}}}}},
    {"window": [], "textDocument": "all"},
    {"general": {"positionEncodings": [5, "utf-8"]}},
]


@pytest.mark.parametrize("capabilities", ODD_CAPABILITIES)
async def test_a_client_with_odd_capabilities_is_served_all_the_same(
    tiny: EditorClient, server: TinyServer, capabilities: Any
) -> None:
    odd = {**capabilities, "general": capabilities.get("general", {"positionEncodings": ["utf-32"]})}
    await tiny.start(capabilities={**odd, "experimental": {"codeagent": {"protocol": 7}}})
    assert server.position_encoding in ("utf-32", "utf-8")
    assert len(tiny.notifications("window/showMessage")) == 1
    await tiny.command("tiny.echo")


@pytest.mark.parametrize(
    "params",
    [
        {"processId": "x"},
        {"processId": 1.5},
        {"processId": None},
        {"processId": -1},
        {"processId": 0},
        {"processId": 2**70},
        {"processId": True},
        {"rootUri": 5},
        {"rootUri": "not a uri"},
        {"rootUri": "file:///c%3A/x"},
        {"rootUri": "untitled:1"},
        {"rootUri": "vscode-userdata:/x"},
        {"rootUri": None, "rootPath": "/tmp"},
        {"rootUri": None, "rootPath": 5},
        {"workspaceFolders": [{"uri": 5}]},
        {"workspaceFolders": "all"},
        {"workspaceFolders": [{"uri": "file:///a%20b%23c"}]},
        {"workspaceFolders": [None, {"uri": "file:///a", "name": "a"}]},
        {"trace": "loud"},
        {"capabilities": None},
        {"capabilities": []},
        {"clientInfo": "x"},
        {"locale": 5},
        {"initializationOptions": None},
        {"initializationOptions": [1]},
        {"initializationOptions": "x"},
        {"initializationOptions": 5},
    ],
)
async def test_a_client_that_says_odd_things_is_served_all_the_same(tiny: EditorClient, params: Any) -> None:
    await tiny.start(initialize=params)
    assert await tiny.command("tiny.echo") == {"params": {}, "token": None}


async def test_good_folders_beside_bad_ones_are_kept(tiny: EditorClient, server: TinyServer) -> None:
    folders = [{"uri": 5}, {"uri": "file:///good", "name": "good"}, None]
    await tiny.start(initialize={"workspaceFolders": folders})
    assert list(server.workspace.folders) == ["file:///good"]


async def test_a_handler_of_initialize_sees_the_options_as_they_came(tiny: EditorClient, server: TinyServer) -> None:
    seen: list[Any] = []
    server.feature("initialize")(lambda params: seen.append(params.initialization_options))
    odd = {"clientFeatures": 5, "workspaceTrust": "yes", "class": {"jsonrpc": 1}}
    await tiny.start(initialize={"initializationOptions": odd})
    assert seen == [odd]


async def test_a_document_of_an_unknown_kind_does_no_harm(tiny: EditorClient) -> None:
    await tiny.start()
    for method, params in [
        ("textDocument/didChange", {"textDocument": {"uri": "untitled:9", "version": 2}, "contentChanges": []}),
        ("textDocument/didChange", {
            "textDocument": {"uri": "untitled:9", "version": 1}, "contentChanges": [{"text": ""}]}),
        ("textDocument/didClose", {"textDocument": {"uri": "untitled:9"}}),
        ("textDocument/didOpen", {"textDocument": {"uri": "", "languageId": "", "version": 0, "text": "\ud83d\ude00"}}),
        ("textDocument/didOpen", {}),
        ("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [{"uri": "x", "name": ""}]}}),
    ]:  # fmt: skip
        await tiny.notify(method, params)
    await tiny.command("tiny.echo")
    assert tiny.notifications("window/showMessage") == []

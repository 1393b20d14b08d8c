"""Another client: the cases of editors against the server process of a user, driven by pytest-lsp in every encoding."""

import os
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from lsprotocol import converters, types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient, make_test_lsp_client

from e2e.kit import PATIENCE, Table
from e2e.scripts import servers
from editor_cases import ENCODINGS, LISTED, Encoding, cases, declare
from editor_client import write_json
from editor_wires import isolated_environment

pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning")]

CONVERTER = converters.get_converter()
Start = Callable[..., Any]


@pytest.fixture
async def start(home: Path, workspace: Path, tmp_path: Path) -> AsyncIterator[Start]:
    """Starts the server with all the cases' servers up: `await start(encodings)`."""
    client = make_test_lsp_client()

    async def begin(encodings: list[str] | None, **more: Any) -> LanguageClient:
        write_json(home / ".codeagent" / "mcp.json", servers(**declare(tmp_path / "lists")))
        env = {**os.environ, **isolated_environment(home)}
        await client.start_io(sys.executable, "-m", "codeagent_lsp", env=env)
        offered = cast(Any, encodings)
        params = types.InitializeParams(
            capabilities=types.ClientCapabilities(general=types.GeneralClientCapabilities(position_encodings=offered)),
            workspace_folders=[types.WorkspaceFolder(workspace.as_uri(), "w")],
            initialization_options={"clientFeatures": ["documents"], "workspaceTrust": True},
            **more,
        )
        result = await client.initialize_session(params)
        assert result.capabilities.position_encoding == (encodings or ["utf-16"])[0]
        await up(client)
        return client

    yield begin
    with anyio.fail_after(PATIENCE):
        await client.shutdown_session()
    await client.stop()


async def execute(client: LanguageClient, command: str, *arguments: Any) -> Any:
    """`workspace/executeCommand`, as plain JSON."""
    params = types.ExecuteCommandParams(command, list(arguments))
    with anyio.fail_after(PATIENCE):
        return plain(await client.workspace_execute_command_async(params))


def plain(value: Any) -> Any:
    """What pygls made of JSON without a type of its own, as JSON again."""
    if hasattr(value, "_asdict"):
        return {key: plain(item) for key, item in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


async def up(client: LanguageClient) -> None:
    """Wait until every server that is to run is listed."""
    with anyio.fail_after(PATIENCE):
        while True:
            found = {item["server"]: item for item in (await execute(client, "codeagent.status"))["servers"]}
            if all(found.get(name, {}).get("resources") == len(uris) for name, uris in LISTED.items()):
                return
            await anyio.sleep(0.02)


def open_text(client: LanguageClient, uri: str, text: str, language: str = "markdown", version: int = 1) -> None:
    item = types.TextDocumentItem(uri, language, version, text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))


async def ask(client: LanguageClient, method: str, params: dict[str, Any]) -> Any:
    """The result of a request, as JSON."""
    structured = CONVERTER.structure(params, types.METHOD_TO_TYPES[method][2])
    with anyio.fail_after(PATIENCE):
        return CONVERTER.unstructure(await client.protocol.send_request_async(method, structured))


@pytest.mark.timeout(240)
@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_the_cases_of_editors_hold_in_every_encoding(start: Start, encoding: Encoding) -> None:
    """LSP-02, LSP-03, LSP-04, LSP-05, LSP-06, LSP-07 and LSP-08."""
    client = await start([encoding, *(["utf-16"] if encoding != "utf-16" else [])])
    table = Table()
    for number, case in enumerate(cases(encoding)):
        uri = f"file:///w/{number}"
        open_text(client, uri, case.text, case.language)
        with table.case(case.name):
            case.check(await ask(client, case.method, {"textDocument": {"uri": uri}, **case.params}))
        closed = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
        client.text_document_did_close(closed)
    table.judge()


@pytest.mark.parametrize("encodings", [None, ["utf-16"], ["utf-8", "utf-16"], ["utf-32", "utf-16"]])
async def test_changes_are_read_in_the_encoding_that_was_chosen(start: Start, encodings: list[str] | None) -> None:
    """LSP-02 and LSP-08: edits behind emoji, requests that are ahead of the text, versions out of order, late requests."""
    client = await start(encodings)
    encoding = (encodings or ["utf-16"])[0]
    uri = "file:///w/a.md"
    document = {"textDocument": {"uri": uri}}
    wide = {"utf-8": 4, "utf-16": 2, "utf-32": 1}[encoding]

    def change(version: int, *changes: dict[str, Any]) -> None:
        given = {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)}
        client.text_document_did_change(CONVERTER.structure(given, types.DidChangeTextDocumentParams))

    def part(start: int, end: int, text: str) -> dict[str, Any]:
        return {"range": {"start": {"line": 0, "character": start}, "end": {"line": 0, "character": end}}, "text": text}

    open_text(client, uri, "😀 see ")
    early = await ask(client, "textDocument/completion", {**document, "position": {"line": 0, "character": wide + 6}})
    assert early["items"] == []
    change(2, part(wide + 5, wide + 5, "@"), part(wide + 6, wide + 6, "docs:"))
    found = await ask(client, "textDocument/completion", {**document, "position": {"line": 0, "character": wide + 11}})
    assert {item["textEdit"]["newText"] for item in found["items"]} >= {"@docs:x://1"}
    change(1, part(wide + 11, wide + 11, "x://1"))
    (link,) = await ask(client, "textDocument/documentLink", document)
    assert link["range"]["start"] == {"line": 0, "character": wide + 5}
    change(4, part(0, wide, "👨‍👩‍👧é"))
    (link,) = await ask(client, "textDocument/documentLink", document)
    family = {"utf-8": 20, "utf-16": 9, "utf-32": 6}[encoding]
    assert link["range"]["start"] == {"line": 0, "character": family + 5}
    change(5, {"text": "@docs:x://1"})
    (link,) = await ask(client, "textDocument/documentLink", document)
    assert link["range"]["start"] == {"line": 0, "character": 0}
    client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    assert await ask(client, "textDocument/hover", {**document, "position": {"line": 0, "character": 3}}) is None


async def test_commands_are_answered_or_refused_in_one_sentence(start: Start) -> None:
    """LSP-01 and LSP-11."""
    client = await start(["utf-16"])
    for given in ([], [None], [[]], [{}]):
        assert (await execute(client, "codeagent.status", *given))["servers"], given
    wrong = (["docs"], [{"server": "docs"}, "extra"], [{"server": 7}], [{"server": "docs", "bogus": 1}], [])
    for given in (*wrong, None):
        name = "codeagent.restart" if given is not None else "codeagent.restrat"
        with pytest.raises(JsonRpcException) as failed:
            await execute(client, name, *(given or []))
        assert failed.value.code == -32602, given
        assert "Traceback" not in f"{failed.value.message} {failed.value.data}"
    call = {"server": "docs", "tool": "echo", "arguments": {"text": "x"}}
    with pytest.raises(JsonRpcException) as failed:
        await execute(client, "codeagent.callTool", call)  # nobody can be asked: the safe answer is no
    assert failed.value.code == -32803


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_diagnostics_are_where_the_text_is(start: Start, encoding: Encoding) -> None:
    client = await start([encoding])
    uri = "file:///w/a.md"
    open_text(client, uri, "😀 @docs:none://x")
    with anyio.fail_after(PATIENCE):
        while not client.diagnostics.get(uri):
            await client.wait_for_notification("textDocument/publishDiagnostics")
    wide = {"utf-8": 4, "utf-16": 2, "utf-32": 1}[encoding]
    (mark,) = client.diagnostics[uri]
    assert (mark.range.start.character, mark.range.end.character) == (wide + 1, wide + 15)

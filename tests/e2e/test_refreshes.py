"""What the editor shows over texts is asked for again when servers change: lenses, tokens, opened resources."""

import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from codeagent_lsp.language.refreshing import Refreshing
from e2e.kit import Listed, call, eventually, until
from e2e.scripts import requests, scripted, servers
from editor_client import EditorClient, usual_capabilities

pytestmark = pytest.mark.anyio

NOTE = "file:///w/note.md"
REFRESH = "workspace/textDocumentContent/refresh"
LENSES, TOKENS = "workspace/codeLens/refresh", "workspace/semanticTokens/refresh"


def capabilities(**refreshes: bool) -> dict[str, Any]:
    made = usual_capabilities()
    made["workspace"] |= {kind: {"refreshSupport": said} for kind, said in refreshes.items()}
    return made


async def open_text(editor: EditorClient, text: str, uri: str = NOTE) -> None:
    item = {"uri": uri, "languageId": "markdown", "version": 1, "text": text}
    await editor.notify("textDocument/didOpen", {"textDocument": item})


def asked(editor: EditorClient, method: str) -> int:
    return [name for name, _ in editor.questions].count(method)


async def lens(editor: EditorClient) -> list[str]:
    found = await editor.request("textDocument/codeLens", {"textDocument": {"uri": NOTE}})
    return [item["command"]["title"] for item in found]


async def test_lenses_and_tokens_are_asked_for_again_when_servers_change(
    editor: EditorClient, workspace: Path, tmp_path: Path
) -> None:
    listed = Listed(tmp_path / "lists")
    listed.put("resources/list", {"resources": [{"uri": "a://1", "name": "one"}]})
    wanted = capabilities(codeLens=True, semanticTokens=True)
    await editor.start(workspace, user_config=servers(docs=scripted(listed.word)), capabilities=wanted)
    await until(editor, "docs", lambda found: found["resources"] == 1)
    await open_text(editor, "@docs:a://1\n")
    await editor.command("codeagent.stop", server="docs")
    await eventually(lambda: asked(editor, LENSES))
    assert await lens(editor) == ["Start docs"]
    before = asked(editor, TOKENS)
    listed.put("resources/list", {"resources": [{"uri": "a://1 b", "name": "other"}, {"uri": "a://1", "name": "one"}]})
    await editor.command("codeagent.start", server="docs")
    await until(editor, "docs", lambda found: found["resources"] == 2)
    await eventually(lambda: asked(editor, TOKENS) > before)
    assert (await lens(editor))[0].startswith("Open one")
    assert all(params is None for method, params in editor.questions if method in (LENSES, TOKENS))


@pytest.mark.parametrize(
    ("said", "method"),
    [({"codeLens": True}, TOKENS), ({"semanticTokens": True, "codeLens": False}, LENSES), ({}, LENSES)],
)
async def test_a_client_is_asked_only_for_what_it_said(
    editor: EditorClient, workspace: Path, said: dict[str, bool], method: str
) -> None:
    await editor.start(workspace, user_config=servers(docs=scripted()), capabilities=capabilities(**said))
    await open_text(editor, "@docs:a://1\n")
    await until(editor, "docs", lambda found: found["resources"] == 1)
    await editor.command("codeagent.stop", server="docs")
    await editor.wait_for(
        "codeagent/statusChanged", lambda params: any(s["state"] == "stopped" for s in params["servers"])
    )
    await editor.command("codeagent.start", server="docs")
    for kind, yes in said.items():
        if yes:
            await eventually(lambda kind=kind: asked(editor, f"workspace/{kind}/refresh"))
    assert asked(editor, method) == 0


async def test_nothing_is_asked_where_no_document_is_open(editor: EditorClient, workspace: Path) -> None:
    wanted = capabilities(codeLens=True, semanticTokens=True)
    await editor.start(workspace, user_config=servers(docs=scripted()), capabilities=wanted)
    await open_text(editor, "x")
    await editor.notify("textDocument/didClose", {"textDocument": {"uri": NOTE}})
    await until(editor, "docs", lambda found: found["resources"] == 1)
    before = asked(editor, LENSES), asked(editor, TOKENS)
    await editor.command("codeagent.stop", server="docs")
    await editor.wait_for(
        "codeagent/statusChanged", lambda params: any(s["state"] == "stopped" for s in params["servers"])
    )
    await editor.command("codeagent.start", server="docs")
    assert (asked(editor, LENSES), asked(editor, TOKENS)) == before


async def test_many_changes_are_one_refresh_and_none_overlap() -> None:
    sent: list[str] = []
    answered = anyio.Event()
    waiting = anyio.Event()

    async def ask(kind: str) -> None:
        sent.append(kind)
        waiting.set()
        await answered.wait()

    async with anyio.create_task_group() as tasks:
        refreshing = Refreshing(ask, {"codeLens", "semanticTokens"})

        def mark(kind: str) -> None:
            refreshing.mark(kind, lambda work: tasks.start_soon(lambda: work))

        for _ in range(100):
            mark("codeLens")
            mark("inlayHint")
        with anyio.fail_after(5):
            await waiting.wait()
        for _ in range(100):  # while the client has not answered yet
            mark("codeLens")
            mark("semanticTokens")
        assert sent == ["codeLens"]
        answered.set()
    assert sent == ["codeLens", "codeLens", "semanticTokens"]


# -- opened resources ------------------------------------------------------------------------------------------------


DEMO = {"command": sys.executable, "args": ["-m", "codeagent_lsp.demo"], "autoApprove": ["*"]}
PROTOCOLS = ["legacy", "modern"]


class Rig:
    """A resource that can be changed, of a server of either protocol; the newer one is the demo's notebook."""

    def __init__(self, editor: EditorClient, folder: Path, protocol: str) -> None:
        self.editor, self.protocol = editor, protocol
        self.listed, self.log = Listed(folder / "lists"), folder / "log"
        self.uri = "note://readme"
        self.listed.put("resources/list", {"resources": [{"uri": self.uri, "name": "readme.md"}]})
        self._write("# Notebook")
        old = scripted(self.listed.word, f"log={self.log}", "list=tell", autoApprove=["*"], protocol="legacy")
        self.entry = old if protocol == "legacy" else {**DEMO, "protocol": "modern"}

    def _write(self, text: str) -> None:
        self.listed.put("resources/read", {"contents": [{"uri": self.uri, "text": text}]})

    async def change(self, text: str) -> None:
        """Give the resource another text, of which its server tells."""
        if self.protocol == "modern":
            await call(self.editor, "docs", "add_note", name="readme", text=text)
            return
        self._write(text)
        told = {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": self.uri}}
        await call(self.editor, "docs", "tell", message=told)

    async def followed(self) -> bool:
        """Whether changes of the resource are followed, as its code actions have it."""
        zero = {"line": 0, "character": 1}
        params = {"textDocument": {"uri": NOTE}, "range": {"start": zero, "end": zero}, "context": {"diagnostics": []}}
        actions = await self.editor.request("textDocument/codeAction", params)
        return any(action["title"].startswith("Stop following") for action in actions)

    async def until_followed(self, wanted: bool) -> None:
        with anyio.fail_after(20):
            while await self.followed() != wanted:
                await anyio.sleep(0.02)


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_an_open_document_of_a_resource_is_refreshed_until_it_is_closed(
    editor: EditorClient, workspace: Path, tmp_path: Path, protocol: str
) -> None:
    rig = Rig(editor, tmp_path, protocol)
    wanted = usual_capabilities()
    wanted["workspace"]["textDocumentContent"] = {}
    await editor.start(workspace, user_config=servers(docs=rig.entry), capabilities=wanted)
    await until(editor, "docs", lambda found: found["resources"] > 0)
    await open_text(editor, f"@docs:{rig.uri}")
    address = next(
        item["documentUri"]
        for item in (await editor.command("codeagent.listResources"))["resources"]
        if item["uri"] == rig.uri
    )
    shown = await editor.request("workspace/textDocumentContent", {"uri": address})
    assert shown["text"].startswith("# Notebook")
    await open_text(editor, shown["text"], address)
    await rig.until_followed(True)
    if protocol == "legacy":
        await rig.change("another text")
    else:  # the stream of a newer server may still be on its way
        with anyio.fail_after(20):
            while not asked(editor, REFRESH):
                await rig.change("another text")
                await anyio.sleep(0.1)
    refreshed = await editor.wait_for(REFRESH)
    assert refreshed == {"uri": address}
    assert (await editor.request("workspace/textDocumentContent", {"uri": address}))["text"] == "another text"
    await editor.notify("textDocument/didClose", {"textDocument": {"uri": address}})
    await rig.until_followed(False)
    if protocol == "legacy":
        await eventually(lambda: "resources/unsubscribe" in [item.get("method") for item in requests(rig.log)])


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_the_file_of_a_resource_is_written_anew_until_it_is_closed(
    editor: EditorClient, workspace: Path, tmp_path: Path, protocol: str
) -> None:
    rig = Rig(editor, tmp_path, protocol)
    await editor.start(workspace, user_config=servers(docs=rig.entry))
    await until(editor, "docs", lambda found: found["resources"] > 0)
    await open_text(editor, f"@docs:{rig.uri}")
    place = {"textDocument": {"uri": NOTE}, "position": {"line": 0, "character": 8}}
    found = await editor.request("textDocument/definition", place)
    path = Path(found["uri"].removeprefix("file://"))
    await open_text(editor, path.read_text("utf-8"), found["uri"])
    await rig.until_followed(True)
    with anyio.fail_after(20):
        while path.read_text("utf-8") != "another text":
            await rig.change("another text")
            await anyio.sleep(0.1)
    assert path.stat().st_mode & 0o777 == 0o400
    await editor.notify("textDocument/didClose", {"textDocument": {"uri": found["uri"]}})
    await rig.until_followed(False)
    await open_text(editor, "", found["uri"])
    await rig.until_followed(True)

"""Real-world cases of remote servers (HTP): lost sessions, older transports, redirects, statuses, proxies, headers."""

import asyncio
import json
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from e2e.kit import ScriptedHttp, Table, call, http, log, refusal, remote, states, status, tools, until, up
from e2e.scripts import scripted, servers
from editor_client import EditorClient

pytestmark = pytest.mark.anyio


def sent(server: ScriptedHttp, method: str) -> int:
    return server.methods().count(method)


@pytest.mark.parametrize("how", ["404", "404json", "400", "200"])
async def test_a_forgotten_session_costs_at_most_one_call_and_is_opened_anew_once(
    editor: EditorClient, workspace: Path, stack: AsyncExitStack, how: str
) -> None:
    """HTP-01 and HTP-02, R47: a call is not sent twice, a read goes on by itself, two losses are one new session."""
    server = await http(stack, "session", "list=slow")
    await up(editor, workspace, {"s": remote(server)})
    assert server.opened == 1
    server.told["forgets"] = how
    server.sessions.clear()
    both = [await editor.begin_command("codeagent.callTool", server="s", tool="echo") for _ in range(2)]
    failures = [await refusal(one) for one in both]
    for failed in failures:
        assert failed.data["kind"] in ("transport", "notReady", "protocol"), failed.data
    server.told.pop("forgets")
    await until(editor, "s", lambda found: found["state"] == "ready" and found["restarts"] <= 1)
    assert (await call(editor, "s", "echo", text="again"))["text"] == "again"
    assert server.opened == 2
    assert sent(server, "tools/call") <= 3
    assert sent(server, "tools/list") == 2


async def test_a_read_goes_on_by_itself_when_the_session_was_forgotten(
    editor: EditorClient, workspace: Path, stack: AsyncExitStack
) -> None:
    """HTP-01: reads and lists harm nobody when they are sent again."""
    server = await http(stack, "session")
    await up(editor, workspace, {"s": remote(server)})
    server.sessions.clear()
    read = await editor.command("codeagent.readResource", server="s", uri="a://1")
    assert read["contents"][0]["text"] == "contents of a://1"
    server.sessions.clear()
    assert (await editor.command("codeagent.getPrompt", server="s", name="p"))["text"]
    assert server.opened == 3


async def test_a_server_that_forgets_every_session_at_once_is_given_time(
    editor: EditorClient, workspace: Path, stack: AsyncExitStack
) -> None:
    """HTP-01: no loop of new sessions."""
    server = await http(stack, "session", "lost=404")
    await editor.start(workspace, user_config=servers(s=remote(server)))
    await until(editor, "s", lambda found: found["restarts"] >= 2)
    assert server.opened <= 4
    found = await until(editor, "s", lambda found: found["state"] == "failed")
    assert "session" in found["error"]["message"]


@pytest.mark.parametrize("code", ["405", "404", "400", "200"])
async def test_an_older_server_is_found_behind_its_refusal(
    editor: EditorClient, workspace: Path, stack: AsyncExitStack, code: str
) -> None:
    """HTP-04: HTTP+SSE of 2024-11-05, asked for by type or found by itself."""
    first, second = await http(stack, f"old={code}"), await http(stack, f"old={code}")
    await up(editor, workspace, {"found": remote(first), "named": remote(second, type="sse")})
    for name in ("named", "found"):
        found = await status(editor, name)
        assert found["state"] == "ready", found
        assert found["transport"] == "sse"
        assert (await call(editor, name, "echo", text="up"))["text"] == "up"


@pytest.mark.parametrize(("code", "state"), [(401, "needsAuth"), (403, "needsAuth"), (500, "failed"), (410, "failed")])
async def test_other_refusals_are_no_sign_of_an_older_server(
    editor: EditorClient, workspace: Path, stack: AsyncExitStack, code: int, state: str
) -> None:
    """HTP-04 and HTP-07: told by status; the body is not shown."""
    server = await http(stack, f"status=*:{code}", "body=internal-secret-detail of Bearer t1-secret-value")
    entry = remote(server, headers={"X-Key": "t1-secret-value"})
    await editor.start(workspace, user_config=servers(s=entry))
    found = await until(editor, "s", lambda found: "error" in found)
    assert found["state"] == state
    assert str(code) in found["error"]["message"]
    assert "internal-secret" not in json.dumps(await editor.command("codeagent.status"))
    assert "t1-secret" not in json.dumps(await log(editor, "s"))
    assert all(method == "POST" for method, *_ in server.requests)


async def test_an_endpoint_elsewhere_is_refused(editor: EditorClient, workspace: Path, stack: AsyncExitStack) -> None:
    """HTP-04: the older transport's endpoint must be of the same origin."""
    other = await http(stack)
    places = {"port": other.url, "network": f"//127.0.0.1:{other.port}/x", "name": f"http://localhost:{other.port}/m",
              "userinfo": f"http://a@127.0.0.1:{other.port}/m", "file": "file:///etc/passwd"}  # fmt: skip
    rigs = {name: await http(stack, "old=405", f"endpoint={place}") for name, place in places.items()}
    await editor.start(workspace, user_config=servers(**{name: remote(rig) for name, rig in rigs.items()}))
    for name in places:
        found = await until(editor, name, lambda found: "error" in found)
        assert "refused" in found["error"]["message"], found
    assert other.requests == []


@pytest.mark.parametrize(("code", "follows"), [(307, True), (308, True), (301, False), (302, False), (303, False)])
async def test_a_redirect_keeps_method_body_and_headers_or_is_not_followed(
    editor: EditorClient, workspace: Path, stack: AsyncExitStack, code: int, follows: bool
) -> None:
    """HTP-05: a POST never becomes a GET."""
    server = await http(stack, f"redirect={code}", "list=headers")
    entry = remote(server, headers={"Authorization": "Bearer t1-secret"})
    await editor.start(workspace, user_config=servers(s=entry))
    found = await until(editor, "s", lambda found: found["state"] in ("ready", "failed"))
    assert found["state"] == ("ready" if follows else "failed"), found
    if follows:
        headers = json.loads((await call(editor, "s", "headers"))["text"])
        assert headers["authorization"] == "Bearer t1-secret"
    else:
        assert str(code) in found["error"]["message"]
    assert {method for method, *_ in server.requests} <= {"POST"}


async def test_a_redirect_to_another_origin_is_not_followed_and_sees_no_header(
    editor: EditorClient, workspace: Path, stack: AsyncExitStack
) -> None:
    """HTP-05, T62 and T63."""
    other = await http(stack)
    entries = {}
    for code in (301, 302, 307, 308):
        server = await http(stack, f"redirect={code}:{other.url}")
        entries[f"s{code}"] = remote(server, headers={"Authorization": "Bearer t1-secret"})
    await editor.start(workspace, user_config=servers(**entries))
    for name in entries:
        found = await until(editor, name, lambda found: "error" in found)
        assert found["state"] == "failed"
        assert "redirect" in found["error"]["message"]
    assert other.requests == []


CALL_STATUS: dict[str, tuple[list[str], str]] = {
    "401": (["status=tools/call:401"], "needsAuth"),
    "403": (["status=tools/call:403"], "needsAuth"),
    "429": (["status=tools/call:429", "retry_after=1"], "transport"),
    "429_for_ever": (["status=tools/call:429", "retry_after=999999"], "transport"),
    "500": (["status=tools/call:500"], "transport"),
    "502": (["status=tools/call:502"], "transport"),
    "503": (["status=tools/call:503", "retry_after=1"], "transport"),
    "504": (["status=tools/call:504"], "transport"),
    "418": (["status=tools/call:418"], "transport"),
    "302": (["status=tools/call:302"], "transport"),
}


async def test_a_call_that_is_refused_says_the_status_and_is_sent_once(
    editor: EditorClient, workspace: Path, stack: AsyncExitStack
) -> None:
    """HTP-07 and R42."""
    rigs = {name: await http(stack, *words, "body=internal-secret-detail") for name, (words, _) in CALL_STATUS.items()}
    await up(editor, workspace, {name: remote(rig) for name, rig in rigs.items()})
    table = Table()
    for name, (_, kind) in CALL_STATUS.items():
        with table.case(name):
            began = time.monotonic()
            failed = await refusal(call(editor, name, "echo"))
            assert failed.data["kind"] == kind, failed.message
            assert name[:3] in failed.message
            assert "internal-secret" not in failed.message + str(failed.data)
            assert time.monotonic() - began < 5
            assert sent(rigs[name], "tools/call") == 1
    table.judge()
    for name in ("500", "429", "418"):
        assert (await status(editor, name))["state"] == "ready"
    assert (await status(editor, "401"))["state"] == "needsAuth"


NOT_MCP: dict[str, tuple[str, ...]] = {
    "html": ("type=*:text/html", "raw=*:<html>sign in</html>"),
    "204": ("empty=*:204",),
    "202": ("empty=*:202",),
    "empty": ("empty=*:200",),
    "no_type": ("type=*:", "raw=*:hello"),
    "text": ("type=*:text/plain", "raw=*:hello"),
    "half_json": ("raw=*:{\"jsonrpc\":\"2.0\",",),
    "json_list": ("raw=*:[]",),
    "json_text": ("raw=*:\"ok\"",),
    "json_object": ("raw=*:{\"status\":\"ok\"}",),
    "cut": ("half=initialize",),
    "closed": ("close=*",),
    "events_without_an_answer": ("type=*:text/event-stream", "raw=*:: hello\n\n"),
    "xml": ("type=*:application/xml", "raw=*:<a/>"),
}  # fmt: skip


async def test_what_is_no_mcp_server_fails_at_once_and_says_what_it_answered(
    editor: EditorClient, workspace: Path, stack: AsyncExitStack
) -> None:
    """HTP-08; and the headers of every request."""
    rigs = {name: await http(stack, *words) for name, words in NOT_MCP.items()}
    good = await http(stack, "list=headers")
    entries = {name: remote(rig) for name, rig in rigs.items()}
    await editor.start(workspace, user_config=servers(**entries, good=remote(good)))
    began = time.monotonic()
    table = Table()
    for name in NOT_MCP:
        with table.case(name):
            found = await until(editor, name, lambda found: "error" in found)
            assert found["error"]["kind"] in ("protocol", "transport"), found
            assert "pydantic" not in found["error"]["message"]
    table.judge()
    assert time.monotonic() - began < 20
    html = (await status(editor, "html"))["error"]["message"]
    assert "text/html" in html
    await until(editor, "good", lambda found: found["state"] == "ready")
    headers = json.loads((await call(editor, "good", "headers"))["text"])
    assert "application/json" in headers["accept"] and "text/event-stream" in headers["accept"]
    assert headers["mcp-protocol-version"] == "2025-11-25"


async def test_headers_are_sent_as_they_were_meant(
    editor: EditorClient, workspace: Path, stack: AsyncExitStack
) -> None:
    """HTP-13: a pasted line end goes, the protocol's own stay ours, what cannot be sent is named and not shown."""
    good = await http(stack, "list=headers", "session")
    protocol = {"Mcp-Session-Id": "x", "Content-Length": "0", "Host": "evil", "Accept": "x", "Content-Type": "x",
                "MCP-Protocol-Version": "1", "Transfer-Encoding": "chunked", "Connection": "close"}  # fmt: skip
    entries: dict[str, Any] = {
        "good": remote(good, headers={"X": "a\n", "Y": "  1 ", "T": ""}),
        "protocol": remote(good, headers=protocol),
    }
    bad = {"inner": {"X": "s3cret\r\nEvil: 1"}, "name": {"": "s3cret"}, "spaced": {"a b": "s3cret"},
           "number": {"s": 1}, "wide": {"X": "s3cret-é"}, "object": {"X": {"a": "s3cret"}}, "nul": {"X": "s3cret\u0000"}}  # fmt: skip
    for name, headers in bad.items():
        entries[name] = remote(good, headers=headers)
    await editor.start(workspace, user_config=servers(**entries))
    for name in ("good", "protocol"):
        found = await until(editor, name, lambda found: found["state"] in ("ready", "failed"))
        if found["state"] == "ready":
            headers = json.loads((await call(editor, name, "headers"))["text"])
            assert headers["mcp-session-id"].startswith("session-")
            assert headers["host"] == f"127.0.0.1:{good.port}"
            assert headers["content-type"] == "application/json"
            assert "transfer-encoding" not in headers
            assert name != "good" or (headers["x"], headers["y"], headers["t"]) == ("a", "1", "")
        else:
            assert name == "protocol" and "header" in found["error"]["message"].lower()
    for name in bad:
        found = await status(editor, name)
        assert found["state"] == "failed", found
        assert "header" in found["error"]["message"].lower()
        assert "s3cret" not in json.dumps(found)


async def test_urls_of_every_form(editor: EditorClient, workspace: Path, stack: AsyncExitStack) -> None:
    """HTP-14: four that are none, userinfo that is used and never shown, a query that is kept."""
    server = await http(stack, "list=headers")
    base = f"127.0.0.1:{server.port}"
    wrong = {"ftp": "ftp://h", "file": "file:///x", "no_host": "http://", "no_scheme": "h:80/mcp", "long": "http://h/" + "x" * 500_000,
             "space": "http://a b/", "port": "http://h:99999/", "js": "javascript:1", "ws": "ws://h/", "relative": "/mcp", "lf": "http://h/\nx"}  # fmt: skip
    entries: dict[str, Any] = {name: {"url": url} for name, url in wrong.items()}
    entries |= {
        "user": {"url": f"http://user:p4ssw0rd@{base}/mcp", "autoApprove": ["*"]},
        "query": {"url": f"http://{base}/mcp?key=s3cretkey#f", "autoApprove": ["*"]},
        "upper": {"url": f"HTTP://{base}/mcp"},
    }
    await editor.start(workspace, user_config=servers(**entries))
    for name in wrong:
        found = await status(editor, name)
        assert found["state"] == "failed", found
        assert "nextRetryAt" not in found, found
        assert len(json.dumps(found)) < 20_000
    for name in ("user", "query", "upper"):
        await until(editor, name, lambda found: found["state"] == "ready")
    headers = json.loads((await call(editor, "user", "headers"))["text"])
    assert headers["authorization"].startswith("Basic ")
    assert any("key=s3cretkey" in path and "#" not in path for _, path, *_ in server.requests)
    everything = json.dumps(
        [await editor.command("codeagent.status"), await log(editor, "user"), await log(editor, "query")]
    )
    for name in ("user", "query"):
        everything += json.dumps(await editor.command("codeagent.effectiveConfig", server=name))
    assert "p4ssw0rd" not in everything
    assert "s3cretkey" not in everything


async def test_a_remote_server_in_trouble_does_not_touch_its_neighbours(
    editor: EditorClient, workspace: Path, stack: AsyncExitStack
) -> None:
    """HTP-08, R43, R44 and R46: hanging, dripping, dropped streams and bombs, beside a server that answers."""
    rigs = {
        "hang": await http(stack, "hang=tools/call"),
        "drip": await http(stack, "drip=tools/call"),
        "drop": await http(stack, "sse", "drop=tools/call"),
        "bomb": await http(stack, "encoding=tools/call:bomb"),
        "double": await http(stack, "encoding=tools/call:double"),
        "big": await http(stack, "big=tools/call:17000000"),
        "lie": await http(stack, "encoding=tools/call:br"),
        "half": await http(stack, "half=tools/call"),
        "close": await http(stack, "close=tools/call"),
    }
    entries = {name: remote(rig, timeout=3000) for name, rig in rigs.items()}
    await up(editor, workspace, {**entries, "good": scripted(autoApprove=["*"])})
    begun = {name: await editor.begin_command("codeagent.callTool", server=name, tool="echo") for name in rigs}
    slowest = 0.0
    while not all(one.future.done() for one in begun.values()):
        began = time.monotonic()
        await call(editor, "good", "echo", text="meanwhile")
        slowest = max(slowest, time.monotonic() - began)
        await asyncio.sleep(0.02)
        assert slowest < 5
    table = Table()
    for name, one in begun.items():
        with table.case(name):
            failed = await refusal(one)
            assert failed.data["kind"] in ("timeout", "transport", "tooLarge", "protocol"), failed.message
            assert failed.data["mayHaveTakenEffect"] is True
            assert sent(rigs[name], "tools/call") == 1
    table.judge()
    assert set((await states(editor)).values()) == {"ready"}
    for name in rigs:
        rigs[name].told.clear()
        assert (await call(editor, name, "echo", text="later"))["text"] == "later"
    assert "echo" in await tools(editor, "good")

"""Servers of other tools' files: what comes over, in which words, what does not, and what is said of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeagent_lsp.config.dialects import OURS
from codeagent_lsp.config.document import parse
from codeagent_lsp.config.entries import Entry, read_entries
from codeagent_lsp.config.importers import TOOLS, Imported, import_servers, importable_files, plan_import
from codeagent_lsp.errors import InvalidParams

PLACES = {tool.name: (*tool.project_files, *tool.user_files)[0].replace("*", "x") for tool in TOOLS}


def imported(tool: str, root: Any, **more: Any) -> Imported:
    text = root if isinstance(root, str) else json.dumps(root)
    return import_servers(Path("/ws") / PLACES.get(tool, "some.json"), text, **more)


def one(tool: str, entry: Any) -> tuple[dict[str, Any] | None, str]:
    """The entry that comes of one entry, and everything that is said."""
    found = imported(tool, {_wrapper(tool): {"a": entry}})
    return found.servers.get("a"), "\n".join(found.notes)


def _wrapper(tool: str) -> str:
    return {"vscode": "servers", "opencode": "mcp", "zed": "context_servers", "codex": "mcp_servers"}.get(
        tool, "mcpServers"
    )


# --- whole entries, tool by tool ---

STDIO = {"command": "npx", "args": ["-y", "x"], "env": {"A": "1"}}


@pytest.mark.parametrize(
    "tool",
    [
        "vscode",
        "claude",
        "cursor",
        "mcphub",
        "cline",
        "claude-desktop",
        "windsurf",
        "gemini",
        "copilot",
        "zed",
        "continue",
        "eca",
        "inspector",
        "kiro",
        "other",
    ],
)
def test_a_plain_program_comes_over_as_it_is(tool: str) -> None:
    assert one(tool, STDIO) == (STDIO, "")


@pytest.mark.parametrize(
    ("tool", "entry", "wanted"),
    [
        (
            "vscode",
            {"type": "stdio", **STDIO, "cwd": "/c", "envFile": ".env"},
            {**STDIO, "cwd": "/c", "envFile": ".env"},
        ),
        ("vscode", {"type": "http", "url": "http://h"}, {"url": "http://h"}),
        ("vscode", {"type": "sse", "url": "http://h"}, {"type": "sse", "url": "http://h"}),
        ("vscode", {"url": "http://h", "oauth": {"clientId": "c"}}, {"url": "http://h", "oauth": {"clientId": "c"}}),
        ("vscode", {"command": "x", "env": {"A": None, "N": 3}}, {"command": "x", "env": {"A": None, "N": "3"}}),
        ("vscode", {"command": "x", "gallery": True, "version": "1"}, {"command": "x"}),
        ("claude", {"type": "streamable-http", "url": "http://h"}, {"url": "http://h"}),
        ("claude", {"command": "x", "timeout": 5000}, {"command": "x", "timeout": 5000}),
        (
            "claude",
            {"type": "http", "url": "http://h", "oauth": {"scopes": "a b", "callbackPort": 7}},
            {"url": "http://h", "oauth": {"scopes": ["a", "b"], "callbackPort": 7}},
        ),
        ("cursor", {"url": "http://h", "headers": {"X": "1"}}, {"url": "http://h", "headers": {"X": "1"}}),
        (
            "cursor",
            {"url": "http://h", "auth": {"CLIENT_ID": "c", "CLIENT_SECRET": "${env:S}", "scopes": ["r"]}},
            {"url": "http://h", "oauth": {"clientId": "c", "clientSecret": "${env:S}", "scopes": ["r"]}},
        ),
        ("mcphub", {"command": "x", "env": {"A": None, "B": ""}}, {"command": "x", "env": {"A": "${A}", "B": "${B}"}}),
        ("mcphub", {"command": "x", "disabled_tools": ["t"]}, {"command": "x", "excludeTools": ["t"]}),
        ("mcphub", {"command": "x", "args": ["$HOME"]}, {"command": "x", "args": ["${HOME}"]}),
        ("cline", {"url": "http://h"}, {"type": "sse", "url": "http://h"}),
        ("cline", {"url": "http://h", "type": "streamableHttp"}, {"url": "http://h"}),
        ("cline", {"url": "http://h", "transportType": "http"}, {"url": "http://h"}),
        ("cline", {"command": "x", "timeout": 90}, {"command": "x", "timeout": 90_000}),
        (
            "cline",
            {"transport": {"type": "stdio", "command": "x", "args": ["a"]}, "disabled": True},
            {"command": "x", "args": ["a"], "disabled": True},
        ),
        (
            "cline",
            {"url": "http://h", "type": "sse", "oauthClient": {"clientId": "c"}},
            {"type": "sse", "url": "http://h", "oauth": {"clientId": "c"}},
        ),
        (
            "opencode",
            {"type": "local", "command": ["npx", "-y", "x"], "environment": {"A": "{env:B}"}, "enabled": True},
            {"command": "npx", "args": ["-y", "x"], "env": {"A": "${env:B}"}},
        ),
        ("opencode", {"type": "local", "command": ["x"], "enabled": False}, {"command": "x", "disabled": True}),
        (
            "opencode",
            {"type": "remote", "url": "http://h", "oauth": {"clientId": "c", "scope": "a b"}},
            {"url": "http://h", "oauth": {"clientId": "c", "scopes": ["a", "b"]}},
        ),
        (
            "zed",
            {"source": "custom", "command": {"path": "x", "args": ["a"], "env": {"A": "1"}}},
            {"command": "x", "args": ["a"], "env": {"A": "1"}},
        ),
        ("zed", {"command": "x", "enabled": False}, {"command": "x", "disabled": True}),
        ("zed", {"url": "http://h", "headers": {"A": "b"}}, {"url": "http://h", "headers": {"A": "b"}}),
        ("gemini", {"url": "http://h"}, {"type": "sse", "url": "http://h"}),
        ("gemini", {"httpUrl": "http://h", "timeout": 600000}, {"url": "http://h", "timeout": 600000}),
        (
            "gemini",
            {"command": "x", "args": ["$A", "${B}", "%C%"], "includeTools": ["i"], "excludeTools": ["e"]},
            {"command": "x", "args": ["${A}", "${B}", "${C}"], "includeTools": ["i"], "excludeTools": ["e"]},
        ),
        ("copilot", {"type": "local", "command": "x", "tools": ["*"]}, {"command": "x"}),
        ("copilot", {"type": "local", "command": "x", "tools": ["a"]}, {"command": "x", "includeTools": ["a"]}),
        ("windsurf", {"serverUrl": "http://h"}, {"url": "http://h"}),
        ("windsurf", {"command": "x", "disabledTools": ["t"]}, {"command": "x", "excludeTools": ["t"]}),
        ("continue", {"command": "x", "connectionTimeout": 9000}, {"command": "x", "startTimeout": 9000}),
        (
            "continue",
            {"url": "http://h", "type": "streamable-http", "requestOptions": {"headers": {"A": "b"}}},
            {"url": "http://h", "headers": {"A": "b"}},
        ),
        (
            "eca",
            {"command": "x", "env": {"A": "${env:B:c}"}, "disabled": True},
            {"command": "x", "env": {"A": "${env:B:-c}"}, "disabled": True},
        ),
        (
            "eca",
            {"url": "http://h", "clientId": "c", "oauthPort": 8, "authScope": "r"},
            {"url": "http://h", "oauth": {"clientId": "c", "scopes": ["r"], "callbackPort": 8}},
        ),
        (
            "inspector",
            {"command": "x", "protocolEra": "legacy", "connectionTimeout": 2000, "requestTimeout": 3000},
            {"command": "x", "protocol": "legacy", "startTimeout": 2000, "timeout": 3000},
        ),
        (
            "other",
            {"cmd": "x", "arguments": ["a"], "environment": {"K": "v"}},
            {"command": "x", "args": ["a"], "env": {"K": "v"}},
        ),
        ("other", {"transport": "sse", "url": "http://h"}, {"type": "sse", "url": "http://h"}),
        ("other", {"transport": {"type": "http", "url": "http://h"}}, {"url": "http://h"}),
        ("other", {"url": "http://h", "toolFilter": {"deny": ["d*"]}}, {"url": "http://h", "excludeTools": ["d*"]}),
    ],
)
def test_an_entry_comes_over_in_our_words(tool: str, entry: Any, wanted: Any) -> None:
    made, _ = one(tool, entry)
    assert made == wanted


@pytest.mark.parametrize(
    ("tool", "root"),
    [
        ("vscode", {"servers": {"a": STDIO}}),
        ("vscode", {"mcp": {"servers": {"a": STDIO}}}),
        ("vscode", {"customizations": {"vscode": {"mcp": {"servers": {"a": STDIO}}}}}),
        ("claude", {"mcpServers": {"a": STDIO}}),
        ("claude", {"servers": {"a": STDIO}}),
        ("claude", {"a": STDIO}),
        ("claude", {"projects": {"/ws": {"mcpServers": {"a": STDIO}}, "/other": {"mcpServers": {"b": STDIO}}}}),
        ("mcphub", {"servers": {"a": STDIO}, "nativeMCPServers": {"n": {}}}),
        ("opencode", {"mcp": {"a": {"command": ["npx", "-y", "x"], "environment": {"A": "1"}}}}),
        ("opencode", {"mcp": {"servers": {"a": STDIO}, "timeout": 3}}),
        ("continue", {"mcpServers": [{"name": "a", **STDIO}]}),
        ("continue", {"name": "a", **STDIO}),
        ("continue", [{"name": "a", **STDIO}]),
        ("codeagent", {"mcpServers": {"a": STDIO}}),
        ("codex", '[mcp_servers.a]\ncommand = "npx"\nargs = ["-y", "x"]\n[mcp_servers.a.env]\nA = "1"\n'),
        ("other", {"context_servers": {"a": STDIO}}),
        ("other", '// remark\n{"mcpServers": {"a": {"command": "npx", "args": ["-y", "x",], "env": {"A": "1"}},},}'),
        ("other", '\ufeff{"mcpServers": {"a": {"command": "npx", "args": ["-y", "x"], "env": {"A": "1"}}}}'),
    ],
)
def test_servers_are_found_wherever_a_tool_puts_them(tool: str, root: Any) -> None:
    assert imported(tool, root, folder=Path("/ws")).servers == {"a": STDIO}


# --- what is never carried ---

STATE = [
    {"oauth": {"tokens": {"access_token": "geheim-1"}, "clientInformation": {"client_secret": "geheim-2"}}},
    {"oauth": {"codeVerifier": "geheim-1", "discoveryState": {"x": "geheim-2"}}},
    {"oauth": {"accessToken": "geheim-1", "refresh_token": "geheim-2", "clientId": "id"}},
    {"auth": {"oauth": {"client_id": "id", "token": "geheim-1"}, "access_token": "geheim-2"}},
    {"oauthClient": {"clientId": "id", "clientSecret": "geheim-1"}},
    {"clientId": "id", "clientSecret": "geheim-1"},
    {"auth": {"CLIENT_ID": "id", "CLIENT_SECRET": "geheim-1"}},
    {"oauth": {"clientId": "id", "client_secret": "geheim-1"}},
]


@pytest.mark.parametrize("tool", ["cline", "cursor", "eca", "gemini", "other", "claude", "vscode"])
@pytest.mark.parametrize("state", STATE)
def test_tokens_and_client_secrets_stay_behind_and_that_is_said(tool: str, state: dict[str, Any]) -> None:
    found = imported(tool, {_wrapper(tool): {"a": {"type": "http", "url": "http://h", **state}}})
    assert "geheim" not in json.dumps(found.servers) + "".join(found.notes)
    assert found.servers["a"]["url"] == "http://h"
    assert "sign in again" in "".join(found.notes) or "you are asked for it" in "".join(found.notes)


@pytest.mark.parametrize("tool", ["mcphub", "cline", "gemini", "kiro", "other", "codeagent"])
@pytest.mark.parametrize(
    "trust",
    [
        {"autoApprove": True},
        {"autoApprove": ["write", "read"]},
        {"alwaysAllow": ["write"]},
        {"trust": True},
        {"trustAnnotations": True},
        {"permissions": {"default": "allow"}},
    ],
)
def test_what_runs_unasked_elsewhere_is_told_and_not_carried(tool: str, trust: dict[str, Any]) -> None:
    made, said = one(tool, {"command": "x", **trust})
    assert made == {"command": "x"}
    assert next(iter(trust)) in said and "not carried" in said


@pytest.mark.parametrize(
    ("tool", "entry", "word"),
    [
        ("claude", {"type": "ws", "url": "ws://h"}, "web socket"),
        ("vscode", {"type": "http", "url": "unix:///run/s#/mcp"}, "only http and https"),
        ("vscode", {"type": "http", "url": "pipe:///pipe/x"}, "only http and https"),
        ("claude", {"type": "http", "url": ""}, "neither"),
        ("zed", {"settings": {"x": 1}}, "neither"),
        ("other", {}, "neither"),
        ("other", 7, "not an object"),
        ("other", None, "not an object"),
        ("other", {"command": []}, "neither"),
    ],
)
def test_a_server_that_cannot_be_imported_is_named_with_the_reason(tool: str, entry: Any, word: str) -> None:
    made, said = one(tool, entry)
    assert made is None
    assert said.startswith("`a` ") and word in said and "not imported" in said


@pytest.mark.parametrize(
    ("tool", "entry", "word"),
    [
        ("vscode", {"command": "x", "dev": {"watch": "**"}, "sandboxEnabled": True}, "`dev`, `sandboxEnabled`"),
        ("vscode", {"command": "x", "args": ["${config:a.b}"]}, "${config:a.b}"),
        ("vscode", {"command": "x", "args": ["${command:pick}"]}, "${command:pick}"),
        ("claude", {"url": "http://h", "type": "http", "headersHelper": "x.sh"}, "`headersHelper`"),
        ("claude", {"command": "x", "alwaysLoad": True}, "`alwaysLoad`"),
        ("claude", {"command": "x", "timeout": 30}, "ignores"),
        (
            "claude",
            {"type": "http", "url": "http://h", "oauth": {"authServerMetadataUrl": "u"}},
            "authServerMetadataUrl",
        ),
        ("mcphub", {"command": "x", "env": {"A": "${cmd: pass show a}"}}, "${cmd: pass show a}"),
        ("mcphub", {"command": "x", "env": {"A": "$: pass show a"}}, "$: pass show a"),
        ("mcphub", {"command": "x", "disabled_prompts": ["p"]}, "single prompts"),
        ("mcphub", {"command": "x", "custom_instructions": {"text": "t"}}, "`custom_instructions`"),
        ("opencode", {"command": ["x"], "environment": {"A": "{file:~/s}"}}, "{file:~/s}"),
        ("opencode", {"type": "remote", "url": "http://h", "oauth": False}, "OAuth"),
        ("gemini", {"httpUrl": "http://h", "oauth": {"enabled": True, "tokenUrl": "u"}}, "`oauth.tokenUrl`"),
        ("eca", {"command": "x", "env": {"A": "${netrc:a}"}}, "${netrc:a}"),
        ("claude-desktop", {"command": "x", "args": ["${HOME}/d"]}, "passes on as it is"),
        ("continue", {"url": "http://h", "apiKey": "${K}"}, "apiKey"),
        ("other", {"command": "x", "args": "a 'b c'"}, "split"),
        ("other", {"command": "x", "timeout": 60}, "looks like seconds"),
        ("other", {"url": "http://h", "type": "quic"}, "quic"),
    ],
)
def test_what_is_lost_or_doubtful_is_told(tool: str, entry: Any, word: str) -> None:
    made, said = one(tool, entry)
    assert made is not None
    assert word in said


def test_lists_beside_the_servers_switch_them_off() -> None:
    servers = {"a": STDIO, "b": STDIO}
    gemini = imported("gemini", {"mcpServers": servers, "mcp": {"excluded": ["a"]}})
    assert [name for name, entry in gemini.servers.items() if entry.get("disabled")] == ["a"]
    gemini = imported("gemini", {"mcpServers": servers, "mcp": {"allowed": ["a"]}})
    assert [name for name, entry in gemini.servers.items() if entry.get("disabled")] == ["b"]
    claude = imported("claude", {"mcpServers": servers, "disabledMcpServers": ["b"]})
    assert [name for name, entry in claude.servers.items() if entry.get("disabled")] == ["b"]


@pytest.mark.parametrize(
    ("item", "word"),
    [
        ({"type": "promptString", "id": "k", "password": True}, ""),
        ({"type": "promptString", "id": "k", "default": "d"}, "default"),
        ({"type": "pickString", "id": "k", "options": ["x", "y"]}, "x, y"),
        ({"type": "command", "id": "k", "command": "c"}, "command of the editor"),
        ({"type": "promptString", "id": "unused", "default": "d"}, ""),
    ],
)
def test_inputs_of_the_editor_are_asked_for_here(item: dict[str, Any], word: str) -> None:
    servers = {"a": {"command": "x", "env": {"K": "${input:k}"}}}
    found = imported("vscode", {"servers": servers, "inputs": [item]})
    assert found.servers["a"]["env"] == {"K": "${input:k}"}
    assert word in "".join(found.notes) and bool(word) == bool(found.notes)


# --- files ---


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        (".mcp.json", '{"mcpServers": {"a": ', "line 1"),
        (".mcp.json", "", "empty"),
        (".mcp.json", "[]", "no MCP servers"),
        (".mcp.json", "7", "does not hold an object"),
        (".mcp.json", "{}", "no MCP servers"),
        (".mcp.json", '{"mcpServers": {}}', "no MCP servers"),
        (".mcp.json", '{"mcpServers": 7}', "no MCP servers"),
        ("config.toml", "mcp_servers = ", "not TOML"),
        ("config.yaml", "mcpServers: []", "YAML"),
    ],
)
def test_a_file_without_servers_is_refused_by_name(name: str, text: str, word: str) -> None:
    with pytest.raises(InvalidParams) as failure:
        import_servers(Path("/ws") / name, text)
    assert word in failure.value.message and name in failure.value.message


def test_some_servers_can_be_picked_and_a_wrong_name_is_answered_with_the_nearest() -> None:
    root = {"mcpServers": {"docs": STDIO, "time": STDIO}}
    assert set(imported("claude", root, only=["time"]).servers) == {"time"}
    with pytest.raises(InvalidParams) as failure:
        imported("claude", root, only=["dosc"])
    assert "docs" in failure.value.text()


def test_a_name_that_no_server_can_have_is_left_out_alone() -> None:
    found = imported("claude", {"mcpServers": {"": STDIO, "__proto__": STDIO, "ok": STDIO}})
    assert set(found.servers) == {"ok"} and len(found.notes) == 2


def test_files_of_other_tools_are_found_where_they_are(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "ws"
    for base, name in (
        (home, ".codeium/windsurf/mcp_config.json"),
        (folder, ".vscode/mcp.json"),
        (folder, ".mcp.json"),
    ):
        place = base / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text('{"servers": {}, "mcpServers": {}}')
    settings_ = folder / ".zed" / "settings.json"
    settings_.parent.mkdir()
    settings_.write_text('{"theme": "x"}')
    (folder / "opencode.json").symlink_to(folder / ".mcp.json")
    assert [tool.name for tool, _ in importable_files(folder, home)] == ["vscode", "claude"]
    assert [tool.name for tool, _ in importable_files(None, home)] == ["windsurf"]


# --- into our file ---

NEW = {"b": {"command": "y", "args": ["1"]}}


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "\ufeff\n",
        "{}",
        '{"mcpServers": {}}',
        '{"mcpServers": {"a": {"command": "x"}}}',
        '{"servers": {"a": {"command": "x"}}}',
        '{\n  "mcpServers": {\n    "a": {"command": "x"}\n  }\n}\n',
        '{\n\t"mcpServers": {\n\t\t"a": {"command": "x"}, // first\n\t}\n}\n',
        '{\r\n  "mcpServers": {\r\n    "a": {"command": "x"} // first\r\n  }\r\n}\r\n',
        '{\n  // servers\n  "mcpServers": { // none\n  }\n}',
        '{"$schema": "s", /* x */ }',
        '{\n  "mcpServers": {\n    "a": {"command": "x"}, /* first\n and more */\n  },\n}',
    ],
)
def test_servers_are_added_and_everything_else_stays(text: str | None) -> None:
    planned = plan_import(NEW, Path("/ws/.codeagent/mcp.json"), text, OURS)
    before, after = parse(text or "{}"), parse(planned.text)
    assert after.ok and not [problem for problem in after.problems if problem.severity == "error"]
    assert planned.added == ("b",)
    keys = [str(member.key.value) for member in after.root.members] if after.root else []
    key = next(key for key in keys if key in ("mcpServers", "servers"))
    entries, problems = read_entries(after, "project", Path("/ws"), Path("/ws/x"), key)
    assert not problems
    added = next(entry for entry in entries if entry.name == "b")
    assert isinstance(added, Entry) and (added.command, added.args) == ("y", ("1",))
    for remark in ("// first", "// servers", "// none", "/* x */", "/* first\n and more */"):
        assert (remark in (text or "")) == (remark in planned.text)
    if text and "\r\n" in text:
        assert "\n" not in planned.text.replace("\r\n", "")
    if before.root and before.root.plain():
        flat = after.root.plain() if after.root else {}
        old = before.root.plain()
        assert all(
            flat[key].items() >= value.items() if isinstance(value, dict) else flat[key] == value
            for key, value in old.items()
        )


def test_new_entries_stand_like_their_neighbours() -> None:
    text = '{\n\t"mcpServers": {\n\t\t"a": {"command": "x"} // first\n\t}\n}\n'
    planned = plan_import(NEW, Path("/x"), text, OURS)
    wanted = '{\n\t"mcpServers": {\n\t\t"a": {"command": "x"}, // first\n\t\t"b": {\n\t\t\t"command": "y",\n'
    assert planned.text == wanted + '\t\t\t"args": ["1"]\n\t\t}\n\t}\n}\n'


def test_a_server_that_is_there_is_left_alone_and_that_is_said() -> None:
    text = '{"mcpServers": {"b": {"command": "mine"}}}'
    planned = plan_import(NEW, Path("/x"), text, OURS)
    assert planned.text == text and not planned.edits and "`b` is there already" in planned.notes[0]


@pytest.mark.parametrize("text", ["{", '{"mcpServers": 7}', "[]", '{"mcpServers": {"a": }}'])
def test_a_broken_file_of_ours_is_not_touched(text: str) -> None:
    with pytest.raises(InvalidParams) as failure:
        plan_import(NEW, Path("/x/mcp.json"), text, OURS)
    assert "/x/mcp.json" in failure.value.message


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    [
        "type",
        "command",
        "args",
        "env",
        "environment",
        "cwd",
        "envFile",
        "url",
        "serverUrl",
        "httpUrl",
        "headers",
        "oauth",
        "oauthClient",
        "auth",
        "disabled",
        "enabled",
        "timeout",
        "connectionTimeout",
        "includeTools",
        "tools",
        "toolFilter",
        "autoApprove",
        "trust",
        "transport",
        "remote",
        "requestOptions",
        "apiKey",
    ]
)
TEXTS = st.sampled_from(["http", "sse", "x", "http://h", "${A}", "$B", "${input:c}", "${{ secrets.D }}", ""])


@settings(max_examples=150, deadline=None)
@given(tool=st.sampled_from(sorted(PLACES)), entry=st.dictionaries(FIELDS, JSON | TEXTS, max_size=6))
def test_whatever_an_entry_holds_the_import_is_an_entry_of_ours_or_none(tool: str, entry: dict[str, Any]) -> None:
    if tool == "codex":
        return
    found = imported(tool, {_wrapper(tool): {"a": entry, "ok": STDIO}})
    assert found.servers["ok"] == STDIO
    planned = plan_import(found.servers, Path("/ws/.codeagent/mcp.json"), None, OURS)
    entries, _ = read_entries(parse(planned.text), "project", None, Path("/x"), "mcpServers")
    assert len(entries) == len(found.servers)

"""Server entries: which are sound, what is said of those that are not, and that none takes its neighbours along."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeagent_lsp.config.document import Problem, parse
from codeagent_lsp.config.entries import BrokenEntry, Entry, OAuth, read_entries

FOLDER = Path("/ws")
FILE = Path("/ws/.codeagent/mcp.json")


class Reading:
    """What came of one `mcpServers` object."""

    def __init__(self, servers: Any, scope: Any = "project", **more: Any) -> None:
        text = servers if isinstance(servers, str) else json.dumps({"mcpServers": servers})
        self.document = parse(text)
        folder = FOLDER if scope == "project" else None
        entries, self.problems = read_entries(self.document, scope, folder, FILE, "mcpServers", **more)
        self.entries = {entry.name: entry for entry in entries}

    def sound(self) -> set[str]:
        return {name for name, entry in self.entries.items() if isinstance(entry, Entry)}

    def entry(self, name: str) -> Entry:
        entry = self.entries[name]
        assert isinstance(entry, Entry), entry
        return entry

    def broken(self, name: str) -> BrokenEntry:
        entry = self.entries[name]
        assert isinstance(entry, BrokenEntry), entry
        return entry

    def at(self, problem: Problem) -> str:
        return self.document.text[problem.span.start : problem.span.end]

    def said(self, severity: str) -> dict[str, str]:
        return {self.at(problem): problem.message for problem in self.problems if problem.severity == severity}


def one(entry: Any, scope: Any = "project", **more: Any) -> Reading:
    return Reading({"a": entry}, scope, **more)


# --- sound entries ---------------------------------------------------------------------------------------------------


def test_everything_that_an_entry_can_say_is_read() -> None:
    stdio = {
        "type": "stdio",
        "command": "npx",
        "args": ["-y", "x"],
        "env": {"A": "1"},
        "cwd": "~",
        "envFile": ".env",
        "inheritEnv": ["NVIM*"],
        "disabled": False,
        "autostart": "onDemand",
        "startTimeout": 5000,
        "timeout": 7000,
        "includeTools": ["read_*"],
        "excludeTools": ["read_secret"],
        "protocol": "legacy",
        "trustAnnotations": True,
        "autoApprove": ["read_*"],
    }
    remote = {
        "type": "sse",
        "url": "https://h/mcp",
        "headers": {"Authorization": "Bearer ${T}"},
        "oauth": {"clientId": "c", "clientSecret": "s", "scopes": ["a", "b"], "callbackPort": 8000},
    }
    reading = Reading({"a": stdio, "b": remote}, "user")
    assert reading.problems == ()
    a, b = reading.entry("a"), reading.entry("b")
    assert (a.transport, a.command, a.args, a.env) == ("stdio", "npx", ("-y", "x"), {"A": "1"})
    assert (a.cwd, a.env_file, a.inherit_env) == ("~", ".env", ("NVIM*",))
    assert (a.disabled, a.autostart, a.start_timeout_ms, a.timeout_ms) == (False, "onDemand", 5000, 7000)
    assert (a.include_tools, a.exclude_tools, a.protocol) == (("read_*",), ("read_secret",), "legacy")
    assert (a.trust_annotations, a.auto_approve, a.needs_approval) == (True, ("read_*",), False)
    assert (b.transport, b.url, b.headers) == ("sse", "https://h/mcp", {"Authorization": "Bearer ${T}"})
    assert b.oauth == OAuth("c", "s", ("a", "b"), 8000)
    assert reading.document.text[a.key_span.start : a.key_span.end] == '"a"'


def test_what_is_left_out_has_its_default() -> None:
    entry = one({"command": "x"}).entry("a")
    assert (entry.scope, entry.folder, entry.path, entry.needs_approval) == ("project", FOLDER, FILE, True)
    assert (entry.transport, entry.args, entry.env, entry.cwd) == ("stdio", (), {}, None)
    assert (entry.disabled, entry.autostart, entry.protocol) == (False, True, "auto")
    assert (entry.start_timeout_ms, entry.timeout_ms) == (30_000, 60_000)
    assert (entry.include_tools, entry.exclude_tools, entry.inherit_env) == (None, (), ())


@pytest.mark.parametrize(
    "key",
    ["type", "args", "env", "cwd", "envFile", "inheritEnv", "disabled", "autostart", "timeout", "startTimeout",
     "includeTools", "excludeTools", "protocol", "url", "headers", "oauth"],
)  # fmt: skip
def test_null_is_as_good_as_left_out(key: str) -> None:
    reading = one({"command": "x", key: None})
    assert reading.entry("a") == one({"command": "x"}).entry("a")
    assert reading.problems == ()


def test_where_an_entry_stands_is_no_difference() -> None:
    assert one({"command": "x"}).entry("a") == Reading('{ "mcpServers": {\n\n "a": {"command": "x"}}}').entry("a")


@pytest.mark.parametrize(
    ("entry", "transport"),
    [
        ({"command": "x"}, "stdio"),
        ({"url": "http://h"}, "http"),
        ({"command": "", "url": "http://h"}, "http"),
        ({"command": None, "url": "http://h"}, "http"),
        ({"command": "x", "url": ""}, "stdio"),
        ({"type": "sse", "url": "http://h"}, "sse"),
        ({"type": "http", "url": "http://h"}, "http"),
    ],
)
def test_the_transport_follows_from_what_is_there(entry: dict[str, Any], transport: str) -> None:
    assert one(entry).entry("a").transport == transport


@pytest.mark.parametrize(
    ("word", "transport"),
    [("local", "stdio"), ("remote", "http"), ("streamable-http", "http"), ("streamableHttp", "http"),
     ("streamable_http", "http")],
)  # fmt: skip
def test_another_tools_word_for_a_type_is_read_and_ours_is_named(word: str, transport: str) -> None:
    reading = one({"type": word, "command" if transport == "stdio" else "url": "http://h"})
    assert reading.entry("a").transport == transport
    assert f'"{transport}"' in reading.said("warning")[f'"{word}"']


def test_env_values_become_text_and_null_takes_a_variable_away() -> None:
    text = '{"mcpServers":{"a":{"command":"x","env":{"A":null,"B":"","C":8080,"D":true,"E":false,"F":1.50,"G":-1e3}}}}'
    reading = Reading(text)
    expected = {"A": None, "B": "", "C": "8080", "D": "true", "E": "false", "F": "1.50", "G": "-1e3"}
    assert reading.entry("a").env == expected
    assert reading.problems == ()


# --- broken entries --------------------------------------------------------------------------------------------------


def test_broken_entries_are_told_one_by_one_and_the_sound_one_stays() -> None:
    reading = Reading(
        {
            "ok": {"command": "true"},
            "b1": {"args": ["x"]},
            "b2": 7,
            "b3": {"command": 1},
            "b4": {"command": ""},
            "b5": {"url": 5},
            "b6": {"command": "x", "args": "a b"},
        }
    )
    assert reading.sound() == {"ok"}
    assert set(reading.entries) == {"ok", "b1", "b2", "b3", "b4", "b5", "b6"}
    assert "neither `command` nor `url`" in reading.broken("b1").message
    assert "object" in reading.broken("b2").message
    assert "`command` must be a string" in reading.broken("b3").message
    assert "empty" in reading.broken("b4").message
    assert "`url` must be a string" in reading.broken("b5").message
    assert "`args` must be an array of strings" in reading.broken("b6").message
    assert '["a", "b"]' in reading.broken("b6").message


@pytest.mark.parametrize("value", [None, 7, "npx", True, [], ["npx"], 1.5])
def test_an_entry_that_is_no_object_is_broken(value: Any) -> None:
    reading = Reading({"ok": {"command": "x"}, "a": value})
    assert reading.sound() == {"ok"}
    assert "object" in reading.broken("a").message


@pytest.mark.parametrize(
    ("entry", "place", "words"),
    [
        ({"command": "x", "url": "http://h"}, '"a"', "both"),
        ({"type": "http", "command": "x", "url": "http://h"}, '"a"', "both"),
        ({}, '"a"', "neither"),
        ({"args": []}, '"a"', "neither"),
        ({"command": "", "url": ""}, '"a"', "empty"),
        ({"disabled": False}, '"a"', "neither"),
        ({"transport": {"type": "http", "url": "http://h"}}, '"a"', "`transport`"),
        ({"serverUrl": "http://h"}, '"a"', "`serverUrl`"),
        ({"cmd": "x"}, '"a"', "`cmd`"),
        ({"command": "   "}, '"   "', "empty"),
        ({"command": ["npx", "x"]}, '["npx", "x"]', "`command` must be a string"),
        ({"command": {"path": "x"}}, '{"path": "x"}', "`command` must be a string"),
        ({"command": True}, "true", "`command` must be a string"),
        ({"command": "a\0b"}, '"a\\u0000b"', "NUL"),
        ({"command": "a\ud800"}, '"a\\ud800"', "surrogate"),
        ({"command": "x", "args": {"0": "y"}}, '{"0": "y"}', "`args` must be an array of strings"),
        ({"command": "x", "args": ["y", 8080]}, "8080", '`args[1]` must be a string, and is a number: write "8080"'),
        ({"command": "x", "args": [None]}, "null", "`args[0]`"),
        ({"command": "x", "args": [["y"]]}, '["y"]', "`args[0]`"),
        ({"command": "x", "args": ["a\0"]}, '"a\\u0000"', "`args[0]`"),
        ({"command": "x", "env": ["A=1"]}, '["A=1"]', "`env` must be an object"),
        ({"command": "x", "env": "A=1"}, '"A=1"', "`env` must be an object"),
        ({"command": "x", "env": {"A": {}}}, "{}", "`env.A`"),
        ({"command": "x", "env": {"A": ["b"]}}, '["b"]', "`env.A`"),
        ({"command": "x", "env": {"": "b"}}, '""', "is not a name"),
        ({"command": "x", "env": {"A=B": "b"}}, '"A=B"', "is not a name"),
        ({"command": "x", "env": {"A": "b\0"}}, '"b\\u0000"', "NUL"),
        ({"command": "x", "cwd": 1}, "1", "`cwd`"),
        ({"command": "x", "cwd": ""}, '""', "`cwd` is empty"),
        ({"command": "x", "envFile": [".env"]}, '[".env"]', "`envFile`"),
        ({"command": "x", "inheritEnv": "NVIM"}, '"NVIM"', "`inheritEnv`"),
        ({"command": "x", "disabled": "true"}, '"true"', "`disabled` must be true or false"),
        ({"command": "x", "disabled": 1}, "1", "`disabled`"),
        ({"command": "x", "disabled": []}, "[]", "`disabled`"),
        ({"command": "x", "autostart": False}, "false", "`autostart`"),
        ({"command": "x", "autostart": "true"}, '"true"', "`autostart`"),
        ({"command": "x", "autostart": 1}, "1", "`autostart`"),
        ({"command": "x", "timeout": "30s"}, '"30s"', "whole number of milliseconds"),
        ({"command": "x", "timeout": True}, "true", "whole number"),
        ({"command": "x", "timeout": 1.5}, "1.5", "whole number"),
        ({"command": "x", "timeout": 0}, "0", "from 1"),
        ({"command": "x", "timeout": -1}, "-1", "from 1"),
        ({"command": "x", "startTimeout": 10**12}, "1000000000000", "to 86400000"),
        ({"command": "x", "startTimeout": [1]}, "[1]", "whole number"),
        ({"command": "x", "includeTools": "read"}, '"read"', "`includeTools`"),
        ({"command": "x", "excludeTools": {"a": True}}, '{"a": true}', "`excludeTools`"),
        ({"command": "x", "excludeTools": [1]}, "1", "`excludeTools[0]`"),
        ({"command": "x", "protocol": "2025-03-26"}, '"2025-03-26"', '"auto", "legacy", "modern"'),
        ({"command": "x", "protocol": 1}, "1", "`protocol`"),
        ({"command": "x", "type": "ws"}, '"ws"', '"stdio", "http" or "sse"'),
        ({"command": "x", "type": "studio"}, '"studio"', 'did you mean "stdio"'),
        ({"command": "x", "type": 1}, "1", "`type`"),
        ({"command": "x", "type": "http"}, '"type"', "`command` instead of a `url`"),
        ({"url": "http://h", "type": "stdio"}, '"type"', "`url` instead of a `command`"),
        ({"url": "http://h", "type": "local"}, '"type"', "`url` instead of a `command`"),
        ({"url": "http://h", "oauth": True}, "true", "`oauth` must be an object"),
        ({"url": "http://h", "oauth": {"callbackPort": 0}}, "0", "`oauth.callbackPort`"),
        ({"url": "http://h", "oauth": {"clientId": 5}}, "5", "`oauth.clientId`"),
        ({"url": "http://h", "oauth": {"scopes": [1]}}, "1", "`oauth.scopes[0]`"),
        ({"url": "http://h", "headers": ["A: b"]}, '["A: b"]', "`headers` must be an object"),
        ({"url": ["http://h"]}, '["http://h"]', "`url` must be a string"),
    ],
)
def test_a_field_of_the_wrong_kind_is_told_at_its_place(entry: dict[str, Any], place: str, words: str) -> None:
    reading = Reading({"ok": {"command": "y"}, "a": entry, "ok2": {"url": "http://h"}})
    assert reading.sound() == {"ok", "ok2"}
    errors = reading.said("error")
    assert list(errors) == [place]
    assert words in errors[place]
    assert reading.broken("a").message == errors[place]


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "1e999", r'"C:\tools\x"', "[" * 70 + "]" * 70, "9" * 400])
@pytest.mark.parametrize("key", ["timeout", "command", "unknown"])
def test_what_the_parser_cannot_read_breaks_its_own_entry_only(key: str, value: str) -> None:
    reading = Reading(
        f'{{"mcpServers":{{"ok":{{"command":"x"}},"a":{{"command":"x","{key}":{value}}},"b":{{"url":"http://h"}}}}}}'
    )
    assert reading.document.ok
    assert reading.sound() == {"ok", "b"}
    assert reading.broken("a").message in {p.message for p in reading.document.problems if p.severity == "error"}


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://h", "http:// or https://"),
        ("file:///x", "http:// or https://"),
        ("h:80/mcp", "http:// or https://"),
        ("ws://h", "http:// or https://"),
        ("javascript:alert(1)", "http:// or https://"),
        ("/mcp", "http:// or https://"),
        ("localhost", "http:// or https://"),
        ("http:h", "http:// or https://"),
        ("http://", "no host"),
        ("http:///mcp", "no host"),
        ("https://:80/", "no host"),
        ("http://u:p@/x", "no host"),
        ("http://h:99999/", "host or port"),
        ("http://h:abc/", "host or port"),
        ("http://h:0/", "port 0"),
        ("http://[::1/mcp", "host or port"),
        ("http://h/a b", "white space"),
        ("http://h/\n", None),
        ("http://h\n/x", "white space"),
        ("http://h\\@evil/", "backslash"),
        ("http://h/\u0000", "control character"),
        ("http://h/" + "x" * 9000, "8,192"),
        ("http://h/mcp?" + "x" * 5_000_000, "8,192"),
    ],
)
def test_a_url_that_cannot_be_connected_to_is_refused_without_being_repeated(url: str, words: str | None) -> None:
    reading = one({"url": url})
    if words is None:
        assert reading.sound() == {"a"}
        return
    assert words in reading.broken("a").message
    assert url not in reading.broken("a").message
    assert len(reading.broken("a").message) < 200


@pytest.mark.parametrize(
    "url",
    ["http://h", "https://h/mcp", "http://[::1]:8080/mcp", "http://u:p@127.0.0.1:9/mcp", "http://h/mcp?key=s#f",
     "HTTP://H/", "http://127.0.0.1:${PORT}/mcp", "${URL}", "${BASE:-http://h}/mcp", "http://müller.example/"],
)  # fmt: skip
def test_urls_of_every_sound_form_are_taken(url: str) -> None:
    reading = one({"url": url})
    assert reading.entry("a").url == url
    assert reading.problems == ()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("X", "a\nb", "line break"),
        ("X", "a\rb", "line break"),
        ("A\r\nB", "c", "not a name"),
        ("X", "a\x01b", "control character"),
        ("X", "é", "ASCII"),
        ("Y", 1, "must be a string"),
        ("Z", None, "must be a string"),
        ("Q", ["a"], "must be a string"),
        ("", "v", "not a name"),
        ("A B", "v", "not a name"),
        ("A:", "v", "not a name"),
        ("Ä", "v", "not a name"),
        ("Mcp-Session-Id", "x", "protocol"),
        ("mcp-protocol-version", "x", "protocol"),
        ("MCP-Anything", "x", "protocol"),
        ("Content-Length", "0", "protocol"),
        ("Host", "h", "protocol"),
        ("Transfer-Encoding", "chunked", "protocol"),
        ("connection", "close", "protocol"),
        ("Last-Event-ID", "1", "protocol"),
    ],
)
def test_a_header_that_cannot_be_sent_breaks_the_entry_by_name_and_never_by_value(
    name: str, value: Any, words: str
) -> None:
    reading = one({"url": "http://h", "headers": {"Good": "yes", name: value}})
    message = reading.broken("a").message
    assert words in message
    assert name == "" or name.split("\r")[0] in message
    assert not isinstance(value, str) or len(value) < 2 or value not in message


def test_headers_lose_the_line_end_of_a_pasted_secret_and_what_the_transport_sets() -> None:
    headers = {"Authorization": "Bearer t\n", "X-A": " a ", "x-a": "b", "Accept": "text/html", "Content-Type": "x"}
    reading = one({"url": "http://h", "headers": headers})
    assert reading.entry("a").headers == {"Authorization": "Bearer t", "x-a": "b"}
    assert set(reading.said("warning")) == {'"x-a"', '"Accept"', '"Content-Type"'}


@pytest.mark.parametrize(("written", "read"), [("a b", ("a", "b")), (["a", "b c"], ("a", "b c")), ([], ()), ("", ())])
def test_oauth_scopes_are_an_array_or_one_text(written: Any, read: tuple[str, ...]) -> None:
    oauth = one({"url": "http://h", "oauth": {"scopes": written}}).entry("a").oauth
    assert oauth is not None
    assert oauth.scopes == read


# --- keys ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "ours"),
    [
        ("environment", "`env`"),
        ("transport", "`type`"),
        ("transportType", "`type`"),
        ("serverUrl", "`url`"),
        ("httpUrl", "`url`"),
        ("arguments", "`args`"),
        ("workingDirectory", "`cwd`"),
        ("requestInit", "`headers`"),
        ("http_headers", "`headers`"),
        ("alwaysAllow", "`autoApprove`"),
        ("disabledTools", "`excludeTools`"),
        ("disabled_tools", "`excludeTools`"),
        ("tools", "`includeTools`"),
        ("enabled", "`disabled`"),
        ("startup_timeout_sec", "`startTimeout`"),
        ("request_timeout_ms", "`timeout`"),
        ("comand", "`command`"),
        ("Command", "`command`"),
        ("arg", "`args`"),
        ("ENV", "`env`"),
        ("env_file", "`envFile`"),
        ("envfile", "`envFile`"),
        ("timout", "`timeout`"),
        ("start_timeout", "`startTimeout`"),
        ("include_tools", "`includeTools`"),
        ("header", "`headers`"),
    ],
)
def test_a_key_that_is_not_ours_is_a_warning_on_it_that_names_ours(key: str, ours: str) -> None:
    reading = one({"command": "x", key: "v"}, "user")
    warnings = reading.said("warning")
    assert reading.sound() == {"a"}
    assert ours in warnings[f'"{key}"']


@pytest.mark.parametrize("key", ["description", "icon", "gallery", "version", "dev", "zzz", "", "ключ"])
def test_a_key_that_is_like_none_of_ours_is_a_warning_all_the_same(key: str) -> None:
    assert "no effect" in one({"command": "x", key: {"a": [1]}}).said("warning")[json.dumps(key)]


@pytest.mark.parametrize("key", ["//", "// why", "_comment", "$comment", "#"])
def test_remarks_are_let_be(key: str) -> None:
    assert one({"command": "x", key: "why"}).problems == ()


def test_unknown_oauth_keys_are_told_with_the_nearest() -> None:
    reading = one({"url": "http://h", "oauth": {"clientID": "x", "zzz": 1}})
    assert "`clientId`" in reading.said("warning")['"clientID"']
    assert '"zzz"' in reading.said("warning")


@pytest.mark.parametrize(
    ("entry", "key"),
    [
        ({"url": "http://h", "args": ["x"]}, "args"),
        ({"url": "http://h", "env": {"A": "b"}}, "env"),
        ({"url": "http://h", "cwd": "/"}, "cwd"),
        ({"command": "x", "headers": {"A": "b"}}, "headers"),
        ({"command": "x", "oauth": {}}, "oauth"),
    ],
)
def test_a_key_of_the_other_transport_is_told_to_have_no_effect(entry: dict[str, Any], key: str) -> None:
    reading = one(entry)
    assert reading.sound() == {"a"}
    assert "no effect" in reading.said("warning")[f'"{key}"']


def test_arguments_within_the_command_are_told() -> None:
    assert "`npx`" in one({"command": "npx -y server"}).said("warning")['"npx -y server"']
    assert one({"command": "/Applications/My App/x"}).problems == ()
    assert one({"command": "${HOME}/My App/x"}).problems == ()


def test_a_timeout_that_looks_like_seconds_is_told() -> None:
    reading = one({"command": "x", "timeout": 30})
    assert reading.entry("a").timeout_ms == 30
    assert "milliseconds" in reading.said("warning")['"timeout"']


POWERS = [
    "trustAnnotations", "autoApprove", "alwaysAllow", "auto_approve", "trust", "trusted", "permissions", "approval",
    "approved", "proxy", "httpProxy", "https_proxy", "no_proxy", "ca", "caFile", "ca_bundle", "cert", "certFile",
    "certificate", "clientCert", "clientKey", "tls", "ssl", "insecure", "verify", "verifyTls", "rejectUnauthorized",
    "stateDir", "storePath", "storage", "storageDir", "logFile", "logPath", "logDir", "cacheDir", "dataFolder",
    "configHome", "sandbox", "sandboxEnabled", "capabilities", "headersHelper",
]  # fmt: skip


@pytest.mark.parametrize("key", POWERS)
@pytest.mark.parametrize("value", [True, ["*"], "/x"])
def test_a_project_cannot_loosen_what_guards_the_user(key: str, value: Any) -> None:
    reading = one({"command": "x", key: value})
    assert reading.entry("a") == one({"command": "x"}).entry("a")
    assert "no effect" in reading.said("warning")[f'"{key}"']


@pytest.mark.parametrize(("key", "value"), [("trustAnnotations", True), ("autoApprove", ["*"])])
def test_a_user_file_that_others_can_write_to_is_bound_like_a_project(key: str, value: Any) -> None:
    reading = one({"command": "x", key: value}, "user", unsafe=True)
    entry = reading.entry("a")
    assert (entry.scope, entry.needs_approval) == ("user", True)
    assert (entry.trust_annotations, entry.auto_approve) == (False, ())
    assert "others can write" in reading.said("warning")[f'"{key}"']


@pytest.mark.parametrize("value", ["yes", 1, "true", "false", [], {}, [True]])
def test_only_true_is_trust(value: Any) -> None:
    reading = one({"command": "x", "trustAnnotations": value}, "user")
    assert "true or false" in reading.broken("a").message


@pytest.mark.parametrize("value", [True, "*", {"*": True}, [1], 1])
def test_auto_approval_is_a_list_of_names(value: Any) -> None:
    assert "`autoApprove" in one({"command": "x", "autoApprove": value}, "user").broken("a").message


# --- disabled --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", [{"disabled": True}, {"enabled": False}, {"disabled": True, "//": "not here"}])
def test_disabled_alone_is_a_switch_and_no_broken_entry(entry: dict[str, Any]) -> None:
    reading = one(entry)
    assert reading.entry("a").only_disables
    assert reading.entry("a").disabled
    assert reading.said("error") == {}


def test_a_disabled_server_is_a_server_all_the_same() -> None:
    entry = one({"command": "x", "disabled": True}).entry("a")
    assert (entry.disabled, entry.only_disables) == (True, False)
    assert one({"command": "x", "enabled": False}).entry("a").disabled
    assert not one({"command": "x", "enabled": True}).entry("a").disabled
    assert one({"command": 1, "disabled": True}).broken("a").disabled


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["my server", "acme/tool", "a.b", "数据", "a:b", "a@b", "ünïcode", "x" * 70, "'", "🚀"]
)
def test_odd_names_load_under_their_exact_key_and_are_remarked_on(name: str) -> None:
    reading = Reading({name: {"command": "x"}})
    assert set(reading.entries) == {name}
    assert "mcp__" in reading.said("information")[json.dumps(name)]


@pytest.mark.parametrize("name", ["a", "A-b_9", "github", "a__b", "-", "_"])
def test_plain_names_are_not_remarked_on(name: str) -> None:
    assert Reading({name: {"command": "x"}}).problems == ()


@pytest.mark.parametrize("name", ["", " ", "\t", "__proto__", "constructor", "prototype", "a\0b", "a\ud800"])
def test_names_that_no_server_can_have_are_refused_with_the_reason(name: str) -> None:
    reading = Reading({"ok": {"command": "x"}, name: {"command": "x"}})
    assert set(reading.entries) == {"ok"}
    assert len(reading.said("error")) == 1


@pytest.mark.parametrize("name", ["a\u202eb", "a\u200bb", "a\nb", "\x1b[31m"])
def test_a_name_with_hidden_characters_is_shown_with_them_visible(name: str) -> None:
    assert "\\u{" in "".join(Reading({name: {"command": "x"}}).said("information").values())


def test_of_a_name_that_is_there_twice_the_later_counts() -> None:
    reading = Reading('{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"},"a":{"command":"z"}}}')
    assert reading.entry("a").command == "z"
    assert len(reading.entries) == 2


# --- variables -------------------------------------------------------------------------------------------------------


def test_forms_that_are_no_variables_are_remarked_on_where_they_stand() -> None:
    reading = one({"command": "x", "args": ["${command:pick}", "${1A}", "${A}", "$HOME"], "env": {"B": "${C:=d}"}})
    assert set(reading.said("warning")) == {'"${command:pick}"', '"${C:=d}"'}
    assert set(reading.said("information")) == {'"${1A}"'}


# --- the map itself --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["[]", "null", "7", '"x"', "true", "[{}]"])
def test_a_map_of_another_shape_is_one_problem(table: str) -> None:
    reading = Reading(f'{{"mcpServers":{table}}}')
    assert reading.entries == {}
    assert list(reading.said("error")) == [table]


keys = st.sampled_from(
    ["command", "url", "type", "args", "env", "headers", "disabled", "timeout", "oauth", "autoApprove"]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["http://h", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(st.text(max_size=5), values | st.dictionaries(keys | st.text(max_size=5), values, max_size=6)))
def test_no_map_of_servers_makes_the_reader_raise_or_lose_a_neighbour(servers: dict[str, Any]) -> None:
    for scope in ("user", "project"):
        reading = Reading({"good one": {"command": "x"}, **servers, "good two": {"url": "http://h"}}, scope)
        assert {"good one", "good two"} <= reading.sound()
        broken = {name for name, entry in reading.entries.items() if isinstance(entry, BrokenEntry)}
        assert all(reading.broken(name).message for name in broken)

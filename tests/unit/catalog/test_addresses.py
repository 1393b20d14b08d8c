"""Documents and mentions of resources lead back to the very URI, whatever it looks like."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeagent_lsp.catalog.addresses import document_uri, mention, parse, parse_mention, spelling
from codeagent_lsp.protocol import Resource

ANY = st.text(st.characters(codec=None, exclude_categories=()))
URIS = [
    *("users/me", "HTTP://EXAMPLE.com", "x://A B(1)@é?q=1#f", "note://host", "f:///a%2Fb", "f:///a%2fb", "x://é", "x://e\u0301"),
    *("", "/", "..", "../../x", "file:///etc/passwd", "\\\\host\\share", "a\0b", "a\nb", "a b", "command:foo"),
    "javascript:x",
    *('x"onmouseover=', "data:text/plain;base64,aGk=", "x://" + "y" * 5000, "\ud800", "😀", "a/b/", "?", "#", "%", "x://[::1]/a"),
]  # fmt: skip
SERVERS = ["docs", "my server", "my.server", "a:b", "a@web", "搜", 'q"q', "back\\slash", "-x"]


def resource(name: str, uri: str, mime: str | None) -> Resource:
    return Resource("s", uri, name, "", "", mime_type=mime)


def name_of(name: str, uri: str, mime: str | None = None) -> str:
    return document_uri("s", uri, resource(name, uri, mime)).rsplit("/", 1)[1]


@pytest.mark.parametrize("uri", URIS)
@pytest.mark.parametrize("server", SERVERS)
def test_a_document_leads_back_to_its_resource(server: str, uri: str) -> None:
    for listed in (None, resource("Name", uri, "text/markdown"), resource(uri, uri, None)):
        document = document_uri(server, uri, listed)
        assert re.fullmatch(r"codeagent://resource/[A-Za-z0-9_-]+/[A-Za-z0-9][A-Za-z0-9_.-]{0,79}", document)
        assert parse(document) == (server, uri)


@settings(max_examples=200, deadline=None)
@given(st.text(min_size=1), ANY, ANY, st.one_of(st.none(), ANY))
def test_any_resource_has_a_document(server: str, uri: str, name: str, mime: str | None) -> None:
    server = server.replace("\0", "")
    document = document_uri(server, uri, resource(name, uri, mime))
    assert re.fullmatch(r"codeagent://resource/[A-Za-z0-9_-]+/[A-Za-z0-9][A-Za-z0-9_.-]{0,79}", document)
    assert parse(document) == (server, uri)


@pytest.mark.parametrize(
    ("name", "uri", "mime", "shown"),
    [
        ("README", "note://readme", "text/markdown", "README.md"),
        ("readme.md", "note://readme", "text/plain", "readme.md"),
        ("Main config", "file:///etc/app/config.yaml", None, "Main_config.yaml"),
        ("Main config", "x://c", "application/json", "Main_config.json"),
        ("Data", "x://c", "application/vnd.api+json; charset=utf-8", "Data.json"),
        ("Script", "x://c", "text/x-python", "Script.py"),
        ("Picture", "x://c", "image/png", "Picture.png"),
        ("Photo", "x://c", "image/jpeg", "Photo.jpg"),
        ("Notes", "x://c", "text/plain", "Notes.txt"),
        ("Odd", "x://c", "weird/type", "Odd"),
        ("Odd", "x://c", "", "Odd"),
        ("Version 1.2", "x://c", "text/markdown", "Version_1.2.md"),
        ("../../etc/passwd", "x://c", None, "etc_passwd"),
        (".vimrc", "x://c", None, "vimrc"),
        ("-rf", "x://c", None, "rf"),
        ("搜索", "x://搜索", "text/html", "resource.html"),
        ("…", "x://notes/today", "text/plain", "today.txt"),
        ("x" * 200 + ".py", "x://c", None, "x" * 77 + ".py"),
        ("e.g.", "x://c", None, "e.g"),
        ("users://me/data.csv?page=1#x", "users://me/data.csv?page=1#x", None, "data.csv"),
        ("a\u202eb\nc", "x://c", None, "a_b_c"),
    ],
)
def test_the_document_is_called_like_the_resource(name: str, uri: str, mime: str | None, shown: str) -> None:
    assert name_of(name, uri, mime) == shown


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("note://readme", "readme"),
        ("file:///a/b/c.py", "c.py"),
        ("file:///a/b%20c.py", "b_c.py"),
        ("urn:isbn:123", "123"),
        ("x://a/b/", "b"),
        ("", "resource"),
        ("://", "resource"),
        ("data.json", "data.json"),
    ],
)
def test_without_a_name_the_uri_s_end_names_it(uri: str, shown: str) -> None:
    assert document_uri("s", uri).rsplit("/", 1)[1] == shown


@pytest.mark.parametrize(
    "document",
    ["", "codeagent:", "codeagent://resource/", "codeagent://resource//x", "codeagent://other/abc/x", "file:///x",
     "codeagent://resource/%41/x",
     "codeagent://resource/a/x", "codeagent://resource/_w/x", "codeagent://resource/YWJj/x", "codeagent://resource/é/x",
     "CODEAGENT://resource/cwB4/x"],
)  # fmt: skip
def test_other_documents_are_no_resource_s(document: str) -> None:
    assert parse(document) is None


@settings(max_examples=100, deadline=None)
@given(st.text(st.sampled_from("abcYWJz0_-/=%\0é"), max_size=20))
def test_no_document_raises(tail: str) -> None:
    parse(f"codeagent://resource/{tail}")
    parse(tail)


@pytest.mark.parametrize(
    ("server", "uri", "text"),
    [
        ("docs", "note://readme", "@docs:note://readme"),
        ("my server", "note://readme", '@"my server":note://readme'),
        ("a:b", "x", '@"a:b":x'),
        ('q"q r', "x", r'@"q\"q r":x'),
        ("docs", "x://é(1)", "@docs:x://é(1)"),
        ("docs", "weird uri (1)", "@docs:weird%20uri%20(1)"),
        ("docs", "a\u202eb\n", "@docs:a%E2%80%AEb%0A"),
    ],
)
def test_a_mention_is_one_word_that_hides_nothing(server: str, uri: str, text: str) -> None:
    assert mention(server, uri) == text


@pytest.mark.parametrize("uri", [uri for uri in URIS if "\ud800" not in uri])
@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("known", [True, False])
def test_a_mention_leads_back_to_its_resource(server: str, uri: str, known: bool) -> None:
    found = parse_mention(mention(server, uri), SERVERS if known else [])
    assert found is not None and found[0] == server
    assert spelling(found[1]) == spelling(uri)


@pytest.mark.parametrize("text", ["", "@", "docs:x", "@docs", "@:x", '@"docs:x', "@ docs:x", "@@docs:x"])
def test_other_texts_are_no_mention(text: str) -> None:
    assert parse_mention(text, ["docs"]) is None


def test_the_longest_known_server_is_meant() -> None:
    assert parse_mention("@a:b:c", ["a", "a:b"]) == ("a:b", "c")
    assert parse_mention("@a:b:c", ["a"]) == ("a", "b:c")
    assert parse_mention("@nobody:x", ["a"]) == ("nobody", "x")

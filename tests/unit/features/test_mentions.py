"""The parser: what is a mention, where it ends, and which listed URI it means."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeagent_lsp.catalog.addresses import mention as mention_text
from codeagent_lsp.features.mentions import is_code, scan_line
from codeagent_lsp.features.spelling import normal, normal_line
from mention_kit import found, index_of

NAMES = ["host", "github.com", "v4", "scope", "repo", "sha256", "file", "docs", "db", "my server", "a:b", "name@folder"]
SERVERS = index_of({name: [] for name in NAMES})


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("me@host:25", 0),
        ("<me@host:25>", 0),
        ("mailto:me@host:25", 0),
        ("git@github.com:org/repo.git", 0),
        ("git clone git@github.com:org/repo.git", 0),
        ("uses: a/b@v4", 0),
        ("uses: a/b@v4:x", 0),
        ("img@sha256:abcd", 0),
        ("docker pull a/img@sha256:abcd", 0),
        ('"@scope/pkg:build"', 0),
        ("npm i @scope/pkg@v4:1", 0),
        ("@repo//x:y", 0),
        ("load('@repo//x:y', 'z')", 0),
        ("ssh root@db:/var", 0),
        ("http://u:p@docs:80/", 0),
        ("@@docs:x://1", 0),
        (r"\@docs:x://1", 0),
        ("a.@docs:x://1", 0),
        ("é@docs:x://1", 0),
        ("_@docs:x://1", 1),
        ("a_@docs:x://1", 0),
        ("a*@docs:x://1", 0),
        ("-@docs:x://1", 0),
        ("/@docs:x://1", 0),
        ("=@docs:x://1", 0),
        ("@docs:", 0),
        ("@docs: ", 0),
        ("@docs:.", 0),
        ("@docs:)", 0),
        ("@ docs:x", 0),
        ("@docs :x", 0),
        ("@docs: x", 0),
        ("@Docs:x://1", 0),
        ("@doc:x://1", 0),
        ("@docss:x://1", 0),
        ("@docs:x://1", 1),
        ("\ufeff@docs:x://1", 1),
        ("\t@docs:x://1", 1),
        ("\u3000@docs:x://1", 1),
        ("(@docs:x://1)", 1),
        ("[@docs:x://1]", 1),
        ("{@docs:x://1}", 1),
        ("<@docs:x://1>", 1),
        ('"@docs:x://1"', 1),
        ("'@docs:x://1'", 1),
        ("`@docs:x://1`", 1),
        ("“@docs:x://1”", 1),
        ("«@docs:x://1»", 1),
        ("「@docs:x://1」", 1),
        ("- @docs:x://1, @db:y://2.", 2),
        ("@docs:x://1 @docs:x://1", 2),
        ('@"my server":x://1', 1),
        ('@"a:b":x://1', 1),
        ('@"docs":x://1', 1),
        ('@"my server:x://1', 0),
        ('@"other server":x://1', 0),
        ("@my server:x://1", 0),
        ("@name@folder:x://1", 1),
    ],
)
def test_only_a_known_server_after_a_clean_start_is_a_mention(line: str, count: int) -> None:
    assert len(found(line, SERVERS)) == count


ANNOTATIONS = index_of(
    {name: [] for name in ("property", "file", "get", "media", "param", "app", "objc", "override", "docs", "return")}
)


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("@property", "python"),
        ('@app.route("/x")', "python"),
        ("@app:", "python"),
        ('@file:JvmName("X")', "kotlin"),
        ("@file:[JvmName Foo]", "kotlin"),
        ("@get:Rule", "kotlin"),
        ("    @get:Rule val x: Int", "kotlin"),
        ("@media screen", "css"),
        ("@media:hover", "scss"),
        ("@docs:red;", "less"),
        (" * @param x: y", "java"),
        (" * @param:x y", "java"),
        (" * @return: y", "java"),
        ("@objc(foo:)", "swift"),
        ("@override:x", "dart"),
        ("x = a @docs:b", "python"),
        ("@docs:x:", "python"),
        ("@docs:%41", "python"),
        ("@docs:1x:y", "python"),
    ],
)
def test_annotations_in_code_are_no_mentions(line: str, language: str) -> None:
    assert found(line, ANNOTATIONS, code=is_code(language)) == []


@pytest.mark.parametrize(
    ("line", "uri"),
    [
        ("# see @file:note://a/b", "note://a/b"),
        ("// @file:JvmName", "JvmName"),
        ("// @file:users/me.", "users/me"),
        ("// '@file:users/me','x'", "users/me"),
        ("// @file:users%2Fme", "users/me"),
        ('s = "@file:note://a"', "note://a"),
        ('s = "see @file:note://a\\n"', "note://a"),
        ("/* @file:note://a*/", "note://a*/"),
        ("/* (@file:mailto:me) */", "mailto:me"),
    ],
)
def test_code_may_mention_what_is_listed_or_has_a_scheme(line: str, uri: str) -> None:
    index = index_of({"file": ["JvmName", "users/me"]})
    assert [item[2] for item in found(line, index, code=True)] == [uri]
    assert found('@file:JvmName("X")', index, code=True) == []


ENDS = index_of({"d": ["n://a", "n://a b", "n://a(1)", "n://a.md", "n://a?q=1&r=2", "n://é", "n://x@y:z"]})


@pytest.mark.parametrize(
    ("line", "written", "uri"),
    [
        ("See @d:n://a.", "n://a", "n://a"),
        ("See @d:n://a...", "n://a", "n://a"),
        ("See @d:n://a, and", "n://a", "n://a"),
        ("Is it @d:n://a?", "n://a", "n://a"),
        ("@d:n://a: it", "n://a", "n://a"),
        ("(@d:n://a)", "n://a", "n://a"),
        ("(@d:n://a).", "n://a", "n://a"),
        ("(see @d:n://a, or not)", "n://a", "n://a"),
        ("@d:n://a(1),", "n://a(1)", "n://a(1)"),
        ("(@d:n://a(1))", "n://a(1)", "n://a(1)"),
        ("@d:n://a(2),", "n://a(2)", "n://a(2)"),
        ("@d:n://a b end", "n://a b", "n://a b"),
        ("@d:n://a bend", "n://a", "n://a"),
        ("@d:n://a c", "n://a", "n://a"),
        ("@d:n://a%20b", "n://a%20b", "n://a b"),
        ("@d:n://a%20b.", "n://a%20b", "n://a b"),
        ("@d:n://a%20c", "n://a%20c", "n://a%20c"),
        ("@d:n://a.md.", "n://a.md", "n://a.md"),
        ("@d:n://a.mdx", "n://a.mdx", "n://a.mdx"),
        ("@d:n://a?q=1&r=2!", "n://a?q=1&r=2", "n://a?q=1&r=2"),
        ("@d:n://a?q=1", "n://a?q=1", "n://a?q=1"),
        ("**@d:n://a**", "n://a", "n://a"),
        ("***@d:n://a***,", "n://a", "n://a"),
        ("_@d:n://a_", "n://a", "n://a"),
        ("_@d:n://a_b_", "n://a_b", "n://a_b"),
        ("~~@d:n://a~~", "n://a", "n://a"),
        ("**see @d:n://a**", "n://a", "n://a"),
        ("**see @d:n://b**", "n://b", "n://b"),
        ("`@d:n://a`", "n://a", "n://a"),
        ("see `@d:n://b`.", "n://b", "n://b"),
        ("[@d:n://a](u)", "n://a", "n://a"),
        ("[@d:n://b](u)", "n://b", "n://b"),
        ("[see @d:n://b](u)", "n://b", "n://b"),
        ("<b> @d:n://b</b>", "n://b", "n://b"),
        ('{"a": "@d:n://b", "b": 1}', "n://b", "n://b"),
        ('{"a":"@d:n://b","b":1}', "n://b", "n://b"),
        ('{"a":"see @d:n://b","b":1}', "n://b", "n://b"),
        ("['@d:n://b','@x']", "n://b", "n://b"),
        ("['@d:n://a','@x']", "n://a", "n://a"),
        ("'see @d:n://b'", "n://b", "n://b"),
        ("“@d:n://b”, x", "n://b", "n://b"),
        ("「@d:n://b」を", "n://b", "n://b"),
        ("（@d:n://a）。", "n://a", "n://a"),
        ("@d:n://a。次", "n://a", "n://a"),
        ("@d:n://x@y:z", "n://x@y:z", "n://x@y:z"),
        ("@d:n://x@y:z.", "n://x@y:z", "n://x@y:z"),
        ("@d:n://é", "n://é", "n://é"),
        ("@d:n://%C3%A9", "n://%C3%A9", "n://é"),
        ("@d:n://%c3%a9!", "n://%c3%a9", "n://é"),
        ("@d:n://e\u0301", "n://e\u0301", "n://e\u0301"),
        ("@d:n://b*c*", "n://b*c*", "n://b*c*"),
        ("@d:n://b*c*.*", "n://b*c*", "n://b*c*"),
        ("@d:n://it's", "n://it's", "n://it's"),
        ("@d:n://{id}", "n://{id}", "n://{id}"),
        ("| @d:n://b|", "n://b", "n://b"),
        ("@d:n://b\u2028x", "n://b", "n://b"),
        ("@d:n://b\u00a0x", "n://b", "n://b"),
        ("@d:n://b\x00x", "n://b\x00x", "n://b\x00x"),
    ],
)
def test_a_mention_ends_where_a_reader_would_end_it(line: str, written: str, uri: str) -> None:
    assert found(line, ENDS)[:1] == [(f"@d:{written}", "d", uri)]


@pytest.mark.parametrize(
    "uri",
    [
        "users/me",
        "HTTP://EXAMPLE.com",
        "x://A B(1)@é?q=1#f",
        "note://host",
        "f:///a%2Fb",
        "f:///a%2fb",
        "f:///a/b",
        "x://é",
        "x://e\u0301",
        "100%",
        "100% sure",
        "a%2 0",
        "a%zz",
        "%FF%fe",
        "x://%F0%9F%98%80",
        "x://😀",
        "x://ends.",
        "x://(open",
        "x://close)",
        "x://'q'",
        'x"onmouseover=',
        "command:foo",
        "\\\\host\\share",
        "../../x",
        "a\nb",
        "a\rb",
        "\x00",
        "x://\u202e",
        "x://**b**",
        "...",
        "x://<b>`c`",
        "x://👨‍👩‍👧",
        "@d:x://1",
        " lead",
        "x" * 3000,
    ],
)
def test_the_listed_string_is_found_byte_for_byte(uri: str) -> None:
    index = index_of({"d": [uri, "x://other", "f:///a%2Fb", "f:///a%2fb", "f:///a/b", "x://é", "x://e\u0301", "x"]})
    same = {"f:///a%2Fb", "f:///a%2fb", "f:///a/b"}
    for line in (mention_text("d", uri), f"({mention_text('d', uri)}). And", f"**{mention_text('d', uri)}**"):
        ((_, server, meant),) = found(line, index)
        assert server == "d"
        assert meant == uri or {meant, uri} <= same
    if "\n" not in uri and "\r" not in uri and uri in same:
        assert found(f"@d:{uri}", index)[0][2] == uri


def test_of_several_spellings_that_are_listed_the_written_one_is_meant() -> None:
    index = index_of({"d": ["f:///a%2Fb", "f:///a%2fb", "f:///a/b"]})
    for uri in ("f:///a%2Fb", "f:///a%2fb", "f:///a/b"):
        assert found(f"@d:{uri} x", index) == [(f"@d:{uri}", "d", uri)]


def test_a_listed_uri_with_escapes_is_found_by_its_plain_spelling() -> None:
    index = index_of({"d": ["x://a%20b", "x://%C3%A9/%F0%9F%98%80"]})
    assert [item[2] for item in found("@d:x://a b and @d:x://é/😀, x", index)] == [
        "x://a%20b",
        "x://%C3%A9/%F0%9F%98%80",
    ]


@pytest.mark.parametrize("name", [*NAMES, 'qu"ote', "back\\slash", "ends:", " ", "é😀", "@x", '"', "a.b-c_d"])
def test_every_server_name_has_a_mention_that_finds_it(name: str) -> None:
    index = index_of({name: ["x://1"]})
    assert [item[1:] for item in found(f"see {mention_text(name, 'x://1')}.", index)] == [(name, "x://1")]


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("markdown", False),
        ("plaintext", False),
        ("git-commit", False),
        ("gitcommit", False),
        ("latex", False),
        ("org", False),
        ("Markdown", False),
        ("", True),
        ("python", True),
        ("typescriptreact", True),
        ("something-new", True),
    ],
)
def test_an_unknown_language_is_code(language: str, code: bool) -> None:
    assert is_code(language) is code


LONG = 200_000
BIG = index_of({"docs": ["x://1", "x://1 2", "x://a%20b"], "d": [], "q s": []})


@pytest.mark.parametrize("code", [False, True])
@pytest.mark.parametrize(
    "line",
    [
        "@" * LONG,
        " @" * (LONG // 2),
        "(@" * (LONG // 2),
        "*@" * (LONG // 2),
        "@docs:" + "x" * LONG,
        "@docs:x://" + "x" * LONG,
        "@docs:x://1" + "." * LONG,
        "@docs:x://1" + "*." * (LONG // 2),
        "@docs:x://1" + "'" * LONG,
        "@docs:" + "(" * LONG,
        "@docs:x:(" + ")" * LONG,
        "@docs:" + "%41" * (LONG // 3),
        "@docs:" + "%FF" * (LONG // 3),
        "@" * LONG + ":",
        "(@d:" * (LONG // 4),
        "(@d:x)" * (LONG // 6),
        "(@d:x:" * (LONG // 6),
        '@"' * (LONG // 2),
        '(@"q s":' * (LONG // 8),
        '@"' + "a" * LONG + '":x',
        '@"' + "\\\\" * (LONG // 2),
        " @docs:x://1 2" * (LONG // 14),
        " @docs:x://a%20b" * (LONG // 16),
        " @docs:%20" * (LONG // 10),
        "é @docs:x://é" * (LONG // 13),
        "@docs:x://1\x00" * (LONG // 12),
    ],
    ids=lambda line: f"{line[:12]!r}",
)
def test_a_hostile_line_takes_linear_time(line: str, code: bool) -> None:
    def seconds(text: str) -> float:
        start = time.process_time()
        scan_line(text, BIG, code=code)
        return time.process_time() - start

    def linear() -> bool:
        whole = seconds(line)
        return whole < min(3, 16 * seconds(line[: len(line) // 8]) + 0.05)

    assert any(linear() for _ in range(3))  # a busy machine may spoil a round


@pytest.mark.parametrize(
    "text",
    ["@" * 1_000_000, "@docs:" + "x" * 1_000_000, "@" * 100_000 + ":", "@docs:" + "%41" * 300_000],
    ids=lambda text: text[:9],
)
def test_a_line_of_a_megabyte_is_scanned_at_once(text: str) -> None:
    start = time.process_time()
    scan_line(text, BIG, code=False)
    assert time.process_time() - start < 1


ALPHABET = st.sampled_from(
    [
        "@docs:",
        '@"q s":',
        "@d:",
        "x://1",
        "x://a b",
        "%20",
        "%C3",
        "%A9",
        "**",
        *"@é😀 \t.,()[]{}<>\"'`*_\\\0\u2028\u202e:a/|",
    ]
)
LISTED = index_of({"docs": ["x://1", "x://a b", "x://a%20b", "é", "(", "x://1."], "d": [], "q s": ["x://1"]})


@settings(max_examples=250, deadline=None)
@given(st.one_of(st.lists(ALPHABET, max_size=40).map("".join), st.text(max_size=60)), st.booleans())
def test_mentions_lie_in_order_within_the_line(line: str, code: bool) -> None:
    end = 0
    for item in scan_line(line, LISTED, code=code):
        assert end <= item.start < item.uri_start < item.end <= len(line)
        assert line[item.start] == "@" and line[item.uri_start - 1] == ":"
        assert LISTED.known(item.server) is not None
        assert item.listed == (LISTED.resource(item.server, item.uri) is not None)
        assert item.listed or line[item.uri_start : item.end] == item.uri
        assert not line[item.uri_start].isspace()
        if not item.listed:
            assert not re.search(r"\s", item.uri)
        end = item.end


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=30).filter(bool), st.text(min_size=1, max_size=12), st.booleans())
def test_what_is_inserted_for_a_resource_is_read_back_as_it(uri: str, server: str, code: bool) -> None:
    uri = uri.encode("utf-16-le", "replace").decode("utf-16-le", "replace")
    if re.search(r"[\r\n]", server) or not server.isprintable():
        return
    index = index_of({server: [uri]})
    for before, after in (("", ""), ("see ", ", and"), ("(", ")."), ('"', '"')):
        (item,) = found(f"{before}{mention_text(server, uri)}{after}", index, code=code)
        assert item[1:] == (server, uri)


@settings(max_examples=300, deadline=None)
@given(st.lists(ALPHABET, max_size=30).map("".join))
def test_offsets_go_to_the_decoded_line_and_back(line: str) -> None:
    view = normal_line(line)
    assert view.text == normal(line)
    places = [view.to_line(place) for place in range(len(view.text) + 1)]
    assert places == sorted(places) and places[-1] == len(line)
    for offset in range(len(line)):
        if not re.search(r"(?:%[0-9A-Fa-f]?)\Z", line[:offset]):
            assert (
                normal(line[:offset]) == view.text[: view.to_normal(offset)] or "%" in line[max(0, offset - 9) : offset]
            )

"""Resource templates: what they produce, and which variable is being typed."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeagent_lsp.catalog.templates import expand
from codeagent_lsp.features.templates import read_template, typing


@pytest.mark.parametrize(
    ("template", "uri", "yes"),
    [
        ("note://{id}", "note://5", True),
        ("note://{id}", "notes://5", False),
        ("note://{id}.md", "note://a.md", True),
        ("note://{id}.md", "note://a.txt", False),
        ("a{x}b{y}a", "aba", True),
        ("a{x}b{y}a", "aa", False),
        ("ab{x}ba", "aba", False),
        ("note://{a}/x/{b}", "note://1/x/2", True),
        ("note://a b/{x}", "note://a%20b/1", True),
        ("x://{", "x://{", True),
        ("x://{", "x://a", False),
        ("plain", "plain", True),
        ("plain", "plainer", False),
    ],
)
def test_a_template_recognises_what_it_may_produce(template: str, uri: str, yes: bool) -> None:
    assert read_template(template).produces(uri) is yes


@pytest.mark.parametrize(
    ("template", "typed", "name", "value", "context", "filled"),
    [
        ("note://{id}", "note://", "id", "", {}, "note://V"),
        ("note://{id}", "note://re", "id", "re", {}, "note://V"),
        ("note://{id}", "note://{id}", "id", "", {}, "note://V"),
        ("note://{id}", "note://{i", "id", "", {}, "note://V"),
        ("note://{id}", "note://a%20b", "id", "a b", {}, "note://V"),
        ("note://{id}.md", "note://re", "id", "re", {}, "note://V.md"),
        ("note://{id}.md", "note://re.md", "id", "re", {}, "note://V.md"),
        ("gh://{owner}/{repo}", "gh://me", "owner", "me", {}, "gh://V/{repo}"),
        ("gh://{owner}/{repo}", "gh://me/", "repo", "", {"owner": "me"}, "gh://me/V"),
        ("gh://{owner}/{repo}", "gh://me/x", "repo", "x", {"owner": "me"}, "gh://me/V"),
        ("gh://{owner}/{repo}", "gh://{owner}/x", "repo", "x", {}, "gh://{owner}/V"),
        ("s://q{?term}", "s://q", "term", "", {}, "s://q?term=V"),
        ("s://q{?term}", "s://q?te", "term", "", {}, None),
        ("s://q{?term}", "s://q?term=a", "term", "a", {}, "s://q?term=V"),
    ],
)
def test_the_variable_under_the_cursor_is_known(
    template: str, typed: str, name: str, value: str, context: dict[str, str], filled: str | None
) -> None:
    found = typing(read_template(template), typed)
    assert found is not None
    assert (found.name, found.value, found.context) == (name, value, context)
    if filled:
        assert found.filled("V") == filled


@pytest.mark.parametrize(
    ("template", "typed"),
    [
        ("note://{id}", "not"),
        ("note://{id}", "other://"),
        ("note://a", "note://a"),
        ("x://{", "x://{"),
        ("s://{?a,b}", "s://?a="),
        ("s://q{?term}", "s://qx"),
    ],
)
def test_outside_of_a_variable_there_is_none(template: str, typed: str) -> None:
    assert typing(read_template(template), typed) is None


def test_a_value_is_escaped_where_it_is_filled_in() -> None:
    found = typing(read_template("file:///{path}"), "file:///")
    assert found is not None
    assert found.filled("a b/c") == "file:///a%20b%2Fc"
    assert found.filled("${1:$(rm)}\n\u202e") == "file:///%24%7B1%3A%24%28rm%29%7D%0A%E2%80%AE"


PIECES = st.sampled_from(["{", "}", "{a}", "{?b}", "{+c}", "/", "x", "%20", "é", ",", ":3", "*", "&", "{a,b}"])


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join), st.lists(PIECES, max_size=12).map("".join))
def test_no_template_makes_it_raise(text: str, typed: str) -> None:
    template = read_template(text)
    found = typing(template, typed)
    if found:
        assert (found.filled("v") or found.before).startswith(found.before)
    uri = expand(text, {"a": "1", "b": "2", "c": "3"})
    if uri is not None:
        assert template.produces(uri)


@pytest.mark.parametrize("text", ["{" * 100_000, "{a}" * 100_000, "{" + "a," * 100_000, "{a" + "%41" * 100_000])
def test_a_hostile_template_is_read_at_once(text: str) -> None:
    start = time.process_time()
    template = read_template(text)
    typing(template, text)
    template.produces(text)
    assert time.process_time() - start < 2

"""URI templates are filled in as RFC 6570 says, or not at all."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeagent_lsp.catalog.templates import Value, expand, variables


@pytest.mark.parametrize(
    ("template", "values", "uri"),
    [
        ("file:///{path}", {"path": "a b/c"}, "file:///a%20b%2Fc"),
        ("file:///{+path}", {"path": "a b/c"}, "file:///a%20b/c"),
        ("file:///{+path}", {"path": "100%"}, "file:///100%25"),
        ("file:///{+path}", {"path": "%20 100%"}, "file:///%20%20100%25"),
        ("s://q{?term,lang}", {"term": "a b/c", "lang": ""}, "s://q?term=a%20b%2Fc&lang="),
        ("s://q{?term,lang}", {"term": "a b/c"}, "s://q?term=a%20b%2Fc"),
        ("s://q{?term,lang}", {}, "s://q"),
        ("x://{id}", {"id": "a b/c"}, "x://a%20b%2Fc"),
        ("x://{id}", {"id": "é"}, "x://%C3%A9"),
        ("x://{id}", {"id": "😀"}, "x://%F0%9F%98%80"),
        ("x://{id}", {"id": "100%"}, "x://100%25"),
        ("x://{id}", {"id": ""}, "x://"),
        ("x://{id}/{id}", {"id": "1"}, "x://1/1"),
        ("x://{user-id}{?a-b}", {"user-id": "7", "a-b": "c"}, "x://7?a%2Db=c"),
        ("x://{a_b}{c.d}", {"a_b": "1", "c.d": "2"}, "x://12"),
        ("x:{#f}", {"f": "a b"}, "x:#a%20b"),
        ("x{.ext}", {"ext": "md"}, "x.md"),
        ("x{/a,b}", {"a": "1", "b": "2/3"}, "x/1/2%2F3"),
        ("x{;a,b}", {"a": "1", "b": ""}, "x;a=1;b"),
        ("x?q=1{&a}", {"a": "2"}, "x?q=1&a=2"),
        ("x/{a:3}", {"a": "abcdef"}, "x/abc"),
        ("x{/list*}", {"list": ["a", "b"]}, "x/a/b"),
        ("x{?map*}", {"map": {"k": "v"}}, "x?k=v"),
        ("plain://no/variables", {}, "plain://no/variables"),
        ("x://{id}", {"id": "1", "other": "unused"}, "x://1"),
        ("note://host", {"x": "y"}, "note://host"),
    ],
)
def test_a_template_is_filled_in(template: str, values: dict[str, Value], uri: str) -> None:
    assert expand(template, values) == uri


@pytest.mark.parametrize("template", ["x://{id}", "x://{+id}", "x{/id}", "x{.id}", "x{;id}", "x/{a}{id}", "x{?a}/{id}"])
def test_a_missing_part_of_the_path_is_not_sent(template: str) -> None:
    assert expand(template, {"a": "1"}) is None
    assert expand(template, {"a": "1", "id": "2"}) is not None


@pytest.mark.parametrize(
    "template",
    ["x://{", "x://}", "x://}{", "{}", "x{a", "xa}", "{a}}", "{{a}}", "{a b}", "{!a}", "{a", "{=a}", "{|a}", "{a:}",
     "{a:99999}",
     "{a,}", "{,a}", "{a*b}", "{é}", "{" + "a" * 3000 + "}", "{a}" * 33, "{?}", "{+}", "{%zz}"],
)  # fmt: skip
def test_a_malformed_template_is_not_filled_in(template: str) -> None:
    assert expand(template, {"a": "1", "b": "2"}) is None
    assert variables(template) is None


def test_variables_are_named_once_and_in_order() -> None:
    assert variables("x://{b}/{+a*}{?b,c:3}{&user-id}") == ("b", "a", "c", "user-id")
    assert variables("x://none") == ()


@pytest.mark.parametrize("value", [None, 7, ["a", 7], {"a": None}, "\ud800", "x" * 9_000])
def test_a_value_that_cannot_stand_in_a_uri_does_no_harm(value: object) -> None:
    try:
        expand("x://{id}", {"id": value})  # type: ignore[dict-item]
    except TypeError:
        assert not isinstance(value, str)


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from("{}+#./;?&,*:a1%-é x"), max_size=30), st.dictionaries(st.text(max_size=3), st.text()))
def test_no_template_raises(template: str, values: dict[str, Value]) -> None:
    names = variables(template)
    uri = expand(template, {**values, **dict.fromkeys(names or (), "v")})
    assert (uri is None) == (names is None) or uri is None


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_a_simple_value_stays_within_its_place(value: str) -> None:
    uri = expand("x://{id}/end", {"id": value})
    assert uri is not None and re.fullmatch(r"x://[A-Za-z0-9._~%-]*/end", uri)


@pytest.mark.parametrize(
    "template", ["{" * 2048, "{a}" * 32, "{a" + ",a" * 1000 + "}", "{?" + "a*," * 600 + "a}", "a" * 2048]
)
def test_no_template_takes_long(template: str) -> None:
    began = time.process_time()
    expand(template, {"a": "x" * 8_000})
    assert time.process_time() - began < 1

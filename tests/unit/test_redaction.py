"""Secrets are taken out of texts by value and by pattern, and nothing else is."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeagent_lsp.redaction import MARK, Redactor

SECRETS = [
    "Authorization: Bearer abc123def456ghi",
    "authorization: Basic dXNlcjpwYXNzd29yZA==",
    '{"Authorization": "Bearer tok-0000-1111"}',
    "proxy-authorization: Basic dXNlcjpwYXNzd29yZA==",
    "sent bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "gho_16C7e42F292c6912E7710c838347Ae178B4a",
    "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz",
    "glpat-abcdefGHIJKL12345678",
    "sk-proj-abcdefghijklmnop",
    "sk-ant-api03-abcdefghijklmnop",
    "xoxb-123456789012-abcdefghijkl",
    "AKIAIOSFODNN7EXAMPLE",
    "AIzaSyA-1234567890abcdefghijklmnopqrstuv",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    "GET https://h.example/mcp?key=s3cret",
    "https://h.example/mcp?x=1&token=s3cret#top",
    "https://h.example/mcp?X-Amz-Signature=abcdef",
    "http://127.0.0.1:7000/callback?code=abcdef&state=1",
    "https://h.example/#access_token=abcdef",
    "https://user:p4ss@h.example/x",
    "https://:p4ss@h.example/x",
    "postgres://user:p4ssword@db/x",
    "https://x0123456789012345678901@github.example/a",
    "API_KEY=0123456789abcdef",
    'password: "hunter22222"',
    '{"apiKey":"abcdef123456"}',
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA0Z3VS5JJcds3xfn\n-----END RSA PRIVATE KEY-----",
]


@pytest.mark.parametrize("text", SECRETS)
def test_what_looks_like_a_secret_is_redacted(text: str) -> None:
    assert MARK in Redactor().clean(text)


def test_only_the_secret_part_goes() -> None:
    clean = Redactor().clean
    assert clean("GET https://u:pw@h/mcp?a=1&key=s3&b=2") == f"GET https://u:{MARK}@h/mcp?a=1&key={MARK}&b=2"
    assert clean("Authorization: Bearer abc123def456") == f"Authorization: Bearer {MARK}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "bearer authentication failed",
        "Unexpected token: foo",
        "the password is missing",
        "ssh://git@github.example/x",
        "user@example.org wrote: see http://h/x?page=2",
        "exit code=3",
        "SyntaxError: Unexpected token } in JSON at position 12",
        "a task-list and a risk-free disk-usage-report",
        "https://h.example/keys?monkey=1",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert Redactor().clean(text) == text


def test_a_known_value_is_redacted_in_every_form_it_travels_in() -> None:
    redactor = Redactor()
    redactor.add(['pa"ss wörd/1'])
    for form in ('pa"ss wörd/1', "pa%22ss%20w%C3%B6rd%2F1", 'pa\\"ss wörd/1', 'pa\\"ss w\\u00f6rd/1'):
        assert redactor.clean(f"<{form}>") == f"<{MARK}>"


def test_a_secret_of_several_lines_is_redacted_line_by_line() -> None:
    redactor = Redactor()
    redactor.add(["first-part\nsecond-part\n"])
    assert redactor.clean("read second-part here") == f"read {MARK} here"


def test_the_longest_value_wins() -> None:
    redactor = Redactor()
    redactor.add(["abcdef", "abcdefghij"])
    assert redactor.clean("abcdefghij abcdef") == f"{MARK} {MARK}"


@pytest.mark.parametrize("value", ["", "1", "true", "8080", "   ", "12345"])
def test_short_values_are_not_searched_for(value: str) -> None:
    redactor = Redactor()
    redactor.add([value])
    assert redactor.clean(f"x {value} y") == f"x {value} y"


def test_the_newline_at_the_end_of_a_secret_file_does_not_hide_the_secret() -> None:
    redactor = Redactor()
    redactor.add(["s3cret-value\n"])
    assert redactor.clean("sent s3cret-value.") == f"sent {MARK}."


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(max_size=20)), st.text())
def test_cleaning_twice_is_cleaning_once_and_no_value_survives(values: list[str], text: str) -> None:
    redactor = Redactor()
    redactor.add([*values, "redacted"])
    once = redactor.clean(text + " " + " ".join(values))
    assert redactor.clean(once) == once
    assert not any(value in once.replace(MARK, "") for value in values if len(value) >= 6 and value.isalpha())


@pytest.mark.parametrize(
    "piece", ["eyJ", "sk-", "://", "key=", "bearer ", "a:", "?token_", "authorization", "-----BEGIN ", "password "]
)
def test_no_text_takes_more_than_linear_time(piece: str) -> None:
    text = piece * (400_000 // len(piece))
    started = time.perf_counter()
    Redactor().clean(text)
    assert time.perf_counter() - started < 3


def test_a_look_in_passing_misses_nothing_that_cleaning_finds() -> None:
    redactor = Redactor()
    redactor.add(["hunter22"])
    for secret in (
        "Authorization: Basic abcdefgh",
        "bearer abcdefgh1234",
        "https://user:pass@host/",
        "ghp_abcdefghijkl",
        "github_pat_abcdefghijklmnopqrst",
        "glpat-abcdefghijklmnop",
        "sk-abcdefghijkl",
        "xoxb-abcdefghijkl",
        "AKIAABCDEFGHIJKLMNOP",
        "AIzaabcdefghijklmnopqrstuvwxyz01234",
        "hf_abcdefghijklmnopqrstu",
        "npm_abcdefghijklmnopqrstuvwxyz0123",
        "eyJabcdefgh.abcdefgh.x",
        "?api_key=abc",
        "password: abcdefg1",
        "it is hunter22 again",
    ):
        assert redactor.clean(secret) != secret
        assert redactor.may_hold(secret), secret
    assert not redactor.may_hold("tools/call echo: answered after 12 ms")

"""Secrets in plain text: found where they are, each with a harmless twin that is not."""

from typing import Any

import pytest

from codeagent_lsp.operations.plain_secrets import plain_secrets

FOUND = [
    ({"env": {"GITHUB_TOKEN": "abcdefgh1234"}}, "abcdefgh1234"),
    ({"env": {"API_KEY": "k3y-with-words"}}, "k3y-with-words"),
    ({"env": {"DB_PASSWORD": "correcthorse"}}, "correcthorse"),
    ({"env": {"ANYTHING": "ghp_0123456789abcdefghij"}}, "ghp_0123456789abcdefghij"),
    ({"env": {"DSN": "postgres://u:hunter22@h/db"}}, "hunter22"),
    ({"headers": {"Authorization": "Bearer abcdef123456"}}, "abcdef123456"),
    ({"headers": {"X-Api-Key": "abcdef123456"}}, "abcdef123456"),
    ({"url": "https://h/mcp?token=abcdef123456"}, "abcdef123456"),
    ({"url": "https://u:geheimnis@h/mcp"}, "geheimnis"),
    ({"args": ["--api-key", "abcdef123456"]}, "abcdef123456"),
    ({"args": ["--token=abcdef123456"]}, "abcdef123456"),
    ({"args": ["-e", "API_TOKEN=abcdef123456"]}, "abcdef123456"),
    ({"args": ["sk-0123456789abcdef"]}, "sk-0123456789abcdef"),
    ({"oauth": {"clientSecret": "abcdef123456"}}, "abcdef123456"),
]


@pytest.mark.parametrize(("entry", "secret"), FOUND)
def test_a_secret_in_plain_text_is_found(entry: dict[str, Any], secret: str) -> None:
    found = list(plain_secrets(entry))
    assert len(found) == 1
    value: Any = entry
    for step in found[0].path:
        value = value[step]
    assert value[found[0].start : found[0].end] == secret


HARMLESS = [
    {"env": {"GITHUB_TOKEN": "${GITHUB_TOKEN}"}},
    {"env": {"API_KEY": "${input:key}"}},
    {"env": {"API_KEY": "<your-api-key>"}},
    {"env": {"API_KEY": "your-api-key-here"}},
    {"env": {"API_KEY": "xxxxxxxx"}},
    {"env": {"API_KEY": "********"}},
    {"env": {"API_KEY": ""}},
    {"env": {"API_KEY": None}},
    {"env": {"API_KEY": "changeme-please"}},
    {"env": {"TOKEN_LIMIT": "100000000"}},
    {"env": {"AUTH_URL": "https://login.example.com/x"}},
    {"env": {"SECRET_FILE": "/run/secrets/token"}},
    {"env": {"AUTH_METHOD": "basicauth"}},
    {"env": {"PASSWORD_REQUIRED": "notneeded"}},
    {"env": {"KEYBOARD": "qwertzuiop"}},
    {"env": {"NODE_ENV": "production"}},
    {"headers": {"Authorization": "Bearer ${TOKEN}"}},
    {"headers": {"Accept-Language": "de-DE,de,en"}},
    {"url": "https://h/mcp?token=${TOKEN}"},
    {"url": "https://h/mcp?page=12345678"},
    {"args": ["--api-key", "${KEY}"]},
    {"args": ["--verbose", "abcdef123456"]},
    {"args": ["--token-limit", "100000"]},
    {"args": [7, None, "--api-key"]},
    {"oauth": {"clientId": "abcdef123456"}},
    {"env": 7, "headers": [], "args": "x", "oauth": None, "url": 3},
]


@pytest.mark.parametrize("entry", HARMLESS)
def test_what_is_no_secret_is_left_alone(entry: dict[str, Any]) -> None:
    assert list(plain_secrets(entry)) == []

"""Finds secrets that stand in plain text in a server's entry: by what they look like, and by what they are called."""

import re
from collections.abc import Iterator
from typing import Any, cast

from attrs import frozen

from codeagent_lsp.config.templates import references
from codeagent_lsp.policy.values import looks_secret
from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.redaction import Redactor

Path = tuple[str | int, ...]

_ABOUT_SECRETS = re.compile(
    r"(?:type|method|mode|url|uri|host|file|path|dir|limit|max|count|size|ttl|expir\w*|timeout|name|user|username|id"
    r"|enabled|disabled|required|provider|scopes?|endpoint|audience|issuer|realm|sock|port|algorithm)$",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"[<\[{(].*[>\]})]|(?:your|my|the|some|insert|enter|put)[ _-].*|x{3,}|\*{3,}|\.{3,}|…"
    r"|.*(?:change[_-]?me|placeholder|example|dummy|redacted|xxxx|todo).*",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"(?:bearer|basic|token|apikey|digest)\s+", re.IGNORECASE)
_NO_SECRET = re.compile(r"[\d.]+|true|false|none|null|(?:https?:/|~|\.{1,2})?/.*|[A-Za-z]:\\.*", re.IGNORECASE)
_FLAG = re.compile(r"--?([A-Za-z][\w.-]*)(?:=(.*))?", re.DOTALL)
_SHORTEST = 8


@frozen
class PlainSecret:
    """A secret in plain text: the path of its value inside the entry, and the stretch of the value that is secret."""

    path: Path
    name: str
    start: int
    end: int


def plain_secrets(entry: JsonObject) -> Iterator[PlainSecret]:
    """The secrets that stand in plain text in an entry of ours, in the order in which the fields are documented."""
    args = entry.get("args")
    yield from _in_arguments(list(cast(list[Any], args)) if isinstance(args, list) else [])
    for key in ("env", "headers"):
        table = entry.get(key)
        for name, value in cast(JsonObject, table).items() if isinstance(table, dict) else ():
            if isinstance(value, str):
                yield from _found((key, name), name, value)
    url = entry.get("url")
    if isinstance(url, str):
        yield from _found(("url",), "url", url)
    oauth = entry.get("oauth")
    secret = cast(JsonObject, oauth).get("clientSecret") if isinstance(oauth, dict) else None
    if isinstance(secret, str):
        yield from _found(("oauth", "clientSecret"), "clientSecret", secret)


def _in_arguments(args: list[Any]) -> Iterator[PlainSecret]:
    flag = ""
    for index, arg in enumerate(args):
        if not isinstance(arg, str):
            flag = ""
            continue
        match = _FLAG.fullmatch(arg)
        if match and match[2] is not None:
            yield from _found(("args", index), match[1], match[2], match.start(2))
        elif match is None:
            name, equals, value = arg.partition("=")
            if equals and re.fullmatch(r"\w+", name):
                yield from _found(("args", index), name, value, len(name) + 1)
            else:
                yield from _found(("args", index), flag, arg)
        flag = match[1] if match and match[2] is None else ""


def _found(path: Path, name: str, value: str, offset: int = 0) -> Iterator[PlainSecret]:
    """The secret in one value, if there is one; `offset` is where `value` begins in the text at `path`."""
    scheme = _SCHEME.match(value)
    start = scheme.end() if scheme else 0
    rest = value[start:]
    if references(rest) or "${" in rest or _PLACEHOLDER.fullmatch(rest.strip()) or not rest.strip():
        return
    cleaned = Redactor().clean(value)
    if cleaned != value:
        start, end = _difference(value, cleaned) if scheme is None else (start, len(value))
        yield PlainSecret(path, name, offset + start, offset + end)
    elif _is_named_secret(name, rest):
        yield PlainSecret(path, name, offset + start, offset + len(value))


def _is_named_secret(name: str, value: str) -> bool:
    if not looks_secret(name) or _ABOUT_SECRETS.search(name):
        return False
    return len(value) >= _SHORTEST and not re.search(r"\s", value) and not _NO_SECRET.fullmatch(value)


def _difference(value: str, cleaned: str) -> tuple[int, int]:
    """The stretch of a text that its redacted form has not: less the beginning and the end that both share."""
    start = 0
    while start < min(len(value), len(cleaned)) and value[start] == cleaned[start]:
        start += 1
    end = 0
    while end < min(len(value), len(cleaned)) - start and value[-1 - end] == cleaned[-1 - end]:
        end += 1
    return start, len(value) - end

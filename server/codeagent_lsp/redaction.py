"""Takes secrets out of every text that a person, a log or an editor will see.

Two ways, both applied: by value (what the config resolved from variables, env files and headers) and by pattern (what
looks like a token although nobody told us of it). Every pattern is linear in the length of the text.
"""

import json
import re
from collections.abc import Callable, Iterable
from urllib.parse import quote

MARK = "[redacted]"
"""What stands in place of a secret."""

SHORTEST_SECRET = 6
"""Shorter values are not searched for: `true` or `8080` in an env block would make every text unreadable."""

_TOKEN = r"[A-Za-z0-9._~+/=-]"

_PATTERNS: tuple[tuple[str, str], ...] = (
    # The value of an Authorization header, whatever its scheme.
    (
        r"(?i)(\b(?:proxy-)?authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:[A-Za-z]{1,20}\s{1,3})?)[^\s\"',;]{4,}",
        r"\1" + MARK,
    ),
    (rf"(?i)(\bbearer\s{{1,3}})(?:(?={_TOKEN}{{0,200}}[0-9._~+/=]){_TOKEN}{{8,}}|{_TOKEN}{{20,}})", r"\1" + MARK),
    # https://user:password@host, and a lone long user, which is a token too.
    (r"(://[^\s/@:]{0,256}:)[^\s/@]{1,1024}(?=@)", r"\1" + MARK),
    (r"(://)[^\s/@:]{20,1024}(?=@)", r"\1" + MARK),
    # Tokens with a known head.
    (r"\b(?:gh[pousr]_[A-Za-z0-9]{10,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})", MARK),
    (r"\bsk-[A-Za-z0-9_-]{10,}", MARK),
    (
        r"\b(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|(?:AKIA|ASIA)[0-9A-Z]{16}\b|AIza[A-Za-z0-9_-]{30,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,})",
        MARK,
    ),
    (r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*)?", MARK),
    (r"(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[A-Za-z0-9+/=\s\\]{16,}", r"\1" + MARK),
    # Query parameters of URLs.
    (
        r"(?i)([?&;#](?:[a-z0-9]{1,20}[_.-]){0,3}(?:api_?key|apikey|key|token|secret|password|passwd|pwd|signature|sig|code|auth|code_verifier)=)"
        r"[^&\s\"'#<>]+",
        r"\1" + MARK,
    ),
    # NAME_TOKEN=…, "apiKey": "…": only where the value has a digit, so that prose is left alone.
    (
        r"(?i)((?:api[_-]?key|secret|password|passwd|token|access[_-]?key)[\"']?\s{0,3}[=:]\s{0,3}[\"']?)"
        r"(?=[^\s\"',;&]{0,200}\d)[^\s\"',;&]{8,}",
        r"\1" + MARK,
    ),
)

_SIGNS = re.compile(
    r"(?i)authorization|bearer|://|gh[pousr]_|github_pat_|glpat-|sk-|xox|AKIA|ASIA|AIza|hf_|npm_|eyJ|-----BEGIN"
    r"|key|token|secret|passw|pwd|sig|code|auth"
)
"""What every pattern has somewhere."""


class Redactor:
    """Knows the secrets of one host, and what tokens look like."""

    def __init__(self) -> None:
        self._values: set[str] = set()
        self._by_value: re.Pattern[str] | None = None
        self._by_pattern = [(re.compile(pattern), mark) for pattern, mark in _PATTERNS]

    def add(self, values: Iterable[str]) -> None:
        """Search for these values from now on.

        Each is searched for as it is, percent-encoded, as it stands inside a JSON string, and (if it has several
        lines) line by line, because logs are read line by line. Values below `SHORTEST_SECRET` characters are ignored.
        """
        found = {form for value in values for form in _forms(value) if len(form) >= SHORTEST_SECRET}
        if not found <= self._values:
            self._values |= found
            self._by_value = None

    def may_hold(self, text: str) -> bool:
        """Whether a look in passing finds anything that could be a secret; where not, `clean` changes nothing."""
        return _SIGNS.search(text) is not None or bool(self._values and self._value_pattern().search(text))

    def clean(self, text: str) -> str:
        """The text with every secret replaced by `[redacted]`; a cleaned text is not changed by cleaning it again."""
        if self._values:
            text = self._value_pattern().sub(MARK, text)
        for pattern, mark in self._by_pattern:
            text = pattern.sub(_keeping_marks(mark), text)
        return text

    def _value_pattern(self) -> re.Pattern[str]:
        if self._by_value is None:
            # The mark itself comes first: were "redacted" a secret, a cleaned text would grow at every cleaning.
            longest_first = sorted(self._values, key=lambda value: (-len(value), value))
            self._by_value = re.compile("|".join(re.escape(value) for value in (MARK, *longest_first)))
        return self._by_value


def _forms(value: str) -> Iterable[str]:
    stripped = value.strip()
    yield value
    yield stripped
    yield quote(stripped, safe="", errors="replace")
    yield json.dumps(stripped)[1:-1]
    yield json.dumps(stripped, ensure_ascii=False)[1:-1]
    if "\n" in stripped:
        for line in stripped.split("\n"):
            yield line.strip()


def _keeping_marks(mark: str) -> Callable[[re.Match[str]], str]:
    """A replacement that leaves a place alone where only the mark is left to replace."""

    def replace(match: re.Match[str]) -> str:
        return match[0] if MARK in match[0] else match.expand(mark)

    return replace

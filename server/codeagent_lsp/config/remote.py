"""Which URLs and HTTP headers a server entry may have (RFC 9110 section 5, RFC 3986 section 3)."""

import re
from urllib.parse import urlsplit, urlunsplit

MAX_URL = 8192

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OURS = frozenset(
    {
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "last-event-id",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_SET_BY_US = frozenset({"accept", "content-type"})


def url_problem(url: str) -> str | None:
    """Why a URL (variables already expanded) cannot be a server's, or `None`. The URL itself is never in the answer."""
    if len(url) > MAX_URL:
        return f"is longer than {MAX_URL:,} characters"
    if re.search(r"[\x00-\x20\x7f\\]", url) or any(character.isspace() for character in url):
        return "holds white space, a control character or a backslash"
    try:
        parts = urlsplit(url)
        port = parts.port
        host = parts.hostname
    except ValueError:
        return "is not a URL: its host or port cannot be read"
    if parts.scheme not in ("http", "https") or "://" not in url:
        return "must begin with http:// or https://"
    if not host or port == 0:
        return "names no host" if not host else "has port 0"
    return None


def clean_url(url: str) -> str:
    """The URL as it is connected to: without its fragment, which is never sent."""
    return urlunsplit(urlsplit(url)._replace(fragment=""))


def header_name_problem(name: str) -> str | None:
    """Why a header of this name cannot be set, or `None`."""
    if not _NAME.fullmatch(name):
        return "is not a name that a header can have"
    lower = name.lower()
    if lower in _OURS or lower.startswith("mcp-"):
        return "belongs to the protocol and cannot be set"
    return None


def is_set_by_us(name: str) -> bool:
    """Whether a header is one that the transport itself chooses, so that an entry's value is dropped."""
    return name.lower() in _SET_BY_US


def clean_header_value(value: str) -> str:
    """A header's value as it is sent: without white space and line ends around it."""
    return value.strip(" \t\r\n")


def header_value_problem(value: str) -> str | None:
    """Why a (cleaned) value cannot be sent, or `None`. The value itself is never in the answer."""
    if re.search(r"[\r\n]", value):
        return "holds a line break"
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f]", value):
        return "holds a control character"
    if not value.isascii():
        return "holds a character beyond ASCII"
    return None

"""What an HTTP answer, or the lack of one, means to a user: the status kept, the body never shown."""

import email.utils
import socket
import ssl
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from codeagent_lsp.errors import HostError, NeedsAuth, Protocol, Transport
from codeagent_lsp.text import one_line
from codeagent_lsp.transport.http_client import CONNECT, proxy_for, shown_url

if TYPE_CHECKING:
    from httpx2 import Response

MAX_RETRY_AFTER = 60.0
"""Seconds that a server can make us wait."""

OLD_TRANSPORT_STATUSES = (400, 404, 405)
"""What a server that only speaks HTTP+SSE answers to a POST (MCP, "Transports / Backwards Compatibility")."""

_WORDS = {
    400: "did not understand the request",
    404: "has nothing at this URL",
    405: "does not take this kind of request at this URL",
    408: "gave up waiting for the request",
    413: "finds the request too large",
    429: "has had too many requests",
    500: "failed inside",
    502: "cannot be reached behind its gateway",
    503: "is not available at the moment",
    504: "did not answer its gateway in time",
}


def refused(response: "Response", url: str, *, authorized: bool) -> HostError:
    """The failure for a status of 300 and above. `authorized`: the config sends an Authorization header."""
    status = response.status_code
    if status == 401:
        if authorized:
            return NeedsAuth(
                "does not accept the Authorization header of its config entry (HTTP 401).",
                hint='Correct "headers" of this server, or take the header out to sign in.',
            )
        return NeedsAuth("wants you to sign in (HTTP 401).", hint="Sign in to this server.")
    if status == 403:
        return NeedsAuth("refuses access (HTTP 403).", hint="Sign in with an account that may use this server.")
    if 300 <= status < 400:
        target = response.headers.get("location", "")
        where = f" to {shown_url(target)}" if "://" in target else ""
        return Transport(
            f"redirects{where}, which is not followed (HTTP {status}).",
            status=status,
            hint="If that is the right place, put it into the config file.",
        )
    wait = retry_after(response)
    later = f" It asks to wait {wait:g} s." if wait is not None else ""
    words = _WORDS.get(status, "refuses the request" if status < 500 else "failed")
    return Transport(f"{words} (HTTP {status}) at {shown_url(url)}.{later}", status=status)


def retry_after(response: "Response") -> float | None:
    """The wait that a server asks for, in seconds, at most a minute (RFC 9110, 10.2.3)."""
    value = response.headers.get("retry-after", "").strip()
    if value.isdigit():
        return min(float(value[:9]), MAX_RETRY_AFTER)
    try:
        until = email.utils.parsedate_to_datetime(value).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return min(max(until - time.time(), 0.0), MAX_RETRY_AFTER)


def wrong_kind(response: "Response", method: str) -> Protocol:
    """The failure for an answer that is neither JSON nor a stream of events."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    said = one_line(kind, 60) if kind else "something without a content type"
    return Protocol(
        f"answered {method} with {said} (HTTP {response.status_code}); JSON or a stream of events was expected.",
        hint="Is this the URL of an MCP server? A page to sign in looks like this too." if "html" in kind else None,
    )


def unreachable(error: BaseException, url: str) -> HostError:
    """The failure for a connection that could not be made, or broke."""
    import httpx2
    from mcp.client.auth import OAuthFlowError

    if isinstance(error, HostError):
        return error
    if isinstance(error, OAuthFlowError):
        return NeedsAuth(f"the sign-in did not work ({type(error).__name__}).", hint="Sign in to this server again.")
    way = proxy_for(url)
    through = f" through the proxy of {way[0]}" if way else ""
    place = f"{shown_url(url)}{through}"
    if isinstance(error, httpx2.ConnectTimeout | httpx2.PoolTimeout):
        return Transport(f"cannot be reached at {place}: no connection within {CONNECT:g} s.")
    if is_tls(error):
        why = one_line(_tls_reason(error), 200)
        hint = "If it uses a certificate of your own authority, name that in the environment as SSL_CERT_FILE."
        return Transport(f"cannot be trusted at {place}: {why}.", hint=hint, final=True)
    if isinstance(error, httpx2.ProxyError):
        return Transport(f"cannot be reached at {place}: the proxy refused ({one_line(str(error), 100)}).")
    if isinstance(error, httpx2.ConnectError):
        return Transport(f"cannot be reached at {place}: {_why_not_connected(error)}.")
    if isinstance(error, httpx2.InvalidURL | httpx2.UnsupportedProtocol):
        return Transport(f"cannot be reached: its URL is not valid ({one_line(shown_url(url), 100)}).")
    return Transport(f"the connection to {place} broke ({type(error).__name__}).")


def is_tls(error: BaseException) -> bool:
    """Whether a connection failed for its certificate or its encryption: trying again does not help."""
    return _tls_cause(error) is not None


def _tls_cause(error: BaseException) -> ssl.SSLError | None:
    return next((cause for cause in _causes(error) if isinstance(cause, ssl.SSLError)), None)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and everything that it came from; of a group of attempts, the first."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        yield current
        seen.add(id(current))
        group = cast("BaseExceptionGroup[BaseException]", current) if isinstance(current, BaseExceptionGroup) else None
        current = group.exceptions[0] if group else current.__cause__ or current.__context__


def _why_not_connected(error: BaseException) -> str:
    for cause in _causes(error):
        if isinstance(cause, ConnectionRefusedError):
            return "the connection was refused, nothing listens there"
        if isinstance(cause, ConnectionResetError):
            return "the connection was reset"
        if isinstance(cause, socket.gaierror):
            return f"the name of its host is not known ({one_line(cause.strerror or '', 100)})"
        if isinstance(cause, OSError) and cause.errno:
            return one_line(cause.strerror or str(cause), 200)
    return one_line(str(error) or "connection failed", 200)


def _tls_reason(error: BaseException) -> str:
    cause: Any = _tls_cause(error)
    return getattr(cause, "verify_message", "") or getattr(cause, "reason", "") or "the secure connection failed"

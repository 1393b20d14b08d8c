"""The HTTP client of one server: its headers, the proxies and certificates of the environment, and nothing shared.

Proxies are those of the environment (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`, in either case); a server on
this machine is always reached directly. Certificates: those of the system, or `SSL_CERT_FILE` / `SSL_CERT_DIR`.
"""

import ipaddress
import os
import ssl
import urllib.request
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from codeagent_lsp import __version__
from codeagent_lsp.config.remote import clean_header_value, header_name_problem, header_value_problem, is_set_by_us
from codeagent_lsp.errors import Transport
from codeagent_lsp.text import visible
from codeagent_lsp.transport.http_body import ENCODINGS

if TYPE_CHECKING:
    import httpx2

    from codeagent_lsp.config.launch import Launch

CONNECT = 10.0
"""Seconds to reach a server."""

WRITE = 30.0
"""Seconds without progress while a request is sent."""

MAX_CONNECTIONS = 200


def make_client(launch: "Launch", auth: "httpx2.Auth | None" = None) -> "httpx2.AsyncClient":
    """A client with the headers of this launch. How long an answer may take is the caller's business.

    Raises `errors.Transport` for a header or a proxy that cannot be used; values are never named.
    """
    import httpx2

    return httpx2.AsyncClient(
        transport=_route(),
        headers=clean_headers(launch),
        auth=auth,
        timeout=httpx2.Timeout(None, connect=CONNECT, write=WRITE),
        follow_redirects=False,
        trust_env=False,
    )


def clean_headers(launch: "Launch") -> dict[str, str]:
    """The headers that go with every request; those that belong to the protocol are left out."""
    headers = {"User-Agent": f"codeagent-lsp/{__version__}", "Accept-Encoding": ENCODINGS}
    for name, given in launch.headers.items():
        value = clean_header_value(given)
        if header_name_problem(name) is not None or is_set_by_us(name):
            continue
        problem = header_value_problem(value)
        if problem is not None:
            raise Transport(f"its header {visible(name, limit=100)} {problem}.", server=launch.server)
        headers = {known: kept for known, kept in headers.items() if known.lower() != name.lower()}
        headers[name] = value
    return headers


def shown_url(url: str) -> str:
    """A URL for a message: without user, password, query and fragment, all of which may be secret."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return visible(f"{parts.scheme}://{host}{parts.path}", newlines=False, limit=200)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    host = host.strip("[]").rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def proxy_for(url: str) -> tuple[str, str] | None:
    """The environment variable and the proxy that a URL is reached through, or None: directly."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if is_loopback(host):
        return None
    proxies = urllib.request.getproxies()
    name = parts.scheme if parts.scheme in proxies else "all"
    proxy = proxies.get(name)
    if not proxy or urllib.request.proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    return f"{name.upper()}_PROXY", proxy if "://" in proxy else f"http://{proxy}"


def _route() -> "httpx2.AsyncBaseTransport":
    """A transport that finds the way for each request, and keeps the connections of each way."""
    import httpx2

    class Route(httpx2.AsyncBaseTransport):
        def __init__(self) -> None:
            self._ways: dict[tuple[str, str | None], httpx2.AsyncHTTPTransport] = {}

        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            way = proxy_for(str(request.url))
            key = (request.url.scheme, way[1] if way else None)
            if key not in self._ways:
                self._ways[key] = _open_way(request.url.scheme, way)
            return await self._ways[key].handle_async_request(request)

        async def aclose(self) -> None:
            for way in self._ways.values():
                await way.aclose()

    return Route()


def _open_way(scheme: str, way: tuple[str, str] | None) -> Any:
    import httpx2

    limits = httpx2.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=20)
    try:
        # Without TLS there is nothing to verify, and reading all certificates takes 30 ms.
        context = httpx2.create_ssl_context() if scheme == "https" else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    except (OSError, ssl.SSLError) as error:
        names = [name for name in ("SSL_CERT_FILE", "SSL_CERT_DIR") if os.environ.get(name)]
        raise Transport(
            f"cannot be verified: the certificates that {' or '.join(names) or 'the system'} names cannot be read "
            f"({type(error).__name__}).",
            hint="Correct that environment variable, and start the editor again.",
        ) from None
    try:
        return httpx2.AsyncHTTPTransport(verify=context, limits=limits, proxy=way[1] if way else None)
    except (ValueError, ImportError, httpx2.InvalidURL) as error:
        if way is None:
            raise
        kind = "is a SOCKS proxy, which is not supported" if isinstance(error, ImportError) else "is no URL of a proxy"
        raise Transport(
            f"cannot be reached: the environment variable {way[0]} {kind}.",
            hint="Correct it, or put the server's host into NO_PROXY, and start the editor again.",
        ) from None

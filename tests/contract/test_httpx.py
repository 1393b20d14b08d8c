"""What we lean on in the HTTP client under our transport."""

import asyncio
from typing import Any

import httpx2
import pytest


class Canned(httpx2.AsyncBaseTransport):
    """Answers with what it is given, and remembers the requests."""

    def __init__(self, *responses: httpx2.Response) -> None:
        self.responses = list(responses)
        self.requests: list[httpx2.Request] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        return self.responses.pop(0)


def send(transport: Canned, method: str = "POST", url: str = "http://h/mcp", **more: Any) -> httpx2.Response:
    async def work() -> httpx2.Response:
        async with httpx2.AsyncClient(transport=transport, trust_env=False, **more) as client:
            request = client.build_request(method, url, content=b"x", headers={"x-one": "1"})
            return await client.send(request, stream=True, follow_redirects=False)

    return asyncio.run(work())


@pytest.mark.parametrize(("status", "method"), [(307, "POST"), (308, "POST"), (301, "GET"), (302, "GET"), (303, "GET")])
def test_a_redirect_is_handed_back_with_the_request_that_would_follow(status: int, method: str) -> None:
    response = send(Canned(httpx2.Response(status, headers={"location": "/mcp/"})))
    assert response.next_request is not None
    assert response.next_request.method == method and str(response.next_request.url) == "http://h/mcp/"


def test_the_default_port_is_the_same_as_none() -> None:
    assert httpx2.URL("http://h:80/").port is None and httpx2.URL("https://H:443/").host == "h"


def test_the_user_of_a_url_is_sent_as_basic_authorization() -> None:
    transport = Canned(httpx2.Response(200))
    send(transport, url="http://u:p@h/")
    assert transport.requests[0].headers["authorization"].startswith("Basic ")


def test_a_raw_body_is_not_decoded() -> None:
    async def work() -> bytes:
        response = httpx2.Response(200, headers={"content-encoding": "gzip"}, content=None, stream=Raw())
        return b"".join([piece async for piece in response.aiter_raw()])

    class Raw(httpx2.AsyncByteStream):
        async def __aiter__(self) -> Any:
            yield b"not gzip at all"

    assert asyncio.run(work()) == b"not gzip at all"


@pytest.mark.parametrize("name", ["ConnectError", "ConnectTimeout", "ReadError", "RemoteProtocolError", "ProxyError"])
def test_what_breaks_on_the_way_is_a_transport_error(name: str) -> None:
    assert issubclass(getattr(httpx2, name), httpx2.TransportError)

"""The way to a server: headers, proxies, certificates, and what is said when there is none."""

import json
from pathlib import Path
from typing import Any

import pytest
from wire_bench import Bench, Launch, run

from codeagent_lsp.errors import Transport
from codeagent_lsp.transport.http_client import clean_headers, is_loopback, proxy_for, shown_url

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUEST_METHOD")


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def launch(headers: dict[str, str]) -> Any:
    made = Launch([])
    made.headers = headers
    return made


def test_headers_of_the_protocol_cannot_be_set() -> None:
    theirs = {"Mcp-Session-Id": "x", "mcp-protocol-version": "1", "Content-Length": "0", "Host": "h", "": "v"}
    more = {"Accept": "text/html", "content-type": "a/b", "Transfer-Encoding": "x"}
    headers = clean_headers(launch({"X": " a\n", **theirs, **more, "Authorization": "Bearer t"}))
    assert headers.pop("User-Agent").startswith("codeagent-lsp/") and headers.pop("Accept-Encoding")
    assert headers == {"X": "a", "Authorization": "Bearer t"}


@pytest.mark.parametrize("value", ["a\nb", "a\r\nX: y", "a\0b", "é", "secret\x7f"])
def test_a_value_that_no_header_can_have_is_refused_without_being_shown(value: str) -> None:
    with pytest.raises(Transport, match="its header X-Token holds") as caught:
        clean_headers(launch({"X-Token": value}))
    assert value not in caught.value.text()


def test_the_user_agent_can_be_set() -> None:
    headers = clean_headers(launch({"user-agent": "mine"}))
    assert [value for name, value in headers.items() if name.lower() == "user-agent"] == ["mine"]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://u:p@h:80/mcp?key=s#f", "http://h:80/mcp"),
        ("https://h/a\u202eb", "https://h/a\\u{202E}b"),
        ("http://[::1]:8000/", "http://[::1]:8000/"),
    ],
)
def test_a_url_is_shown_without_what_may_be_secret(url: str, shown: str) -> None:
    assert shown_url(url) == shown


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "::1", "[::1]", "a.localhost"])
def test_this_machine_is_known_by_all_its_names(host: str) -> None:
    assert is_loopback(host)
    assert not is_loopback("localhost.example.org") and not is_loopback("10.0.0.1") and not is_loopback("")


@pytest.mark.parametrize(
    ("environment", "url", "proxy"),
    [
        ({}, "http://h.example/", None),
        ({"HTTP_PROXY": "http://p:1"}, "http://h.example/", "http://p:1"),
        ({"http_proxy": "http://p:1"}, "http://h.example/", "http://p:1"),
        ({"HTTP_PROXY": "http://p:1"}, "https://h.example/", None),
        ({"HTTPS_PROXY": "p:1"}, "https://h.example/", "http://p:1"),
        ({"ALL_PROXY": "http://p:1"}, "https://h.example/", "http://p:1"),
        ({"HTTP_PROXY": "http://p:1"}, "http://127.0.0.1:8000/", None),
        ({"HTTP_PROXY": "http://p:1"}, "http://localhost/", None),
        ({"HTTP_PROXY": "http://p:1"}, "http://[::1]:1/", None),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "h.example"}, "http://h.example/", None),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "example"}, "http://a.example:80/", None),
        ({"HTTP_PROXY": "http://p:1", "no_proxy": "*"}, "http://h.example/", None),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "other"}, "http://u:p@h.example/", "http://p:1"),
        ({"HTTP_PROXY": ""}, "http://h.example/", None),
    ],
)
def test_the_proxy_is_the_one_of_the_environment(
    environment: dict[str, str], url: str, proxy: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    way = proxy_for(url)
    assert (way[1] if way else None) == proxy


async def failure(bench: Bench, url: str) -> Any:
    """What a connection to `url` fails with."""
    from mcp import Client

    transport = bench.remote(url)
    with pytest.raises(BaseException) as caught:
        async with Client(transport, mode="legacy", read_timeout_seconds=5):
            pass
    return bench.lost[0] if bench.lost else transport.explain(caught.value)


def test_a_request_goes_through_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(bench: Bench) -> None:
        from scripted_http import ScriptedHttp

        async with ScriptedHttp("status=*:418") as proxy:
            monkeypatch.setenv("HTTP_PROXY", f"http://user:pw@127.0.0.1:{proxy.port}")
            error = await failure(bench, "http://h.example/mcp")
            assert error.status == 418 and "pw" not in error.text()
            assert proxy.requests[0][1] == "http://h.example/mcp" and "proxy-authorization" in proxy.requests[0][2]

    run(work)


@pytest.mark.parametrize(
    ("proxy", "said"),
    [
        ("ftp://secret@p:1", "HTTP_PROXY is no URL of a proxy"),
        ("http://secret@p:port", "HTTP_PROXY is no URL of a proxy"),
        ("socks5://secret@p:1", "HTTP_PROXY is a SOCKS proxy, which is not supported"),
        ("http://127.0.0.1:1", "through the proxy of HTTP_PROXY"),
    ],
)
def test_a_proxy_that_is_no_good_is_named_by_its_variable(
    proxy: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)

    async def work(bench: Bench) -> None:
        error = await failure(bench, "http://h.example/mcp")
        assert isinstance(error, Transport) and said in error.message and "secret" not in error.text()

    run(work)


# -- TLS ---------------------------------------------------------------------------------------------------------------


def make_certificates(folder: Path, *, host: str = "127.0.0.1", days: int = 30) -> tuple[Path, Path]:
    """A CA of our own and a server's certificate: (path of the CA, path of certificate and key)."""
    import datetime
    import ipaddress

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    def name(text: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    now = datetime.datetime.now(datetime.UTC)
    start = now - datetime.timedelta(days=60)
    ca_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())

    def builder(subject: str, public: Any, until: datetime.datetime) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(name(subject))
            .issuer_name(name("our CA"))
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(start)
            .not_valid_after(until)
        )

    far = now + datetime.timedelta(days=365)
    authority = builder("our CA", ca_key.public_key(), far).add_extension(
        x509.BasicConstraints(ca=True, path_length=None), critical=True
    )
    ca = authority.sign(ca_key, hashes.SHA256())
    try:
        alternative: Any = x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        alternative = x509.DNSName(host)
    server = builder("server", key.public_key(), now + datetime.timedelta(days=days)).add_extension(
        x509.SubjectAlternativeName([alternative]), critical=False
    )
    certificate = server.sign(ca_key, hashes.SHA256())
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "ca.pem").write_bytes(ca.public_bytes(pem))
    (folder / "server.pem").write_bytes(certificate.public_bytes(pem) + private)
    return folder / "ca.pem", folder / "server.pem"


@pytest.mark.parametrize(
    ("made", "trusted", "said"),
    [
        ({}, True, None),
        ({}, False, "issuer certificate"),
        ({"days": -1}, True, "expired"),
        ({"host": "other.example"}, True, "not valid for"),
    ],
)
def test_only_a_certificate_that_holds_is_trusted(
    made: dict[str, Any], trusted: bool, said: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ssl

    ca, pem = make_certificates(tmp_path, **made)
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(ca))

    async def work(bench: Bench) -> None:
        from mcp import Client
        from scripted_http import ScriptedHttp

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        server = ScriptedHttp()
        await server.start(ssl=context)
        url = f"https://127.0.0.1:{server.port}/mcp"
        try:
            if said is None:
                async with Client(bench.remote(url), mode="legacy", read_timeout_seconds=5) as client:
                    assert (await client.list_tools()).tools
            else:
                error = await failure(bench, url)
                assert "cannot be trusted" in error.message and said in error.message and "SSL_CERT_FILE" in error.hint
        finally:
            await server.stop()

    run(work)


def test_a_certificate_file_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/no/such/file.pem")

    async def work(bench: Bench) -> None:
        error = await failure(bench, "https://127.0.0.1:1/mcp")
        assert "SSL_CERT_FILE" in error.message and isinstance(error, Transport)

    run(work)


def test_the_user_and_password_of_a_url_are_sent_and_never_shown() -> None:
    async def work(bench: Bench) -> None:
        from mcp import Client
        from scripted_http import ScriptedHttp

        async with ScriptedHttp("status=tools/call:500") as server:
            url = server.url.replace("http://", "http://user:p4ssw0rd@")
            transport = bench.remote(url)
            async with Client(transport, mode="legacy", read_timeout_seconds=5) as client:
                with pytest.raises(Exception) as caught:
                    await client.call_tool("echo", {})
            assert server.requests[0][2]["authorization"].startswith("Basic ")
            error = transport.explain(caught.value)
            assert "p4ssw0rd" not in error.text() + bench.log() + json.dumps(error.data())

    run(work)

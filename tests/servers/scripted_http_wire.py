"""The HTTP half of the scripted server: connections, requests, answers, streams of events, encodings; all by hand."""

import asyncio
import gzip
import json
import zlib
from contextlib import suppress
from typing import Any

Headers = dict[str, str]


class Closed(Exception):
    """The connection is to be closed as it is."""


class HttpWire:
    """Takes connections, keeps what was asked, and lets a subclass answer.

    `requests` holds (HTTP method, path, headers in lower case, JSON body) of everything that was sent.
    """

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, Headers, Any]] = []
        self.port = 0
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, port: int = 0, ssl: Any = None) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", port, ssl=ssl)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stop listening, and break every connection."""
        if self._server is not None:
            self._server.close()
        for writer in list(self._writers):
            writer.transport.abort()
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=1)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._connection(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while line := await reader.readline():
                method, path, _ = line.decode().split(" ", 2)
                headers: Headers = {}
                while (line := await reader.readline()).strip():
                    name, _, value = line.decode("latin-1").partition(":")
                    headers[name.strip().lower()] = value.strip()
                data = await reader.readexactly(int(headers.get("content-length", 0)))
                body = json.loads(data) if data else None
                self.requests.append((method, path, headers, body))
                await self._route(method, path, headers, body, writer)
        except (Closed, OSError, ValueError, asyncio.IncompleteReadError):
            pass
        finally:
            self._writers.discard(writer)
            with suppress(OSError):
                writer.close()

    async def send(
        self, writer: asyncio.StreamWriter, status: int, headers: Headers | None = None, data: bytes = b""
    ) -> None:
        """Send one whole answer."""
        lines = [f"HTTP/1.1 {status} X", f"content-length: {len(data)}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
        await writer.drain()

    async def begin_events(self, writer: asyncio.StreamWriter, headers: Headers | None = None) -> None:
        """Send the head of a stream of events."""
        lines = [
            "HTTP/1.1 200 OK",
            "content-type: text/event-stream",
            "transfer-encoding: chunked",
            "connection: close",
        ]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n")
        await writer.drain()

    async def event(self, writer: asyncio.StreamWriter, message: Any, head: str = "event: message\n") -> None:
        """Send one event."""
        data = f"{head}data: {json.dumps(message, ensure_ascii=False)}\n\n".encode("utf-8", "surrogatepass")
        await self.chunk(writer, data)

    async def chunk(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        """Send a piece of a stream of events; an empty one ends it in good order."""
        writer.write(b"%x\r\n%s\r\n" % (len(data), data))
        await writer.drain()

    async def _route(self, method: str, path: str, headers: Headers, body: Any, writer: asyncio.StreamWriter) -> None:
        raise NotImplementedError


def _bomb(data: bytes) -> bytes:
    """gzip of 1 GiB of blanks, put together from one piece."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = packer.compress(b" " * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + piece * 1024


def _raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


ENCODE = {
    "gzip": gzip.compress,
    "members": lambda data: gzip.compress(data[:10]) + gzip.compress(data[10:]),
    "deflate": zlib.compress,
    "raw": _raw_deflate,
    "bomb": _bomb,
    "double": lambda data: gzip.compress(gzip.compress(data)),
    "br": lambda data: data,
}
ENCODED_AS = {"bomb": "gzip", "members": "gzip", "double": "gzip, gzip", "raw": "deflate"}

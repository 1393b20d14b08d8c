"""Reads what a server answers over HTTP: decoded while it streams, and never more than is wanted.

A few kilobytes of gzip can stand for gigabytes, so the decoder is only ever asked for a piece at a time.
"""

import asyncio
import zlib
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

from codeagent_lsp.errors import Protocol, TooLarge, Transport

if TYPE_CHECKING:
    from httpx2 import Response

MAX_BODY = 16 * 1024 * 1024
"""Decoded bytes of one body, or of one event of a stream."""

PIECE = 64 * 1024
MAX_RATIO = 100
RATIO_FROM = 1024 * 1024
"""Decoded bytes per byte on the wire, once there is a mebibyte of them; more is no text, but a bomb."""

IDLE = 60.0
"""Seconds without a byte after which a body counts as stuck."""

ENCODINGS = "gzip, deflate"
"""What we say that we understand."""


async def decoded(response: "Response") -> AsyncIterator[bytes]:
    """The body in pieces, decoded. Raises `errors.Protocol` for an encoding that was not asked for, or a bomb."""
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding in ("", "identity"):
        async for data in response.aiter_raw():
            yield data
        return
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise Protocol(f"answered in an encoding that was not asked for ({encoding[:40]!r}).")
    inflate = _Inflate()
    async for data in response.aiter_raw():
        for piece in inflate.pieces(data, encoding == "deflate"):
            yield piece


async def read_body(response: "Response", limit: int = MAX_BODY, idle: float = IDLE) -> bytes:
    """The whole body. Raises `errors.TooLarge`, `errors.Protocol`; `errors.Transport` if nothing comes for `idle` s."""
    length = response.headers.get("content-length", "")
    if length.isdigit() and int(length) > limit and not response.headers.get("content-encoding"):
        raise too_large(limit)
    parts: list[bytes] = []
    size = 0
    stream = decoded(response)
    while True:
        try:
            data = await asyncio.wait_for(anext(stream, None), idle)
        except TimeoutError:
            raise Transport(f"stopped in the middle of its answer: nothing came for {idle:g} s.") from None
        if data is None:
            return b"".join(parts)
        size += len(data)
        if size > limit:
            raise too_large(limit)
        parts.append(data)


def too_large(limit: int) -> TooLarge:
    """The failure of a request whose answer was larger than what is read."""
    return TooLarge(
        f"answered with more than {limit:,} bytes, which is more than is read.",
        hint="Ask for less at once: fewer items, a smaller page, a narrower search.",
    )


class _Inflate:
    """gzip or zlib, a bounded piece at a time."""

    def __init__(self) -> None:
        self._decoder = zlib.decompressobj(zlib.MAX_WBITS | 32)
        self._taken = 0
        self._given = 0

    def pieces(self, data: bytes, deflate: bool) -> Iterator[bytes]:
        if deflate and not self._taken and data[:1] and data[0] & 0x0F != 8:
            # "deflate" means zlib, and some servers send it without zlib's header (RFC 9110, 8.4.1.2).
            self._decoder = zlib.decompressobj(-zlib.MAX_WBITS)
        self._taken += len(data)
        while data:
            try:
                piece = self._decoder.decompress(data, PIECE)
            except zlib.error:
                raise Protocol("answered with a body that cannot be decompressed.") from None
            self._given += len(piece)
            if self._given > RATIO_FROM and self._given > MAX_RATIO * self._taken:
                raise TooLarge(f"answered with compressed data that grows more than {MAX_RATIO} times.")
            data = self._decoder.unconsumed_tail
            if self._decoder.eof and self._decoder.unused_data:
                # gzip may consist of several members (RFC 1952, 2.2).
                data = self._decoder.unused_data
                self._decoder = zlib.decompressobj(zlib.MAX_WBITS | 32)
            yield piece

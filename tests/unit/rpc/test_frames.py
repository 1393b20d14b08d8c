"""Framing: headers as people write them, and garbage that costs one message and no more."""

import json
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeagent_lsp.rpc.frames import FrameReader, Malformed, frame
from codeagent_lsp.rpc.json_text import Unreadable, decode, encode, too_deep
from editor_client import EditorClient
from editor_client import frame as message_frame

BODY = b'{"jsonrpc":"2.0","id":1,"method":"x"}'
NEXT = b'{"next":1}'


def read(*portions: bytes, reader: FrameReader | None = None) -> list[bytes | Malformed]:
    """Everything that a reader makes of these portions."""
    reader = reader or FrameReader()
    return [item for portion in portions for item in reader.feed(portion)]


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: %d\r\n\r\n",
        b"content-length: %d\r\n\r\n",
        b"CONTENT-LENGTH:%d\r\n\r\n",
        b"Content-Length :   %d  \r\n\r\n",
        b"Content-Length:\t%d\r\n\r\n",
        b"Content-Length: %d\n\n",
        b"Content-Length: %d\r\n\n",
        b"\r\n\r\nContent-Length: %d\r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\n\r\n",
        b"X-Odd\r\nX-Long: " + b"x" * 4000 + b"\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: 3\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: 000%d\r\n\r\n",
        b"a line that a library printed\nContent-Length: %d\r\n\r\n",
        b"printed without a line breakContent-Length: %d\r\n\r\n",
    ],
)
def test_a_header_in_any_usual_form_is_understood(header: bytes) -> None:
    data = header.replace(b"%d", str(len(BODY)).encode()) + BODY
    assert read(data + frame(NEXT)) == [BODY, NEXT]
    assert read(*(bytes([byte]) for byte in data + frame(NEXT))) == [BODY, NEXT]


@given(st.lists(st.binary(max_size=200).filter(lambda body: b"\n" not in body), max_size=6), st.data())
@settings(max_examples=60, deadline=None)
def test_bodies_arrive_whole_whatever_the_portions(bodies: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(map(frame, bodies))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    portions = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert read(*portions) == bodies


@pytest.mark.parametrize(
    "garbage",
    [
        b"hello\r\n\r\n",
        b"Content-Type: x\r\n\r\n",
        b"Content-Length: x\r\n\r\n",
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: 5x\r\n\r\n",
        b"Content-Length: 1.5\r\n\r\n",
        b"Content-Length: " + b"9" * 40 + b"\r\n\r\n",
        b"Content-Length:\r\n\r\n",
        b"Contxnt-Length: 37\r\n\r\n" + BODY,
        b"Content-Length: 5\r\n\r\n" + BODY,
        b"Content-Length: 0\r\n\r\n" + BODY,
        b"Content-Length: 41\r\n\r\n" + BODY,
        b"Content-Length: 90\r\n\r\n" + BODY,
        b"Content-Length: 999999\r\n\r\n" + BODY,
        b"Content-Length: 99999999999\r\n\r\n" + BODY,
        b"Content-Length: 999999999999999999\r\n\r\n" + BODY,
        b"\x00" * 20_000,
        b"\xff\xfe" * 9_000,
        b"x: " + b"y" * 20_000,
        b"x: y\r\n" * 5_000,
        b"Content-Length: 37\r\nX: " + b"y" * 20_000,
    ],
)
@pytest.mark.parametrize("portion", [1 << 20, 1000, 7])
def test_after_garbage_the_next_message_is_read(garbage: bytes, portion: int) -> None:
    data = garbage + frame(NEXT) + frame(BODY)
    reader, found = FrameReader(), []
    for start in range(0, len(data), portion):
        for item in reader.feed(data[start : start + portion]):
            found.append(item)
            try:
                decode(b"" if isinstance(item, Malformed) else item)
            except Unreadable as error:
                reader.unread(error.rest)
    assert found[-2:] == [NEXT, BODY]


def test_a_message_that_counts_too_far_gives_back_what_it_took() -> None:
    reader = FrameReader()
    data = b"Content-Length: %d\r\n\r\n" % (len(BODY) + 8) + BODY + frame(NEXT)[:8]
    [body] = reader.feed(data)
    assert isinstance(body, bytes)
    with pytest.raises(Unreadable) as error:
        decode(body)
    reader.unread(error.value.rest)
    assert read(frame(NEXT)[8:], reader=reader) == [NEXT]


def test_a_body_over_the_limit_is_skipped_without_being_kept() -> None:
    reader = FrameReader(max_body=1000)
    [refusal] = reader.feed(b"Content-Length: 5000000\r\n\r\n")
    assert isinstance(refusal, Malformed)
    for _ in range(100):
        assert read(b"x" * 50_000, reader=reader) == []
        assert len(reader._buffer) < 100_000
    assert read(frame(NEXT), reader=reader) == [NEXT]


def test_a_body_of_exactly_the_limit_is_taken() -> None:
    reader = FrameReader(max_body=1000)
    assert read(frame(b"x" * 1000), reader=reader) == [b"x" * 1000]


def test_a_long_body_in_small_portions_takes_linear_time() -> None:
    body = json.dumps({"a": "x" * 4_000_000}, indent=1).encode()
    data = frame(body)
    begun = time.process_time()
    found = read(*(data[start : start + 4096] for start in range(0, len(data), 4096)))
    assert time.process_time() - begun < 1
    assert found == [body]


def test_endless_garbage_takes_bounded_memory() -> None:
    reader = FrameReader()
    for _ in range(200):
        list(reader.feed(b"garbage without end " * 1000))
        assert len(reader._buffer) < 100_000


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=[]), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(exclude_categories=[])), inner),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ([float("nan"), float("inf"), -float("inf"), 0.5], b"[null,null,null,0.5]"),
        ({"\ud800": "\udfff"}, '{"�":"�"}'.encode()),
        ({"a": "\ud83d\ude00é"}, '{"a":"😀é"}'.encode()),
        ({"a": (1, 2**70), "b": {3: None}}, b'{"a":[1,1180591620717411303424],"b":{"3":null}}'),
    ],
)
def test_what_json_has_no_word_for_is_replaced(value: object, written: bytes) -> None:
    assert encode(value, str) == written


@given(JSON)
@settings(max_examples=60, deadline=None)
def test_whatever_is_written_is_strict_json_that_reads_back(value: object) -> None:
    body = encode({"value": value}, str)
    again = json.loads(body.decode("utf-8"), parse_constant=lambda name: pytest.fail(name))
    assert encode(again, str) == body
    assert decode(body) == again


@given(JSON)
@settings(max_examples=40, deadline=None)
def test_what_is_strict_already_is_written_unchanged(value: object) -> None:
    strict = json.loads(encode(value, str))
    assert decode(encode(strict, str)) == strict


@pytest.mark.parametrize("levels", [0, 1, 255, 256, 257, 5000])
@pytest.mark.parametrize("step", [lambda inner: [inner], lambda inner: {"a": 1, "b": inner}])
def test_depth_is_counted_without_recursion(levels: int, step: object) -> None:
    value: object = "leaf"
    for _ in range(levels):
        value = step(value)  # type: ignore[operator]
    assert too_deep(value) == (levels > 256)


def mutated(chance: random.Random, message: bytes) -> bytes:
    """One frame with something wrong in it: bytes changed, cut, doubled, moved, or a header that lies."""
    data = bytearray(message)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(data) + 1)
        match chance.randrange(6):
            case 0 if place < len(data):
                data[place] = chance.randrange(256)
            case 1:
                del data[place : place + chance.randint(1, 12)]
            case 2:
                data[place:place] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 12)))
            case 3:
                data[place:place] = data[:place]
            case 4 if place < len(data) and 48 <= data[place] <= 57:
                data[place] = 48 + chance.randrange(10)
            case _:
                data[place:place] = chance.choice([b"\r\n", b"\r\n\r\n", b"{", b"[", b'"', b"Content-Length: "])
    return bytes(data)


@pytest.mark.parametrize("seed", range(4))
async def test_a_broken_client_does_not_stop_the_server(tiny: EditorClient, seed: int) -> None:
    await tiny.start()
    tiny.sends_garbage = True
    chance = random.Random(seed)
    messages = [
        message_frame({"jsonrpc": "2.0", "method": "tiny/note", "params": {"text": "x" * 20, "n": [1, {"a": None}]}}),
        message_frame(
            {"jsonrpc": "2.0", "method": "textDocument/didClose", "params": {"textDocument": {"uri": "x:1"}}}
        ),
        message_frame({"jsonrpc": "2.0", "id": "s", "result": {"decision": "always"}}),
        message_frame({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 5}}),
    ]
    for _ in range(400):
        await tiny.send(mutated(chance, chance.choice(messages)))
    await tiny.send(message_frame({"jsonrpc": "2.0", "method": "tiny/note", "params": {}}))
    assert await tiny.request("tiny/echo", {"alive": seed}, within=1) == {"alive": seed}

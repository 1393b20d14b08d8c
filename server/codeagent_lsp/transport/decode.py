"""From bytes to JSON values, forgiving what real servers write around and inside their JSON.

The quick way is pydantic's parser: it is strict, refuses lone surrogates, and stops at 200 levels. Only what it
refuses takes the slow way, which replaces broken UTF-8, skips a byte order mark and text in front of a message, and
bounds nesting before anything recursive sees it.
"""

import json
import re
from typing import Any, cast

from attrs import frozen

from codeagent_lsp.text import well_formed_text

MAX_DEPTH = 200
"""Levels of nesting that a message may have; what is below is cut away, or the message is refused."""

CUT_DEPTH = 160
"""Where deep nesting is cut, so that the envelope and what our own side adds stay within `MAX_DEPTH`."""

HOPELESS_DEPTH = 20_000
"""Nesting that is not worth looking at any further: no schema is like that."""

MAX_CONTAINERS = 2_000_000
"""Objects and arrays in one message; more would keep the parser busy for seconds."""

_BLANK = "\ufeff \t\r\n\0"
_INT_DIGITS = 4_300
"""Digits of an integer that Python converts; one with more is as good as infinite, and harms nobody else."""
_DECODER = json.JSONDecoder(strict=False, parse_int=lambda text: int(text) if len(text) <= _INT_DIGITS else float(text))
_MESSAGE = re.compile(r'\{\s*"(?:jsonrpc|id|result|error)"\s*:')
_TOKENS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)
_HEAD_TOKENS = re.compile(
    rb'"(?P<key>[^"\\]*(?:\\.[^"\\]*)*)"(?P<colon>\s*:\s*(?:(?P<number>-?\d{1,18})(?=\s*[,}])|'
    rb'"(?P<text>[^"\\]{0,200})"(?=\s*[,}]))?)?|[\[\]{}]',
    re.DOTALL,
)
_TAIL_ID = re.compile(
    rb'[,{]\s*"id"\s*:\s*(?:(?P<number>-?\d{1,18})|"(?P<text>[^"\\]{0,200})")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z'
)


@frozen
class Undecodable:
    """Bytes that hold no JSON value we would take. `reason` ends the sentence "the answer …"."""

    reason: str
    looks_like_json: bool = False
    too_deep: bool = False


@frozen
class Decoded:
    """The JSON values of one line or body (more than one where messages were glued together).

    `notes` says what had to be done to read them. `salvaged` values stood behind other text: it may be a log line that
    quotes a message, so only answers should be believed.
    """

    values: tuple[Any, ...]
    notes: tuple[str, ...] = ()
    salvaged: bool = False


def decode(data: bytes, *, cut_deep: bool = False) -> Decoded | Undecodable:
    """Read a line or a body. With `cut_deep`, what is nested too deep becomes empty; else the whole is refused.

    Lone surrogates in the value become U+FFFD; `NaN` and infinities stay Python floats; integers of up to 4,300 digits
    stay exact. Never raises.
    """
    from pydantic_core import from_json  # here, so that a process can be started before this is loaded

    if b"{" not in data:
        return Undecodable("is not JSON")
    if len(data) > 1 << 20 and data.count(b"{") + data.count(b"[") > MAX_CONTAINERS:
        return Undecodable(f"has more than {MAX_CONTAINERS:,} objects and lists in it", looks_like_json=True)
    try:
        return Decoded((from_json(data),))
    except ValueError:
        return _slowly(data, cut_deep)


def _slowly(data: bytes, cut_deep: bool) -> Decoded | Undecodable:
    notes: list[str] = []
    text = data.decode("utf-8", "replace")
    if "\ufffd" in text and "\ufffd".encode() not in data:
        notes.append("invalid UTF-8 from the server was replaced")
    text = text.strip(_BLANK)
    salvaged = not text.startswith(("{", "["))
    if salvaged:
        found = _MESSAGE.search(text)
        if found is None:
            return Undecodable("is not JSON")
        notes.append("text in front of a message was skipped")
        text = text[found.start() :]
    depth = _depth(text)
    if depth > MAX_DEPTH:
        if not cut_deep or depth >= HOPELESS_DEPTH:
            return Undecodable(f"is nested more than {MAX_DEPTH} levels deep", True, depth < HOPELESS_DEPTH)
        text = _cut(text, CUT_DEPTH)
        notes.append(f"what was nested more than {CUT_DEPTH} levels deep was left out")
    values: list[Any] = []
    try:
        while not values or text.startswith("{"):
            value, end = _DECODER.raw_decode(text)
            values.append(_well_formed(value))
            text = text[end:].strip(_BLANK)
    except (ValueError, RecursionError) as error:
        if not values:
            where = f" (at character {error.pos:,})" if isinstance(error, json.JSONDecodeError) else ""
            return Undecodable(f"is not valid JSON{where}", looks_like_json=not salvaged)
    if text:
        notes.append("text behind a message was skipped")
    return Decoded(tuple(values), tuple(notes), salvaged)


def _depth(text: str) -> int:
    """How deep brackets are nested outside of strings, counted up to `HOPELESS_DEPTH`."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return 0
    depth = deepest = 0
    for match in _TOKENS.finditer(text):
        token = text[match.start()]
        if token in "[{":
            depth += 1
            if depth > deepest:
                deepest = depth
                if deepest >= HOPELESS_DEPTH:
                    return deepest
        elif token in "]}":
            depth -= 1
    return deepest


def _cut(text: str, limit: int) -> str:
    """The JSON text with every list and object below `limit` levels emptied."""
    out: list[str] = []
    depth = start = 0
    for match in _TOKENS.finditer(text):
        token = text[match.start()]
        if token in "[{":
            depth += 1
            if depth == limit:
                out.append(text[start : match.end()])
        elif token in "]}":
            if depth == limit:
                start = match.start()
            depth -= 1
    out.append(text[start:] if depth < limit else "")
    return "".join(out)


def _well_formed(value: Any) -> Any:
    """The value without lone surrogates; floats that JSON has no word for are kept, the editor's side sees to them."""
    if isinstance(value, str):
        return well_formed_text(value)
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value)
        return {well_formed_text(key): _well_formed(item) for key, item in entries.items()}
    if isinstance(value, list):
        return [_well_formed(item) for item in cast("list[Any]", value)]
    return value


def find_id(head: bytes, tail: bytes = b"") -> int | str | None:
    """The id of a JSON-RPC message that could not be read, from its first and its last bytes.

    Only the `id` of the message itself counts, never one inside its result.
    """
    depth = 0
    for match in _HEAD_TOKENS.finditer(head):
        token = head[match.start() : match.start() + 1]
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
        elif depth == 1 and match["key"] == b"id" and match["colon"]:
            if match["number"] is not None:
                return int(match["number"])
            if match["text"] is not None:
                return match["text"].decode("utf-8", "replace")
    found = _TAIL_ID.search(tail or head)
    if found is None:
        return None
    return int(found["number"]) if found["number"] is not None else found["text"].decode("utf-8", "replace")

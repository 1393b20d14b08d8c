"""JSON in one spelling, and its digest: equal values give equal bytes, whatever their key order and white space."""

import hashlib
import json
from typing import Any


def canonical(value: Any) -> bytes:
    """A JSON value as ASCII bytes: sorted keys, no white space, everything else escaped (lone surrogates too)."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def digest(value: Any) -> str:
    """SHA-256 over the canonical JSON, in hexadecimal."""
    return hashlib.sha256(canonical(value)).hexdigest()

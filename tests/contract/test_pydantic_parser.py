"""What we lean on in pydantic's JSON parser: what it takes quickly, and what it leaves to our slow way."""

import pytest
from pydantic_core import from_json


def test_it_stops_at_about_two_hundred_levels_and_never_at_a_hundred_and_fifty() -> None:
    from_json(b"[" * 150 + b"]" * 150)
    for levels in (250, 2_000, 1_000_000):
        with pytest.raises(ValueError, match="recursion"):
            from_json(b"[" * levels + b"]" * levels)


@pytest.mark.parametrize(
    "data", [b'"\\ud800"', b'"\\udc00x"', b'"\xff"', b"\xef\xbb\xbf{}", b"{} x", b"{,}", b"", b"{'a':1}"]
)
def test_it_refuses_what_is_not_strict_json(data: bytes) -> None:
    with pytest.raises(ValueError):
        from_json(data)


def test_numbers_stay_what_they_are() -> None:
    found = from_json(b'{"i":9007199254740993123456789,"f":1.0,"n":NaN,"m":-Infinity}')
    assert found["i"] == 9007199254740993123456789 and isinstance(found["f"], float)
    assert found["n"] != found["n"] and found["m"] == float("-inf")


def test_characters_that_some_take_for_line_ends_are_data() -> None:
    assert from_json('"a\u2028b\u0085c"'.encode()) == "a\u2028b\u0085c"

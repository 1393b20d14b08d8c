"""`initializationOptions` in any shape: what has another type is as good as absent, and only true is trust."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeagent_lsp.editor import ClientOptions, read_options, read_trust


def test_everything_that_a_client_can_say_is_read() -> None:
    options = read_options(
        {
            "clientFeatures": ["approveServer", "elicit"],
            "workspaceTrust": {"file:///a": True, "file:///b": False},
            "variables": {"TOKEN": "x"},
            "settings": {"alsoRead": []},
        }
    )
    assert options == ClientOptions(
        frozenset({"approveServer", "elicit"}),
        {"file:///a": True, "file:///b": False},
        {"TOKEN": "x"},
        {"alsoRead": []},
        frozenset({"approveServer", "elicit"}),
    )


@pytest.mark.parametrize("raw", [None, {}, [], "x", 5, True, [{}], {"other": 1}])
def test_nothing_said_is_nothing_granted(raw: Any) -> None:
    assert read_options(raw) == ClientOptions()
    assert ClientOptions().workspace_trust is False


@pytest.mark.parametrize("raw", [1, 1.0, "true", "yes", [], [True], None, 0, "", {}])
def test_only_true_is_trust(raw: Any) -> None:
    assert read_trust(raw) in (False, {})


def test_only_real_booleans_count_for_a_folder() -> None:
    raw = {"file:///a": 1, "file:///b": "true", "file:///c": None, "file:///d": True, "file:///e": {}}
    assert read_trust(raw) == {"file:///d": True}


@pytest.mark.parametrize(
    "raw", [5, "approveCall", {"approveCall": True}, [["approveCall"]], [None, 5], ["unknown"], [""]]
)
def test_features_in_another_shape_are_none(raw: Any) -> None:
    assert read_options({"clientFeatures": raw}).features == frozenset()


def test_known_features_among_others_count() -> None:
    assert read_options({"clientFeatures": [5, "elicit", "zap", "elicit"]}).features == {"elicit"}


def test_variables_that_are_no_strings_are_left_out() -> None:
    assert read_options({"variables": {"A": "x", "B": 5, "C": None, "D": ["x"]}}).variables == {"A": "x"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["elicit", "approveCall"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    JSON | st.fixed_dictionaries({}, optional={
        "clientFeatures": JSON, "workspaceTrust": JSON, "variables": JSON, "settings": JSON})
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_options_of_any_shape_are_read(raw: Any) -> None:
    options = read_options(raw)
    trust = options.workspace_trust
    assert isinstance(trust, bool) or all(isinstance(value, bool) for value in trust.values())
    assert (trust is True) == (isinstance(raw, dict) and raw.get("workspaceTrust") is True)

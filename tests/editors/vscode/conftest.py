"""The longest tests of all begin first, so that the others are done beside them."""

from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Move the tests of this folder to the front."""
    items.sort(key=lambda item: HERE not in item.path.parents)

"""Fixtures: an Emacs that every test shares, one that a test has for itself, and a reason to skip where there is none."""

import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from emacs_kit import DEMO, Emacs, why_not

missing = cache(why_not)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip, with a reason, what cannot run here; on CI a miss is a failure instead."""
    ours = [item for item in items if Path(__file__).parent in item.path.parents]
    if ours and not os.environ.get("CI") and (reason := missing()):
        for item in ours:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def shared() -> Iterator[Emacs]:
    """An Emacs whose language server has the demo server ready."""
    emacs = Emacs({"demo": DEMO}, {"notes.txt": "", "other.txt": ""})
    emacs.open(emacs.work / "notes.txt")
    emacs.ready("demo")
    yield emacs
    emacs.close()


@pytest.fixture
def emacs(shared: Emacs) -> Emacs:
    """The shared Emacs with an empty note open, for tests that change nothing for good."""
    shared.fresh()
    shared.open(shared.work / "notes.txt", "")
    return shared


@pytest.fixture
def start() -> Iterator[Callable[..., Emacs]]:
    """Starts Emacs with servers and files of the test's own; it ends with the test."""
    opened: list[Emacs] = []

    def make(*args: object, **options: object) -> Emacs:
        opened.append(Emacs(*args, **options))  # pyright: ignore[reportArgumentType]
        return opened[-1]

    yield make
    for emacs in opened:
        emacs.close()

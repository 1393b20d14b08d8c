"""Fixtures: Neovims that end with their test, and a reason to skip where they could not be installed."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from nvim_kit import DEMO, TOOLS, Nvim, binaries

MISSING = "Neovim is not installed here: tests/editors/nvim/install.sh does it (.tools/nvim)"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip, with a reason, what cannot run here; on CI a miss is a failure instead."""
    if binaries() or os.environ.get("CI"):
        return
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=MISSING))


@pytest.fixture
def start() -> Iterator[Callable[..., Nvim]]:
    """Starts Neovims; each is closed when the test ends."""
    opened: list[Nvim] = []

    def make(*args: object, **options: object) -> Nvim:
        opened.append(Nvim(*args, **options))  # pyright: ignore[reportArgumentType]
        return opened[-1]

    yield make
    for nvim in opened:
        nvim.close()


@pytest.fixture(scope="session")
def pool() -> Iterator[Callable[[str], Nvim]]:
    """Neovims with the demo server ready, one of each version, for tests that change nothing for good."""
    running: dict[str, Nvim] = {}

    def get(binary: str) -> Nvim:
        if binary not in running:
            running[binary] = Nvim(binary, servers={"demo": DEMO})
            running[binary].edit()
            running[binary].ready("demo")
        running[binary].fresh()
        return running[binary]

    yield get
    for nvim in running.values():
        nvim.close()


@pytest.fixture
def nvim(pool: Callable[[str], Nvim]) -> Nvim:
    """The shared Neovim of the pinned version, made fresh: a file open, the demo server ready."""
    return pool("nvim-0.11")


@pytest.fixture
def either(pool: Callable[[str], Nvim], binary: str) -> Nvim:
    """The same of each version."""
    return pool(binary)


@pytest.fixture(params=["nvim-0.11", "nvim-newest"])
def binary(request: pytest.FixtureRequest) -> str:
    """Each Neovim that there is: the pinned one, and the newest as a second leg."""
    if not (TOOLS / request.param).exists():
        if os.environ.get("CI"):
            pytest.fail(f"{request.param} is not installed")
        pytest.skip(f"{request.param} is not installed: tests/editors/nvim/install.sh")
    return request.param

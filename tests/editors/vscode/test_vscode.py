"""The VS Code extension: its unit tests, and its tests in a real VS Code, each part as one test.

Types, lint and formatting are a part of `make check`. What the tests need is installed by `tests/editors/vscode/install.sh`; the parts themselves are described in README.md.
"""

import os
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
MISSING = "it is not installed here: tests/editors/vscode/install.sh does it (.tools/vscode)"

pytestmark = pytest.mark.timeout(1800)


def needs(stamp: str) -> pytest.MarkDecorator:
    """Skip a test whose part of the installation is not there; not where everything has to be there."""
    there = (ROOT / ".tools" / "vscode" / f"{stamp}.stamp").exists()
    return pytest.mark.skipif(not there and not os.environ.get("CI"), reason=MISSING)


def run(*command: str | Path, seconds: float) -> None:
    """Run a part of the tests; what it printed is the message where it fails."""
    environment = {
        **os.environ,
        "RETRIES": "1",
        "PATH": f"{ROOT / '.tools/vscode/bin'}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(
        [str(word) for word in command],
        cwd=HERE,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=seconds,
    )
    if done.returncode:
        pytest.fail(done.stdout, pytrace=False)


@needs("node")
def test_the_parts_that_need_no_editor_are_sound() -> None:
    run(HERE / "run.sh", "unit", seconds=1800)


@pytest.mark.workbench
@needs("code-server")
@pytest.mark.flaky(reruns=0)  # a journey that failed is tried once more by itself
def test_people_get_to_where_they_want() -> None:
    run(HERE / "run.sh", "journeys", seconds=1800)


@pytest.mark.workbench
@needs("code-server")
def test_the_package_installs_itself_and_its_server() -> None:
    run(HERE / "run.sh", "packaged", seconds=1800)

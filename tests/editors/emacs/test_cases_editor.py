"""The real-world cases of editors that are about a text, asked by eglot, which counts in UTF-16."""

from collections.abc import Callable
from pathlib import Path

import pytest
from emacs_kit import Emacs

from e2e.kit import Table
from editor_cases import LISTED, cases, declare


@pytest.mark.timeout(240)
@pytest.mark.parametrize(("file", "mode"), [("case.txt", "text-mode"), ("Case.java", "java-mode")])
def test_the_cases_of_editors_hold(start: Callable[..., Emacs], tmp_path: Path, file: str, mode: str) -> None:
    """LSP-02, LSP-03, LSP-04, LSP-05, LSP-06, LSP-07 and LSP-08; eglot has one language for each server."""
    emacs = start(declare(tmp_path / "lists"), {file: ""})
    emacs.eval(f"(setf (caar eglot-server-programs) '{mode})")
    emacs.open(emacs.work / file)
    for server in LISTED:
        emacs.ready(server)
    table = Table()
    for case in cases("utf-16"):
        if len(case.text) > 100_000 or (case.language == "markdown") != (mode == "text-mode"):
            continue  # Emacs itself is slow with lines of a megabyte
        with table.case(case.name):
            case.check(emacs.ask(case.text, case.method, case.params))
    table.judge()

"""The protocol's own conformance suite (npm), client side, against our host without an editor.

Every scenario that is not about signing in has to pass, in both versions of the suite, and in the newer one for each
frozen revision that has it. A scenario without checks says nothing and does not count.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
NODE = ROOT / ".tools" / "bin" / "node"
SUITES = ROOT / ".tools" / "npm" / "conformance" / "node_modules"
CLIENT = Path(__file__).with_name("client.py")

OLD, NEW = "2025-11-25", "2026-07-28"
SCENARIOS = {
    "0.1": {
        "initialize": (OLD,),
        "tools_call": (OLD,),
        "elicitation-sep1034-client-defaults": (OLD,),
        "sse-retry": (OLD,),
    },
    "0.2": {
        "initialize": (OLD,),
        "tools_call": (OLD, NEW),
        "elicitation-sep1034-client-defaults": (OLD,),
        "sse-retry": (OLD,),
        "request-metadata": (NEW,),
        "sep-2322-client-request-state": (NEW,),
        "http-standard-headers": (NEW,),
        "http-custom-headers": (NEW,),
        "http-invalid-tool-headers": (NEW,),
        "json-schema-ref-no-deref": (NEW,),
        "json-schema-2020-12-preservation": (OLD, NEW),
    },
}
RUNS = [
    (version, name, revision)
    for version, names in SCENARIOS.items()
    for name, revisions in names.items()
    for revision in revisions
]

pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.skipif(
        not (NODE.exists() and SUITES.exists()) and not os.environ.get("CI"),
        reason="the conformance suite is not installed: `make test` installs it",
    ),
]


def suite(version: str) -> list[str]:
    return [str(NODE), str(SUITES / f"conformance-{version}" / "dist" / "index.js")]


@pytest.mark.parametrize(("version", "scenario", "revision"), RUNS)
def test_scenario_passes(version: str, scenario: str, revision: str, tmp_path: Path) -> None:
    command = f"{sys.executable} {CLIENT}"
    argv = [*suite(version), "client", "--command", command, "--scenario", scenario]
    if version != "0.1":  # the older suite knows one revision only
        argv += ["--spec-version", revision]
    run = subprocess.run(
        [*argv, "--timeout", "60000", "-o", str(tmp_path)], capture_output=True, text=True, timeout=110, check=False
    )
    reports = list(tmp_path.rglob("checks.json"))
    said = run.stdout + run.stderr + "".join(path.read_text() for path in tmp_path.rglob("stderr.txt"))
    assert reports, said
    checks = [check for report in reports for check in json.loads(report.read_text())]
    assert checks, "a scenario without checks says nothing"
    failed = [check for check in checks if check["status"] not in ("SUCCESS", "INFO", "SKIPPED")]
    assert failed == [], said
    assert run.returncode == 0, said


def test_no_scenario_is_left_out() -> None:
    """A newer suite with more scenarios must not go unnoticed; what is about signing in is not asked of us yet."""
    for version, names in SCENARIOS.items():
        listed = subprocess.run([*suite(version), "list", "--client"], capture_output=True, text=True, check=True)
        words = [line.split()[1] for line in listed.stdout.splitlines() if line.strip().startswith("- ")]
        optional = ("auth/", "sep-2640-client-")  # the latter are of an extension, and hold no checks
        assert [word for word in words if not word.startswith(optional)] == list(names)

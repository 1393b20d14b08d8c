"""The conventions of this repository, as tests: sizes, docstrings, no state at import, documents that are true."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement

from codeagent_lsp.protocol import COMMANDS, NOTIFICATIONS, QUESTIONS

ROOT = Path(__file__).resolve().parent.parent
SERVER = ROOT / "server" / "codeagent_lsp"
MODULE_LINES = 300
FUNCTION_LINES = 60


def files(pattern: str, *folders: str) -> list[Path]:
    """The project's own files of a kind: nothing that was installed, built or generated."""
    found = (path for folder in folders for path in (ROOT / folder).rglob(pattern))
    foreign = {".venv", ".tools", "node_modules", "out", "dist", "build", "__pycache__"}
    return sorted(path for path in found if not foreign & set(path.relative_to(ROOT).parts))


PRODUCT = files("*.py", "server", "scripts", "bench")
EVERYTHING = sorted({*PRODUCT, *files("*.py", "tests")})
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *files("*.md", "docs", "bench", "examples")]


def name_of(path: Path) -> str:
    """A file as its test is called."""
    return str(path.relative_to(ROOT))


def each(paths: list[Path]) -> pytest.MarkDecorator:
    """Run a test for each file."""
    return pytest.mark.parametrize("path", paths, ids=name_of)


def tree(path: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(path.read_text("utf-8"))


def functions(module: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method."""
    return (node for node in ast.walk(module) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@each(PRODUCT)
def test_a_module_fits_on_a_few_screens(path: Path) -> None:
    lines = len(path.read_text("utf-8").splitlines())
    assert lines <= MODULE_LINES, f"{lines} lines: split it before it grows past {MODULE_LINES}"


@each(EVERYTHING)
def test_a_function_fits_on_one_screen(path: Path) -> None:
    for function in functions(tree(path)):
        lines = (function.end_lineno or 0) - function.lineno + 1
        assert lines <= FUNCTION_LINES, f"{function.name} has {lines} lines"


@each(EVERYTHING)
def test_a_module_opens_with_a_sentence_that_says_what_it_is(path: Path) -> None:
    if not path.read_text("utf-8").strip():
        return  # a package file without content
    said = ast.get_docstring(tree(path)) or ""
    first = said.split("\n\n")[0]
    assert re.match(r"[\w\"`].{10,}?[.:]", first, re.DOTALL), f"no opening sentence, but {first!r}"


@each(PRODUCT)
def test_no_module_has_state_at_import(path: Path) -> None:
    module = tree(path)
    for node in ast.walk(module):
        assert not isinstance(node, ast.Global), f"line {node.lineno}: `global`"
    for node in module.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            if not isinstance(target, ast.Name) or not target.id.strip("_").islower() or target.id == "__all__":
                continue
            quiet = isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "logging.getLogger"
            assert quiet, f"line {node.lineno}: `{target.id}` is a variable of the module"


@each(PRODUCT)
def test_no_constant_is_changed(path: Path) -> None:
    changers = {"append", "add", "update", "extend", "insert", "pop", "remove", "clear", "setdefault", "discard"}
    for node in ast.walk(tree(path)):
        changed: ast.expr | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in changers:
            changed = node.func.value
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            changed = node.value
        is_constant = isinstance(changed, ast.Name) and changed.id.isupper() and len(changed.id) > 1
        assert not is_constant, f"line {getattr(node, 'lineno', '?')}: a constant is changed"


@each(files("*.py", "server"))
def test_the_server_prints_nothing(path: Path) -> None:
    for node in ast.walk(tree(path)):
        is_print = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
        assert not is_print, f"line {getattr(node, 'lineno', '?')}: stdout belongs to the protocol"


@each([*EVERYTHING, *files("*.lua", "nvim"), *files("*.ts", "vscode-client")])
def test_no_loose_ends_are_left_in_the_code(path: Path) -> None:
    loose = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b")
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        assert not loose.search(line), f"line {number}: {line.strip()}"


@each(files("*.py", "tests"))
def test_a_test_that_is_skipped_says_why(path: Path) -> None:
    for node in ast.walk(tree(path)):
        name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if name in ("pytest.skip", "pytest.mark.skip", "pytest.mark.skipif", "pytest.mark.xfail"):
            assert isinstance(node, ast.Call)
            said = any(keyword.arg == "reason" for keyword in node.keywords)
            assert said or (name == "pytest.skip" and node.args), f"line {node.lineno}: {name} without a reason"
    marks = [ast.unparse(mark) for function in functions(tree(path)) for mark in function.decorator_list]
    assert not {"pytest.mark.skip", "pytest.mark.xfail"} & set(marks), "a bare mark gives no reason"


def test_starting_up_does_not_import_the_mcp_package() -> None:
    starters = [name for name in ("cli", "handlers", "app") if (SERVER / f"{name}.py").exists()]
    if not starters:
        pytest.skip("there is no command line yet")
    code = "import sys\n" + "".join(f"import codeagent_lsp.{name}\n" for name in starters)
    code += "print([m for m in sys.modules if m.split('.')[0] in ('mcp', 'mcp_types', 'pydantic')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]", "these cost half a second before `initialize` is answered"


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_every_command_that_a_document_names_exists(path: Path) -> None:
    text = path.read_text("utf-8")
    targets = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for target in re.findall(r"(?:^|`|\$ )make ([a-z][\w-]*)", text, re.MULTILINE):
        assert target in targets, f"there is no `make {target}`"
    ours = set(COMMANDS) | set(NOTIFICATIONS) | set(QUESTIONS) | {"codeagent/workspaceTrustChanged"}
    for name in re.findall(r"`(codeagent\.[a-z]\w+|codeagent/\w+)`", text):
        assert name in ours, f"`{name}` is not in the protocol"


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_every_relative_link_of_a_document_leads_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text("utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        assert there.exists(), f"there is no {target}"
        if anchor and there.suffix == ".md":
            assert anchor in anchors(there), f"{there.name} has no heading #{anchor}"


def anchors(path: Path) -> set[str]:
    """The anchors of a document's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", [*files("*.sh", "scripts", "bench", "tests"), ROOT / ".ci" / "run"], ids=name_of)
def test_a_shell_script_parses_and_stops_at_the_first_error(path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash here")
    subprocess.run([bash, "-n", path], check=True)
    assert "set -euo pipefail" in path.read_text("utf-8")


def test_the_lock_has_every_dependency_in_a_version_that_is_asked_for() -> None:
    pins = dict(re.findall(r"^([a-z0-9-]+)==([^\s;]+)", (ROOT / "requirements.lock").read_text("utf-8"), re.MULTILINE))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    groups = [line for group in project["dependency-groups"].values() for line in group]
    for line in [*project["project"]["dependencies"], *groups]:
        wanted = Requirement(line)
        name = wanted.name.lower().replace("_", "-").replace(".", "-")
        if wanted.marker is not None and not Marker(str(wanted.marker)).evaluate():
            continue
        assert name in pins, f"{line} is not in requirements.lock: run `make lock`"
        assert wanted.specifier.contains(pins[name]), (
            f"{name}=={pins[name]} is locked, {line} is asked for: `make lock`"
        )


def test_the_generated_files_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, "scripts/mirror.py", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr

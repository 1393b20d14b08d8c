"""The conventions of this repository, as tests: sizes, docstrings, no state at import, documents that are true."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement

from codeagent_lsp.protocol import COMMANDS, NOTIFICATIONS, QUESTIONS
from codeagent_lsp.protocol.table import WORKSPACE_TRUST_CHANGED

ROOT = Path(__file__).resolve().parent.parent
SERVER = ROOT / "server" / "codeagent_lsp"
MODULE_LINES = 300
FUNCTION_LINES = 60
XFAIL = "pytest.mark.xfail"
CHANGERS = {"append", "add", "update", "extend", "insert", "pop", "remove", "clear", "setdefault", "discard"}


def files(pattern: str, *folders: str) -> list[Path]:
    """The project's own files of a kind: nothing that was installed, built or generated."""
    found = (path for folder in folders for path in (ROOT / folder).rglob(pattern))
    foreign = {".venv", ".tools", "node_modules", "out", "dist", "build", "__pycache__"}
    return sorted(path for path in found if not foreign & set(path.relative_to(ROOT).parts))


PRODUCT = files("*.py", "server", "scripts", "bench")
EVERYTHING = sorted({*PRODUCT, *files("*.py", "tests")})
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *files("*.md", "docs", "bench", "examples")]


def none(problems: Iterable[str]) -> None:
    """Fail with every problem that was found."""
    found = list(problems)
    assert not found, "\n" + "\n".join(found)


def at(path: Path, line: int, problem: str) -> str:
    """A problem and its place."""
    return f"{path.relative_to(ROOT)}:{line}: {problem}"


@cache
def text_of(path: Path) -> str:
    """The text of a file."""
    return path.read_text("utf-8")


@cache
def tree(path: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(text_of(path))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Every node of a module but literals and contexts, of which there are very many."""
    dull = ast.Constant | ast.expr_context
    return tuple(node for node in ast.walk(tree(path)) if not isinstance(node, dull))


def nodes(paths: Iterable[Path]) -> Iterator[tuple[Path, ast.AST]]:
    """Those nodes of some modules."""
    return ((path, node) for path in paths for node in nodes_of(path))


def functions(paths: Iterable[Path]) -> Iterator[tuple[Path, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Every function and method of some modules."""
    return ((path, node) for path, node in nodes(paths) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_a_module_fits_on_a_few_screens() -> None:
    sizes = ((path, len(text_of(path).splitlines())) for path in PRODUCT)
    none(at(path, 1, f"{lines} lines: split it") for path, lines in sizes if lines > MODULE_LINES)


def test_a_function_fits_on_one_screen() -> None:
    sizes = ((path, node, (node.end_lineno or 0) - node.lineno + 1) for path, node in functions(EVERYTHING))
    none(at(path, node.lineno, f"{node.name} has {size} lines") for path, node, size in sizes if size > FUNCTION_LINES)


def test_a_module_opens_with_a_sentence_that_says_what_it_is() -> None:
    filled = (path for path in EVERYTHING if text_of(path).strip())
    opened = ((path, (ast.get_docstring(tree(path)) or "").split("\n\n")[0]) for path in filled)
    none(at(path, 1, f"{said!r}") for path, said in opened if not re.match(r"[\w\"`].{10,}?[.:]", said, re.DOTALL))


def test_no_module_has_state_at_import() -> None:
    none(at(path, node.lineno, "`global`") for path, node in nodes(PRODUCT) if isinstance(node, ast.Global))
    none(at(path, line, f"`{name}` is a variable of the module") for path in PRODUCT for line, name in variables(path))


def variables(path: Path) -> Iterator[tuple[int, str]]:
    """The names in lower case that a module sets when it is imported; a logger is none."""
    for node in tree(path).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        is_logger = isinstance(node.value, ast.Call) and getattr(node.value.func, "attr", "") == "getLogger"
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if (
                isinstance(target, ast.Name)
                and target.id.islower()
                and not target.id.startswith("__")
                and not is_logger
            ):
                yield node.lineno, target.id


def changed_name(node: ast.AST) -> str:
    """The name of what a statement changes in place, if it does that to a name."""
    changed: ast.expr | None = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGERS:
        changed = node.func.value
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        changed = node.value
    return changed.id if isinstance(changed, ast.Name) else ""


def test_no_constant_is_changed() -> None:
    changes = ((path, node, changed_name(node)) for path, node in nodes(PRODUCT))
    constants = ((path, node, name) for path, node, name in changes if name.isupper() and len(name) > 1)
    none(at(path, getattr(node, "lineno", 1), f"{name} is changed") for path, node, name in constants)


def test_the_server_prints_nothing() -> None:
    names = ((path, node) for path, node in nodes(files("*.py", "server")) if isinstance(node, ast.Name))
    none(at(path, node.lineno, "stdout is the protocol's") for path, node in names if node.id == "print")


def test_no_loose_ends_are_left_in_the_code() -> None:
    loose = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b")
    sources = [*EVERYTHING, *files("*.lua", "nvim"), *files("*.ts", "vscode-client")]
    lines = ((path, number, line) for path in sources for number, line in enumerate(text_of(path).splitlines(), 1))
    none(at(path, number, line.strip()) for path, number, line in lines if loose.search(line))


def test_a_test_that_is_skipped_says_why() -> None:
    tests = files("*.py", "tests")
    marks = ((path, mark) for path, function in functions(tests) for mark in function.decorator_list)
    none(at(path, mark.lineno, "no reason") for path, mark in marks if ast.unparse(mark) in ("pytest.mark.skip", XFAIL))
    for path, node in nodes(tests):
        if not isinstance(node, ast.Call) or getattr(node.func, "attr", "") not in ("skip", "skipif", "xfail"):
            continue
        name = ast.unparse(node.func)
        if name in ("pytest.skip", "pytest.mark.skip", "pytest.mark.skipif", XFAIL):
            said = any(keyword.arg == "reason" for keyword in node.keywords) or (name == "pytest.skip" and node.args)
            assert said, at(path, node.lineno, f"{name} without a reason")


def test_starting_up_does_not_import_the_mcp_package() -> None:
    starters = [name for name in ("cli", "handlers", "app") if (SERVER / f"{name}.py").exists()]
    if not starters:
        pytest.skip("there is no command line yet")
    code = "import sys\n" + "".join(f"import codeagent_lsp.{name}\n" for name in starters)
    code += "print([m for m in sys.modules if m.split('.')[0] in ('mcp', 'mcp_types', 'pydantic')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]", "these cost half a second before `initialize` is answered"


def test_every_command_that_a_document_names_exists() -> None:
    targets = set(re.findall(r"^([a-z][\w-]*):", text_of(ROOT / "Makefile"), re.MULTILINE))
    ours = {*COMMANDS, *NOTIFICATIONS, *QUESTIONS, WORKSPACE_TRUST_CHANGED}
    for path in DOCUMENTS:
        named = re.findall(r"(?:^|`|\$ )make ([a-z][\w-]*)", text_of(path), re.MULTILINE)
        none(at(path, 1, f"there is no `make {target}`") for target in named if target not in targets)
        named = re.findall(r"`(codeagent\.[a-z]\w+|codeagent/\w+)`", text_of(path))
        none(at(path, 1, f"`{name}` is not in the protocol") for name in named if name not in ours)


def test_every_relative_link_of_a_document_leads_somewhere() -> None:
    links = ((path, link) for path in DOCUMENTS for link in re.findall(r"\]\(([^)\s]+)\)", text_of(path)))
    none(at(path, 1, f"{link} leads nowhere") for path, link in links if not leads_somewhere(path, link))


def leads_somewhere(path: Path, link: str) -> bool:
    """Whether a link of a document is to another site, or to a file, and a heading of it, that are there."""
    if re.match(r"[a-z]+:", link):
        return True
    file, _, anchor = link.partition("#")
    there = (path.parent / file).resolve() if file else path
    return there.exists() and (not anchor or there.suffix != ".md" or anchor in anchors(there))


def anchors(path: Path) -> set[str]:
    """The anchors of a document's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", text_of(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def test_a_shell_script_parses_and_stops_at_the_first_error() -> None:
    for path in [*files("*.sh", "scripts", "bench", "tests"), ROOT / ".ci" / "run"]:
        subprocess.run(["bash", "-n", path], check=True)
        assert "set -euo pipefail" in text_of(path), path


def test_the_lock_has_every_dependency_in_a_version_that_is_asked_for() -> None:
    pins = dict(re.findall(r"^([a-z0-9-]+)==([^\s;]+)", text_of(ROOT / "requirements.lock"), re.MULTILINE))
    project = tomllib.loads(text_of(ROOT / "pyproject.toml"))
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

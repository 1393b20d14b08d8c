"""The generator of the mirrors says which file is stale and what to run, and writes the same bytes every time."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = ("vscode-client/src/protocol.ts", "nvim/lua/codeagent/protocol.lua", "docs/protocol.md")


def mirror(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the generator of a copy of the project."""
    return subprocess.run(
        [sys.executable, root / "scripts" / "mirror.py", *arguments], capture_output=True, text=True, timeout=60
    )


def copy_to(root: Path) -> None:
    """A project with nothing but the generator, and what it reads."""
    sections = ("vscode-client/package.json", "vscode-client/README.md")  # of which only a section is generated
    for path in (*sections, "scripts/mirror.py", *(f"scripts/mirroring/{file.name}" for file in mirroring())):
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, target)
    (root / "server").symlink_to(ROOT / "server")  # it looks there for the settings that are read


def mirroring() -> list[Path]:
    """The generator's own modules."""
    return sorted((ROOT / "scripts" / "mirroring").glob("*.py"))


def test_check_names_every_missing_file_and_writes_none(tmp_path: Path) -> None:
    copy_to(tmp_path)
    done = mirror(tmp_path, "--check")
    assert done.returncode == 1
    for name in FILES:
        assert f"{name} is stale: run `make mirror`" in done.stderr
        assert not (tmp_path / name).exists()


def test_written_files_are_fresh_and_equal_to_the_committed_ones(tmp_path: Path) -> None:
    copy_to(tmp_path)
    assert mirror(tmp_path).returncode == 0
    assert mirror(tmp_path, "--check").returncode == 0
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (ROOT / name).read_bytes()


def test_an_edited_mirror_is_named_alone_and_mended_alone(tmp_path: Path) -> None:
    copy_to(tmp_path)
    mirror(tmp_path)
    edited = tmp_path / FILES[1]
    edited.write_text(edited.read_text().replace("codeagent.status", "codeagent.state"))
    done = mirror(tmp_path, "--check")
    assert done.returncode == 1 and done.stderr.splitlines() == [
        f"{FILES[1]} is stale: run `make mirror` and commit it"
    ]
    assert mirror(tmp_path).stdout.splitlines() == [f"wrote {FILES[1]}"]

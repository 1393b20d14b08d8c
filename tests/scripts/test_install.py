"""The installer does each part once, notices what has changed, and fails with words that help."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def install() -> ModuleType:
    """The installer as a module, loaded anew."""
    spec = importlib.util.spec_from_file_location("install_script", ROOT / "scripts" / "install.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_part_is_built_once_and_again_when_its_files_change(install: ModuleType, tmp_path: Path) -> None:
    lock, stamp, built = tmp_path / "lock", tmp_path / "deep" / "stamp", list[int]()
    lock.write_text("a==1")
    for _ in range(3):
        install.once("part", stamp, [lock], lambda: built.append(1))
    assert len(built) == 1
    lock.write_text("a==2")
    install.once("part", stamp, [lock], lambda: built.append(1))
    assert len(built) == 2


def test_a_part_that_failed_is_tried_again(install: ModuleType, tmp_path: Path) -> None:
    stamp = tmp_path / "stamp"

    def fail() -> None:
        raise install.InstallError("no network")

    built: list[int] = []
    install.once("part", stamp, [], lambda: built.append(1))
    stamp.write_text("another")
    with pytest.raises(install.InstallError):
        install.once("part", stamp, [], fail)
    install.once("part", stamp, [], lambda: built.append(2))
    assert built == [1, 2]


def test_a_failing_command_is_reported_with_the_end_of_its_output(install: ModuleType) -> None:
    script = "print('\\n'.join(map(str, range(100)))); print('the reason'); raise SystemExit(3)"
    with pytest.raises(install.InstallError, match=r"(?s)exit code 3.*\n99\nthe reason"):
        install.run(sys.executable, "-c", script)


def test_without_ensurepip_and_pip_the_message_says_what_to_install(
    install: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(install, "TOOLS", tmp_path / "tools")
    monkeypatch.setattr(install.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(install.InstallError, match="apt install python3-venv"):
        install.with_virtualenv(tmp_path / "venv")


def test_a_node_that_does_not_start_has_no_version(install: ModuleType, tmp_path: Path) -> None:
    broken, odd = tmp_path / "broken", tmp_path / "odd"
    broken.write_text("#!/bin/sh\nexit 1\n")
    odd.write_text("#!/bin/sh\necho nonsense\n")
    for script in (broken, odd):
        script.chmod(0o755)
        assert install.node_version(str(script)) == 0
    good = tmp_path / "good"
    good.write_text("#!/bin/sh\necho v24.1.0\n")
    good.chmod(0o755)
    assert install.node_version(str(good)) == 24


@pytest.mark.parametrize("names", [[], ["nonsense"], ["venv", "nonsense"]])
def test_an_unknown_part_is_refused_with_the_known_ones(
    install: ModuleType, names: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert install.main(names) == 2
    assert "venv | node | servers" in capsys.readouterr().err

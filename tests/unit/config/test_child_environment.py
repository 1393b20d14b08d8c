"""What of our environment a server's process gets."""

import os
from pathlib import Path

import pytest

from codeagent_lsp.config.environment import child_environment

EDITORS = ["VSCODE_PID", "VSCODE_IPC_HOOK", "VSCODE_GIT_ASKPASS_NODE", "ELECTRON_RUN_AS_NODE", "NVIM", "NVIM_LOG_FILE",
           "NVIM_LISTEN_ADDRESS", "VIM", "VIMRUNTIME", "MYVIMRC", "TERM_PROGRAM", "TERM_PROGRAM_VERSION",
           "CHROME_DESKTOP", "ORIGINAL_XDG_CURRENT_DESKTOP", "INSIDE_EMACS", "HELIX_RUNTIME", "ZED_TERM"]  # fmt: skip
OURS = ["PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "CODEAGENT_HOME",
        "__PYVENV_LAUNCHER__"]  # fmt: skip
KEPT = ["HOME", "USER", "LANG", "LC_ALL", "XDG_RUNTIME_DIR", "SSH_AUTH_SOCK", "HTTPS_PROXY", "NODE_OPTIONS",
        "GITHUB_TOKEN", "NVM_DIR", "VIMEO_TOKEN", "NVIMAGE", "MY_VSCODE_X", "PIPX_HOME", "DISPLAY", "DOCKER_HOST",
        "VOLTA_HOME", "SystemRoot", "GIT_ASKPASS", "TERM"]  # fmt: skip


@pytest.mark.parametrize("name", EDITORS + OURS)
def test_what_belongs_to_the_editor_or_to_us_is_dropped(name: str) -> None:
    assert child_environment({name: "x", "HOME": "/h"}) == {"HOME": "/h"}


@pytest.mark.parametrize("name", KEPT)
def test_what_is_the_users_own_stays(name: str) -> None:
    assert child_environment({name: "x"}) == {name: "x"}


@pytest.mark.parametrize("pattern", ["PYTHONPATH", "PYTHON*", "P*", "*", "?YTHONPATH"])
def test_inherit_env_brings_back_what_would_be_dropped(pattern: str) -> None:
    assert child_environment({"PYTHONPATH": "x"}, [pattern]) == {"PYTHONPATH": "x"}


@pytest.mark.parametrize("pattern", ["python*", "PYTHON", "", "PATH"])
def test_inherit_env_means_names_exactly(pattern: str) -> None:
    assert child_environment({"PYTHONPATH": "x"}, [pattern]) == {}


def test_the_editors_password_helper_goes_with_its_variables() -> None:
    assert child_environment({"GIT_ASKPASS": "/vscode/askpass.sh", "VSCODE_GIT_ASKPASS_NODE": "node"}) == {}


def venv(tmp_path: Path) -> str:
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    return str(tmp_path / "venv")


def test_our_virtual_environment_is_taken_out_of_the_childs(tmp_path: Path) -> None:
    ours = venv(tmp_path)
    environment = {
        "VIRTUAL_ENV": ours,
        "VIRTUAL_ENV_PROMPT": "x",
        "PATH": os.pathsep.join([f"{ours}/bin", "/usr/bin", f"{ours}/bin/", "/bin"]),
    }
    assert child_environment(environment, prefix=ours, base_prefix="/usr") == {"PATH": "/usr/bin:/bin"}
    kept = child_environment(environment, ["VIRTUAL_ENV"], prefix=ours, base_prefix="/usr")
    assert (kept["VIRTUAL_ENV"], kept["PATH"]) == (ours, environment["PATH"])


def test_a_virtual_environment_that_the_user_activated_stays(tmp_path: Path) -> None:
    ours = venv(tmp_path)
    environment = {"VIRTUAL_ENV": "/theirs", "PATH": f"/theirs/bin:{ours}/bin:/usr/bin"}
    expected = {"VIRTUAL_ENV": "/theirs", "PATH": "/theirs/bin:/usr/bin"}
    assert child_environment(environment, prefix=ours, base_prefix="/usr") == expected


def test_outside_of_a_virtual_environment_path_is_left_alone() -> None:
    environment = {"VIRTUAL_ENV": "/theirs", "PATH": "/usr/bin::/bin:."}
    assert child_environment(environment, prefix="/usr", base_prefix="/usr") == environment


def test_our_own_environment_is_not_changed() -> None:
    before = dict(os.environ)
    child_environment(os.environ)["NEW"] = "x"
    assert dict(os.environ) == before

"""What the policy's tests share: a clock that stands still until it is moved, and a store in a fresh folder."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codeagent_lsp.config.entry import Entry
from codeagent_lsp.config.launch import Launch, prepare
from codeagent_lsp.config.variables import DotEnv, Lookup
from codeagent_lsp.policy.store import Store


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def open_store(tmp_path: Path, clock: Clock) -> Callable[..., Store]:
    """Opens the same state folder again, as another process of the same user would."""

    def opened(folder: Path | None = None, *, workspaces: tuple[Path, ...] = ()) -> Store:
        return Store(folder or tmp_path / "state", workspaces=workspaces, clock=clock)

    return opened


@pytest.fixture
def store(open_store: Callable[..., Store]) -> Store:
    return open_store()


class Project:
    """A workspace with a config file, from which launches are made as the product makes them."""

    def __init__(self, base: Path) -> None:
        self.folder = base / "ws"
        self.home = base / "home"
        self.folder.mkdir(parents=True)
        self.home.mkdir()
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.home)}
        self.inputs: dict[str, str] = {}

    def write(self, name: str, text: str, mode: int = 0o644) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def launch(self, *, scope: str = "project", server: str = "x", **keys: Any) -> Launch:
        """A launch of an entry with these keys; the default is `/bin/sh run.sh`."""
        if not {"command", "url"} & keys.keys():
            keys = {"command": "/bin/sh", "args": ("run.sh",)} | keys
        mine = scope == "user"
        values: dict[str, Any] = {
            "name": server,
            "scope": scope,
            "folder": None if mine else self.folder,
            "path": (self.home if mine else self.folder) / ".codeagent" / "mcp.json",
            "transport": "http" if "url" in keys else "stdio",
            "needs_approval": not mine,
        }
        lookup = Lookup(
            self.environment,
            project_env=DotEnv.of_project(self.folder),
            folder=self.folder,
            home=self.home,
            inputs=self.inputs,
        )
        return prepare(server, Entry(**(values | keys)), lookup)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)

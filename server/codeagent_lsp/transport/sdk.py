"""The client half of the `mcp` package, without its server half.

`import mcp` loads everything that it offers, a web server among it: twice the time and the memory of what a client
needs. So the two packages on the way to the client's modules are entered without being run. Whoever asks one of them
for a name that it would define itself still gets it: then it is run after all.
"""

import asyncio
import gc
import importlib
import importlib.util
import sys
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

_SHORT_TURNS = 0.002
"""Seconds between two threads' turns while one of them imports: else the loop waits 5 ms after each system call."""


class LoadedOnce:
    """A module of ours that needs a client of `mcp`: loaded in a thread, which takes half a second."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loading: asyncio.Future[ModuleType] | None = None

    def begin(self) -> "asyncio.Future[ModuleType]":
        """Load it if nobody has begun to."""
        if self._loading is None or (self._loading.done() and self._loading.exception() is not None):
            self._loading = asyncio.get_running_loop().run_in_executor(None, import_with_client, self._name)
        return self._loading

    async def module(self) -> Any:
        """The module. Raises what its import raises; the next who asks has it tried again."""
        return await asyncio.shield(self.begin())


def import_with_client(name: str) -> ModuleType:
    """Import a module of ours that needs a client of `mcp`.

    With it everything is loaded that every server needs, and stays: the garbage collector passes it over from then on,
    else a full collection would hold the loop up for longer than a server may.
    """
    first = name not in sys.modules  # or another thread is at it: then the import below waits for that one
    turns = sys.getswitchinterval()
    sys.setswitchinterval(_SHORT_TURNS)
    try:
        client_only()
        module = importlib.import_module(name)
    finally:
        sys.setswitchinterval(turns)
    if first:
        gc.freeze()
    return module


def client_only() -> None:
    """Let the modules of `mcp` be imported one by one from now on. Does nothing where `mcp` is imported already."""
    if "mcp" in sys.modules:
        return
    package = _entered(importlib.util.find_spec("mcp"))
    client = package and _entered(PathFinder.find_spec("mcp.client", package.__path__))
    if package is None or client is None:
        return  # whoever imports it is told so in the usual way
    # The inner one first: another thread takes the outer one for the sign that both are there.
    package.__dict__["client"] = sys.modules.setdefault("mcp.client", client)
    sys.modules.setdefault("mcp", package)


def _entered(spec: ModuleSpec | None) -> ModuleType | None:
    """A package whose modules can be imported, and that has not been run."""
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    module.__dict__["__getattr__"] = _runs_first(module)
    return module


def _runs_first(module: ModuleType) -> Any:
    """What a module does for a name that it does not have (PEP 562): it is run, once."""

    def lookup(name: str) -> Any:
        own = not name.startswith("__") or name == "__all__"
        if not own or module.__dict__.pop("__getattr__", None) is None:
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        spec = module.__spec__
        assert spec is not None and spec.loader is not None
        spec.loader.exec_module(module)
        return getattr(module, name)

    return lookup

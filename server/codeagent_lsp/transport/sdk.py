"""The client half of the `mcp` package, without its server half.

`import mcp` loads everything that it offers, a web server among it: twice the time and the memory of what a client
needs. So the two packages on the way to the client's modules are entered without being run. Whoever asks one of them
for a name that it would define itself still gets it: then it is run after all.
"""

import gc
import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Any

PACKAGES = ("mcp", "mcp.client")


def import_with_client(name: str) -> ModuleType:
    """Import a module of ours that needs a client of `mcp`.

    With it everything is loaded that every server needs, and stays: the garbage collector passes it over from then on,
    else a full collection would hold the loop up for longer than a server may.
    """
    if name in sys.modules:
        return sys.modules[name]
    client_only()
    module = importlib.import_module(name)
    gc.freeze()
    return module


def client_only() -> None:
    """Let the modules of `mcp` be imported one by one from now on. Does nothing where `mcp` is imported already."""
    if "mcp" in sys.modules:
        return
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return  # whoever imports it is told so in the usual way
        module = importlib.util.module_from_spec(spec)
        module.__dict__["__getattr__"] = _runs_first(module)
        sys.modules[name] = module
        parent, _, own = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], own, module)


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

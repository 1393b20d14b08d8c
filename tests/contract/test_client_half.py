"""What we lean on when only the client half of `mcp` is loaded: its modules do without the server's, and the whole is
there for whoever asks for it."""

import subprocess
import sys

import pytest

LOAD = "from codeagent_lsp.transport.sdk import import_with_client as load; load('codeagent_lsp.connection.opening')\n"


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_client_loads_no_server() -> None:
    asked = "import sys; print([name for name in ('uvicorn', 'starlette', 'mcp.server') if name in sys.modules])"
    assert run(LOAD + asked) == "[]"
    assert run("import mcp\n" + asked) != "[]"  # else there is nothing left to save, and `sdk` can go


@pytest.mark.parametrize(
    "later",
    [
        "import mcp; print(mcp.Client.__name__)",
        "from mcp import Client; print(Client.__name__)",
        "from mcp.client import Client; print(Client.__name__)",
        "from mcp.client.client import Client; print(Client.__name__)",
        "import mcp.client; print(mcp.client.Client.__name__)",
        "import mcp.types, mcp; mcp.types.Tool; from mcp import *; print(Client.__name__)",
    ],
)
def test_whoever_wants_the_whole_package_gets_it(later: str) -> None:
    assert run(LOAD + later) == "Client"


def test_several_threads_at_once_get_the_whole_module() -> None:
    code = (
        "import threading\n"
        "from codeagent_lsp.transport.sdk import import_with_client as load\n"
        "found = []\n"
        "def run(): found.append(load('codeagent_lsp.connection.opening').enter_session)\n"
        "threads = [threading.Thread(target=run) for _ in range(8)]\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()\n"
        "print(len(found))"
    )
    assert run(code) == "8"


def test_names_that_are_not_there_are_not_there() -> None:
    asked = "import mcp\ntry:\n    mcp.nothing\nexcept AttributeError as error:\n    print(error)"
    assert "'mcp' has no attribute 'nothing'" in run(LOAD + asked)


def test_both_ways_lead_to_the_same_classes() -> None:
    asked = "from mcp.client.session import ClientSession as a; import mcp; print(mcp.ClientSession is a)"
    assert run(LOAD + asked) == "True"


def test_a_package_that_is_loaded_already_is_left_alone() -> None:
    assert run(
        "import mcp; before = mcp.Client\n" + LOAD + "print('__getattr__' in vars(mcp), mcp.Client is before)"
    ) == ("False True")

"""The command line: `codeagent-lsp` alone speaks LSP on its standard streams, as an editor starts it."""

import argparse
import contextlib
import gc
import logging
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

from codeagent_lsp.stderr_log import StderrHandler, start_logging

if TYPE_CHECKING:
    import asyncio

_DESCRIPTION = """\
One MCP host for every editor: a language server that connects to the MCP servers which a workspace and its user
declare in .codeagent/mcp.json, and gives the editor their tools, resources and prompts."""

_EPILOG = """\
An editor starts it without arguments and speaks LSP on standard input and output; logging goes to standard error.
  VS Code   the CodeAgent MCP extension does it
  Neovim    vim.lsp.config('codeagent', { cmd = { 'codeagent-lsp' } })  and  vim.lsp.enable('codeagent')
  others    a language server with the command `codeagent-lsp`, for every file type"""

_HINT = """\
codeagent-lsp is a language server: an editor starts it and speaks LSP on its standard input.
There is nothing to type here. Ctrl+C ends it; `codeagent-lsp --help` says how an editor starts it.
"""

STOP_LIMIT = 5.5
"""Seconds that stopping may take in all: editors do not wait much longer."""

_ALLOCATIONS = 10_000
"""Objects after which the youngest are looked through for garbage; Python's own 700 are a handful of messages."""

_LEVELS = ("debug", "info", "warning", "error")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (default: the process's own). Returns the exit code; 2 for wrong usage."""
    words = list(sys.argv[1:] if argv is None else argv)
    options = _parser(words).parse_args(words)
    if options.version:
        from importlib.metadata import version

        sys.stdout.write(f"codeagent-lsp {version('codeagent-lsp')}\n")
        return 0
    run: Callable[[argparse.Namespace], int] = options.run
    return run(options)


def _parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    """The parser. A further command is one more `add_parser` with its function as `run`."""
    parser = argparse.ArgumentParser(
        "codeagent-lsp",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    parser.add_argument("--log-level", choices=_LEVELS, default="warning", help="what to log (default: warning)")
    parser.add_argument("--stdio", action="store_true", help=argparse.SUPPRESS)  # said by many clients, and the default
    parser.add_argument("--clientProcessId", help=argparse.SUPPRESS)  # vscode-languageclient; `initialize` says it too
    parser.set_defaults(run=_serve)
    commands = parser.add_subparsers(metavar="COMMAND")
    trust = commands.add_parser("trust", help="see and approve what a project would start; starts nothing")
    if "trust" in argv:  # its imports are slow, and an editor never needs them
        from codeagent_lsp.trust_command import add_actions

        add_actions(trust)
    commands.add_parser("serve", help="speak LSP on standard input and output (what happens without a command)")
    return parser


def _serve(options: argparse.Namespace) -> NoReturn:
    if sys.stdin is not None and sys.stdin.isatty():
        sys.stderr.write(_HINT)
        sys.stderr.flush()
    handler = start_logging(options.log_level)
    code = 1
    try:
        code = _speak(handler)
    except BaseException:
        logging.getLogger(__name__).exception("codeagent-lsp could not go on")
    handler.drain(0.5)
    os._exit(code)  # a thread that waits for the editor cannot be joined


def _speak(handler: StderrHandler) -> int:
    gc.disable()  # what is imported now stays: collecting in between costs a tenth of the start
    import asyncio

    from codeagent_lsp.rpc import Bounds, StdioWire, serve

    wire = StdioWire.claim()
    from codeagent_lsp.handlers import build

    async def main() -> int:
        app = build()
        handler.clean = getattr(app, "redact", handler.clean)
        gc.freeze()
        gc.set_threshold(_ALLOCATIONS)
        gc.enable()
        return await serve(app.server, app.stop, wire, Bounds(stop=STOP_LIMIT))

    loop = asyncio.new_event_loop()
    _watch_children(loop)
    return loop.run_until_complete(main())


def _watch_children(loop: "asyncio.AbstractEventLoop") -> None:
    """See the end of a server by a descriptor, and not by a thread for each, as later Pythons do by themselves."""
    if sys.version_info >= (3, 12) or not hasattr(os, "pidfd_open"):
        return
    import asyncio

    with contextlib.suppress(OSError):  # an old kernel, or one that does not let us
        os.close(os.pidfd_open(os.getpid()))
        watcher = asyncio.PidfdChildWatcher()
        watcher.attach_loop(loop)
        asyncio.set_child_watcher(watcher)  # pyright: ignore[reportDeprecated]

"""A bare pygls server with one command: what `initialize` costs at least."""

from typing import Any

from pygls.lsp.server import LanguageServer


def main() -> None:
    """Serve on stdin and stdout."""
    server = LanguageServer("bare", "1.0")

    @server.command("bare.nothing")
    def nothing(_server: Any, *_arguments: Any) -> None:
        return None

    server.start_io()


if __name__ == "__main__":
    main()

"""Starts the demo server on stdin and stdout."""

from codeagent_lsp.demo.server import build


def main() -> None:
    """Serve until stdin is closed."""
    build().run("stdio")


if __name__ == "__main__":
    main()

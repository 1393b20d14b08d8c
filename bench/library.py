"""An MCP server on HTTP that is as many servers as one asks for: `/N/mcp` is one with N resources.

    python bench/library.py

It prints its port and serves until its standard input ends.
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def resource(number: int) -> dict[str, str]:
    """One of the resources."""
    return {"uri": f"note://folder-{number % 37}/item-{number:06d}", "name": f"Item number {number}"}


def answer(method: str, count: int) -> dict[str, Any]:
    """The result of a request to a server with `count` resources."""
    match method:
        case "initialize":
            capabilities: dict[str, Any] = {"resources": {}}
            info = {"name": "library", "version": "1"}
            return {"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": info}
        case "resources/list":
            return {"resources": [resource(number) for number in range(count)]}
        case "resources/templates/list":
            return {"resourceTemplates": []}
        case _:
            return {}


class Handler(BaseHTTPRequestHandler):
    """MCP over streamable HTTP, in its plainest form: a JSON answer to each POST, no session, no stream."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """A message."""
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "id" not in message:
            self._send(202, b"")
            return
        result = answer(message["method"], int(self.path.split("/")[1]))
        self._send(200, json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode())

    def do_GET(self) -> None:
        """There is no stream."""
        self._send(405, b"")

    do_DELETE = do_GET

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged."""


def main() -> None:
    """Serve."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()

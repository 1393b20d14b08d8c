"""An HTTP server written with the `mcp` package that wants a header: `python sdk_http.py PORT TOKEN`."""

import sys

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

server = MCPServer("guarded", instructions="Only with the right token.")


@server.tool()
def whoami() -> str:
    """Say who is asking."""
    return "a friend"


@server.tool()
async def count(to: int, ctx: Context) -> str:
    """Count, with progress."""
    for number in range(to):
        await ctx.report_progress(number + 1, to, f"step {number + 1}")
    return f"counted to {to}"


@server.resource("guarded://motd")
def motd() -> str:
    """The message of the day."""
    return "well done"


class Guard(BaseHTTPMiddleware):
    """Turns away whoever does not bring the token."""

    async def dispatch(self, request: Request, call_next) -> Response:  # type: ignore[no-untyped-def]
        if request.headers.get("authorization") != f"Bearer {sys.argv[2]}":
            return PlainTextResponse("no entry", 401)
        return await call_next(request)


if __name__ == "__main__":
    app = server.streamable_http_app(host="127.0.0.1")
    app.add_middleware(Guard)
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")

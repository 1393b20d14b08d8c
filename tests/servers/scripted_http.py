"""A raw MCP server over HTTP on a loopback port, without any framework, that misbehaves as it is told to.

    python scripted_http.py [BEHAVIOUR[=VALUE]] ...          prints {"port": N, "url": "http://127.0.0.1:N/mcp"}

or, inside a test: `async with ScriptedHttp("session", "sse") as server: server.url, server.requests`. METHOD is a
JSON-RPC method, `*` for any, or GET or DELETE for those requests. Without words it is a plain server that answers JSON.

Answers:   sse                   as events               modern              MCP 2026-07-28
           status=METHOD:CODE[:TIMES]                    retry_after=S       a header on those
           body=TEXT             of those answers        rpc_error=CODE      of those answers: a JSON-RPC error
           type=METHOD:TYPE      of the answer           empty=METHOD:CODE   no body, e.g. 202, 204, 200
           reply=METHOD:JSON     the result              raw=METHOD:JSON     the whole body
           hang=METHOD           no answer, ever         close=METHOD        the connection is closed unanswered
           half=METHOD           half of the answer, then closed
           drip=METHOD           the answer, a byte every 0.2 s
           big=METHOD:BYTES      a result of so many bytes
           encoding=METHOD:KIND  gzip, deflate, bomb (gzip of 1 GiB), double (gzip twice), br (a lie)
Events:    drop=METHOD[:TIMES]   the stream breaks before the answer; without ids
           drop_id=METHOD        the same, with an id: taken up again by Last-Event-ID
           retry=MS              with those                noise               pings and rubbish around answers
Sessions:  session               gives session ids        lost=KIND           they are unknown after the opening:
                                                           404, 404json, 400, 200 (`forgets`: how unknown
                                                           ones are answered, 404)
           listen                GET is a stream          listen_drop=N       it breaks N times
           listen_end=N          it ends N times           numbered         its events have ids
Places:    redirect=CODE[:URL]   /mcp redirects, to /mcp/ or elsewhere
           old[=CODE]            only the older HTTP+SSE at /sse; a POST there is answered with CODE (405)
           endpoint=URL          what it names as its endpoint
Access:    need=NAME:VALUE       401 without this header
Lists:     the words of `scripted_items` (tools=N, bad_tool=KIND, page=N, …)
Tools:     echo, params, headers (those of the request), change (sends list_changed on the listening stream),
           elicit (asks on it), slow (0.2 s)
"""

import asyncio
import json
import sys
from typing import Any

import scripted_items as items
from scripted_http_wire import ENCODE, ENCODED_AS, Closed, Headers, HttpWire

NOISE = b": hello\n\nevent: ping\ndata: 12\n\ndata: ping\n\nid: 7\ndata:\n\ndata: {oops\n\n"


class ScriptedHttp(HttpWire):
    """The server. `sessions` are those that it gave, `listeners` the streams that listen."""

    def __init__(self, *words: str) -> None:
        super().__init__()
        self.told: dict[str, str] = {}
        for word in words:
            name, _, value = word.partition("=")
            self.told[name] = value
        self.sessions: set[str] = set()
        self.listeners: list[asyncio.Queue[Any]] = []
        self.opened = 0
        self._times: dict[str, int] = {}
        self._held: dict[str, Any] = {}
        self._asked: dict[str, asyncio.Future[Any]] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/{'sse' if 'old' in self.told else 'mcp'}"

    def methods(self) -> list[str]:
        """The JSON-RPC methods that were posted, in order."""
        return [body.get("method", "answer") for _, _, _, body in self.requests if body is not None]

    async def __aenter__(self) -> "ScriptedHttp":
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    # -- what to do ------------------------------------------------------------------------------------------------

    def when(self, word: str, method: str) -> str | None:
        """The value of a behaviour, if it was told for this method and has not been done often enough."""
        wanted, _, value = self.told.get(word, "").partition(":")
        if word not in self.told or wanted not in (method, "*"):
            return None
        if word in ("reply", "raw"):
            return value
        value, _, times = value.rpartition(":") if value.count(":") else (value, "", "")
        if word in ("drop", "listen_drop") and value:
            value, times = "", value
        if times.isdigit():
            done = self._times.get(word, 0)
            if done >= int(times):
                return None
            self._times[word] = done + 1
        return value

    async def _route(self, method: str, path: str, headers: Headers, body: Any, writer: asyncio.StreamWriter) -> None:
        if "need" in self.told:
            name, _, value = self.told["need"].partition(":")
            if headers.get(name.lower()) != value:
                return await self.send(writer, 401, {"www-authenticate": "Bearer"}, b"no token, no service")
        if "redirect" in self.told and path == "/mcp":
            code, _, target = self.told["redirect"].partition(":")
            return await self.send(writer, int(code), {"location": target or "/mcp/"})
        if "old" in self.told:
            return await self._old(method, path, body, writer)
        name = method if method != "POST" else (body or {}).get("method", "answer")
        status = self.when("status", name)
        if status is not None:
            return await self._bad_status(int(status), body, writer)
        if self.when("hang", name) is not None:
            await asyncio.sleep(3600)
        if self.when("close", name) is not None:
            writer.transport.abort()
            raise Closed
        if method == "GET":
            return await self._listen(headers, writer)
        if method == "DELETE":
            return await self.send(writer, 200)
        if body.get("method") is None:
            future = self._asked.pop(str(body.get("id")), None)
            if future is not None:
                future.set_result(body)
            return await self.send(writer, 202)
        if "id" not in body:
            return await self.send(writer, 202)
        if name not in ("initialize", "server/discover") and await self._session_lost(headers, body, writer):
            return None
        return await self._answer(name, headers, body, writer)

    async def _bad_status(self, status: int, body: Any, writer: asyncio.StreamWriter) -> None:
        headers = {"retry-after": self.told["retry_after"]} if "retry_after" in self.told else {}
        data = self.told.get("body", "").encode()
        if "rpc_error" in self.told:
            error = {"code": int(self.told["rpc_error"]), "message": "no", "data": {"supported": ["2026-07-28"]}}
            data = json.dumps({"jsonrpc": "2.0", "id": (body or {}).get("id"), "error": error}).encode()
            headers["content-type"] = "application/json"
        await self.send(writer, status, headers, data)

    async def _session_lost(self, headers: Headers, body: Any, writer: asyncio.StreamWriter) -> bool:
        known = headers.get("mcp-session-id") in self.sessions
        kind = self.told.get("lost")
        forgets = self.told.get("forgets", "")
        if "session" not in self.told or (known and kind is None):
            return False
        error = {"jsonrpc": "2.0", "id": body["id"], "error": {"code": -32001, "message": "Session not found"}}
        json_type = {"content-type": "application/json"}
        match kind or forgets:
            case "404json":
                await self.send(writer, 404, json_type, json.dumps(error).encode())
            case "400":
                await self.send(writer, 400, {}, b"Bad Request: No valid session ID provided")
            case "200":
                await self.send(writer, 200, json_type, b'{"error":"Session not found"}')
            case _:
                await self.send(writer, 404)
        return True

    async def _answer(self, method: str, headers: Headers, body: Any, writer: asyncio.StreamWriter) -> None:
        more: Headers = {}
        if method == "initialize" and "session" in self.told:
            self.opened += 1
            session = f"session-{self.opened}"
            self.sessions.add(session)
            more["mcp-session-id"] = session
        empty = self.when("empty", method)
        if empty is not None:
            return await self.send(writer, int(empty or 200), {"content-type": "application/json"})
        answer = await self.reply(method, headers, body, writer)
        if answer is None:
            return None
        drop, drop_id = self.when("drop", method), self.when("drop_id", method)
        if drop is not None or drop_id is not None:
            return await self._drop(answer, drop_id is not None, writer)
        if "sse" in self.told:
            await self.begin_events(writer, more)
            if "noise" in self.told:
                await self.chunk(
                    writer, b": hello\n\nevent: ping\ndata: 12\n\ndata: ping\n\nid: 7\ndata:\n\ndata: {oops\n\n"
                )
            await self.event(writer, answer)
            if "noise" in self.told:
                await self.event(writer, answer)
            await self.chunk(writer, b"")
            raise Closed
        return await self._body(method, more, json.dumps(answer).encode(), writer)

    async def _body(self, method: str, more: Headers, data: bytes, writer: asyncio.StreamWriter) -> None:
        raw = self.when("raw", method)
        data = raw.encode() if raw is not None else data
        kind = self.when("type", method)
        headers = {**more, "content-type": "application/json" if kind is None else kind}
        if not headers["content-type"]:
            del headers["content-type"]
        encoding = self.when("encoding", method)
        if encoding is not None:
            data = ENCODE[encoding](data)
            headers["content-encoding"] = ENCODED_AS.get(encoding, encoding)
        if self.when("half", method) is not None or self.when("drip", method) is not None:
            lines = [f"{name}: {value}" for name, value in headers.items()]
            writer.write(
                "\r\n".join(["HTTP/1.1 200 OK", f"content-length: {len(data)}", *lines]).encode() + b"\r\n\r\n"
            )
            if "half" in self.told:
                writer.write(data[: len(data) // 2])
                await writer.drain()
                raise Closed
            for byte in data:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(0.2)
            return
        await self.send(writer, 200, headers, data)

    async def _drop(self, answer: Any, with_id: bool, writer: asyncio.StreamWriter) -> None:
        await self.begin_events(writer)
        if with_id:
            self._held["1"] = answer
            retry = f"retry: {self.told['retry']}\n" if "retry" in self.told else ""
            await self.chunk(writer, f"id: 1\n{retry}data:\n\n".encode())
        else:
            await self.chunk(writer, b": nothing yet\n\n")
        await asyncio.sleep(0.05)
        raise Closed

    async def _listen(self, headers: Headers, writer: asyncio.StreamWriter) -> None:
        held = self._held.pop(headers.get("last-event-id", ""), None)
        if held is not None:
            await self.begin_events(writer)
            await self.event(writer, held, "id: 2\nevent: message\n")
            await self.chunk(writer, b"")
            raise Closed
        if "listen" not in self.told:
            return await self.send(writer, 405)
        await self.begin_events(writer)
        if "retry" in self.told:
            await self.chunk(writer, f"retry: {self.told['retry']}\n\n".encode())
        if "numbered" in self.told:
            await self.chunk(writer, b"id: 1\ndata:\n\n")
        for word in ("listen_drop", "listen_end"):
            if word in self.told and self._times.get(word, 0) < int(self.told[word]):
                self._times[word] = self._times.get(word, 0) + 1
                await asyncio.sleep(0.05)
                if word == "listen_end":
                    await self.chunk(writer, b"")
                raise Closed
        queue: asyncio.Queue[Any] = asyncio.Queue()
        self.listeners.append(queue)
        while True:
            await self.event(writer, await queue.get())

    async def _old(self, method: str, path: str, body: Any, writer: asyncio.StreamWriter) -> None:
        if method == "POST" and path.startswith("/messages"):
            await self.send(writer, 202)
            if self.listeners and body.get("method") and "id" in body:
                answer = await self.reply(body["method"], {}, body, writer)
                self.listeners[-1].put_nowait(answer)
            return None
        if method == "POST":
            code = int(self.told["old"] or 405)
            if code == 200:
                await self.begin_events(writer)
                await self.chunk(writer, b"event: endpoint\ndata: /messages?session_id=1\n\n")
                raise Closed
            return await self.send(
                writer, code, {"content-type": "application/json"}, b'{"detail":"Method Not Allowed"}'
            )
        await self.begin_events(writer)
        endpoint = self.told.get("endpoint", "/messages?session_id=1")
        await self.chunk(writer, f"event: endpoint\r\ndata: {endpoint}\r\n\r\n".encode())
        queue: asyncio.Queue[Any] = asyncio.Queue()
        self.listeners.append(queue)
        while (message := await queue.get()) is not None:
            await self.event(writer, message)
        raise Closed

    # -- MCP -------------------------------------------------------------------------------------------------------

    async def reply(self, method: str, headers: Headers, body: Any, writer: asyncio.StreamWriter) -> Any:
        """The JSON-RPC answer to a request."""
        request_id, params = body["id"], body.get("params") or {}
        given = self.when("reply", method)
        if given is not None:
            return {"jsonrpc": "2.0", "id": request_id, "result": json.loads(given)}
        big = self.when("big", method)
        if big is not None:
            content = [{"type": "text", "text": "x" * int(big)}]
            return {"jsonrpc": "2.0", "id": request_id, "result": {"content": content, "tools": []}}
        match method:
            case "server/discover" if "modern" in self.told:
                result: Any = {"supportedVersions": ["2026-07-28"], "capabilities": items.CAPABILITIES}
            case "initialize" if "modern" not in self.told:
                info = {"name": "scripted", "version": "1"}
                version = params.get("protocolVersion")
                result = {"protocolVersion": version, "capabilities": items.CAPABILITIES, "serverInfo": info}
            case "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list":
                result = items.page(self.told, method, params.get("cursor"))
            case "tools/call":
                result = await self._call(params, headers, writer)
            case "ping":
                result = {}
            case "resources/read":
                result = {"contents": [{"uri": params.get("uri"), "text": f"contents of {params.get('uri')}"}]}
            case "prompts/get":
                message = {"role": "user", "content": {"type": "text", "text": str(params.get("name"))}}
                result = {"messages": [message]}
            case _:
                return {"jsonrpc": "2.0", "id": request_id, "error": {"code": -32601, "message": "Method not found"}}
        if "modern" in self.told:
            result = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", **result}
        return {"jsonrpc": "2.0", "id": request_id, "result": result}

    async def _call(self, params: Any, headers: Headers, writer: asyncio.StreamWriter) -> Any:
        arguments = params.get("arguments") or {}
        text = str(arguments.get("text", ""))
        match params.get("name"):
            case "params":
                text = json.dumps(params)
            case "headers":
                text = json.dumps(headers)
            case "change":
                for queue in self.listeners:
                    queue.put_nowait({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
            case "slow":
                await asyncio.sleep(0.2)
            case "elicit":
                text = json.dumps(await self._ask("elicitation/create", {"message": "m", "requestedSchema": {}}))
            case _:
                pass
        return {"content": [{"type": "text", "text": text}]}

    async def _ask(self, method: str, params: Any) -> Any:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._asked["q1"] = future
        for queue in self.listeners:
            queue.put_nowait({"jsonrpc": "2.0", "id": "q1", "method": method, "params": params})
        return await future


async def _main() -> None:
    server = ScriptedHttp(*sys.argv[1:])
    await server.start()
    print(json.dumps({"port": server.port, "url": server.url}), flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_main())

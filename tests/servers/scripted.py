"""A raw MCP server over stdio, without any SDK, that misbehaves as it is told to on its command line.

    python scripted.py [BEHAVIOUR[=VALUE]] ...

Every word is one behaviour; without any, it is a plain server of the older revisions with one tool, `echo`. What a
*call* does wrong is chosen by the name of the tool (see `scripted_calls.CALLS`); every such tool can be called whether
it is listed or not.

Birth:      sleep=S            wait before reading        banner[=N]       N lines of chatter on stdout
            exit=CODE          stderr, then exit at once  stderr=TEXT      a line on standard error
            garbage[=N]        only chatter on stdout, N lines or for ever (with delay=S between lines)
            grandchild         `sleep` in our group       daemon           `sleep` in a session of its own
            double_fork        the same, orphaned         pids=FILE        their process ids, one a line
            silent             read, never answer         noread           do not even read
Death:      ignore_term        SIGTERM does nothing       ignore_eof       the end of stdin does nothing
            leave_child        exit at EOF, leaving a child in our group
Opening:    modern             MCP 2026-07-28             pinned           2026-07-28 without `server/discover`
            discover_silent    no answer to the probe     discover_exit=CODE   exit on the probe
            discover_raw=TEXT  what answers the probe, ID standing for its id
            init_silent, init_exit=CODE, init_delay=S, init_error=TEXT, init_garbage
            version=V          the revision it names      init=JSON        members that replace those of the result
                               (`null` takes one out)
            exit_after=METHOD  answer that, then exit     instructions=TEXT
Lists:      tools=N            N tools instead of one     list=A,B         list these calls as tools too
            bad_tool=KIND, bad_resource=KIND, bad_prompt=KIND    one bad item beside a good one (`scripted_items`)
            page=N             N items a page             endless_pages    the same cursor for ever
            list_error=METHOD:CODE      list_silent=METHOD      list_result=JSON (of tools/list)
            schema=JSON        inputSchema of `echo`      output_schema=JSON
            from=DIR           the result of METHOD is the text of DIR/METHOD.json (with `_` for `/`) as it is at that
                               moment, if the file is there: `silent` is no answer, {"error": …} an error;
                               with a cursor METHOD@HEX, its UTF-8 in hexadecimal
            restless           list_changed before every answer to tools/list
Noise:      flood=N            N list_changed             ask_roots        roots/list after the opening
            ping_first         a ping before the answer to initialize
Record:     log=FILE           every message that is read, one JSON line each (also by $SCRIPTED_LOG)
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import scripted_items as items
from scripted_calls import CALLS

MODERN = "2026-07-28"


class Server:
    """The state of one run: what it was told to do, and what it was sent."""

    def __init__(self, words: list[str]) -> None:
        self.told: dict[str, str] = {}
        for word in words:
            name, _, value = word.partition("=")
            self.told[name] = value
        self.modern = "pinned" in self.told
        self.cancelled: set[Any] = set()
        self.asked: dict[Any, Any] = {}
        self.count = 0
        self._log = self.told.get("log") or os.environ.get("SCRIPTED_LOG")
        self._out = threading.Lock()

    # -- writing ---------------------------------------------------------------------------------------------------

    def raw(self, data: bytes) -> None:
        """Write bytes to standard output, all of them."""
        with self._out:
            view = memoryview(data)
            while view:
                view = view[os.write(1, view) :]

    def send(self, message: Any) -> None:
        """Write one message."""
        self.raw(json.dumps(message).encode() + b"\n")

    def answer(self, request_id: Any, result: Any) -> None:
        """Answer a request, with what the newer revision wants in a result."""
        if self.modern and isinstance(result, dict):
            result = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", **result}
        self.send({"jsonrpc": "2.0", "id": request_id, "result": result})

    def error(self, request_id: Any, code: int, message: str, **more: Any) -> None:
        """Answer a request with an error."""
        self.send({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message, **more}})

    def say(self, text: str) -> None:
        """Write a line to standard error."""
        os.write(2, text.encode("utf-8", "surrogatepass") + b"\n")

    def number(self, name: str, default: float = 0) -> float:
        """The value of a behaviour, as a number."""
        return float(self.told.get(name) or default)

    # -- life ------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Live as told."""
        self._be_born()
        for line in sys.stdin.buffer:
            if "silent" not in self.told:
                self.read(line)
        if "leave_child" in self.told:
            self._spawn(start_new_session=False)
        if "ignore_eof" in self.told:
            time.sleep(3600)

    def _be_born(self) -> None:
        if "ignore_term" in self.told:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if "grandchild" in self.told:
            self._spawn(start_new_session=False)
        if "daemon" in self.told:
            self._spawn(start_new_session=True)
        if "double_fork" in self.told and os.fork() == 0:
            os.setsid()
            self._spawn(start_new_session=False)
            os._exit(0)
        time.sleep(self.number("sleep"))
        if "stderr" in self.told:
            self.say(self.told["stderr"])
        for number in range(int(self.number("banner", 3)) if "banner" in self.told else 0):
            self.raw(b"*** Welcome! Line %d of a banner ***\n" % number)
        if "exit" in self.told:
            self.say("Traceback (most recent call last):\n  somewhere\nError: missing API key")
            sys.exit(int(self.number("exit", 1)))
        if "garbage" in self.told:
            for number in range(int(self.number("garbage", 1 << 62))):
                self.raw(b"DEBUG nothing but chatter, line %d\n" % number)
                if "delay" in self.told:
                    time.sleep(self.number("delay"))
        if "noread" in self.told:
            time.sleep(3600)

    def _spawn(self, **more: Any) -> None:
        command = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"]
        pid = subprocess.Popen(command, stdin=subprocess.DEVNULL, **more).pid
        if "pids" in self.told:
            with Path(self.told["pids"]).open("a") as file:
                file.write(f"{pid}\n")

    # -- reading ---------------------------------------------------------------------------------------------------

    def read(self, line: bytes) -> None:
        """Take one message."""
        try:
            message = json.loads(line)
        except ValueError as error:
            self.say(f"unreadable input: {error}")
            return
        if self._log:
            with Path(self._log).open("a") as file:
                file.write(json.dumps(message) + "\n")
        method, request_id = message.get("method"), message.get("id")
        params = message.get("params") or {}
        if method is None:
            self._take_answer(request_id, message)
        elif request_id is None:
            self._hear(method, params)
        else:
            self.count += 1
            self._serve(method, request_id, params)
            if self.told.get("exit_after") == method:
                os._exit(0)

    def _take_answer(self, request_id: Any, message: Any) -> None:
        if request_id in self.asked:
            text = json.dumps({key: message[key] for key in ("result", "error") if key in message})
            self.answer(self.asked.pop(request_id), {"content": [{"type": "text", "text": text}]})

    def _hear(self, method: str, params: Any) -> None:
        if method == "notifications/cancelled":
            self.cancelled.add(params.get("requestId"))
            self.say(f"cancelled {params.get('requestId')}")
        elif method == "notifications/initialized":
            if "ask_roots" in self.told:
                self.send({"jsonrpc": "2.0", "id": "roots-1", "method": "roots/list"})
            if "flood" in self.told:
                threading.Thread(target=self._flood, daemon=True).start()

    def _flood(self) -> None:
        for _ in range(int(self.number("flood", 1000))):
            self.raw(b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n')

    def _serve(self, method: str, request_id: Any, params: Any) -> None:
        failing, _, code = self.told.get("list_error", "").partition(":")
        if method == failing:
            self.error(request_id, int(code or -32601), "Method not found")
            return
        if method == self.told.get("list_silent") or self._from_file(method, request_id, params.get("cursor")):
            return
        if "restless" in self.told and method == "tools/list":
            self.send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        match method:
            case "server/discover":
                self._discover(request_id)
            case "initialize":
                self._initialize(request_id, params)
            case "tools/list" if "list_result" in self.told:
                self.answer(request_id, json.loads(self.told["list_result"]))
            case "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list":
                self.answer(request_id, items.page(self.told, method, params.get("cursor")))
            case "tools/call":
                name, arguments = params.get("name"), params.get("arguments") or {}
                CALLS.get(name, CALLS["echo"])(self, request_id, arguments, params)
            case "resources/read":
                text = f"contents of {params.get('uri')}"
                contents = [{"uri": params.get("uri"), "mimeType": "text/plain", "text": text}]
                self.answer(request_id, {"contents": contents})
            case "prompts/get":
                text = f"{params.get('name')} {json.dumps(params.get('arguments') or {}, sort_keys=True)}"
                message = {"role": "user", "content": {"type": "text", "text": text}}
                self.answer(request_id, {"messages": [message]})
            case "completion/complete":
                typed = params.get("argument", {}).get("value", "")
                self.answer(request_id, {"completion": {"values": [f"{typed}1", f"{typed}2"]}})
            case "ping" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe":
                self.answer(request_id, {})
            case _:
                self.error(request_id, -32601, f"Method not found: {method}")

    def _from_file(self, method: str, request_id: Any, cursor: str | None) -> bool:
        name = method.replace("/", "_") + ("" if cursor is None else f"@{cursor.encode().hex()}")
        file = Path(self.told.get("from", "/dev/null")) / f"{name}.json"
        if "from" not in self.told or not file.exists():
            return False
        text = file.read_text("utf-8").replace("\n", " ").strip()
        member = "error" if text.startswith('{"error"') else "result"
        if member == "error":
            text = json.dumps(json.loads(text)["error"])
        if text != "silent":
            head = '{"jsonrpc":"2.0","id":%s,"%s":' % (json.dumps(request_id), member)
            self.raw(f"{head}{text}}}\n".encode("utf-8", "surrogatepass"))
        return True

    def _discover(self, request_id: Any) -> None:
        if "discover_raw" in self.told:
            self.raw(self.told["discover_raw"].replace("ID", json.dumps(request_id)).encode() + b"\n")
            return
        if "discover_silent" in self.told:
            return
        if "discover_exit" in self.told:
            self.say("unknown method server/discover")
            os._exit(int(self.number("discover_exit", 3)))
        if "modern" not in self.told:
            self.error(request_id, -32601, "Method not found")
            return
        self.modern = True
        info = {"io.modelcontextprotocol/serverInfo": {"name": "scripted", "version": "1"}}
        result = {"supportedVersions": [MODERN], "capabilities": items.CAPABILITIES, "_meta": info}
        self.answer(request_id, self._opening(result))

    def _initialize(self, request_id: Any, params: Any) -> None:
        if "init_silent" in self.told:
            return
        if "init_exit" in self.told:
            self.say("fatal: cannot start")
            os._exit(int(self.number("init_exit", 7)))
        if "init_error" in self.told:
            self.error(request_id, -32000, self.told["init_error"])
            return
        if "init_garbage" in self.told:
            self.raw("Server ready\n\n{oops\n42\n[1,2]\nnull\n╭──╮\n".encode())
        if "ping_first" in self.told:
            self.send({"jsonrpc": "2.0", "id": "ping-1", "method": "ping"})
        time.sleep(self.number("init_delay"))
        result = {
            "protocolVersion": self.told.get("version") or params.get("protocolVersion"),
            "capabilities": items.CAPABILITIES,
            "serverInfo": {"name": "scripted", "version": "1"},
        }
        self.answer(request_id, self._opening(result))

    def _opening(self, result: dict[str, Any]) -> dict[str, Any]:
        if "instructions" in self.told:
            result["instructions"] = self.told["instructions"]
        result.update(json.loads(self.told.get("init", "{}")))
        return {name: value for name, value in result.items() if value is not None}


if __name__ == "__main__":
    Server(sys.argv[1:]).run()

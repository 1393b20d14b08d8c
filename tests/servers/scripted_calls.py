"""What the scripted stdio server does when a tool is called: each name is one way to go right or wrong."""

import json
import os
import random
import threading
import time
from collections.abc import Callable
from typing import Any

Call = Callable[[Any, Any, dict[str, Any], dict[str, Any]], None]
"""Takes the server, the id of the request, the arguments, and the whole params."""

CALLS: dict[str, Call] = {}
OBJECT = {"type": "object", "properties": {}}
OK = {"content": [{"type": "text", "text": "ok"}]}


def call(function: Call) -> Call:
    """Make a function a tool of its own name."""
    CALLS[function.__name__.rstrip("_")] = function
    return function


def frame(request_id: Any, result: Any = OK) -> bytes:
    """An answer as bytes, without a line end."""
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "result": result}).encode()


# -- going right -------------------------------------------------------------------------------------------------------


@call
def echo(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Say the argument `text` again; with `structured`, also as structured content; with `result`, answer that."""
    if "result" in arguments:
        server.answer(request_id, arguments["result"])
        return
    result: dict[str, Any] = {"content": [{"type": "text", "text": str(arguments.get("text", ""))}]}
    server.answer(
        request_id, result | ({"structuredContent": arguments["structured"]} if "structured" in arguments else {})
    )


@call
def params(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Say what was sent, as JSON."""
    server.answer(request_id, {"content": [{"type": "text", "text": json.dumps(params)}]})


@call
def count(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Say how many requests this process has had: it tells processes apart."""
    server.answer(request_id, {"content": [{"type": "text", "text": f"{os.getpid()} {server.count}"}]})


@call
def environment(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Say the environment, as JSON."""
    server.answer(request_id, {"content": [{"type": "text", "text": json.dumps(dict(os.environ))}]})


@call
def descriptors(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Say which file descriptors are open."""
    found = sorted(int(name) for name in os.listdir("/proc/self/fd"))
    server.answer(request_id, {"content": [{"type": "text", "text": json.dumps(found)}]})


@call
def reply(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Answer with the argument `result`, whatever it is."""
    server.answer(request_id, arguments.get("result"))


@call
def raw(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Write the argument `text`, in which ID stands for the id of the request, as it is."""
    text = arguments["text"].replace("ID", json.dumps(request_id))
    server.raw(text.encode(arguments.get("encoding", "utf-8"), "surrogatepass") + b"\n")


@call
def slow(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Take `seconds` (5), telling of progress ten times a second; stop when cancelled."""

    def work() -> None:
        token = (params.get("_meta") or {}).get("progressToken")
        steps = int(float(arguments.get("seconds", 5)) * 10)
        for step in range(steps):
            if request_id in server.cancelled:
                server.say("stopped by cancel")
                return
            if token is not None:
                told = {"progressToken": token, "progress": step, "total": steps, "message": f"step {step}"}
                server.send({"jsonrpc": "2.0", "method": "notifications/progress", "params": told})
            time.sleep(0.1)
        server.answer(request_id, {"content": [{"type": "text", "text": "done"}]})

    threading.Thread(target=work, daemon=True).start()


@call
def elicit(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Ask the user (`params`), then say what came back."""
    ask(server, request_id, "elicitation/create", arguments.get("params") or {"message": "m", "requestedSchema": {}})


@call
def sample(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Ask the model, then say what came back."""
    message = {"role": "user", "content": {"type": "text", "text": "hi"}}
    ask(server, request_id, "sampling/createMessage", {"messages": [message], "maxTokens": 5})


@call
def roots(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Ask for the roots, then say what came back."""
    ask(server, request_id, "roots/list", None)


@call
def question(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Ask `method` with `params`, then say what came back."""
    ask(server, request_id, arguments["method"], arguments.get("params"))


@call
def later(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Say `text` again after a random moment of at most `seconds` (0.2)."""
    answer = {"content": [{"type": "text", "text": str(arguments.get("text", ""))}]}
    threading.Timer(random.random() * float(arguments.get("seconds", 0.2)), server.answer, (request_id, answer)).start()


@call
def progress(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Tell of progress every `every` seconds (0.4) `times` times, under `token` if given; then answer, or never."""

    def work() -> None:
        token = arguments.get("token", (params.get("_meta") or {}).get("progressToken"))
        for step in range(int(arguments.get("times", 8))):
            told = {"progressToken": token, "progress": step, "message": f"step {step}"}
            server.send({"jsonrpc": "2.0", "method": "notifications/progress", "params": told})
            time.sleep(float(arguments.get("every", 0.4)))
        if not arguments.get("never"):
            server.answer(request_id, OK)

    threading.Thread(target=work, daemon=True).start()


@call
def more_input(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Want another answer of the user, each time (MCP 2026-07-28)."""
    ask = {"method": "elicitation/create", "params": {"message": "more?", "requestedSchema": OBJECT, "mode": "form"}}
    server.answer(request_id, {"resultType": "input_required", "inputRequests": {"q": ask}, "requestState": "s"})


@call
def unknown_question(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Ask something that no client knows, then say what came back."""
    ask(server, request_id, "vendor/ask", {})


@call
def changed(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Say `times` (1) that the list of `kind` (tools) is another one, then answer."""
    told = {"jsonrpc": "2.0", "method": f"notifications/{arguments.get('kind', 'tools')}/list_changed"}
    server.raw((json.dumps(told).encode() + b"\n") * int(arguments.get("times", 1)))
    server.answer(request_id, OK)


@call
def tell(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Send the argument `message` (a notification, or a whole answer to something) `times` (1), then answer."""
    server.raw((json.dumps(arguments["message"]).encode() + b"\n") * int(arguments.get("times", 1)))
    server.answer(request_id, OK)


def ask(server: Any, request_id: Any, method: str, params: Any) -> None:
    """Send a request of our own; its answer becomes the answer to the call."""
    question = f"q{request_id}"
    server.asked[question] = request_id
    server.send({"jsonrpc": "2.0", "id": question, "method": method, **({"params": params} if params else {})})


# -- dying -------------------------------------------------------------------------------------------------------------


@call
def die(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Exit with `code` (9) without an answer."""
    server.say("about to die")
    os._exit(int(arguments.get("code", 9)))


@call
def kill_self(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Die by `signal` (9)."""
    server.say("about to be killed")
    os.kill(os.getpid(), int(arguments.get("signal", 9)))


@call
def answer_and_die(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Answer, and exit at once."""
    server.raw(frame(request_id) + b"\n")
    os._exit(0)


@call
def die_midway(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Write half an answer, and exit."""
    server.raw(b'{"jsonrpc":"2.0","id":')
    os._exit(9)


@call
def never(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Do not answer."""


@call
def stop_reading(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Answer, and never read again."""
    server.answer(request_id, OK)
    time.sleep(3600)


@call
def close_stdout(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Close standard output, and live on."""
    os.close(1)
    time.sleep(3600)


@call
def close_stdin(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Answer, close standard input, and live on."""
    server.answer(request_id, OK)
    os.close(0)
    time.sleep(3600)


# -- odd bytes ---------------------------------------------------------------------------------------------------------


@call
def big(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Answer on one line of exactly `bytes` bytes, its end not counted."""
    head = b'{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"' % json.dumps(request_id).encode()
    end = b'"}]}}'
    server.raw(head + b"x" * (int(arguments["bytes"]) - len(head) - len(end)) + end + b"\n")


@call
def endless_line(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Begin an answer, and never end it."""
    server.raw(
        b'{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"' % json.dumps(request_id).encode()
    )

    def work() -> None:
        while True:
            server.raw(b"x" * 65536)

    threading.Thread(target=work, daemon=True).start()


@call
def deep(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Answer with `levels` of nesting."""
    levels = int(arguments["levels"])
    nest = b"[" * levels + b"]" * levels
    head = (
        b'{"jsonrpc":"2.0","id":%s,"result":{"content":[],"structuredContent":{"v":' % json.dumps(request_id).encode()
    )
    server.raw(head + nest + b"}}}\n")


@call
def stderr(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    """Write `bytes` bytes to standard error, in lines of `line` bytes (80; 0: no line end at all), and answer."""
    line, left = int(arguments.get("line", 80)), int(arguments["bytes"])
    block = (b"e" * (line - 1) + b"\n") * max(1, 65536 // line) if line else b"e" * 65536
    while left > 0:
        left -= os.write(2, block[:left])
    server.answer(request_id, OK)


FRAMES: dict[str, Callable[[Any], bytes]] = {
    "crlf": lambda i: frame(i) + b"\r\n",
    "bom": lambda i: b"\xef\xbb\xbf" + frame(i) + b"\n",
    "prefix": lambda i: b"INFO call done " + frame(i) + b"\n",
    "batch": lambda i: b"[" + frame(i) + b"]\n",
    "two_in_one": lambda i: frame(i) + frame(i) + b"\n",
    "three_times": lambda i: (frame(i) + b"\n") * 3,
    "text_id": lambda i: frame(str(i)) + b"\n",
    "float_id": lambda i: frame(float(i)) + b"\n",
    "no_line_end": lambda i: frame(i),
    "separators": lambda i: (
        json.dumps(
            {"jsonrpc": "2.0", "id": i, "result": {"content": [{"type": "text", "text": "a\u2028b\u0085c\u2029d"}]}},
            ensure_ascii=False,
        ).encode()
        + b"\n"
    ),
    "invalid_utf8": lambda i: frame(i).replace(b'"ok"', b'"caf\xe9 \xff\xfe"') + b"\n",
    "invalid_utf8_noise": lambda i: b"caf\xe9\n\xff\xfe\n" + frame(i) + b"\n",
    "surrogate": lambda i: frame(i).replace(b'"ok"', b'"a\\ud800b"') + b"\n",
    "nan": lambda i: frame(i, {"content": [], "structuredContent": {"v": float("nan"), "w": float("inf")}}) + b"\n",
    "no_version": lambda i: json.dumps({"id": i, "result": OK}).encode() + b"\n",
    "version_1": lambda i: json.dumps({"jsonrpc": "1.0", "id": i, "result": OK}).encode() + b"\n",
    "null_error": lambda i: json.dumps({"jsonrpc": "2.0", "id": i, "result": OK, "error": None}).encode() + b"\n",
    "null_result": lambda i: frame(i, None) + b"\n",
    "list_result": lambda i: frame(i, []) + b"\n",
    "text_error": lambda i: json.dumps({"jsonrpc": "2.0", "id": i, "error": "boom"}).encode() + b"\n",
    "no_code": lambda i: json.dumps({"jsonrpc": "2.0", "id": i, "error": {"message": "boom"}}).encode() + b"\n",
    "null_id": lambda i: (
        json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "parse error"}}).encode() + b"\n"
    ),
    "strangers": lambda i: (
        frame(10**6) + b"\n" + frame("nobody") + b"\n" + frame(i) + b"\n" + frame(i, {"content": []}) + b"\n"
    ),
    "lsp": lambda i: b"Content-Length: %d\r\n\r\n" % len(frame(i)) + frame(i) + b"\n",
}
"""Answers that are right in substance and odd in form, by the name of the tool."""


def _framed(make: Callable[[Any], bytes]) -> Call:
    def odd(server: Any, request_id: Any, arguments: dict[str, Any], params: dict[str, Any]) -> None:
        server.raw(make(request_id))

    return odd


CALLS.update({name: _framed(make) for name, make in FRAMES.items()})

"""Servers started eight at a time, and asked for their lists, as a person would write it by hand.

The least that makes a server's tools, resources and prompts known, and nothing that makes it safe: no process groups,
no standard error, no bounds, no validation, no catalogue.
"""

import asyncio
import json
import os
import time
from typing import Any

AT_ONCE = 8
LISTS = {
    "tools": ["tools/list"],
    "resources": ["resources/list", "resources/templates/list"],
    "prompts": ["prompts/list"],
}
OPENING = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "hand", "version": "1"}}


async def seconds_by_hand(entries: list[dict[str, Any]]) -> float:
    """Start them all, and end them; how long it took until all lists were in."""
    slots = asyncio.Semaphore(AT_ONCE)
    began = time.monotonic()
    children = await asyncio.gather(*(start(entry, slots) for entry in entries))
    took = time.monotonic() - began
    for child in children:
        child.kill()
    for child in children:
        await child.wait()
    return took


async def start(entry: dict[str, Any], slots: asyncio.Semaphore) -> asyncio.subprocess.Process:
    """One server, opened and listed."""
    pipe, nowhere = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    async with slots:
        child = await asyncio.create_subprocess_exec(
            entry["command"],
            *entry["args"],
            stdin=pipe,
            stdout=pipe,
            stderr=nowhere,
            env={**os.environ, **entry["env"]},
        )
        assert child.stdin is not None and child.stdout is not None
        ask(child.stdin, 1, "initialize", OPENING)
        found = (await answers(child.stdout, {1}))["capabilities"]
        child.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    wanted = [method for name in found for method in LISTS.get(name, [])]
    for number, method in enumerate(wanted, 2):
        ask(child.stdin, number, method, {})
    await answers(child.stdout, set(range(2, len(wanted) + 2)))
    return child


def ask(to: asyncio.StreamWriter, number: int, method: str, params: Any) -> None:
    """Send one request."""
    to.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n")


async def answers(back: asyncio.StreamReader, numbers: set[int]) -> dict[str, Any]:
    """Wait until all of these are answered, and give the last result; whatever else comes is passed over."""
    result: dict[str, Any] = {}
    while numbers:
        message = json.loads(await back.readline())
        if message.get("id") in numbers:
            numbers = numbers - {message["id"]}
            result = message["result"]
    return result

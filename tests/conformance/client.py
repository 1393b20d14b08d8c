"""The client under test of the protocol's conformance suite: our host without an editor, on one remote server.

    python client.py URL      with MCP_CONFORMANCE_SCENARIO, _CONTEXT (JSON) and _PROTOCOL_VERSION in the environment

Everything between here and the wire is the product: config file, trust, policy, manager, connection, operations.
"""

import json
import logging
import os
import sys
import tempfile
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

import anyio

SCENARIO = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
CONTEXT = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
VERSION = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION")
SERVER = "under-test"
WAIT = 20.0

log = logging.getLogger("conformance")


class Nobody:
    """An editor whose user says yes, fills forms with their defaults, and has a model of one word."""

    features = frozenset({"elicit", "sample", "approveCall"})

    def notify(self, method: str, value: object) -> None:
        log.info("%s %s", method, value)

    async def ask(self, method: str, value: Any) -> Any:
        if method == "codeagent/elicit":
            properties = (value.schema or {}).get("properties", {})
            content = {name: item["default"] for name, item in properties.items() if "default" in item}
            if SCENARIO == "sep-2322-client-request-state":
                content = {"confirmed": True}
            return {"action": "accept", "content": content}
        if method == "codeagent/sample":
            return {"role": "assistant", "content": {"type": "text", "text": "x"}, "model": "m"}
        return {"decision": "once"}

    async def show_message_request(self, text: str, buttons: Sequence[str]) -> str | None:
        return None


def entry(url: str) -> dict[str, Any]:
    """The server as a user would declare it; the suite says which era its mock speaks."""
    found: dict[str, Any] = {"type": "http", "url": url, "autoApprove": ["*"]}
    if VERSION is not None:
        found["protocol"] = "modern" if VERSION >= "2026" and SCENARIO != "json-schema-ref-no-deref" else "legacy"
    return found


def wanted_calls(tools: list[Any]) -> list[tuple[str, dict[str, Any]]]:
    """What the scenario wants to be called."""
    names = {tool.tool: tool for tool in tools if tool.kind == "tool"}
    match SCENARIO:
        case "http-custom-headers":
            return [(item["name"], item.get("arguments") or {}) for item in CONTEXT.get("toolCalls", [])]
        case "json-schema-2020-12-preservation":
            return [("json_schema_echo", {"schema": names["json_schema_2020_12_tool"].definition["inputSchema"]})]
        case "sep-2322-client-request-state":
            every = ("test_mrtr_echo_state", "test_mrtr_unrelated", "test_mrtr_no_state", "test_mrtr_no_result_type")
            return [(name, {}) for name in every]
        case "tools_call" | "request-metadata" | "http-standard-headers":
            return [("add_numbers", {"a": 5, "b": 3})]
        case "json-schema-ref-no-deref":
            return []
        case _:
            return [(name, _stub(tool.definition["inputSchema"])) for name, tool in names.items()]


def _stub(schema: dict[str, Any]) -> dict[str, Any]:
    values = {"string": "x", "integer": 0, "number": 0, "boolean": False, "object": {}, "array": []}
    properties = schema.get("properties", {})
    return {name: values.get(properties.get(name, {}).get("type"), "x") for name in schema.get("required", [])}


async def main(url: str) -> int:
    from codeagent_lsp.compose import Workspace, compose, reread
    from codeagent_lsp.errors import HostError
    from codeagent_lsp.operations.tools import call_tool
    from codeagent_lsp.protocol.params import CallToolParams

    file = Path(os.environ["CODEAGENT_HOME"]) / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {SERVER: entry(url)}}))
    async with anyio.create_task_group() as tasks:

        def spawn(work: Coroutine[Any, Any, None]) -> None:
            async def run() -> None:
                await work

            tasks.start_soon(run)

        host = compose(Nobody(), Workspace(), spawn, lambda config: None, "conformance")
        tasks.start_soon(host.manager.run)
        await reread(host)
        await host.manager.settle([SERVER], WAIT)
        connection = host.manager.connections[SERVER]
        log.info("state %s %s", connection.state, connection.error)
        code = 0 if connection.state == "ready" else 1
        for name, arguments in wanted_calls(await host.catalog.tools()):
            try:
                result = await call_tool(host, CallToolParams(server=SERVER, tool=name, arguments=arguments))
                log.info("%s -> %s", name, result.text)
            except HostError as error:
                log.warning("%s failed: %s", name, error.text())
        host.manager.close()
        await host.manager.closed.wait()
        host.close_reaper()
        tasks.cancel_scope.cancel()
    return code


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, stream=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CODEAGENT_HOME"] = os.environ["XDG_STATE_HOME"] = folder
        sys.exit(anyio.run(main, sys.argv[-1]))

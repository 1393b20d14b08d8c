"""One open MCP session, as plain JSON: requests in and out, their bounds, and the errors in our words."""

from collections.abc import Awaitable, Callable
from functools import cached_property
from time import monotonic
from typing import Any, Literal, cast

import mcp_types as types
from mcp.client.session import ClientRequestContext, ClientSession
from mcp.client.subscriptions import SubscriptionLost, listen
from mcp.shared.exceptions import MCPError
from pydantic import TypeAdapter, ValidationError

from codeagent_lsp.connection.clock import HARD_LIMIT, Bound, RequestClock
from codeagent_lsp.errors import HostError, Protocol, ServerError, Timeout, Transport
from codeagent_lsp.protocol import JsonObject
from codeagent_lsp.text import one_line

RAW: TypeAdapter[Any] = TypeAdapter(dict[str, Any])
"""What a server answered, as it came: the session checks its shape and leaves it alone."""

MAX_ROUNDS = 10
"""How often one request may come back with questions (MCP 2026-07-28, multi round-trip requests)."""

LOG_LEVEL_META = "io.modelcontextprotocol/logLevel"

Progress = Callable[[float, float | None, str | None], None]
ListKind = Literal["tools", "resources", "resourceTemplates", "prompts"]

_LISTS: dict[ListKind, Callable[..., types.Request[Any, Any]]] = {
    "tools": types.ListToolsRequest,
    "resources": types.ListResourcesRequest,
    "resourceTemplates": types.ListResourceTemplatesRequest,
    "prompts": types.ListPromptsRequest,
}


class Session:
    """The requests that one server takes. Every one of them is bounded and ends in JSON or in an `errors.HostError`.

    `timeout` is in seconds. `explain` gives the transport's own reason for an error, where it has one. `note` keeps a
    line for each request: what it was, how it ended, and how long it took; never what was in it.
    """

    def __init__(
        self,
        server: str,
        session: ClientSession,
        *,
        timeout: float,
        clock: RequestClock,
        explain: Callable[[Exception], Awaitable[HostError | None]],
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.server = server
        self._session = session
        self._timeout = timeout
        self._clock = clock
        self._explain = explain
        self._note = note
        self._log_level: str | None = None

    @property
    def modern(self) -> bool:
        """Whether the session speaks 2026-07-28 or later: stateless, without a handshake."""
        return self._session.discover_result is not None

    @property
    def protocol_version(self) -> str:
        """The negotiated revision."""
        return self._session.protocol_version or ""

    @cached_property
    def server_info(self) -> JsonObject | None:
        """What the server calls itself; never used to tell servers apart."""
        info = self._session.server_info
        return info.model_dump(by_alias=True, mode="json", exclude_none=True) if info else None

    @property
    def instructions(self) -> str | None:
        """The server's own instructions."""
        return self._session.instructions or None

    @cached_property
    def capabilities(self) -> list[str]:
        """What the server offers, sorted: `tools`, `resources`, `resources.subscribe`, `prompts`, ..."""
        found = self._session.server_capabilities
        given = found.model_dump(by_alias=True, mode="json", exclude_none=True) if found else {}
        names: list[str] = []
        for name, value in given.items():
            names.append(name)
            if isinstance(value, dict):
                names += [f"{name}.{flag}" for flag, on in cast(JsonObject, value).items() if on is True]
        return sorted(names)

    async def list_page(self, kind: ListKind, cursor: str | None) -> tuple[list[JsonObject], str | None]:
        """One page of a list, and the cursor of the next one; the empty string is a cursor too."""
        params = types.PaginatedRequestParams(cursor=cursor)
        if kind == "tools" and self.modern:
            # The session itself must see the tools: it mirrors `x-mcp-header` arguments into HTTP headers.
            page = await self._bounded("tools/list", lambda _: self._session.list_tools(params=params))
            dumped = [tool.model_dump(by_alias=True, mode="json", exclude_unset=True) for tool in page.tools]
            return dumped, page.next_cursor
        result = await self._send(_LISTS[kind](params=params))
        return result.get(kind) or [], result.get("nextCursor")

    async def call_tool(
        self, name: str, arguments: JsonObject, *, on_progress: Progress | None = None, timeout: float | None = None
    ) -> JsonObject:
        """Call a tool by the server's own name. `arguments` go out as they are; nothing is ever sent twice."""

        def request(more: JsonObject) -> types.CallToolRequest:
            params = types.CallToolRequestParams(name=name, arguments=arguments, _meta=self._meta(), **more)
            return types.CallToolRequest(params=params)

        return await self._drive("tools/call", request, on_progress or _ignore, timeout, tool=name)

    async def read_resource(self, uri: str, *, on_progress: Progress | None = None) -> JsonObject:
        """Read a resource; `uri` goes out byte for byte."""

        def request(more: JsonObject) -> types.ReadResourceRequest:
            return types.ReadResourceRequest(params=types.ReadResourceRequestParams(uri=uri, **more))

        return await self._drive("resources/read", request, on_progress)

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> JsonObject:
        """Get a prompt, filled in."""

        def request(more: JsonObject) -> types.GetPromptRequest:
            return types.GetPromptRequest(params=types.GetPromptRequestParams(name=name, arguments=arguments, **more))

        return await self._drive("prompts/get", request)

    async def complete(self, ref: JsonObject, argument: JsonObject, context: dict[str, str] | None) -> JsonObject:
        """Values for an argument: `ref` is `{"type": "ref/prompt", "name"}` or `{"type": "ref/resource", "uri"}`."""
        params = {"ref": ref, "argument": argument, **({"context": {"arguments": context}} if context else {})}
        request = types.CompleteRequest.model_validate({"method": "completion/complete", "params": params})
        return await self._send(request)

    async def subscribe(self, uri: str, on: bool) -> None:
        """Subscribe to a resource, or no longer, in the older revisions (see `listen` for the newer)."""
        request = (
            types.SubscribeRequest(params=types.SubscribeRequestParams(uri=uri))
            if on
            else types.UnsubscribeRequest(params=types.UnsubscribeRequestParams(uri=uri))
        )
        await self._send(request)

    async def set_log_level(self, level: str) -> None:
        """Ask for log messages from `level` on: by request in the older revisions, with each request in the newer."""
        self._log_level = level
        if not self.modern:
            params = types.SetLevelRequestParams.model_validate({"level": level})
            await self._send(types.SetLevelRequest(params=params))

    async def follow(self, uris: list[str]) -> None:
        """Hold the newer revisions' stream of change notifications open, until the server ends it or it is lost.

        The notifications themselves reach the house as those of the older revisions do. Raises `errors.ServerError`
        where the server has no such stream.
        """
        try:
            async with listen(
                self._session,
                tools_list_changed=True,
                prompts_list_changed=True,
                resources_list_changed=True,
                resource_subscriptions=uris,
            ) as events:
                async for _ in events:
                    pass
        except (SubscriptionLost, TimeoutError):
            return
        except MCPError as error:
            if error.code == types.CONNECTION_CLOSED:
                return
            raise await self._in_our_words(error, None) from None

    async def roots_changed(self) -> None:
        """Tell an older server that the workspace folders are others; newer ones ask when they want to know."""
        if not self.modern:
            await self._session.send_notification(types.RootsListChangedNotification())

    def _meta(self) -> Any:
        return {LOG_LEVEL_META: self._log_level} if self._log_level and self.modern else None

    async def _send(self, request: types.Request[Any, Any]) -> JsonObject:
        return await self._bounded(request.method, lambda _: self._session.send_request(request, RAW, HARD_LIMIT))

    async def _drive(
        self,
        method: str,
        request: Callable[[JsonObject], types.Request[Any, Any]],
        on_progress: Progress | None = None,
        timeout: float | None = None,
        *,
        tool: str | None = None,
    ) -> JsonObject:
        """Send a request, and answer the server's questions about it until it has a result."""

        async def rounds(bound: Bound) -> JsonObject:
            async def progress(done: float, total: float | None, message: str | None) -> None:
                bound.extend()
                if on_progress is not None:
                    on_progress(done, total, message)

            callback = progress if on_progress is not None else None
            more: JsonObject = {}
            for left in reversed(range(MAX_ROUNDS + 1)):
                result = await self._round(request(more), callback, tool)
                if result.get("resultType") != "input_required":
                    return result
                if left:
                    more = await self._answers(result)
            raise Protocol(f"asked for more input {MAX_ROUNDS} times in a row, and was given up on.", tool=tool)

        return await self._bounded(f"{method} {tool}" if tool else method, rounds, timeout, tool=tool)

    async def _round(self, request: types.Request[Any, Any], callback: Any, tool: str | None) -> JsonObject:
        try:
            return await self._session.send_request(request, RAW, HARD_LIMIT, progress_callback=callback)
        except MCPError as error:
            if error.code != types.HEADER_MISMATCH or tool is None or not self.modern:
                raise
        # The server refused the call unread, for its headers: the tool's schema is another one by now.
        await self._session.list_tools()
        return await self._session.send_request(request, RAW, HARD_LIMIT, progress_callback=callback)

    async def _answers(self, result: JsonObject) -> JsonObject:
        asked = types.InputRequiredResult.model_validate(result, by_name=False)
        responses: dict[str, Any] = {}
        for key, question in (asked.input_requests or {}).items():
            meta = question.params.meta if question.params else None
            context = ClientRequestContext(session=self._session, request_id=key, meta=meta)
            answer = await self._session.dispatch_input_request(context, question)
            if isinstance(answer, types.ErrorData):
                raise MCPError.from_error_data(answer)
            responses[key] = answer
        return {"input_responses": responses or None, "request_state": asked.request_state}

    async def _bounded(
        self, label: str, work: Callable[[Bound], Any], timeout: float | None = None, *, tool: str | None = None
    ) -> Any:
        seconds = timeout if timeout is not None else self._timeout
        began, outcome = monotonic(), "no answer"
        with self._clock.bound(seconds) as bound:
            try:
                found = await work(bound)
                outcome = "answered"
                return found
            except HostError as error:
                error.server = error.server or self.server
                outcome = error.kind
                raise
            except Exception as error:  # noqa: BLE001 - every failure of a request is told in our words
                ours = await self._in_our_words(error, tool)
                outcome = ours.kind
                raise ours from None
            finally:
                self._note(f"{label}: {outcome} after {1000 * (monotonic() - began):.0f} ms")
        raise Timeout(
            f"did not answer within {seconds:g} s.",
            server=self.server,
            tool=tool,
            setting="timeout",
            hint='Raise "timeout" (milliseconds) of this server in its config file if it needs longer.',
            may_have_taken_effect=tool is not None,
        )

    async def _in_our_words(self, error: Exception, tool: str | None) -> HostError:
        known = await self._explain(error)
        if known is not None:
            known.server, known.tool = known.server or self.server, tool
            unanswered = not isinstance(known, ServerError)
            known.may_have_taken_effect = known.may_have_taken_effect or (tool is not None and unanswered)
            return known
        if isinstance(error, MCPError):
            if error.code == types.REQUEST_TIMEOUT:
                message = f"did not answer within {HARD_LIMIT:g} s."
                return Timeout(message, server=self.server, tool=tool, may_have_taken_effect=tool is not None)
            if error.code == types.CONNECTION_CLOSED:
                message = "the connection was closed."
                return Transport(message, server=self.server, tool=tool, may_have_taken_effect=tool is not None)
            said = one_line(error.message or "", 500) or f"error {error.code}"
            message = f"answered with an error: {said}"
            return ServerError(message, server=self.server, tool=tool, server_code=error.code)
        if isinstance(error, ValidationError):
            where = ".".join(str(part) for part in error.errors()[0]["loc"]) if error.error_count() else "?"
            return Protocol(f"answered something that is not MCP (at `{where}`).", server=self.server, tool=tool)
        return Protocol(f"the request failed ({type(error).__name__}).", server=self.server, tool=tool)


def _ignore(done: float, total: float | None, message: str | None) -> None:
    """A call always asks for progress: it keeps a working server from timing out."""

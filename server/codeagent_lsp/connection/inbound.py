"""What a server may ask and tell us: its requests and notifications, turned into plain JSON for the house."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.client.session import ClientRequestContext

from codeagent_lsp.connection.clock import RequestClock
from codeagent_lsp.connection.house import House
from codeagent_lsp.protocol import JsonObject

_LEVELS = {"notice": "info", "critical": "error", "alert": "error", "emergency": "error"}


class Inbound:
    """The callbacks of one session. What is not wired here is not declared to the server, hence never asked."""

    def __init__(self, server: str, house: House, clock: RequestClock) -> None:
        self._server = server
        self._house = house
        self._clock = clock

    def callbacks(self) -> dict[str, Any]:
        """The keyword arguments of `ClientSession` that say what this host can do."""
        hooks = self._house.hooks
        found: dict[str, Any] = {"list_roots_callback": self._roots, "message_handler": self._notified}
        found["logging_callback"] = self._logged
        if hooks.elicit is not None:
            found["elicitation_callback"] = self._asking(hooks.elicit, types.ElicitResult)
        if hooks.sample is not None:
            found["sampling_callback"] = self._asking(hooks.sample, types.CreateMessageResult)
        return found

    async def _roots(self, _context: ClientRequestContext) -> types.ListRootsResult:
        roots = self._house.hooks.roots(self._server)
        return types.ListRootsResult.model_validate({"roots": roots})

    def _asking(self, ask: Callable[[str, JsonObject], Awaitable[JsonObject]], result: type[Any]) -> Any:
        async def callback(_context: ClientRequestContext, params: Any) -> Any:
            question = params.model_dump(by_alias=True, mode="json", exclude_none=True)
            try:
                with self._clock.paused():
                    return result.model_validate(await ask(self._server, question))
            except Exception as error:  # noqa: BLE001 - the server must get an answer, and no detail of ours
                self._house.journal.add(self._server, "host", "warning", f"a question went unanswered: {error!r}")
                return types.ErrorData(code=types.INTERNAL_ERROR, message="The question could not be answered")

        return callback

    async def _logged(self, params: types.LoggingMessageNotificationParams) -> None:
        said = params.data if isinstance(params.data, str) else _compact(params.data)
        text = f"[{params.logger}] {said}" if params.logger else said
        self._house.journal.add(self._server, "server", _LEVELS.get(params.level, params.level), text)

    async def _notified(self, message: Any) -> None:
        """Mark what has changed; never waits, since every notification is a task of its own."""
        hooks = self._house.hooks
        match message:
            case types.ToolListChangedNotification():
                hooks.list_changed(self._server, "tools")
            case types.ResourceListChangedNotification():
                hooks.list_changed(self._server, "resources")
            case types.PromptListChangedNotification():
                hooks.list_changed(self._server, "prompts")
            case types.ResourceUpdatedNotification(params=params):
                hooks.resource_updated(self._server, str(params.uri))
            case _:
                pass


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)

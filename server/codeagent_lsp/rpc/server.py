"""The language server object that handlers are registered with."""

import logging
from collections.abc import Callable
from typing import Any, Literal, cast

from pygls.lsp.server import LanguageServer

from codeagent_lsp.rpc.incoming import Handler
from codeagent_lsp.rpc.protocol import HostProtocol

log = logging.getLogger(__name__)

PositionEncoding = Literal["utf-8", "utf-16", "utf-32"]


class HostServer(LanguageServer):
    """pygls's server on our protocol object. Run it with `serve`, never with `start_io`.

    The hooks of its life are features like any other: `initialize` (called with the params before the answer),
    `initialized`, `shutdown`.
    """

    protocol: HostProtocol  # pyright: ignore[reportIncompatibleVariableOverride]

    def __init__(self, name: str, version: str) -> None:
        super().__init__(name, version, protocol_cls=HostProtocol)  # pyright: ignore[reportUnknownMemberType]

    def add_command(self, name: str, handler: Callable[[Any, int | str | None], Any]) -> None:
        """Register the handler of a command: `(params, work_done_token)` to the result, plain or async."""
        self.protocol.commands[name] = handler

    def feature(self, feature_name: str, options: Any | None = None) -> Callable[[Handler], Handler]:
        """Register the handler of a method, called with the params alone; bound methods too.

        pygls by itself cannot register bound methods, and passes the server to any handler whose first parameter is
        called `ls` or annotated with a class of the server's, `object` included.
        """
        register = super().feature(feature_name, options)

        def mark(handler: Handler) -> Handler:
            def call(*params: Any) -> Any:
                return handler(*params)

            register(call)
            return handler

        return mark

    @property
    def position_encoding(self) -> PositionEncoding:
        """The unit of `character` in a position: the first of the client's that is known, else UTF-16."""
        encoding = self.workspace.position_encoding
        return cast(PositionEncoding, str(getattr(encoding, "value", encoding)))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Into the log, and never as a pop-up."""
        log.error("pygls reports: %s", error)

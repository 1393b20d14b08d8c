"""What the house wants of one server: the entry, whether it may start, and how to get a ticket for a launch."""

from collections.abc import Callable

from attrs import frozen

from codeagent_lsp.config.entry import Entry
from codeagent_lsp.policy.trust import LaunchTicket
from codeagent_lsp.protocol import ServerError, State


@frozen
class Wanted:
    """One server as it shall be. Two wants with the same `key` and `idle` are served by the same process.

    `key` is a digest of everything that would be started. `idle` is the state of a server that shall not run now
    (`disabled`, `untrusted`, `failed`, `stopped`), or `None`. `ticket` passes the gate anew at every launch and
    raises `errors.HostError` where the gate says no.
    """

    server: str
    entry: Entry
    key: str
    ticket: Callable[[], LaunchTicket]
    idle: State | None = None
    detail: str | None = None
    error: ServerError | None = None

    @property
    def on_demand(self) -> bool:
        """Whether the first call or read starts the server."""
        return self.entry.autostart == "onDemand"

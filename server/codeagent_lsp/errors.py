"""Every way in which a request can fail, as the user is told it.

    HostError
     ├─ CallError              the call's words are off (LSP -32602)
     │   ├─ InvalidParams · UnknownServer · UnknownTool · UnknownResource · UnknownPrompt
     └─ WorkError              the work failed (LSP -32803)
         ├─ Untrusted · Denied · Disabled · NotReady · NeedsAuth        nothing was sent
         ├─ Timeout · Exited · SpawnFailed · Protocol · Transport · TooLarge · ServerError
         └─ Stale                                                      what was asked for has changed meanwhile

A message begins with the server's id where there is one, says what to do next, and carries no secret.
"""

from typing import Any, ClassVar

INVALID_PARAMS = -32602
REQUEST_FAILED = -32803


class HostError(Exception):
    """A failure with everything that the wire says about it.

    `message` is for a person. `server` and `tool` say where; `hint` what to do; `setting` which setting moves the
    bound that was hit; `may_have_taken_effect` is true where a call had already been sent.
    """

    kind: ClassVar[str] = "serverError"
    code: ClassVar[int] = REQUEST_FAILED

    def __init__(
        self,
        message: str,
        *,
        server: str | None = None,
        tool: str | None = None,
        hint: str | None = None,
        setting: str | None = None,
        may_have_taken_effect: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.server = server
        self.tool = tool
        self.hint = hint
        self.setting = setting
        self.may_have_taken_effect = may_have_taken_effect

    def text(self) -> str:
        """The message as a person reads it: with the server's id in front, and the hint behind."""
        head = f"{self.server}: " if self.server and not self.message.startswith(f"{self.server}: ") else ""
        tail = f" {self.hint}" if self.hint and self.hint not in self.message else ""
        return f"{head}{self.message}{tail}"

    def data(self) -> dict[str, Any]:
        """The `data` of the LSP error."""
        out: dict[str, Any] = {"kind": self.kind}
        for key, value in (
            ("server", self.server),
            ("tool", self.tool),
            ("hint", self.hint),
            ("setting", self.setting),
            ("mayHaveTakenEffect", self.may_have_taken_effect or None),
        ):
            if value is not None:
                out[key] = value
        return out


class CallError(HostError):
    """The words of the call are off: nothing was done."""

    code = INVALID_PARAMS
    kind = "invalidParams"


class InvalidParams(CallError):
    """The params have the wrong shape."""


class UnknownServer(CallError):
    """No server has this id."""

    kind = "unknownServer"


class UnknownTool(CallError):
    """No tool has this name."""

    kind = "unknownTool"


class UnknownResource(CallError):
    """The server has no such resource."""

    kind = "unknownResource"


class UnknownPrompt(CallError):
    """The server has no such prompt."""

    kind = "unknownPrompt"


class WorkError(HostError):
    """The words were right, and the work failed."""


class Untrusted(WorkError):
    """The user has not approved this server's launch."""

    kind = "untrusted"


class Denied(WorkError):
    """The user, or the policy, said no to this call."""

    kind = "denied"


class Disabled(WorkError):
    """The server or the tool is switched off."""

    kind = "disabled"


class NotReady(WorkError):
    """The server is not up."""

    kind = "notReady"


class NeedsAuth(WorkError):
    """The server wants the user to sign in."""

    kind = "needsAuth"


class Timeout(WorkError):
    """A bound was reached; `setting` names it."""

    kind = "timeout"


class Exited(WorkError):
    """The server's process ended.

    `exit_code` is negative for a signal; `stderr_tail` holds the last lines of its standard error.
    """

    kind = "exited"

    def __init__(
        self, message: str, *, exit_code: int | None = None, stderr_tail: list[str] | None = None, **more: Any
    ) -> None:
        super().__init__(message, **more)
        self.exit_code = exit_code
        self.stderr_tail = stderr_tail or []


class SpawnFailed(WorkError):
    """The server's process could not be started at all."""

    kind = "spawnFailed"


class Protocol(WorkError):
    """The server answered something that is not MCP."""

    kind = "protocol"


class Transport(WorkError):
    """The server could not be reached, or the connection broke.

    `status` is the HTTP status where there was one. `final`: trying again does not help.
    """

    kind = "transport"

    def __init__(self, message: str, *, status: int | None = None, final: bool = False, **more: Any) -> None:
        super().__init__(message, **more)
        self.status = status
        self.final = final


class SessionLost(Transport):
    """A remote server has forgotten the session; a new one is being opened."""


class TooLarge(WorkError):
    """An answer was larger than what is read."""

    kind = "tooLarge"


class ServerError(WorkError):
    """The server answered with an error of its own; `server_code` is its JSON-RPC code."""

    kind = "serverError"

    def __init__(self, message: str, *, server_code: int | None = None, **more: Any) -> None:
        super().__init__(message, **more)
        self.server_code = server_code


class Stale(WorkError):
    """What was asked for has changed meanwhile."""

    kind = "stale"

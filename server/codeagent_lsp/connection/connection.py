"""One MCP server: its state, and the one task that owns its session from launch to end."""

import logging
import math
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import anyio

from codeagent_lsp.config.launch import Launch, with_env_file
from codeagent_lsp.connection.backoff import STABLE_AFTER, Backoff
from codeagent_lsp.connection.house import Era, House, OpenTransport
from codeagent_lsp.connection.signals import EXIT_STATUS_WAIT, Flag, Lost, StartSlot, first_of, unwrapped
from codeagent_lsp.connection.wanted import Wanted
from codeagent_lsp.errors import Exited, HostError, NeedsAuth, NotReady, Protocol, SessionLost, Timeout, Untrusted
from codeagent_lsp.protocol import ServerError, State
from codeagent_lsp.text import one_line

if TYPE_CHECKING:
    from codeagent_lsp.connection.session import Session

log = logging.getLogger(__name__)

FIRST_LISTS = 10.0
"""Seconds that `ready` waits for the first lists; later ones go on arriving afterwards."""


class Connection:
    """One server as it is wanted. Only `run` opens and closes its session; every other method only asks it to.

    `predecessor` is the connection that this one replaces: it has to be gone before this one starts.
    """

    def __init__(self, wanted: Wanted, house: House, predecessor: "Connection | None" = None) -> None:
        self.wanted = wanted
        self.server = wanted.server
        self.house = house
        self.state: State = wanted.idle or ("stopped" if wanted.on_demand else "starting")
        self.detail = wanted.detail or ("starts on first use" if wanted.on_demand and not wanted.idle else None)
        self.error: ServerError | None = wanted.error
        self.failure: HostError | None = None
        self.session: Session | None = None
        self.transport: OpenTransport | None = None
        self.started_at: str | None = None
        self.next_retry_at: str | None = None
        self.restarts = 0
        self.ended = anyio.Event()
        self._predecessor = predecessor
        self._moved = anyio.Event()
        self._stop = Flag()
        self._poke = Flag()
        self._scope: anyio.CancelScope | None = None
        self._probing = False
        self._failed_to_start = False
        self._forced_era: Era | None = None
        self._lost = Lost()

    # -- what others may ask ---------------------------------------------------------------------------------------

    def stop(self) -> None:
        """End the session and the process; `ended` tells when they are gone. Requests under way are told so."""
        self._stop.set()
        self._lost.set(NotReady("was stopped while the request was running.", server=self.server))
        if self._scope is not None and self.session is None:
            self._scope.cancel()

    def adopt(self, wanted: Wanted) -> None:
        """Take over an entry that differs in nothing that was started: timeouts, filters, texts."""
        changed = (wanted.detail, wanted.error) != (self.wanted.detail, self.wanted.error)
        self.wanted = wanted
        if changed and wanted.idle is not None:
            self._set(wanted.idle, detail=wanted.detail, error=wanted.error)

    def poke(self) -> None:
        """Start now: what waits for its first use, or for its next retry, waits no longer."""
        if not self._stop.is_set() and not self.ended.is_set():
            self._poke.set()
            self._failed_to_start = False
            if self.state == "stopped" or self.next_retry_at is not None:
                self._set("starting")

    @property
    def sleeping(self) -> bool:
        """Whether the first use will start the server."""
        return self.wanted.idle is None and self.wanted.on_demand and self.state == "stopped" and not self.stopping

    @property
    def stopping(self) -> bool:
        """Whether the server was told to stop."""
        return self._stop.is_set()

    @property
    def coming_up(self) -> bool:
        """Whether it is worth waiting for the server: not while it only tries again what has failed already."""
        return self.state == "starting" and not self._failed_to_start

    async def settled(self, seconds: float) -> bool:
        """Wait until the server is up, or known not to come up soon; false if that took longer than `seconds`."""
        with anyio.move_on_after(seconds):
            while self.coming_up or self._leaving:
                await self._moved.wait()
            return True
        return False

    async def left(self, session: "Session", seconds: float) -> None:
        """Wait until a session that is lost has been put away."""
        with anyio.move_on_after(seconds):
            while self.session is session or self._leaving:
                await self._moved.wait()

    @property
    def _leaving(self) -> bool:
        """Whether a session has just been lost, and what comes of that is not known yet."""
        return self.state == "ready" and self.session is None

    # -- the one task ----------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Own the server until it is told to stop or has failed for good. Never raises, short of cancellation."""
        try:
            if self._predecessor is not None:
                await self._predecessor.ended.wait()
                self._predecessor = None
            if self.wanted.idle is None:
                await self._keep_up()
        except Exception:
            log.exception("the task of server %s failed", self.server)
            self._fail(NotReady("an internal error ended this server's task; see the host's log.", server=self.server))
        finally:
            self.ended.set()

    async def _keep_up(self) -> None:
        if self.wanted.on_demand:
            await first_of(self._stop, self._poke)
        backoff = Backoff(remote=self.wanted.entry.transport != "stdio", clock=self.house.clock)
        while not self._stop.is_set():
            self._poke = Flag()
            born = self.house.clock()
            failure = await self._live_once()
            if failure is None or self._stop.is_set():
                break
            if self._probe_was_fatal(failure):
                self._forced_era = "legacy"
                backoff.note_crash()
                continue
            lived = self.house.clock() - born
            if isinstance(failure, SessionLost) and self.state == "ready":
                backoff.note_crash()
                continue
            delay = backoff.after(failure, lived, came_up=self.state == "ready")
            if delay is None:
                self._fail(failure, f"gave up after {self.restarts + 1} starts" if backoff.exhausted else None)
                return
            await self._wait_for_retry(failure, delay, lived)
        self._set("stopped")

    async def _wait_for_retry(self, failure: HostError, delay: float, lived: float) -> None:
        if lived >= STABLE_AFTER:
            self.restarts = 0
        self._failed_to_start = self.state == "starting"
        self.next_retry_at = _timestamp(self.house.now() + delay)
        self._fail(failure, f"starts again in {delay:.1f} s")
        with anyio.move_on_after(delay):
            await first_of(self._stop, self._poke)
        self.next_retry_at = None
        self.restarts += 1

    async def _live_once(self) -> HostError | None:
        """Launch, serve until something ends it, and clean up. Returns why it ended, `None` if it was told to."""
        self._set("starting", error=self.error if self._failed_to_start else None)
        self._lost = lost = Lost()
        with anyio.CancelScope() as self._scope:
            try:
                return await self._launch_and_serve(self._scope, lost)
            except Exception as error:  # noqa: BLE001 - whatever it was, it is this server's failure and nobody else's
                return await self._reason(error, lost)
            finally:
                self.session = self.transport = None
        return None if self._stop.is_set() else self._too_slow()

    async def _launch_and_serve(self, scope: anyio.CancelScope, lost: Lost) -> HostError | None:
        async with StartSlot(self.house.starting) as slot, AsyncExitStack() as stack:
            ticket = self.wanted.ticket()
            launch = with_env_file(ticket.redeem())
            scope.deadline = anyio.current_time() + self.wanted.entry.start_timeout_ms / 1000
            self.started_at = _timestamp(self.house.now())
            self.house.opening.begin()  # `mcp` costs half a second to import: that goes on while the child starts
            transport = await self._spawn(stack, launch, lost, older=False)
            opening = await self.house.opening.module()
            self._probing, era = self._era(ticket.fingerprint)
            enter = partial(opening.enter_session, stack, server=self.server, house=self.house, era=era, lost=lost)
            enter = partial(enter, timeout=self.wanted.entry.timeout_ms / 1000)
            try:
                session, spoken = await enter(transport)
            except Exception:
                if not transport.older:
                    raise
                session, spoken = await enter(await self._spawn(stack, launch, lost, older=True))
            scope.deadline = math.inf
            slot.leave()
            self._probing = False
            self.house.eras.learn_era(ticket.fingerprint, spoken)
            return await self._serve(session, lost)

    async def _spawn(self, stack: AsyncExitStack, launch: Launch, lost: Lost, *, older: bool) -> OpenTransport:
        self.transport = self.house.open_transport(launch, lost.set, older)
        stack.push_async_callback(self.transport.close)  # whatever happens before its streams are entered
        await self.transport.spawn()
        self._announce()
        return self.transport

    async def _serve(self, session: "Session", lost: Lost) -> HostError | None:
        """Let the house attend to the session until it is lost or to be stopped."""
        async with anyio.create_task_group() as tasks:
            self.session = session
            lists_in = Flag()
            tasks.start_soon(self.house.hooks.attend, self, session, lists_in)
            with anyio.move_on_after(FIRST_LISTS):
                await first_of(lists_in, self._stop, lost.event)
            if not lost.event.is_set() and not self._stop.is_set():
                self._failed_to_start = False
                self._set("ready")
            await first_of(self._stop, lost.event)
            self.session = None
            tasks.cancel_scope.cancel()
        return None if self._stop.is_set() else lost.failure

    def _era(self, fingerprint: str) -> tuple[bool, Era | None]:
        """Whether the era is only guessed at, and which one to open the session in (`None`: find out)."""
        protocol = self.wanted.entry.protocol
        if protocol != "auto":
            return False, protocol
        known = self._forced_era or self.house.eras.era(fingerprint)
        return known != "legacy", "legacy" if known == "legacy" else None

    def _probe_was_fatal(self, failure: HostError) -> bool:
        """Whether the process died of the newer revision's probe, as some older servers do."""
        return self._probing and self._forced_era is None and isinstance(failure, Exited)

    async def _reason(self, error: Exception, lost: Lost) -> HostError:
        """Why a launch failed, in our words: the transport's word counts more than what the session saw of it."""
        error = unwrapped(error)
        if not isinstance(error, HostError):
            with anyio.move_on_after(EXIT_STATUS_WAIT):
                await lost.event.wait()
            if lost.failure is None and self.transport is not None:
                lost.failure = self.transport.explain(error)
        if lost.failure is not None:
            return lost.failure
        if isinstance(error, HostError):
            return error
        log.debug("server %s failed", self.server, exc_info=error)
        said = one_line(str(error) or type(error).__name__)
        return Protocol(f"could not be connected: {said}", server=self.server)

    def _too_slow(self) -> HostError:
        seconds = self.wanted.entry.start_timeout_ms / 1000
        return Timeout(
            f"was not ready within {seconds:g} s: no answer to `initialize`.",
            server=self.server,
            setting="startTimeout",
            hint='If it needs longer, raise "startTimeout" (milliseconds) of this server in its config file.',
        )

    # -- state -----------------------------------------------------------------------------------------------------

    def _set(self, state: State, *, detail: str | None = None, error: ServerError | None = None) -> None:
        """The one place where the state changes, and is announced."""
        self.state, self.detail, self.error = state, detail, error
        if error is None:
            self.failure = None
        self._announce()

    def _announce(self) -> None:
        self._moved.set()
        self._moved = anyio.Event()
        self.house.hooks.changed(self)

    def _fail(self, failure: HostError, detail: str | None = None) -> None:
        failure.server = failure.server or self.server
        error = ServerError(
            kind=failure.kind,
            message=failure.message,
            hint=failure.hint,
            exit_code=failure.exit_code if isinstance(failure, Exited) else None,
            stderr_tail=(failure.stderr_tail or None) if isinstance(failure, Exited) else None,
        )
        states: dict[type[HostError], State] = {NeedsAuth: "needsAuth", Untrusted: "untrusted"}
        self._set(states.get(type(failure), "failed"), detail=detail, error=error)
        self.failure = failure
        self.house.journal.add(self.server, "host", "error", failure.text())


def _timestamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

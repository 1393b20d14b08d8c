"""Whatever is wanted, in any order, and whatever the servers do: the states follow each other as they may, a server has
at most one process, none without a ticket of its own, and in the end what is wanted is up."""

import asyncio
import json
import selectors
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import anyio
import anyio.to_thread
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from codeagent_lsp.config.document import parse
from codeagent_lsp.config.entries import Entry, read_entries
from codeagent_lsp.config.launch import Launch, prepare
from codeagent_lsp.config.variables import Lookup
from codeagent_lsp.connection.connection import Connection
from codeagent_lsp.connection.house import Hooks, House
from codeagent_lsp.connection.signals import Flag
from codeagent_lsp.connection.wanted import Wanted
from codeagent_lsp.errors import Exited, HostError, SpawnFailed, Transport, Untrusted
from codeagent_lsp.journal import Journal
from codeagent_lsp.manager import Manager
from codeagent_lsp.redaction import Redactor
from codeagent_lsp.transport.dispatcher import Dispatcher
from codeagent_lsp.transport.reaper import Reaper

NAMES = ("a", "b", "c")
NEXT: dict[str, set[str]] = {
    "starting": {"starting", "ready", "failed", "stopped", "untrusted"},
    "ready": {"ready", "starting", "failed", "stopped"},
    "failed": {"failed", "starting", "stopped"},
    "stopped": {"stopped", "starting"},
    "untrusted": {"untrusted"},
    "disabled": {"disabled"},
}
"""Which state may follow which, in the life of one connection."""


class VirtualClock(selectors.DefaultSelector):
    """Lets a loop wait for real events, and never for time: that passes only when a test says so."""

    def select(self, timeout: float | None = None) -> Any:
        return super().select(0.0005 if timeout is None or timeout > 0 else 0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop with a clock that stands still."""

    def __init__(self) -> None:
        self.now = 1000.0
        super().__init__(VirtualClock())

    def time(self) -> float:
        return self.now


class World:
    """What the servers will do, and what was done to them."""

    def __init__(self) -> None:
        self.behaviour = dict.fromkeys(NAMES, "fine")
        self.trusted = True
        self.tickets = dict.fromkeys(NAMES, 0)
        self.launched = dict.fromkeys(NAMES, 0)
        self.open: dict[str, set[FakeTransport]] = {name: set() for name in NAMES}
        self.worst = 0


class FakeTransport:
    """A transport without a process, on the seam `House.open_transport`."""

    kind, older, pid = "stdio", False, None

    def __init__(self, world: World, launch: Launch, on_lost: Any) -> None:
        self.world, self.server, self.on_lost = world, launch.server, on_lost
        self.line: Dispatcher | None = None

    async def spawn(self) -> None:
        await asyncio.sleep(0)
        if self.world.behaviour[self.server] == "missing":
            raise SpawnFailed("is not there.", server=self.server)
        self.world.launched[self.server] += 1
        self.world.open[self.server].add(self)
        self.world.worst = max(self.world.worst, len(self.world.open[self.server]))

    async def write(self, message: dict[str, Any]) -> None:
        behaviour, number = self.world.behaviour[self.server], message.get("id")
        if number is None or behaviour == "silent" or self.line is None:
            return
        if message["method"] == "initialize" and behaviour != "refusing":
            server = {"name": self.server, "version": "1"}
            answer = {"result": {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": server}}
        else:
            answer = {"error": {"code": -32601, "message": "Method not found"}}
        asyncio.get_running_loop().call_soon(self.line.receive, {"jsonrpc": "2.0", "id": number, **answer})

    @asynccontextmanager
    async def dispatcher(self) -> Any:
        self.line = Dispatcher(self.write)
        try:
            yield self.line
        finally:
            await self.close()

    def lose(self, error: HostError) -> None:
        self.world.open[self.server].discard(self)
        if self.line is not None:
            self.line.close()
        self.on_lost(error)

    async def close(self) -> None:
        with anyio.CancelScope(shield=True):
            await asyncio.sleep(0)  # a process takes its time
        self.world.open[self.server].discard(self)

    def explain(self, error: Exception) -> HostError | None:
        return None


class Ticket:
    """A ticket for one launch."""

    fingerprint = "f"

    def __init__(self, world: World, launch: Launch) -> None:
        self._world, self._launch = world, launch
        self._used = False

    def redeem(self) -> Launch:
        assert not self._used
        self._used = True
        self._world.tickets[self._launch.server] += 1
        return self._launch


def entry_and_launch(server: str, on_demand: bool) -> tuple[Entry, Launch]:
    autostart = "onDemand" if on_demand else True
    text = json.dumps(
        {"mcpServers": {server: {"command": sys.executable, "autostart": autostart, "startTimeout": 5000}}}
    )
    (entry,), _ = read_entries(parse(text), "user", None, Path("mcp.json"), "mcpServers")
    assert isinstance(entry, Entry)
    return entry, prepare(server, entry, Lookup(environment={"PATH": "/usr/bin:/bin"}, folder=None, home=Path("/")))


class Lifecycle(RuleBasedStateMachine):
    """The manager under every order of wishes and accidents."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = VirtualLoop()
        self.world = World()
        self.seen: dict[Connection, str] = {}
        self.broken: list[str] = []
        self.loop.set_exception_handler(lambda _, context: self.broken.append(str(context)))
        self.wants: dict[str, Wanted] = {}
        self.manager: Manager = cast(Any, None)
        self.running: asyncio.Task[None] = cast(Any, None)

    def turn(self, turns: int = 30) -> None:
        """Let the loop do what there is to do now."""

        async def idle() -> None:
            for _ in range(turns):
                await asyncio.sleep(0)

        self.loop.run_until_complete(idle())

    def _changed(self, connection: Connection) -> None:
        before, now = self.seen.get(connection), connection.state
        if before is not None and now not in NEXT[before]:
            self.broken.append(f"{connection.server}: {before} -> {now}")
        self.seen[connection] = now

    async def _attend(self, _connection: Connection, _session: Any, lists_in: Flag) -> None:
        lists_in.set()
        await anyio.sleep_forever()

    @initialize()
    def house(self) -> None:
        hooks = Hooks(self._changed, self._attend, lambda *_: None, lambda *_: None, lambda _: [])
        journal = Journal(Redactor())
        eras = SimpleNamespace(era=lambda _: None, learn_era=lambda *_: None)

        async def build() -> Manager:
            return Manager(
                House(
                    journal=journal,
                    reaper=cast(Reaper, None),
                    hooks=hooks,
                    eras=eras,
                    open_transport=lambda launch, lost, _older: cast(Any, FakeTransport(self.world, launch, lost)),
                    starting=anyio.Semaphore(2),
                    clock=self.loop.time,
                    now=self.loop.time,
                )
            )

        self.manager = self.loop.run_until_complete(build())
        self.running = self.loop.create_task(self.manager.run())
        self.turn()

    def _want(self, name: str, version: int, idle: Any, on_demand: bool) -> Wanted:
        entry, launch = entry_and_launch(name, on_demand)

        def ticket() -> Any:
            if not self.world.trusted:
                raise Untrusted("is not trusted.", server=name)
            return Ticket(self.world, launch)

        return Wanted(name, entry, f"{name}{version}{on_demand}", ticket, idle)

    def _apply(self, **more: Any) -> None:
        async def apply() -> None:
            self.manager.apply(self.wants.values(), **more)

        self.loop.run_until_complete(apply())

    @rule(
        name=st.sampled_from(NAMES),
        version=st.integers(0, 1),
        idle=st.sampled_from([None, None, None, "disabled", "untrusted"]),
        on_demand=st.booleans(),
    )
    def want(self, name: str, version: int, idle: Any, on_demand: bool) -> None:
        self.wants[name] = self._want(name, version, idle, on_demand)
        self._apply()

    @rule(name=st.sampled_from(NAMES))
    def want_no_longer(self, name: str) -> None:
        self.wants.pop(name, None)
        self._apply()

    @rule(name=st.sampled_from(NAMES), times=st.integers(1, 5))
    def restart(self, name: str, times: int) -> None:
        for _ in range(times):
            self._apply(restart=[name])

    @rule()
    def retry(self) -> None:
        self._apply(retry=True)

    @rule(name=st.sampled_from(NAMES))
    def use(self, name: str) -> None:
        async def poke() -> None:
            if name in self.manager.connections:
                self.manager.connections[name].poke()

        self.loop.run_until_complete(poke())

    @rule(name=st.sampled_from(NAMES), behaviour=st.sampled_from(["fine", "fine", "missing", "silent", "refusing"]))
    def behave(self, name: str, behaviour: str) -> None:
        self.world.behaviour[name] = behaviour

    @rule(trusted=st.booleans())
    def trust(self, trusted: bool) -> None:
        self.world.trusted = trusted

    @rule(name=st.sampled_from(NAMES), killed=st.booleans())
    def crash(self, name: str, killed: bool) -> None:
        async def lose() -> None:
            for transport in list(self.world.open[name]):
                transport.lose(
                    Exited("ended.", server=name) if killed else Transport("closed its output.", server=name)
                )

        self.loop.run_until_complete(lose())

    @rule(seconds=st.sampled_from([0.1, 0.7, 3.0, 40.0, 200.0]))
    def wait(self, seconds: float) -> None:
        self.loop.now += seconds
        self.turn()

    @rule(turns=st.integers(1, 40))
    def go_on(self, turns: int) -> None:
        self.turn(turns)

    @invariant()
    def nothing_is_as_it_must_not_be(self) -> None:
        assert self.broken == []
        assert self.world.worst <= 1
        for name in NAMES:
            assert self.world.launched[name] <= self.world.tickets[name]

    def teardown(self) -> None:
        try:
            if self.running is not None:
                self._all_is_well_in_the_end()
                self.loop.run_until_complete(self._close())
                assert self.running.done() and not any(self.world.open.values())
                self.turn()
                assert asyncio.all_tasks(self.loop) == set()
                assert self.broken == []
        finally:
            self.loop.close()

    async def _close(self) -> None:
        self.manager.close()
        for _ in range(2000):
            if self.running.done():
                return
            await asyncio.sleep(0)

    def _all_is_well_in_the_end(self) -> None:
        """With servers that behave and a user that trusts them, everything that is wanted comes up."""
        self.world.behaviour = dict.fromkeys(NAMES, "fine")
        self.world.trusted = True
        self._apply(restart=list(self.wants))
        wanted = [name for name, want in self.wants.items() if want.idle is None]
        for name in wanted:
            self.use(name)
        for _ in range(400):
            up = all(self.manager.connections[name].state == "ready" for name in wanted)
            if up and all(len(self.world.open[name]) == (name in wanted) for name in NAMES):
                break
            self.turn(20)
            self.loop.run_until_complete(anyio.to_thread.run_sync(int))  # so that other threads have had their turn
        states = {name: connection.state for name, connection in self.manager.connections.items()}
        assert states == {name: want.idle or "ready" for name, want in self.wants.items()}
        assert all(len(self.world.open[name]) == (name in wanted) for name in NAMES)


Lifecycle.TestCase.settings = settings(
    max_examples=40, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
test_any_order_of_wishes_and_accidents = Lifecycle.TestCase

"""`codeagent-lsp trust`: see and approve what a project would start, from a terminal and without starting anything."""

import argparse
import os
import sys
from pathlib import Path

from codeagent_lsp.compose import state_folder
from codeagent_lsp.config.entry import Entry
from codeagent_lsp.config.files import read_config, user_folder
from codeagent_lsp.config.launch import Launch, prepare
from codeagent_lsp.config.variables import DotEnv, Lookup
from codeagent_lsp.errors import HostError
from codeagent_lsp.operations.question_text import as_text
from codeagent_lsp.policy.store import Store
from codeagent_lsp.policy.trust import TrustGate

USAGE_ERROR = 2
NOT_APPROVED = 3


def add_actions(trust: argparse.ArgumentParser) -> None:
    """Add `show` and `add` to the command `trust`."""
    actions = trust.add_subparsers(metavar="ACTION", required=True)
    show = actions.add_parser("show", help="print each server's question and fingerprint")
    show.set_defaults(run=run_show)
    add = actions.add_parser("add", help="approve a server whose fingerprint is the expected one")
    add.add_argument("--expect", required=True, metavar="FINGERPRINT", help="as `trust show` printed it")
    add.set_defaults(run=run_add)
    for parser in (show, add):
        parser.add_argument("server", nargs="?" if parser is show else None, help="the server's name in the config")
        parser.add_argument("--folder", type=Path, default=Path(), help="the workspace folder (default: this one)")


def run_show(options: argparse.Namespace) -> int:
    """Print the question and the fingerprint of each project server. Returns 3 where one still needs approval."""
    gate, launches = _project(options.folder)
    if options.server is not None and options.server not in launches:
        return _unknown(options.server, launches)
    waiting = False
    for name, launch in launches.items():
        if options.server not in (None, name):
            continue
        if isinstance(launch, HostError):
            sys.stdout.write(f"{launch.text()}\n\n")
            continue
        trust = gate.trust(launch)
        waiting = waiting or trust in ("needed", "denied")
        sys.stdout.write(f"{as_text(gate.question(launch))}\n  fingerprint  {gate.fingerprint(launch)}\n")
        sys.stdout.write(f"  decision     {trust or 'none is needed'}\n\n")
    if not launches:
        sys.stdout.write(f"No config file of {options.folder.resolve()} declares a server.\n")
    return NOT_APPROVED if waiting else 0


def run_add(options: argparse.Namespace) -> int:
    """Approve one launch for good. Returns 2 for an unknown server, 3 where the launch is another one."""
    gate, launches = _project(options.folder)
    launch = launches.get(options.server)
    if launch is None:
        return _unknown(options.server, launches)
    try:
        if isinstance(launch, HostError):
            raise launch
        gate.decide(launch, options.expect, "always")
    except HostError as error:
        sys.stderr.write(f"{error.text()}\n")
        return NOT_APPROVED
    sys.stdout.write(f"{options.server}: approved. Any change of what it would start asks again.\n")
    return 0


def _unknown(server: str, launches: dict[str, Launch | HostError]) -> int:
    known = ", ".join(launches) or "none"
    sys.stderr.write(f"No server of this project is named {server!r}. Declared are: {known}.\n")
    return USAGE_ERROR


def _project(given: Path) -> tuple[TrustGate, dict[str, Launch | HostError]]:
    folder = given.resolve()
    store = Store(state_folder(), workspaces=[folder])
    if store.load():
        sys.stderr.write(f"{store.problem}\n")
    gate = TrustGate(store, folder_trusted=lambda _: True)  # whoever types this has chosen the folder
    launches: dict[str, Launch | HostError] = {}
    for name, candidate in read_config([folder], home=user_folder()).candidates.items():
        entry = candidate.project
        if isinstance(entry, Entry) and not entry.only_disables:
            try:
                launches[name] = prepare(name, entry, _lookup(folder))
            except HostError as error:
                launches[name] = error
        elif entry is not None and not isinstance(entry, Entry):
            launches[name] = HostError(entry.message, server=name)
    return gate, launches


def _lookup(folder: Path) -> Lookup:
    home = Path.home()
    return Lookup(
        environment=dict(os.environ),
        project_env=DotEnv.of_project(folder),
        user_env=DotEnv.of_user(home),
        folder=folder,
        home=home,
        workspace=(folder,),
    )

"""Builds every part of the house once and hands out the callbacks: the only place where all of them are known."""

import os
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, cast

import anyio
import platformdirs

from codeagent_lsp.catalog.tools import Catalog
from codeagent_lsp.config.files import Config, user_folder
from codeagent_lsp.connection.connection import Connection
from codeagent_lsp.connection.house import Hooks, House
from codeagent_lsp.journal import Journal
from codeagent_lsp.manager import Manager
from codeagent_lsp.operations import requests
from codeagent_lsp.operations.announce import Announcer
from codeagent_lsp.operations.asking import Questions
from codeagent_lsp.operations.eras import EraBook
from codeagent_lsp.operations.following import Following
from codeagent_lsp.operations.host import EditorLine, Host, Workspace
from codeagent_lsp.operations.inputs import Inputs, Keyring
from codeagent_lsp.operations.lists import Lists
from codeagent_lsp.operations.reconcile import reread
from codeagent_lsp.operations.status import status_of
from codeagent_lsp.policy.approval import CallGate
from codeagent_lsp.policy.store import Store
from codeagent_lsp.policy.trust import TrustGate
from codeagent_lsp.policy.workspace import folder_trusted
from codeagent_lsp.redaction import Redactor
from codeagent_lsp.transport.open import open_transport
from codeagent_lsp.transport.reaper import Reaper
from codeagent_lsp.watching import Watcher

__all__ = ["Watcher", "Workspace", "compose", "reread", "state_folder"]

STARTING_AT_ONCE = 8
"""Servers that may be on their way up at the same time."""


def compose(
    editor: EditorLine,
    workspace: Workspace,
    spawn: Callable[[Coroutine[Any, Any, None]], None],
    publish_config: Callable[[Config], None],
    version: str,
) -> Host:
    """Build the house. Nothing is read from the workspace and nothing is started yet."""
    redactor = Redactor()
    journal = Journal(redactor)
    catalog = Catalog()
    store = Store(state_folder(), workspaces=workspace.folders)
    lists = Lists(catalog, journal, editor.notify)
    reaper = Reaper()
    questions = Questions()
    hooks = _hooks(editor, workspace, lists, questions, lambda connection: _changed(host, connection))
    house = _house(journal, reaper, hooks, EraBook(store, spawn), version)
    host = Host(
        home=user_folder(),
        environment=dict(os.environ),
        workspace=workspace,
        config=Config((), {}),
        store=store,
        trust=TrustGate(store, folder_trusted=lambda folder: folder_trusted(workspace.trust, folder)),
        calls=CallGate(store),
        manager=Manager(house),
        catalog=catalog,
        lists=lists,
        announcer=Announcer(lambda server: _status(host, server), editor.notify, spawn),
        following=Following(journal, editor.notify),
        journal=journal,
        redactor=redactor,
        editor=editor,
        inputs=Inputs(_keyring),
        spawn=spawn,
        publish_config=publish_config,
        close_reaper=reaper.close,
        questions=questions,
    )
    lists.on_update = host.announcer.mark
    return host


def _house(journal: Journal, reaper: Reaper, hooks: Hooks, eras: EraBook, version: str) -> House:
    """What the connections share."""
    return House(
        journal=journal,
        reaper=reaper,
        hooks=hooks,
        eras=eras,
        open_transport=lambda launch, lost, older: open_transport(
            launch, journal=journal, reaper=reaper, on_lost=lost, older=older
        ),
        starting=anyio.Semaphore(STARTING_AT_ONCE),
        clock=time.monotonic,
        now=time.time,
        version=version,
    )


def _hooks(
    editor: EditorLine,
    workspace: Workspace,
    lists: Lists,
    questions: Questions,
    changed: Callable[[Connection], None],
) -> Hooks:
    """Whom connections tell and ask; what the editor cannot answer is not wired, and so not declared to servers."""
    can_elicit, can_sample = "elicit" in editor.features, "sample" in editor.features
    return Hooks(
        changed=changed,
        attend=lists.attend,
        list_changed=lists.mark,
        resource_updated=lists.updated,
        roots=lambda server: requests.roots(lambda: workspace.folders, server),
        elicit=(lambda server, params: requests.elicit(editor, questions, server, params)) if can_elicit else None,
        sample=(lambda server, params: requests.sample(editor, server, params)) if can_sample else None,
    )


def state_folder() -> Path:
    """Where decisions of the user are kept: the platform's folder for state, outside every workspace."""
    return platformdirs.user_state_path("codeagent", appauthor=False)


def _changed(host: Host, connection: Connection) -> None:
    if host.manager.connections.get(connection.server) is connection:
        if connection.state not in ("starting", "ready"):
            host.lists.forget(connection.server)
        host.announcer.mark(connection.server)


def _status(host: Host, server: str) -> Any:
    return status_of(host, server) if server in host.manager.connections else None


def _keyring() -> Keyring:
    import keyring  # slow to import, and needed by few

    return cast(Keyring, keyring)

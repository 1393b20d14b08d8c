"""What the tests of the config file's features share: a world in a temporary folder, texts with a marked place."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from attrs import evolve
from lsprotocol import types

from codeagent_lsp.config.document import parse
from codeagent_lsp.config.variables import DotEnv, Lookup
from codeagent_lsp.features.config_language import ConfigText, ServerView, World, config_text
from codeagent_lsp.protocol import Position, ServerStatus

ENCODINGS = ("utf-8", "utf-16", "utf-32")
PROGRAMS = ("npx", "uvx", "zebra", "cat")


class Place:
    """A workspace folder and a home, with what is set there."""

    def __init__(self, root: Path) -> None:
        self.folder, self.home = root / "ws", root / "home"
        self.bin = root / "bin"
        for path in (self.folder / ".codeagent", self.home / ".codeagent", self.bin):
            path.mkdir(parents=True)
        program = self.bin / "npx"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        (self.folder / ".env").write_text("PROJECT_KEY=geheim-project\n")
        (self.home / ".env").write_text("OTHER=1\nUSER_KEY=geheim-user\n")
        self.world = World(
            lookup=Lookup(
                environment={"PATH": str(self.bin), "HOME": str(self.home), "SHELL_KEY": "geheim-shell", "EMPTY": ""},
                editor={"EDITOR_KEY": "geheim-editor"},
                project_env=DotEnv.of_project(self.folder),
                user_env=DotEnv.of_user(self.home),
                folder=self.folder,
                home=self.home,
                workspace=(self.folder,),
            ),
            programs=lambda: PROGRAMS,
        )

    def path(self, scope: str = "project", name: str = "mcp.json") -> Path:
        return (self.folder if scope == "project" else self.home) / ".codeagent" / name

    def text(
        self, text: str, scope: str = "project", name: str = "mcp.json", encoding: Any = "utf-16", **more: Any
    ) -> ConfigText:
        path = self.folder / more.pop("foreign") if "foreign" in more else self.path(scope, name)
        found = config_text(
            path.as_uri(), text, home=self.home / ".codeagent", folders=[self.folder], encoding=encoding, **more
        )
        assert found is not None
        return found

    def marked(self, text: str, **more: Any) -> tuple[ConfigText, types.Position]:
        """A text with the place of its `|` (which is taken out)."""
        offset = text.index("|")
        made = self.text(text[:offset] + text[offset + 1 :], **more)
        return made, position(made, offset)

    def view(self, name: str, state: Any = "ready", **more: Any) -> ServerView:
        tools = tuple(more.pop("tools", ()))
        in_force, waits, launch = more.pop("in_force", True), more.pop("waits", False), more.pop("launch", None)
        status = ServerStatus(
            server=name,
            name=name,
            scope=more.pop("scope", "project"),
            config_uri=self.path().as_uri(),
            transport="stdio",
            state=state,
            tools=len(tools),
        )
        return ServerView(name, evolve(status, **more), in_force, launch, None, tools, waits)

    def with_views(self, *views: ServerView, **more: Any) -> World:
        return evolve(self.world, views={view.server: view for view in views}, **more)


def position(text: ConfigText, offset: int) -> types.Position:
    return text.range(_span(offset)).start


def _span(offset: int) -> Any:
    from codeagent_lsp.config.document import Span

    return Span(offset, offset)


def covered(text: ConfigText, range: types.Range) -> str:
    """The characters of a range."""
    span = text.span(range)
    return text.document.text[span.start : span.end]


def applied(text: str, edits: Iterable[types.TextEdit], encoding: Any = "utf-16") -> str:
    """A text after some edits, as an editor applies them."""
    document = parse(text)
    places = []
    for number, edit in enumerate(edits):
        start, end = (
            document.offset(Position(place.line, place.character), encoding)
            for place in (edit.range.start, edit.range.end)
        )
        places.append((start, number, end, edit.new_text))
    out, at = "", 0
    for start, _, end, new in sorted(places):
        assert start >= at, "edits overlap"
        out += text[at:start] + new
        at = end
    return out + text[at:]


def servers(entries: dict[str, Any], key: str = "mcpServers") -> str:
    return json.dumps({key: entries}, indent=2, ensure_ascii=False)


RICH = """{
  // servers of this project
  "$schema": "x",
  "mcpServers": {
    "docs": {
      "type": "stdio",
      "command": "npx",
      "args": ["-y", "x@1", "${workspaceFolder}/a", "${NO:-${HOME}}"], /* several
      lines */
      "env": { "TOKEN": "${SHELL_KEY}", "N": 3, "GONE": null, "😀": "ä${EMPTY}" },
      "disabled": false, "autostart": "onDemand",
      "excludeTools": ["a*"],
    },
    "web": {
      "url": "https://h/mcp?x=1",
      "headers": { "Authorization": "Bearer ${input:key}" },
      "oauth": { "clientId": "c", "scopes": ["a"] },
      "timeout": 5000
    },
    "off": { "disabled": true }
  }
}
"""

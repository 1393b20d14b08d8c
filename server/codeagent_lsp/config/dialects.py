"""Other tools' project files that can be read as they are: where they are, and how they are to be understood."""

import re

from attrs import evolve, frozen

from codeagent_lsp.config.document import Document, Node
from codeagent_lsp.config.entry import BrokenEntry, Entry


@frozen
class Dialect:
    """How one file is read: under which top-level keys servers stand, and what its `${…}` mean in ours.

    `bare` allows the servers to stand at the top level itself. `silent_keys` are known and mean nothing to us.
    """

    name: str
    keys: tuple[str, ...]
    bare: bool = False
    silent_keys: frozenset[str] = frozenset({"$schema", "inputs"})
    variables: tuple[tuple[str, str], ...] = ()

    def server_keys(self, root: Node) -> tuple[str | None, ...]:
        """The keys that servers stand under in this file, the weaker first; `None` is the root itself."""
        present = tuple(key for key in reversed(self.keys) if root.get(key) is not None)
        if present or not self.bare:
            return present
        entries = [member.value for member in root.members if member.value.kind == "object"]
        looks_bare = any(entry.get("command") or entry.get("url") for entry in entries)
        return (None,) if looks_bare else ()

    def translate(self, entry: Entry | BrokenEntry) -> Entry | BrokenEntry:
        """The entry with its variables written in our way."""
        if isinstance(entry, BrokenEntry) or not self.variables:
            return entry
        return evolve(
            entry,
            command=self._ours(entry.command),
            args=tuple(self._text(value) for value in entry.args),
            env={name: self._ours(value) for name, value in entry.env.items()},
            cwd=self._ours(entry.cwd),
            env_file=self._ours(entry.env_file),
            url=self._ours(entry.url),
            headers={name: self._text(value) for name, value in entry.headers.items()},
        )

    def _ours(self, value: str | None) -> str | None:
        return None if value is None else self._text(value)

    def _text(self, value: str) -> str:
        for pattern, replacement in self.variables:
            value = re.sub(pattern, replacement, value)
        return value


_EDITOR_VARIABLES = (
    (r"\$\{/\}", "${pathSeparator}"),
    (r"\$\{(?:cwd|workspaceFolder:[^{}]*)\}", "${workspaceFolder}"),
    (r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}", r"${env:\1:-}"),
)
"""The editors' own forms; they put nothing where an environment variable is not set."""

SETTINGS = Dialect("codeagent", ("mcp_servers",))
OURS = Dialect("codeagent", ("mcpServers", "servers"))

ALSO_READ: dict[str, Dialect] = {
    ".mcp.json": Dialect("claude", ("mcpServers", "servers"), bare=True),
    ".vscode/mcp.json": Dialect("vscode", ("servers", "mcpServers"), variables=_EDITOR_VARIABLES),
    ".cursor/mcp.json": Dialect("cursor", ("mcpServers", "servers"), variables=_EDITOR_VARIABLES),
}
"""What the setting `codeagent.alsoRead` may name, relative to a workspace folder."""

_ELSEWHERE = {"mcp_servers", "mcp", "context_servers", "mcp.servers", "mcpservers", "mcp-servers", "mcpServer"}


def top_level_remarks(document: Document, dialect: Dialect) -> list[tuple[Node, str]]:
    """Keys at the top of one of our files that do not mean what their author hopes, with what to say of each."""
    root = document.root
    if root is None or root.kind != "object" or dialect.name != "codeagent":
        return []
    if dialect is SETTINGS:
        if root.get("mcp_servers") is not None:
            return []
        member = root.member("mcpServers")
        return [(member.key, "`mcpServers` is not read here: in settings.json ours is `mcp_servers`")] if member else []
    remarks: list[tuple[Node, str]] = []
    for member in root.members:
        key = str(member.key.value)
        if key in dialect.keys or key in dialect.silent_keys or key.startswith(("//", "_comment", "$comment")):
            continue
        entry = member.value if member.value.kind == "object" else None
        if key in _ELSEWHERE:
            remarks.append((member.key, f"`{key}` is not read here: ours is `mcpServers`"))
        elif entry is not None and (entry.get("command") or entry.get("url")):
            remarks.append((member.key, f"`{key}` looks like a server and is not read here: put it into `mcpServers`"))
        else:
            remarks.append((member.key, f"`{key}` is not known here and has no effect: servers are in `mcpServers`"))
    return remarks

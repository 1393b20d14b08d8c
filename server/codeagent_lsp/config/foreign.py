"""Other tools' config files: how each is recognised, where its servers stand, and in what its entries differ."""

from pathlib import PurePath
from typing import Any, Literal, cast

from attrs import frozen

from codeagent_lsp.protocol.values import JsonObject

Keys = tuple[str, ...]
Syntax = Literal["codeagent", "vscode", "claude", "editor", "mcphub", "braces", "gemini", "eca", "none"]


@frozen
class Tool:
    """One tool's way of writing servers down.

    `wrappers` are the paths of keys that a map of servers may stand under, the strongest first; `bare` allows it at
    the top level. `project_files` are relative to a workspace folder and `user_files` to the home folder; a `*` stands
    for one name. `untyped_url` is what a `url` without a `type` means, `seconds` that `timeout` is counted in them,
    `null_inherits` that an empty or null variable is taken from the environment. `syntax` is that of its variables.
    """

    name: str
    title: str
    wrappers: tuple[Keys, ...] = (("mcpServers",), ("servers",))
    bare: bool = False
    project_files: tuple[str, ...] = ()
    user_files: tuple[str, ...] = ()
    untyped_url: Literal["http", "sse"] = "http"
    seconds: bool = False
    null_inherits: bool = False
    syntax: Syntax = "claude"


_SERVERS_FIRST: tuple[Keys, ...] = (("servers",), ("mcpServers",))

TOOLS: tuple[Tool, ...] = (
    Tool(
        "codeagent",
        "codeagent",
        wrappers=(("mcpServers",), ("servers",), ("mcp_servers",)),
        project_files=(".codeagent/mcp.json", ".codeagent/settings.json"),
        syntax="codeagent",
    ),
    Tool(
        "vscode",
        "VS Code",
        wrappers=(*_SERVERS_FIRST, ("mcp", "servers"), ("customizations", "vscode", "mcp", "servers")),
        project_files=(".vscode/mcp.json", ".vscode/settings.json", ".devcontainer/devcontainer.json"),
        user_files=(".config/Code/User/mcp.json", "Library/Application Support/Code/User/mcp.json"),
        syntax="vscode",
    ),
    Tool(
        "claude",
        "Claude Code",
        bare=True,
        project_files=(".mcp.json",),
        user_files=(".claude.json",),
    ),
    Tool(
        "cursor",
        "Cursor",
        project_files=(".cursor/mcp.json",),
        user_files=(".cursor/mcp.json",),
        syntax="editor",
    ),
    Tool(
        "mcphub",
        "mcphub",
        wrappers=_SERVERS_FIRST,
        project_files=(".mcphub/servers.json",),
        user_files=(".config/mcphub/servers.json",),
        null_inherits=True,
        syntax="mcphub",
    ),
    Tool(
        "cline",
        "Cline",
        wrappers=(("mcpServers",),),
        user_files=(".cline/data/settings/cline_mcp_settings.json",),
        untyped_url="sse",
        seconds=True,
        syntax="editor",
    ),
    Tool(
        "claude-desktop",
        "Claude Desktop",
        wrappers=(("mcpServers",),),
        user_files=(
            ".config/Claude/claude_desktop_config.json",
            "Library/Application Support/Claude/claude_desktop_config.json",
            "AppData/Roaming/Claude/claude_desktop_config.json",
        ),
        syntax="none",
    ),
    Tool("windsurf", "Windsurf", user_files=(".codeium/windsurf/mcp_config.json",), syntax="editor"),
    Tool(
        "opencode",
        "opencode",
        wrappers=(("mcp", "servers"), ("mcp",)),
        project_files=("opencode.json", "opencode.jsonc"),
        user_files=(".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"),
        syntax="braces",
    ),
    Tool(
        "zed",
        "Zed",
        wrappers=(("context_servers",),),
        project_files=(".zed/settings.json",),
        user_files=(".config/zed/settings.json",),
        syntax="none",
    ),
    Tool(
        "gemini",
        "Gemini CLI",
        wrappers=(("mcpServers",),),
        project_files=(".gemini/settings.json",),
        user_files=(".gemini/settings.json",),
        untyped_url="sse",
        syntax="gemini",
    ),
    Tool(
        "copilot",
        "Copilot CLI",
        project_files=(".github/mcp.json",),
        user_files=(".copilot/mcp-config.json",),
    ),
    Tool(
        "continue",
        "Continue",
        project_files=(".continue/mcpServers/*.json",),
        user_files=(".continue/mcpServers/*.json",),
    ),
    Tool(
        "eca",
        "ECA",
        wrappers=(("mcpServers",),),
        project_files=(".eca/config.json",),
        user_files=(".config/eca/config.json",),
        syntax="eca",
    ),
    Tool("inspector", "MCP Inspector", wrappers=(("mcpServers",),), user_files=(".mcp-inspector/mcp.json",)),
    Tool(
        "companion",
        "mcp-companion",
        wrappers=_SERVERS_FIRST,
        user_files=(".config/mcp-companion/servers.json",),
    ),
    Tool("kiro", "Kiro", project_files=(".kiro/settings/mcp.json",), user_files=(".kiro/settings/mcp.json",)),
    Tool("codex", "Codex CLI", wrappers=(("mcp_servers",),), user_files=(".codex/config.toml",), syntax="none"),
)

OTHER = Tool("other", "another tool", bare=True)
"""A file that we know by its shape only."""


def tool_of(path: PurePath, root: JsonObject) -> Tool:
    """The tool that a file belongs to: by where it is, else by its shape."""
    parts = path.parts
    for tool in TOOLS:
        for pattern in (*tool.project_files, *tool.user_files):
            wanted = pattern.split("/")
            if len(wanted) <= len(parts) and PurePath(*parts[-len(wanted) :]).match(pattern):
                return tool
    names = {"cline_mcp_settings.json": "cline", "claude_desktop_config.json": "claude-desktop"}
    by_shape = names.get(path.name) or _by_shape(root)
    return next((tool for tool in TOOLS if tool.name == by_shape), OTHER)


def _by_shape(root: JsonObject) -> str:
    if isinstance(root.get("context_servers"), dict):
        return "zed"
    inner = root.get("mcp")
    if isinstance(inner, dict) and "mcpServers" not in root:
        entries = list(cast(JsonObject, inner).values())
        is_opencode = any(isinstance(entry, dict) and ("command" in entry or "enabled" in entry) for entry in entries)
        return "opencode" if is_opencode else "vscode"
    if isinstance(root.get("nativeMCPServers"), dict):
        return "mcphub"
    if isinstance(root.get("servers"), dict) and isinstance(root.get("inputs"), list):
        return "vscode"
    return ""


def servers_of(tool: Tool, root: JsonObject, folder: str | None = None) -> dict[str, Any]:
    """The servers of a file by name, as they are written; `folder` picks those of one project from a user's file."""
    found: dict[str, Any] = {}
    for wrapper in reversed(tool.wrappers):
        if wrapper == ("mcp",) and found:
            continue  # newer opencode: what stands beside `mcp.servers` is no server
        found.update(_named(_inside(root, wrapper)))
    if not found and tool.bare:
        found = {name: entry for name, entry in root.items() if _looks_like_server(entry)}
    if tool.name == "continue" and not found and _looks_like_server(root):
        found = _named([root])
    projects = root.get("projects")
    if folder is not None and isinstance(projects, dict):
        of_folder = cast(JsonObject, projects).get(folder)
        if isinstance(of_folder, dict):
            found.update(_named(cast(JsonObject, of_folder).get("mcpServers")))
    return found


def switched_off(tool: Tool, root: JsonObject, names: list[str], folder: str | None = None) -> set[str]:
    """The servers that a file switches off by lists beside them."""
    off: set[str] = set()
    inner = root.get("mcp")
    if tool.name == "gemini" and isinstance(inner, dict):
        lists = cast(JsonObject, inner)
        off |= set(texts(lists.get("excluded")))
        if isinstance(lists.get("allowed"), list):
            off |= set(names) - set(texts(lists["allowed"]))
    projects = root.get("projects")
    of_folder = cast(JsonObject, projects).get(folder or "") if isinstance(projects, dict) else None
    for holder in (root, of_folder):
        if isinstance(holder, dict):
            for key in ("disabledMcpServers", "disabledMcpjsonServers"):
                off |= set(texts(cast(JsonObject, holder).get(key)))
    return off & set(names)


def texts(value: object) -> list[str]:
    """The texts of a list; none of anything else."""
    return [item for item in cast(list[Any], value) if isinstance(item, str)] if isinstance(value, list) else []


def _inside(root: JsonObject, keys: Keys) -> Any:
    value: Any = root
    for key in keys:
        value = cast(JsonObject, value).get(key) if isinstance(value, dict) else None
    if keys == ("mcp",) and isinstance(value, dict):
        return {name: entry for name, entry in cast(JsonObject, value).items() if _looks_like_server(entry)}
    return value


def _named(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return dict(cast(JsonObject, value))
    if not isinstance(value, list):
        return {}
    entries = [cast(JsonObject, entry) for entry in cast(list[Any], value) if isinstance(entry, dict)]
    return {str(entry.get("name") or f"server-{index + 1}"): entry for index, entry in enumerate(entries)}


def _looks_like_server(entry: Any) -> bool:
    if not isinstance(entry, dict):
        return False
    return bool({"command", "url", "serverUrl", "httpUrl", "type", "enabled"} & set(cast(JsonObject, entry)))

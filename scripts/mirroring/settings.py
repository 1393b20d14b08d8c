"""The settings `codeagent.*`: the one definition, written into the extension's manifest and its README.

What the server itself reads (`SERVER`) is checked against the server's sources: a setting that it reads and that is not
described here is an error. The others are the extension's own.
"""

import json
import re
from pathlib import Path

from attrs import frozen

from codeagent_lsp.config.dialects import ALSO_READ

JsonObject = dict[str, object]
ROOT = Path(__file__).resolve().parents[2]


@frozen
class Setting:
    """One setting. `schema`: its type and default, as JSON Schema; `scope`: VS Code's; `short`: for a table."""

    name: str
    schema: JsonObject
    scope: str
    short: str
    text: str


SERVER = (
    Setting(
        "alsoRead",
        {
            "type": "array",
            "items": {"type": "string", "enum": list(ALSO_READ)},
            "uniqueItems": True,
            "default": [],
        },
        "machine",
        "other tools' project files that are read as they are",
        "Project files of other tools that are read as they are, besides `.codeagent/mcp.json`.",
    ),
    Setting(
        "completeArguments",
        {
            "type": "string",
            "enum": ["user", "always", "never"],
            "enumDescriptions": ["Your own servers only", "Servers of workspaces too", "No server"],
            "default": "user",
        },
        "machine",
        "which servers may complete the arguments of prompts and templates",
        "Which servers may complete the arguments of prompts and resource templates. They are sent what you type while "
        "you type it.",
    ),
)

SETTINGS = (
    Setting(
        "server.command",
        {"type": "array", "items": {"type": "string"}, "default": []},
        "machine",
        "the command that starts the language server, instead of the one that the extension installs",
        "The command that starts the language server, instead of the one that the extension installs: a program and "
        'its arguments, e.g. `["/home/me/.local/bin/codeagent-lsp"]`.',
    ),
    Setting(
        "server.pythonPath",
        {"type": "string", "default": ""},
        "machine",
        "the Python that the environment is made from",
        "The Python (3.11 or newer) from which the extension makes the language server's own environment. Empty: the "
        "choice of the Python extension, then the first on `PATH`. An interpreter in the workspace is never used.",
    ),
    *SERVER,
    Setting(
        "sampling.enabled",
        {"type": "boolean", "default": True},
        "machine",
        "whether a server may ask for a language model of the editor",
        "Whether an MCP server may ask for a language model of the editor. Each request is shown to you first, and "
        "needs your yes.",
    ),
    Setting(
        "toolHistory.size",
        {"type": "integer", "minimum": 0, "maximum": 200, "default": 20},
        "window",
        "how many past runs of each tool the form remembers",
        "How many past runs of each tool the form remembers in this workspace. Fields that the tool calls secret are "
        "never kept.",
    ),
    Setting(
        "trace.server",
        {"type": "string", "enum": ["off", "messages", "verbose"], "default": "off"},
        "machine",
        "writes the messages to the output channel",
        "Writes the messages between VS Code and the language server to the output channel *CodeAgent MCP*. They may "
        "hold secrets.",
    ),
)

READS = re.compile(r"""settings\.get\((?:"(\w+)"|(\w+))""")
CONSTANT = re.compile(r'^SETTING = "(\w+)"$', re.MULTILINE)


def read_by_the_server() -> set[str]:
    """The names of the settings that the server's sources ask for."""
    found: set[str] = set()
    for path in (ROOT / "server" / "codeagent_lsp").rglob("*.py"):
        text = path.read_text("utf-8")
        found |= {literal for literal, _ in READS.findall(text) if literal} | set(CONSTANT.findall(text))
    return found


def manifest(_header: str) -> str:
    """The extension's package.json, with its section of settings. Raises `ValueError` where the server reads others."""
    described, read = {setting.name for setting in SERVER}, read_by_the_server()
    if described != read:
        raise ValueError(f"the server reads the settings {sorted(read)}, described are {sorted(described)}")
    whole = json.loads((ROOT / "vscode-client" / "package.json").read_text("utf-8"))
    whole["contributes"]["configuration"]["properties"] = {
        f"codeagent.{setting.name}": {
            "order": number,
            **setting.schema,
            "scope": setting.scope,
            "markdownDescription": setting.text,
        }
        for number, setting in enumerate(SETTINGS, start=1)
    }
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def readme(_header: str) -> str:
    """The extension's README, with its table of settings."""
    text = (ROOT / "vscode-client" / "README.md").read_text("utf-8")
    rows = [("setting", ""), *((f"`codeagent.{setting.name}`", setting.short) for setting in SETTINGS)]
    left, right = (max(len(row[side]) for row in rows) for side in (0, 1))
    lines = [f"| {name.ljust(left)} | {what.ljust(right)} |" for name, what in rows]
    lines.insert(1, f"| {'-' * left} | {'-' * right} |")
    head, _, rest = text.partition("## Settings\n")
    _, after, more = rest.partition("\n## ")
    return f"{head}## Settings\n\n" + "\n".join(lines) + "\n" + after + more

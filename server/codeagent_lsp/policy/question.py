"""The question that the user is asked before a launch: plain text, whole, with everything hidden made visible."""

import os
from collections.abc import Mapping, Sequence

from codeagent_lsp.config.launch import Launch
from codeagent_lsp.policy.canonical import canonical
from codeagent_lsp.policy.fingerprint import differences, fingerprint_of, parts, show
from codeagent_lsp.policy.records import Fact
from codeagent_lsp.policy.values import Values
from codeagent_lsp.policy.warnings import launch_warnings
from codeagent_lsp.policy.workspace import file_path
from codeagent_lsp.protocol import ApproveServerParams, NamedValue
from codeagent_lsp.protocol.wire import dump

MAX_QUESTION = 65_536
"""Bytes of JSON, without the difference. More cannot be read by a person, and is not startable."""


def launch_question(
    launch: Launch, approved: Mapping[str, Fact] | None = None, *, same_name: bool = False
) -> ApproveServerParams:
    """What is asked about a launch. `approved` are the facts of the launch that the user approved last."""
    entry = launch.entry
    values = Values(launch)
    found = parts(launch)
    stdio = launch.transport == "stdio"
    files = [*launch.files, *([launch.env_file] if launch.env_file else [])]
    return ApproveServerParams(
        server=launch.server,
        name=show(entry.name),
        folder=None if entry.folder is None else show(os.path.realpath(entry.folder)),
        config_uri=entry.path.absolute().as_uri(),
        fingerprint=fingerprint_of(found),
        transport=launch.transport,
        argv=[show(values.shown_command()), *(show(shown) for shown, _ in values.arguments())] if stdio else None,
        resolved_command=show(str(launch.resolved)) if launch.resolved else None,
        cwd=show(values.shown(entry.cwd or "", os.path.realpath(launch.cwd))) if launch.cwd else None,
        env=_named(launch.env_templates, values) if stdio else None,
        url=None if launch.url is None else show(values.shown_url()),
        headers=None if stdio else _named(launch.header_templates, values),
        files=[show(os.path.realpath(path)) for path in files] or None,
        warnings=[finding.text for finding in launch_warnings(launch, same_name=same_name)],
        changed=(differences(approved, found) or None) if approved else None,
    )


def is_too_long(launch: Launch) -> bool:
    """Whether the texts of a launch alone are more than a question may hold; cheap, and asked before all else."""
    entry = launch.entry
    named = (*launch.env_templates.items(), *launch.header_templates.items())
    texts = (launch.command, launch.url, *(launch.argv or entry.args), *(text for pair in named for text in pair))
    return sum(len(text or "") + 3 for text in texts) > MAX_QUESTION


def is_readable(question: ApproveServerParams) -> bool:
    """Whether a question is short enough for a person to answer it (64 KiB, without the difference)."""
    whole = dump(question)
    whole.pop("changed", None)
    return len(canonical(whole)) <= MAX_QUESTION


def _named(templates: Mapping[str, str | None], values: Values) -> list[NamedValue]:
    return [
        NamedValue(show(name), "(taken away)" if template is None else show(values.masked(name, template)))
        for name, template in templates.items()
    ]


def question_text(question: ApproveServerParams) -> str:
    """The question as lines for a terminal or a message box: every argument on its own line, nothing cut."""
    lines = [f"Start the MCP server `{question.name}`" + (f" of {question.folder}?" if question.folder else "?")]
    if question.resolved_command:
        lines.append(f"Program: {question.resolved_command}")
    lines += [f"  [{index}] {argument}" for index, argument in enumerate(question.argv or [])]
    lines += [f"{label}: {value}" for label, value in (("Folder", question.cwd), ("URL", question.url)) if value]
    lines += _block("Variables", [f"{item.name}={item.value}" for item in question.env or []])
    lines += _block("Headers", [f"{item.name}: {item.value}" for item in question.headers or []])
    lines += _block("Files of the project", question.files or [])
    lines += _block("Take care", question.warnings)
    lines += _block(
        "Changed since you approved it", [f"{c.field}: {c.before} → {c.after}" for c in question.changed or []]
    )
    lines += [f"Declared in: {show(file_path(question.config_uri))}", f"Fingerprint: {question.fingerprint}"]
    return "\n".join(lines)


def _block(title: str, items: Sequence[str]) -> list[str]:
    return [f"{title}:", *(f"  {item}" for item in items)] if items else []

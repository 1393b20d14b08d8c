"""The question whether a project's server may start, as plain text: for buttons, and for the command line."""

from codeagent_lsp.protocol import ApproveServerParams


def as_text(question: ApproveServerParams) -> str:
    """The question as plain text, whole: for editors that only have buttons, and for the command line."""
    lines = [f"May the MCP server “{question.server}” of this project start?", f"  declared in  {question.config_uri}"]
    if question.argv is not None:
        lines += [f"  runs         {question.resolved_command}"]
        lines += [f"  argument {number:>2}  {value}" for number, value in enumerate(question.argv)]
    for label, value in (("in", question.cwd), ("connects to", question.url)):
        if value:
            lines.append(f"  {label:<12} {value}")
    lines += [f"  variable     {item.name}={item.value}" for item in question.env or []]
    lines += [f"  header       {item.name}: {item.value}" for item in question.headers or []]
    lines += [f"  project file {name}" for name in question.files or []]
    lines += [f"  Changed: {change.field}: {change.before} → {change.after}" for change in question.changed or []]
    lines += [f"  Warning: {warning}" for warning in question.warnings]
    return "\n".join(lines)

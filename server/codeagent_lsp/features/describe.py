"""What is said of a resource, a template or a server: plain lines for hovers, completion documentation and tooltips.

Everything here was written by a server, or stands in a config file of a project: it is shown as data. `as_markup` puts
it into one code block for clients that read Markdown, so that nothing in it is a link, an image or HTML.
"""

from datetime import UTC, datetime
from typing import Any

from lsprotocol import types

from codeagent_lsp.features.index import MentionIndex, ServerEntry
from codeagent_lsp.features.listing import title
from codeagent_lsp.protocol.values import Resource, ResourceTemplate
from codeagent_lsp.text import fenced, one_line, visible

_LIMIT = 2000
_PREVIEW_LINES = 12
_STATES = {
    "disabled": "disabled",
    "untrusted": "waiting for your approval",
    "starting": "starting",
    "ready": "ready",
    "needsAuth": "waiting for you to sign in",
    "failed": "failed",
    "stopped": "stopped",
}


def as_markup(text: str, *, markdown: bool) -> types.MarkupContent:
    """`text` as markup: one code block where the client reads Markdown, plain text where not."""
    shown = visible(text, limit=_LIMIT)
    if markdown:
        return types.MarkupContent(types.MarkupKind.Markdown, fenced(shown, "text"))
    return types.MarkupContent(types.MarkupKind.PlainText, shown)


def resource_text(
    index: MentionIndex, server: str, uri: str, *, now: datetime | None = None, content: str | None = None
) -> str:
    """What is known of a resource, line by line. `content` is its text, where it was read already."""
    resource = index.resource(server, uri)
    entry = index.entry(server)
    lines = [title(resource) if resource else one_line(uri)]
    lines += facts(resource, now) if resource else [unlisted(index, server, uri)]
    if resource:
        lines.append(f"{one_line(server)} · {one_line(uri, 400)}")
    if entry and entry.status.state != "ready":
        lines.append(server_line(entry))
    if resource and resource.description:
        lines += ["", visible(resource.description, limit=800)]
    if content:
        lines += ["", "─" * 12, *preview(content)]
    return "\n".join(lines)


def title_of(index: MentionIndex, server: str, uri: str) -> str:
    """The name of a resource where it is listed, else its URI; on one line."""
    entry = index.entry(server)
    return entry.listing.shown(uri)[1] if entry and uri in entry.listing.resources else one_line(uri, 120)


def facts(resource: Resource, now: datetime | None = None) -> list[str]:
    """Type, size and age of a resource, as one line; none where nothing is known."""
    known = [one_line(resource.mime_type, 100)] if resource.mime_type else []
    if resource.size is not None:
        known.append(size(resource.size))
    age = _age(resource.annotations, now) if now else None
    if age:
        known.append(age)
    return [" · ".join(known)] if known else []


def template_text(template: ResourceTemplate) -> str:
    """What is known of a template, line by line."""
    lines = [title(template), one_line(template.uri_template, 400)]
    if template.mime_type:
        lines.append(one_line(template.mime_type, 100))
    if template.description:
        lines += ["", visible(template.description, limit=800)]
    return "\n".join(lines)


def server_text(entry: ServerEntry) -> str:
    """What is known of a server, line by line."""
    lines = [server_line(entry)]
    if entry.status.instructions:
        lines += ["", visible(entry.status.instructions, limit=800)]
    return "\n".join(lines)


def server_line(entry: ServerEntry) -> str:
    """A server and its state on one line, with the reason where it is not usable."""
    status = entry.status
    line = f"{one_line(status.server)} is {_STATES[status.state]}"
    why = status.error.message if status.error else status.detail
    if why:
        line += f": {one_line(why)}"
    if entry.status.state == "ready" and entry.listed:
        count = len(entry.listing.resources)
        line += f" · {count:,} resource{'' if count == 1 else 's'}"
    return line


def unlisted(index: MentionIndex, server: str, uri: str) -> str:
    """Why nothing is known of a URI."""
    entry = index.entry(server)
    if entry is None:
        return f"There is no server {one_line(server)}."
    template = next((item for item in entry.templates if item.produces(uri)), None)
    if template:
        return f"{one_line(server)} makes it from {one_line(template.text)}"
    if entry.certain:
        return f"{one_line(server)} does not list this resource."
    return f"{one_line(server)} · not known yet"


def preview(text: str) -> list[str]:
    """The first lines of a text."""
    lines = visible(text[:4000], limit=1000).split("\n")
    return lines if len(lines) <= _PREVIEW_LINES else [*lines[:_PREVIEW_LINES], "…"]


def size(count: int) -> str:
    """A number of bytes as people write it: `1.2 KB`."""
    value = float(count)
    if value < 1000:
        return f"{count} B"
    for unit in ("KB", "MB", "GB"):
        value /= 1000
        if value < 999.95:
            return f"{value:.1f} {unit}"
    return f"{value / 1000:.1f} TB"


def _age(annotations: dict[str, Any] | None, now: datetime | None) -> str | None:
    """How long ago a resource changed, from its annotation `lastModified` (ISO 8601); `None` for anything else."""
    changed = (annotations or {}).get("lastModified")
    if not isinstance(changed, str) or now is None:
        return None
    try:
        then = datetime.fromisoformat(changed)
        seconds = (now - (then if then.tzinfo else then.replace(tzinfo=UTC))).total_seconds()
    except (ValueError, OverflowError):
        return None
    if seconds < 0:
        return None
    for length, unit in ((86400 * 365, "year"), (86400 * 30, "month"), (86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= length:
            count = int(seconds // length)
            return f"changed {count} {unit}{'' if count == 1 else 's'} ago"
    return "changed just now"

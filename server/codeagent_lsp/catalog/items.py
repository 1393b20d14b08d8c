"""Resources, templates and prompts as servers list them, turned into values of the wire one by one.

What is wrong with an item costs that item alone, by name; a second item of the same name is left out.
"""

from collections.abc import Iterable
from typing import Any, cast

from attrs import evolve

from codeagent_lsp.catalog.addresses import document_uri, mention
from codeagent_lsp.protocol import JsonObject, Prompt, PromptArgument, Resource, ResourceTemplate
from codeagent_lsp.text import one_line, visible

MAX_DESCRIPTION = 1_000
_MAX_NAME = 200
_NAMED_ONE_BY_ONE = 20


def resource(server: str, item: JsonObject) -> Resource:
    """A resource; `item` has a `uri` that is text. Its name is the URI where it has none."""
    uri = cast(str, item["uri"])
    size = item.get("size")
    plain = Resource(
        server=server,
        uri=uri,
        name=_line(item.get("name")) or one_line(uri, _MAX_NAME),
        document_uri="",
        mention=mention(server, uri),
        title=_line(item.get("title")),
        description=_text(item.get("description")),
        mime_type=_line(item.get("mimeType")),
        size=size if isinstance(size, int) and not isinstance(size, bool) and size >= 0 else None,
        annotations=_object(item.get("annotations")),
    )
    return evolve(plain, document_uri=document_uri(server, uri, plain))


def template(server: str, item: JsonObject) -> ResourceTemplate:
    """A resource template; `item` has a `uriTemplate` that is text."""
    uri_template = cast(str, item["uriTemplate"])
    return ResourceTemplate(
        server=server,
        uri_template=uri_template,
        name=_line(item.get("name")) or one_line(uri_template, _MAX_NAME),
        title=_line(item.get("title")),
        description=_text(item.get("description")),
        mime_type=_line(item.get("mimeType")),
        annotations=_object(item.get("annotations")),
    )


def prompt(server: str, item: JsonObject) -> Prompt:
    """A prompt; `item` has a `name` that is text. Arguments without a name are left out."""
    arguments: dict[str, PromptArgument] = {}
    given = item.get("arguments")
    for raw in cast("list[Any]", given) if isinstance(given, list) else []:
        argument = _object(raw) or {}
        name = argument.get("name")
        if isinstance(name, str) and name:
            required = argument.get("required") is True
            arguments.setdefault(name, PromptArgument(name, required, _text(argument.get("description"))))
    return Prompt(
        server=server,
        name=cast(str, item["name"]),
        arguments=list(arguments.values()),
        title=_line(item.get("title")),
        description=_text(item.get("description")),
    )


def usable(
    raw: Iterable[Any], key: str, what: str, warnings: list[str], *, empty: bool = False
) -> tuple[JsonObject, ...]:
    """The items that have text under `key`, the first of each; what is left out is said by name.

    `empty`: whether the empty string is a name too.
    """
    kept: dict[str, JsonObject] = {}
    lost: list[str] = []
    for index, item in enumerate(raw):
        entry = _object(item) or {}
        name = entry.get(key)
        if not isinstance(name, str) or not (name or empty):
            other = entry.get("name")
            called = f" (`{one_line(other, 80)}`)" if isinstance(other, str) and other else ""
            lost.append(f"{what} number {index + 1}{called} has no usable `{key}`, and is left out.")
        elif name in kept:
            lost.append(f"the {what} `{one_line(name)}` is listed twice; the first one counts.")
        else:
            kept[name] = entry
    warnings += lost[:_NAMED_ONE_BY_ONE]
    if len(lost) > _NAMED_ONE_BY_ONE:
        warnings.append(f"{len(lost) - _NAMED_ONE_BY_ONE:,} more faults of this kind in the list of {what}s.")
    return tuple(kept.values())


def _line(value: object) -> str | None:
    return one_line(value, _MAX_NAME) or None if isinstance(value, str) else None


def _text(value: object) -> str | None:
    return visible(value, limit=MAX_DESCRIPTION) or None if isinstance(value, str) else None


def _object(value: Any) -> JsonObject | None:
    return cast(JsonObject, value) if isinstance(value, dict) else None

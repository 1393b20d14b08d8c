"""Variables in config values, from other tools' ways of writing them to ours and back.

Ours are `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `${input:id}` and four fixed ones (see `templates`). A form that
has no counterpart stays as it is and is named, so that its author can mend it.
"""

import re
from collections.abc import Callable

from attrs import frozen

from codeagent_lsp.config.foreign import Syntax
from codeagent_lsp.config.nodes import Span
from codeagent_lsp.config.templates import Reference, references

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_SECRETS = (rf"\$\{{\{{\s*(?:secrets|env)\.({_NAME})\s*\}}\}}", r"${\1}")
_EDITOR = (
    (r"\$\{/\}", "${pathSeparator}"),
    (r"\$\{cwd\}", "${workspaceFolder}"),
    (r"\$\{workspaceRoot\}", "${workspaceFolder}"),
    (r"\$\{workspaceFolder:[^{}]*\}", "${workspaceFolder}"),
    (rf"\$\{{env:\s*({_NAME})\s*\}}", r"${env:\1}"),
)

_TO_OURS: dict[Syntax, tuple[tuple[str, str], ...]] = {
    "codeagent": (),
    "claude": (_SECRETS, (r"\$\{CLAUDE_PROJECT_DIR\}", "${workspaceFolder}"), *_EDITOR),
    "vscode": (_SECRETS, *_EDITOR),
    "editor": (_SECRETS, *_EDITOR),
    "mcphub": (_SECRETS, *_EDITOR),
    "braces": (_SECRETS, (rf"\{{env:\s*({_NAME})\s*\}}", r"${env:\1}")),
    "gemini": (_SECRETS, (rf"(?<![$\\])\$({_NAME})", r"${\1}")),
    "eca": (_SECRETS, (rf"\$\{{env:({_NAME}):(?!-)([^{{}}]*)\}}", r"${env:\1:-\2}")),
    "none": (),
}
_STRANGE = re.compile(r"\$\{(?:cmd|command|config|file|netrc|keyring|op|vault)\s*:[^{}]*\}|\{file:[^{}]*\}|^\$: .*")


@frozen
class Translated:
    """A text in its new way of writing.

    `lost` are the forms in it that have no counterpart there and stand as they were; `inputs` maps the ids of
    `${input:id}` to the environment variables that took their place.
    """

    text: str
    lost: tuple[str, ...] = ()
    inputs: tuple[tuple[str, str], ...] = ()


def to_ours(text: str, syntax: Syntax, field: str = "") -> Translated:
    """A value of another tool's file as we write it. `field` (`args`, `url`, …): some forms count in one only."""
    for pattern, replacement in _TO_OURS[syntax]:
        text = re.sub(pattern, replacement, text)
    if syntax == "gemini" and field != "url":
        text = re.sub(rf"%({_NAME})%", r"${\1}", text)
    if syntax == "mcphub" and field == "args":
        text = re.sub(rf"^\$({_NAME})$", r"${\1}", text)
    lost = [match.group() for match in _STRANGE.finditer(text)]
    if syntax == "none":
        lost += [text[item.span.start : item.span.end] for item in references(text)]
    else:
        lost += [text[item.span.start : item.span.end] for item in references(text) if item.kind == "unknown"]
    return Translated(text, tuple(dict.fromkeys(lost)))


def from_ours(text: str, syntax: Syntax) -> Translated:
    """A value of ours as another tool writes it. Where that tool does not ask, an input becomes a variable."""
    write = _OUTPUTS[syntax]
    parts: list[str] = []
    lost: list[str] = []
    inputs: list[tuple[str, str]] = []
    at = 0
    for reference in references(text):
        made = write(reference, text)
        if made is None and reference.kind == "input":
            name = re.sub(r"\W", "_", reference.name).upper()
            made = write(Reference(reference.span, "variable", name), text)
            if made is not None:
                inputs.append((reference.name, name))
        written = text[reference.span.start : reference.span.end]
        if made is None:
            lost.append(written)
        parts += text[at : reference.span.start], written if made is None else made
        at = reference.span.end
    parts.append(text[at:])
    return Translated("".join(parts), tuple(dict.fromkeys(lost)), tuple(dict.fromkeys(inputs)))


def _same(reference: Reference, text: str) -> str | None:
    return text[reference.span.start : reference.span.end]


def _editor(reference: Reference, _text: str) -> str | None:
    if reference.kind == "variable" and reference.default is None:
        return f"${{env:{reference.name}}}"
    return f"${{{reference.name}}}" if reference.kind == "fixed" else None


def _vscode(reference: Reference, text: str) -> str | None:
    return f"${{input:{reference.name}}}" if reference.kind == "input" else _editor(reference, text)


def _claude(reference: Reference, text: str) -> str | None:
    if reference.kind == "variable":
        default = _default(reference.default, text)
        return None if default is None else f"${{{reference.name}{default}}}"
    return "${HOME}" if reference.kind == "fixed" and reference.name == "userHome" else None


def _default(span: Span | None, text: str) -> str | None:
    """`:-default` again; `None` where it holds variables, which are literal text there."""
    if span is None:
        return ""
    return None if references(text, span) else f":-{text[span.start : span.end]}"


def _braces(reference: Reference, _text: str) -> str | None:
    return f"{{env:{reference.name}}}" if reference.kind == "variable" and reference.default is None else None


def _gemini(reference: Reference, _text: str) -> str | None:
    if reference.kind == "variable" and reference.default is None:
        return f"${{{reference.name}}}"
    return "${HOME}" if reference.kind == "fixed" and reference.name == "userHome" else None


def _eca(reference: Reference, text: str) -> str | None:
    if reference.kind != "variable":
        return None
    default = _default(reference.default, text)
    return None if default is None else f"${{env:{reference.name}{default.replace(':-', ':', 1)}}}"


def _nothing(reference: Reference, text: str) -> str | None:
    return None


_OUTPUTS: dict[Syntax, Callable[[Reference, str], str | None]] = {
    "codeagent": _same,
    "claude": _claude,
    "vscode": _vscode,
    "editor": _editor,
    "mcphub": _editor,
    "braces": _braces,
    "gemini": _gemini,
    "eca": _eca,
    "none": _nothing,
}

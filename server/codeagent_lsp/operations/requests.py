"""What an MCP server asks of the user: the mirror image of a call, through the editor, with a safe answer always."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

from codeagent_lsp.errors import Denied
from codeagent_lsp.operations.asking import Questions
from codeagent_lsp.operations.host import EditorLine
from codeagent_lsp.protocol import ElicitParams, JsonObject
from codeagent_lsp.text import visible

MAX_MESSAGE = 4_000
"""Characters of a server's question that are shown; the cut is visible."""


def roots(folders: Callable[[], list[Path]], server: str) -> list[JsonObject]:
    """The workspace folders, as MCP roots: answered at once, by every server alike."""
    return [{"uri": folder.as_uri(), "name": folder.name or str(folder)} for folder in folders()]


async def elicit(editor: EditorLine, questions: Questions, server: str, question: JsonObject) -> JsonObject:
    """Ask the user for a form, or to visit a URL, which is shown whole and never opened by us.

    One question of a server is open at a time, and a flood of them is refused. Returns an MCP `ElicitResult`; `cancel`
    where nobody answered.
    """
    try:
        turn = questions.turn(server)
    except Denied:
        return {"action": "cancel"}
    async with turn:
        return await _elicit(editor, server, question)


async def _elicit(editor: EditorLine, server: str, question: JsonObject) -> JsonObject:
    mode = "url" if question.get("mode") == "url" else "form"
    message = visible(str(question.get("message") or ""), limit=MAX_MESSAGE)
    schema = question.get("requestedSchema")
    url = question.get("url")
    params = ElicitParams(
        server=server,
        mode=mode,
        message=message,
        schema=cast(JsonObject, schema) if mode == "form" and isinstance(schema, dict) else None,
        url=visible(str(url), newlines=False) if mode == "url" and url is not None else None,
    )
    answer = await editor.ask("codeagent/elicit", params)
    if answer is None:
        return {"action": "cancel"}
    if answer["action"] != "accept":
        return {"action": answer["action"]}
    return {"action": "accept", **({"content": answer.get("content") or {}} if mode == "form" else {})}


async def sample(editor: EditorLine, server: str, request: JsonObject) -> JsonObject:
    """Ask the editor's model. Raises `LookupError` where the editor refuses, so that the server gets an error."""
    answer = await editor.ask("codeagent/sample", {**request, "server": server})
    if not isinstance(answer, dict):
        raise LookupError("the editor offered no completion")
    return cast(JsonObject, answer)

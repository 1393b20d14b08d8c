"""The demo server does what its annotations and instructions say, in both eras of the protocol."""

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp_types as t
import pytest
from mcp.client import Client

from codeagent_lsp.demo.server import build

MODES = ("legacy", "auto")


def talk(mode: str, conversation: Callable[[Client, list[str]], Awaitable[None]], action: str = "accept") -> None:
    """Run a conversation with a fresh demo server; the list collects the kinds of notifications that came."""

    async def answer(_context: Any, _params: Any) -> t.ElicitResult:
        content = {"name": "Ada", "excited": True} if action == "accept" else None
        return t.ElicitResult(action=action, content=content)  # type: ignore[arg-type]

    async def main() -> None:
        heard: list[str] = []

        async def hear(message: Any) -> None:
            heard.append(type(message).__name__)

        with anyio.fail_after(20):
            async with Client(build(), mode=mode, elicitation_callback=answer, message_handler=hear) as client:
                await conversation(client, heard)

    anyio.run(main)


def text_of(result: t.CallToolResult) -> str:
    """The text of a result of one text block."""
    (block,) = result.content
    assert isinstance(block, t.TextContent)
    return block.text


@pytest.mark.parametrize("mode", MODES)
def test_there_is_a_tool_of_every_kind(mode: str) -> None:
    async def conversation(client: Client, _heard: list[str]) -> None:
        tools = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
        reader, fetcher, writer, destroyer = (
            tools[name] for name in ("get_note", "fetch_weather", "add_note", "delete_note")
        )
        assert reader and reader.read_only_hint is True and reader.open_world_hint is False
        assert fetcher and fetcher.read_only_hint is True and fetcher.open_world_hint is True
        assert writer and writer.read_only_hint is False and writer.destructive_hint is False
        assert destroyer and destroyer.destructive_hint is True
        assert tools["roll_dice"] is None

    talk(mode, conversation)


@pytest.mark.parametrize("mode", MODES)
def test_a_written_note_is_listed_read_completed_and_gone_after_delete(mode: str) -> None:
    async def conversation(client: Client, _heard: list[str]) -> None:
        await client.call_tool("add_note", {"name": "new-one", "text": "hello"})
        assert "note://new-one" in [resource.uri for resource in (await client.list_resources()).resources]
        (contents,) = (await client.read_resource("note://new-one")).contents
        assert isinstance(contents, t.TextResourceContents) and contents.text == "hello"
        found = await client.complete(
            t.ResourceTemplateReference(uri="note://{name}"), {"name": "name", "value": "NEW"}
        )
        assert found.completion.values == ["new-one"]
        await client.call_tool("delete_note", {"name": "new-one"})
        assert "note://new-one" not in [resource.uri for resource in (await client.list_resources()).resources]
        with pytest.raises(Exception, match="There is no note 'new-one'"):
            await client.read_resource("note://new-one")

    talk(mode, conversation)


@pytest.mark.parametrize("name", ["", "a/b", "a b", "-a", "a--b", "../x", "a%20"])
def test_a_name_that_cannot_stand_in_a_uri_is_refused(name: str) -> None:
    async def conversation(client: Client, _heard: list[str]) -> None:
        result = await client.call_tool("add_note", {"name": name, "text": "x"})
        assert result.is_error and "is no name for a note" in text_of(result)

    talk("auto", conversation)


@pytest.mark.parametrize("mode", MODES)
def test_an_unknown_note_is_an_error_that_names_the_notes_there_are(mode: str) -> None:
    async def conversation(client: Client, _heard: list[str]) -> None:
        for tool in ("get_note", "delete_note"):
            result = await client.call_tool(tool, {"name": "nope"})
            assert result.is_error and "There are: readme, groceries, ideas." in text_of(result)

    talk(mode, conversation)


@pytest.mark.parametrize("mode", MODES)
def test_count_reports_every_step_in_order(mode: str) -> None:
    async def conversation(client: Client, _heard: list[str]) -> None:
        steps: list[float] = []

        async def progress(done: float, total: float | None, message: str | None) -> None:
            assert total == 4 and message == f"step {int(done)} of 4"
            steps.append(done)

        result = await client.call_tool("count", {"steps": 4, "seconds": 0}, progress_callback=progress)
        assert text_of(result) == "Counted to 4." and steps == [1, 2, 3, 4]

    talk(mode, conversation)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("action", "said"), [("accept", "Hello, Ada!"), ("decline", "rather not"), ("cancel", "rather not")]
)
def test_ask_greets_whoever_answers_and_takes_no_for_an_answer(mode: str, action: str, said: str) -> None:
    async def conversation(client: Client, _heard: list[str]) -> None:
        assert said in text_of(await client.call_tool("ask", {}))

    talk(mode, conversation, action)


def test_an_added_tool_is_announced_listed_and_callable() -> None:
    async def conversation(client: Client, heard: list[str]) -> None:
        for number in (1, 2):
            assert text_of(await client.call_tool("add_tool", {})) == f"Added extra_{number}."
        assert {"extra_1", "extra_2"} <= {tool.name for tool in (await client.list_tools()).tools}
        assert "Hello" in text_of(await client.call_tool("extra_2", {}))
        assert heard.count("ToolListChangedNotification") == 2

    talk("legacy", conversation)


def test_an_added_tool_is_announced_to_listeners_of_the_modern_protocol() -> None:
    async def conversation(client: Client, _heard: list[str]) -> None:
        async with client.listen(tools_list_changed=True) as events:
            await client.call_tool("add_tool", {})
            assert "Tools" in type(await anext(aiter(events))).__name__

    talk("auto", conversation)


@pytest.mark.parametrize("mode", MODES)
def test_the_prompt_mentions_the_note_and_its_language_completes(mode: str) -> None:
    async def conversation(client: Client, _heard: list[str]) -> None:
        prompt = await client.get_prompt("review_note", {"name": "ideas", "language": "French"})
        content = prompt.messages[0].content
        assert isinstance(content, t.TextContent)
        assert "@demo:note://ideas" in content.text and "French" in content.text
        found = await client.complete(t.PromptReference(name="review_note"), {"name": "language", "value": "f"})
        assert found.completion.values == ["French"]

    talk(mode, conversation)


def test_each_server_has_a_notebook_of_its_own() -> None:
    async def conversation(client: Client, _heard: list[str]) -> None:
        assert len((await client.list_resources()).resources) == 3
        await client.call_tool("delete_note", {"name": "readme"})

    talk("auto", conversation)
    talk("auto", conversation)

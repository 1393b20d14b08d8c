"""The demo server itself: tools of every capability, resources, prompts and completion over one notebook."""

import random
from typing import Annotated, Any

import anyio
from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp_types import Completion, CompletionArgument, CompletionContext, PromptReference, Resource, ToolAnnotations
from mcp_types import ResourceTemplateReference as TemplateReference
from pydantic import BaseModel, Field

from codeagent_lsp.demo.notebook import Notebook

INSTRUCTIONS = (
    "A notebook to try things with. Notes are resources (note://NAME) and can be read, added and deleted. "
    "Nothing is kept when the server stops, and nothing goes to the network."
)
LANGUAGES = ("English", "French", "German", "Italian", "Portuguese", "Spanish")
SKIES = ("clear sky", "light rain", "fog in the morning", "a fresh wind")


class Greeting(BaseModel):
    """What `ask` wants to know."""

    name: str = Field(title="Your name", description="As you would like to be greeted", min_length=1)
    excited: bool = Field(default=False, title="With an exclamation mark")


async def question() -> Elicit[Greeting]:
    """What `ask` asks before it runs."""
    return Elicit("Whom shall I greet?", Greeting)


class Tools:
    """The tools, as methods: each docstring is what the user reads."""

    def __init__(self, server: MCPServer[Any], notebook: Notebook) -> None:
        self._server = server
        self._notebook = notebook
        self._added = 0

    async def get_note(self, name: Annotated[str, Field(description="The note's name, e.g. readme")]) -> str:
        """Read one note."""
        try:
            return self._notebook.read(name)
        except KeyError as error:
            raise ToolError(str(error.args[0])) from None

    async def list_notes(self) -> list[str]:
        """List the names of all notes."""
        return self._notebook.names()

    async def add_note(self, name: str, text: str, ctx: Context) -> str:
        """Write a note; an older one of the same name is replaced."""
        try:
            is_new = self._notebook.write(name, text)
        except ValueError as error:
            raise ToolError(str(error)) from None
        if is_new:
            await announce(ctx, "resources")
        else:
            await ctx.notify_resource_updated(f"note://{name}")
        return f"Wrote {name} ({len(text)} characters)."

    async def delete_note(self, name: str, ctx: Context) -> str:
        """Delete a note for good."""
        try:
            self._notebook.delete(name)
        except KeyError as error:
            raise ToolError(str(error.args[0])) from None
        await announce(ctx, "resources")
        return f"Deleted {name}."

    async def fetch_weather(self, city: str) -> str:
        """Fetch tomorrow's weather. It is made up, and no network is used."""
        return f"{city}: {random.Random(city).randint(-5, 30)} °C, {random.Random(city[::-1]).choice(SKIES)}"

    async def count(
        self,
        ctx: Context,
        steps: Annotated[int, Field(ge=1, le=1000)] = 5,
        seconds: Annotated[float, Field(ge=0, le=60, description="How long one step takes")] = 0.2,
    ) -> str:
        """Count slowly, and report each step."""
        for step in range(1, steps + 1):
            await anyio.sleep(seconds)
            await ctx.report_progress(step, steps, f"step {step} of {steps}")
        return f"Counted to {steps}."

    async def roll_dice(self, dice: Annotated[int, Field(ge=1, le=100)] = 2) -> list[int]:
        """Roll six-sided dice."""
        return [random.randint(1, 6) for _ in range(dice)]

    async def ask(self, greeting: Annotated[ElicitationResult[Greeting], Resolve(question)]) -> str:
        """Ask you for your name, and greet you."""
        if not isinstance(greeting, AcceptedElicitation):
            return "You would rather not say. That is fine."
        return f"Hello, {greeting.data.name}{'!' if greeting.data.excited else '.'}"

    async def add_tool(self, ctx: Context) -> str:
        """Give this server one more tool, right now."""
        self._added += 1
        name = f"extra_{self._added}"
        self._server.add_tool(
            say_hello, name=name, description="A tool that was not there a moment ago.", annotations=READS
        )
        await announce(ctx, "tools")
        return f"Added {name}."


READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
FETCHES = ToolAnnotations(read_only_hint=True, open_world_hint=True)
WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
DESTROYS = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)


async def say_hello() -> str:
    """What every tool that `add_tool` adds does."""
    return "Hello from a tool that was not there a moment ago."


async def announce(ctx: Context, what: str) -> None:
    """Say that a list has changed, in the way that this client's protocol version hears."""
    if what == "tools":
        await ctx.notify_tools_changed()
        await ctx.session.send_tool_list_changed()
    else:
        await ctx.notify_resources_changed()
        await ctx.session.send_resource_list_changed()


class NotebookServer(MCPServer[Any]):
    """An MCP server whose list of resources is the notebook as it is now."""

    def __init__(self, notebook: Notebook) -> None:
        super().__init__("codeagent-demo", title="Demo", version="1.0", instructions=INSTRUCTIONS)
        self._notebook = notebook

    async def list_resources(self) -> list[Resource]:
        """One resource for each note."""
        return [
            Resource(uri=f"note://{name}", name=name, title=name.title(), mime_type="text/markdown")
            for name in self._notebook.names()
        ]


def review_note(name: str, language: str = "English") -> str:
    """Ask a model to review a note."""
    return f"Review the note @demo:note://{name} and answer in {language}. Be kind, be short."


def add_prompts(server: MCPServer[Any], notebook: Notebook) -> None:
    """The prompts, and the values that their arguments and the note template complete to."""

    async def complete(
        ref: PromptReference | TemplateReference, argument: CompletionArgument, context: CompletionContext | None
    ) -> Completion | None:
        pool = {"name": notebook.names(), "language": list(LANGUAGES)}.get(argument.name, [])
        values = [value for value in pool if value.lower().startswith(argument.value.lower())]
        return Completion(values=values, total=len(values), has_more=False)

    server.prompt(title="Review a note")(review_note)
    server.completion()(complete)


def add_tools(server: MCPServer[Any], tools: Tools) -> None:
    """The tools, each annotated with the truth; `roll_dice` says nothing about itself, as many servers do."""
    server.add_tool(tools.get_note, title="Read a note", annotations=READS)
    server.add_tool(tools.list_notes, title="List notes", annotations=READS)
    server.add_tool(tools.count, title="Count", annotations=READS)
    server.add_tool(tools.ask, title="Ask", annotations=READS)
    server.add_tool(tools.fetch_weather, title="Fetch weather", annotations=FETCHES)
    server.add_tool(tools.add_note, title="Write a note", annotations=WRITES)
    server.add_tool(tools.add_tool, title="Add a tool", annotations=WRITES)
    server.add_tool(tools.delete_note, title="Delete a note", annotations=DESTROYS)
    server.add_tool(tools.roll_dice)


def build() -> MCPServer[Any]:
    """A demo server with a notebook of its own, ready to run on any transport."""
    notebook = Notebook()
    server = NotebookServer(notebook)

    async def read_note(name: str) -> str:
        try:
            return notebook.read(name)
        except KeyError as error:
            raise ResourceNotFoundError(str(error.args[0])) from None

    server.resource("note://{name}", name="note", title="A note by name", mime_type="text/markdown")(read_note)
    add_tools(server, Tools(server, notebook))
    add_prompts(server, notebook)
    return server

"""What an agent needs beside the tools: the servers' instructions, and a block for its system prompt."""

from codeagent_lsp.operations.host import Host
from codeagent_lsp.operations.tools import list_tools
from codeagent_lsp.protocol.params import ListToolsParams, NoParams
from codeagent_lsp.protocol.results import Instructions, PromptSection
from codeagent_lsp.text import one_line


async def instructions(host: Host, _params: NoParams) -> Instructions:
    """Each server's own instructions, in server order, one by one and as one text with a heading for each."""
    return Instructions(host.catalog.instructions_text(), host.catalog.instructions())


async def prompt_section(host: Host, _params: NoParams) -> PromptSection:
    """The block that an agent puts into the uncached part of its system prompt; the same set gives the same bytes."""
    found = await list_tools(host, ListToolsParams(wait_ms=0))
    lines = ["# MCP tools", "", *(f"- **{tool.name}**: {one_line(tool.description, 1000)}" for tool in found.tools)]
    if not found.tools:
        lines = ["# MCP tools", "", "None are available at the moment."]
    said = host.catalog.instructions_text()
    if said:
        lines += ["", "# Instructions of the MCP servers", "", said]
    return PromptSection(found.revision, "\n".join(lines) + "\n")

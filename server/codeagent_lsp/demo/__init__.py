"""A small MCP server to try things with: `python -m codeagent_lsp.demo` serves a notebook over stdio, all in memory."""

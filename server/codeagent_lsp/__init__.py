"""codeagent-lsp: one MCP host for every editor, as a language server over stdio."""

__version__ = "0.1.0"

"""codeagent-lsp: one MCP host for every editor, as a language server over stdio."""

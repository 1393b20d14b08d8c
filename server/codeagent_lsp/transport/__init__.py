"""One launch: bytes to tolerant MCP messages, and no orphans."""

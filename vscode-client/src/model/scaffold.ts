// The text of a new config file: explained, with one server that works on any machine.

/** The variable by which a config file names the language server's own Python. */
export const PYTHON_VARIABLE = "CODEAGENT_PYTHON";

export const NEW_CONFIGURATION = `// MCP servers for everybody who opens this folder. Nothing in here starts before you approve it.
{
  "mcpServers": {
    // A program of your own:
    // "files": {
    //   "command": "npx",
    //   "args": ["-y", "@modelcontextprotocol/server-filesystem", "\${workspaceFolder}"]
    // },

    // A server on the network, with a secret that is asked for once:
    // "docs": {
    //   "url": "https://mcp.example.com/mcp",
    //   "headers": { "Authorization": "Bearer \${input:docs-token}" }
    // },

    // A notebook to try things with: it needs nothing but what the extension has installed.
    "demo": {
      "command": "\${${PYTHON_VARIABLE}:-python3}",
      "args": ["-I", "-m", "codeagent_lsp.demo"]
    }
  }
}
`;

/** Other tools' project files that servers can be imported from. */
export const IMPORTABLE = [".vscode/mcp.json", ".mcp.json", ".cursor/mcp.json"] as const;

/** A new entry as a snippet, to stand directly after the brace that opens the map of servers. */
export const NEW_ENTRIES: Record<"command" | "url", string> = {
  command: '\n    "${1:name}": {\n      "command": "${2:npx}",\n      "args": ["-y", "${3:package}"]\n    },$0',
  url: '\n    "${1:name}": {\n      "url": "${2:https://}"\n    },$0',
};

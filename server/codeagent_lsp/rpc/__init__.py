"""LSP over standard streams or memory: pygls's registry, documents and capabilities on a JSON-RPC half of our own.

From the bottom: `json_text` and `frames` (bytes to JSON), `outbox` (what waits to be written), `wires` and
`memory_wire` (ways to an editor), `failures`, `outgoing`, `incoming` (the two halves of JSON-RPC), `commands`,
`protocol`, `server`; `loop` is the life of the process and knows only the wires.
"""

from codeagent_lsp.rpc.commands import read_arguments
from codeagent_lsp.rpc.loop import Bounds, serve
from codeagent_lsp.rpc.protocol import HostProtocol
from codeagent_lsp.rpc.server import HostServer, PositionEncoding
from codeagent_lsp.rpc.wires import StdioWire

__all__ = ["Bounds", "HostProtocol", "HostServer", "PositionEncoding", "StdioWire", "read_arguments", "serve"]

"""The editor as the rest of the product sees it: told, asked, and what it said of itself."""

from codeagent_lsp.editor.editor import Editor
from codeagent_lsp.editor.options import ClientOptions, read_options, read_trust
from codeagent_lsp.editor.progress import Progress

__all__ = ["ClientOptions", "Editor", "Progress", "read_options", "read_trust"]

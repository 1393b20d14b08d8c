"""A bare pygls server whose completion is always the same list, read from a file: what an answer costs at least.

python bench/bare_completion.py LIST.json
"""

import json
import sys
from pathlib import Path
from typing import Any

from lsprotocol import converters, types
from pygls.lsp.server import LanguageServer


def main() -> None:
    """Serve on stdin and stdout."""
    given = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    found = converters.get_converter().structure(given, types.CompletionList)
    server = LanguageServer("bare", "1.0")

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=[":"]))
    def completion(_params: Any) -> types.CompletionList:
        return found

    server.start_io()


if __name__ == "__main__":
    main()

"""`python -m codeagent_lsp`: the same as `codeagent-lsp`."""

import sys

from codeagent_lsp.cli import main

if __name__ == "__main__":
    sys.exit(main())

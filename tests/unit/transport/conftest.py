"""Makes the scripted servers, which run as programs too, importable for the tests of the wire."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "servers")]

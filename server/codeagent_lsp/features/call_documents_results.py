"""The results of calls as documents: each run keeps its own URI, so that two runs of one call can be compared.

`codeagent://result/<call>-<run>/<tool>.<ext>`: the same tool with the same arguments has the same `<call>`; `<run>`
counts. A text has nothing in it that differs between two equal results, such as the time.
"""

import hashlib
import json
import re
from collections import OrderedDict

from attrs import frozen

from codeagent_lsp.protocol import CallResult, JsonObject
from codeagent_lsp.text import well_formed, without_controls

PREFIX = "codeagent://result/"
MAX_RESULTS = 100
MAX_BYTES = 8 * 1024 * 1024


@frozen
class ResultDocument:
    """One result: its document's URI, text and language."""

    uri: str
    text: str
    language: str


class CallResults:
    """The latest results, at most 100 and 8 MiB of text; the oldest go first."""

    def __init__(self) -> None:
        self._documents: OrderedDict[str, ResultDocument] = OrderedDict()
        self._runs: dict[str, int] = {}
        self._size = 0

    def add(self, name: str, arguments: JsonObject, result: CallResult) -> ResultDocument:
        """Keep the result of a call of the tool with the full `name`."""
        call = _digest(name, arguments)
        run = self._runs[call] = self._runs.get(call, 0) + 1
        text, language = result_text(result)
        ending = {"json": ".json", "markdown": ".md"}.get(language, ".txt")
        file = re.sub(r"[^A-Za-z0-9_.-]+", "_", result.tool)[:80].strip(".") or "result"
        document = ResultDocument(f"{PREFIX}{call}-{run}/{file}{ending}", text, language)
        self._documents[document.uri] = document
        self._size += len(text)
        while len(self._documents) > MAX_RESULTS or (self._size > MAX_BYTES and len(self._documents) > 1):
            _, gone = self._documents.popitem(last=False)
            self._size -= len(gone.text)
        return document

    def get(self, uri: str) -> ResultDocument | None:
        """The document of a URI, while it is kept."""
        return self._documents.get(uri)

    def of(self, name: str, arguments: JsonObject) -> list[str]:
        """The URIs of the results of one call that are kept, oldest first."""
        head = f"{PREFIX}{_digest(name, arguments)}-"
        return [uri for uri in self._documents if uri.startswith(head)]


def result_text(result: CallResult) -> tuple[str, str]:
    """The text of a result and its language: its structured content as JSON, else its text, which may be JSON."""
    if result.structured_content is not None and not result.is_error:
        return json.dumps(well_formed(result.structured_content), ensure_ascii=False, indent=2) + "\n", "json"
    text = without_controls(result.text)
    if result.is_error:
        return f"The tool says that it failed:\n\n{text}\n", "plaintext"
    try:
        value = json.loads(text) if text.lstrip().startswith(("{", "[")) else None
    except (ValueError, RecursionError):
        value = None
    if value is not None:
        return json.dumps(well_formed(value), ensure_ascii=False, indent=2) + "\n", "json"
    warnings = "".join(f"\n[{warning}]" for warning in result.warnings or [])
    return f"{text}{warnings}\n" if warnings or not text.endswith("\n") else text, "plaintext"


def _digest(name: str, arguments: JsonObject) -> str:
    whole = json.dumps([name, arguments], sort_keys=True)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:12]

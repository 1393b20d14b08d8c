"""What calling a tool may do, judged from what its server says about it: annotations first, then words.

Everything here can only raise the danger: annotations are hints of a stranger (MCP 2025-11-25, ToolAnnotations), and
words in a name or a description are no promise. What nothing is known of is `unknown`, which asks.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache

from codeagent_lsp.policy.verbs import forms
from codeagent_lsp.protocol import Capability

# From safe to dangerous. Unknown stands above what only reads: a description must not talk a tool down.
_DANGER: tuple[Capability, ...] = ("read", "network", "unknown", "write", "destructive")

_LETTERS = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# Last in a name, these read what stands before them: `settings_get`, `updates.list`.
_READERS = {"get", "list", "read", "show", "find", "describe", "query"}
_JOINTS = {"and", "or", "then", "but"}
# In prose a verb may follow these too.
_PROSE_JOINTS = (
    _JOINTS
    | {"to", "will", "can", "may", "must", "should", "also", "it", "that", "which", "who", "tool"}
    | {"lets", "let", "allows", "allow", "enables", "function", "command", "method", "helps"}
)
_BEFORE_A_VERB = re.compile(r"\w+ly|for|by|when|while|on|upon|please|this|you|automatically|only|just")
_SENTENCE = re.compile(r"[.,;:!?()\[\]{}\n\r\t|]+")
# Text beyond this is not looked at: no honest description is longer, and a dishonest one gains nothing by it.
_READ_AT_MOST = 65_536


def capability(
    name: str, title: str | None, description: str | None, annotations: Mapping[str, object] | None
) -> Capability:
    """What calling this tool may do. The more dangerous of what the annotations and the words say.

    `annotations` is the raw JSON of the server: only `true` and `false` count, everything else is as if it were not
    there. The name's words are read first; words of the title and the description may raise what the name says.
    """
    said = _annotated(annotations)
    named = _from_name(name)
    result: Capability = _worse(said, named) if said and named else (said or named or "unknown")
    if disguised(name):
        result = _worse(result, "unknown")
    for text in (title, description):
        if isinstance(text, str) and (found := _from_prose(text)):
            result = _worse(result, found)
    return result


def contradicts(name: str, annotations: Mapping[str, object] | None) -> bool:
    """Whether the server calls a tool read-only whose name says that it changes something, or hides what it says."""
    return hint(annotations, "readOnlyHint") is True and (
        _from_name(name) in ("write", "destructive") or disguised(name)
    )


def hint(annotations: Mapping[str, object] | None, key: str) -> bool | None:
    """One annotation, if it is a real boolean: `"true"`, `1` and `[]` are no answers."""
    value = annotations.get(key) if isinstance(annotations, Mapping) else None
    return value if isinstance(value, bool) else None


def words(name: str) -> list[str]:
    """The words of a name, in lower case: camelCase, snake_case, kebab-case and digits split, `DELETE_USER` whole.

    Look-alike forms of Latin letters (full width, accents, ligatures) are read as the plain letters, and characters
    that draw nothing are dropped.
    """
    plain = unicodedata.normalize("NFKD", name[:_READ_AT_MOST])
    plain = "".join(char for char in plain if unicodedata.category(char) not in ("Mn", "Cf"))
    runs = _LETTERS.findall(plain)
    return [word.casefold() for run in runs for word in (_CAMEL.findall(run) if run.isascii() else [run])]


def _annotated(annotations: Mapping[str, object] | None) -> Capability | None:
    read_only, destructive = hint(annotations, "readOnlyHint"), hint(annotations, "destructiveHint")
    if destructive:
        return "destructive"
    if read_only:
        return "network" if hint(annotations, "openWorldHint") else "read"
    if read_only is False:
        return "write"
    return None


@lru_cache(maxsize=1024)
def _from_name(name: str) -> Capability | None:
    return _worst(danger for clause in _clauses(words(name), _JOINTS) for danger in _name_clause(clause))


def _name_clause(clause: Sequence[str]) -> Iterable[Capability]:
    """What the words of one clause of a name say: all but what is the object of a reading verb."""
    known = [(index, form) for index, word in enumerate(clause) if (form := forms().get(word))]
    readers = [index for index, form in known if form.danger == "read" and form.shape == "firm"]
    ends_reading = bool(clause) and clause[-1] in _READERS
    for index, form in known:
        governed = bool(readers) and readers[0] < index
        if form.shape == "participle":
            governed = bool(readers)
        elif form.shape == "bent":
            governed = governed or ends_reading
        if form.shape == "firm" or not governed:
            yield form.danger


def _from_prose(text: str) -> Capability | None:
    sentences = _SENTENCE.split(text[:_READ_AT_MOST])
    clauses = (clause for sentence in sentences for clause in _clauses(words(sentence), _PROSE_JOINTS))
    return _worst(danger for clause in clauses for danger in _prose_clause(clause))


def _prose_clause(clause: Sequence[str]) -> Iterable[Capability]:
    """What the words of one clause of a sentence say: firm verbs anywhere, others where the clause begins."""
    reads, opening = False, True
    for word in clause:
        form = forms().get(word)
        if form and (
            form.in_prose == "firm"
            or (form.in_prose == "opening" and opening)
            or (form.in_prose == "ungoverned" and not reads)
        ):
            yield form.danger
            reads = reads or form.danger == "read"
        opening = opening and bool(_BEFORE_A_VERB.fullmatch(word))


def _clauses(found: Iterable[str], joints: AbstractSet[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in found:
        if word in joints:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def disguised(name: str) -> bool:
    """Whether a word mixes Latin letters with others that look like them: `dеlete` with a Cyrillic е."""
    if name.isascii():
        return False
    plain = unicodedata.normalize("NFKC", name[:_READ_AT_MOST])
    for word in re.findall(r"[^\W\d_]+", plain):
        latin = sum("LATIN" in unicodedata.name(char, "") for char in word)
        alike = sum(unicodedata.name(char, "").startswith(_LOOK_ALIKE) for char in word)
        if latin and alike:
            return True
    return False


_LOOK_ALIKE = ("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "DESERET")


def _worst(found: Iterable[Capability]) -> Capability | None:
    result: Capability | None = None
    for danger in found:
        result = _worse(result, danger) if result else danger
    return result


def _worse(one: Capability, other: Capability) -> Capability:
    return one if _DANGER.index(one) >= _DANGER.index(other) else other

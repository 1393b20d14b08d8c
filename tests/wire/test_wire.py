"""The shared examples of every message: Python reads and writes them as they stand, and so must the other mirrors.

Each `NAME.json` names its message (`command`, `notification`, `question` or `fromEditor`) and holds examples with
`params` and, where there is one, `result`.
"""

import json
from pathlib import Path
from typing import Any, get_args, get_origin

import attrs
import pytest

from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.protocol import COMMANDS, NOTIFICATIONS, QUESTIONS, WorkspaceTrustChanged
from codeagent_lsp.protocol.table import WORKSPACE_TRUST_CHANGED
from codeagent_lsp.protocol.wire import camel, dump, read

FILES = sorted(Path(__file__).parent.glob("*.json"))
KINDS = {"command": COMMANDS, "notification": NOTIFICATIONS, "question": QUESTIONS}


def load(path: Path) -> tuple[str, Any, Any, list[dict[str, Any]]]:
    """The name of a message, the types of its params and its result, and its examples."""
    data = json.loads(path.read_text("utf-8"))
    for kind, table in KINDS.items():
        if kind in data:
            message: Any = table[data[kind]]
            return data[kind], message.params, getattr(message, "result", None), data["examples"]
    assert data["fromEditor"] == WORKSPACE_TRUST_CHANGED
    return data["fromEditor"], WorkspaceTrustChanged, None, data["examples"]


CASES = [
    pytest.param(kind, example[part], part, id=f"{path.stem}-{part}-{index}")
    for path in FILES
    for _name, params, result, examples in [load(path)]
    for index, example in enumerate(examples)
    for part, kind in (("params", params), ("result", result))
    if kind is not None
]


def test_every_message_has_an_example() -> None:
    names = {load(path)[0] for path in FILES}
    assert names == {*COMMANDS, *NOTIFICATIONS, *QUESTIONS, WORKSPACE_TRUST_CHANGED}


@pytest.mark.parametrize(("kind", "data", "part"), CASES)
def test_an_example_is_read_and_written_without_loss(kind: Any, data: Any, part: str) -> None:
    value = read(data, kind)
    written = dump(value)
    assert read(written, kind) == value
    for key, item in data.items():
        assert written[key] == item
    if "params" not in kind.__module__:
        assert written == data


@pytest.mark.parametrize(("kind", "data", "part"), CASES)
def test_an_unknown_field_is_refused_by_name(kind: Any, data: Any, part: str) -> None:
    if not attrs.has(kind):
        return  # JSON that passes through untouched
    with pytest.raises(InvalidParams, match="unknown field `surprise`"):
        read({**data, "surprise": 1}, kind)


def test_the_examples_use_every_field_of_every_object() -> None:
    used: dict[type, set[str]] = {}
    for case in CASES:
        kind, data, _part = case.values
        collect(kind, data, used)
    for cls, names in used.items():
        assert names == {camel(field.name) for field in attrs.fields(cls)}, f"{cls.__name__} has fields without example"


def collect(kind: Any, data: Any, used: dict[type, set[str]]) -> None:
    """Note which fields of which objects an example uses."""
    if attrs.has(kind):
        if isinstance(data, dict):
            used.setdefault(kind, set()).update(data)
            for field in attrs.fields(kind):
                collect(field.type, data.get(camel(field.name)), used)
        return
    for inner in get_args(kind) if get_origin(kind) is not None else ():
        for item in data if isinstance(data, list) else [data]:
            collect(inner, item, used)

"""Of the messages that are read together, only those go on that a later one has not made worthless."""

from typing import Any

from codeagent_lsp.transport.batch import Batch


def left(*messages: dict[str, Any]) -> list[Any]:
    batch = Batch()
    for message in messages:
        batch.add({"jsonrpc": "2.0", **message})
    assert batch.empty == (not messages)
    found: list[Any] = []
    batch.pass_to(found.append)
    return found


def changed(kind: str) -> dict[str, Any]:
    return {"method": f"notifications/{kind}/list_changed"}


def progress(token: Any, done: int) -> dict[str, Any]:
    return {"method": "notifications/progress", "params": {"progressToken": token, "progress": done}}


def answer(number: int) -> dict[str, Any]:
    return {"id": number, "result": {}}


def test_a_burst_of_changes_is_one_of_each_kind() -> None:
    found = left(*[changed("tools"), changed("prompts")] * 100, answer(1))
    assert [item.get("method") for item in found] == [
        "notifications/tools/list_changed", "notifications/prompts/list_changed", None,
    ]  # fmt: skip


def test_of_progress_the_last_value_of_each_token_stays() -> None:
    found = left(*(progress(token, done) for done in range(100) for token in (1, "1", 2)))
    assert [(item["params"]["progressToken"], item["params"]["progress"]) for item in found] == [
        (1, 99), ("1", 99), (2, 99),
    ]  # fmt: skip


def test_answers_requests_and_other_notifications_all_go_on_in_order() -> None:
    messages = [
        answer(1),
        answer(1),
        {"id": 2, "method": "ping"},
        {"method": "notifications/message", "params": {"level": "info", "data": 1}},
        {"method": "notifications/message", "params": {"level": "info", "data": 1}},
        {"method": "notifications/resources/updated", "params": {"uri": "a"}},
        {"method": "notifications/resources/updated", "params": {"uri": "b"}},
        {"id": "x", "error": {"code": 1, "message": "no"}},
        {"method": "notifications/progress"},
    ]
    assert len(left(*messages)) == len(messages)

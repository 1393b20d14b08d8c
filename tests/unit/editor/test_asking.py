"""Questions: only to those who can ask them, and everything but a clear yes is a no."""

import asyncio
from typing import Any

import pytest

from codeagent_lsp.editor import Editor
from codeagent_lsp.protocol import QUESTIONS, ApproveCallParams, ApproveServerParams, ElicitParams, InputParams
from editor_client import SILENCE, EditorClient, LspError

SERVER = ApproveServerParams("s", "s", "file:///x", "f" * 64, "stdio", ["a warning"], argv=["npx", "x"])
CALL = ApproveCallParams("s", "t", "does t", {"class": 2**60, "n": None}, "write", [], ["once", "session"])
FORM = ElicitParams("s", "form", "Who?", schema={"type": "object"})
INPUT = InputParams("token", "The token", True)

ASKED: dict[str, Any] = {
    "codeagent/approveServer": SERVER,
    "codeagent/approveCall": CALL,
    "codeagent/elicit": FORM,
    "codeagent/input": INPUT,
    "codeagent/sample": {"server": "s", "messages": [{"jsonrpc": "2.0"}]},
}


def test_every_question_of_the_protocol_is_tested_here() -> None:
    assert set(ASKED) == set(QUESTIONS)


@pytest.mark.parametrize(
    ("method", "answer"),
    [
        *(("codeagent/approveServer", {"decision": decision}) for decision in ("session", "always", "deny")),
        *(
            ("codeagent/approveCall", {"decision": decision})
            for decision in ("once", "session", "workspace", "always", "deny")
        ),
        ("codeagent/elicit", {"action": "accept", "content": {"a": None, "class": 2**70, "jsonrpc": [1.5]}}),
        ("codeagent/elicit", {"action": "decline"}),
        ("codeagent/elicit", {"action": "cancel"}),
        ("codeagent/input", {"value": "secret"}),
        ("codeagent/input", {"value": ""}),
        ("codeagent/sample", {"role": "assistant", "content": {"type": "text", "text": "x"}, "model": "m"}),
    ],
)
async def test_a_clear_answer_arrives_as_json(ours: Editor, theirs: EditorClient, method: str, answer: Any) -> None:
    await theirs.start(answers={method: answer})
    assert await ours.ask(method, ASKED[method]) == answer


async def test_the_question_is_sent_as_the_table_has_it(ours: Editor, theirs: EditorClient) -> None:
    await theirs.start(features=["approveCall"])
    await ours.ask("codeagent/approveCall", CALL)
    [(method, params)] = theirs.questions
    assert method == "codeagent/approveCall"
    assert params["arguments"] == {"class": 2**60, "n": None}
    assert params["scopes"] == ["once", "session"]
    assert "title" not in params


NO = [
    None, "deny", "always", 5, True, [], ["always"], {}, {"decision": None}, {"decision": True}, {"decision": "yes"},
    {"decision": "ALWAYS"}, {"decision": ["always"]}, {"decision": {"decision": "always"}}, {"Decision": "always"},
    {"action": "accept"}, LspError({"code": -32601, "message": "no such method"}),
]  # fmt: skip


@pytest.mark.parametrize("answer", NO)
@pytest.mark.parametrize("method", ["codeagent/approveServer", "codeagent/approveCall"])
async def test_anything_but_a_clear_answer_is_a_no(
    ours: Editor, theirs: EditorClient, method: str, answer: Any
) -> None:
    await theirs.start(answers={method: answer})
    assert await ours.ask(method, ASKED[method]) is None


@pytest.mark.parametrize("answer", [{"action": "yes"}, {"action": "accept", "content": "x"}, {"content": {}}, "accept"])
async def test_an_unclear_answer_to_a_form_is_a_no(ours: Editor, theirs: EditorClient, answer: Any) -> None:
    await theirs.start(answers={"codeagent/elicit": answer})
    assert await ours.ask("codeagent/elicit", FORM) is None


@pytest.mark.parametrize("answer", [{"value": 5}, {"value": None}, {}, "secret", [], {"text": "x"}])
async def test_an_unclear_answer_to_an_input_is_a_no(ours: Editor, theirs: EditorClient, answer: Any) -> None:
    await theirs.start(answers={"codeagent/input": answer})
    assert await ours.ask("codeagent/input", INPUT) is None


async def test_a_field_of_a_newer_client_does_not_turn_a_yes_into_a_no(ours: Editor, theirs: EditorClient) -> None:
    await theirs.start(answers={"codeagent/approveServer": {"decision": "session", "remembered": True}})
    assert await ours.ask("codeagent/approveServer", SERVER) == {"decision": "session"}


@pytest.mark.parametrize("features", [[], ["elicit"], ["approveserver"], ["codeagent/approveServer"]])
async def test_a_question_that_the_client_did_not_name_is_not_asked(
    ours: Editor, theirs: EditorClient, features: list[str]
) -> None:
    await theirs.start(features=features)
    assert await ours.ask("codeagent/approveServer", SERVER) is None
    assert theirs.questions == []


async def test_silence_is_a_no_and_the_question_is_taken_back(ours: Editor, theirs: EditorClient) -> None:
    await theirs.start(answers={"codeagent/approveServer": SILENCE})
    assert await ours.ask("codeagent/approveServer", SERVER, timeout=0.05) is None
    await theirs.wait_for("$/cancelRequest")


async def test_a_late_answer_is_ignored(ours: Editor, theirs: EditorClient) -> None:
    late = asyncio.Event()

    async def answer(params: Any) -> Any:
        await late.wait()
        return {"decision": "always"}

    await theirs.start(answers={"codeagent/approveServer": answer})
    assert await ours.ask("codeagent/approveServer", SERVER, timeout=0.05) is None
    late.set()
    theirs.answer("codeagent/approveServer", {"decision": "session"})
    assert await ours.ask("codeagent/approveServer", SERVER) == {"decision": "session"}


async def test_cancelling_the_asker_takes_the_question_back(ours: Editor, theirs: EditorClient) -> None:
    await theirs.start(answers={"codeagent/elicit": SILENCE})
    asking = asyncio.create_task(ours.ask("codeagent/elicit", FORM))
    await theirs.wait_for("codeagent/elicit")
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await theirs.wait_for("$/cancelRequest")


async def test_shutdown_ends_every_question_with_a_no(ours: Editor, theirs: EditorClient) -> None:
    await theirs.start(answers={"codeagent/elicit": SILENCE})
    asking = asyncio.create_task(ours.ask("codeagent/elicit", FORM))
    await theirs.wait_for("codeagent/elicit")
    await theirs.request("shutdown")
    assert await asyncio.wait_for(asking, 1) is None


async def test_buttons_work_in_any_client(ours: Editor, theirs: EditorClient) -> None:
    await theirs.start()
    theirs.answer("window/showMessageRequest", "Allow")
    assert await ours.show_message_request("May it?", ["Allow", "Deny"]) == "Allow"
    [(_, params)] = theirs.questions
    assert params == {"type": 2, "message": "May it?", "actions": [{"title": "Allow"}, {"title": "Deny"}]}


@pytest.mark.parametrize(
    "answer",
    [None, {"title": "Other"}, {}, {"title": None}, {"title": 5}, {"title": ["Allow"]}, [], 5, True,
     LspError({"code": -32601, "message": "unknown"})],
)  # fmt: skip
async def test_any_other_button_is_none(ours: Editor, theirs: EditorClient, answer: Any) -> None:
    await theirs.start()
    theirs.answer("window/showMessageRequest", answer)
    assert await ours.show_message_request("May it?", ["Allow", "Deny"]) is None


async def test_a_dialog_that_nobody_answers_is_none(ours: Editor, theirs: EditorClient) -> None:
    await theirs.start()
    theirs.answer("window/showMessageRequest", SILENCE)
    assert await ours.show_message_request("May it?", ["Allow"], timeout=0.05) is None

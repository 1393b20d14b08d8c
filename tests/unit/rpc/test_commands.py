"""The shapes that a command's arguments come in, and names that are nearly right."""

from typing import Any

import pytest

from codeagent_lsp.errors import InvalidParams
from codeagent_lsp.rpc import read_arguments
from editor_client import EditorClient, LspError

OBJECT = {"server": "s", "tool": "t", "arguments": {"class": 1, "jsonrpc": "1", "_meta": {"id": 2**70}, "n": None}}


@pytest.mark.parametrize("raw", [None, [], [None], [[]], [{}], {}])
def test_nothing_in_any_spelling_is_an_empty_object(raw: Any) -> None:
    assert read_arguments(raw) == {}


@pytest.mark.parametrize("raw", [[OBJECT], OBJECT])
def test_an_object_arrives_as_it_was_sent_in_a_list_or_bare(raw: Any) -> None:
    assert read_arguments(raw) == OBJECT


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (["s", "t", {}], "there are 3 values"),
        ([{}, "extra"], "there are 2 values"),
        ([{}, {}], "there are 2 values"),
        ([None, None], "there are 2 values"),
        ([[], []], "there are 2 values"),
        (["s"], "not a string"),
        ("s", "not a string"),
        ([1], "not a number"),
        (0, "not a number"),
        ([1.5], "not a number"),
        ([True], "not true or false"),
        (False, "not true or false"),
        ([[1]], "not an array"),
        ([[None]], "not an array"),
        ([[{}]], "not an array"),
    ],
)
def test_anything_else_is_refused_with_what_was_there(raw: Any, says: str) -> None:
    with pytest.raises(InvalidParams) as error:
        read_arguments(raw)
    assert says in error.value.message
    assert "one JSON object" in error.value.message


async def execute(editor: EditorClient, **params: Any) -> Any:
    return await editor.request("workspace/executeCommand", params)


@pytest.mark.parametrize("arguments", [[], None, [None], [[]], [{}], {}])
async def test_empty_arguments_reach_the_handler_as_an_empty_object(tiny: EditorClient, arguments: Any) -> None:
    await tiny.start()
    assert await execute(tiny, command="tiny.echo", arguments=arguments) == {"params": {}, "token": None}


async def test_absent_arguments_reach_the_handler_as_an_empty_object(tiny: EditorClient) -> None:
    await tiny.start()
    assert (await execute(tiny, command="tiny.echo"))["params"] == {}


@pytest.mark.parametrize("arguments", [[OBJECT], OBJECT])
async def test_values_of_an_object_survive(tiny: EditorClient, arguments: Any) -> None:
    await tiny.start()
    assert (await execute(tiny, command="tiny.echo", arguments=arguments))["params"] == OBJECT


@pytest.mark.parametrize("arguments", [["s", "t", {}], [{}, "extra"], "x", [1], [[1]], True])
async def test_wrong_arguments_are_invalid_params(tiny: EditorClient, arguments: Any) -> None:
    await tiny.start()
    with pytest.raises(LspError) as error:
        await execute(tiny, command="tiny.echo", arguments=arguments)
    assert (error.value.code, error.value.data) == (-32602, {"kind": "invalidParams"})


@pytest.mark.parametrize("token", ["t", 7, 0])
async def test_the_handler_is_given_the_work_done_token(tiny: EditorClient, token: Any) -> None:
    await tiny.start()
    assert (await execute(tiny, command="tiny.echo", workDoneToken=token))["token"] == token


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("codeagent.listTool", "codeagent.listTools"),
        ("listTools", "codeagent.listTools"),
        ("codeagent.LISTTOOLS", "codeagent.listTools"),
        ("mcp.status", "codeagent.status"),
        ("codeagent.callTools", "codeagent.callTool"),
    ],
)
async def test_an_unknown_command_names_the_nearest(tiny: EditorClient, name: str, nearest: str) -> None:
    await tiny.start()
    with pytest.raises(LspError) as error:
        await execute(tiny, command=name)
    assert error.value.code == -32602
    assert f"did you mean `{nearest}`" in error.value.message


@pytest.mark.parametrize("name", ["zzzzzz", "", None, 5, ["tiny.echo"], {"a": 1}])
async def test_a_command_like_no_other_is_invalid_params(tiny: EditorClient, name: Any) -> None:
    await tiny.start()
    with pytest.raises(LspError) as error:
        await execute(tiny, command=name)
    assert error.value.code == -32602


@pytest.mark.parametrize("params", [None, {}, [], ["tiny.echo"]])
async def test_a_request_without_a_command_is_invalid_params(tiny: EditorClient, params: Any) -> None:
    await tiny.start()
    with pytest.raises(LspError) as error:
        await tiny.request("workspace/executeCommand", params)
    assert error.value.code == -32602


async def test_a_command_of_the_table_is_given_its_frozen_value_and_refuses_unknown_fields(
    tiny: EditorClient, server: Any
) -> None:
    got: list[Any] = []
    server.add_command("codeagent.listTools", lambda params, token: got.append(params))
    await tiny.start()
    await tiny.command("codeagent.listTools", waitMs=5, includeDisabled=True)
    assert (got[0].wait_ms, got[0].include_disabled, got[0].server) == (5, True, None)
    with pytest.raises(LspError, match="did you mean `waitMs`"):
        await tiny.command("codeagent.listTools", waitms=5)

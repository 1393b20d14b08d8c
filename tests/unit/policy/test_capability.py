"""What a tool may do is judged from its annotations and words, and every word only raises the danger."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeagent_lsp.policy.capability import capability, contradicts, hint, words

ORDER = ["read", "network", "unknown", "write", "destructive"]

NAMES = {
    "get_updates": "read",
    "list_deleted_items": "read",
    "listRecentlyDeleted": "read",
    "deleted_items_list": "read",
    "get_created_at": "read",
    "list_workflow_runs": "read",
    "runs.list": "read",
    "get_pull_request": "read",
    "list_executions": "read",
    "get_commit": "read",
    "list_comments": "read",
    "settings_get": "read",
    "target_list": "read",
    "widget_list": "read",
    "dropdown_list": "read",
    "preset_show": "read",
    "offset_get": "read",
    "address_list": "read",
    "describeRunner": "read",
    "query": "read",
    "get-library-docs": "read",
    "GET_USER": "read",
    "getURL2": "read",
    "get_and_delete": "destructive",
    "getThenDelete": "destructive",
    "list_or_remove": "destructive",
    "request_deletion": "destructive",
    "file_removal": "destructive",
    "deleteUser": "destructive",
    "delete-user": "destructive",
    "DELETE_USER": "destructive",
    "delete user": "destructive",
    "user.delete": "destructive",
    "users/delete": "destructive",
    "deletes_users": "destructive",
    "deleting_user": "destructive",
    "deleted_all": "destructive",
    "delete2": "destructive",
    "bulkDeleteV2": "destructive",
    "HTTPDelete": "destructive",
    "reset_password": "destructive",
    "overwriteFile": "destructive",
    "execute_sql": "destructive",
    "run": "destructive",
    "runCommand": "destructive",
    "query_exec": "destructive",
    "truncate_text": "destructive",
    "clear_list": "destructive",
    "eval": "destructive",
    "shell": "destructive",
    "dropTable": "destructive",
    "kill-process": "destructive",
    "purge": "destructive",
    "force_push": "destructive",
    "forget_user": "destructive",
    "rm": "destructive",
    "ｄｅｌｅｔｅ_all": "destructive",
    "de\u200blete_all": "destructive",
    "dele\u0301te_all": "destructive",
    "undelete": "write",
    "search_and_create": "write",
    "get_or_create": "write",
    "read_write_file": "write",
    "update_list": "write",
    "mark_read": "write",
    "send_message": "write",
    "postMessage": "write",
    "setLabel": "write",
    "move_file": "write",
    "search": "network",
    "search_files": "network",
    "fetchPage": "network",
    "browse": "network",
    "http_get": "network",
    "download": "network",
    "get_web_page": "read",
    "搜索": "unknown",
    "удалить": "unknown",
    "d\u0435lete_all": "unknown",
    "x": "unknown",
    "": "unknown",
    "123": "unknown",
    "___": "unknown",
    "already_done": "unknown",
    "spread": "unknown",
    "budget": "unknown",
    "runtime": "unknown",
    "setup": "unknown",
    "settlement": "unknown",
    "dropdown": "unknown",
}


@pytest.mark.parametrize(("name", "expected"), NAMES.items())
def test_a_name_is_read_in_whole_words_and_the_worst_verb_wins(name: str, expected: str) -> None:
    assert capability(name, None, None, None) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    {
        "deleteUser": ["delete", "user"],
        "delete_user": ["delete", "user"],
        "delete-user": ["delete", "user"],
        "DELETE_USER": ["delete", "user"],
        "DeleteUser": ["delete", "user"],
        "HTTPRequest2": ["http", "request", "2"],
        "a.b/c:d e": ["a", "b", "c", "d", "e"],
        "搜索": ["搜索"],
        "": [],
    }.items(),
)
def test_names_are_split_as_programmers_write_them(name: str, expected: list[str]) -> None:
    assert words(name) == expected


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ({"readOnlyHint": True}, "read"),
        ({"readOnlyHint": True, "openWorldHint": True}, "network"),
        ({"readOnlyHint": True, "openWorldHint": False}, "read"),
        ({"readOnlyHint": True, "destructiveHint": True}, "destructive"),
        ({"readOnlyHint": False, "destructiveHint": True}, "destructive"),
        ({"readOnlyHint": False, "destructiveHint": False}, "write"),
        ({"destructiveHint": True}, "destructive"),
        ({"destructiveHint": False}, "unknown"),
        ({"openWorldHint": True}, "unknown"),
        ({"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True}, "read"),
        ({"title": "Delete everything"}, "unknown"),
        ({}, "unknown"),
        (None, "unknown"),
    ],
)
def test_annotations_say_what_the_table_says(annotations: dict[str, object] | None, expected: str) -> None:
    assert capability("frobnicate", None, None, annotations) == expected


@pytest.mark.parametrize("value", ["true", "false", "", 1, 0, 1.0, None, [], [True], {}, {"value": True}])
def test_only_real_booleans_are_answers(value: object) -> None:
    for key in ("readOnlyHint", "destructiveHint", "openWorldHint"):
        assert hint({key: value}, key) is None
        assert capability("frobnicate", None, None, {key: value}) == "unknown"
    assert capability("frobnicate", None, None, {"readOnlyHint": True, "destructiveHint": value}) == "read"


@pytest.mark.parametrize("annotations", [[], "readOnlyHint", 1, True, [{"readOnlyHint": True}]])
def test_annotations_of_another_shape_are_as_if_absent(annotations: object) -> None:
    assert capability("frobnicate", None, None, annotations) == "unknown"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "annotations", "expected"),
    [
        ("delete_all", {"readOnlyHint": True}, "destructive"),
        ("read_x", {"readOnlyHint": True, "destructiveHint": True}, "destructive"),
        ("read_x", {"readOnlyHint": False, "destructiveHint": False}, "write"),
        ("create_x", {"readOnlyHint": True}, "write"),
        ("search", {"readOnlyHint": True}, "network"),
        ("delete_x", {"readOnlyHint": False, "destructiveHint": False}, "destructive"),
        ("d\u0435lete_all", {"readOnlyHint": True}, "unknown"),
        ("搜索", {"readOnlyHint": True}, "read"),
    ],
)
def test_the_more_dangerous_of_annotations_and_words_wins(
    name: str, annotations: dict[str, object], expected: str
) -> None:
    assert capability(name, None, None, annotations) == expected


@pytest.mark.parametrize(
    ("name", "contradiction"),
    [
        ("delete_all", True),
        ("deleteEverything", True),
        ("create_issue", True),
        ("get_and_delete", True),
        ("d\u0435lete", True),
        ("de\u200blete", True),
        ("list_deleted_items", False),
        ("get_updates", False),
        ("search", False),
        ("frobnicate", False),
        ("搜索", False),
    ],
)
def test_a_name_contradicts_a_claim_to_only_read(name: str, contradiction: bool) -> None:
    assert contradicts(name, {"readOnlyHint": True}) is contradiction
    for claim in ({"readOnlyHint": False}, {"readOnlyHint": "true"}, {}, None):
        assert contradicts(name, claim) is False


@pytest.mark.parametrize(
    "description",
    [
        "Deletes the file.",
        "Permanently removes a user",
        "Reads a file, then runs it",
        "Run a shell command",
        "This tool runs programs",
        "Tool for deleting users",
        "Requests the deletion of an account",
        "Allows running arbitrary code",
        "Gets a value and overwrites it",
        "DROP a table",
        "Returns a row.\n\nKills the connection.",
    ],
)
def test_a_description_raises_what_the_name_and_the_annotations_say(description: str) -> None:
    assert capability("get_x", None, description, {"readOnlyHint": True}) == "destructive"
    assert capability("get_x", description, None, {"readOnlyHint": True}) == "destructive"


@pytest.mark.parametrize(
    "description",
    [
        "Get updates",
        "Gets the set of labels",
        "A set of numbers",
        "List running containers",
        "Get a list of recent posts",
        "Returns the execution time",
        "Read the complete contents of a file. Only works within allowed directories.",
        "Shows a clear title, the settings and deleted items",
        "",
    ],
)
def test_nouns_in_the_description_of_a_reader_are_no_verbs(description: str) -> None:
    assert capability("get_x", None, description, {"readOnlyHint": True}) == "read"


@pytest.mark.parametrize("description", ["Reads a file", "Only reads, never writes", "read-only list show get", "搜索"])
def test_a_description_never_makes_a_tool_safer(description: str) -> None:
    assert ORDER.index(capability("frobnicate", description, description, None)) >= ORDER.index("unknown")
    assert capability("delete_x", description, description, {"readOnlyHint": True}) == "destructive"


SENTENCE = """read get delete deletes deleted deletion set the a of and to update updates run running only never
search list then . , : DROP safe"""
VOCABULARY = st.lists(st.sampled_from(SENTENCE.split()) | st.text(max_size=8), max_size=12).map(" ".join)
ANNOTATIONS = st.none() | st.dictionaries(
    st.sampled_from(["readOnlyHint", "destructiveHint", "openWorldHint"]), st.booleans() | st.none() | st.just("true")
)


@settings(deadline=None, max_examples=150)
@given(name=st.sampled_from(sorted(NAMES)) | st.text(max_size=20), said=VOCABULARY, more=VOCABULARY, hints=ANNOTATIONS)
def test_more_description_never_lowers_the_danger(
    name: str, said: str, more: str, hints: dict[str, object] | None
) -> None:
    def danger(title: str | None, description: str | None) -> int:
        return ORDER.index(capability(name, title, description, hints))

    assert danger(None, said) >= danger(None, None)
    assert danger(more, said) >= danger(None, said)
    assert danger(None, f"{said} {more}") >= danger(None, said)
    assert danger(None, f"{more}. {said}") >= danger(None, said)


@settings(deadline=None, max_examples=200)
@given(name=st.text(max_size=60), title=st.text(max_size=60) | st.none(), annotations=ANNOTATIONS)
def test_any_text_is_judged_without_an_error(name: str, title: str | None, annotations: dict[str, object]) -> None:
    assert capability(name, title, title, annotations) in ORDER


def test_a_huge_description_is_judged_quickly() -> None:
    assert capability("x", None, "and delete " * 200_000, None) == "destructive"

"""`docs/cases.md` is true: every real-world case has tests, and every test that it names is there.

A test says in its docstring which cases it is about; `python tests/e2e/test_case_coverage.py` writes the table anew.
"""

import ast
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "cases.md"
ID = re.compile(r"\b(?:PRC|HSK|SCH|NAM|RES|NOT|RSC|HTP|REC|SHD|CON|CFG|ENV|SEC|LSP)-\d\d\b")

HEAD = """# Real-world cases, and the tests that hold them

What users of MCP hosts have met in practice, one line each, and the tests that keep it from happening here. The table is
made from the tests' docstrings (`python tests/e2e/test_case_coverage.py`), and a test fails where it is not true.

| case | what it is about | tests |
| --- | --- | --- |
"""

TITLES = {
    "PRC-01": "command missing or not executable, wrong working directory",
    "PRC-02": "PATH in the server's own `env`",
    "PRC-04": "log lines on standard output",
    "PRC-05": "invalid UTF-8 on standard output",
    "PRC-07": "U+2028 and U+0085 inside of JSON strings",
    "PRC-08": "messages above 64 KiB",
    "PRC-10": "standard error is shown when a start fails",
    "PRC-11": "grandchildren left behind",
    "PRC-13": "the host is killed, or the editor crashes",
    "PRC-14": "children and the host's own standard streams",
    "PRC-16": "Windows launchers",
    "HSK-01": "a server that exits on the newer probe",
    "HSK-02": "a server that ignores the probe",
    "HSK-04": "an unknown revision",
    "HSK-05": "slightly wrong openings",
    "HSK-07": "a process that never speaks",
    "HSK-08": "a cold start that is slower than the limit",
    "HSK-10": "too many at once",
    "HSK-11": "a server that waits for what we declared",
    "SCH-01": "one malformed tool",
    "SCH-02": "`$ref` into `$defs`",
    "SCH-04": "recursive `$ref`",
    "SCH-05": "a bomb of `$ref`",
    "SCH-06": "very deep nesting",
    "SCH-07": "combinations at the root",
    "SCH-08": "conditions at the root",
    "SCH-10": "alternatives of really different types",
    "SCH-11": "`type` as a list",
    "SCH-13": "tuples",
    "SCH-14": "boolean schemas",
    "SCH-16": "`enum` or `const` without a type",
    "SCH-17": "properties without a type",
    "SCH-19": "tools without arguments",
    "SCH-20": "properties that are named like keywords",
    "SCH-22": "unknown keywords and formats",
    "SCH-23": "`$id` and `$schema` that clash",
    "SCH-25": "dangling and escaped pointers",
    "SCH-26": "broken output schemas",
    "SCH-28": "hostile texts inside of schemas",
    "NAM-01": "names longer than 64",
    "NAM-02": "names that are equal once they are cut",
    "NAM-04": "names beyond ASCII",
    "NAM-05": "names of which nothing is left",
    "NAM-06": "names that collide once they are cleaned",
    "NAM-07": "`__` inside of names",
    "NAM-08": "calls use the original name",
    "NAM-10": "names that differ in case",
    "NAM-11": "names that stay over a refresh",
    "RES-01": "arguments that are missing, null or no object",
    "RES-02": "values keep their JSON type",
    "RES-03": "`isError` results",
    "RES-04": "an output schema, and no structured content",
    "RES-05": "structured content only",
    "RES-06": "unknown or incomplete content blocks",
    "RES-07": "images, audio, blobs",
    "RES-08": "links and embedded resources",
    "RES-10": "empty results",
    "RES-11": "NaN and infinity",
    "RES-12": "lone surrogates",
    "RES-13": "results of the wrong JSON type",
    "RES-14": "output schemas that change",
    "NOT-01": "a changed list is noticed",
    "NOT-02": "a storm of changes",
    "NOT-04": "a list is a snapshot",
    "NOT-05": "a refresh that fails or hangs",
    "NOT-07": "filters and approvals after a refresh",
    "NOT-08": "calls under way while the tool goes",
    "RSC-01": "lists that a server does not have",
    "RSC-02": "all pages",
    "RSC-04": "URIs byte for byte",
    "RSC-05": "templates",
    "RSC-07": "incomplete entries",
    "RSC-08": "duplicates, and 10,000 resources",
    "RSC-10": "arguments of prompts",
    "HTP-01": "a session that the server has forgotten",
    "HTP-02": "the same, said otherwise",
    "HTP-04": "older servers (HTTP+SSE)",
    "HTP-05": "redirects",
    "HTP-07": "statuses are told",
    "HTP-08": "what is no MCP server",
    "HTP-10": "proxies",
    "HTP-11": "certificates of one's own authority",
    "HTP-13": "values of headers",
    "HTP-14": "forms of URLs",
    "REC-01": "a server that keeps exiting",
    "REC-02": "an outage that is longer than the patience",
    "REC-04": "restarts take nothing over",
    "REC-05": "servers keep their state",
    "SHD-01": "ends in any order",
    "SHD-02": "`shutdown`, `exit`, and every other end",
    "SHD-04": "output after the pipe is closed",
    "CON-01": "cancelling reaches the server",
    "CON-02": "limits and progress",
    "CON-04": "questions of the server during a call",
    "CON-05": "late, double and foreign answers",
    "CON-07": "heavy work does not block the editor",
    "CON-08": "starts, stops and reloads in any order",
    "CFG-01": "comments",
    "CFG-02": "trailing commas",
    "CFG-04": "a broken file is never written to",
    "CFG-05": "one bad entry",
    "CFG-07": "other tools' spellings",
    "CFG-08": "`command` and `url`, or neither",
    "CFG-09": "a project's entry replaces the user's whole",
    "CFG-10": "a project cannot switch on what the user switched off",
    "CFG-11": "`disabled` alone",
    "CFG-13": "odd server names",
    "CFG-14": "missing, empty and wrong files",
    "CFG-16": "a reload touches only what changed",
    "CFG-17": "atomic saves and half-written files",
    "ENV-01": "variables in headers and URLs",
    "ENV-02": "every field is expanded",
    "ENV-04": "unset variables",
    "ENV-05": "literal dollar signs",
    "ENV-07": "null and empty values",
    "ENV-08": "one variable, different values",
    "ENV-10": "the environment of an editor from the desktop",
    "ENV-11": "`~`, `${workspaceFolder}`, `${env:VAR}`",
    "SEC-01": "a project runs nothing unasked",
    "SEC-02": "an approval is for content and place",
    "SEC-04": "hints of untrusted servers",
    "SEC-05": "words, not parts of words",
    "SEC-07": "no way past the gate",
    "SEC-08": "invisible characters",
    "SEC-10": "Markdown and command links",
    "SEC-11": "document links",
    "LSP-01": "shapes of `executeCommand` arguments",
    "LSP-02": "position encodings",
    "LSP-03": "completion of mentions",
    "LSP-04": "what only looks like a mention",
    "LSP-05": "decorators and annotations",
    "LSP-06": "where a mention ends",
    "LSP-07": "big and strange documents",
    "LSP-08": "requests that are ahead of the text",
    "LSP-10": "results that are no JSON for JavaScript",
    "LSP-11": "errors without tracebacks",
    "LSP-13": "no workspace, several, and odd ones",
    "LSP-14": "requests that come early",
}

ELSEWHERE = {
    "PRC-11": ["e2e/test_ends.py::test_stopping_one_server_takes_its_grandchildren_along",
               "unit/transport/test_stdio.py::test_leaving_ends_the_server_and_all_it_started"],
    "PRC-13": ["e2e/test_ends.py::test_kill_9_of_the_language_server_leaves_nothing",
               "e2e/test_ends.py::test_the_end_of_standard_input_leaves_nothing",
               "e2e/test_ends.py::test_the_death_of_the_editor_leaves_nothing"],
    "PRC-16": ["unit/config/test_commands.py::test_windows_finds_programs_by_pathext",
               "unit/config/test_commands.py::test_a_batch_file_gets_no_argument_that_cmd_would_read_again"],
    "SCH-13": ["unit/catalog/test_schemas.py::test_types_and_values_agree"],
    "SCH-14": ["unit/catalog/test_schemas.py::test_types_and_values_agree"],
    "SCH-16": ["unit/catalog/test_schemas.py::test_types_and_values_agree"],
    "SCH-17": ["unit/catalog/test_schemas.py::test_types_and_values_agree"],
    "SCH-11": ["unit/catalog/test_schemas.py::test_types_and_values_agree"],
    "SCH-02": ["unit/catalog/test_schemas.py::test_a_reference_is_replaced_and_its_siblings_win"],
    "SCH-07": ["unit/catalog/test_schemas.py::test_alternatives_at_the_root_become_one_object"],
    "SCH-08": ["unit/catalog/test_schemas.py::test_conditions_go_and_the_rest_stays"],
    "SCH-19": ["unit/catalog/test_schemas.py::test_what_says_nothing_is_an_object_without_arguments"],
    "SCH-20": ["unit/catalog/test_schemas.py::test_properties_that_are_named_like_keywords_stay",
               "unit/catalog/test_schemas.py::test_data_is_not_touched"],
    "SCH-22": ["unit/catalog/test_schemas.py::test_unknown_keywords_go_and_known_ones_stay"],
    "SCH-25": ["unit/catalog/test_schemas.py::test_pointers_are_unescaped_and_dangling_ones_allow_anything"],
    "RES-01": ["e2e/test_calls.py::test_a_call_without_arguments_sends_an_empty_object",
               "e2e/test_calls.py::test_arguments_that_are_no_object_are_refused_and_not_sent"],
    "RSC-05": ["unit/catalog/test_templates.py::test_a_template_is_filled_in",
               "unit/catalog/test_templates.py::test_a_missing_part_of_the_path_is_not_sent"],
    "RSC-08": ["unit/features/test_completion.py::test_ten_thousand_resources_are_cut_and_quick"],
    "HTP-10": ["unit/transport/test_http_client.py::test_the_proxy_is_the_one_of_the_environment",
               "unit/transport/test_http_client.py::test_a_request_goes_through_the_proxy",
               "unit/transport/test_http_client.py::test_a_proxy_that_is_no_good_is_named_by_its_variable"],
    "HTP-11": ["unit/transport/test_http_client.py::test_only_a_certificate_that_holds_is_trusted"],
    "SHD-02": ["e2e/test_ends.py::test_shutdown_and_exit_leave_nothing",
               "e2e/test_ends.py::test_exit_without_shutdown_leaves_nothing",
               "e2e/test_ends.py::test_a_signal_leaves_nothing"],
    "CFG-16": ["e2e/test_lifecycle.py::test_reload_touches_only_what_changed"],
    "CON-08": ["e2e/test_lifecycle.py::test_restart_pressed_five_times_leaves_one_process"],
    "SEC-05": ["unit/policy/test_capability.py::test_a_name_is_read_in_whole_words_and_the_worst_verb_wins"],
    "SEC-10": ["unit/features/test_mention_features.py::test_nothing_a_server_writes_is_active_in_a_hover"],
    "SEC-11": ["unit/features/test_mention_features.py::test_a_link_never_carries_the_raw_uri"],
    "LSP-02": ["unit/features/test_documents.py::test_ranges_count_in_the_negotiated_encoding"],
    "LSP-03": ["unit/features/test_completion.py::test_what_can_be_mentioned_is_offered",
               "unit/features/test_completion.py::test_the_edit_replaces_the_whole_mention"],
    "LSP-04": ["unit/features/test_mentions.py::test_only_a_known_server_after_a_clean_start_is_a_mention"],
    "LSP-05": ["unit/features/test_mentions.py::test_annotations_in_code_are_no_mentions"],
    "LSP-06": ["unit/features/test_mentions.py::test_a_mention_ends_where_a_reader_would_end_it"],
    "LSP-07": ["unit/features/test_mentions.py::test_a_hostile_line_takes_linear_time",
               "unit/features/test_mentions.py::test_a_line_of_a_megabyte_is_scanned_at_once"],
    "LSP-08": ["unit/features/test_completion.py::test_a_position_that_the_text_does_not_have_yet_is_answered",
               "unit/features/test_documents.py::test_documents_take_whatever_order_the_editor_sends"],
    "LSP-10": ["unit/rpc/test_messages.py::test_a_result_is_strict_json"],
}  # fmt: skip
"""Cases whose tests do not say so themselves, or stand with the part that they are about."""


def told_by_tests() -> dict[str, list[str]]:
    """The cases that the end-to-end tests, and those in real editors, name, and by which test."""
    found: dict[str, list[str]] = defaultdict(list)
    tests = ROOT / "tests"
    for path in [*sorted((tests / "e2e").glob("test_*.py")), *sorted((tests / "editors").glob("*/test_*.py"))]:
        if path.name == Path(__file__).name:
            continue
        source = path.read_text("utf-8")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                for case in dict.fromkeys(ID.findall(_expanded(ast.get_docstring(node) or ""))):
                    found[case].append(f"{path.relative_to(tests)}::{node.name}")
    return found


def _expanded(text: str) -> str:
    """`RES-05 to RES-08` names those in between too."""
    for match in re.finditer(r"\b([A-Z]{3})-(\d\d) to \1-(\d\d)\b", text):
        text += " " + " ".join(f"{match[1]}-{n:02}" for n in range(int(match[2]), int(match[3])))
    return text


def document() -> str:
    """What `docs/cases.md` should say."""
    told = told_by_tests()
    lines = []
    for case, title in TITLES.items():
        tests = list(dict.fromkeys([*told.get(case, []), *ELSEWHERE.get(case, [])]))
        lines.append(f"| {case} | {title} | {'<br>'.join(f'`{test}`' for test in tests)} |")
    return HEAD + "\n".join(lines) + "\n"


def test_every_case_has_a_test_and_every_test_that_is_named_is_there() -> None:
    rows = [line.split(" | ") for line in DOCUMENT.read_text("utf-8").splitlines() if ID.match(line[2:8])]
    assert [row[0].removeprefix("| ") for row in rows] == list(TITLES)
    for row in rows:
        named = re.findall(r"`([^`]+)`", row[2])
        assert named, f"{row[0]} has no test"
        for node in named:
            file, _, name = node.partition("::")
            source = (ROOT / "tests" / file).read_text("utf-8")
            assert re.search(rf"^\s*(?:async )?def {name}\(", source, re.MULTILINE), f"{row[0]}: there is no {node}"


def test_the_table_of_cases_is_what_the_tests_say() -> None:
    assert DOCUMENT.read_text("utf-8") == document(), "run: python tests/e2e/test_case_coverage.py"


if __name__ == "__main__":
    DOCUMENT.write_text(document(), "utf-8")

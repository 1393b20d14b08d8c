"""The log keeps what matters, within bounds, and shows nothing that should not be seen."""

import pytest

from codeagent_lsp.journal import MAX_BYTES, MAX_LINE_BYTES, MAX_LINES, Journal
from codeagent_lsp.protocol import LogLine
from codeagent_lsp.redaction import Redactor


@pytest.fixture
def journal() -> Journal:
    return Journal(Redactor(), clock=lambda: 1_700_000_000.25)


def texts(lines: list[LogLine]) -> list[str]:
    return [line.text for line in lines]


def test_a_line_carries_time_server_source_and_level(journal: Journal) -> None:
    journal.add("fs", "server", "notice", "hello")
    assert journal.lines("fs", 10) == [LogLine("2023-11-14T22:13:20.250Z", "server", "notice", "hello", "fs")]


def test_lines_of_one_server_do_not_push_out_those_of_another(journal: Journal) -> None:
    journal.add("quiet", "stderr", "info", "kept")
    for number in range(MAX_LINES + 10):
        journal.add("loud", "stderr", "info", str(number))
    assert texts(journal.lines("quiet", 10)) == ["kept"]
    assert len(journal.lines("loud", 10 * MAX_LINES)) == MAX_LINES
    assert texts(journal.lines("loud", 1)) == [str(MAX_LINES + 9)]


def test_all_lines_come_in_the_order_of_their_arrival(journal: Journal) -> None:
    for number, server in enumerate(["a", "b", None, "a", "c", "b"]):
        journal.add(server, "host", "info", str(number))
    assert texts(journal.lines(None, 100)) == ["0", "1", "2", "3", "4", "5"]
    assert texts(journal.lines(None, 2)) == ["4", "5"]


@pytest.mark.parametrize("count", [0, -1])
def test_no_lines_are_no_lines(journal: Journal, count: int) -> None:
    journal.add("a", "host", "info", "x")
    assert journal.lines("a", count) == [] == journal.lines(None, count) == journal.lines("unknown", 5)


@pytest.mark.parametrize("character", ["x", "é", "😀", "\u202e"])
def test_memory_is_bounded_in_bytes(journal: Journal, character: str) -> None:
    for _ in range(50):
        journal.add("a", "stderr", "info", character * 20_000)
    kept = [len(text.encode()) for text in texts(journal.lines("a", MAX_LINES))]
    assert max(kept) <= MAX_LINE_BYTES and sum(kept) <= MAX_BYTES and len(kept) >= 30


def test_a_cut_line_says_how_much_is_missing(journal: Journal) -> None:
    journal.add("a", "stderr", "info", "x" * 100_000)
    (text,) = texts(journal.lines("a", 1))
    kept = text.count("x")
    assert text.endswith(f"… [{100_000 - kept:,} more characters]")


def test_secrets_and_hidden_characters_do_not_reach_a_line() -> None:
    redactor = Redactor()
    redactor.add(["opensesame"])
    journal = Journal(redactor)
    journal.add("a", "stderr", "info", "pw opensesame \x1b[31mred\u202e \ud800")
    (text,) = texts(journal.lines("a", 1))
    assert "opensesame" not in text and "\x1b" not in text and "\u202e" not in text
    text.encode()


def test_a_secret_across_the_cut_leaves_no_part_of_it() -> None:
    redactor = Redactor()
    redactor.add(["opensesame"])
    journal = Journal(redactor)
    for offset in range(MAX_LINE_BYTES - 80, MAX_LINE_BYTES + 10, 3):
        journal.add("a", "stderr", "info", "-" * offset + "opensesame" + "-" * 5000)
    assert not any("open" in text for text in texts(journal.lines("a", MAX_LINES)))


def test_the_tail_holds_the_last_lines_of_that_source_and_skips_empty_ones(journal: Journal) -> None:
    for text in ("one", "two", "", "three"):
        journal.add("a", "stderr", "info", text)
        journal.add("a", "host", "info", "host " + text)
    assert journal.tail("a", count=2) == ["two", "three"]
    assert journal.tail("a", "host", 1) == ["host three"]
    assert journal.tail("unknown") == []


def test_followers_get_later_lines_until_they_stop(journal: Journal) -> None:
    seen: list[str] = []
    journal.add("a", "host", "info", "before")
    unfollow = journal.follow(lambda line: seen.append(line.text))
    journal.add("a", "host", "info", "during")
    unfollow()
    unfollow()
    journal.add("a", "host", "info", "after")
    assert seen == ["during"]


def test_a_failing_follower_harms_neither_the_writer_nor_the_others() -> None:
    seen: list[str] = []

    def fail(line: LogLine) -> None:
        raise RuntimeError(line.text)

    journal = Journal(Redactor(), notify=fail)
    journal.follow(lambda line: seen.append(line.text))
    journal.add("a", "host", "info", "x")
    assert seen == ["x"] == texts(journal.lines("a", 1))


def test_a_dropped_server_has_no_lines(journal: Journal) -> None:
    journal.add("a", "host", "info", "x")
    journal.drop("a")
    journal.drop("never there")
    assert journal.lines("a", 5) == []

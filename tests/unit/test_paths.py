"""Workspace folders from the editor's URIs."""

from pathlib import Path

import pytest

from codeagent_lsp.paths import folders_of, path_of


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("file:///home/u/project", "/home/u/project"),
        ("file:///home/u/a%20b%23c", "/home/u/a b#c"),
        ("file://localhost/home/u", "/home/u"),
        ("file:///home/u/a#b", "/home/u/a#b"),
        ("file:///home/u/%E6%95%B0", "/home/u/数"),
        ("file:///home/u/100%25", "/home/u/100%"),
        ("untitled:1", None),
        ("vscode-userdata:/x", None),
        ("file://server/share", None),
        ("http://[bad", None),
        ("", None),
        (None, None),
    ],
)
def test_a_folder_is_the_path_of_its_file_uri(uri: str | None, expected: str | None) -> None:
    assert path_of(uri) == (Path(expected) if expected else None)


def test_workspace_folders_win_over_the_older_ways_to_name_a_root() -> None:
    assert folders_of(["file:///a", "file:///b", "file:///a"], "file:///c", "/d") == [Path("/a"), Path("/b")]
    assert folders_of(None, "file:///c", "/d") == [Path("/c")]
    assert folders_of(None, None, "/d") == [Path("/d")]
    assert folders_of(None, None, None) == []
    assert folders_of(["untitled:1"], "file:///c", "/d") == []

"""Diagnostics, code actions, resolving of mentions, and the text of a resource's document."""

import asyncio
import base64
from collections.abc import Sequence
from typing import Any

import pytest
from lsprotocol import types

from codeagent_lsp.errors import HostError, NotReady, Stale, UnknownResource
from codeagent_lsp.features.content import LIMIT, document_content, language_of, text_of
from codeagent_lsp.features.documents import Document, Documents
from codeagent_lsp.features.index import MentionIndex
from codeagent_lsp.features.mention_actions import COPY_EXPANDED, OPEN_RESOURCE, code_actions, resolve_action
from codeagent_lsp.features.mention_diagnostics import mention_diagnostics
from codeagent_lsp.features.positions import Encoding
from codeagent_lsp.features.resolving import expanded_text, mentions_in, resolve_mentions, text_document
from codeagent_lsp.protocol.values import ListErrors, Position, Range, ResourceContents, ServerError
from mention_kit import ENCODINGS, View, applied, document, index_of, marked, resource, status, template

STATES = ("starting", "disabled", "untrusted", "needsAuth", "stopped")
INDEX = index_of(
    {
        "docs": ["note://readme", "note://notes/today", "n://a b", template("docs", "t://{id}/x")],
        **dict.fromkeys((*STATES, "failed")),
    },
    **{state: status(state, state=state) for state in STATES},
    failed=status("failed", state="failed", error=ServerError("exited", "code 1\n\u202eend.")),
)


def said(text: str, index: MentionIndex = INDEX, language: str = "markdown") -> list[tuple[str, str]]:
    doc = document(text, language=language)
    return [(str(item.code), doc.text(item.range)) for item in mention_diagnostics(doc, index)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("@docs:note://readme", None),
        ("@docs:note%3A//readme", None),
        ("@docs:note://nothing", "unknownResource"),
        ("@docs:t://5/x", None),
        ("@docs:t://{id}/x", "unfilledTemplate"),
        ("@docs:t://5/y", "unknownResource"),
        ("@nobody:x://1", None),
        ("me@docs:x", None),
        ("@docs:", None),
        ("@starting:x://1", None),
        ("@disabled:x://1", "serverNotReady"),
        ("@untrusted:x://1", "serverNotReady"),
        ("@needsAuth:x://1", "serverNotReady"),
        ("@failed:x://1", "serverNotReady"),
        ("@stopped:x://1", "serverNotReady"),
    ],
)
def test_a_mention_that_leads_nowhere_is_reported(text: str, code: str | None) -> None:
    assert said(f"see {text}, ok") == ([(code, text)] if code else [])


def test_messages_are_one_line_of_plain_text() -> None:
    doc = document("@failed:x @docs:note://\u202eno @stopped:y @disabled:z @needsAuth:a @untrusted:b @docs:t://{id}/x")
    found = mention_diagnostics(doc, INDEX)
    assert [item.message for item in found] == [
        "failed has failed: code 1 \\u{202E}end. Its log says more.",
        "docs has no resource note://\\u{202E}no.",
        "stopped is stopped. Start it to read its resources.",
        "disabled is disabled. Enable it to read its resources.",
        "needsAuth wants you to sign in.",
        "untrusted waits for your approval. Start it to be asked.",
        "Fill in {id}: t://{id}/x is a template.",
    ]


@pytest.mark.parametrize(
    "index",
    [
        index_of({"docs": None}),
        index_of({"docs": []}, docs=status("docs", list_errors=ListErrors(resources="timeout"))),
        index_of({"docs": [template("docs", f"t{number}://{{x}}") for number in range(100)]}),
    ],
)
def test_a_resource_is_only_unknown_where_the_list_is_known(index: MentionIndex) -> None:
    assert said("@docs:note://nothing", index) == []


def test_diagnostics_follow_text_and_catalogue() -> None:
    view = View({"docs": ["n://1"]})
    index = MentionIndex()
    index.refresh(view)
    doc = document("\n" * 3000 + "@docs:n://2\n" + "\n" * 3000 + "@docs:n://1")
    assert [item.range.start.line for item in mention_diagnostics(doc, index)] == [3000]
    doc.change(
        types.TextDocumentContentChangePartial(text="\n", range=types.Range(types.Position(5, 0), types.Position(5, 0)))
    )
    assert [item.range.start.line for item in mention_diagnostics(doc, index)] == [3001]
    view.items["docs"] = ["n://2"]
    index.refresh(view, {"docs"})
    assert [item.range.start.line for item in mention_diagnostics(doc, index)] == [6002]
    view.states["docs"] = status("docs", state="stopped")
    index.refresh(view, set())
    assert len(mention_diagnostics(doc, index)) == 2
    view.states["docs"] = status("docs", state="starting")
    index.refresh(view, set())
    assert mention_diagnostics(doc, index) == []


def test_two_hundred_diagnostics_are_the_most() -> None:
    assert len(said("@docs:no://1 " * 3 + "\n" + "@docs:no://2\n" * 3000)) == 200


def cursor(text: str, language: str = "markdown") -> tuple[Document, types.Range]:
    doc, position = marked(text, language=language)
    return doc, types.Range(position, position)


def titles(text: str, **more: Any) -> list[str]:
    return [action.title for action in code_actions(*cursor(text), INDEX, **more)]


def test_a_listed_resource_can_be_opened_inserted_and_followed() -> None:
    assert titles("see @docs:note|://readme.") == [
        "Open note://readme",
        "Follow changes of note://readme",
        "Insert the content of note://readme below",
        "Replace the mention by the content of note://readme",
    ]
    assert titles("@docs:note|://readme", subscribed=lambda server, uri: True)[1] == (
        "Stop following changes of note://readme"
    )
    assert titles("@docs:note|://readme", resolves_edits=False)[2:] == []
    assert titles("see| @docs:note://readme") == []
    assert titles("@docs:note|://readme", only=["refactor"])[0] == "Insert the content of note://readme below"
    assert len(titles("@docs:note|://readme", only=["refactor"])) == 2
    assert titles("@docs:note|://readme", only=["source"]) == []
    assert titles("@docs:note|://readme", client_commands=[COPY_EXPANDED])[-1] == "Copy with the mentioned resources"


def test_an_unknown_uri_is_mended() -> None:
    doc, place = cursor("see @docs:note://raedme|, ok")
    action = code_actions(doc, place, INDEX)[0]
    assert action.title == "Change to note://readme" and action.kind == types.CodeActionKind.QuickFix
    assert action.is_preferred and action.edit and action.edit.changes
    assert applied(doc, action.edit.changes[doc.uri][0]) == "see @docs:note://readme, ok"  # type: ignore[arg-type]
    assert action.diagnostics == mention_diagnostics(doc, INDEX)


@pytest.mark.parametrize(
    ("server", "title", "command", "argument"),
    [
        ("stopped", "Start stopped", "codeagent.start", {"server": "stopped"}),
        ("failed", "Start failed", "codeagent.start", {"server": "failed"}),
        ("untrusted", "Start untrusted", "codeagent.start", {"server": "untrusted"}),
        ("disabled", "Enable disabled", "codeagent.setEnabled", {"server": "disabled", "enabled": True}),
        ("needsAuth", "Sign in to needsAuth", "codeagent.signIn", {"server": "needsAuth"}),
    ],
)
def test_a_server_that_is_off_can_be_brought_up(server: str, title: str, command: str, argument: Any) -> None:
    action = code_actions(*cursor(f"@{server}:x|://1"), INDEX)[0]
    assert action.title == title and action.command is not None and action.diagnostics
    assert (action.command.command, action.command.arguments) == (command, [argument])


def test_open_carries_server_and_listed_uri() -> None:
    action = code_actions(*cursor("@docs:n://a%20|b"), INDEX)[0]
    assert action.command is not None and action.command.command == OPEN_RESOURCE
    assert action.command.arguments == [{"server": "docs", "uri": "n://a b"}]


Answers = dict[tuple[str, str], Sequence[ResourceContents] | HostError]


def reader(answers: Answers) -> tuple[Any, list[tuple[str, str]]]:
    asked: list[tuple[str, str]] = []

    async def read(server: str, uri: str) -> Sequence[ResourceContents]:
        asked.append((server, uri))
        answer = answers.get((server, uri), UnknownResource(f"has no resource `{uri}`.", server=server))
        if isinstance(answer, HostError):
            raise answer
        return answer

    return read, asked


def part(
    text: str | None = None, mime_type: str = "text/plain", uri: str = "note://readme", **more: Any
) -> ResourceContents:
    return ResourceContents(uri, mime_type, len(text or ""), text=text, **more)


README: Answers = {("docs", "note://readme"): [part("# Hi\r\n```\nx\n```\x1b[0m", "text/markdown")]}


def resolved(text: str, kind: str, answers: Answers, language: str = "markdown") -> str:
    documents = Documents("utf-16")
    doc, place = cursor(text, language)
    doc = documents.open(doc.uri, language, 1, doc.text())
    action = next(item for item in code_actions(doc, place, INDEX) if item.data and item.data["mentionAction"] == kind)
    doc.change(
        types.TextDocumentContentChangePartial(text="\n", range=types.Range(types.Position(0, 0), types.Position(0, 0)))
    )
    done = asyncio.run(resolve_action(action, documents, INDEX, reader(answers)[0]))
    assert done.edit and done.edit.changes
    (edit,) = done.edit.changes[doc.uri]
    return applied(doc, edit).removeprefix("\n")  # type: ignore[arg-type]


def test_content_is_inserted_below_the_line() -> None:
    content = "\n````markdown\n# Hi\n```\nx\n```\n````"
    assert resolved("a @docs:note|://readme b\nc", "insert", README) == f"a @docs:note://readme b\n{content}\nc"
    assert resolved("a @docs:note|://readme b\r\nc", "insert", README) == (
        f"a @docs:note://readme b\n{content}\nc".replace("\n", "\r\n")
    )
    assert resolved("# @docs:note|://readme", "insert", README, "python") == "# @docs:note://readme\n# Hi\n```\nx\n```"


def test_a_mention_is_replaced_by_its_content() -> None:
    assert (
        resolved("a (@docs:note|://readme) b", "replace", {("docs", "note://readme"): [part("text\n")]}) == "a (text) b"
    )


def test_an_action_that_is_out_of_date_changes_nothing() -> None:
    documents = Documents("utf-16")
    doc, place = cursor("@docs:note|://readme")
    action = code_actions(doc, place, INDEX)[-1]
    with pytest.raises(Stale):
        asyncio.run(resolve_action(action, documents, INDEX, reader(README)[0]))
    documents.open(doc.uri, "markdown", 2, "gone")
    with pytest.raises(Stale):
        asyncio.run(resolve_action(action, documents, INDEX, reader(README)[0]))
    foreign = types.CodeAction(title="x", data={"their": "own"})
    assert asyncio.run(resolve_action(foreign, documents, INDEX, reader({})[0])) is foreign


def test_binary_content_is_not_inserted() -> None:
    with pytest.raises(HostError, match="binary"):
        resolved("@docs:note|://readme", "insert", {("docs", "note://readme"): [part(None, "image/png", blob="AAAA")]})


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_mentions_are_resolved_with_contents_or_error(encoding: Encoding) -> None:
    text = "😀 @docs:note://readme\r\n@docs:gone://x and @off:y, @docs:note://readme, @stopped:z"
    answers: Answers = {**README, ("stopped", "z"): NotReady("is stopped.", server="stopped")}
    read, asked = reader(answers)
    doc = text_document(text, encoding)
    found = asyncio.run(resolve_mentions(doc, INDEX, read))
    assert [(item.server, item.uri, bool(item.contents), item.error) for item in found] == [
        ("docs", "note://readme", True, None),
        ("docs", "gone://x", False, "docs: has no resource `gone://x`."),
        ("docs", "note://readme", True, None),
        ("stopped", "z", False, "stopped: is stopped."),
    ]
    assert asked == [("docs", "note://readme"), ("docs", "gone://x"), ("stopped", "z")]
    start = {"utf-8": 5, "utf-16": 3, "utf-32": 2}[encoding]
    assert found[0].range == Range(Position(0, start), Position(0, start + 19))
    only = asyncio.run(resolve_mentions(doc, INDEX, read, Range(Position(1, 20), Position(1, 60))))
    assert [item.uri for item in only] == ["note://readme", "z"]


def test_no_more_than_fifty_resources_are_read() -> None:
    read, asked = reader({})
    found = asyncio.run(
        resolve_mentions(
            text_document(
                "@docs:x://1 @docs:x://1\n" + "".join(f"@docs:x://{number}\n" for number in range(80)), "utf-16"
            ),
            INDEX,
            read,
        )
    )
    assert len(asked) == 50 and len(found) == 82
    assert [item.error for item in found if item.error and item.error.startswith("Not read")] == [
        "Not read: the text mentions 80 resources, and 50 are read at a time."
    ] * 30
    assert len(mentions_in(text_document("@docs:x " * 2000, "utf-16"), INDEX)) == 1000


def test_a_text_is_copied_with_what_it_mentions() -> None:
    text = "See @docs:note://readme and @docs:note://readme.\nAlso @docs:n://a b!\n"
    answers: Answers = {("docs", "note://readme"): [part("Hello\n")]}
    made = asyncio.run(expanded_text(text_document(text, "utf-16"), INDEX, reader(answers)[0]))
    assert made == (
        "See @docs:note://readme and @docs:note://readme.\nAlso @docs:n://a b!\n\n"
        "──── @docs:note://readme ────\n\nHello\n\n"
        "──── @docs:n://a%20b ────\n\n[docs: has no resource `n://a b`.]\n"
    )


def test_one_text_is_shown_as_it_is() -> None:
    assert text_of([part("a\n\tb\n")]) == "a\n\tb\n"
    assert text_of([part("a\r\nb\rc")]) == "a\nb\nc"
    assert text_of([part("")]) == ""
    assert text_of([part("\x1b[31mred\x1b[0m\x07 \u202e \ud800")]) == "red \\u{202E} \ufffd"
    assert document_content([part("x")]).text == "x"


def test_several_parts_are_separated_and_labelled() -> None:
    shown = text_of([part("one\n", uri="a://1"), part("two", "text/markdown", uri="a://\n2")])
    assert shown == (
        "──── 1 of 2: a://1 · text/plain · 4 B ────\n\none\n\n──── 2 of 2: a:// 2 · text/markdown · 3 B ────\n\ntwo\n"
    )
    assert text_of([]) == "[This resource has no content.]\n"


@pytest.mark.parametrize(
    ("mime_type", "blob", "shown"),
    [
        ("image/png", "iVBORw0KGgo=", "[image/png, 1.2 KB: binary, not shown as text]\n"),
        ("", "AA==", "[application/octet-stream, 1.2 KB: binary, not shown as text]\n"),
        ("text/plain; charset=utf-8", base64.b64encode("é\n".encode()).decode(), "é\n"),
        ("application/vnd.x+json", base64.b64encode(b"{}").decode(), "{}"),
        (
            "text/plain",
            base64.b64encode(b"\xff\xfe").decode(),
            "[text/plain, 1.2 KB: binary, not shown as text]\n".replace("text/plain,", "text/plain,"),
        ),
        ("text/plain", "no base64!", "[text/plain, 1.2 KB: binary, not shown as text]\n"),
        ("image/png\n[x](command:y)", "AA==", "[image/png [x](command:y), 1.2 KB: binary, not shown as text]\n"),
        ("image/png", None, "[image/png, 1.2 KB: binary, not shown as text]\n"),
    ],
)
def test_binary_is_a_described_placeholder(mime_type: str, blob: str | None, shown: str) -> None:
    assert text_of([ResourceContents("x://1", mime_type, 1234, blob=blob)]) == shown


def test_a_long_text_is_cut_where_one_sees_it() -> None:
    lines = "a line of text\n" * (LIMIT // 10)
    shown = text_of([part(lines)])
    assert len(shown) < LIMIT + 200
    assert shown.endswith("more characters; save the resource to have all of it]\n")
    assert shown[: shown.index("\n…")].endswith("text\n") or "text\n\n…" in shown
    left = len(lines) - shown.index("\n…")
    assert f"{left:,} more" in shown
    assert "more characters" in text_of([part("x" * (LIMIT + 5))])
    blob = base64.b64encode(b"y" * (8 * LIMIT)).decode()
    assert "more characters" in text_of([ResourceContents("x://1", "text/plain", 8 * LIMIT, blob=blob)])


@pytest.mark.parametrize(
    ("mime_type", "language"),
    [
        ("application/json", "json"),
        ("application/vnd.a+json; v=1", "json"),
        ("text/markdown", "markdown"),
        ("TEXT/CSV", "csv"),
        ("application/xml", "xml"),
        ("application/javascript", "plaintext"),
        ("text/x-python", "plaintext"),
        ("text/html", "plaintext"),
        ("", "plaintext"),
        (None, "plaintext"),
    ],
)
def test_only_harmless_languages_are_named(mime_type: str | None, language: str) -> None:
    assert language_of(mime_type) == language


def test_the_catalogues_own_mentions_are_read_back() -> None:
    from codeagent_lsp.catalog.addresses import mention

    uris = ["x://A B(1)@é?q=1#f", "n://a.", "x://(open", "x://close)", 'x"y', "a\nb", "100%", "f:///a%2Fb", "x://'q'"]
    for server in ("docs", "my server", 'q"x', "name@folder"):
        index = index_of({server: [resource(server, uri) for uri in uris]})
        for uri in uris:
            doc = document(f"see {mention(server, uri)}, ok")
            assert [(spot.found.server, spot.found.uri) for _, spot in doc.spots(index)] == [(server, uri)]

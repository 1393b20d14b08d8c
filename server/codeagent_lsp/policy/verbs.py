"""The verbs that tell what a tool does, by danger, with the forms in which English bends them.

A form is *firm* when it can only be the verb (`delete`, `deletes`). Others may as well be the object of a reading
verb: `get_commit`, `get_updates`, `list_executions` and `list_deleted_items` read. Those count unless one governs them;
in prose, which is full of nouns ("a set of labels"), most of them count only where a clause begins ("Set a label").
"""

import re
from functools import cache
from typing import Literal, NamedTuple

Danger = Literal["read", "network", "write", "destructive"]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# What the design names: in a tool's name these are firm, whatever stands around them.
_CORE: dict[Danger, str] = {
    "destructive": "delete remove drop destroy purge reset kill exec execute run shell eval overwrite truncate",
    "write": "create update write insert send publish move set undelete",
    "network": "search fetch browse http download",
    "read": "read list get query show find describe",
}
# More verbs that are hardly ever nouns.
_MORE: dict[Danger, str] = {
    "destructive": "del rm rmdir rmtree unlink uninstall erase wipe nuke terminate shutdown reboot evaluate obliterate"
    " eradicate revoke deprovision decommission prune annihilate expunge forget cleanup sudo bash powershell eject ban",
    "write": "add append edit modify put upload save store rename replace upsert submit push merge rebase deploy"
    " install upgrade downgrade enable disable assign unassign attach detach lock unlock grant invite approve reject"
    " close reopen cancel pause resume unregister register subscribe unsubscribe reply archive unarchive restore undo"
    " redo make mkdir touch chmod chown pay buy purchase refund transfer share unshare notify broadcast configure"
    " toggle increment decrement migrate trigger invoke dispatch emit enqueue apply alter provision compress"
    " unzip paste type click press post unpublish stage unstage checkout unfollow prepend concat"
    " inject mutate rewrite kick mute unmute unpin unstar recreate import",
    "network": "crawl scrape navigate curl wget ping goto websearch",
    "read": "view count check inspect lookup peek retrieve display compare diff grep glob enumerate examine explain"
    " preview summarize summarise select has is return analyze analyse verify validate",
}
# Verbs that are nouns as often (`get_commit`): soft in a name.
_NOUNS: dict[Danger, str] = {
    "destructive": "clear clean flush empty trash discard rollback revert force restart stop abort wipeout"
    " spawn script",
    "write": "patch change commit release tag label comment order copy clone fork branch build schedule sync mark"
    " draft sign link book charge email message tweet call start fill drag format record pin star export crop resize"
    " bookmark follow vote block open load pull transition upsell hide",
    "network": "request web proxy webhook",
    "read": "watch monitor stat help info status",
}
# Verbs that ordinary prose uses as nouns ("a set of", "the request"): there they count only where a clause begins.
_PROSE_NOUNS = _set(
    "set run search update post reset move drop shell http write read list query find show download exec"
    " purchase import transfer upgrade install merge push upload type press touch store share archive lock grant"
    " reply make put save edit check count view close return select help add display stage click"
)
# -s forms that are plural nouns at least as often as verbs.
_PLURALS = _set(
    "update run set search move drop reset kill shell post upgrade install merge push upload download"
    " purchase import transfer invite grant lock archive touch ban share store type press click reply edit find read"
    " query list count view check close return display exec fetch write purge stage make put save diff add"
    " insert send"
)
# Nouns made of verbs; the regular ones follow from the rules below.
_NOUN_FORMS: dict[Danger, str] = {
    "destructive": "deletion deletions removal removals destruction truncation truncations execution executions"
    " termination terminations erasure uninstallation revocation evaluation eradication",
    "write": "creation creations insertion insertions modification modifications publication submission submissions"
    " payment payments invitation installation restoration activation deactivation assignment",
}
# Irregular past forms; regular ones follow from the rules.
_PAST = {"sent": "send", "written": "write", "overwritten": "overwrite", "bought": "buy", "paid": "pay"}
# Words that look like an inflection of a verb, and are others.
_OTHER_WORDS = _set("setting settings listing listings reading readings string building buildings")


Shape = Literal["firm", "noun", "bent", "participle"]
InProse = Literal["firm", "ungoverned", "opening", "never"]


class Form(NamedTuple):
    """One word, and what it says: how dangerous, its shape in a name, and when it counts in prose.

    `noun`: a verb that is a noun as often; `bent`: a plural, a gerund, a noun made of a verb; `participle`: `deleted`.
    In prose: always; unless a reading verb stands before it; where a clause begins; never.
    """

    danger: Danger
    shape: Shape
    in_prose: InProse


@cache
def forms() -> dict[str, Form]:
    """Every word that says something, in lower case."""
    out: dict[str, Form] = {}
    for table, noun in ((_NOUNS, True), (_MORE, False), (_CORE, False)):
        for danger, verbs in table.items():
            for verb in verbs.split():
                _inflect(out, verb, danger, noun)
    for danger, nouns in _NOUN_FORMS.items():
        in_prose: InProse = "ungoverned" if danger == "destructive" else "opening"
        out.update({noun: Form(danger, "bent", in_prose) for noun in nouns.split()})
    for past, verb in _PAST.items():
        out[past] = Form(out[verb].danger, "participle", "never")
    for word in _OTHER_WORDS:
        out.pop(word, None)
    return out


def _inflect(out: dict[str, Form], verb: str, danger: Danger, noun: bool) -> None:
    stem = verb.removesuffix("e")
    double = verb + verb[-1] if re.fullmatch(r"[a-z]{0,5}[^aeiou][aeiou][bgmnprt]", verb) else stem
    firm = not noun and verb not in _PROSE_NOUNS
    plural = noun or verb in _PLURALS
    s_form = re.sub(r"([^aeiou])y$", r"\1ie", verb) + "s"
    s_form = re.sub(r"(ch|sh|ss|x|z)s$", r"\1es", s_form)
    ed_form = re.sub(r"([^aeiou])yed$", r"\1ied", f"{double}ed")
    for word in {f"{stem}ed", ed_form}:
        out.setdefault(word, Form(danger, "participle", "never"))
    for word in {f"{stem}ing", f"{verb}ing", f"{double}ing"}:
        out[word] = Form(danger, "bent", "firm" if firm and danger == "destructive" else "opening")
    out[s_form] = Form(danger, "bent" if plural else "firm", "opening" if plural else "firm")
    out[verb] = Form(danger, "noun" if noun else "firm", "firm" if firm else "opening")

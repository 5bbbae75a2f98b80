"""What a clause is: a statement worth remembering, a correction, a forget request, or nothing.

Invariant: a pure function of the clause; a question, a report of what others say, a condition
and a task for the moment are nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from palimpsest.extract.clauses import Clause
from palimpsest.extract.grammar import Grammar
from palimpsest.language.carriers import carriers
from palimpsest.language.hedging import hedged
from palimpsest.language.phrases import pattern, phrases_in
from palimpsest.language.stop_words import stop_words
from palimpsest.language.word_list import folded, word_list
from palimpsest.types import Kind, LabelOp

_FIRST_WITHIN = 24
"""Characters in which the speaker must be named: "For dinner I ..."."""
_NAME_WORDS = 3
"""Words of a name before its verb."""
_DENIAL = regex.compile(r"^(?:ne\s|n'|non\s|no\s|não\s)")
_FEWEST = 2
"""Words of a statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a clause is."""

    op: LabelOp
    kind: Kind = "fact"
    rest: str = ""
    """Of a forget request, the words that say what goes."""


def read(clause: Clause, grammar: Grammar) -> Found | None:
    """What a clause is; ``None`` where nothing of it is to be remembered."""
    flat = folded(clause.text)
    if len(word_list(flat)) < _FEWEST:
        return None
    if (asked := forget_request(flat, grammar)) is not None:
        return Found(op="forget", rest=asked) if asked else None
    if _is_nothing(clause, flat, grammar) or not _states(clause, flat, grammar):
        return None
    kind = _kind(flat, grammar)
    corrects = bool(phrases_in(flat, grammar.corrections))
    # "Maybe I will move to Spain" replaces no home yet.
    corrects = corrects and not (kind == "promise" and hedged(clause.text))
    return Found(op="correct" if corrects else "remember", kind=kind)


def forget_request(flat: str, grammar: Grammar) -> str | None:
    """What a request to forget names; ``None`` where it is none, empty where nothing is named."""
    for bare in _politely(flat, grammar):
        if opened := pattern(grammar.forgets).match(bare):
            return bare[opened.end() :].strip(" ,.!?:;")
    return None


def _without_politeness(flat: str, grammar: Grammar) -> str:
    return list(_politely(flat, grammar))[-1]


def _politely(flat: str, grammar: Grammar) -> Iterator[str]:
    """A clause as it is, then without each polite word before it."""
    yield flat
    while found := pattern(grammar.politeness).match(flat):
        flat = flat[found.end() :].lstrip(" ,:;.!-")
        yield flat


def _is_nothing(clause: Clause, flat: str, grammar: Grammar) -> bool:
    whole = folded(clause.sentence)
    if whole.rstrip(" \"')»").endswith(("?", "？", "؟")) or _opens(flat, grammar.questions):
        return True
    if _opens(flat, grammar.empty) or (
        _opens(whole, grammar.pastes) and not phrases_in(whole, grammar.first)
    ):
        return True
    if phrases_in(whole, grammar.reports) or _quotes(clause.sentence):
        return True
    return _opens(flat, grammar.conditions) or _opens(whole, grammar.conditions)


def _quotes(sentence: str) -> bool:
    """True for a sentence that is, as a whole, a quotation."""
    return bool(regex.fullmatch(r"\s*[\"“«„].*[\"”»“]\s*[.!]?\s*", sentence, regex.DOTALL))


def _states(clause: Clause, flat: str, grammar: Grammar) -> bool:
    bare = _DENIAL.sub("", _without_politeness(flat, grammar))
    first = phrases_in(flat[:_FIRST_WITHIN], grammar.first)
    if first and not _opens(bare, grammar.tasks):
        return True
    if _opens(bare, grammar.tasks):
        return _stands(bare, grammar)
    if _opens(bare, grammar.orders):
        return len(word_list(bare)) > 2 or bool(carriers(clause.text))
    if phrases_in(flat, grammar.wishes) or _opens(bare, grammar.standing):
        return True
    return _of_a_thing(clause, flat, grammar)


def _stands(flat: str, grammar: Grammar) -> bool:
    """True for a standing task: "answer in French from now on", "réponds toujours ..."."""
    found = phrases_in(flat, grammar.standing)
    task = pattern(grammar.tasks).match(flat)
    if not found or task is None:
        return False
    begins, ends = found[0][0], found[-1][1]
    return not flat[ends:].strip(" .!\u2026") or not flat[task.end() : begins].strip()


def _of_a_thing(clause: Clause, flat: str, grammar: Grammar) -> bool:
    """ "The gate code is ...", "Bob joins us ...": a verb, and something that is told."""
    after = _without_opening(flat, grammar)
    if _named(clause.text, grammar) and after == flat:
        verb = pattern(grammar.verbs).search(flat)
        if verb and len(word_list(flat[: verb.start()])) <= _NAME_WORDS:
            return True
    if not phrases_in(after, grammar.verbs) or not _tells(clause.text, flat, grammar):
        return False
    return _named(clause.text, grammar) or _opens(after, grammar.subjects)


def _without_opening(flat: str, grammar: Grammar) -> str:
    """A clause without the words that announce a correction: "Tout compte fait, ..."."""
    opened = regex.match(r"(?P<cue>[^,:;]{1,40})[,:;]\s+", flat)
    if opened and pattern(grammar.corrections).fullmatch(opened["cue"]):
        return flat[opened.end() :]
    return flat


def _named(text: str, grammar: Grammar) -> bool:
    """True where a name opens the text: a word with a capital that says something itself."""
    opened = regex.match(r"\p{Lu}[\p{L}'\u2019-]+|\p{Lu}{2,}", text)
    word = folded(opened.group()) if opened else ""
    return bool(word) and word not in stop_words(grammar.language)


def _tells(text: str, flat: str, grammar: Grammar) -> bool:
    """True where something beside the subject is named: a carrier, or a word of a domain."""
    found = [carrier for carrier in carriers(text) if not carrier.opening]
    words = [phrase for phrases in grammar.domains.values() for phrase in phrases]
    return bool(found) or bool(phrases_in(flat, tuple(words)))


def _opens(flat: str, phrases: tuple[str, ...]) -> bool:
    return pattern(phrases).match(flat.lstrip("\"'“«-*• ")) is not None


def _kind(flat: str, grammar: Grammar) -> Kind:
    if phrases_in(flat, grammar.standing) and not phrases_in(flat, grammar.past):
        bare = _DENIAL.sub("", _without_politeness(flat, grammar))
        if _opens(bare, (*grammar.standing, *grammar.orders, *grammar.tasks)):
            return "rule"
    if phrases_in(flat, grammar.past):
        return "episode"
    if phrases_in(flat, grammar.wishes):
        return "preference"
    return "promise" if phrases_in(flat, grammar.plans) else "fact"

"""What a clause is: a statement worth remembering, a correction, or nothing.

Invariant: a pure function of the clause; a question, a report of what others say, a condition,
a task for the moment and what is said of the assistant are nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import regex

from palimpsest.extract.clauses import Clause
from palimpsest.extract.content import news, refuses, says_nothing
from palimpsest.extract.grammar import Grammar, words_of
from palimpsest.extract.told import value_in
from palimpsest.language import lexicon
from palimpsest.language.carriers import carriers
from palimpsest.language.hedging import hedged
from palimpsest.language.identifiers import identifiers
from palimpsest.language.phrases import pattern, phrases_in
from palimpsest.language.stop_words import stop_words
from palimpsest.language.word_list import folded, word_list
from palimpsest.types import Kind, LabelOp

_FIRST_WITHIN = 32
"""Characters in which the speaker must be named: "For dinner I ..."."""
_NAME_WORDS = 3
"""Words of a name before its verb."""
_DENIAL = regex.compile(r"^(?:ne\s|n'|non\s|no\s|não\s|nao\s)")
_FEWEST = 2
"""Words of a statement."""
_SHORT = 12
"""Words of a statement of somebody else's doing that is told in passing: a fact, and no story."""
_LEADING = "\"'“«-*• ¡¿"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a clause is."""

    op: LabelOp
    kind: Kind = "fact"
    about: str = ""
    """Of a forget request, the words that say what goes."""
    strong: bool = True
    """Of a forget request: its verb is not one of editing too."""


def read(clause: Clause, grammar: Grammar) -> Found | None:
    """What a clause states; ``None`` where nothing of it is to be remembered."""
    flat = without_openers(folded(clause.text), grammar)
    if len(word_list(flat)) < _FEWEST or _is_nothing(clause, flat, grammar):
        return None
    if not _states(clause, flat, grammar):
        return None
    kind = _kind(flat, grammar)
    said = folded(clause.text)
    corrects = (
        bool(phrases_in(said, (*grammar.corrections, *grammar.mistakes, *grammar.waits)))
        or ceases(said, grammar)
        or refuses(clause.sentence, clause.text, grammar)
    )
    # "Maybe I will move to Spain" replaces no home yet.
    corrects = corrects and not (kind == "promise" and hedged(clause.text))
    return Found(op="correct" if corrects else "remember", kind=kind)


def ceases(flat: str, grammar: Grammar) -> bool:
    """True for what is so no longer, said in two words apart: "keinen Kaffee mehr"."""
    return _split(grammar.ceased).search(flat) is not None


@functools.cache
def _split(pairs: tuple[str, ...]) -> regex.Pattern[str]:
    """Phrases in two parts with some words between."""
    shapes = [
        rf"\b{regex.escape(folded(before))}\s+[^.,;]{{1,60}}?\b{regex.escape(folded(behind))}\b"
        for before, behind in (pair.split(" ... ") for pair in pairs)
    ]
    return regex.compile("|".join(shapes) or "(?!)")


def without_openers(flat: str, grammar: Grammar) -> str:
    """A clause without what says nothing before its statement: "just so you know, ..."."""
    flat = flat.lstrip(_LEADING)
    said_first = (*grammar.openers, *grammar.notings, *grammar.retained, *grammar.waits)
    while found := pattern(said_first).match(flat) or _aside(flat, grammar):
        rest = flat[found.end() :].lstrip(" ,:;.!-")
        if not rest:
            return flat
        flat = rest
    return flat


def _aside(flat: str, grammar: Grammar) -> regex.Match[str] | None:
    """A condition that conditions nothing: "if anybody asks, the code is 4417"."""
    found = (
        pattern(_in_one(grammar.asides)).match(flat)
        or _split(_in_two(grammar.asides)).match(flat)
    )  # fmt: skip
    return found if found and flat[found.end() : found.end() + 1] in tuple(",:") else None


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
    if phrases_in(whole, grammar.reports) or _quotes(clause.sentence):
        return True
    if says_nothing(clause.text, clause.sentence, flat, grammar):
        return True
    if _is_impersonal(clause, flat, grammar):
        return _asks(clause, grammar)
    if _split(grammar.lapses).match(flat) or _opens(
        flat, (*grammar.empty, *grammar.addressed, *grammar.dismissals)
    ):
        return True
    if _opens(whole, grammar.pastes) and not phrases_in(whole, grammar.first):
        return True
    # "Could you remember that my locker is number 212?" states it.
    if not _is_noted(clause, grammar) and (
        _asks(clause, grammar) or _opens(flat, grammar.questions)
    ):
        return True
    if _retains_a_task(folded(clause.text), flat, grammar):
        return True
    supposed = _opens(without_openers(whole, grammar), grammar.conditions)
    return _opens(flat, grammar.conditions) or supposed


def _is_impersonal(clause: Clause, flat: str, grammar: Grammar) -> bool:
    """True for "you get in with 4417": what anybody does, told with an exact value."""
    stated = _split(_in_two(grammar.impersonals)).search(flat) or phrases_in(
        flat, _in_one(grammar.impersonals)
    )
    return bool(stated) and bool(identifiers(clause.text))


@functools.cache
def _in_two(phrases: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(phrase for phrase in phrases if " ... " in phrase)


@functools.cache
def _in_one(phrases: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(phrase for phrase in phrases if " ... " not in phrase)


def _is_noted(clause: Clause, grammar: Grammar) -> bool:
    """True where the words ask to keep what they state."""
    flat = folded(clause.text).lstrip(_LEADING)
    return pattern(grammar.notings).match(_without_politeness(flat, grammar)) is not None or (
        pattern(grammar.notings).match(flat) is not None
    )


def _asks(clause: Clause, grammar: Grammar) -> bool:
    """True for a question; one that only ends in "okay?" is none, and "¿" says where one begins."""
    if "\u00bf" in clause.sentence:
        return "\u00bf" in clause.text
    whole = folded(clause.sentence).rstrip(" \"')»")
    if not whole.endswith(("?", "？", "؟")):
        return False
    bare = whole.rstrip("?？؟ ")
    return not any(bare.endswith(f", {folded(tag)}") for tag in grammar.tags)


def _retains_a_task(said: str, flat: str, grammar: Grammar) -> bool:
    """True for "don't forget to ...": a task, where "don't forget that I ..." states."""
    said = said.lstrip(_LEADING)
    retained = pattern(grammar.retained).match(_without_politeness(said, grammar))
    return retained is not None and not _names_speaker(flat, grammar)


def _quotes(sentence: str) -> bool:
    """True for a sentence that is a quotation as a whole, or that ends in one it announces."""
    return bool(
        regex.fullmatch(r"\s*[\"“«„].*[\"”»“]\s*[.!]?\s*", sentence, regex.DOTALL)
        or regex.search(r"[:,]?\s[\"“«„][^\"”»“]{12,}[\"”»“]\s*[.!]?\s*$", sentence)
    )


def _states(clause: Clause, flat: str, grammar: Grammar) -> bool:
    polite = _without_politeness(flat, grammar)
    denied = _DENIAL.sub("", polite)
    order = max(_length(polite, grammar.orders), _length(denied, grammar.orders))
    task = _length(denied, grammar.tasks)
    if task and task == order:
        return bool(carriers(clause.text)) and bool(phrases_in(flat, grammar.corrections))
    if task > order:
        return _stands(denied, grammar)
    if order or _names_speaker(flat, grammar):
        return not order or len(word_list(denied)) > 2 or bool(carriers(clause.text))
    if phrases_in(flat, grammar.wishes) or _opens(denied, grammar.standing):
        return True
    if _is_impersonal(clause, flat, grammar):
        return True
    return _of_a_topic(clause, flat, grammar) or _of_a_thing(clause, flat, grammar)


def _of_a_topic(clause: Clause, flat: str, grammar: Grammar) -> bool:
    """A topic by name, told anew or with a reservation: "the plumber can only make 3 May"."""
    topics = tuple(word for words in grammar.topics.values() for word in words)
    cues = (*grammar.corrections, *grammar.mistakes, *lexicon.load(grammar.language).hedges)
    told = any(map(str.isdigit, flat)) or any(not each.opening for each in carriers(clause.text))
    told = told or (bool(phrases_in(flat, grammar.mistakes)) and bool(news(flat, grammar)))
    exact = len(word_list(flat)) <= _SHORT and value_in(clause.text, grammar) is not None
    said = bool(phrases_in(flat, cues)) or (exact and any(map(str.isdigit, flat)))
    return told and said and bool(phrases_in(flat, topics))


def _names_speaker(flat: str, grammar: Grammar) -> bool:
    """True where "I", "my" or a verb form of the speaker's stands near the beginning."""
    near = flat[:_FIRST_WITHIN]
    if phrases_in(near, grammar.first) or _opens(flat, grammar.kin):
        return True
    own, shared = words_of(grammar.own_verbs), words_of(grammar.shared_verbs)
    dropped = stop_words(grammar.language)
    before: list[str] = []
    for word in word_list(near):
        free = not (before and before[-1] in grammar.articles)
        if free and (word in own or (word in shared and dropped.issuperset(before))):
            return True
        before.append(word)
    return False


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
    named = named_first(clause.text, grammar)
    if named and after == flat == folded(clause.text):
        verb = pattern((*grammar.verbs, *grammar.copulas)).search(flat)
        if verb and len(word_list(flat[: verb.start()])) <= _NAME_WORDS:
            return True
    if not phrases_in(flat, (*grammar.verbs, *grammar.copulas)):
        return False
    if not _tells(clause.text, flat, grammar):
        return False
    return bool(named) or _opens(after, grammar.subjects)


def _without_opening(flat: str, grammar: Grammar) -> str:
    """A clause without the words that announce a correction: "Tout compte fait, ..."."""
    opened = pattern(grammar.corrections).match(flat)
    if opened is None:
        return flat
    rest = flat[opened.end() :].lstrip(" ,:;")
    # German turns the order round: "Eigentlich ist die Besprechung ..."
    verb = pattern(grammar.copulas).match(rest)
    return rest[verb.end() :].lstrip() if verb else rest


def named_first(text: str, grammar: Grammar) -> str:
    """The name that opens the text: a word with a capital that says something itself."""
    articles = "|".join(map(regex.escape, grammar.name_articles)) or "(?!)"
    opened = regex.match(
        rf"(?:(?i:{articles})\s+)?(\p{{Lu}}[\p{{L}}'\u2019-]+|\p{{Lu}}{{2,}})", text
    )
    word = folded(opened[1]) if opened else ""
    small = stop_words(grammar.language)
    return "" if all(each in small for each in word_list(word)) else word


def _tells(text: str, flat: str, grammar: Grammar) -> bool:
    """True where something beside the subject is named: a carrier, or a word of a domain."""
    found = [carrier for carrier in carriers(text) if not carrier.opening]
    words = [phrase for phrases in grammar.domains.values() for phrase in phrases]
    return bool(found) or bool(phrases_in(flat, tuple(words)))


def _length(flat: str, phrases: tuple[str, ...]) -> int:
    """The characters of the longest phrase that opens a text."""
    found = pattern(phrases).match(flat.lstrip(_LEADING))
    return 0 if found is None else len(found.group())


def _opens(flat: str, phrases: tuple[str, ...]) -> bool:
    return pattern(phrases).match(flat.lstrip(_LEADING)) is not None


def _kind(flat: str, grammar: Grammar) -> Kind:
    if phrases_in(flat, grammar.standing) and not phrases_in(flat, grammar.past):
        polite = _without_politeness(flat, grammar)
        told = (*grammar.standing, *grammar.orders, *grammar.tasks)
        if any(_opens(said, told) for said in (flat, polite, _DENIAL.sub("", polite))):
            return "rule"
    if phrases_in(flat, grammar.past):
        return "episode"
    if phrases_in(flat, grammar.wishes):
        return "preference"
    return "promise" if phrases_in(flat, grammar.plans) else "fact"

"""Whether a clause holds anything that could be asked for later.

"As I said", "I'll be right back", "my partner agreed", "the tracker said it was on its way" and
a line of minutes hold nothing: they are about the talk, about nobody of the speaker's, or in
somebody else's words. Invariant: a pure function; a clause with one word of content beside its
fillers is kept.
"""

from __future__ import annotations

import functools

import regex

from palimpsest.extract.grammar import Grammar
from palimpsest.language import lexicon
from palimpsest.language.carriers import carriers
from palimpsest.language.phrases import pattern, phrases_in
from palimpsest.language.stop_words import stop_words
from palimpsest.language.word_list import folded, word_list

_QUOTE = regex.compile(
    r"[\"\u201c\u201e\u00ab\u00bb][\s\u00a0]*([^\"\u201c\u201d\u201e\u00ab\u00bb]+?)[\s\u00a0]*[\"\u201d\u201c\u00bb\u00ab]"
)
_LEAST_QUOTED = 3
"""Words of a quotation; what is shorter is a name or a title."""
_ASSENT = 6
"""Words of a clause in which somebody agrees."""
_TELLER = 5
"""Words of "the parcel tracker" before its "said"."""
_SIGNS = " ,.;:!?\u00a1\u00bf\u2026-\u2013\u2014\"'()"
_TRAIL = regex.compile(r"[\s,.;:!?\u2026]+")


def empty_of_content(flat: str, grammar: Grammar) -> bool:
    """True where nothing is left of a folded clause beside its fillers and its small words."""
    said = (*grammar.fillers, *lexicon.load(grammar.language).hedges, *grammar.politeness)
    if not phrases_in(flat, said):
        return False
    rest = word_list(pattern(said).sub(" ", flat))
    return set(rest) <= stop_words(grammar.language) | set(_singles(grammar))


def says_nothing(clause: str, sentence: str, flat: str, grammar: Grammar) -> bool:
    """True for fillers, agreement, others' words and lines of minutes."""
    return (
        empty_of_content(flat, grammar)
        or empty_of_content(folded(clause), grammar)
        or _passes(clause, flat, grammar)
        or _names_no_news(flat, grammar)
        or _agrees(flat, grammar)
        or _quotes_another(sentence, grammar)
        or _tells(flat, grammar)
        or _minutes(flat, grammar)
    )


def bare_remark(piece: str, grammar: Grammar) -> bool:
    """True for a piece that belongs to the statement beside it: "I think", "I was wrong"."""
    flat = folded(piece).strip(_SIGNS)
    hedges = lexicon.load(grammar.language).hedges
    return bool(flat) and pattern((*hedges, *grammar.mistakes)).fullmatch(flat) is not None


def explains(piece: str, behind: str, grammar: Grammar) -> bool:
    """True for "I can't eat lupin, my throat swells": the same topic, and no value of its own."""
    if carriers(behind):
        return False
    one, other = folded(piece), folded(behind)
    return any(
        phrases_in(one, words) and phrases_in(other, words) for words in grammar.topics.values()
    )


def refuses(sentence: str, clause: str, grammar: Grammar) -> bool:
    """True for "No, it is Bob": a statement that opens by turning down what was said."""
    flat = folded(sentence).lstrip(_SIGNS)
    opened = pattern(grammar.refusals).match(flat)
    if opened is None or not flat[opened.end() :].startswith((",", ".", ":", ";")):
        return False
    rest = flat[opened.end() :].lstrip(_SIGNS)
    said = folded(clause).strip(_SIGNS)
    return rest.startswith(said[:40]) or said.startswith(opened.group())


def _passes(clause: str, flat: str, grammar: Grammar) -> bool:
    """ "My coffee is getting cold", "I'm so tired today": gone within the hour, by all its words."""
    if phrases_in(flat, (*grammar.wishes, *grammar.standing)) or any(map(str.isdigit, flat)):
        return False
    # "Ma sœur s'appelle Marie" tells a name; German writes every noun as one.
    told = (each for each in carriers(clause) if each.kind != "relative-day")
    if grammar.language != "de" and any(not each.opening for each in told):
        return False
    said = (*grammar.moments, *grammar.fillers)
    rest = word_list(pattern(said).sub(" ", flat))
    small = stop_words(grammar.language) | _singles(grammar) | _people(grammar)
    return bool(phrases_in(flat, grammar.moments)) and set(rest) <= small


def _names_no_news(flat: str, grammar: Grammar) -> bool:
    """ "I was wrong about the allergy": a topic, and nothing that is told of it."""
    return bool(phrases_in(flat, grammar.mistakes)) and not news(flat, grammar)


def news(flat: str, grammar: Grammar) -> frozenset[str]:
    """The words of a folded clause beside a mistake owned to, topics and small words."""
    topics = tuple(word for words in grammar.topics.values() for word in words)
    rest = word_list(pattern((*grammar.mistakes, *topics, *grammar.fillers)).sub(" ", flat))
    return frozenset(rest) - stop_words(grammar.language) - _singles(grammar)


def _agrees(flat: str, grammar: Grammar) -> bool:
    """ "My partner agreed": no word of what was agreed on."""
    if not phrases_in(flat, grammar.assents) or len(word_list(flat)) > _ASSENT + 2:
        return False
    rest = word_list(pattern(grammar.assents).sub(" ", flat))
    return set(rest) <= stop_words(grammar.language) | _people(grammar) | _singles(grammar)


@functools.cache
def _people(grammar: Grammar) -> frozenset[str]:
    fields = ("family", "friends")
    return frozenset(folded(word) for name in fields for word in grammar.domains.get(name, ()))


@functools.cache
def _singles(grammar: Grammar) -> frozenset[str]:
    """Words of the speaker and of openings, which say nothing alone."""
    lists = (*grammar.first, *grammar.joins, *grammar.openers)
    return frozenset(word for phrase in lists for word in word_list(folded(phrase)))


def _quotes_another(sentence: str, grammar: Grammar) -> bool:
    """Somebody's words in marks behind a verb of saying, whose subject is not the speaker."""
    for found in _QUOTE.finditer(sentence):
        before = folded(sentence[: found.start()])
        if len(word_list(found[1])) >= _LEAST_QUOTED and phrases_in(before, grammar.sayings):
            return True
    return False


def _tells(flat: str, grammar: Grammar) -> bool:
    """ "The tracker said it was on its way": a thing or a person of nobody's says something."""
    opened = pattern(grammar.subjects).match(flat)
    told = pattern(grammar.sayings).search(flat)
    if opened is None or told is None:
        return False
    between = flat[opened.end() : told.start()]
    plain = not regex.search(r"[,;:.]", between) and len(word_list(between)) <= _TELLER
    return plain and not phrases_in(flat, grammar.first)


def _minutes(flat: str, grammar: Grammar) -> bool:
    """ "Item 4 is routine": a numbered part of somebody's document, or what a meeting left."""
    if phrases_in(flat[:32], grammar.possessives):
        return False
    named = "|".join(regex.escape(folded(word)) for word in grammar.minutes) or "(?!)"
    articles = "|".join(regex.escape(folded(word)) for word in grammar.subjects)
    numbered = rf"(?:(?:{articles})\s*)?(?:{named})\s+(?:n\S{{0,2}}\s*)?\d+[.:)]?(?!\p{{N}})"
    return regex.match(numbered, flat) is not None or bool(phrases_in(flat, grammar.undecided))


def list_lines(sentences: list[str], grammar: Grammar) -> frozenset[str]:
    """The sentences of one text that repeat one shape: lines of a list, nobody's statement."""
    shapes: dict[str, list[str]] = {}
    for sentence in sentences:
        shape = regex.sub(r"\d+", "#", _TRAIL.sub(" ", folded(sentence)))
        shapes.setdefault(shape, []).append(sentence)
    return frozenset(
        line for shape, lines in shapes.items() for line in lines
        if len(lines) >= _LIST and "#" in shape and not phrases_in(shape, grammar.first)
    )  # fmt: skip


_LIST = 3
"""Sentences of one shape that make a list."""

"""The name under which a statement is kept: what it is about, in its own words.

"My passport number is ..." is about "passport number". Invariant: a pure function; where no
plain subject stands before a verb there is no name, and nothing is invented.
"""

from __future__ import annotations

import functools

import regex

from palimpsest.extract.grammar import Grammar
from palimpsest.extract.statements import without_openers
from palimpsest.extract.told import value_in
from palimpsest.language import lexicon
from palimpsest.language.phrases import pattern, phrases_in
from palimpsest.language.secret_forms import secrets
from palimpsest.language.values import value_of
from palimpsest.language.word_list import folded, word_list

_MOST = 4
"""Words of a name; what is longer is a sentence."""


def attribute_of(text: str, grammar: Grammar) -> str | None:
    """The subject of a statement without its article; ``None`` where it has none."""
    flat = _announced(without_openers(folded(text), grammar), grammar)
    flat = _plainly(flat, grammar.language)
    opened = pattern((*grammar.first, *grammar.subjects)).match(flat)
    if opened is None:
        return None
    verbs = phrases_in(flat[opened.end() :], grammar.copulas)
    if not verbs:
        return None
    between = flat[opened.end() : opened.end() + verbs[0][0]]
    words = [word for word in word_list(between) if word not in _NEW]
    if not 0 < len(words) <= _MOST or regex.search(r"[,;:.]", between.strip()):
        return None
    return " ".join(words)


def told_value(text: str, attribute: str | None, grammar: Grammar) -> str | None:
    """The value of a statement: behind the verb where a subject stands before it.

    German writes every noun as others write names, so what stands before tells too much.
    """
    if secrets(text):
        return value_of(text, attribute)
    verb = _copula(grammar.copulas).search(text)
    behind = verb.end() if attribute is not None and verb else 0
    found = value_in(text, grammar, behind=behind)
    return None if found is None or folded(found) in grammar.standing else found


def _plainly(flat: str, language: str) -> str:
    """A clause without the reservation that opens it: "I think my blood type is A"."""
    opened = pattern(lexicon.load(language).hedges).match(flat)
    if opened is None:
        return flat
    rest = flat[opened.end() :].lstrip(" ,")
    return _THAT.sub("", rest, count=1)


_THAT = regex.compile(r"^(?:that|que|qu'|dass|che)(?:\s+|(?<='))")
"""What may stand between a reservation and what it is about."""


def _announced(flat: str, grammar: Grammar) -> str:
    """A clause without what announces a correction: "Actually, my name is ..."."""
    opened = pattern(grammar.corrections).match(flat)
    return flat[opened.end() :].lstrip(" ,:;") if opened else flat


@functools.cache
def _copula(copulas: tuple[str, ...]) -> regex.Pattern[str]:
    listed = "|".join(map(regex.escape, sorted(copulas, key=len, reverse=True)))
    return regex.compile(
        rf"(?<![\p{{L}}\p{{N}}])(?:{listed})(?![\p{{L}}\p{{N}}])", regex.IGNORECASE
    )


_NEW = frozenset({"new", "current", "old", "nouveau", "nouvelle", "nouvel", "actuel", "actuelle",
                  "neue", "neuer", "neues", "nuevo", "nueva", "nuovo", "nuova", "novo", "nova"})  # fmt: skip

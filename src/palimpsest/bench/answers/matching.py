"""Which facts an answer states and which replaced ones it states as current.

``sentence`` is the published way: a required fact anywhere in the text counts, and a replaced
one counts unless its sentence holds a marker or an exempting fact. ``mention`` judges every
mention by itself. Invariant: both read nothing but the answer and the keys.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from palimpsest.bench.answers.cases import AnswerCase
from palimpsest.bench.answers.clean import cleaned
from palimpsest.bench.answers.keys import Keys
from palimpsest.bench.answers.mentions import Values, mentions
from palimpsest.language.answer_marks import marks


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What an answer holds of its case's facts, each in the order of the case."""

    found: tuple[str, ...]
    stale: tuple[str, ...]
    forgotten: tuple[str, ...]
    missing_said: bool
    """True where the answer says that it was not told something."""


def said(case: AnswerCase, text: str, keys: Keys) -> Said:
    """Search one answer."""
    forgotten = _among(case.deleted, {
        fact for fact in case.deleted if keys.pattern(case.id, fact).search(text)
    })  # fmt: skip
    if keys.matching == "sentence":
        return _by_sentence(case, text, keys, forgotten)
    return _by_mention(case, text, keys, forgotten)


def _by_mention(case: AnswerCase, text: str, keys: Keys, forgotten: tuple[str, ...]) -> Said:
    shown, words = cleaned(text), marks(keys.languages)
    values = Values(
        required={fact: keys.pattern(case.id, fact) for fact in case.required},
        stale={fact: keys.pattern(case.id, fact) for fact in case.stale},
        replaced_by=case.replaced_by,
    )
    stated: set[str] = set()
    for mention in mentions(shown, values, words):
        # A question states no fact, but it does take a replaced one for current.
        if mention.verdict == "stated" or (
            mention.verdict == "asked" and mention.fact in values.stale
        ):
            stated.add(mention.fact)
    not_told = words.says_nothing_missing.sub(" ", shown)
    return Said(
        found=_among(case.required, stated),
        stale=_among(case.stale, stated),
        forgotten=forgotten,
        missing_said=bool(words.says_missing.search(not_told)),
    )


def _by_sentence(case: AnswerCase, text: str, keys: Keys, forgotten: tuple[str, ...]) -> Said:
    parts = keys.sentence.split(text)
    found = {fact for fact in case.required if keys.pattern(case.id, fact).search(text)}
    stale = {fact for fact in case.stale if any(_current(case, fact, p, keys) for p in parts)}
    says = keys.says_missing
    return Said(
        found=_among(case.required, found),
        stale=_among(case.stale, stale),
        forgotten=forgotten,
        missing_said=bool(says and says.search(text)),
    )


def _current(case: AnswerCase, fact: str, sentence: str, keys: Keys) -> bool:
    """True where a sentence names a replaced fact as if it still held."""
    if not keys.pattern(case.id, fact).search(sentence):
        return False
    if keys.replaced and keys.replaced.search(sentence):
        return False
    beside = keys.exempt.get(fact, ())
    return not any(keys.pattern(case.id, other).search(sentence) for other in beside)


def _among(facts: tuple[str, ...], chosen: Collection[str]) -> tuple[str, ...]:
    return tuple(fact for fact in facts if fact in chosen)

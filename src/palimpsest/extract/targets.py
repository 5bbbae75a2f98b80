"""Which current memory a correction or a forget request means.

Each candidate is weighed by what it shares with the words: the old value by name counts most,
then the field of life, then each word, the rarer the more. Invariant: a pure function; where no
candidate is clearly ahead there is no target, since a wrong one would lose a fact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from palimpsest.extract.grammar import Grammar
from palimpsest.language.carriers import carriers
from palimpsest.language.content_words import content_words
from palimpsest.language.phrases import phrases_in
from palimpsest.language.word_list import folded
from palimpsest.types import Memory

ENOUGH = 1.0
"""The least weight of a target."""
AHEAD = 0.5
"""By how much it must lead the next candidate."""
_VALUE, _DOMAIN, _WORD, _KIND = 2.0, 1.0, 1.0, 0.5
"""The weights of a shared value, field, rare word and kind of value."""


def target(
    words: str, memories: Sequence[Memory], grammar: Grammar, *, of_forget: bool = False
) -> Memory | None:
    """The one memory that is meant; ``None`` where none or several may be."""
    if not memories:
        return None
    held = [_words_of(memory) for memory in memories]
    often = Counter(word for each in held for word in each)
    wanted, fields, kinds = content_words(words), _fields(words, grammar), _kinds(words)
    weighed = sorted(
        (
            (_weight(memory, each, wanted, fields, kinds, often, folded(words), grammar), -i)
            for i, (memory, each) in enumerate(zip(memories, held, strict=True))
        ),
        reverse=True,
    )
    best, place = weighed[0]
    if best < ENOUGH or (len(weighed) > 1 and best - weighed[1][0] < AHEAD):
        return _same_text(memories, weighed, often) if of_forget else None
    return memories[-place]


def _same_text(
    memories: Sequence[Memory], weighed: Sequence[tuple[float, int]], often: Counter[str]
) -> Memory | None:
    """Several rows that say one thing under one attribute are one target."""
    best = weighed[0][0]
    rows = [memories[-place] for weight, place in weighed if weight == best and weight >= ENOUGH]
    attributes = {row.attribute for row in rows}
    return rows[0] if rows and len(attributes) == 1 and None not in attributes else None


def _weight(
    memory: Memory,
    held: frozenset[str],
    wanted: frozenset[str],
    fields: frozenset[str],
    kinds: frozenset[str],
    often: Counter[str],
    flat: str,
    grammar: Grammar,
) -> float:
    found: float = sum(_WORD / often[word] ** 0.5 for word in wanted & held)
    if memory.value and folded(memory.value) in flat:
        found += _VALUE
    text = f"{memory.attribute or ''} {memory.text}"
    if fields & _fields(text, grammar):
        found += _DOMAIN
    return found + (_KIND if kinds & _kinds(memory.text) else 0.0)


def _words_of(memory: Memory) -> frozenset[str]:
    return content_words(memory.text) | content_words(memory.attribute or "")


def _fields(text: str, grammar: Grammar) -> frozenset[str]:
    """The domains that have a word in a text."""
    flat = folded(text)
    return frozenset(name for name, words in grammar.domains.items() if phrases_in(flat, words))


def _kinds(text: str) -> frozenset[str]:
    """The kinds of the carriers of a text."""
    return frozenset(carrier.kind for carrier in carriers(text))

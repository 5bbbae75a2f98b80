"""Accepts a sentence that says a fact in other words; a person reviews what it accepts.

A sentence says a fact where every carrier of the fact (numbers with units, dates,
identifiers, names) stands in it, with every word of the fact's topic and enough of its
others by their stems, and both deny or neither does. A carrier that the sentence calls replaced counts only for a fact
that calls it so too. A question or a supposition says nothing.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from palimpsest.language import packs
from palimpsest.language.carriers import carriers
from palimpsest.language.packs import Pack
from palimpsest.language.reading import Reading, read
from palimpsest.language.replacing import is_hedged, is_question
from palimpsest.language.sentences import sentence_spans
from palimpsest.language.stems import stems
from palimpsest.language.topics import place
from palimpsest.language.values import LONGEST
from palimpsest.language.words_of import any_of

SHARE = 0.5
"""The share of the words outside its carriers that must stand in the sentence; a fact without
carriers needs all of them. Read from the labelled pairs of tests/unit/bench/test_paraphrase.py:
verbs that change their stem leave a true paraphrase half, and false ones with every carrier
and topic word had none."""
_CITED = re.compile(r"^- \[[^\]]{1,80}\] ")
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """One sentence that was taken for a fact, with what it was taken by."""

    message: int
    sentence: str
    carriers: tuple[str, ...]
    words: tuple[str, ...]
    """The stems that it shares with the fact."""
    missing: tuple[str, ...]
    """The stems of the fact that it does not have."""


def find(fact: str, texts: Sequence[str]) -> Accepted | None:
    """The sentence of ``texts`` that says a fact best; ``None`` where none says it."""
    if len(fact) > LONGEST:
        return None
    known = packs.chosen("")
    wanted = read(fact, known)
    best: Accepted | None = None
    for place_, sentence in _sentences(texts):
        found = _accepted(wanted, read(sentence, known), place_)
        if found is not None and (best is None or len(found.words) > len(best.words)):
            best = found
    return best


def _sentences(texts: Sequence[str]) -> Iterator[tuple[int, str]]:
    for i, text in enumerate(texts):
        for start, end in sentence_spans(text):
            yield i, html.unescape(_CITED.sub("", text[start:end]))


def _accepted(fact: Reading, said: Reading, message: int) -> Accepted | None:
    if is_question(said.text) or is_hedged(said.text, said.pack):
        return None
    if _denies(fact) != _denies(said) or _replaced(fact) != _replaced(said, fact):
        return None
    needed = [fact.text[c.start : c.end] for c in carriers(fact.text)]
    tokens = _tokens(said.text, fact.pack)
    if not all(_holds(tokens, _tokens(carrier, fact.pack)) for carrier in needed):
        return None
    words = _words(fact)
    shared = words & frozenset(tokens)
    about = words & fact.topic()
    enough = len(shared) >= SHARE * len(words) if needed else bool(words) and shared == words
    if not enough or not about <= shared:
        return None
    return Accepted(
        message=message, sentence=said.text, carriers=tuple(needed), words=tuple(sorted(shared)),
        missing=tuple(sorted(words - shared)),
    )  # fmt: skip


def _words(fact: Reading) -> frozenset[str]:
    """The stems of a fact's words outside its carriers."""
    spans = [(c.start, c.end) for c in carriers(fact.text)]
    outside = "".join(
        character if all(not start <= i < end for start, end in spans) else " "
        for i, character in enumerate(fact.text)
    )
    stops = set(fact.pack.stop_words)
    return frozenset(
        stems(fact.pack.language).of(word)
        for word in (m.group().lower() for m in _TOKEN.finditer(outside))
        if word not in stops
    )


def _tokens(text: str, pack: Pack) -> list[str]:
    """Numbers as they are and stems of words, in order."""
    stem = stems(pack.language).of
    return [stem(m.group().lower()) for m in _TOKEN.finditer(text)]


def _holds(tokens: Sequence[str], wanted: Sequence[str]) -> bool:
    size = len(wanted)
    return any(list(tokens[i : i + size]) == list(wanted) for i in range(len(tokens) - size + 1))


def _denies(said: Reading) -> bool:
    return bool(any_of(said.pack.negations).search(said.text))


def _replaced(said: Reading, fact: Reading | None = None) -> frozenset[str]:
    """The carriers of ``fact`` (by default its own) that a sentence says are replaced."""
    source = (fact or said).text
    named = [source[c.start : c.end] for c in carriers(source)]
    slots = [said.text[slice(*r.old)] for r in said.replacements if r.old]
    return frozenset(name.lower() for name in named for slot in slots if place(name, slot))

"""A corpus for measuring recall, in the document's shape: 18 facts, 6 questions, 10 answers.

The six questions of ``meant`` share few words with what answers them; six more, ``named``,
name it. Relevance is told fact by fact and not by theme: several of the 18 share a theme with a
question and answer nothing. Distractors come from templates, each set in an order of its own.
Invariant: equal arguments give equal texts; the languages are parallel, line by line.
"""

from __future__ import annotations

import functools
import random
from dataclasses import dataclass
from importlib import resources
from typing import Literal

Language = Literal["en", "fr"]
LANGUAGES: tuple[Language, ...] = ("en", "fr")
Asking = Literal["meant", "named"]
ASKINGS: tuple[Asking, ...] = ("meant", "named")
SETS = 5
POOL = 4_000
"""How many distractors there are; each set draws from them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question, and the numbers of the references that answer it, from 1."""

    text: str
    relevant: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A fact and a question that it answers; they share few words."""

    fact: str
    question: str


def references(language: Language) -> tuple[str, ...]:
    """The 18 facts."""
    return tuple(row[LANGUAGES.index(language)] for row in _rows("references"))


def queries(language: Language, asking: Asking) -> tuple[Query, ...]:
    """Six questions of one sort."""
    return tuple(
        Query(text=row[1 + LANGUAGES.index(language)], relevant=tuple(map(int, row[0].split())))
        for row in _rows(asking)
    )


def pairs(language: Language) -> tuple[Pair, ...]:
    """Further facts with a question each, for reading a threshold."""
    at = LANGUAGES.index(language)
    return tuple(Pair(fact=row[at], question=row[2 + at]) for row in _rows("pairs"))


def backdrop(language: Language) -> str:
    """The title and the situation of a story: what the document put behind every question."""
    return _rows("backdrop")[0][LANGUAGES.index(language)]


def distractors(language: Language, which: int, count: int) -> tuple[str, ...]:
    """The first ``count`` distractors of set ``which``, 0 to 4; a larger count only adds."""
    pool = _pool(language)
    order = random.Random(which).sample(range(len(pool)), len(pool))  # noqa: S311 - no secret
    return tuple(pool[place] for place in order[:count])


@functools.cache
def _pool(language: Language) -> tuple[str, ...]:
    """Different sentences; the same place has the same sentence in each language."""
    at = LANGUAGES.index(language)
    draw = random.Random("recall")  # noqa: S311 - no secret
    templates, words = _rows("templates"), _words()
    found: dict[tuple[str, ...], str] = {}
    while len(found) < POOL:
        template = draw.choice(templates)
        chosen = {slot: draw.randrange(len(listed["en"])) for slot, listed in words.items()}
        people = len(words["person"]["en"])
        chosen["other"] = (chosen["person"] + 1 + chosen["other"] % (people - 1)) % people
        drawn = {slot: listed[LANGUAGES[at]][chosen[slot]] for slot, listed in words.items()}
        english = {slot: listed["en"][chosen[slot]] for slot, listed in words.items()}
        text = template[at].format(**drawn)
        found.setdefault((template[0].format(**english),), text[0].upper() + text[1:])
    return tuple(found.values())


@functools.cache
def _words() -> dict[str, dict[str, list[str]]]:
    found: dict[str, dict[str, list[str]]] = {}
    for slot, language, *listed in _rows("words"):
        found.setdefault(slot, {})[language] = listed
    found["other"] = found["person"]
    return found


@functools.cache
def _rows(name: str) -> tuple[tuple[str, ...], ...]:
    text = (resources.files(__name__) / f"{name}.tsv").read_text(encoding="utf-8")
    return tuple(tuple(line.split("\t")) for line in text.splitlines())

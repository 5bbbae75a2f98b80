"""The threshold of an embedder, read off the cosines of facts that answer and of others.

A memory under the threshold is unreachable by meaning; one above it only competes for a
limited number of seats, nearest first. Read is the cosine at which the share of answers above
it exceeds that of others the most, and of equals the lowest. Invariant: a function of the
corpus and the embedder alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from palimpsest.bench import recall_corpus as corpus
from palimpsest.bench.recall_corpus import Language
from palimpsest.bench.report_schema import SCHEMA
from palimpsest.protocols import Embedder, Vectors

PARTS = (0.0, 0.05, 0.25, 0.5, 0.95, 0.99, 1.0)
_OTHERS = 216
_GRID = np.round(np.arange(-1.0, 1.0, 0.01), 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cosines:
    """How the cosines of one embedder are spread in one language or in all of them."""

    embedder: str
    languages: tuple[Language, ...]
    held: float
    """The threshold that the embedder has."""
    read: float
    """The one that these cosines give."""
    answers: int
    others: int
    answer_parts: Mapping[float, float]
    """By part of the answers, the cosine that so many are under: 0.5 is the median."""
    other_parts: Mapping[float, float]
    reached: Mapping[float, float]
    """Part of the answers at ``held`` and at ``read``, or above it."""
    passed: Mapping[float, float]
    """Part of the others."""

    @property
    def gap(self) -> float:
        """From the 95th part of the others to the median of the answers; below 0 they overlap."""
        return self.answer_parts[0.5] - self.other_parts[0.95]


def measure(
    name: str, embedder: Embedder, languages: Sequence[Language] = corpus.LANGUAGES
) -> tuple[Cosines, ...]:
    """One spread a language, and one of all together where there are more."""
    spaces = {language: _scores(embedder, language) for language in languages}
    found = [
        _spread(name, (language,), embedder.threshold, *scores)
        for language, scores in spaces.items()
    ]
    if len(spaces) > 1:
        answers, others = (np.concatenate(part) for part in zip(*spaces.values(), strict=True))
        found.append(_spread(name, tuple(spaces), embedder.threshold, answers, others))
    return tuple(found)


def _scores(embedder: Embedder, language: Language) -> tuple[Vectors, Vectors]:
    """The cosines of each question to what answers it, and to everything else."""
    known, pairs = corpus.references(language), corpus.pairs(language)
    facts = [*known, *(pair.fact for pair in pairs), *corpus.distractors(language, 0, _OTHERS)]
    asked = [
        (query.text, [number - 1 for number in query.relevant])
        for asking in corpus.ASKINGS
        for query in corpus.queries(language, asking)
    ]
    asked += [(pair.question, [len(known) + at]) for at, pair in enumerate(pairs)]
    vectors = embedder.passages(facts)
    answers, others = [], []
    for question, right in asked:
        scores = vectors @ embedder.query(question)
        answers.append(scores[right])
        others.append(np.delete(scores, right))
    return np.concatenate(answers), np.concatenate(others)


def _spread(
    name: str, languages: tuple[Language, ...], held: float, answers: Vectors, others: Vectors
) -> Cosines:
    above = np.array([_above(answers, at) - _above(others, at) for at in _GRID])
    read = float(_GRID[int(np.argmax(above))])
    marks = (held, read)
    return Cosines(
        embedder=name, languages=languages, held=held, read=read,
        answers=len(answers), others=len(others),
        answer_parts={part: float(np.quantile(answers, part)) for part in PARTS},
        other_parts={part: float(np.quantile(others, part)) for part in PARTS},
        reached={at: _above(answers, at) for at in marks},
        passed={at: _above(others, at) for at in marks},
    )  # fmt: skip


def _above(scores: Vectors, at: float) -> float:
    return float(np.mean(scores >= np.float32(at)))


def as_json(spreads: Iterable[Cosines]) -> dict[str, Any]:
    """The spreads as JSON."""
    return {
        "schema": SCHEMA,
        "cosines": [
            {"embedder": s.embedder, "languages": list(s.languages), "held": s.held,
             "read": s.read, "answers": s.answers, "others": s.others, "gap": s.gap,
             "answer_parts": {str(k): v for k, v in s.answer_parts.items()},
             "other_parts": {str(k): v for k, v in s.other_parts.items()},
             "reached": {str(k): v for k, v in s.reached.items()},
             "passed": {str(k): v for k, v in s.passed.items()}}
            for s in spreads
        ],
    }  # fmt: skip

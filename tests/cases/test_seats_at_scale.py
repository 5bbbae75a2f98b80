"""Seats over more than 300 facts, with scores from shared words in place of a recall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from palimpsest.bench.report import totals
from palimpsest.bench.run import Options, find, run_all
from palimpsest.config import Config
from palimpsest.context.memory_strategies import Seats
from palimpsest.language.content_words import content_words
from palimpsest.ledger import Recall, Request
from palimpsest.protocols import Counter, View
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.types import Ask


@dataclass(frozen=True)
class Scored:
    """A view with scores of its own."""

    view: Any
    scores: Recall

    def __getattr__(self, name: str) -> Any:
        return getattr(self.view, name)

    def recall(self) -> Recall:
        return self.scores


def shared_words(view: View, texts: Sequence[str]) -> Recall:
    """One over the number of memories that share a word, added up over the words."""
    asked = content_words("\n".join(texts))
    hits = [(m.id, asked & content_words(m.text)) for m in view.memories(current=True)]
    having = {word: sum(word in words for _, words in hits) for word in asked}
    return Recall(lexical={id: sum(1 / having[w] for w in words) for id, words in hits if words})


def test_lexical_scores_bring_back_what_recency_has_lost(
    gemma: LocalTokenizer, monkeypatch: Any
) -> None:
    """With them seats find far more than without, and still nothing stale or forgotten."""
    build = Seats.build

    def scored(self: Seats, view: View, ask: Ask, counter: Counter, config: Config) -> Request:
        assert ask.question is not None
        scores = shared_words(view, ask.question.texts())
        return build(self, Scored(view, scores), ask, counter, config)

    options = Options(strategies=("seats", "managed"), sweep=(), look_after=False)
    suite = find("generated-320")
    with monkeypatch.context() as patch:
        patch.setattr(Seats, "build", scored)
        run = run_all([suite], options)[0]
    found = {key: totals(rows) for key, rows in run.rows.items()}
    assert (0, 0) == (found["seats"]["stale"], found["seats"]["deleted"])
    assert 10 * found["managed"]["found"] < found["seats"]["found"]

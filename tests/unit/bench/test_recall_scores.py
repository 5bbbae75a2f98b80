"""Recall@k: the corpus, what is counted, and that the counts can tell good from bad."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from palimpsest.bench import cosines, recall_scores
from palimpsest.bench import recall_corpus as corpus
from palimpsest.bench.recall_scores import Point
from palimpsest.embedders.hashed import Hashed
from palimpsest.protocols import Vectors


class Knowing:
    """An embedder that knows the answers: a question has the direction of what answers it."""

    name, dimensions, threshold = "knowing", 64, 0.5

    def __init__(self) -> None:
        self._of = {
            query.text: query.relevant
            for language in corpus.LANGUAGES
            for asking in corpus.ASKINGS
            for query in corpus.queries(language, asking)
        }
        self._number = {
            text: at
            for language in corpus.LANGUAGES
            for at, text in enumerate(corpus.references(language), start=1)
        }

    def query(self, text: str) -> Vectors:
        vector = np.zeros(self.dimensions, dtype=np.float32)
        vector[list(self._of.get(text, (self._number.get(text, 63),)))] = 1
        unit: Vectors = vector / np.linalg.norm(vector)
        return unit

    def passages(self, texts: Sequence[str]) -> Vectors:
        return np.array([self.query(text) for text in texts])


@pytest.mark.parametrize("language", corpus.LANGUAGES)
@pytest.mark.parametrize("asking", corpus.ASKINGS)
def test_the_corpus_has_the_shape_of_the_document(
    language: corpus.Language, asking: corpus.Asking
) -> None:
    """18 references, six queries, ten relevant; five sets of distractors up to 3,000."""
    queries = corpus.queries(language, asking)
    known = corpus.references(language)
    assert (18, 6, 10) == (len(known), len(queries), sum(len(q.relevant) for q in queries))
    sets = [corpus.distractors(language, which, 2_982) for which in range(corpus.SETS)]
    assert {2_982} == {len(set(one) - set(known)) for one in sets}
    assert corpus.SETS == len({one[:216] for one in sets})
    assert sets[3][:216] == corpus.distractors(language, 3, 216)


def test_an_embedder_that_knows_the_answers_finds_all_and_its_threshold_is_read() -> None:
    """The measure can say 100 %: at any size, first among the first 3, and with a seat."""
    points = recall_scores.measure({"knowing": Knowing()}, sizes=(18, 120), languages=("en",))
    mine = [p for p in points if p.way == "knowing"]
    assert [50] * 4 == [p.found[3] for p in mine]
    both = [p for p in points if p.way == "knowing and words"]
    assert [50] * 4 == [p.seated for p in both] == [p.found[16] for p in both]


def test_words_alone_find_what_is_named_and_not_what_is_meant() -> None:
    """Both sorts of questions are counted apart, and what was told longest ago loses its seat."""
    points = recall_scores.measure({}, sizes=(18, 120), languages=("en",))
    found = {(p.asking, p.size): p for p in points if p.way == recall_scores.WORDS}
    assert 50 == found["named", 120].found[16] == found["named", 120].seated
    assert found["meant", 120].found[16] < 10 > (found["meant", 120].seated or 0)
    assert 50 == found["meant", 18].seated


def test_sizes_add_up_and_come_back_as_json() -> None:
    """Each cell holds six questions in five sets."""
    points = recall_scores.measure({"hashed": Hashed()}, sizes=(18,), languages=("fr",))
    assert {50} == {p.relevant for p in points}
    told = recall_scores.as_json(points)["points"]
    ways = {"words alone", "words alone, backdrop", "hashed", "hashed and words",
            "hashed, backdrop", "hashed, prefixes"}  # fmt: skip
    assert ways == {p["way"] for p in told}
    assert all(isinstance(p, Point) and p.found[24] >= p.found[3] for p in points)


def test_a_threshold_is_read_where_answers_part_from_the_rest() -> None:
    """What it reaches and what it lets pass are told at the held and at the read threshold."""
    one, *_ = cosines.measure("hashed", Hashed(), ("en",))
    assert (0.25, 44) == (one.held, one.answers)
    gain = {at: one.reached[at] - one.passed[at] for at in (one.held, one.read)}
    assert gain[one.read] >= gain[one.held]
    both = cosines.measure("hashed", Hashed())
    assert [("en",), ("fr",), ("en", "fr")] == [spread.languages for spread in both]
    assert both[2].answers == both[0].answers + both[1].answers

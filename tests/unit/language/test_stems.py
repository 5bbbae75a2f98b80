"""The words that are compared: the published rule, and stems by language."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import SpecError
from palimpsest.language.stems import LANGUAGES, stems
from palimpsest.language.words import plain_words

ASCII = st.text(st.characters(max_codepoint=127), max_size=80)


def test_the_published_rule_takes_lower_case_words_without_stop_words() -> None:
    """Letters and digits in lower case; what is not ASCII ends a word."""
    assert {"passwords", "14", "characters", "caf"} == plain_words(
        "The passwords: 14 CHARACTERS. Which café?"
    )


def test_the_published_rule_has_no_stems() -> None:
    """One word and its plural are two words; that is a property of the rule."""
    assert not plain_words("password and session") & plain_words("Passwords; Sessions")


@pytest.mark.parametrize(
    ("language", "question", "turn"),
    [
        ("en", "Which password and session rules?", "Passwords rotate, sessions expire."),
        ("en", "How do we deploy?", "We deployed it. Deploying takes an hour."),
        ("fr", "Quand réserver l'hôtel ?", "Les réservations des hôtels sont faites."),
        ("fr", "Le règlement des e\u0301coles", "une école"),
    ],
)
def test_stems_find_other_forms_of_a_word(language: str, question: str, turn: str) -> None:
    """Plural, tense and a spelling with combining marks make no difference."""
    words = stems(language).words
    assert words(question) & words(turn)


def test_stems_do_not_find_another_word_of_the_same_meaning() -> None:
    """Stemming is no understanding: deploy and rollout stay apart."""
    words = stems("en").words
    assert not words("How do we deploy?") & words("Blue-green rollout it is.")


@pytest.mark.parametrize("language", LANGUAGES)
def test_stop_words_are_no_words(language: str) -> None:
    """A text of stop words alone shares nothing with any text."""
    found = stems(language)
    assert frozenset() == found.words(" ".join(sorted(found.stop_words)))


@given(ASCII, ASCII)
def test_what_shares_a_plain_word_shares_a_stem(one: str, other: str) -> None:
    """Stems lose no match of the published rule between ASCII texts."""
    words = stems("en").words
    if plain_words(one) & plain_words(other):
        assert words(one.replace("_", " ")) & words(other.replace("_", " "))


def test_threads_may_stem_at_once() -> None:
    """A stemmer of the library keeps its word in itself, so none is shared."""
    wanted = {f"organization{i}s bookings{i}" for i in range(400)}
    alone = {text: stems("en").words(text) for text in wanted}
    wrong: list[str] = []

    def stem() -> None:
        from palimpsest.language import stems as module

        for text in wanted:
            found = {module._stem.__wrapped__("english", word) for word in text.split()}
            if found != alone[text]:
                wrong.append(text)

    threads = [threading.Thread(target=stem) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [] == wrong


def test_an_unknown_language_is_told_with_the_known_ones() -> None:
    """No language is guessed."""
    with pytest.raises(SpecError, match="language='xx' has no stems; known: en, fr"):
        stems("xx")

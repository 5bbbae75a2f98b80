"""Emoji and other symbols as the word that makes the difference."""

from __future__ import annotations

import pytest

from palimpsest.write.dedup import Index


def _one(held: str, said: str) -> bool:
    return Index([(1, held)], threshold=0.8, ratio_from=40).nearest(said) is not None


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ("I like 🍕", "I like 🍺"),
        ("I am from 🇦🇺", "I am from 🇺🇦"),
        ("J'aime les 🐶", "J'aime les 🐱"),
        ("I like 🍕🍺", "I like 🍕"),
        ("My mood is ☀", "My mood is ☔"),
    ],
)
def test_another_picture_is_another_memory(held: str, said: str) -> None:
    """Nothing that was said in a picture is overwritten by another one."""
    assert not _one(held, said)


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ("I love pizza 🍕", "I love pizza"),
        ("I love pizza", "I love pizza 🍕🎉"),
        ("I like 👍🏽", "I like 👍"),
        ("I like ☀️", "I like ☀"),
        ("It is 20 °C in my room", "It is 20 °C in my room!"),
    ],
)
def test_a_picture_that_one_text_alone_has_tells_nothing_apart(held: str, said: str) -> None:
    """Decoration, the colour of a hand and the style of a sign are no other fact."""
    assert _one(held, said)

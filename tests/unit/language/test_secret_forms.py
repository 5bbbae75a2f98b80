"""A secret is told by the sentence around it, whatever it looks like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.language.secret_forms import secrets
from palimpsest.language.values import value_of


def told(text: str) -> list[str]:
    return [text[start:end] for start, end in secrets(text)]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("my password is swordfish", "swordfish"),
        ("My PIN is 441.", "441"),
        ("My PIN for the Santander card is 4417.", "4417"),
        ("Password: hunter2!x", "hunter2!x"),
        ("The Wi-Fi password is correct horse battery staple, ok?", "correct horse battery staple"),
        ("The passphrase is: open sesame now", "open sesame"),
        ("swordfish is my password.", "swordfish"),
        ("Change my password to swordfish2 please.", "swordfish2"),
        ("I changed the alarm code from 1234 to 5678.", "5678"),
        ("The PIN was changed to 9431.", "9431"),
        ("the API key: `abc-12`", "abc-12"),
        ("The password for the NAS is now **tulip**.", "tulip"),
        ('My login is "ana silva".', "ana silva"),
        ("The door code was 44 17.", "44 17"),
        ("Her username is still porto_fan", "porto_fan"),
        ("The PIN number is 0000", "0000"),
    ],
)
def test_what_the_sentence_calls_a_secret_is_the_value(text: str, secret: str) -> None:
    """Whatever is said of it before or behind, the secret alone is the value."""
    assert [secret] == told(text)
    assert secret == value_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "My password is wrong.",
        "The key is under the mat.",
        "The code is ready.",
        "My code is failing.",
        "The code is in src/app.py.",
        "The code review is on Friday.",
        "The token budget is 512",
        "The secret to good bread is time.",
        "The secret is out.",
        "What is my password?",
        "That is my PIN.",
        "The key is C.",
        "Our code of conduct is important.",
        "My passport is P1234567.",
    ],
)
def test_what_is_said_about_a_secret_is_none(text: str) -> None:
    """How a secret is, where it is and what else is called by its name tell nothing."""
    assert [] == told(text)


def test_every_secret_of_a_statement_is_told() -> None:
    """Each is found by itself; together they are one value."""
    text = "My login is ana.silva and my password is 'blue moon'."
    assert ["ana.silva", "blue moon"] == told(text)


@given(st.text(alphabet="PIN code:is =to'\"`*.,\n4a my", max_size=60) | st.text(max_size=40))
def test_secrets_lie_in_order_and_apart(text: str) -> None:
    """Whatever the text, secrets are spans of it that hold something."""
    at = 0
    for start, end in secrets(text):
        assert at <= start < end <= len(text)
        at = end

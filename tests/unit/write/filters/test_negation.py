"""A proposal that turns its quote round is refused."""

from __future__ import annotations

import pytest

from palimpsest.write.filters.negation import negation
from tests.support.seeing import proposing, seeing


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("I don't like cilantro.", "The user likes cilantro."),
        ("Je n'aime pas la coriandre.", "L'utilisateur aime la coriandre."),
        ("Ich mag keinen Koriander.", "Der Nutzer mag Koriander."),
        ("No me gusta el cilantro.", "Al usuario le gusta el cilantro."),
        ("Non mi piace il coriandolo.", "All'utente piace il coriandolo."),
        ("Não gosto de coentro.", "O usuário gosta de coentro."),
    ],
)
def test_a_flipped_copy_is_refused(said: str, text: str) -> None:
    """The measured fault: one reflection in three lost a "not"."""
    seen = seeing(said)
    assert "negation-flipped" == negation(proposing(seen, text), seen)
    assert negation(proposing(seen, said), seen) is None


def test_a_quote_that_begins_behind_its_negation_is_refused() -> None:
    """The sentence around the quote is its source."""
    seen = seeing("I live in Oslo. I never said that I like tea.")
    assert "negation-flipped" == negation(proposing(seen, "I like tea", "I like tea"), seen)
    assert negation(proposing(seen, "I live in Oslo.", "I live in Oslo."), seen) is None


def test_a_request_to_forget_is_no_copy() -> None:
    """Its words say what goes, not what holds."""
    seen = seeing("Don't remember my PIN.")
    assert negation(proposing(seen, "my PIN", "my PIN", op="forget"), seen) is None

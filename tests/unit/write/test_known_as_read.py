"""A value is known again as a text is read, also where the text shows only its strong part."""

from __future__ import annotations

import pytest

from palimpsest import Memory
from palimpsest.write import known_again


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("ext. 82-24", "You get Jolanta on the phone with ext. 82-24. That's all for now."),
        ("No. 77-120-B", "The locker is No. 77-120-B, on the left."),
        ("4471-B", "The code is 4471-B."),
    ],
)
def test_a_forgotten_value_is_known_in_the_words_that_stated_it(value: str, text: str) -> None:
    """Else a second reading of the old words would bring it back (found by ``bench run``)."""
    with Memory.open(":memory:") as memory:
        talk = memory.conversation(user="u", id="c")
        talk.append(user=text, assistant="Noted.")
        talk.remember(text, attribute="thing", value=value, turn=1)
        talk.forget(attribute="thing")
        assert known_again.known(memory._store, talk.scope, text)
        assert not known_again.known(memory._store, talk.scope, "You get Ana with ext. 81-24.")
        assert not known_again.known(memory._store, talk.scope, "The phone rings in March 2024.")

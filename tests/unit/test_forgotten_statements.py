"""What has no value to look for is forgotten all the same, by its words."""

from __future__ import annotations

from pathlib import Path

import pytest

from palimpsest import Memory
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.types import Budget

ASKED = (
    ("I am diabetic.", "Noted, you are diabetic.", "Forget that I'm diabetic.", "diabetic"),
    ("I have a peanut allergy.", "Got it: a peanut allergy.", "Forget my peanut allergy.", "peanut"),
    ("I love dark chocolate.", "You love dark chocolate!", "Forget that I love dark chocolate.",
     "chocolate"),
    ("My phone number is +49 170 1234567.", "I call 0170/123 45 67.", "Forget my phone number.",
     "123"),
    ("My PIN is four four one seven.", "So 4417.", "Please forget my PIN.", "4417"),
)  # fmt: skip


@pytest.mark.parametrize(("said", "reply", "asked", "gone"), ASKED)
def test_a_forget_reaches_what_others_made_of_the_words(
    said: str, reply: str, asked: str, gone: str, tmp_path: Path, chatml: LocalTokenizer
) -> None:
    """The reply, a later question and the request itself lose it; the neighbours stay."""
    with Memory.open(tmp_path / "m.db", tokenizer=chatml) as memory:
        talk = memory.conversation(user="u", id="c")
        talk.observe(user="I live in Oslo.", assistant="Oslo is cold.")
        talk.observe(user=said, assistant=reply)
        talk.observe(user="What can you tell me?", assistant=f"{reply} Oslo has trams.")
        talk.observe(user=asked, assistant="Done.")
        talk.reflect(extractor="rules")
        assert "forget-request" in [verdict.rule for verdict in talk.verdicts()]
        request = talk.request("And?", budget=Budget(window=4000, answer=10), strategy="managed")
        kept = f"{request.messages}{list(talk.turns())}"
        assert gone not in kept
        assert all(said in kept for said in ("I live in Oslo.", "Oslo is cold.", "Oslo has trams."))

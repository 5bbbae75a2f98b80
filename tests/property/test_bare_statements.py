"""Random histories of statements without a value: what tells one again goes, and nothing else."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palimpsest import Budget, Memory
from palimpsest.conversation import Conversation
from tests.support.suites import Words

_TELLS = (
    "Since you are {w}, take path {n}.", "As you told me, you are {w} on day {n}.",
    "The user is {w}, see note {n}.", "Path {n} is good for you and your {w} life.",
)  # fmt: skip
_OF_NOBODY = ("The {w} club meets in room {n}.", "Many {w} people read page {n}.")
_OF_OTHERS = ("Your sister is {w}, says letter {n}.", "Your old boss is {w} since {n}.")
_ROOM = Budget(window=1_000_000, answer=0)


@dataclass
class Life:
    """One word that the user says of themselves, and what was said with it."""

    word: str
    memory: int
    state: str = "current"
    told: list[str] = field(default_factory=list)
    """Clauses that tell it."""
    apart: list[str] = field(default_factory=list)
    """What was said of nobody, or of others, since it was forgotten or corrected."""


@dataclass
class History:
    """Plays random steps, and says which texts a request must and must not hold."""

    talk: Conversation
    draw: random.Random
    lives: list[Life] = field(default_factory=list)
    said: int = 100

    def play(self, step: str) -> None:
        getattr(self, step)()

    def tell(self) -> None:
        # Every word is unlike every other, or one would be told where another is current.
        mark = "bdfgklmnprstvz"[len(self.lives) % 14] + "aeiou"[len(self.lives) // 14]
        word = mark + "".join(
            self.draw.choice("bdfgklmnprstvz") + self.draw.choice("aeiou") for _ in range(3)
        )
        turn = self._say(f"I am {word}.", "Noted.")
        row = self.talk.remember(f"I am {word}.", turn=turn)
        assert row.value is None
        self.lives.append(Life(word, row.id))

    def echo(self) -> None:
        for life in self._some():
            text = self._text(_TELLS, life)
            self._say("Well?", text)
            life.told.append(text)

    def apart(self) -> None:
        for life in self._some():
            text = self._text(self.draw.choice((_OF_NOBODY, _OF_OTHERS)), life)
            self._say("Well?", text)
            if life.state != "current":
                life.apart.append(text)

    def forget(self) -> None:
        for life in self._some("current"):
            self.talk.forget(id=life.memory)
            life.state = "forgotten"

    def correct(self) -> None:
        for life in self._some("current"):
            self.said += 1
            turn = self._say(f"I changed on day {self.said}.", "Good.")
            self.talk.correct(f"I changed on day {self.said}.", id=life.memory, turn=turn)
            life.state = "corrected"

    def restate(self) -> None:
        for life in self._some("forgotten"):
            turn = self._say(f"I am {life.word}.", f"So you are {life.word}.")
            life.memory = self.talk.remember(f"I am {life.word}.", turn=turn).id
            life.state, life.told, life.apart = "current", [], []

    def faults(self) -> list[str]:
        request = str(self.talk.request("And?", budget=_ROOM, strategy="managed").messages)
        gone = [life for life in self.lives if life.state != "current"]
        return [
            *(f"sent: {text}" for life in gone for text in life.told if text in request),
            *(f"sent: {life.word}" for life in gone if f"I am {life.word}" in request),
            *(f"lost: {text}" for life in gone for text in life.apart if text not in request),
        ]

    def _some(self, state: str = "") -> list[Life]:
        lives = [life for life in self.lives if not state or life.state == state]
        return [self.draw.choice(lives)] if lives else []

    def _say(self, user: str, assistant: str) -> int:
        return self.talk.append(user=user, assistant=assistant)[-1].number

    def _text(self, forms: tuple[str, ...], life: Life) -> str:
        self.said += 1
        return self.draw.choice(forms).format(w=life.word, n=self.said)


STEPS = ("tell", "echo", "apart", "forget", "correct", "restate")


@settings(
    deadline=None, max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(
    draw=st.randoms(use_true_random=False),
    steps=st.lists(st.sampled_from(STEPS), min_size=4, max_size=24),
)
def test_what_tells_it_again_goes_and_what_is_said_of_others_stays(
    draw: random.Random, steps: list[str]
) -> None:
    """After every step, whether a statement is forgotten, corrected or said again."""
    with Memory.open(":memory:", tokenizer=Words()) as memory:
        history = History(memory.conversation(user="u", id="c"), draw)
        for step in ("tell", "echo", *steps):
            history.play(step)
            assert [] == history.faults()


def test_a_clause_that_is_not_known_again_is_a_fault() -> None:
    """The search for faults can find one: what is still current is sent."""
    with Memory.open(":memory:", tokenizer=Words()) as memory:
        history = History(memory.conversation(user="u", id="c"), random.Random(3))
        for step in ("tell", "echo"):
            history.play(step)
        history.lives[0].state = "forgotten"
        assert 2 == len(history.faults())

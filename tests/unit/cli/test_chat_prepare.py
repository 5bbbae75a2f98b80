"""What is missing is offered, and fetched only after a yes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from palimpsest.cli import chat_prepare
from palimpsest.cli.chat_input import Piped
from palimpsest.cli.chat_screen import Screen
from palimpsest.cli.interrupts import Interrupts
from palimpsest.engine import Memory
from palimpsest.errors import NotPrepared
from palimpsest.models import weights
from palimpsest.tokens import prepare as tokenizers


class Person(Piped):
    """Answers every question the same, and keeps what was asked."""

    def __init__(self, *, agrees: bool) -> None:
        super().__init__(Screen(typed=False), Interrupts())
        self.agrees = agrees
        self.asked: list[str] = []

    def agreed(self, question: str) -> bool:
        """The answer that it was made with."""
        self.asked.append(question)
        return self.agrees


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch, empty_cache: Path) -> list[str]:
    """What was fetched into the empty cache; nothing comes of it."""
    found: list[str] = []
    monkeypatch.setattr(weights, "prepare", lambda **_: found.append("weights"))
    monkeypatch.setattr(tokenizers, "prepare", lambda name, **_: found.append(name))
    return found


def model(person: Person | None) -> Callable[[], object]:
    def call() -> object:
        with ExitStack() as stack:
            return chat_prepare.model(
                stack, weights.NAME, base_url="", timeout=1.0, lines=person,
                screen=Screen(typed=False),
            )  # fmt: skip

    return call


def counter(person: Person | None) -> Callable[[], object]:
    def call() -> object:
        with Memory.open(":memory:", tokenizer="gemma-4-e2b") as memory:
            return chat_prepare.counter(
                memory, "gemma-4-e2b", lines=person, screen=Screen(typed=False)
            )

    return call


@pytest.mark.parametrize("what", [model, counter])
@pytest.mark.parametrize("person", [None, Person(agrees=False)])
def test_without_a_yes_the_error_stands(
    fetched: list[str], what: Callable[[Person | None], Callable[[], object]], person: Person | None
) -> None:
    """Nobody there, or somebody who says no: NotPrepared with its command, and no fetch."""
    with pytest.raises(NotPrepared, match="palimpsest (model|tokenizer) prepare"):
        what(person)()
    assert [] == fetched


@pytest.mark.parametrize(("what", "name"), [(model, "weights"), (counter, "gemma-4-e2b")])
def test_a_yes_fetches_and_opens(
    fetched: list[str], what: Callable[[Person | None], Callable[[], object]], name: str
) -> None:
    """It is tried again after the fetch; here the fetch brought nothing, and that is told."""
    person = Person(agrees=True)
    with pytest.raises(NotPrepared):
        what(person)()
    assert ([name], 1) == (fetched, len(person.asked))

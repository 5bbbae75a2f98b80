"""What is remembered within one state of the store is true in that state and in no other."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from palimpsest.store import Store, open_store
from palimpsest.store.conversations import NO_KEY
from palimpsest.types import Message, Redaction, Scope, Turn

SCOPE = Scope(user="ana", conversation="trip")
SAID = (Message(role="user", content="Here I am again."),)


@pytest.fixture
def store() -> Iterator[Store]:
    """An empty store in memory."""
    with open_store(":memory:") as made:
        yield made


def test_a_conversation_that_is_taken_back_has_no_key(store: Store) -> None:
    """Neither in the rest of the transaction nor after it."""
    with store.transaction():
        with suppress(KeyError), store.transaction():
            made = store.conversations.ensure(SCOPE)
            assert made == store.conversations.key(SCOPE)
            raise KeyError
        assert NO_KEY == store.conversations.key(SCOPE)
    assert NO_KEY == store.conversations.key(SCOPE)


def test_a_conversation_that_was_taken_back_wholly_has_no_key(store: Store) -> None:
    """In the section that follows."""
    with suppress(KeyError), store.transaction():
        store.conversations.ensure(SCOPE)
        raise KeyError
    with store.reading():
        assert NO_KEY == store.conversations.key(SCOPE)


def test_a_section_belongs_to_its_thread(store: Store) -> None:
    """Another thread sees no number of it, and nobody does outside of one."""
    seen: list[int] = []
    with store.reading():
        thread = threading.Thread(target=lambda: seen.append(store._db.section))
        thread.start()
        thread.join()
        first = store._db.section
    with store.reading():
        assert 0 < first < store._db.section
    assert ([0], 0) == (seen, store._db.section)


def test_spans_of_many_turns_are_those_of_each(store: Store) -> None:
    """``between`` gives what ``of`` gives, over the border of what a view reads at once."""
    numbers = (1, 63, 64, 127, 128)

    with store.transaction():
        for number in range(1, 130):
            store.turns.add(SCOPE, [Turn(number=number, messages=SAID)])
        for number in numbers:
            spans = [
                Redaction(turn=number, message=m, text=0, start=3, end=9, reason="corrected")
                for m in (1, 0)
            ]
            store.redactions.put(SCOPE, number, spans)
    each = {n: store.redactions.of(SCOPE, n) for n in numbers}
    assert each == store.redactions.between(SCOPE, 1, 128)
    view = store.view(SCOPE)
    assert [len(each.get(n, ())) for n in range(1, 130)] == [
        len(view.redactions(n)) for n in range(1, 130)
    ]

"""A global memory lives where it was said; what is done to it reaches every transcript."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palimpsest import Memory
from palimpsest.conversation import Conversation
from palimpsest.types import Memory as Remembered
from tests.support.proposing import Proposing


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db") as opened:
        yield opened


@pytest.fixture
def home(memory: Memory) -> Conversation:
    return memory.conversation(user="ana", id="home")


@pytest.fixture
def away(memory: Memory) -> Conversation:
    return memory.conversation(user="ana", id="away")


def heard(talk: Conversation, text: str, **given: Any) -> list[tuple[str, str]]:
    """Say and read one turn; what was decided."""
    (turn,) = talk.observe(user=text, assistant="Noted.")
    done = talk.reflect(extractor=Proposing({turn.number: [{"reach": "global", **given}]}))
    return [(v.action, v.rule) for reading in done for v in reading.verdicts]


def rows(talk: Conversation, *, replaced: bool = False) -> tuple[Remembered, ...]:
    """The rows that a conversation can see; the replaced ones instead."""
    part = talk._store.memories
    return part.replaced(talk.scope) if replaced else part.visible(talk.scope)


def stored(memory: Memory, word: str) -> bool:
    """True where the file or its write-ahead log holds the word."""
    place = Path(memory._store.path)
    files = [p for p in place.parent.iterdir() if p.name.startswith(place.name)]
    return any(word.encode() in file.read_bytes() for file in files)


def test_a_repetition_elsewhere_is_seen_on_the_row_at_home(
    home: Conversation, away: Conversation
) -> None:
    """A merge from another conversation adds no row and raises ``seen`` of the first."""
    heard(home, "I am allergic to peanuts.")
    assert [("merge", "similar")] == heard(away, "I am allergic to peanuts, remember.")
    (row,) = rows(home)
    assert ("home", 2) == (row.scope.conversation, row.seen)


def test_a_forget_elsewhere_erases_both_transcripts(
    memory: Memory, home: Conversation, away: Conversation
) -> None:
    """The request to forget may be made in any conversation of the user."""
    heard(home, "My PIN is 441799.")
    heard(away, "As you know, my PIN is 441799, write it down.")
    assert [("forget", "forget-request")] == heard(
        away, "Forget my PIN 441799.", op="forget", targets=(1,)
    )
    assert () == rows(home)
    assert not [t for talk in (home, away) for t in talk.turns() if "441799" in t.user]
    assert not stored(memory, "441799")


def test_a_forget_takes_what_the_row_replaced_in_another_conversation(
    memory: Memory, home: Conversation, away: Conversation
) -> None:
    """A chain may run through several conversations; it goes whole."""
    heard(home, "My door code is 771234.")
    heard(away, "My door code is 889955 now.", op="correct", targets=(1,))
    assert [2] == [row.id for row in rows(home)]
    away.forget(id=2)
    for talk in (home, away):
        assert ((), ()) == (rows(talk), rows(talk, replaced=True))
    assert not stored(memory, "771234")
    assert not stored(memory, "889955")


def test_a_command_reaches_a_global_row_from_another_conversation(
    home: Conversation, away: Conversation
) -> None:
    """By its id and by its attribute, as it is listed there."""
    heard(home, "I work at Acme.", attribute="employer")
    made = away.correct("I work at Globex.", attribute="employer")
    assert [made.id] == [row.id for row in rows(home)]
    away.forget(id=made.id)
    assert () == rows(home)


def test_a_row_of_another_conversation_stays_out_of_reach(
    home: Conversation, away: Conversation
) -> None:
    """What is not global is neither corrected nor forgotten from elsewhere."""
    heard(home, "The plan is red.", reach="conversation")
    assert [("reject", "nothing-to-forget")] == heard(
        away, "Forget the plan.", op="forget", targets=(1,)
    )
    assert [1] == [row.id for row in home.current()]


def test_undoing_a_correction_from_elsewhere_restores_the_row_at_home(
    home: Conversation, away: Conversation
) -> None:
    """The row is current again, and both transcripts are unmarked."""
    heard(home, "I work at Acme.")
    heard(away, "I work at Globex now, not at Acme.", op="correct", targets=(1,))
    away.undo(2)
    assert [1] == [row.id for row in rows(away)]
    assert () == home._store.redactions.of(home.scope, 1)

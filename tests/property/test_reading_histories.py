"""Random histories of readings: rows stay whole, every proposal has its verdict, undo undoes."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from palimpsest import Memory
from palimpsest.conversation import Conversation
from palimpsest.types import Memory as Remembered
from tests.support.proposing import Proposing

TEXTS = (
    "I drink coffee.",
    "I drink coffee, black.",
    "I work at Acme.",
    "I work at Globex since May.",
    "Deploying on Fridays is allowed.",
    "Deploying on Fridays is not allowed.",
)

plans = st.fixed_dictionaries(
    {
        "text": st.sampled_from(TEXTS),
        "op": st.sampled_from(("remember", "remember", "correct")),
        "reach": st.sampled_from(("conversation", "global")),
        "attribute": st.sampled_from((None, "drink", "job")),
    }
)
turns = st.lists(
    st.tuples(st.booleans(), st.lists(plans, max_size=3), st.booleans()), min_size=1, max_size=7
)


def state(talks: tuple[Conversation, ...]) -> list[tuple[Any, ...]]:
    """What is current."""
    return [
        (row.id, row.text, row.value, row.seen)
        for talk in talks
        for row in talk._store.memories.current(talk.scope)
    ]


def marks(talks: tuple[Conversation, ...]) -> list[Any]:
    """What of the transcripts is marked."""
    return [
        span
        for talk in talks
        for turn in talk.turns()
        for span in talk._store.redactions.of(talk.scope, turn.number)
    ]


def rows(talks: tuple[Conversation, ...]) -> dict[int, Remembered]:
    """Every row, by its id."""
    return {
        row.id: row
        for talk in talks
        for part in (talk._store.memories.current, talk._store.memories.superseded)
        for row in part(talk.scope)
    }


@settings(max_examples=60)
@given(history=turns)
def test_every_proposal_has_a_verdict_and_undoing_all_leaves_nothing(
    history: list[tuple[bool, list[dict[str, Any]], bool]],
) -> None:
    """Undone in reverse, each verdict gives back the state that was there before its turn."""
    with Memory.open(":memory:") as memory:
        talks = tuple(memory.conversation(user="ana", id=name) for name in ("one", "two"))
        done: list[tuple[Conversation, tuple[int, ...], list[tuple[Any, ...]]]] = []
        for away, given_plans, trusted in history:
            talk = talks[away]
            (turn,) = talk.observe(
                user=" ".join(plan["text"] for plan in given_plans) or "Hm.", assistant="Noted."
            )
            before = state(talks)
            extractor = Proposing({turn.number: given_plans}, trusted=trusted)
            (reading,) = talk.reflect(extractor=extractor)
            assert ("done", len(given_plans)) == (reading.status, len(reading.verdicts))
            held = rows(talks)
            assert all(r.superseded_by in held for r in held.values() if r.superseded_by)
            changing = ("add", "merge", "supersede")
            undoable = tuple(
                v.id
                for v in reading.verdicts
                if v.action in changing or v.rule == "undecided-conflict"
            )
            done.append((talk, undoable, before))
        for talk, verdicts, before in reversed(done):
            for id in reversed(verdicts):
                talk.undo(id)
            assert before == state(talks)
        assert ({}, []) == (rows(talks), marks(talks))

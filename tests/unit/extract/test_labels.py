"""The perfect extractor proposes what the labels say, and feeds exactly what they feed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from palimpsest.bench import builtin, suite
from palimpsest.bench.gap import extractor_of, measure
from palimpsest.bench.replay import Row
from palimpsest.bench.run import Options, run_all
from palimpsest.bench.suite import Suite
from palimpsest.config import Config
from palimpsest.errors import InputError
from palimpsest.extract.labels import Labels
from palimpsest.proposals import Quote, Seen
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.types import Label, Message, Turn

MANAGED = Options(strategies=("managed",), look_after=False)


def _seen(*messages: Message, number: int = 3) -> Seen:
    return Seen(turn=Turn(number=number, messages=messages))


def test_a_labelled_turn_is_one_proposal_that_quotes_its_user() -> None:
    """Operation, attribute and value are those of the label, the words those of the user."""
    label = Label(op="correct", attribute="room", value="Birch")
    labels = Labels(labels={3: label})
    said = (
        Message(role="user", content="Now it is Birch."),
        Message(role="assistant", content="k"),
    )
    (made,) = labels.extract(_seen(*said), Config()).proposals
    assert ("Now it is Birch.", "correct", "room", "Birch") == (
        made.text, made.op, made.attribute, made.value,
    )  # fmt: skip
    assert Quote(message=0, text=0, start=0, end=16) == made.quote


def test_a_turn_without_a_label_proposes_nothing() -> None:
    """It reads no words: what is not labelled is not there."""
    labels = Labels(labels={3: Label(op="remember", attribute="room")})
    seen = _seen(Message(role="user", content="The room is Alder."), number=4)
    assert () == labels.extract(seen, Config()).proposals


def test_a_label_on_a_turn_without_words_of_the_user_is_refused() -> None:
    """A memory quotes its user; an image quotes nothing."""
    labels = Labels(labels={3: Label(op="remember", attribute="room")})
    with pytest.raises(InputError, match="turn 3 has a label and no words"):
        labels.extract(_seen(Message(role="assistant", content="The room is Alder.")), Config())


def _same_as_applied(found: Suite) -> Sequence[Row]:
    (applied,) = run_all([found], MANAGED)
    (gap,) = measure([found], ["labels"], MANAGED)
    read = gap.fed[0].replayed
    assert _figures(applied.rows["managed"]) == _figures(read.rows["managed"])
    assert (
        applied.storage["managed"].current_facts,
        applied.storage["managed"].deletion_records,
    ) == (
        read.storage["managed"].current_facts,
        read.storage["managed"].deletion_records,
    )
    return read.rows["managed"]


def _figures(rows: Sequence[Row]) -> list[tuple[object, ...]]:
    return [
        (row.after, row.grade.found, row.grade.missing, row.grade.stale, row.grade.deleted)
        for row in rows
    ]


@pytest.mark.parametrize("name", [*builtin.names(), "generated-6", "generated-6b"])
def test_labels_through_the_write_path_are_labels_applied(name: str, gemma: LocalTokenizer) -> None:
    """Reading with perfect extraction finds and leaks, at every checkpoint, what labels do."""
    _same_as_applied(builtin.load(name))


def test_the_published_conversation_is_found_whole_by_labels(
    published: Path, gemma: LocalTokenizer
) -> None:
    """26 of 26, nothing stale and nothing forgotten, as the published upper bound has it."""
    rows = _same_as_applied(suite.load(published / "compaction-50" / "conversation.json"))
    assert (26, 26) == (sum(r.grade.found for r in rows), sum(r.grade.required for r in rows))
    assert not [row for row in rows if row.grade.stale or row.grade.deleted]


def test_labels_of_a_suite_without_any_are_refused() -> None:
    """There is no upper bound where nobody said what is right."""
    bare = suite.parse(
        {
            "turns": [{"turn": 1, "user": "The room is Alder.", "assistant": "Fine."}],
            "checkpoints": [{"after": 1, "question": "Where?", "required": ["Alder"]}],
            "budget": {"window": 100, "answer": 10},
        },
        where="bare", name="bare",
    )  # fmt: skip
    with pytest.raises(InputError, match="has no labels"):
        extractor_of("labels", bare)

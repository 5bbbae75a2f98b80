"""Every verdict on the story can be undone, the newest first; what is gone stays gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest import Memory
from palimpsest.cli import run
from palimpsest.conversation import Conversation
from palimpsest.errors import InputError
from palimpsest.proposals import AnchorRemoval, Delta, Extraction, Story
from tests.support.proposing import Proposing
from tests.support.telling import CONFIG, position, read

KEY = "The key lies under the third stone."
FULL = Extraction(
    summary="They hid the key.", anchors=(KEY,), deltas=(Delta(name="mood", step=1.0),),
    positions=position("Stones keep secrets.", "under the third stone").positions,
)  # fmt: skip
CHANGED = Extraction(
    summary="They took the key.", deltas=(Delta(name="mood", step=1.0),),
    dropped_anchors=(AnchorRemoval(id=1, reason="it was taken"),),
    positions=position("Stones tell nothing.", "a dull day").positions,
)  # fmt: skip


@pytest.fixture
def talk() -> Iterator[Conversation]:
    with Memory.open(":memory:", config=CONFIG) as memory:
        yield memory.conversation(user="ana", id="tale")


def test_all_that_two_readings_did_is_taken_back_step_by_step(talk: Conversation) -> None:
    """Summary, anchor, position and state, back to the first reading and to nothing."""
    first = read(talk, (KEY, FULL))
    between = talk.story()
    second = read(talk, ("It was a dull day.", CHANGED))
    assert between != talk.story()
    for verdict in reversed(second):
        talk.undo(verdict.id)
    assert between == talk.story()
    for verdict in reversed(first):
        talk.undo(verdict.id)
    assert Story() == talk.story()
    assert {"undone"} == {verdict.settled for verdict in talk.verdicts()}


@pytest.mark.parametrize("rule", ["summary", "anchor", "position", "state"])
def test_a_later_verdict_on_the_same_part_is_undone_first(talk: Conversation, rule: str) -> None:
    """The error names it; other parts may be undone in any order."""
    first = {verdict.rule: verdict.id for verdict in read(talk, (KEY, FULL))}
    later = {"anchor": "anchor-released", "position": "position-validated"}.get(rule, rule)
    second = {v.rule: v.id for v in read(talk, ("It was a dull day.", CHANGED))}
    with pytest.raises(InputError, match=f"undo {second[later]} first"):
        talk.undo(first[rule])
    talk.undo(second[later])
    assert "undone" == talk.undo(first[rule]).settled


def test_a_position_that_gave_way_gets_its_place_back(talk: Conversation) -> None:
    """The verdict that tells of it undoes it."""
    told = [("Go on.", position("A view.", "Go on.", s)) for s in ("one", "two", "three")]
    (gave_way,) = (v for v in read(talk, *told) if v.rule == "position-gave-way")
    assert ["two", "three"] == [held.subject for held in talk.story().positions]
    talk.undo(gave_way.id)
    assert ["one", "two", "three"] == [held.subject for held in talk.story().positions]


def test_a_refused_part_has_nothing_to_undo(talk: Conversation) -> None:
    """A rejection and a repetition changed nothing."""
    (verdict,) = read(talk, ("Hm.", Extraction(anchors=("Nobody said this.",))))
    with pytest.raises(InputError, match="changed nothing to undo"):
        talk.undo(verdict.id)


def test_an_undo_brings_back_nothing_that_was_replaced_since(talk: Conversation) -> None:
    """The older summary told a value that no longer holds: that sentence stays gone."""
    said = "The port is 8080."
    read(talk, (said, Extraction(summary="They met. The port is 8080.", anchors=(said,))))
    (rewritten,) = read(talk, ("Go on.", Extraction(summary="They met again.")))
    talk.remember(said, attribute="port", turn=1)
    talk.correct("The port is 9090.", attribute="port")
    talk.undo(rewritten.id)
    assert ("They met.", ()) == (talk.story().summary, talk.story().anchors)


def test_an_undo_brings_back_nothing_that_was_forgotten_since(talk: Conversation) -> None:
    """What it would need is erased with the forgotten words, and the error says so."""
    said = "The port is 8080."
    read(talk, (said, Extraction(summary="They met. The port is 8080.")))
    (rewritten,) = read(talk, ("Go on.", Extraction(summary="They met again.")))
    talk.remember(said, attribute="port", turn=1)
    talk.forget(attribute="port")
    with pytest.raises(InputError, match="forgotten since"):
        talk.undo(rewritten.id)
    assert "They met again." == talk.story().summary


def test_undoing_a_correction_holds_its_anchor_again(talk: Conversation) -> None:
    """A reading corrected the port; undone, what the correction released is held again."""
    said = "The port is 8080."
    read(talk, (said, Extraction(anchors=(said,))))
    talk.remember(said, attribute="port", turn=1)
    talk.observe(user="The port is 9090.", assistant="Noted.")
    (done,) = talk.reflect(extractor=Proposing({2: [{"op": "correct", "attribute": "port"}]}))
    (verdict,) = done.verdicts
    assert ("supersede", ()) == (verdict.action, talk.story().anchors)
    talk.undo(verdict.id)
    assert [said] == [anchor.text for anchor in talk.story().anchors]


def test_the_command_undoes_a_part_of_the_story(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``palimpsest undo`` takes the id that ``palimpsest verdicts`` shows."""
    path = tmp_path / "m.db"
    with Memory.open(path, config=CONFIG) as memory:
        talk = memory.conversation(user="ana", id="tale")
        verdicts = read(talk, (KEY, FULL))
    where = ["--store", str(path), "--user", "ana", "--conversation", "tale"]
    assert 0 == run(["undo", str(verdicts[-1].id), *where])
    assert "add (undone)" in capsys.readouterr().out
    with Memory.open(path) as memory:
        assert "" == memory.conversation(user="ana", id="tale").story().summary

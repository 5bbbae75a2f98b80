"""Turns are stored at once and read later; every proposal gets one verdict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from palimpsest import Memory
from palimpsest.conversation import Conversation
from palimpsest.errors import Ambiguous, InputError, ModelError, NotFound
from palimpsest.proposals import Seen, Usage
from palimpsest.types import Scope
from tests.support.proposing import Proposing


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:") as opened:
        yield opened


@pytest.fixture
def talk(memory: Memory) -> Conversation:
    return memory.conversation(user="ana", id="trip")


def said(talk: Conversation, *texts: str) -> None:
    for text in texts:
        talk.observe(user=text, assistant="Noted.")


def decided(talk: Conversation, plan: dict[int, list[dict[str, Any]]], **kw: Any) -> list[Any]:
    done = talk.reflect(extractor=Proposing(plan, **kw))
    return [(v.action, v.rule, v.memory, v.other) for reading in done for v in reading.verdicts]


def test_an_observed_turn_waits_until_it_is_read(talk: Conversation) -> None:
    """Observing proposes nothing; the reading does, and a second one finds nothing to do."""
    said(talk, "I live in Oslo.")
    assert () == talk.current()
    assert ["pending"] == [reading.status for reading in talk.reflections()]
    assert [("add", "new", 1, None)] == decided(talk, {})
    assert [] == decided(talk, {})
    assert ["I live in Oslo."] == [memory.text for memory in talk.current()]


def test_what_was_only_appended_is_not_read(talk: Conversation) -> None:
    """A transcript that was stored without observing waits for nobody."""
    talk.append(user="I live in Oslo.", assistant="Noted.")
    assert () == talk.reflect(extractor=Proposing())


def test_words_that_join_a_turn_later_are_read_by_themselves(talk: Conversation) -> None:
    """An unanswered turn goes on; what was read of it before is not proposed again."""
    talk.observe(user="I live in Oslo.")
    talk.reflect(extractor="rules")
    talk.observe(user="My dog is called Rex.")
    talk.reflect(extractor="rules")
    assert [1, 1] == [memory.seen for memory in talk.current()]
    assert 2 == len(talk.verdicts())


def test_one_fact_in_five_wordings_is_one_row(talk: Conversation) -> None:
    """Repetitions raise ``seen``, keep the date of the first, and leave one row."""
    said(
        talk, "I am allergic to peanuts.", "I'm allergic to peanuts!", "i am allergic to peanuts",
        "Remember: I am allergic to peanuts.", "To peanuts I am allergic.",
    )  # fmt: skip
    talk.reflect(extractor=Proposing())
    (row,) = talk.current()
    assert (5, 1) == (row.seen, row.turn)


def test_a_poorer_wording_is_absorbed_and_a_richer_one_stands(talk: Conversation) -> None:
    """The newer wording wins unless it says less; the date of the row stays."""
    said(talk, "I live in Oslo with my dog.", "I live in Oslo.")
    decided(talk, {})
    assert ["I live in Oslo with my dog."] == [m.text for m in talk.current()]
    said(talk, "I live in Oslo with my dog, gladly.")
    first = talk.current()[0].created_at
    decided(talk, {})
    (row,) = talk.current()
    assert ("I live in Oslo with my dog, gladly.", 3) == (row.text, row.seen)
    assert first == row.created_at


def test_every_wording_goes_with_the_memory(talk: Conversation) -> None:
    """A fact that was said twice in other words is forgotten in both turns."""
    said(
        talk,
        "My pet is a grey parrot named Kiwi.",
        "My pet is a grey parrot named Kiwi, as you know.",
    )
    decided(talk, {})
    said(talk, "Please forget my pet.")
    decided(talk, {3: [{"op": "forget", "targets": (1,)}]})
    assert "Kiwi" not in " ".join(turn.user for turn in talk.turns())
    assert () == talk.current()


def test_a_correction_replaces_what_it_means(talk: Conversation) -> None:
    """By target or by attribute; the chain is kept."""
    said(talk, "I drink coffee.", "Not anymore, I drink tea.")
    plan = {1: [{"attribute": "drink"}], 2: [{"op": "correct", "attribute": "drink"}]}
    assert [("add", "new", 1, None), ("supersede", "correction", 2, 1)] == decided(talk, plan)
    assert [2] == [memory.id for memory in talk.current()]
    assert [1, 2] == [memory.id for memory in talk.history("drink")]


def test_a_guessed_attribute_replaces_nothing(talk: Conversation) -> None:
    """Both statements stay and a person is asked; consolidation leaves them alone."""
    said(talk, "The review is on Tuesday.", "The review is on Thursday.")
    plan = {n: [{"attribute": "review"}] for n in (1, 2)}
    assert ("review", "undecided-conflict", 2, 1) == decided(talk, plan)[1]
    talk.consolidate()
    assert [1, 2] == [memory.id for memory in talk.current()]
    (asked,) = talk.review()
    assert "accepted" == talk.accept(asked.id).settled
    assert [2] == [memory.id for memory in talk.current()]


def test_a_given_attribute_replaces(talk: Conversation) -> None:
    """Labels are trusted: the newest statement under their attribute is current."""
    said(talk, "The review is on Tuesday.", "The review is on Thursday.")
    plan = {n: [{"attribute": "review"}] for n in (1, 2)}
    assert ("supersede", "newer-statement", 2, 1) == decided(talk, plan, trusted=True)[1]


def test_a_negation_is_never_merged(talk: Conversation) -> None:
    """ "Allowed" and "not allowed" are two statements, whatever else they share."""
    said(talk, "Deploying on Fridays is allowed for the whole team.",
         "Deploying on Fridays is not allowed for the whole team.")  # fmt: skip
    assert ["new", "new"] == [rule for _, rule, _, _ in decided(talk, {})]


def test_an_employer_is_no_duplicate_of_a_task(talk: Conversation) -> None:
    """Two facts about one person and one company are both current."""
    said(talk, "Ana works at Acme.", "Ana administers Acme's GitHub.")
    decided(talk, {})
    assert 2 == len(talk.current())


def test_only_the_users_words_are_evidence(talk: Conversation) -> None:
    """What an assistant supposes makes no memory, whoever proposes it."""
    talk.observe(user="Tell me about music.", assistant="You seem to like jazz.")
    made = talk.reflect(extractor=_Citing())[0].verdicts
    assert [("reject", "no-quote")] == [(v.action, v.rule) for v in made]
    assert () == talk.current()


class _Citing(Proposing):
    def extract(self, seen: Seen, config: Any) -> Any:
        from palimpsest.proposals import Extraction, Proposal, Quote

        quote = Quote(message=1, text=0, start=0, end=len("You seem to like jazz."))
        return Extraction(proposals=(Proposal(text="The user likes jazz.", quote=quote),))


@pytest.mark.parametrize("fault", [ModelError("no JSON"), ValueError("My PIN is 4417")])
def test_a_reading_that_fails_changes_nothing(talk: Conversation, fault: Exception) -> None:
    """It is visible, names no text of the conversation, and can be tried again."""
    said(talk, "My PIN is 4417.")
    (failed,) = talk.reflect(extractor=Proposing(fails=fault))
    assert "failed" == failed.status
    assert "4417" not in failed.error
    assert ((), ()) == (talk.current(), talk.verdicts())
    assert () == talk.reflect(extractor=Proposing())
    assert "done" == talk.reflect(extractor=Proposing(), retry=True)[0].status


def test_a_reading_loses_to_a_forget_that_came_in_between(talk: Conversation) -> None:
    """The turn is read anew; what was forgotten meanwhile is not proposed from the old text."""
    talk.remember("My PIN is 4417", attribute="pin")
    said(talk, "Again: My PIN is 4417. I live in Oslo.")
    seen: list[str] = []

    def forget(now: Seen) -> None:
        if not seen:
            talk.forget(attribute="pin")
        seen.append(now.turn.user)

    talk.reflect(extractor=Proposing(before=forget))
    assert ["4417" in text for text in seen] == [True, False]
    assert not [m for m in talk.current() if "4417" in m.text]


def test_a_forgotten_value_is_in_no_verdict(memory: Memory, talk: Conversation) -> None:
    """The words of a proposal go with what they say, and so does what would undo it."""
    said(talk, "My PIN is 4417.", "My PIN is 4417 as I told you.")
    decided(talk, {})
    talk.forget(id=1)
    rows = memory._store._db.rows("SELECT text, undo FROM verdicts")
    assert not [row for row in rows if "4417" in str(row)]


def test_usage_is_counted(talk: Conversation) -> None:
    """The tokens of a reading are kept with it, those of a failed one as far as known."""
    said(talk, "I live in Oslo.")
    usage = Usage(calls=1, prompt_tokens=310, answer_tokens=40)
    talk.reflect(extractor=Proposing(usage=usage))
    assert usage == talk.reflections()[0].usage


def test_low_trust_waits_for_a_person(memory: Memory) -> None:
    """Under ``review = "proposals"`` nothing is kept before it is accepted."""
    from palimpsest.config import Config
    from palimpsest.settings import ReflectionSettings

    config = Config(reflection=ReflectionSettings(review="proposals"))
    with Memory.open(":memory:", config=config) as careful:
        talk = careful.conversation(user="ana", id="trip")
        said(talk, "I live in Oslo.", "I have a dog.")
        talk.reflect(extractor=Proposing())
        assert ((), 2) == (talk.current(), len(talk.review()))
        talk.accept(1)
        talk.dismiss(2)
        assert ["I live in Oslo."] == [m.text for m in talk.current()]
        assert () == talk.review()
        with pytest.raises(InputError, match="accepted"):
            talk.accept(1)


def test_an_ambiguous_forget_asks(talk: Conversation) -> None:
    """Two things may be meant: nothing goes until a person names one."""
    said(talk, "My work phone is 220 555 014.", "My home phone is 220 555 999.", "Forget my phone.")
    plan = {1: [{"attribute": "work phone"}], 2: [{"attribute": "home phone"}],
            3: [{"op": "forget", "targets": (1, 2)}]}  # fmt: skip
    assert ("review", "ambiguous-forget", None, 1) == decided(talk, plan)[2]
    with pytest.raises(Ambiguous, match="--memory"):
        talk.accept(3)
    talk.accept(3, memory=2)
    assert [1] == [memory.id for memory in talk.current()]


def test_global_memories_are_settled_where_they_live(memory: Memory) -> None:
    """A correction in another conversation replaces the row and marks both transcripts."""
    first, second = (memory.conversation(user="ana", id=name) for name in ("one", "two"))
    said(first, "I work at Acme.")
    decided(first, {1: [{"reach": "global", "attribute": "employer"}]})
    said(second, "I now work at Globex instead.")
    plan = {1: [{"op": "correct", "reach": "global", "attribute": "employer", "targets": (1,)}]}
    assert [("supersede", "correction", 2, 1)] == decided(second, plan)
    assert [2] == [row.id for row in first.visible() if row.superseded_by is None]
    assert memory._store.redactions.of(Scope(user="ana", conversation="one"), 1)
    stranger = memory.conversation(user="bob", id="one")
    assert () == stranger.visible()


def test_undo_takes_back_each_kind(talk: Conversation) -> None:
    """In the reverse order everything is as it was; out of order it is refused."""
    said(talk, "I drink coffee.", "I drink coffee, black.", "I drink tea instead of coffee.")
    plan = {3: [{"op": "correct", "targets": (1,)}]}
    decided(talk, plan)
    with pytest.raises(InputError, match="undo 3 first"):
        talk.undo(1)
    talk.undo(3)
    assert [(1, 2)] == [(m.id, m.seen) for m in talk.current()]
    talk.undo(2)
    assert [("I drink coffee.", 1)] == [(m.text, m.seen) for m in talk.current()]
    talk.undo(1)
    assert () == talk.current()
    with pytest.raises(InputError, match="undone already"):
        talk.undo(1)
    with pytest.raises(NotFound, match="no verdict 9"):
        talk.undo(9)


def test_undoing_a_correction_unmarks_the_transcript(memory: Memory, talk: Conversation) -> None:
    """The statement that is current again stands in its turn again."""
    said(talk, "The port is 8080.", "The port is 9090 now.")
    decided(talk, {2: [{"op": "correct", "targets": (1,)}]})
    assert memory._store.redactions.of(talk.scope, 1)
    talk.undo(2)
    assert () == memory._store.redactions.of(talk.scope, 1)


def test_a_forget_cannot_be_undone(talk: Conversation) -> None:
    """What it deleted is nowhere, and the error says so."""
    said(talk, "My PIN is 4417.", "Forget my PIN.")
    decided(talk, {2: [{"op": "forget", "targets": (1,)}]})
    with pytest.raises(InputError, match="cannot be undone"):
        talk.undo(2)


def test_a_pin_is_kept_and_taken_away(talk: Conversation) -> None:
    """Only current memories can be pinned."""
    said(talk, "I live in Oslo.")
    decided(talk, {})
    assert talk.pin(1).pinned
    assert not talk.pin(1, pinned=False).pinned
    with pytest.raises(NotFound):
        talk.pin(7)

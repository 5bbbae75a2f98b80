"""What a forget reaches in every form, what stays beside it, and what cannot bring it back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from palimpsest import Memory
from palimpsest.config import Config
from palimpsest.conversation import Conversation
from palimpsest.errors import Ambiguous, InputError, NotFound
from palimpsest.proposals import Extraction, Position, Proposal, Quote, Seen
from palimpsest.tokens.counter import TokenCounter
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.types import Budget

ROOM = Budget(window=100_000, answer=0)


@pytest.fixture
def memory(chatml: LocalTokenizer) -> Iterator[Memory]:
    with Memory.open(":memory:", counter=TokenCounter(chatml)) as opened:
        yield opened


@pytest.fixture
def talk(memory: Memory) -> Conversation:
    return memory.conversation(user="ana", id="trip")


def say(talk: Conversation, user: str, assistant: str = "Ok.", **fact: Any) -> int:
    """Append a turn and remember it where an attribute is given; its number."""
    (turn,) = talk.append(user=user, assistant=assistant)
    if fact:
        talk.remember(fact.pop("text", user), turn=turn.number, **fact)
    return turn.number


def stored(talk: Conversation) -> str:
    """All that the conversation shows of itself."""
    turns = [text for turn in talk.turns() for m in turn.messages for text in m.texts()]
    rows = [f"{row.text} {row.value}" for row in talk.visible()]
    request = talk.request("?", budget=ROOM, record=False).messages
    return json.dumps([turns, rows, request], ensure_ascii=False)


class Saying:
    """Proposes given statements for every turn, with a story."""

    name, trusted = "saying", False

    def __init__(self, *texts: str, quoted: bool = True) -> None:
        self.texts, self.quoted = texts, quoted

    def extract(self, seen: Seen, config: Config) -> Extraction:
        quote = Quote(message=0, text=0, start=0, end=max(1, len(seen.turn.user)))
        said = " ".join(self.texts)
        return Extraction(
            proposals=tuple(Proposal(text=text, quote=quote) for text in self.texts),
            summary=f"Told so far: {said}", anchors=self.texts,
            positions=(Position(subject="it", text=said, justification=seen.turn.user),),
        )  # fmt: skip


def test_every_form_of_the_value_goes(talk: Conversation) -> None:
    """Spaced, spelled, full-width: whoever said it, also in the request to forget."""
    say(talk, "My PIN is 4417.", "Noted: 44 17.", attribute="pin")
    say(talk, "Is ４４１７ right?", "Four four one seven, yes.")
    say(talk, "Forget four-four-one-seven!", "I forget 4-4-1-7.")
    talk.forget(attribute="pin")
    assert ["", "Noted: ."] == [t for m in talk.turns()[0].messages for t in m.texts()]
    assert ["Is  right?", ", yes."] == [t for m in talk.turns()[1].messages for t in m.texts()]
    assert ["Forget !", "I forget ."] == [t for m in talk.turns()[2].messages for t in m.texts()]


def test_the_neighbour_in_a_compound_sentence_stays(talk: Conversation) -> None:
    """Only the clause goes, from the turn and from the memory that holds the whole sentence."""
    said = "I live in Oslo and my PIN is 4417."
    say(talk, said, attribute="pin", value="4417")
    talk.remember(said, attribute="city", value="Oslo", turn=1)
    talk.forget(attribute="pin")
    assert "I live in Oslo." == talk.turns()[0].user
    assert [("I live in Oslo.", "Oslo")] == [(row.text, row.value) for row in talk.current()]


def test_the_other_half_may_be_forgotten_as_well(talk: Conversation) -> None:
    """The PIN stays where the city is forgotten, though its memory held the whole sentence."""
    said = "I live in Oslo and my PIN is 4417."
    say(talk, said, attribute="pin", value="4417")
    talk.remember(said, attribute="city", value="Oslo", turn=1)
    talk.forget(attribute="city")
    assert "my PIN is 4417." == talk.turns()[0].user.strip()
    assert ["my PIN is 4417."] == [row.text.strip() for row in talk.current()]


def test_a_strong_value_leaves_the_memories_of_other_things(talk: Conversation) -> None:
    """A card number is said nowhere any more; a city may be somebody else's too."""
    say(talk, "My card is 5412 7534 0912 6678.", attribute="card")
    say(talk, "Ana pays with 5412-7534-0912-6678.", attribute="payer", value="Ana")
    say(talk, "I live in Oslo.", attribute="city")
    say(talk, "My sister lives in Oslo.", attribute="sister")
    talk.forget(attribute="card")
    talk.forget(attribute="city")
    assert ["Ana pays with .", "My sister lives in Oslo."] == [row.text for row in talk.current()]
    assert "My sister lives in Oslo." == talk.turns()[3].user


def test_a_value_that_no_memory_holds_is_forgotten_by_itself(talk: Conversation) -> None:
    """A record is left though no row went; nothing at all is NotFound."""
    say(talk, "Try 771234, please.", "771234 does not work.")
    (record,) = talk.forget(value="771234")
    assert (0, 1) == (record.rows, record.values)
    assert "771234" not in stored(talk)
    with pytest.raises(NotFound, match="holds what is to be forgotten"):
        talk.forget(value="889900")


def test_other_wordings_lose_the_value(talk: Conversation) -> None:
    """How another memory was said again is kept beside it: a strong value leaves that, too."""
    say(talk, "The safe of the office opens with 771234.", attribute="safe", value="771234")
    row = talk.remember("Bob knows the safe.", attribute="bob")
    talk._store.wordings.add(row, talk.scope, turn=1, text="Bob knows 77 12 34.")
    talk.forget(attribute="safe")
    assert ["Bob knows ."] == [text for _, _, text in talk._store.wordings.said(talk.scope)]


def test_what_the_assistant_repeats_later_is_taken_out(talk: Conversation) -> None:
    """The store knows the value again by its hash, in a new turn and in one that goes on."""
    say(talk, "My PIN is 4417.", attribute="pin")
    talk.forget(attribute="pin")
    say(talk, "What was it?", "It was four four one seven, or 4417.")
    talk.append(user="And now?")
    talk.append(messages=[{"role": "assistant", "content": "Still 44 17."}])
    assert "It was , or ." == talk.turns()[1].assistant
    assert "Still ." == talk.turns()[2].assistant


def test_old_text_cannot_bring_it_back(talk: Conversation) -> None:
    """A proposal, a summary, an anchor and a position that say it are refused by a rule."""
    talk.observe(user="My PIN is 4417.", assistant="Ok.")
    talk.remember("My PIN is 4417.", attribute="pin", turn=1)
    talk.forget(attribute="pin")
    (done,) = talk.reflect(extractor=Saying("My PIN is 4417.", "The code is forty-four seventeen."))
    refused = [(v.action, v.rule, v.text) for v in done.verdicts if v.rule == "forgotten"]
    assert [("reject", "forgotten", "")] * 6 == refused
    assert () == talk.current()
    assert "4417" not in talk.story().summary
    assert ((), ()) == (talk.story().anchors, talk.story().positions)


def test_a_model_that_remembers_it_by_itself_is_refused_in_a_new_turn(talk: Conversation) -> None:
    """The user's words of the turn must say it; a quote of other words proves nothing."""
    say(talk, "My PIN is 4417.", attribute="pin")
    talk.forget(attribute="pin")
    talk.observe(user="Good morning to you.", assistant="Good morning.")
    (done,) = talk.reflect(extractor=Saying("The PIN is 4417."))
    assert "forgotten" == done.verdicts[0].rule
    assert 0 == talk.deletions()[0].lifted


def test_the_user_saying_it_again_lifts_it(talk: Conversation) -> None:
    """From then on it is a fact like any other, and the record says so."""
    say(talk, "My PIN is 4417.", attribute="pin")
    talk.forget(attribute="pin")
    talk.observe(user="My PIN is 4417 again.", assistant="4417, noted.")
    (done,) = talk.reflect(extractor=Saying("My PIN is 4417 again."))
    assert ("add", 1) == (done.verdicts[0].action, talk.deletions()[0].lifted)
    say(talk, "And?", "It is 4417.")
    assert "It is 4417." == talk.turns()[2].assistant


def test_only_what_is_said_again_is_lifted(talk: Conversation) -> None:
    """A record may stand for several values: the others stay forgotten."""
    say(talk, "My login is ana.silva99 and the key is sk-aa-4711.", attribute="login",
        value="ana.silva99 and the key is sk-aa-4711")  # fmt: skip
    talk.forget(attribute="login")
    talk.remember("My login is ana.silva99.")
    assert 1 == talk.deletions()[0].lifted
    say(talk, "So?", "ana.silva99 and sk-aa-4711.")
    assert "ana.silva99 and ." == talk.turns()[1].assistant


def test_a_reading_that_began_before_the_forget_loses(talk: Conversation) -> None:
    """Also where the value stood in an earlier turn and no memory held it."""
    say(talk, "Try 771234.", "Ok.")
    talk.observe(user="Did it work?", assistant="Yes.")

    class Late(Saying):
        def extract(self, seen: Seen, config: Config) -> Extraction:
            if "771234" in str(seen.before):
                talk.forget(value="771234")
                return super().extract(seen, config)
            return Extraction()

    (done,) = talk.reflect(extractor=Late("It was 771234."))
    assert () == done.verdicts
    assert ("", ()) == (talk.story().summary, talk.current())


def test_the_record_says_when_who_where_and_how_much(talk: Conversation) -> None:
    """Never the value: not even where the attribute or the reason holds it."""
    say(talk, "My PIN is 4417.", "Noted 4417.", attribute="pin-4417")
    (record,) = talk.forget(attribute="pin-4417", reason="4417 is private", turn=1)
    told = dict(record.counts)
    assert (None, "is private", 1, 1) == (record.attribute, record.reason, record.rows, record.turn)
    assert (1, 2) == (told["turns"], told["spans"])
    assert "4417" not in repr(talk.deletions())


def test_an_attribute_an_id_and_a_value_exclude_each_other(talk: Conversation) -> None:
    """One of them says what is meant."""
    say(talk, "My PIN is 4417.", attribute="pin")
    for wrong in ({"attribute": "pin", "value": "4417"}, {"id": 1, "attribute": "pin"}, {}):
        with pytest.raises(InputError, match=r"name (either|one)"):
            talk.forget(**wrong)
    with pytest.raises(InputError, match="name one of: words"):
        talk.plan_forget("pin", attribute="pin")


def test_a_plan_shows_everything_and_changes_nothing(talk: Conversation) -> None:
    """Rows with their scores, all they replaced, and every piece of a turn."""
    say(talk, "The staging key is sk-stage-4711.", "sk-stage-4711, ok.", attribute="staging-key")
    say(talk, "The production key is sk-prod-0815.", attribute="production-key")
    before = talk._store.revision(talk.scope), stored(talk)
    plan = talk.plan_forget("the staging key")
    assert ([1], False, [2]) == (
        [each.memory.id for each in plan.rows], plan.ambiguous,
        [each.memory.id for each in plan.others],
    )  # fmt: skip
    assert ["The staging key is sk-stage-4711.", "sk-stage-4711"] == [p.text for p in plan.pieces]
    assert before == (talk._store.revision(talk.scope), stored(talk))
    assert () == talk.deletions()
    talk.forget(words="the staging key")
    assert ["production-key"] == [row.attribute for row in talk.current()]


def test_words_that_may_mean_several_memories_ask(talk: Conversation) -> None:
    """The error lists ids, attributes and scores, and no text; nothing is forgotten."""
    say(talk, "The staging key is sk-stage-4711.", attribute="staging-key")
    say(talk, "The production key is sk-prod-0815.", attribute="production-key")
    with pytest.raises(
        Ambiguous, match=r"may mean 2 memories \(#2 'production-key' 1\.00, #1"
    ) as e:
        talk.forget(words="my key")
    assert "sk-" not in str(e.value)
    assert (2, ()) == (len(talk.current()), talk.deletions())
    assert talk.plan_forget("my key").ambiguous


def test_what_was_old_is_the_replaced_statement(talk: Conversation) -> None:
    """ "My old job" leaves the new one; "everything about" takes what was replaced as well."""
    say(talk, "I work at Globex.", attribute="employer")
    turn = say(talk, "I work at Initech now.")
    talk.correct("I work at Initech now.", attribute="employer", turn=turn)
    talk.forget(words="my old job")
    assert ["I work at Initech now."] == [row.text for row in talk.visible()]
    assert "Globex" not in stored(talk)


def test_a_correction_by_description(talk: Conversation) -> None:
    """The same resolution says what a newer sentence replaces."""
    say(talk, "I live in Oslo.", attribute="user-residence-city")
    say(talk, "I work in Bergen.", attribute="office-city")
    made = talk.correct("I live in Rome.", words="user residence city")
    assert "user-residence-city" == made.attribute
    assert {"I work in Bergen.", "I live in Rome."} == {row.text for row in talk.current()}
    with pytest.raises(InputError, match="only one of them"):
        talk.correct("I live in Rome.", words="city", attribute="city")


def test_further_forms_of_a_model_are_looked_for(talk: Conversation) -> None:
    """They help at the moment of the forget; small words and very short forms are left out."""
    from palimpsest.forgetting import further_forms
    from palimpsest.models.scripted import Scripted

    say(talk, "My school is the Lindenhof.", attribute="school", value="Lindenhof")
    say(talk, "The linden court was fine.", "Yes, the Linden Court.")
    model = Scripted(['Sure: ["linden court", "the", "it was", "L"]'])
    forms = further_forms(model, ["Lindenhof"])
    assert ("linden court",) == forms
    talk.forget(attribute="school", forms=forms)
    assert "inden" not in stored(talk)


def test_a_sentence_of_the_user_may_take_everything_about_something(talk: Conversation) -> None:
    """The extractor ``rules`` names the rows; the decision is the code's."""
    for said in ("My cat is called Nimbus.", "My cat eats tuna only.", "I like tea."):
        talk.observe(user=said, assistant="Ok.")
    talk.reflect(extractor="rules")
    talk.observe(user="Please forget everything about my cat.", assistant="Done.")
    (done,) = talk.reflect(extractor="rules")
    assert [("forget", "forget-request")] == [(v.action, v.rule) for v in done.verdicts]
    assert ["I like tea."] == [row.text for row in talk.current()]
    assert {"user"} == {record.asked_by for record in talk.deletions()}


def test_a_request_may_name_a_value_that_nobody_kept(talk: Conversation) -> None:
    """ "Forget 771234": it is taken out of every turn."""
    say(talk, "Try 771234.", "771234 it is.")
    talk.observe(user="Please forget 771234.", assistant="Forgotten.")
    (done,) = talk.reflect(extractor="rules")
    assert [("forget", "forget-value")] == [(v.action, v.rule) for v in done.verdicts]
    assert "771234" not in stored(talk)

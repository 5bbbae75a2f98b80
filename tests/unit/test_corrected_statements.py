"""A corrected statement without a value is in no request, whoever told it in other words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from palimpsest import Budget, Memory
from palimpsest.config import Config
from palimpsest.conversation import Conversation
from palimpsest.proposals import Extraction, Position, Proposal, Quote, Seen
from tests.support.proposing import Proposing
from tests.support.suites import Words

ROOM = Budget(window=4096, answer=64)
OLD, NEW = "I am vegetarian.", "I eat meat again."


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", tokenizer=Words()) as held:
        yield held


def told(memory: Memory, old: str = OLD, *more: tuple[str, str]) -> Conversation:
    """A conversation that stated ``old`` and went on."""
    talk = memory.conversation(user="u", id="c")
    talk.append(user=old, assistant="Noted.")
    talk.remember(old, turn=1)
    for user, assistant in more:
        talk.append(user=user, assistant=assistant)
    return talk


def corrected(talk: Conversation, new: str = NEW) -> None:
    talk.append(user=new, assistant="Enjoy.")
    row = talk.current()[0]
    talk.correct(new, id=row.id, turn=talk.last_turn())


def sent(talk: Conversation, strategy: str = "managed") -> str:
    return str(talk.request("And?", budget=ROOM, strategy=strategy).messages)


EARLIER = ("Where to eat?", "Since you are vegetarian, try Tibits. Vegetarian food is popular.")


def test_what_others_made_of_it_is_marked_and_kept(memory: Memory) -> None:
    """In earlier and later answers; what is said of nobody is sent, and the transcript is whole."""
    talk = told(memory, OLD, EARLIER)
    corrected(talk)
    talk.observe(user="And now?", assistant="As you are vegetarian, the Tibits. Oslo is cold.")
    request = sent(talk)
    assert "you are vegetarian" not in request
    assert all(each in request for each in ("Vegetarian food is popular.", "Oslo is cold.", NEW))
    assert EARLIER[1] == talk.turns()[1].messages[1].content


def test_the_users_own_earlier_words_of_themselves_go(memory: Memory) -> None:
    """Those of a sister stay, and so does what the user says after the correction."""
    talk = told(
        memory, OLD, ("As I said, I am vegetarian.", "Yes."), ("My sister is vegetarian.", "Ok.")
    )
    corrected(talk)
    talk.observe(user="I was vegetarian once.", assistant="Indeed.")
    request = sent(talk)
    assert "I am vegetarian" not in request
    assert "My sister is vegetarian." in request
    assert "I was vegetarian once." in request


@pytest.mark.parametrize("reply", [
    "So you are not vegetarian any more.", "You no longer are vegetarian, noted.",
    "Then you eat meat again.",
])  # fmt: skip
def test_the_contrary_is_what_holds_now(memory: Memory, reply: str) -> None:
    """It is sent, with the old word in it."""
    talk = told(memory)
    corrected(talk)
    talk.observe(user="Yes?", assistant=reply)
    assert reply in sent(talk)


def test_what_the_current_statement_says_stays(memory: Memory) -> None:
    """A correction may say the old words of somebody else."""
    talk = told(memory, OLD, ("Hm?", "Your cat is vegetarian."), ("Hm?", "You are vegetarian."))
    corrected(talk, "Not I, my cat is vegetarian.")
    assert "You are vegetarian." not in sent(talk)


def test_a_statement_that_holds_again_is_sent_again(memory: Memory) -> None:
    """Vegetarian, not, and vegetarian again: what others said of it then is no longer stale."""
    talk = told(memory, OLD, EARLIER)
    corrected(talk)
    assert "you are vegetarian" not in sent(talk)
    corrected(talk, OLD)
    talk.observe(user="And?", assistant="Fine, you are vegetarian.")
    assert "Fine, you are vegetarian." in sent(talk)


def test_a_marked_history_shows_it_where_that_is_allowed(memory: Memory) -> None:
    """For questions about the past."""
    talk = told(memory, OLD, EARLIER)
    corrected(talk)
    request = sent(talk, "managed(stale='allow-if-marked')")
    assert "[replaced since, no longer true: Since you are vegetarian" in request


@pytest.mark.parametrize(("old", "reply", "new"), [
    ("I am VEGETARIAN.", "SINCE YOU ARE VEGETARIAN, no ham.", NEW),
    ("I am aggressive.", "As you are aggressive, walk.", "I am calm and kind."),
    ("Ich bin geschwächt.", "Weil du geschwächt bist, schlaf.", "Ich bin wieder gesund."),
    ("Je suis végétarien.", "Comme tu es végétarien, pas de jambon.", "Je mange du porc."),
    ("Soy celíaco.", "Como eres celíaco, sin pan.", "Como pan otra vez."),
])  # fmt: skip
def test_it_is_found_however_it_is_written(memory: Memory, old: str, reply: str, new: str) -> None:
    """In capitals, and with accents that its stem has lost."""
    talk = told(memory, old, ("Hm?", reply))
    corrected(talk, new)
    assert reply not in sent(talk)


def test_everyday_words_are_stale_only_where_nothing_else_is_said(memory: Memory) -> None:
    """ "You are happy to hear" is not "I am happy"."""
    talk = told(memory, "I am happy.", ("Hm?", "You are happy to hear that. So you are happy."))
    corrected(talk, "I am sad.")
    request = sent(talk)
    assert "You are happy to hear that." in request
    assert "So you are happy." not in request


@dataclass(frozen=True, kw_only=True)
class _Tells:
    """Tells a story of every turn."""

    summary: str
    anchors: Sequence[str]
    positions: Sequence[Position] = ()
    name: str = "tells"
    trusted: bool = False

    def extract(self, seen: Seen, config: Config) -> Extraction:
        quote = Quote(message=0, text=0, start=0, end=1)
        return Extraction(
            proposals=(Proposal(text=seen.turn.user, quote=quote),), summary=self.summary,
            anchors=tuple(self.anchors), positions=tuple(self.positions),
        )  # fmt: skip


def test_the_story_no_longer_tells_it(memory: Memory) -> None:
    """Its sentence leaves the summary, an anchor is released, and a later story cannot tell it."""
    talk = memory.conversation(user="u", id="c")
    talk.observe(user=OLD, assistant="Noted.")
    tells = _Tells(summary="The user is vegetarian. Oslo is home.", anchors=(OLD,))
    talk.reflect(extractor=tells)
    assert [OLD] == [anchor.text for anchor in talk.story().anchors]
    corrected(talk)
    for _ in range(2):
        story = talk.story()
        assert ("Oslo is home.", ()) == (story.summary.strip(), story.anchors)
        assert "vegetarian" not in sent(talk)
        talk.reflect(extractor=_Tells(summary="Vegetarian user. Oslo is home.", anchors=()))


def test_undoing_the_correction_sends_it_again(memory: Memory) -> None:
    """The marks are those of what is replaced, and of nothing else."""
    talk = memory.conversation(user="u", id="c")
    talk.observe(user=OLD, assistant="Noted, you are vegetarian.")
    talk.reflect(extractor=Proposing({1: [{"attribute": "diet"}]}))
    talk.observe(user=NEW, assistant="Enjoy.")
    talk.reflect(
        extractor=Proposing({2: [{"op": "correct", "attribute": "diet", "targets": (1,)}]})
    )
    assert "vegetarian" not in sent(talk)
    verdict = next(one for one in talk.verdicts() if one.action == "supersede")
    talk.undo(verdict.id)
    assert "Noted, you are vegetarian." in sent(talk)

"""A forget that is held to the plan it was shown as, and asking whether a text was forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from palimpsest import Memory
from palimpsest.conversation import Conversation
from palimpsest.errors import Ambiguous
from palimpsest.types import Scope, Traits
from palimpsest.write.commands import remember


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:") as opened:
        yield opened


@pytest.fixture
def talk(memory: Memory) -> Conversation:
    made = memory.conversation(user="ana", id="trip")
    made.append(user="My code is 90417-QX.", assistant="90417-QX, noted.")
    made.remember("My code is 90417-QX.", attribute="code", turn=1)
    made.remember("I like tea.", attribute="drink")
    return made


def test_the_seal_of_a_plan_lets_exactly_it_happen(talk: Conversation) -> None:
    """Equal while nothing that would go has changed, whatever else has."""
    seal = talk.plan_forget(attribute="code").seal
    talk.remember("I like milk.", attribute="drink")
    talk.append(user="Good morning.", assistant="Hello.")
    assert seal == talk.plan_forget(attribute="code").seal
    assert [1] == [record.rows for record in talk.forget(attribute="code", seal=seal)]
    assert ["I like tea.", "I like milk."] == [row.text for row in talk.current()]


CHANGES: dict[str, Callable[[Conversation], object]] = {
    "another row": lambda t: t.remember("My gym code is 5.", attribute="code"),
    "a newer row": lambda t: t.correct("My code is 11111-AB.", attribute="code"),
    "another piece": lambda t: t.append(user="And now?", assistant="Still 90417-QX."),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_seal_that_no_longer_fits_takes_nothing(talk: Conversation, change: str) -> None:
    """Ambiguous, with numbers and no text; rows and turns stay as they are."""
    seal = talk.plan_forget(attribute="code").seal
    CHANGES[change](talk)
    before = (talk.turns(), talk.visible(), talk.deletions())
    with pytest.raises(Ambiguous, match="make a new plan") as refused:
        talk.forget(attribute="code", seal=seal)
    assert "90417" not in str(refused.value)
    assert before == (talk.turns(), talk.visible(), talk.deletions())


def test_a_seal_of_another_forget_takes_nothing(talk: Conversation) -> None:
    """A seal is no key to whatever else is named."""
    seal = talk.plan_forget(attribute="drink").seal
    with pytest.raises(Ambiguous):
        talk.forget(attribute="code", seal=seal)
    with pytest.raises(Ambiguous):
        talk.forget(words="my code", seal="")


def test_a_text_can_be_asked_whether_it_was_forgotten(talk: Conversation) -> None:
    """The record of the forget, in any form of the value, until the user says it again."""
    assert () == talk.forgotten("My code is 90417-QX.")
    (record,) = talk.forget(attribute="code")
    assert (record,) == talk.forgotten("Was it 90417 qx?")
    assert () == talk.forgotten("Was it 90418-QX?")
    talk.remember("My code is 90417-QX.")
    assert () == talk.forgotten("Was it 90417-QX?")


def test_a_global_forget_is_known_in_every_conversation_of_its_user_alone(memory: Memory) -> None:
    """Its record is kept where the memory was; another user learns nothing."""
    here = memory.conversation(user="ana", id="trip")
    there = memory.conversation(user="ana", id="work")
    there.append(user="Hello.")
    far = Traits(reach="global")
    scope = Scope(user="ana", conversation="trip")
    remember(here._store, scope, "My code is 90417-QX.", attribute="code", traits=far)
    (record,) = there.forget(attribute="code")
    assert [record.id] == [each.id for each in there.forgotten("90417-QX")]
    assert [record.id] == [each.id for each in here.forgotten("90417-QX")]
    assert () == memory.conversation(user="bo", id="trip").forgotten("90417-QX")

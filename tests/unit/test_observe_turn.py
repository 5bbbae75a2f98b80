"""A whole turn that is observed is stored as it is and waits to be read once."""

from palimpsest.engine import Memory
from palimpsest.extract.labels import Labels
from palimpsest.types import Label, Message, Turn


def test_an_observed_turn_waits_and_is_read_once() -> None:
    """Its number is assigned, its roles are kept, and a second reading finds nothing to do."""
    labels = Labels(labels={1: Label(op="remember", attribute="room")})
    said = (
        Message(role="user", content="The room is Alder."),
        Message(role="assistant", content="k"),
    )
    with Memory.open(":memory:") as memory:
        talk = memory.conversation(user="ada", id="one")
        stored = talk.observe_turn(Turn(number=9, messages=said))
        assert (1, said) == (stored.number, stored.messages)
        assert ["add"] == [v.action for r in talk.reflect(extractor=labels) for v in r.verdicts]
        assert () == talk.reflect(extractor=labels)
        assert ["The room is Alder."] == [row.text for row in talk.current()]

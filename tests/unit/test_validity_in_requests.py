"""A memory that has ended is in no request, and the ledger says so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from palimpsest import Budget, Memory, Request
from palimpsest.conversation import Conversation
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.why import MemoryReasons, why
from tests.support.proposing import Proposing

BUDGET = Budget(window=2000, answer=0)
STRATEGIES = ("managed(quota=400)", "seats(quota=400)")


class Clock:
    """A clock that a test sets."""

    now = "2026-11-30T10:00:00+00:00"

    def __call__(self) -> str:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def talk(chatml: LocalTokenizer, clock: Clock) -> Iterator[Conversation]:
    with Memory.open(":memory:", tokenizer=chatml, clock=clock) as memory:
        yield memory.conversation(user="ana", id="trip")


def asked(talk: Conversation, strategy: str) -> Request:
    return talk.request("Where am I?", budget=BUDGET, strategy=strategy)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    ("text", "last", "over"),
    [
        ("I'm in Paris tonight.", "2026-12-01T05:59:59.999999+00:00", "2026-12-01T06:00:00+00:00"),
        ("I'm in Paris until Friday.", "2026-12-04T23:59:59+00:00", "2026-12-05T00:00:00+00:00"),
        ("I'm in Paris until Friday.", "2026-12-04T18:59:59-05:00", "2026-12-04T19:00:00-05:00"),
        ("Ich bin bis Freitag in Paris.", "2026-12-04T23:59:59+00:00", "2026-12-05T00:00:00+00:00"),
        ("Je suis à Paris ce soir.", "2026-12-01T05:59:59+00:00", "2026-12-01T06:00:00+00:00"),
        ("Estoy en París hasta el viernes.", "2026-12-04T23:59:59+00:00", "2026-12-05T00:00:00+00:00"),
        ("Stasera sono a Parigi con mia sorella.", "2026-12-01T05:59:59+00:00", "2026-12-01T06:00:00+00:00"),
        ("Estou em Paris até sexta-feira.", "2026-12-04T23:59:59+00:00", "2026-12-05T00:00:00+00:00"),
    ],
)  # fmt: skip
def test_it_is_in_every_request_to_its_last_moment_and_in_none_after(
    talk: Conversation, clock: Clock, strategy: str, text: str, last: str, over: str
) -> None:
    """The end is exclusive, whatever offset the clock writes; ``why`` gives the reason."""
    talk.observe(user=text, assistant="Noted.")
    talk.reflect(extractor="rules")
    (row,) = talk.current()
    clock.now = last
    entry = asked(talk, strategy).ledger.memory(row.id)
    assert entry is not None
    assert entry.seated
    clock.now = over
    request = asked(talk, strategy)
    assert f"#{row.id}" not in str([message.as_dict() for message in request.sent])
    found = why(talk, f"#{row.id}")
    assert isinstance(found, MemoryReasons)
    stood = found.requests[0].entry
    assert stood is not None
    assert (False, "ended") == (stood.seated, stood.reason)


def test_an_ended_memory_is_still_there_to_be_asked_for(talk: Conversation, clock: Clock) -> None:
    """It ends in requests; it is not deleted, and can be corrected and forgotten."""
    talk.observe(user="I'm in Paris until Friday.", assistant="Noted.")
    talk.reflect(extractor="rules")
    clock.now = "2026-12-20T10:00:00+00:00"
    (row,) = talk.current()
    assert "2026-12-05T00:00:00+00:00" == row.valid_until
    talk.forget(id=row.id)
    assert () == talk.current()


def test_what_was_said_counts_and_not_when_it_was_read(talk: Conversation, clock: Clock) -> None:
    """A turn that is read days later is dated by its own moment."""
    talk.observe(user="I'm in Paris tonight.", assistant="Noted.")
    clock.now = "2026-12-20T10:00:00+00:00"
    talk.reflect(extractor="rules")
    assert ["2026-12-01T06:00:00+00:00"] == [row.valid_until for row in talk.current()]


def test_a_proposal_may_name_its_own_end(talk: Conversation, clock: Clock) -> None:
    """An extractor that knows it says so; the filters let it pass."""
    talk.observe(user="I'm in Paris for the fair.", assistant="Noted.")
    talk.reflect(extractor=Proposing({1: [{"valid_until": "2026-12-03T00:00:00+00:00"}]}))
    clock.now = "2026-12-03T00:00:00+00:00"
    entry = asked(talk, STRATEGIES[0]).ledger.memory(1)
    assert entry is not None
    assert "ended" == entry.reason

"""The parts of a store keep what they are given, lazily and within their scope."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import InputError
from palimpsest.messages import message
from palimpsest.protocols import View
from palimpsest.store import Store, open_store
from palimpsest.store.codec import decode, encode
from palimpsest.types import Memory, Message, Part, Redaction, Scope, ToolCall, Turn

SCOPE = Scope(user="ana", conversation="trip")


@pytest.fixture
def store() -> Iterator[Store]:
    """An empty managed store in memory, whose clock counts."""
    ticks = itertools.count(1)
    with open_store(":memory:", clock=lambda: f"2026-01-01T00:00:{next(ticks):02}+00:00") as made:
        yield made


def said(number: int, text: str = "hi", answer: str | None = "ho") -> Turn:
    """A turn with or without an answer."""
    answered = () if answer is None else (Message(role="assistant", content=answer),)
    return Turn(number=number, messages=(Message(role="user", content=text), *answered))


def kept(store: Store, text: str, scope: Scope = SCOPE, attribute: str | None = None) -> Memory:
    """A memory made by the application."""
    return store.memories.insert(
        scope, text=text, source="api", attribute=attribute, value=None, turn=None
    )


_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_MESSAGES = st.builds(
    Message,
    role=st.sampled_from(["user", "assistant", "tool"]),
    content=st.none() | _TEXTS,
    parts=st.lists(
        st.builds(Part, kind=st.just("text"), json=_TEXTS, text=st.none() | _TEXTS), max_size=2
    ).map(tuple),
    tool_calls=st.lists(st.builds(ToolCall, id=_TEXTS, name=_TEXTS, json=_TEXTS), max_size=2).map(
        tuple
    ),
    tool_call_id=st.none() | _TEXTS,
    name=st.none() | _TEXTS,
    extra=_TEXTS,
)


@given(st.lists(_MESSAGES, max_size=3).map(tuple))
def test_messages_come_back_byte_for_byte(given_messages: tuple[Message, ...]) -> None:
    """Whatever a message holds, NUL and unusual keys included, is read as it was written."""
    assert given_messages == decode(encode(given_messages))


def test_turns_are_read_newest_first_across_chunks(store: Store) -> None:
    """A read of many chunks yields every turn once, in order."""
    store.turns.add(SCOPE, [said(number) for number in range(1, 801)])
    assert list(range(800, 0, -1)) == [turn.number for turn in store.turns.newest(SCOPE)]
    assert list(range(1, 801)) == [turn.number for turn in store.turns.holding(SCOPE, [""])]
    assert (1, 800, 800) == (
        store.turns.first(SCOPE), store.turns.last(SCOPE), store.turns.count(SCOPE),
    )  # fmt: skip


def test_reading_is_lazy(store: Store) -> None:
    """What is not asked for is not read: the first turn costs one small chunk."""
    store.turns.add(SCOPE, [said(number) for number in range(1, 801)])
    turns = store.turns.newest(SCOPE)
    assert 800 == next(turns).number
    store.turns.replace(SCOPE, said(1, "changed after the read began"))
    *_, oldest = turns
    assert "changed after the read began" == oldest.user


def test_turn_numbers_go_upward(store: Store) -> None:
    """A number that is taken or below the last is refused, and nothing of the call is kept."""
    store.turns.add(SCOPE, [said(2), said(5)])
    for turns in ([said(5)], [said(6), said(6)], [said(7), said(3)]):
        with pytest.raises(InputError, match="is taken; the next number is"):
            store.turns.add(SCOPE, turns)
    assert [5, 2] == [turn.number for turn in store.turns.newest(SCOPE)]


def test_open_turns_follow_their_messages(store: Store) -> None:
    """A turn is open until an answer is written into it."""
    store.turns.add(SCOPE, [said(1), said(2, answer=None), said(3), said(4, answer=None)])
    assert [2, 4] == [turn.number for turn in store.turns.open(SCOPE)]
    store.turns.replace(SCOPE, said(2))
    assert [4] == [turn.number for turn in store.turns.open(SCOPE)]


@pytest.mark.parametrize("number", [0, -1, 3, 2**63, 2**80])
def test_a_turn_or_memory_that_is_not_there_is_none(store: Store, number: int) -> None:
    """Any whole number can be asked for."""
    store.turns.add(SCOPE, [said(1)])
    kept(store, "a")
    assert (None, None) == (store.turns.get(SCOPE, number), store.memories.get(SCOPE, number))


def test_turns_that_may_hold_a_needle(store: Store) -> None:
    """Turns without the needle are passed over; invisible characters are never trusted."""
    texts = ["Porto", "Lisbon", "Po\u200brto", "Po\u200drto", "Po\x01rto", "porto"]
    store.turns.add(SCOPE, [said(i + 1, text) for i, text in enumerate(texts)])
    assert [1, 3, 4, 5] == [turn.number for turn in store.turns.holding(SCOPE, ["Porto"])]
    many = ["Porto", *(f"none{n}" for n in range(100))]
    assert {1, 3, 4, 5} <= {turn.number for turn in store.turns.holding(SCOPE, many)}


def test_memories_are_read_newest_first_across_chunks(store: Store) -> None:
    """Current rows only, or all of them, each once and in order."""
    with store.transaction():
        for number in range(200):
            kept(store, f"fact {number}", attribute=f"a{number % 3}")
        for id in range(1, 101):
            store.memories.supersede(SCOPE, id, by=id + 100)
    assert list(range(200, 0, -1)) == [m.id for m in store.visible.newest(SCOPE, current=False)]
    assert list(range(200, 100, -1)) == [m.id for m in store.visible.newest(SCOPE, current=True)]
    assert (1, 200) == (store.visible.first(SCOPE), store.visible.last(SCOPE))
    assert ("a0", "a1", "a2") == store.memories.attributes(SCOPE)


def test_a_chain_holds_all_that_a_row_replaced(store: Store) -> None:
    """Directly or through others, and nothing else."""
    for text in "abcde":
        kept(store, text)
    for retired, by in ((1, 2), (2, 4), (3, 4)):
        store.memories.supersede(SCOPE, retired, by)
    assert [1, 2, 3, 4] == [row.id for row in store.memories.chain(SCOPE, 4)]
    assert [1, 2] == [row.id for row in store.memories.chain(SCOPE, 2)]
    assert [5] == [row.id for row in store.memories.chain(SCOPE, 5)]


def test_ids_are_never_given_twice(store: Store) -> None:
    """Ids count per user over all conversations, and a deleted row's id stays taken."""
    other = Scope(user="ana", conversation="other")
    assert [1, 2] == [kept(store, "a").id, kept(store, "b", other).id]
    store.memories.delete(other, [2])
    assert [3, 1] == [kept(store, "c").id, kept(store, "d", Scope(user="bo", conversation="c")).id]


@pytest.mark.parametrize(
    "stranger",
    [
        Scope(user="an", conversation="trip"),
        Scope(user="ana1", conversation="trip"),
        Scope(user="ANA", conversation="trip"),
        Scope(user="ana ", conversation="trip"),
        Scope(user="a%", conversation="trip"),
        Scope(user="an\u0061\u0301", conversation="trip"),
        Scope(user="ana' OR '1'='1", conversation="trip"),
        Scope(user="ana", conversation="tri"),
        Scope(user="ana", conversation="trip\x00"),
        Scope(user="trip", conversation="ana"),
    ],
)
def test_no_read_crosses_a_scope(store: Store, stranger: Scope) -> None:
    """User and conversation match exactly, or nothing is there."""
    store.turns.add(SCOPE, [said(1, answer=None)])
    made = kept(store, "secret", attribute="seat")
    store.redactions.put(
        SCOPE, 1,
        [Redaction(turn=1, message=0, text=0, start=0, end=1, reason="corrected")],
    )  # fmt: skip
    store.deletions.add(SCOPE, attribute="x", reason="r", rows=1)
    store.resolutions.add(SCOPE, kept=1, retired=2, rule="same-text")
    store.requests.record(SCOPE, id="q", strategy="s", tokens=1, ledger="{}", prefix="[]")
    view = store.view(stranger)
    memories = store.memories
    assert [[]] * 10 == [
        list(view.turns()), list(view.open_turns()), list(view.redactions(1)),
        list(view.memories(current=False)), list(memories.current(stranger, "seat")),
        list(memories.of(stranger, "seat")), list(memories.chain(stranger, made.id)),
        list(store.deletions.of(stranger)), list(store.resolutions.of(stranger)),
        list(memories.attributes(stranger)),
    ]  # fmt: skip
    assert [None] * 6 == [
        view.first_turn(), view.first_memory(), view.last_memory(), memories.get(stranger, made.id),
        store.requests.get(stranger, "q"), store.requests.previous_prefix(stranger),
    ]  # fmt: skip
    store.memories.delete(stranger, [made.id])
    assert made == memories.get(SCOPE, made.id)


@pytest.mark.parametrize("bad", ["", " ", "\n", "\ud800"])
def test_a_scope_that_names_nobody_is_refused(store: Store, bad: str) -> None:
    """An empty user or conversation gives nothing, never somebody else's rows."""
    for scope in (Scope(user=bad, conversation="c"), Scope(user="u", conversation=bad)):
        with pytest.raises(InputError, match=r"scope\.(user|conversation): "):
            store.turns.last(scope)
        with pytest.raises(InputError, match=r"scope\.(user|conversation): "):
            kept(store, "a", scope)


def test_a_failed_transaction_leaves_nothing(store: Store) -> None:
    """An outer failure takes everything back, an inner one only its own part."""
    with suppress(RuntimeError), store.transaction():
        kept(store, "lost")
        raise RuntimeError
    with store.transaction():
        kept(store, "a")
        with suppress(RuntimeError), store.transaction():
            kept(store, "lost too")
            raise RuntimeError
        kept(store, "b")
    assert ["a", "b"] == [row.text for row in store.memories.current(SCOPE)]


def test_revisions_are_never_used_twice(store: Store) -> None:
    """A number that a rollback took back does not come again, so a cache may trust it."""
    seen = [store.revision(SCOPE), store.conversations.retirements(SCOPE)]
    assert [0, 0] == seen
    kept(store, "a")
    with suppress(RuntimeError), store.transaction():
        store.memories.supersede(SCOPE, kept(store, "b").id, 1)
        seen += [store.revision(SCOPE), store.conversations.retirements(SCOPE)]
        raise RuntimeError
    store.memories.supersede(SCOPE, kept(store, "c").id, 1)
    seen += [store.revision(SCOPE), store.conversations.retirements(SCOPE)]
    assert 5 == len(set(seen))


def test_adding_retires_nothing(store: Store) -> None:
    """Turns, memories and requests leave the number of retirements alone."""
    store.memories.supersede(SCOPE, kept(store, "a").id, kept(store, "b").id)
    before = store.conversations.retirements(SCOPE)
    kept(store, "c")
    store.turns.add(SCOPE, [said(1)])
    store.requests.record(SCOPE, id="q", strategy="s", tokens=1, ledger="{}", prefix="[]")
    assert before == store.conversations.retirements(SCOPE)


def test_the_newest_ledgers_are_kept() -> None:
    """Each conversation keeps so many ledgers; older ones go, other conversations' stay."""
    other = Scope(user="ana", conversation="other")
    with open_store(":memory:", keep_requests=3) as store:
        store.requests.record(other, id="q0", strategy="s", tokens=1, ledger="{}", prefix="[]")
        for number in range(6):
            store.requests.record(
                SCOPE, id=f"q{number}", strategy="s", tokens=1, ledger="{}", prefix=f"[{number}]"
            )
        assert ("q5", "q4", "q3") == store.requests.newest(SCOPE)
        assert store.requests.get(SCOPE, "q2") is None
        assert store.requests.get(other, "q0") is not None
        assert "[5]" == store.requests.previous_prefix(SCOPE)
        store.requests.clear_prefix(SCOPE)
        assert (None, "[]") == (
            store.requests.previous_prefix(SCOPE), store.requests.previous_prefix(other),
        )  # fmt: skip


def test_a_view_is_what_strategies_ask_for(store: Store) -> None:
    """The store's view offers every method of the Protocol."""
    store.turns.add(SCOPE, [said(1)])
    view: View = store.view(SCOPE)
    assert [1] == [turn.number for turn in view.turns()]


def test_the_clock_dates_every_record(store: Store) -> None:
    """Dates come from the clock that was passed in."""
    first = kept(store, "a")
    store.memories.supersede(SCOPE, first.id, kept(store, "b").id)
    old = store.memories.get(SCOPE, first.id)
    assert old is not None
    assert old.created_at < str(old.superseded_at)
    assert "2026-01-01T00:00:" == str(old.superseded_at)[:17]


def test_unusual_text_is_kept_as_it_is(store: Store) -> None:
    """NUL, quotes, emoji and right-to-left text come back unchanged."""
    text = "a\x00b '; DROP TABLE turns; -- 👩‍👩‍👧 \u202eעברית"
    store.turns.add(SCOPE, [said(1, text)])
    turn = store.turns.get(SCOPE, 1)
    assert turn is not None
    assert (text, text) == (turn.user, kept(store, text).text)


def test_part_lists_are_kept_as_they_are(store: Store) -> None:
    """A message with parts and calls is sent back as it was given."""
    given_message = {
        "role": "assistant",
        "content": [{"type": "text", "text": "é", "x": {"b": 1.0, "a": None}}],
        "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        ],
        "refusal": "no",
    }
    turn = Turn(number=1, messages=(Message(role="user", content="q"), message(given_message)))
    store.turns.add(SCOPE, [turn])
    found = store.turns.get(SCOPE, 1)
    assert found is not None
    assert given_message == found.messages[1].as_dict()

"""Counters: candidates by birth, served rows only, and nothing for a degraded request."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palimpsest import Budget, Memory
from palimpsest.conversation import Conversation
from palimpsest.store import m006_counters
from palimpsest.store.counting import Turnout
from palimpsest.store.opening import open_store
from palimpsest.store.store import Store
from palimpsest.tokens.local import LocalTokenizer
from palimpsest.types import Scope, Traits

HERE = Scope(user="ana", conversation="here")
THERE = Scope(user="ana", conversation="there")


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store(":memory:") as opened:
        yield opened


def kept(store: Store, scope: Scope, *, everywhere: bool = False) -> int:
    traits = Traits(reach="global" if everywhere else "conversation")
    return store.memories.insert(
        scope, text="x", source="api", attribute=None, value=None, turn=None, traits=traits
    ).id


def asked(store: Store, scope: Scope, *served: int, back: tuple[int, ...] = ()) -> None:
    store.counting.request(scope, served=served, recalled=back, degraded=False)


def counts(store: Store, scope: Scope) -> list[tuple[int, int, int, int]]:
    return [(c.id, c.candidate, c.served, c.recalled) for c in store.counting.current(scope)]


def test_a_memory_is_a_candidate_of_the_requests_since_its_birth(store: Store) -> None:
    """No row is touched for a memory that was not served."""
    first = kept(store, HERE)
    asked(store, HERE, first, back=(first,))
    second = kept(store, HERE)
    asked(store, HERE, first)
    asked(store, THERE)
    assert [(first, 2, 2, 1), (second, 1, 0, 0)] == counts(store, HERE)


def test_a_global_memory_is_a_candidate_of_all_its_user_asks(store: Store) -> None:
    """And it is counted once, wherever it was served."""
    shared = kept(store, THERE, everywhere=True)
    for scope in (HERE, THERE, HERE):
        asked(store, scope, shared)
    assert [(shared, 3, 3, 0)] == counts(store, HERE) == counts(store, THERE)
    assert (3, 3) == (store.counting.of(HERE, shared).candidate, counts(store, THERE)[0][2])  # type: ignore[union-attr]


def test_a_degraded_request_counts_itself_alone(store: Store) -> None:
    """A machine that sleeps must not read as a memory that is ignored."""
    id = kept(store, HERE)
    asked(store, HERE, id)
    store.counting.request(HERE, served=(id,), recalled=(id,), degraded=True)
    assert [(id, 1, 1, 0)] == counts(store, HERE)
    assert Turnout(counted=1, degraded=1) == store.counting.turnout(HERE)


def test_what_is_replaced_or_gone_has_no_counters(store: Store) -> None:
    """A deleted row takes its counters with it."""
    old, new, gone = kept(store, HERE), kept(store, HERE), kept(store, HERE)
    store.memories.supersede(HERE, old, by=new)
    store.memories.delete(HERE, [gone])
    assert [new] == [count.id for count in store.counting.current(HERE)]
    assert [(old,), (new,)] == store._db.rows("SELECT id FROM memory_counts ORDER BY id")


def test_a_store_of_an_older_schema_counts_from_its_migration(store: Store) -> None:
    """Rows that were there before have counters, and global ones are found."""
    kept(store, HERE, everywhere=True)
    with store.transaction():
        for table in ("global_memories", "memory_counts"):
            store._db.write(f"DELETE FROM {table}")
        for statement in m006_counters._FILL:
            store._db.write(statement)
    assert [(1, 0, 0, 0)] == counts(store, THERE)


def told(memory: Memory) -> Conversation:
    talk = memory.conversation(user="ana", id="here")
    for number in range(12):
        talk.append(user=f"Fact {number} holds.", assistant="Noted.")
        talk.remember(f"Fact {number} holds.", turn=number + 1)
    return talk


@settings(deadline=None, max_examples=15)
@given(
    served=st.lists(st.integers(1, 12), max_size=30),
    strategy=st.sampled_from(("seats(limit=4)", "managed")),
)
def test_no_request_depends_on_the_counters(
    chatml: LocalTokenizer, served: list[int], strategy: str
) -> None:
    """Law 7: whatever the counters say, and with their tables empty, requests are the same."""
    with Memory.open(":memory:", tokenizer=chatml) as memory:
        talk = told(memory)

        def request() -> object:
            return talk.request(
                "Which?", budget=Budget(window=900, answer=0), strategy=strategy, record=False
            )

        before = request()
        for id in served:
            asked(memory._store, talk.scope, id, back=(id,))
        assert before == request()
        with memory._store.transaction():
            for table in ("memory_counts", "request_counts"):
                memory._store._db.write(f"DELETE FROM {table}")
        assert before == request()


def test_requests_that_are_kept_are_counted_and_others_are_not(chatml: LocalTokenizer) -> None:
    """Only strategies that send memories count."""
    with Memory.open(":memory:", tokenizer=chatml) as memory:
        talk = told(memory)
        budget = Budget(window=900, answer=0)
        talk.request("Which?", budget=budget, strategy="seats(limit=4)")
        talk.request("Which?", budget=budget, strategy="seats(limit=4)", record=False)
        talk.request("Which?", budget=budget, strategy="recent")
        assert [1] * 12 == [count.candidate for count in talk.counts()]
        assert [9, 10, 11, 12] == [count.id for count in talk.counts() if count.served]

"""What a conversation sees: its own memories and the global ones of its user."""

from collections.abc import Iterator

import pytest

from palimpsest.candidates import columns
from palimpsest.store.opening import open_store
from palimpsest.store.store import Store
from palimpsest.types import Memory, Scope, Traits

HERE = Scope(user="ana", conversation="here")
THERE = Scope(user="ana", conversation="there")
STRANGER = Scope(user="bo", conversation="here")


@pytest.fixture
def store() -> Iterator[Store]:
    with open_store(":memory:") as opened:
        yield opened


def kept(store: Store, scope: Scope, text: str = "x", **traits: object) -> Memory:
    return store.memories.insert(
        scope, text=text, source="api", attribute=None, value=None, turn=None,
        traits=Traits(**traits),  # type: ignore[arg-type]
    )  # fmt: skip


def seen(store: Store, scope: Scope, *, current: bool = True) -> list[int]:
    return [memory.id for memory in store.view(scope).memories(current=current)]


def steps(store: Store, scope: Scope, rows: int) -> int:
    """Steps of SQLite's virtual machine for reading so many rows of a view."""
    connection, count = store._db._connection, 0

    def step() -> None:
        nonlocal count
        count += 1

    connection.set_progress_handler(step, 1)
    for _, _ in zip(range(rows), store.view(scope).memories(current=True), strict=False):
        pass
    store.view(scope).first_memory()
    store.view(scope).last_memory()
    connection.set_progress_handler(None, 0)
    return count


def test_own_memories_and_global_ones_merge_newest_first(store: Store) -> None:
    """Another conversation's own rows stay there, and another user's rows too."""
    for scope, reach in (
        (HERE, "conversation"), (THERE, "global"), (THERE, "conversation"), (HERE, "global"),
        (STRANGER, "global"), (THERE, "global"), (HERE, "conversation"),
    ):  # fmt: skip
        kept(store, scope, reach=reach)
    assert [6, 5, 4, 2, 1] == seen(store, HERE)
    assert [5, 4, 3, 2] == seen(store, THERE)
    assert [1] == seen(store, STRANGER)
    view = store.view(HERE)
    assert (1, 6) == (view.first_memory(), view.last_memory())
    assert (2, 5) == (store.view(THERE).first_memory(), store.view(THERE).last_memory())


def test_a_memory_says_which_conversation_it_belongs_to(store: Store) -> None:
    """A global memory keeps the scope in which it was said."""
    kept(store, THERE, reach="global")
    kept(store, HERE)
    assert [HERE, THERE] == [memory.scope for memory in store.view(HERE).memories(current=True)]
    assert [THERE] == [memory.scope for memory in store.view(HERE).rows([1, 99])]


def test_a_replaced_global_memory_is_seen_as_replaced_everywhere(store: Store) -> None:
    """Superseding in one conversation holds in the others at once."""
    old, new = kept(store, THERE, reach="global"), kept(store, THERE, reach="global")
    assert [2, 1] == seen(store, HERE)
    store.memories.supersede(THERE, old.id, by=new.id)
    assert ([2], [2, 1]) == (seen(store, HERE), seen(store, HERE, current=False))
    assert [False, True] == store.view(HERE).candidates().current.tolist()
    store.memories.delete(THERE, [old.id, new.id])
    assert [] == seen(store, HERE, current=False)


def test_both_lists_are_read_across_chunks(store: Store) -> None:
    """Every id once and in order, however the two lists lie."""
    with store.transaction():
        for number in range(300):
            scope = (HERE, THERE)[number % 7 > 3]
            kept(store, scope, reach=("conversation", "global")[number % 3 == 0])
        for id in range(1, 200, 5):
            for scope in (HERE, THERE):
                if store.memories.get(scope, id):
                    store.memories.supersede(scope, id, by=300)
    expected = [
        m.id
        for m in sorted(
            (*store.memories.current(HERE), *store.memories.current(THERE)), key=lambda m: -m.id
        )
        if m.reach == "global" or m.scope == HERE
    ]
    assert expected == seen(store, HERE)


def test_columns_are_those_of_the_rows_whatever_was_written_last(store: Store) -> None:
    """The cache of columns never answers with what was true before a write."""
    writes = (
        lambda: kept(store, HERE, kind="promise", confidence=0.5),
        lambda: kept(store, THERE, reach="global", valid_until="2026-05-01T00:00:00+00:00"),
        lambda: kept(store, HERE, pinned=True),
        lambda: store.memories.supersede(HERE, 1, by=3),
        lambda: store.memories.delete(THERE, [2]),
    )
    for write in writes:
        write()
        rows = list(store.view(HERE).memories(current=False))
        expected, actual = columns(rows), store.view(HERE).candidates()
        for name in expected.__slots__:
            assert getattr(expected, name).tolist() == getattr(actual, name).tolist(), name


def test_columns_of_a_write_that_was_taken_back_are_gone(store: Store) -> None:
    """A number that a rollback takes back is not given again."""
    kept(store, HERE)

    def fails() -> None:
        with store.transaction():
            kept(store, HERE)
            store.view(HERE).candidates()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails()
    kept(store, HERE, kind="promise")
    assert [0, 2] == store.view(HERE).candidates().kinds.tolist()


@pytest.mark.parametrize("newest", ["conversation", "global"])
def test_reading_costs_what_is_read_and_not_what_there_is(newest: str) -> None:
    """40 of 4,000 cost no more steps than 40 of 200, however the two lists lie."""
    found = []
    for size in (200, 4000):
        with open_store(":memory:") as store:
            with store.transaction():
                for number in range(size):
                    old = number < size // 2
                    reach = {"conversation": "global", "global": "conversation"}[newest]
                    kept(store, (HERE, THERE)[old], reach=reach if old else newest)
            found.append(steps(store, HERE, 40))
    assert found[1] <= 1.1 * found[0]

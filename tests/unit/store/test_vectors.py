"""Vectors in the store: exact cosine, joined with the truth, and gone with what they stood for."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from palimpsest import write
from palimpsest.embedders.hashed import Hashed
from palimpsest.recall.indexing import Pass
from palimpsest.store import Store, open_store
from palimpsest.store.nearest import Late, Matrix
from palimpsest.types import Scope, Traits

ANA = Scope(user="ana", conversation="trip")
ELSE = Scope(user="ana", conversation="work")
BOB = Scope(user="bob", conversation="trip")
SMALL, LARGE = Hashed(dimensions=64), Hashed(dimensions=256)
FACTS = ("I moved to Oslo in May.", "My sister keeps bees.", "The bees died in winter.")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "m.db") as opened:
        yield opened


def indexed(store: Store, embedder: Hashed = SMALL) -> int:
    done = Pass(store.vectors, embedder)
    assert done.run().complete
    return done.number


def found(store: Store, question: str, scope: Scope = ANA, embedder: Hashed = SMALL) -> list[int]:
    number = store.vectors.number(embedder.name, embedder.dimensions)
    assert number is not None
    with store.reading():
        return list(
            store.vectors.search(
                scope, number, embedder.query(question), threshold=embedder.threshold
            )
        )


def test_a_search_gives_the_cosines_nearest_first(store: Store) -> None:
    """What is stored and searched is the dot product of the two unit vectors, no estimate."""
    for fact in FACTS:
        write.remember(store, ANA, fact)
    number = indexed(store)
    query = SMALL.query("What became of the bees?")
    scores = store.vectors.search(ANA, number, query, threshold=-1.0)

    exact = SMALL.passages(FACTS).astype(np.float64) @ query.astype(np.float64)
    assert pytest.approx(sorted(exact, reverse=True), abs=1e-6) == list(scores.values())
    assert {id + 1: pytest.approx(score, abs=1e-6) for id, score in enumerate(exact)} == scores
    assert [3, 2] == found(store, "bees winter")


def test_a_search_returns_what_its_conversation_sees_now_and_nothing_else(store: Store) -> None:
    """Replaced, forgotten, another user's and another conversation's stay out; global is in."""
    write.remember(store, ANA, "My bees are black.", attribute="bees")
    write.correct(store, ANA, "My bees are yellow.", attribute="bees")
    write.remember(store, ANA, "I sold a bees book.", attribute="book")
    write.remember(store, ELSE, "Work on bees.")
    store.memories.insert(
        ELSE, text="Bees are my life.", source="api", attribute=None, value=None, turn=None,
        traits=Traits(reach="global"),
    )  # fmt: skip
    write.remember(store, BOB, "Bob has bees.")
    indexed(store)
    before = set(found(store, "bees"))
    write.forget(store, ANA, attribute="book")

    assert ({2, 3, 5}, {2, 5}) == (before, set(found(store, "bees")))
    assert ([1], {4, 5}) == (found(store, "bees", BOB), set(found(store, "bees", ELSE)))


def test_the_vector_goes_with_its_memory_and_leaves_no_byte(store: Store, tmp_path: Path) -> None:
    """A forget deletes the vector in the same transaction, and no file holds it after."""
    write.remember(store, ANA, "My PIN is 4417.", attribute="pin")
    write.remember(store, ANA, FACTS[0])
    indexed(store)
    vector = SMALL.query("My PIN is 4417.").astype("<f4").tobytes()
    held = [vector in file.read_bytes() for file in tmp_path.iterdir()]
    write.forget(store, ANA, attribute="pin")

    assert any(held), "the scan must see what is there"
    assert [] == [f for f in tmp_path.iterdir() if vector in f.read_bytes()]
    assert [1] == [item.vectors for item in store.vectors.coverage()]


def test_a_rewritten_memory_is_embedded_anew(store: Store) -> None:
    """A vector never outlives the text that it was made of."""
    memory = write.remember(store, ANA, FACTS[1])
    indexed(store)
    store.memories.rewrite(ANA, memory.id, text=FACTS[0], value=None)
    before = found(store, "bees"), [item.missing for item in store.vectors.coverage()]
    indexed(store)

    assert (([], [1]), [1]) == (before, found(store, "Oslo"))


def test_a_vector_is_written_only_for_the_text_it_was_made_of(store: Store) -> None:
    """What was forgotten or rewritten while it was embedded gets no vector."""
    kept, gone, changed = (write.remember(store, ANA, fact) for fact in FACTS)
    number = store.vectors.enrol(SMALL.name, 64)
    waiting = store.vectors.missing(number, limit=9)
    write.forget(store, ANA, id=gone.id)
    store.memories.rewrite(ANA, changed.id, text="Another.", value=None)

    assert 1 == store.vectors.put(number, waiting, SMALL.passages([m.text for m in waiting]))
    assert ([kept.id], []) == (found(store, "Oslo May"), found(store, "bees"))


def test_vectors_of_two_embedders_are_never_compared(store: Store) -> None:
    """64 and 256 dimensions lie side by side; each serves its own questions."""
    for fact in FACTS:
        write.remember(store, ANA, fact)
    first, second = indexed(store), indexed(store, LARGE)

    assert first != second
    assert found(store, "bees winter") == found(store, "bees winter", embedder=LARGE)
    assert [(256, 3, True), (64, 3, True)] == [
        (item.dimensions, item.vectors, item.complete) for item in store.vectors.coverage()
    ]
    assert 3 == store.vectors.clear(embedder=first)
    assert [3, 2] == found(store, "bees winter", embedder=LARGE)


def test_dropped_and_rebuilt_vectors_give_the_same_scores(store: Store) -> None:
    """Law 7: the order in which vectors came changes no digit of any score."""
    for number in range(140):
        write.remember(store, ANA, f"Fact {number}: {FACTS[number % 3]}")
        if number % 7 == 0:
            indexed(store)
        if number % 11 == 0:
            found(store, "bees")
    write.forget(store, ANA, id=50)
    number = indexed(store)
    query = SMALL.query("Which bees died in May?")
    before = dict(store.vectors.search(ANA, number, query, threshold=0.0, limit=40))
    store.vectors.clear()
    number = indexed(store)

    assert len(before) == 40
    assert before == dict(store.vectors.search(ANA, number, query, threshold=0.0, limit=40))


def test_a_search_inside_a_transaction_that_fails_keeps_nothing(store: Store) -> None:
    """What a rollback takes back was in no matrix that lives on."""
    write.remember(store, ANA, FACTS[0])
    number = indexed(store)

    def fails() -> None:
        with store.transaction():
            write.remember(store, ANA, FACTS[1])
            Pass(store.vectors, SMALL).run()
            bees = SMALL.query("bees")
            assert [2] == list(store.vectors.search(ANA, number, bees, threshold=0.2))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails()
    write.remember(store, ANA, "I moved house.")
    indexed(store)

    assert ([], [1, 2]) == (found(store, "bees"), sorted(found(store, "moved")))


def test_another_connection_writes_and_the_next_search_sees_it(store: Store) -> None:
    """A worker's connection, or another process, fills the index of this one."""
    write.remember(store, ANA, FACTS[0])
    indexed(store)
    assert [] == found(store, "bees")
    with store.vectors_apart() as apart:
        write.remember(store, ANA, FACTS[1])
        Pass(apart, SMALL).run()

    assert [2] == found(store, "bees")


def test_vectors_that_cannot_be_read_in_time_are_late(store: Store) -> None:
    """A deadline that has passed stops the reading; what was read is kept."""
    write.remember(store, ANA, FACTS[0])
    number = indexed(store)
    with pytest.raises(Late):
        store.vectors.search(ANA, number, SMALL.query("Oslo"), threshold=0.2, until=0.0)

    assert [1] == found(store, "Oslo")


def test_verify_counts_what_is_wrong_and_what_is_gone(store: Store) -> None:
    """A vector of another text, of a wrong length or of no memory is found; a rebuild mends it."""
    for fact in FACTS:
        write.remember(store, ANA, fact)
    number = indexed(store)
    (right,) = store.vectors.verify()
    with store.transaction():
        store._db.write("UPDATE vectors SET print = x'00' WHERE id = 1")
        store._db.write("UPDATE vectors SET vector = x'00000000' WHERE id = 2")
        store._db.write("UPDATE vectors SET id = 99 WHERE id = 3")
    (wrong,) = store.vectors.verify()
    store.vectors.clear(embedder=number)
    indexed(store)

    assert (True, 3) == (right.ok, right.rows)
    assert (False, 3, 2, 1) == (wrong.ok, wrong.rows, wrong.wrong, wrong.gone)
    assert [right] == list(store.vectors.verify())


@pytest.mark.parametrize("length", [0, 2, 128, 512])
def test_a_damaged_vector_is_near_to_nothing_and_keeps_no_other_from_its_score(
    length: int, tmp_path: Path
) -> None:
    """Of whatever length it is, a turn goes on; verify tells it, a rebuild puts it right."""
    with open_store(tmp_path / "d.db") as store:
        ids = [write.remember(store, ANA, fact).id for fact in FACTS]
        indexed(store)
    raw = sqlite3.connect(tmp_path / "d.db")
    with raw:
        raw.execute("UPDATE vectors SET vector = zeroblob(?) WHERE id = ?", (length, ids[2]))
    raw.close()
    with open_store(tmp_path / "d.db") as store:
        assert [ids[1]] == found(store, "My sister keeps bees.")
        assert [(SMALL.name, 1)] == [(v.index, v.wrong) for v in store.vectors.verify()]
        store.vectors.clear()
        indexed(store)
        assert ids[2] == found(store, FACTS[2])[0]


def test_one_process_at_a_time_indexes(store: Store) -> None:
    """The lease is taken, kept, given back, and runs out for one that was killed."""
    number = store.vectors.enrol(SMALL.name, 64)
    claim = store.vectors.claim

    assert [True, True, False] == [claim(number, who, 60.0) for who in ("a", "a", "b")]
    store.vectors.release(number, "b")
    assert not claim(number, "b", 60.0)
    store.vectors.release(number, "a")
    assert claim(number, "b", -1.0)
    assert claim(number, "a", 60.0)


def test_a_matrix_forgets_rows_in_place() -> None:
    """What is dropped is overwritten in memory too."""
    matrix = Matrix(4)
    rows = np.eye(4, dtype=np.float32)
    matrix.add([(number, number * 10, rows[number].tobytes()) for number in range(4)])
    matrix.keep(np.array([0, 3]))

    assert {0: 0, 3: 30} == dict(zip(matrix.numbers.tolist(), matrix.ids.tolist(), strict=True))
    assert [[0.0] * 4] * 2 == matrix._rows[2:4].tolist()
    assert {0: [1, 0, 0, 0], 3: [0, 0, 0, 1]} == dict(
        zip(matrix.numbers.tolist(), matrix.rows.tolist(), strict=True)
    )

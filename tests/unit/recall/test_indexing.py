"""A pass of the index: only what is missing, whatever one text or the whole embedder does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from palimpsest import write
from palimpsest.recall import checked
from palimpsest.recall.indexing import Indexed, Pass
from palimpsest.store import Store, open_store
from palimpsest.types import Scope
from tests.support.embedders import Moody

ANA = Scope(user="ana", conversation="trip")
BOB = Scope(user="bob", conversation="trip")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "m.db") as opened:
        for number in range(10):
            write.remember(opened, ANA if number % 2 else BOB, f"Fact {number} of bees.")
        yield opened


def test_only_what_changed_is_embedded(store: Store) -> None:
    """The second pass embeds nothing, the third what was added and corrected since."""
    moody = Moody()
    passes = [Pass(store.vectors, moody, batch=3).run() for _ in range(2)]
    write.remember(store, ANA, "New.", attribute="a")
    write.correct(store, ANA, "Newer.", attribute="a")
    passes.append(Pass(store.vectors, moody).run())

    assert [10, 0, 1] == [done.embedded for done in passes]
    assert ["Newer."] == moody.embedded[10:]


def test_one_text_that_cannot_be_read_keeps_no_other_from_its_vector(store: Store) -> None:
    """It is counted, the rest is embedded and the embedder serves."""
    moody = Moody(refuses="Fact 4")
    first = Pass(store.vectors, moody, batch=4).run()
    again = Pass(store.vectors, moody, batch=4).run()

    assert Indexed(embedded=9, refused=1, complete=True) == first
    assert Indexed(embedded=0, refused=1, complete=True) == again


def test_an_embedder_that_is_out_raises_and_nothing_is_lost(store: Store) -> None:
    """What a batch got before stays; the next pass goes on from there."""
    moody = Moody()
    going = Pass(store.vectors, moody, batch=4)
    going.embed(going.waiting())
    moody.error = ConnectionError("out")
    with pytest.raises(ConnectionError):
        going.run()
    moody.error = None

    assert [6] == [item.missing for item in store.vectors.coverage()]
    assert Indexed(embedded=6, refused=0, complete=True) == Pass(store.vectors, moody).run()


@pytest.mark.parametrize(
    "given", [np.zeros((2, 64)), np.full((2, 64), np.nan), np.ones((2, 63)), np.ones((1, 64))]
)
def test_what_is_no_vector_is_refused(given: np.ndarray) -> None:
    """Zeros, not-a-numbers and wrong shapes never reach the store."""
    moody = Moody()
    moody.passages = lambda texts: given  # type: ignore[method-assign]
    with pytest.raises(checked.Unusable, match="moody-64: gave"):
        checked.passages(moody, ["a", "b"])


def test_rows_are_made_unit_rows() -> None:
    """An embedder that forgot to normalise is put right."""
    moody = Moody()
    moody.passages = lambda texts: np.full((1, 64), 2.0)  # type: ignore[method-assign]

    assert pytest.approx(1.0) == float(np.linalg.norm(checked.passages(moody, ["a"])))


def test_a_reason_that_is_kept_repeats_no_message_of_a_plugin() -> None:
    """A plug-in's message may quote a memory that is forgotten later."""
    assert "ValueError in moody-64" == checked.reason(ValueError("My PIN is 4417"), "moody-64")

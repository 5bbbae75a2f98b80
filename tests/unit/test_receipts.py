"""Receipts: what a forget took, sealed, and checked later without the value."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from palimpsest import Memory
from palimpsest.errors import InputError

VALUE = "P1234567-KX"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PALIMPSEST_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A store that holds the value, with an export and a backup of then."""
    with Memory.open(tmp_path / "m.db") as held:
        talk = held.conversation(user="ada", id="trip")
        talk.append(user=f"My passport is {VALUE}.", assistant=f"Noted: {VALUE}.")
        talk.remember(f"My passport is {VALUE}.", attribute="passport", value=VALUE, turn=1)
        held.export(tmp_path / "e.jsonl")
        held.backup(tmp_path / "b.db")
        yield held


@pytest.fixture
def receipt(memory: Memory, tmp_path: Path) -> Path:
    """The receipt of the forget of the passport."""
    talk = memory.conversation(user="ada", id="trip")
    done = talk.forget(attribute="passport")
    path = tmp_path / "r.json"
    path.write_text(json.dumps(memory.receipt(talk.scope, done, [memory.audit(VALUE)])))
    return path


def test_a_receipt_tells_what_went_and_no_value(receipt: Path) -> None:
    """Counts, hashes, the audit and the files that a forget cannot reach into."""
    data = json.loads(receipt.read_text())

    assert VALUE not in receipt.read_text()
    assert [1] == [one["rows"] for one in data["deletions"]]
    assert data["hashes"]["1"]
    assert {"e.jsonl": True, "b.db": True} == {
        Path(file["path"]).name: file["holds"] for file in data["files"]
    }


def test_it_does_not_hold_while_a_copy_does(memory: Memory, receipt: Path, tmp_path: Path) -> None:
    """Files made before still say it; with them gone the forget holds."""
    with_copies = memory.check_receipt(receipt)
    states = {Path(file.path).name: file.state for file in with_copies.files}
    (tmp_path / "e.jsonl").unlink()
    (tmp_path / "b.db").unlink()
    without = memory.check_receipt(receipt)

    assert ({"e.jsonl": "holds it", "b.db": "holds it"}, False) == (states, with_copies.clean)
    assert {"gone"} == {file.state for file in without.files}
    assert without.clean


def test_a_row_that_says_it_again_is_found_without_the_value(
    memory: Memory, receipt: Path, tmp_path: Path
) -> None:
    """Whatever brings it back, past every rule: the hashes know it in another form too."""
    for name in ("e.jsonl", "b.db"):
        (tmp_path / name).unlink()
    with memory._store.transaction():
        memory._store._db.write(
            "UPDATE turns SET messages = ?", ('[{"content":"p 1234567 kx","role":"user"}]',)
        )

    found = memory.check_receipt(receipt)

    assert (["turns"], False) == ([one.table for one in found.rows], found.clean)


def _change(data: dict[str, Any]) -> None:
    data["deletions"][0]["rows"] = 2


def _unhash(data: dict[str, Any]) -> None:
    data["hashes"]["1"] = []


@pytest.mark.parametrize("change", [_change, _unhash])
def test_a_changed_receipt_is_seen(
    change: Callable[[dict[str, Any]], None], memory: Memory, receipt: Path
) -> None:
    """The seal is over every word of it."""
    data = json.loads(receipt.read_text())
    change(data)
    receipt.write_text(json.dumps(data))

    assert not memory.check_receipt(receipt).sealed


def test_a_receipt_of_another_store_does_not_hold(receipt: Path, tmp_path: Path) -> None:
    """Another key cannot have sealed it, and nothing of it is on record."""
    with Memory.open(tmp_path / "other.db") as other:
        found = other.check_receipt(receipt)

    assert (False, False, False) == (found.sealed, found.recorded, found.clean)


def test_what_the_user_says_again_is_told(memory: Memory, receipt: Path) -> None:
    """A value that was lifted is no leak, and the check says how many there are."""
    talk = memory.conversation(user="ada", id="trip")
    talk.remember(f"My passport is {VALUE} after all.")

    assert 1 == memory.check_receipt(receipt).lifted


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"format": "palimpsest receipt", "schema": 2}',
             '{"format": "palimpsest receipt", "schema": 1}'],
)  # fmt: skip
def test_what_is_no_receipt_is_refused(text: str, memory: Memory, tmp_path: Path) -> None:
    """With its name and what is wrong."""
    path = tmp_path / "bad.json"
    path.write_text(text)

    with pytest.raises(InputError, match=r"bad\.json"):
        memory.check_receipt(path)

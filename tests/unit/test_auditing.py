"""An audit of a store: rows, bytes, what was written from it, and what it cannot say."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palimpsest import Memory, auditing
from palimpsest.errors import InputError

VALUE = "P1234567-KX"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PALIMPSEST_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A store in which the value was said, repeated and remembered."""
    with Memory.open(tmp_path / "m.db") as held:
        talk = held.conversation(user="ada", id="trip")
        talk.append(user=f"My passport is {VALUE}.", assistant=f"Noted: {VALUE}.")
        talk.append(user="And I like figs.", assistant="Good.")
        talk.remember(f"My passport is {VALUE}.", attribute="passport", value=VALUE, turn=1)
        yield held


def test_a_value_is_found_in_rows_and_bytes(memory: Memory) -> None:
    """Before a forget the value is in its tables and in the file or its log."""
    found = memory.audit(VALUE)

    assert not found.clean
    assert {"memories", "turns", "lexical"} <= {holding.table for holding in found.rows}
    assert {"UTF-8"} == {finding.encoding for finding in found.findings}


@pytest.mark.parametrize("careless", [False, True])
def test_nothing_is_found_after_a_forget(memory: Memory, tmp_path: Path, careless: bool) -> None:
    """Rows and bytes are gone, also where SQLite itself would not erase."""
    if careless:
        with sqlite3.connect(tmp_path / "m.db") as other:
            other.execute("PRAGMA secure_delete=OFF")
        other.close()
    memory.conversation(user="ada", id="trip").forget(attribute="passport")

    found = memory.audit(VALUE)

    assert ((), (), True, True) == (found.rows, found.findings, found.scrubbed, found.clean)
    assert found.files >= 1
    assert found.canary > 10


def test_a_reader_of_an_older_state_is_said(memory: Memory, tmp_path: Path) -> None:
    """While another process reads the state before the forget, the value is not yet scrubbed."""
    talk = memory.conversation(user="ada", id="trip")
    reader = sqlite3.connect(tmp_path / "m.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM turns").fetchall()
    talk.forget(attribute="passport")

    held = memory.audit(VALUE)
    reader.close()
    talk.append(user="Something else.", assistant="Yes.")
    released = memory.audit(VALUE)

    assert (False, False) == (held.scrubbed, held.clean)
    assert (True, True) == (released.scrubbed, released.clean)


def test_a_short_value_is_checked_by_rows(memory: Memory) -> None:
    """Four digits stand in any file by chance; the rows still say where they are."""
    talk = memory.conversation(user="ada", id="trip")
    talk.remember("My PIN is 4417.", attribute="pin", value="4417")

    found = memory.audit("4417")

    assert (False, 0) == (found.by_bytes, found.files)
    assert {"memories", "lexical", "lexical_content"} == {h.table for h in found.rows}


def test_a_value_inside_a_longer_one_is_not_it(memory: Memory) -> None:
    """Rows are compared by whole words: 4417 is not in 944170."""
    talk = memory.conversation(user="ada", id="trip")
    talk.remember("The parcel is 944170.", attribute="parcel")

    assert () == memory.audit("4417").rows


def test_other_places_are_scanned_when_named(memory: Memory, tmp_path: Path) -> None:
    """A log, a report, a folder of recordings: whatever the user names."""
    log = tmp_path / "logs" / "deep" / "run.log"
    log.parent.mkdir(parents=True)
    log.write_text(f"sent {VALUE}")
    memory.conversation(user="ada", id="trip").forget(attribute="passport")

    (found,) = memory.audit(VALUE, paths=[tmp_path / "logs"]).findings

    assert str(log) == found.path


@pytest.mark.parametrize("value", ["", "  ", None, 3])
def test_a_blank_value_is_refused(memory: Memory, value: object) -> None:
    """An audit of nothing would find everything, or nothing."""
    with pytest.raises(InputError, match="value"):
        memory.audit(value)  # type: ignore[arg-type]


def test_a_place_that_is_not_there_is_refused(memory: Memory, tmp_path: Path) -> None:
    """A mistyped path must not count as a clean one."""
    with pytest.raises(InputError, match="nothing at that place"):
        memory.audit(VALUE, paths=[tmp_path / "typo"])


def test_the_audit_shows_no_value(memory: Memory) -> None:
    """Its result can be kept, mailed and logged."""
    assert VALUE not in repr(memory.audit(VALUE))


def test_several_values_are_looked_for_in_one_scan(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has the audit that it would have alone, and every file is read once for all."""
    values = (VALUE, "figs", "absent-value-77", "like figs")
    alone = tuple(memory.audit(value) for value in values)
    scans: list[int] = []
    scan = auditing.audit.scan

    def counted(*arguments: Any) -> Any:
        scans.append(1)
        return scan(*arguments)

    monkeypatch.setattr(auditing.audit, "scan", counted)
    assert alone == memory.audits(values)
    assert [1] == scans
    assert () == memory.audits(())

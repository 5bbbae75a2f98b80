"""Eight writers of 200 memories each over one file."""

from __future__ import annotations

from pathlib import Path

from tests.support.field_writers import write_at_once


def test_eight_writers_of_two_hundred_lose_nothing(tmp_path: Path) -> None:
    """0 lost, 0 locked, and each memory is found by its own word."""
    written, found, errors = write_at_once(tmp_path / "m.db", 200)
    assert (1_600, []) == (len(written), errors)
    assert written == found

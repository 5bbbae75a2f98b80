"""A scan sees the whole file: across blocks, across pages, in the log."""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack
from pathlib import Path

import pytest

from palimpsest.audit import needles, scan
from palimpsest.audit.canary import PAGE, ROWS, blind_spots
from palimpsest.audit.scan import BLOCK_BYTES
from palimpsest.store.canary import planted

VALUE = "Kestrel-90417-Quay"
PATTERNS = needles([VALUE])


@pytest.mark.parametrize("before", [0, BLOCK_BYTES - 9, BLOCK_BYTES - 18, BLOCK_BYTES])
def test_a_value_across_two_blocks_is_found_once(before: int, tmp_path: Path) -> None:
    """Files are read in pieces, and a value may lie on their edge."""
    path = tmp_path / "large"
    path.write_bytes(b"." * before + VALUE.encode() + b".")

    (found,) = scan([path], PATTERNS).findings

    assert ("UTF-8", 1, before) == (found.encoding, found.count, found.offset)


@pytest.mark.parametrize("page", [512, 1024, 4096])
def test_a_value_across_two_pages_of_a_database_is_found(page: int, tmp_path: Path) -> None:
    """A long row continues on another page, four bytes after where that page begins."""
    path = tmp_path / "rows.db"
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA page_size={page}")
        db.execute("CREATE TABLE t (x TEXT)")
        length = 3 * page
        places = range(0, page + 40, 9)
        rows = [("a" * at + VALUE + "b" * (length - at),) for at in places]
        db.executemany("INSERT INTO t VALUES (?)", rows)
    db.close()
    whole = path.read_bytes().count(VALUE.encode())

    (found,) = scan([path], PATTERNS).findings

    assert whole < len(rows), "no row was split; the test would show nothing"
    assert len(rows) == found.count


def test_a_value_in_the_log_alone_is_found(tmp_path: Path) -> None:
    """What was committed and not yet copied into the database stands in its log."""
    texts = tuple("x" * (4000 + at) + VALUE + "y" * 5000 for at in range(40))
    with planted(tmp_path / "p.db", texts, page=4096) as files:
        counts = {Path(f.path).name: f.count for f in scan(files, PATTERNS).findings}

    assert {"p.db", "p.db-wal"} == set(counts)
    assert 40 == sum(counts.values())


def test_the_canary_is_seen(tmp_path: Path) -> None:
    """The proof that every audit makes first holds here."""
    with ExitStack() as stack:
        missed = blind_spots(
            tmp_path, lambda path, rows: stack.enter_context(planted(path, rows, page=PAGE))
        )

    assert () == missed


def test_the_canary_lies_across_pages(tmp_path: Path) -> None:
    """A scan that reads bytes alone and knows nothing of pages does not see all of it."""
    with ExitStack() as stack:

        def without_pages(path: Path, rows: tuple[str, ...]) -> tuple[Path, ...]:
            files = stack.enter_context(planted(path, rows, page=PAGE))
            copies = [file.with_name(f"{file.name}.copy") for file in files]
            for file, copy in zip(files, copies, strict=True):
                copy.write_bytes(b"?" + file.read_bytes())
            return tuple(copies)

        (missed,) = blind_spots(tmp_path, without_pages)

    assert missed.endswith(f"of {ROWS} rows of a database")


def test_a_blind_scan_is_named(tmp_path: Path) -> None:
    """A scan that misses rows says how many: the proof can fail."""
    empty = tmp_path / "empty.db"
    empty.write_bytes(b"")

    assert (f"{ROWS} of {ROWS} rows of a database",) == blind_spots(
        tmp_path, lambda path, texts: (empty,)
    )


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """A file that nobody could read is not a file that holds nothing."""
    found = scan([tmp_path], PATTERNS)

    assert (f"{tmp_path}: Is a directory",) == found.unread

"""A database of planted texts, still open: part of it in the file, part in its log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from palimpsest.store.database import Database


@contextmanager
def planted(path: Path, texts: tuple[str, ...], *, page: int) -> Iterator[tuple[Path, ...]]:
    """Write one row a text on pages of ``page`` bytes, half of them checkpointed.

    Yields the files they are in.
    """
    db = Database(str(path))
    try:
        db.rows(f"PRAGMA page_size={page}")
        db.use_wal()
        with db.transaction():
            db.write("CREATE TABLE planted (text TEXT NOT NULL) STRICT")
            _insert(db, texts[::2])
        db.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        with db.transaction():
            _insert(db, texts[1::2])
        yield path, path.with_name(f"{path.name}-wal")
    finally:
        db.close()


def _insert(db: Database, texts: tuple[str, ...]) -> None:
    db.write_many("INSERT INTO planted VALUES (?)", [(text,) for text in texts])

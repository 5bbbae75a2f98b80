"""What a check of a derived index found, beside the memories that it is derived from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """One derived index, compared row by row with the memories; counts, never texts."""

    index: str
    """``lexical``, or the name of what holds vectors."""
    rows: int
    """How many rows it has."""
    missing: int = 0
    """Memories without a row."""
    gone: int = 0
    """Rows without a memory."""
    wrong: int = 0
    """Rows that are not what their memory gives."""
    damage: str = ""
    """What SQLite says of a damaged index; empty where it is whole."""

    @property
    def ok(self) -> bool:
        """True where a rebuild would change nothing."""
        return not (self.missing or self.gone or self.wrong or self.damage)

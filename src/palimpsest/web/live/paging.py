"""A long list in pages of one size, so that every row of it can be reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

PAGE = 50
"""Rows of one page."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Paged(Generic[T]):
    """The rows of one page, and where it stands."""

    rows: tuple[T, ...]
    found: int
    """Rows of all pages."""
    page: int
    """From 1; a number that is out of range shows the nearest page."""
    pages: int

    @property
    def near(self) -> tuple[int, ...]:
        """The pages to link to: both ends, and those around this one."""
        wanted = {1, self.page - 1, self.page, self.page + 1, self.pages}
        return tuple(sorted(number for number in wanted if 1 <= number <= self.pages))


def paged(rows: Sequence[T], page: int) -> Paged[T]:
    """One page of a list that is at hand."""
    pages = max(1, -(-len(rows) // PAGE))
    page = max(1, min(page, pages))
    return Paged(
        rows=tuple(rows[(page - 1) * PAGE : page * PAGE]), found=len(rows), page=page, pages=pages
    )

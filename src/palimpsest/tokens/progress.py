"""How long work says where it stands; only the command line draws it."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called with a step's name, how much of it is done, and how much there is."""

    def __call__(self, step: str, done: int, total: int | None) -> None: ...


def silent(step: str, done: int, total: int | None) -> None:
    """The Progress of whoever does not ask for one."""

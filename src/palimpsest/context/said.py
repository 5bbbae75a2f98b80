"""The sentences of a conversation, and the words by which one can be found from another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from palimpsest.language.reading import Reading
from palimpsest.language.replacing import is_pronoun
from palimpsest.protocols import Note


class Said(NamedTuple):
    """One sentence of the conversation, in its order."""

    note: Note
    reading: Reading
    shown: bool
    """True where the request holds its turn anyway."""


class Index:
    """Places of sentences by the stems and the first words of values that stand in them.

    Invariant: ``near`` yields each place once, the youngest first.
    """

    def __init__(self) -> None:
        self._places: dict[str, dict[int, None]] = {}

    def add(self, place: int, reading: Reading) -> None:
        """Make a sentence findable; places are added in their order."""
        for key in _keys(reading):
            self._places.setdefault(key, {})[place] = None

    def remove(self, place: int, reading: Reading) -> None:
        """Forget a sentence."""
        for key in _keys(reading):
            self._places.get(key, {}).pop(place, None)

    def near(self, keys: Iterable[str], most: int) -> list[int]:
        """The youngest ``most`` sentences under each of some keys."""
        found: set[int] = set()
        for key in keys:
            youngest = reversed(self._places.get(key, {}))
            found.update(place for place, _ in zip(youngest, range(most), strict=False))
        return sorted(found, reverse=True)


def _keys(reading: Reading) -> Iterator[str]:
    yield from {word.stem for word in reading.words}
    for value in reading.stated:
        yield from first_word(reading.at(value.span))


def first_word(value: str) -> list[str]:
    """The first word of a value in the form under which it is found; none of a blank one."""
    return value.strip('`"').lower().split()[:1]


def antecedent(said: Sequence[Said], at: int) -> int | None:
    """The sentence before, where a correction's new thing is a word that points to it."""
    item = said[at]
    before = said[at - 1] if at else None
    if before is None or not same_text(before, item):
        return None
    points = any(
        found.new and is_pronoun(item.reading.at(found.new), item.reading.pack)
        for found in item.reading.replacements
    )
    return at - 1 if points else None


def same_text(one: Said, other: Said) -> bool:
    """True for two sentences of one text."""
    return _text_of(one.note) == _text_of(other.note)


def _text_of(note: Note) -> tuple[int, int, int]:
    return note.turn, note.message, note.text


def same_turn(said: Sequence[Said], at: int) -> Iterator[Said]:
    """The sentences of the turn that holds a sentence."""
    first = last = at
    while first and said[first - 1].note.turn == said[at].note.turn:
        first -= 1
    while last + 1 < len(said) and said[last + 1].note.turn == said[at].note.turn:
        last += 1
    yield from said[first : last + 1]

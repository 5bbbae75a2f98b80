"""What a forget looks for: the statements that go, and every form of their values.

A strong value stands for somebody or something by itself (a card number, an address, a
secret) and goes from everywhere. A weak one (a city, a day, a name) is said of other things
too: it stays where a current statement of something else holds it.

Invariant: a pure reading of the memories that go and of those that stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from palimpsest.language.compound import going
from palimpsest.language.content_words import content_words
from palimpsest.language.identifiers import identifiers
from palimpsest.language.occurrences import Needle, Needles, Span, folded, needle, spans
from palimpsest.language.retold import Retold
from palimpsest.language.secret_forms import secrets
from palimpsest.language.surface_forms import Forms, find, keys_of
from palimpsest.language.values import is_year
from palimpsest.types import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """One statement that is to be forgotten."""

    text: str
    parts: tuple[Needle, ...]
    """Its clauses that go; a compound statement keeps the others."""
    gone: tuple[Span, ...]
    """Where these stand in it, with the blanks and the words that join them."""
    stated: int | None
    """The turn of the place that stated it, where it is known."""
    strong: tuple[str, ...]
    weak: tuple[str, ...]
    bare: bool = False
    """It has no value: its content words are all there is to know it by."""


def lost(
    memory: Memory, *, still: Iterable[str | None] = (), is_current: Callable[[str], bool]
) -> Lost:
    """A memory as the search needs it.

    Its value is not searched for where a current statement of its attribute has the same one,
    and no other identifier of it is that a current statement holds.
    """
    kept = set(still)
    value = _whole(memory) if memory.value not in kept else None
    held = find(value, memory.text) if value else ()
    gone = going(memory.text, held) if value else (Span(0, len(memory.text)),)
    pieces = [memory.text[part.start : part.end] for part in gone]
    others = [
        i for piece in pieces for i in identifiers(piece)
        if i not in (value, memory.value) and i not in kept and not _is_group(i, value)
    ]  # fmt: skip
    found = [i for i in others if not is_current(i)]
    strong = [value] if value and is_strong(value, memory.text) else []
    weak = [value] if value and not strong else []
    whole = len(gone) == 1 and len(pieces[0]) == len(memory.text)
    parts = (needle(piece, loose_end=whole and len(piece.split()) > 2) for piece in pieces)
    return Lost(
        text=memory.text, parts=tuple(part for part in parts if part), gone=tuple(gone),
        stated=memory.turn if memory.text.strip() else None, strong=tuple(strong),
        weak=(*weak, *found), bare=memory.value is None and not found,
    )  # fmt: skip


def _whole(memory: Memory) -> str | None:
    """The value with the plus before it: without, a telephone number has no country."""
    value = memory.value
    if value and value[:1].isdigit() and f"+{value}" in memory.text:
        return f"+{value}"
    return value


def _is_group(identifier: str, value: str | None) -> bool:
    """True for a group of the digits of a number: "555123" of "030 555123" is no number."""
    if value is None or not any(key.startswith("d:") for key in keys_of(value)):
        return False
    digits = "".join(filter(str.isdigit, identifier))
    return digits == identifier and digits in "".join(filter(str.isdigit, value))


def is_strong(value: str, statement: str = "") -> bool:
    """True for a value that stands for one thing, whatever else is said of it."""
    if any(statement[s.start : s.end] == value for s in secrets(statement)):
        return True
    digits = sum(c.isdigit() for c in value)
    return any(
        key.startswith(("e:", "r:", "t:"))
        or (key.startswith("i:") and digits > 1)
        or (key.startswith("d:") and (digits or len(key) - 2) > 3 and not is_year(value))
        for key in keys_of(value)
    )  # fmt: skip


def tells(form: str) -> bool:
    """False for a form of small words alone: it would be found in every sentence."""
    return is_strong(form) or bool(content_words(form))


class Search:
    """Everything that a forget looks for in one place."""

    def __init__(
        self, items: Sequence[Lost], *, until: int, values: Sequence[str] = (),
        current: Iterable[str] = (),
    ) -> None:  # fmt: skip
        self.items = items
        self.retold = Retold((item.text for item in items if item.bare), current)
        self.until = until
        """The last turn in which the user's own words are searched too."""
        strong = [value for value in values if is_strong(value)]
        weak = [value for value in values if not is_strong(value)]
        self._strong = Forms([*strong, *(v for item in items for v in item.strong)])
        self._weak = Forms([*weak, *(v for item in items for v in item.weak)])
        self._parts = Needles(part for item in items for part in item.parts)
        all_values = (*self._strong.values, *self._weak.values)
        self._plain = Needles(_without_forms(all_values))
        whole = [needle(v) for v in (*all_values, *(item.text for item in items))]
        self._anchors = {n.anchor for n in whole if n} | {
            part.anchor for item in items for part in item.parts
        }

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The values that the deletion record is to know again."""
        return tuple(dict.fromkeys((*self._strong.values, *self._weak.values)))

    def may_hold(self, stored: str) -> bool:
        """False where a quick look shows that a stored turn holds nothing of it."""
        if any(anchor in stored for anchor in self._anchors):
            return True
        if self._strong.may_hold(stored) or self._weak.may_hold(stored) or "\\u" in stored:
            return True
        return self.retold.may_hold(stored)

    def strong(self, text: str) -> list[Span]:
        """Where a strong value stands: no statement protects it."""
        return list(self._strong.spans(text))

    def weak(self, text: str) -> list[Span]:
        """Where a statement, its clause or a weak value stands."""
        looked = folded(text)
        found = self._parts.spans(looked) + self._plain.spans(looked)
        return found + list(self._weak.spans(text))

    def all(self, text: str) -> list[Span]:
        """Where anything of it stands."""
        return self.strong(text) + self.weak(text)

    def parts_of(self, text: str) -> list[Span]:
        """Where a clause that states it stands in a statement of something else."""
        return self._parts.spans(folded(text))

    def stating(self, turn: int, text: str) -> Iterator[Span]:
        """What goes of the user's words in the turn that stated something of it."""
        for item in self.items:
            if item.stated != turn:
                continue
            quoted = needle(item.text, loose_end=True)
            if quoted and (at := next(spans(quoted, folded(text)), None)):
                if text.startswith(item.text, at.start):
                    yield from (Span(at.start + s, at.start + e) for s, e in item.gone)
                yield from Needles(item.parts).spans(folded(text))
                continue
            held = [s for value in (*item.strong, *item.weak) for s in find(value, text)]
            yield from going(text, held)


def _without_forms(values: Iterable[str]) -> Iterator[Needle]:
    """Values that are looked for as they are written too.

    Those that no form finds in themselves, very short or very long ones, and identifiers, whose
    marks HTML and JSON escape. A name or a bare number is not: it may be a part of a longer one.
    """
    for value in values:
        made = needle(value)
        bare = value.strip()
        covered = sum(span.end - span.start for span in find(value, value))
        partly = bare.isdigit() or any(key.startswith(("w", "c")) for key in keys_of(value))
        if made and (covered < 0.8 * len(bare) or not partly):
            yield made

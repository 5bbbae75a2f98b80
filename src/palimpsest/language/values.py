"""The value of a statement: the shortest contiguous span that holds all its carriers.

A secret that the statement tells in so many words is its value before anything else. A name
that only opens the sentence ("Ana works at Acme", "Porto is in 2027") is what the statement
is about: it counts where nothing but a day or a year stands beside it.

Invariant: a value is a span of the statement; a statement without carriers has none, and
then only the turn that states it can be redacted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from palimpsest.language.carriers import Carrier, carriers, states
from palimpsest.language.secret_forms import secrets

LONGEST = 2_000
"""Characters. A longer statement is a pasted document: no one span of it is its value."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_LETTERS = re.compile(r"[^\W\d_]+")


def value_of(statement: str, attribute: str | None = None) -> str | None:
    """The exact value of a statement, read from its carriers; ``None`` where there is none.

    The name of the ``attribute`` is never the value of a statement about it.
    """
    if len(statement) > LONGEST:
        return None
    if told := secrets(statement):
        return statement[told[0].start : told[-1].end]
    found = _weighed(statement, _without_attribute(statement, attribute))
    # "Tomorrow" is another day each time that it is said.
    if all(carrier.kind == "relative-day" for carrier in found):
        return None
    return statement[found[0].start : found[-1].end]


def is_year(number: str) -> bool:
    """True for a plain year: it stands in too many sentences to be anybody's."""
    return bool(_YEAR.fullmatch(number))


def _weighed(statement: str, found: Sequence[Carrier]) -> list[Carrier]:
    """Names that only open a sentence give way to any carrier that says more than a day."""
    opening = [carrier for carrier in found if carrier.opening]
    others = [carrier for carrier in found if not carrier.opening]
    telling = any(
        carrier.kind != "relative-day" and not is_year(statement[carrier.start : carrier.end])
        for carrier in others
    )
    return others if telling or not opening else opening


def _without_attribute(statement: str, attribute: str | None) -> list[Carrier]:
    words = {word.lower() for word in _LETTERS.findall(attribute or "")}

    def is_attribute(carrier: Carrier) -> bool:
        named = {w.lower() for w in _LETTERS.findall(statement[carrier.start : carrier.end])}
        about = carrier.opening or states(statement, carrier.end)
        return carrier.kind == "name" and about and named <= words

    return [carrier for carrier in carriers(statement) if not is_attribute(carrier)]
